// A checked page becomes history: archive, projections and cursor in one transaction.

import type { ChainEvent } from '../chain/responses.ts'
import { applyEvents } from '../projections/apply.ts'
import type { ArchivedEvent } from '../projections/archived-event.ts'
import type { Epoch } from '../projections/epochs.ts'
import { appendEvents } from '../projections/events.ts'
import type { IndexCursor, LedgerCloseTime } from '../projections/index-state.ts'
import { updateIndexCursor } from '../projections/index-state.ts'
import { assignLearnedEventSeqs } from '../projections/learned-events.ts'
import type { Writer } from '../store/store.ts'
import { decodeEvent } from './decode.ts'
import { archivedUntil, contractNames, publicEventId } from './epochs.ts'
import type { CheckedPage } from './events-page.ts'

/** The page's events as they are archived: of this epoch's contracts, not archived by an earlier epoch, decoded, numbered on from `afterSeq`. */
export function toArchivedEvents(events: readonly ChainEvent[], epoch: Epoch, epochs: readonly Epoch[], afterSeq: number): readonly ArchivedEvent[] {
  const names = contractNames(epoch)
  const until = archivedUntil(epochs, epoch)
  const archived: ArchivedEvent[] = []
  for (const event of events) {
    const contract = names.get(event.contractId)
    // A node that ignores the filter sends other contracts' events too.
    if (contract === undefined || event.id <= (until.get(event.contractId) ?? '')) continue
    const decoded = decodeEvent(contract, event.topicsXdr, event.valueXdr)
    archived.push({
      ...decoded,
      seq: afterSeq + archived.length + 1,
      eventId: publicEventId(epoch, event.id),
      contractId: event.contractId,
      contract,
      ledger: event.ledger,
      ledgerCloseTs: event.closeSec,
      txHash: event.txHash,
      topicsXdr: event.topicsXdr,
      valueXdr: event.valueXdr,
    })
  }
  return archived
}

/** Where the index stands after this page. */
export function cursorAfter(from: IndexCursor, page: CheckedPage, archived: readonly ArchivedEvent[]): IndexCursor {
  const through = page.through ?? (from.lastLedger === null ? null : { ledger: from.lastLedger, closeSec: from.lastLedgerCloseTs })
  const seen = page.latest !== null && page.latest.ledger >= (from.seen?.ledger ?? 0) ? page.latest : from.seen
  return {
    epoch: from.epoch,
    cursor: page.cursor,
    startLedger: from.startLedger,
    lastLedger: through?.ledger ?? null,
    lastLedgerCloseTs: through === null ? null : through.closeSec ?? estimateClose(through.ledger, from, page),
    lastSeq: archived.at(-1)?.seq ?? from.lastSeq,
    reservedSeq: from.reservedSeq,
    oldestLedger: page.oldestLedger,
    seen,
    unknownEvents: from.unknownEvents + archived.filter((event) => event.problem !== null).length,
  }
}

/** One page, one transaction: either all of it is there afterwards, or nothing. Throws IndexMoved when another writer was faster. */
export async function writePage(
  db: Writer,
  move: { readonly from: IndexCursor; readonly to: IndexCursor; readonly epoch: Epoch; readonly archived: readonly ArchivedEvent[] },
  nowMs: number,
): Promise<void> {
  const { from, to, epoch, archived } = move
  await db.transaction(async (tx) => {
    await updateIndexCursor(tx, from, to, nowMs)
    await appendEvents(tx, epoch.number, archived, nowMs)
    await applyEvents(tx, epoch, archived)
    await assignLearnedEventSeqs(tx, archived.map(({ seq }) => seq))
  })
}

/**
 * When an empty ledger closed, between the nearest ledgers whose times are known. Only a catch-up over empty ledgers needs it: at the tip and on ledgers
 * with events the time is told.
 */
function estimateClose(ledger: number, from: IndexCursor, page: CheckedPage): number | null {
  const { latest } = page
  if (latest === null) return null
  const last = page.events.at(-1)
  const before = last === undefined ? indexedMoment(from) ?? page.oldest : last
  if (before === null || before.ledger >= latest.ledger || ledger <= before.ledger) return latest.closeSec
  const share = (ledger - before.ledger) / (latest.ledger - before.ledger)
  return Math.floor(before.closeSec + share * (latest.closeSec - before.closeSec))
}

function indexedMoment(from: IndexCursor): LedgerCloseTime | null {
  if (from.lastLedger === null || from.lastLedgerCloseTs === null) return null
  return { ledger: from.lastLedger, closeSec: from.lastLedgerCloseTs }
}
