import type { EventRecord, History } from '../history.ts'
import { endOfLedgerCursor, parseEventCursor } from './event-cursor.ts'
import type { EventFilter } from './event-filter.ts'
import { contractIdsOf, matchesFilters, parseEventFilters } from './event-filter.ts'
import { EVENTS_PAGE, EVENTS_SCAN_LEDGERS } from './limits.ts'
import type { MethodContext } from './method.ts'
import { isWithinRange } from './pagination.ts'
import type { Params } from './params.ts'
import { optionalObject, optionalString, optionalU32, requireBase64 } from './params.ts'
import { invalidParams, outsideRange } from './rpc-error.ts'

/** Releases for this protocol and later do not report whether the call succeeded. */
const WITHOUT_SUCCESS_SINCE = 30

/** The range to scan: ledgers in [fromLedger, untilLedger), after `afterId` when it is not null. */
interface Scan {
  readonly fromLedger: number
  readonly untilLedger: number
  readonly afterId: string | null
  readonly limit: number
  readonly filters: readonly EventFilter[]
}

/**
 * getEvents (soroban-rpc, "getEvents"). A call scans a bounded range of ledgers. Its cursor is the end of the scan, also for an empty page. A start or cursor
 * outside the retained ledgers is an error.
 */
export function getEvents({ history }: MethodContext, params: Params): unknown {
  const scan = scanRequest(params, history)
  const events = findEvents(history, scan)
  const last = events.length === scan.limit ? events.at(-1) : undefined
  const latest = history.latest()
  const oldest = history.oldest()
  return {
    events: events.map((event) => eventItem(event, latest.protocol)),
    cursor: last?.id ?? endOfLedgerCursor(scan.untilLedger - 1),
    latestLedger: latest.sequence,
    oldestLedger: oldest.sequence,
    latestLedgerCloseTime: String(latest.closeTimeSec),
    oldestLedgerCloseTime: String(oldest.closeTimeSec),
  }
}

function scanRequest(params: Params, history: History): Scan {
  requireBase64(params)
  const startLedger = optionalU32(params, 'startLedger')
  const endLedger = optionalU32(params, 'endLedger')
  const pagination = optionalObject(params, 'pagination') ?? {}
  const cursorText = optionalString(pagination, 'cursor')
  const limit = optionalU32(pagination, 'limit')
  const cursor = cursorText === undefined ? null : parseEventCursor(cursorText)
  if (cursor !== null && (startLedger !== 0 || endLedger !== 0)) throw invalidParams('ledger ranges and cursor cannot both be set')
  if (cursor === null && startLedger === 0) throw invalidParams('startLedger must be positive')
  if (limit > EVENTS_PAGE.max) throw invalidParams(`limit must not exceed ${EVENTS_PAGE.max}`)
  const filters = parseEventFilters(params)

  const fromLedger = cursor === null ? startLedger : cursor.ledger
  const [oldest, latest] = [history.oldest().sequence, history.latest().sequence]
  if (!isWithinRange(fromLedger, history)) throw outsideRange(`startLedger must be within the ledger range: ${oldest} - ${latest}`)
  const windowEnd = Math.min(latest + 1, fromLedger + EVENTS_SCAN_LEDGERS)
  return {
    fromLedger,
    untilLedger: endLedger === 0 ? windowEnd : Math.min(endLedger, windowEnd),
    afterId: cursor?.id ?? null,
    limit: limit === 0 ? EVENTS_PAGE.default : limit,
    filters,
  }
}

function findEvents(history: History, { filters, limit, ...range }: Scan): readonly EventRecord[] {
  const found: EventRecord[] = []
  if (range.untilLedger <= range.fromLedger) return found
  for (const event of history.events({ ...range, contractIds: contractIdsOf(filters) })) {
    if (matchesFilters(filters, event)) found.push(event)
    if (found.length === limit) break
  }
  return found
}

function eventItem(event: EventRecord, protocol: number): unknown {
  return {
    type: event.type,
    ledger: event.ledger,
    ledgerClosedAt: rfc3339(event.closeTimeSec),
    contractId: event.contractId,
    id: event.id,
    operationIndex: event.operationIndex,
    transactionIndex: event.transactionIndex,
    txHash: event.txHash,
    ...(protocol < WITHOUT_SUCCESS_SINCE ? { inSuccessfulContractCall: event.successful } : {}),
    ...(event.topics.length === 0 ? {} : { topic: event.topics }),
    value: event.value,
  }
}

/** Whole seconds, UTC. */
function rfc3339(unixSec: number): string {
  return new Date(unixSec * 1000).toISOString().replace('.000Z', 'Z')
}
