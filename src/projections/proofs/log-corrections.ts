// Corrections of the log: what the index says of some ledgers after a gap was filled or the archive repaired. The bytes of the events are those of the archive
// as it is now, so a correction covers whole records.

import { columns } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { decodeRecord, RECORD_KINDS, ZERO_HASH } from '../../base/proofs/record.ts'
import type { LogRecord } from '../../base/proofs/record.ts'
import type { EventsRoot } from '../../base/proofs/events.ts'
import type { Hash } from '../../base/proofs/tree.ts'
import { assert, defined } from '../../base/assert.ts'
import { endOfLedger, isEndOfLedger, ledgerOf } from '../log/toid.ts'
import { readAnchorAt } from '../state/anchors.ts'
import { computeEventsRoot } from './logged-events.ts'
import { appendRecords, readPageLogHead } from './page-log.ts'

export const PAGE = RECORD_KINDS.indexOf('page')
export const CORRECTION = RECORD_KINDS.indexOf('correction')
const EPOCH = RECORD_KINDS.indexOf('epoch')
const GAP = RECORD_KINDS.indexOf('gap')

/**
 * SQL: true for a record `r` that no newer correction replaces. A page that ends inside a ledger has events of that ledger only, so its last ledger decides
 * for every record.
 */
const IS_VALID = sql`not exists (select from ${idx.log_records} c where c.kind = ${CORRECTION} and c.epoch_number = r.epoch_number
  and c.leaf > r.leaf and r.to_ledger between c.from_ledger and c.to_ledger)`

const STORED = columns(idx.log_records, 'r', {
  leaf: 'leaf', record: 'record', epochNumber: 'epoch_number', kind: 'kind', fromLedger: 'from_ledger', toLedger: 'to_ledger', events: 'events',
  afterId: 'after_id', untilId: 'until_id', baseLeaf: 'base_leaf',
})

/** A record as it is stored. */
export type StoredRecord = RowOf<typeof STORED>

/** The fields of a stored record. */
function fieldsOf({ record }: Pick<StoredRecord, 'record'>): LogRecord {
  return defined(decodeRecord(record), 'a record of the log')
}

/** A range of ledgers of one epoch. */
interface LedgerRange {
  readonly epochNumber: number
  readonly fromLedger: number
  readonly toLedger: number
}

/** The valid records about some ledgers of an epoch, in the order of the log. */
export async function readValidRecords(db: Queryable, { epochNumber, fromLedger, toLedger }: LedgerRange): Promise<readonly StoredRecord[]> {
  return await db.query(
    sql`select ${STORED} from ${idx.log_records} r
     where r.epoch_number = $1 and r.kind <> ${EPOCH} and r.to_ledger >= $2::bigint and r.from_ledger <= $3::bigint and ${IS_VALID}
     order by r.leaf`,
    [epochNumber, fromLedger, toLedger],
  )
}

/** The record at a place of the log; undefined when it has fewer. */
export async function readRecord(db: Queryable, leaf: number): Promise<StoredRecord | undefined> {
  const [record] = await db.query(sql`select ${STORED} from ${idx.log_records} r where r.leaf = $1::bigint`, [leaf])
  return record
}

const BASE = columns(idx.log_records, 'r', { leaf: 'leaf', record: 'record' })

/**
 * Appends a correction: the archive's events of these ledgers, up to `untilId` when the last of them is not complete. `toLedgerHash`: null when it is not
 * known. Does nothing before the log begins: its first records will say it.
 */
