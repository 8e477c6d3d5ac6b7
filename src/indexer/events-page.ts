// One page of events: asked for, checked against everything that is known of how pages must look, and cut to whole ledgers.

import type { ChainEvent, EventsPage } from '../chain/responses.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { IndexCursor, LedgerCloseTime } from '../projections/index-state.ts'
import { endOfLedger, isEndOfLedger, isEventId, ledgerOf } from './toid.ts'

/** Where a page begins: right behind the cursor, or at a ledger while there is none. */
export type EventsPosition = Pick<IndexCursor, 'cursor' | 'startLedger'>

/** A page that may be indexed. */
export interface CheckedPage {
  readonly events: readonly ChainEvent[]
  /** Where the next page begins. */
  readonly cursor: string
  /** The last ledger that was read whole; null when the page ends inside the first ledger that it touches. */
  readonly through: { readonly ledger: number; readonly closeSec: number | null } | null
  /** What the node told about its range. */
  readonly latest: LedgerCloseTime | null
  readonly latestLedger: number
  readonly oldest: LedgerCloseTime | null
  readonly oldestLedger: number
}

/** Raised for a page that contradicts itself or the question. Nothing of it is indexed; the next poll asks again. */
export class BadPage extends Error {
  override readonly name = 'BadPage'
}

/** Asks for the page behind the cursor and checks it. Throws RpcFailure or BadPage. */
export async function readEventsPage(
  rpc: Rpc,
  from: EventsPosition,
  options: CallOptions & { readonly contractIds: readonly string[]; readonly limit: number },
): Promise<CheckedPage> {
  const { contractIds, limit, ...call } = options
  const start = from.cursor === null ? { startLedger: from.startLedger } : { cursor: from.cursor }
  const answer = await rpc.getEvents({ from: start, contractIds, limit }, call)
  checkPage(answer, from, limit)
  return cutToLedgers(answer)
}

/**
 * Refuses a page unless its ids rise strictly, from behind the cursor, within the node's range and the limit, each id in its own ledger, close times in
 * step with ledgers, and the new cursor behind all of them: a node or proxy that repeats, shuffles or ignores the cursor cannot reach the archive.
 */
export function checkPage(page: EventsPage, from: EventsPosition, limit: number): void {
  check(page.events.length <= limit, 'page is longer than asked for')
  check(isEventId(page.cursor), 'cursor is not one')
  check(page.oldestLedger <= page.latestLedger, 'range of ledgers is upside down')
  check(ledgerOf(page.cursor) <= page.latestLedger, 'cursor is ahead of the latest ledger')
  let previousId = from.cursor ?? endOfLedger(from.startLedger - 1)
  let previous: LedgerCloseTime | undefined
  for (const event of page.events) {
    check(isEventId(event.id), 'event id is not one')
    check(event.id > previousId, 'event ids do not rise from behind the cursor')
    check(event.ledger === ledgerOf(event.id), 'event id is of another ledger')
    check(event.ledger <= page.latestLedger, 'event is ahead of the latest ledger')
    if (previous !== undefined) {
      const sameLedger = event.ledger === previous.ledger
      check(sameLedger ? event.closeSec === previous.closeSec : event.closeSec >= previous.closeSec, 'close times are out of step with ledgers')
    }
    previousId = event.id
    previous = event
  }
  check(page.cursor >= previousId, 'cursor goes back')
}

function check(condition: boolean, problem: string): void {
  if (!condition) throw new BadPage(problem)
}

/**
 * Keeps whole ledgers where it can: a page that was cut inside a ledger gives up that ledger's events, which the next page brings again, so that a head of
 * ledger N means that all of N is indexed. Only a ledger longer than a page is taken in pieces.
 */
export function cutToLedgers(page: EventsPage): CheckedPage {
  const { events } = page
  const range = {
    latest: closeTime(page.latestLedger, page.latestLedgerCloseSec),
    latestLedger: page.latestLedger,
    oldest: closeTime(page.oldestLedger, page.oldestLedgerCloseSec),
    oldestLedger: page.oldestLedger,
  }
  if (isEndOfLedger(page.cursor)) return { events, cursor: page.cursor, through: lastWholeLedger(page), ...range }
  const cutLedger = events.at(-1)?.ledger
  const whole = events.filter((event) => event.ledger !== cutLedger)
  const last = whole.at(-1)
  if (last === undefined) return { events, cursor: events.at(-1)?.id ?? page.cursor, through: null, ...range }
  return { events: whole, cursor: endOfLedger(last.ledger), through: last, ...range }
}

/** The ledger at whose end the page's cursor stands. Its close time is known when it has events or is the latest. */
function lastWholeLedger(page: EventsPage): { readonly ledger: number; readonly closeSec: number | null } {
  const ledger = ledgerOf(page.cursor)
  const last = page.events.at(-1)
  if (last?.ledger === ledger) return { ledger, closeSec: last.closeSec }
  if (ledger === page.latestLedger) return { ledger, closeSec: page.latestLedgerCloseSec }
  return { ledger, closeSec: null }
}

function closeTime(ledger: number, closeSec: number | null): LedgerCloseTime | null {
  return closeSec === null ? null : { ledger, closeSec }
}
