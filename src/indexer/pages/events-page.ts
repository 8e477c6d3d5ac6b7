// Requests one page of events, validates it, and cuts it to whole ledgers.

import { areOrdered } from '../../chain/rpc/close-times.ts'
import type { ChainEvent, EventsPage } from '../../chain/rpc/responses.ts'
import type { NodeFault } from '../../chain/rpc/node-fault.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { EventsRequest, Rpc } from '../../chain/rpc/rpc.ts'
import { isRequestedOf } from '../../chain/codec/token-transfers.ts'
import type { IndexCursor, LedgerCloseTime } from '../../projections/state/index-state.ts'
import { endOfLedger, endOfTransaction, isEndOfLedger, isEventId, ledgerAfter, ledgerOf, transactionOf } from '../../projections/log/toid.ts'

/** Between two ledgers of any network. */
const MIN_INTERVAL_MS = 1

/** The start of a page: after the cursor, or at a ledger when there is no cursor. */
export type EventsPosition = Pick<IndexCursor, 'cursor' | 'startLedger'>

/** The same position for a node that has dropped the ledger of the cursor, which was read completely: it rejects a cursor there. */
export function afterLedger({ cursor, startLedger }: EventsPosition): EventsPosition {
  return cursor !== null && isEndOfLedger(cursor) ? { cursor: null, startLedger: ledgerAfter(cursor) } : { cursor, startLedger }
}

/** A valid page. */
export interface CheckedPage {
  readonly events: readonly ChainEvent[]
  /** Position at which the next page begins. */
  readonly cursor: string
  /** The last completely read ledger; null when the page ends inside its first ledger. */
  readonly through: { readonly ledger: number; readonly closeSec: number | null } | null
  /** The node's ledger range. */
  readonly latest: LedgerCloseTime | null
  readonly latestLedger: number
  readonly oldest: LedgerCloseTime | null
  readonly oldestLedger: number
}

/** A response that contradicts itself, the request or the indexed chain. It is discarded; the next poll requests it again. */
export class BadPage extends Error {
  override readonly name = 'BadPage'
  readonly fault: NodeFault

  constructor(fault: NodeFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/** Requests the page after the cursor and validates it. Throws RpcFailure or BadPage. */
export async function readEventsPage(
  rpc: Rpc,
  from: EventsPosition,
  options: CallOptions & Omit<EventsRequest, 'from'>,
): Promise<CheckedPage> {
  const { contractIds, upgradesOf = [], transfers = [], limit, ...call } = options
  const requested = { contractIds, upgradesOf, transfers, limit }
  const start = from.cursor === null ? { startLedger: from.startLedger } : { cursor: from.cursor }
  const page = await rpc.getEvents({ from: start, ...requested }, call)
  checkPage(page, from, requested)
  return cutToLedgers(page)
}

/**
 * Throws BadPage unless ids ascend strictly from the cursor, stay within the node's range and the limit, and match their ledgers, close times rise with
 * ledgers, contracts and transfers are those requested, and the new cursor is not before the last event. Nodes and proxies that repeat or reorder events, or
 * ignore the cursor or the filter, must not corrupt the archive.
 */
export function checkPage(page: EventsPage, from: EventsPosition, requested: Omit<EventsRequest, 'from'>): void {
  check('bad_events', page.events.length <= requested.limit, 'the page has more events than requested')
  check('bad_cursor', isEventId(page.cursor), 'the cursor is malformed')
  check('inverted_range', page.oldestLedger <= page.latestLedger, 'the oldest ledger is after the latest ledger')
  check('bad_cursor', ledgerOf(page.cursor) <= page.latestLedger, 'the cursor is after the latest ledger')
  const start = from.cursor ?? endOfLedger(from.startLedger - 1)
  checkEvents(page, start)
  check('bad_cursor', page.cursor >= (page.events.at(-1)?.id ?? start), 'the cursor is before the last event')
  // Events without a contract are tolerated: some nodes send system events whatever the filter.
  const { contractIds, upgradesOf = [], transfers = [] } = requested
  const mayBeReturned = transfers.map(isRequestedOf)
  const isRequested = (event: ChainEvent): boolean => event.contractId === '' || contractIds.includes(event.contractId) ||
    (event.isSystem === true ? upgradesOf.includes(event.contractId) : mayBeReturned.some((isOne) => isOne(event)))
  check('foreign_events', page.events.every(isRequested), 'the page has events that were not requested')
}

/**
 * Throws BadPage for an event whose XDR is damaged; `damage` says how, null: it is not. As history it would be damaged for good, because an archived event is
 * never read again.
 */
export function checkUndamaged({ id, ledger }: ChainEvent, damage: string | null): void {
  check('bad_events', damage === null, `the XDR of event ${id} of ledger ${ledger} is damaged: ${damage}`)
}

function checkEvents({ events, oldestLedger, latestLedger }: EventsPage, start: string): void {
  let previousId = start
  let previous: LedgerCloseTime | undefined
  for (const event of events) {
    check('bad_events', isEventId(event.id), 'an event id is malformed')
    check('bad_events', event.id > previousId, 'event ids do not ascend from the cursor')
    check('bad_events', event.ledger === ledgerOf(event.id), 'an event id is from another ledger')
    check('bad_events', event.ledger >= oldestLedger && event.ledger <= latestLedger, 'an event is outside the node\'s ledger range')
    if (previous !== undefined) {
      check('bad_events', areOrdered(previous, event, MIN_INTERVAL_MS), 'close times do not rise with ledgers')
    }
    previousId = event.id
    previous = event
  }
}

function check(fault: NodeFault, condition: boolean, problem: string): void {
  if (!condition) throw new BadPage(fault, problem)
}

/**
 * Drops the last ledger of a page that ends inside it; the next page returns it again. A head at ledger N then means that all of N is indexed. Only a ledger
 * with more events than a page is read in several pages, each of whole transactions: a later event of a transaction may complete what an earlier one says.
 * Only a transaction with more events than a page is read in several pages, and its cursor is the id of an event.
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
  if (last === undefined) return { ...cutToTransactions(page), through: null, ...range }
  return { events: whole, cursor: endOfLedger(last.ledger), through: last, ...range }
}

function cutToTransactions({ events, cursor }: EventsPage): Pick<CheckedPage, 'events' | 'cursor'> {
  const end = events.at(-1)
  if (end === undefined) return { events, cursor }
  const cutTransaction = transactionOf(end.id)
  const whole = events.filter(({ id }) => transactionOf(id) !== cutTransaction)
  const last = whole.at(-1)
  return last === undefined ? { events, cursor: end.id } : { events: whole, cursor: endOfTransaction(last.id) }
}

/** The ledger that the page's cursor ends. Its close time is known when it has events or is the latest. */
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
