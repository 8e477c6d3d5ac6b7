// The events of the exchange, read from a node: those of its contracts, and the transfers of its token that concern them.

import { concat, toBase64 } from '../bytes.ts'
import { UnexpectedAnswer } from '../errors.ts'
import { decodeStrKey } from '../strkey.ts'
import { asciiBytes } from './record.ts'
import type { NodeEvent } from './record.ts'

/** Calls a method of the node. */
export type CallNode = <Result>(method: string, params: unknown) => Promise<Result>

const EVENT_CONTRACTS = ['market', 'vault', 'vaultFactory', 'referral'] as const
const EVENTS_PER_PAGE = 1_000

/** A symbol as a value of a contract, base64 of XDR. */
function symbol(text: string): string {
  return toBase64(concat(Uint8Array.of(0, 0, 0, 15, 0, 0, 0, text.length), asciiBytes(text), new Uint8Array((4 - (text.length % 4)) % 4)))
}

/** The address of a contract as a value, base64 of XDR. */
function addressValue(address: string): string {
  return toBase64(concat(Uint8Array.of(0, 0, 0, 18, 0, 0, 0, 1), decodeStrKey('contract', address)))
}

const TRANSFER = symbol('transfer')
const MOVEMENTS: ReadonlySet<string | undefined> = new Set([TRANSFER, ...['mint', 'burn', 'clawback'].map(symbol)])

type ServedEvent = NodeEvent & { readonly type: string; readonly ledger: number }

/** Returns a function that reads the events of ledgers, both inclusive, in the order of their ids. */
export function createEventsReader(call: CallNode, contracts: Readonly<Record<string, string>>): (from: number, to: number) => Promise<readonly ServedEvent[]> {
  const contractIds = EVENT_CONTRACTS.map((name) => contracts[name] ?? '')
  const token = contracts['usdcToken'] ?? ''
  const parties = [...contractIds, contracts['router'] ?? ''].map(addressValue)
  const filters = [
    // No topics: any. A node leaves out the topics of all filters when one has none.
    { type: 'contract', contractIds, topics: [] },
    { type: 'contract', contractIds: [token], topics: parties.map((party) => ['*', party, '**']) },
    { type: 'contract', contractIds: [token], topics: parties.map((party) => [TRANSFER, '*', party, '*']) },
  ]

  function isLogged({ type, contractId, topic: [name, second = '', third = ''] = [] }: ServedEvent): boolean {
    if (type !== 'contract') return false
    if (contractIds.includes(contractId)) return true
    return contractId === token && MOVEMENTS.has(name) && (parties.includes(second) || (name === TRANSFER && parties.includes(third)))
  }

  return async (from, to) => {
    const events: ServedEvent[] = []
    for (let cursor = ''; ;) {
      const range = cursor === '' ? { startLedger: from, pagination: { limit: EVENTS_PER_PAGE } } : { pagination: { cursor, limit: EVENTS_PER_PAGE } }
      const page = await call<{ readonly events: readonly ServedEvent[]; readonly cursor: string }>('getEvents', { filters, ...range })
      events.push(...page.events.filter((event) => event.ledger <= to && isLogged(event)))
      const last = page.events.at(-1)
      if ((last?.ledger ?? 0) > to || (page.events.length < EVENTS_PER_PAGE && Number(BigInt(page.cursor.split('-')[0] ?? '') >> 32n) >= to)) return events
      if (page.cursor === cursor) throw new UnexpectedAnswer('getEvents of the node: it returns the same page again.')
      cursor = page.cursor
    }
  }
}
