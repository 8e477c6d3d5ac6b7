// Begins the log of pages. An archive that is older than its log becomes one large page for each epoch, interrupted by the gaps, and cut where it has more
// events than a page of a node can have.

import type { CurrentDeployment } from '../../exchange/deployment.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import { readIndexCursor, updateIndexCursor } from '../../projections/state/index-state.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import { readUnreadGaps } from '../../projections/repair/gaps.ts'
import { endOfLedger, ledgerAfter, ledgerOf } from '../../projections/log/toid.ts'
import { readLedgerHash } from '../../projections/proofs/log-corrections.ts'
import { computeEventsRoot, endOfPart } from '../../projections/proofs/logged-events.ts'
import { appendRecords, EMPTY_LOG, readPageLogHead } from '../../projections/proofs/page-log.ts'
import type { NewRecord } from '../../projections/proofs/page-log.ts'
import type { Queryable, Writer } from '../../store/store.ts'
import { filterHashOf } from '../identity/event-filter.ts'
import { cursorBefore, epochRecord, gapRecord, pageRecord } from './log-records.ts'
import type { LoggedEpoch } from './log-records.ts'

/** Events of one record. A repair of one of them hashes all of them again. */
const EVENTS_MAX = 10_000

/** Writes the first records of the log, unless it has begun, or nothing is indexed. Throws IndexConflict. */
export async function beginPageLog(db: Writer, deployment: CurrentDeployment, eventsMax = EVENTS_MAX): Promise<void> {
  if (await readPageLogHead(db) !== null) return
  const cursor = await readIndexCursor(db)
  if (cursor === null) return
  const epochs = await listEpochs(db)
  const records: NewRecord[] = []
  // A chain that returned continues an earlier epoch: its events come last.
  const ordered = [...epochs.filter(({ number }) => number !== cursor.epoch), ...epochs.filter(({ number }) => number === cursor.epoch)]
  for (const epoch of ordered) {
    const isCurrent = epoch.number === cursor.epoch
    const filter = filterHashOf(epoch, isCurrent ? deployment.current.contracts : {})
    const end = isCurrent ? cursor : { cursor: epoch.finalCursor, startLedger: epoch.startLedger }
    records.push(...await recordsOf(db, { epoch, filter }, end, eventsMax))
  }
  await db.transaction(async (tx) => {
    await updateIndexCursor(tx, cursor, cursor, null)
    await appendRecords(tx, EMPTY_LOG, records)
  })
}

async function recordsOf(
  db: Queryable, logged: LoggedEpoch & { readonly epoch: Epoch }, end: Pick<IndexCursor, 'cursor' | 'startLedger'>, eventsMax: number,
): Promise<readonly NewRecord[]> {
  const { epoch } = logged
  const gaps = await readUnreadGaps(db, epoch.number)
  const fromLedger = Math.min(epoch.startLedger, ...gaps.map((gap) => gap.fromLedger))
  const records = [epochRecord(logged, fromLedger)]
  let afterId = cursorBefore(fromLedger)
  const addPages = async (through: string): Promise<void> => {
    while (afterId < through) {
      const untilId = await endOfPart(db, { epochNumber: epoch.number, afterId, untilId: through }, eventsMax)
      const root = await computeEventsRoot(db, { epochNumber: epoch.number, afterId, untilId })
      const hash = await readLedgerHash(db, epoch.number, ledgerOf(untilId))
      records.push(pageRecord(logged, { from: { cursor: afterId, startLedger: 0 }, untilId }, { events: root.events, root: root.root() }, hash))
      afterId = untilId
    }
  }
  for (const gap of gaps) {
    const readUntil = gap.fillCursor !== null && gap.fillCursor > cursorBefore(gap.fromLedger) ? gap.fillCursor : cursorBefore(gap.fromLedger)
    await addPages(readUntil)
    records.push(gapRecord(logged, ledgerAfter(readUntil), gap.toLedger))
    afterId = endOfLedger(gap.toLedger)
  }
  if (end.cursor !== null) await addPages(end.cursor)
  else if (end.startLedger - 1 > ledgerOf(afterId)) await addPages(cursorBefore(end.startLedger))
  return records
}