async function appendCorrection(
  tx: Writable, { epochNumber, fromLedger, toLedger }: LedgerRange,
  { untilId, toLedgerHash, root }: { readonly untilId: string; readonly toLedgerHash: Hash | null; readonly root: EventsRoot },
): Promise<void> {
  const head = await readPageLogHead(tx)
  const [base] = await tx.query(
    sql`select ${BASE} from ${idx.log_records} r where r.epoch_number = $1 and r.kind in (${PAGE}, ${GAP})
       and r.to_ledger >= $2::bigint and r.from_ledger <= $3::bigint order by r.leaf limit 1`,
    [epochNumber, fromLedger, toLedger],
  )
  if (head === null || base === undefined) return
  const { filterHash, seqFirst } = fieldsOf(base)
  const replaced = await readValidRecords(tx, { epochNumber, fromLedger, toLedger })
  const endsInside = !isEndOfLedger(untilId)
  await appendRecords(tx, head, [{
    kind: 'correction', epochNumber, epoch: await readEpochName(tx, epochNumber), fromLedger, toLedger, endsInside, filterHash,
    toLedgerHash: toLedgerHash ?? await readLedgerHash(tx, epochNumber, toLedger), events: root.events, eventsRoot: root.root(),
    replaces: replaced.filter((record) => record.toLedger <= toLedger).reduce((sum, record) => sum + record.events, 0),
    seqFirst: seqFirst + await readShift(tx, base.leaf, fromLedger), baseLeaf: base.leaf, untilId: endsInside ? untilId : null,
  }])
}

/** The number of places by which corrections before a position in the order of ledgers have moved it. */
async function readShift(db: Queryable, baseLeaf: number, fromLedger: number): Promise<number> {
  const rows = await db.query(
    sql`select ${BASE} from ${idx.log_records} r where r.kind = ${CORRECTION} and r.leaf > $1::bigint
       and (r.base_leaf < $1::bigint or r.base_leaf = $1::bigint and r.from_ledger < $2::bigint)`,
    [baseLeaf, fromLedger],
  )
  return rows.map(fieldsOf).reduce((sum, { events, replaces }) => sum + events - replaces, 0)
}

const NAME = columns(idx.epochs, 'e', { name: 'epoch', chain: 'chain' })

async function readEpochName(db: Queryable, epochNumber: number): Promise<string> {
  const [epoch] = await db.query(sql`select ${NAME} from ${idx.epochs} e where e.number = $1`, [epochNumber])
  return defined(epoch, 'the epoch of a record').name
}

/** The verified hash of a ledger of an epoch; zeros when none is known. */
export async function readLedgerHash(db: Queryable, epochNumber: number, ledger: number): Promise<Hash> {
  const [epoch] = await db.query(sql`select ${NAME} from ${idx.epochs} e where e.number = $1`, [epochNumber])
  const anchor = epoch === undefined ? null : await readAnchorAt(db, epoch.chain, ledger)
  return anchor?.ledger === ledger ? Buffer.from(anchor.hash, 'hex') : ZERO_HASH
}

const EPOCH_NUMBER = columns(idx.epochs, 'e', { number: 'number' })

/** Appends corrections for the records of a chain about ledgers whose archived events were repaired. The epoch's new name must be stored before. */
export async function correctRepairedLedgers(tx: Writable, chain: number, ledgers: readonly number[]): Promise<void> {
  const epochs = await tx.query(sql`select ${EPOCH_NUMBER} from ${idx.epochs} e where e.chain = $1 order by e.number`, [chain])
  for (const { number: epochNumber } of epochs) {
    let throughLedger = 0
    for (const ledger of [...ledgers].sort((a, b) => a - b)) {
      if (ledger <= throughLedger) continue
      const range = await wholeRecords(tx, { epochNumber, fromLedger: ledger, toLedger: ledger })
      if (range === undefined) continue
      throughLedger = range.toLedger
      await correctIfChanged(tx, range)
    }
  }
}

/**
 * Widens a range until no valid record about it begins before or ends after it. Gaps are not widened: a correction may say something of a part of one.
 * Undefined when the log says nothing of these ledgers.
 */
