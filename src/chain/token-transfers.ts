// The movements of a token that concern some contracts: the topics by which a node is asked for them, and how they differ from the token's other events.

import type { ChainEvent } from './responses.ts'
import { encodeScVal } from './scval.ts'

/** The movements of a token from and to these contracts; `any`: all movements, for more contracts than filters can name. */
export interface TokenTransfers {
  readonly token: string
  readonly parties: readonly string[] | 'any'
}

/** One filter takes this many patterns. */
export const PATTERNS_PER_FILTER = 5

const symbol = (value: string): string => encodeScVal({ type: 'symbol', value })
const TRANSFER = symbol('transfer')
const ONE_PARTY = [symbol('mint'), symbol('burn'), symbol('clawback')]

/** Lists of topic patterns, each for one filter. A transfer has its parties in the second and third topic; a mint, burn or clawback has one in the second. */
export function transferPatterns({ parties }: TokenTransfers): readonly (readonly (readonly string[])[])[] {
  if (parties === 'any') return [[[TRANSFER, '*', '*', '*'], ...ONE_PARTY.map((name) => [name, '*', '*'])]]
  const lists: string[][][] = []
  for (let from = 0; from < parties.length; from += PATTERNS_PER_FILTER) {
    const encoded = parties.slice(from, from + PATTERNS_PER_FILTER).map(encodeAddress)
    lists.push(encoded.map((party) => ['*', party, '**']), encoded.map((party) => [TRANSFER, '*', party, '*']))
  }
  return lists
}

/** Whether a node may return an event for these transfers. */
export function isRequestedTransfer({ token, parties }: TokenTransfers): (event: Pick<ChainEvent, 'contractId' | 'topicsXdr'>) => boolean {
  const encoded = parties === 'any' ? null : new Set(parties.map(encodeAddress))
  return ({ contractId, topicsXdr: [name, second = '', third = ''] }) =>
    contractId === token && (encoded === null || encoded.has(second) || (name === TRANSFER && encoded.has(third)))
}

/** Whether an event moves the token from or to one of the contracts. The token reports approvals too, which move nothing. */
export function isTransfer(transfers: TokenTransfers): (event: Pick<ChainEvent, 'contractId' | 'topicsXdr'>) => boolean {
  const isRequested = isRequestedTransfer(transfers)
  const names = new Set([TRANSFER, ...ONE_PARTY])
  return (event) => isRequested(event) && names.has(event.topicsXdr[0] ?? '')
}

function encodeAddress(address: string): string {
  return encodeScVal({ type: 'address', value: address })
}
