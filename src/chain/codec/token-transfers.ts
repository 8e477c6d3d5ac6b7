// The movements of a token that concern some contracts: the topics that request them from a node, and how they differ from the token's other events.

import type { ChainEvent } from '../rpc/responses.ts'
import { encodeScVal } from './scval.ts'

/** The movements of a token from and to these contracts; `any`: all movements, for more contracts than filters can name. */
export interface TokenTransfers {
  readonly token: string
  readonly parties: readonly string[] | 'any'
}

type EventTopics = Pick<ChainEvent, 'contractId' | 'topicsXdr'>

/** One filter takes this many patterns. */
export const PATTERNS_PER_FILTER = 5

const symbol = (value: string): string => encodeScVal({ type: 'symbol', value })
const TRANSFER = symbol('transfer')
const ONE_PARTY = [symbol('mint'), symbol('burn'), symbol('clawback')]
const MOVEMENTS: ReadonlySet<string> = new Set([TRANSFER, ...ONE_PARTY])

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

/** True for events of the token that a node may return. Its other events are ignored, approvals for example, which match the patterns and move nothing. */
export function isRequestedOf(transfers: TokenTransfers): (event: EventTopics) => boolean {
  const isMovement = isTransferOf(transfers)
  return (event) => event.contractId === transfers.token && (isMovement(event) || !MOVEMENTS.has(event.topicsXdr[0] ?? ''))
}

/** True for an event that moves the token from or to one of the contracts. */
export function isTransferOf({ token, parties }: TokenTransfers): (event: EventTopics) => boolean {
  const encoded = parties === 'any' ? null : new Set(parties.map(encodeAddress))
  return ({ contractId, topicsXdr: [name = '', second = '', third = ''] }) => contractId === token && MOVEMENTS.has(name) &&
    (encoded === null || encoded.has(second) || (name === TRANSFER && encoded.has(third)))
}

function encodeAddress(address: string): string {
  return encodeScVal({ type: 'address', value: address })
}