async function wholeRecords(db: Queryable, range: LedgerRange): Promise<LedgerRange & { readonly untilId: string } | undefined> {
  let { fromLedger, toLedger } = range
  for (;;) {
    const records = await readValidRecords(db, { ...range, fromLedger, toLedger })
    if (records.length === 0) return undefined
    const whole = records.filter(({ kind }) => kind !== GAP)
    const from = Math.min(fromLedger, ...whole.map((record) => record.fromLedger))
    const to = Math.max(toLedger, ...whole.map((record) => record.toLedger))
    if (from === fromLedger && to === toLedger) {
      const last = whole.findLast((record) => record.toLedger === to)
      return { ...range, fromLedger, toLedger, untilId: last?.untilId ?? endOfLedger(to) }
    }
    fromLedger = from
    toLedger = to
  }
}

async function correctIfChanged(tx: Writable, { untilId, ...range }: LedgerRange & { readonly untilId: string }): Promise<void> {
  const records = await readValidRecords(tx, range)
  const [only] = records
  const isOne = records.length === 1 && only !== undefined
  const stated = isOne ? fieldsOf(only) : undefined
  const { epochNumber, fromLedger } = range
  const root = await computeEventsRoot(tx, { epochNumber, afterId: endOfLedger(fromLedger - 1), untilId })
  if (stated !== undefined && stated.events === root.events && Buffer.compare(stated.eventsRoot, root.root()) === 0) return
  const hashOf = records.findLast((record) => record.toLedger === range.toLedger && record.kind !== GAP)
  await appendCorrection(tx, range, { untilId, root, toLedgerHash: hashOf === undefined ? null : fieldsOf(hashOf).toLedgerHash })
}

/** Appends corrections for the gaps of these ledgers of a chain that were read since: for each part of a gap of which nothing else is said yet. */
export async function correctReadGaps(
  tx: Writable, { chain, fromLedger, throughLedger }: { readonly chain: number; readonly fromLedger: number; readonly throughLedger: number },
): Promise<void> {
  const gaps = await tx.query(
    sql`select ${STORED} from ${idx.log_records} r join ${idx.epochs} e on e.number = r.epoch_number
     where e.chain = $1 and r.kind = ${GAP} and r.from_ledger >= $2::bigint and r.to_ledger <= $3::bigint order by r.leaf`,
    [chain, fromLedger, throughLedger],
  )
  for (const gap of gaps) {
    for (const { fromLedger: from, toLedger } of await unsaidParts(tx, gap)) {
      await correctFilledLedgers(tx, gap.epochNumber, { fromLedger: from, untilId: endOfLedger(toLedger), toLedgerHash: null })
    }
  }
}

async function unsaidParts(db: Queryable, gap: StoredRecord): Promise<readonly LedgerRange[]> {
  const { epochNumber } = gap
  const corrections = (await readValidRecords(db, gap)).filter(({ kind, leaf }) => kind === CORRECTION && leaf > gap.leaf)
  const parts: LedgerRange[] = []
  let next = gap.fromLedger
  for (const correction of corrections.toSorted((a, b) => a.fromLedger - b.fromLedger)) {
    if (correction.fromLedger > next) parts.push({ epochNumber, fromLedger: next, toLedger: correction.fromLedger - 1 })
    next = Math.max(next, correction.toLedger + (correction.untilId === null ? 1 : 0))
  }
  if (next <= gap.toLedger) parts.push({ epochNumber, fromLedger: next, toLedger: gap.toLedger })
  return parts
}

/** Appends the correction of the ledgers of a gap that one more page was read of. */
export async function correctFilledLedgers(
  tx: Writable, epochNumber: number,
  { fromLedger, untilId, toLedgerHash }: { readonly fromLedger: number; readonly untilId: string; readonly toLedgerHash: Hash | null },
): Promise<void> {
  const toLedger = ledgerOf(untilId)
  assert(toLedger >= fromLedger, 'a page ends after it begins')
  const root = await computeEventsRoot(tx, { epochNumber, afterId: endOfLedger(fromLedger - 1), untilId })
  await appendCorrection(tx, { epochNumber, fromLedger, toLedger }, { untilId, toLedgerHash, root })
}
