// The index cursor: one row that detects concurrent writers and is the head of every read.

import type { NotedGap } from '../../resources/gap-range.ts'
import type { CorrectionKind } from '../../resources/correction.ts'
import { columns, expression } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { ARCHIVED_BY_TOPIC } from '../log/event-counts.ts'
import { GAP_RANGES } from '../repair/gaps.ts'
import { NEWER_FORMS } from './newer-forms.ts'
import type { ReportedForm } from './newer-forms.ts'
import { PROJECTIONS_VERSION } from './tables.ts'

/**
 * NOTIFY channel for every commit of the indexer. The payload is the new head's seq, and for a small page its rows (log-notification.ts). Notifications may be
 * lost, so listeners must also read the log.
 */
export const INDEX_CHANNEL = 'index_moved'

/** The last comparison with the ledger. Amounts are digits, 7-decimal USDC. */
interface ComparedState {
  readonly ledger: number
  readonly comparedAt: number
  readonly positions: number
  readonly positionsMissing: number
  readonly orders: number | null
  readonly ordersMissing: number | null
  readonly vaults: number | null
  readonly vaultsMissing: number | null
  /** Number open in the index less the number open in the market; null: unknown. */
  readonly openPositionsDrift: number | null
  readonly openOrdersDrift: number | null
  readonly factoryBalance: string | null
  readonly vaultsTotal: string | null
}

/** Archived events that a rebuild has replayed, and all of them. */
interface RebuildState {
  readonly done: number
  readonly total: number
}

/** The state of the index, for health and metrics. */
export interface IndexState {
  /** The last completely indexed ledger, with or without events. Null between the start of an epoch and its first page. */
  readonly lastLedger: number | null
  /** Its close time, unix seconds; estimated while catching up over empty ledgers. */
  readonly lastLedgerCloseTs: number | null
  /** Time of the index's last advance, milliseconds. */
  readonly lastUpdatedAt: number
  readonly seq: number
  readonly epoch: string
  /** Number of gaps, including filled ones. */
  readonly gaps: number
  /** The newest gaps. */
  readonly gapRanges: readonly NotedGap[]
  /** Ledgers that the RPC can drop before one is lost, as of the last page; null when it has dropped none or its range is unknown. */
  readonly ledgersUntilLost: number | null
  /** The protocol of the network after the newest header that was read; null: none was read. */
  readonly protocol: number | null
  /** Forms that later protocols added and this gateway does not know, in the order of the ledgers in which they were met. */
  readonly newerForms: readonly ReportedForm[]
  /** Number of archived events that could not be decoded. */
  readonly unknownEvents: number
  /** Transactions whose effects were not read yet, counted up to a limit. */
  readonly unreadTransactions: number
  /** Number of archived events by topic; `unknown`: could not be decoded. */
  readonly archived: Readonly<Record<string, number>>
  /** Number of times that a position or the open interest differed from the ledger. */
  readonly corrections: Readonly<Record<Extract<CorrectionKind, 'ended' | 'changed' | 'opened' | 'interest'>, number>>
  /** True when the last comparison found the market contract; null before the first comparison. */
  readonly marketFound: boolean | null
  /** The last comparison with the ledger; null before the first. */
  readonly compared: ComparedState | null
  /** Number of times that a vault differed from the sum of its events. */
  readonly vaultCorrections: number
  /** The rebuild of the projections that is under way; null: none. */
  readonly rebuild: RebuildState | null
}

/** A node whose oldest ledger is one of these first ones has dropped nothing. */
const FIRST_LEDGERS = 2

/** Unread transactions are counted up to this number: after an outage there can be many. */
const UNREAD_COUNTED_MAX = 10_000

const STATE = columns(idx.cursor, 'c', {
  lastLedger: 'last_ledger', lastLedgerCloseTs: 'last_ledger_close_ts', lastUpdatedAt: expression<number>(sql`c.updated_at`), seq: 'last_seq',
  epoch: expression<string>(sql`e.epoch`), gaps: expression<number>(sql`(select count(*) from ${idx.gaps})`),
  gapRanges: expression<readonly NotedGap[]>(GAP_RANGES),
  ledgersUntilLost: expression<number | null>(
    sql`case when c.oldest_ledger > ${FIRST_LEDGERS} then greatest(0, c.last_ledger + 1 - c.oldest_ledger) end`,
  ),
  protocol: expression<number | null>(sql`(select a.protocol from ${idx.anchors} a where a.chain = e.chain order by a.ledger desc limit 1)`),
  newerForms: expression<readonly ReportedForm[]>(NEWER_FORMS), unknownEvents: 'unknown_events',
  unreadTransactions: expression<number>(
    sql`(select count(*) from (select unnest(seqs) from ${idx.unread_transactions} limit ${UNREAD_COUNTED_MAX}) u)`,
  ),
  archived: expression<IndexState['archived']>(ARCHIVED_BY_TOPIC),
  corrections: expression<IndexState['corrections']>(
    sql`(select jsonb_build_object('ended', count(*) filter (where k.kind = 'ended'), 'changed', count(*) filter (where k.kind = 'changed'),
       'opened', count(*) filter (where k.kind = 'opened'),
       'interest', coalesce((select r.interest_corrections from ${idx.reconciliation} r), 0))
     from ${idx.corrections} k where k.kind in ('ended', 'changed', 'opened'))`,
  ),
  compared: expression<ComparedState | null>(
    sql`(select jsonb_build_object('ledger', r.ledger, 'comparedAt', r.compared_at, 'positions', r.positions_expected, 'positionsMissing', r.positions_missing,
       'orders', r.orders_expected, 'ordersMissing', r.orders_missing, 'vaults', r.vaults_expected, 'vaultsMissing', r.vaults_missing,
       'openPositionsDrift', r.open_positions_drift, 'openOrdersDrift', r.open_orders_drift,
       'factoryBalance', r.factory_balance::text, 'vaultsTotal', r.vaults_total::text) from ${idx.reconciliation} r where r.ledger is not null)`,
  ),
  marketFound: expression<boolean | null>(sql`(select r.market_found from ${idx.reconciliation} r)`),
  vaultCorrections: expression<number>(sql`(select coalesce(sum(o.corrections), 0)::bigint from ${idx.vault_observations} o)`),
  rebuild: expression<RebuildState | null>(
    sql`(select jsonb_build_object('done', t.progress->'done', 'total', t.progress->'total') from ${idx.tasks} t
     where t.kind = 'rebuild' and t.state in ('requested', 'running'))`,
  ),
})

/** Reads the state of the index in one statement; null while nothing has been indexed. */
export async function readIndexState(db: Queryable): Promise<IndexState | null> {
  const [state] = await db.query(sql`select ${STATE} from ${idx.cursor} c join ${idx.epochs} e on e.number = c.epoch where c.updated_at is not null`)
  return state ?? null
}

/** True if the index stopped, because without a form that this gateway does not know the next ledgers cannot be verified. */
export function isStoppedByProtocol({ newerForms }: Pick<IndexState, 'newerForms'>): boolean {
  return newerForms.some(({ isStop }) => isStop)
}

/** A ledger and its close time, unix seconds. */
export interface LedgerCloseTime {
  readonly ledger: number
  readonly closeSec: number
}

/** The cursor row as the indexer uses it. */
export interface IndexCursor {
  /** Number of the current epoch. */
  readonly epoch: number
  /** Exclusive; null before the epoch's first page. */
  readonly cursor: string | null
  /** The next ledger to read while the epoch has no cursor. */
  readonly startLedger: number
  readonly lastLedger: number | null
  readonly lastLedgerCloseTs: number | null
  readonly lastSeq: number
  /** Seqs up to this one are in use or reserved. */
  readonly reservedSeq: number
  /** The RPC's oldest ledger; null: unknown. */
  readonly oldestLedger: number | null
  readonly unknownEvents: number
}

/** The next event gets the seq after this one: seqs of gaps stay reserved. */
export function lastReservedSeq({ lastSeq, reservedSeq }: Pick<IndexCursor, 'lastSeq' | 'reservedSeq'>): number {
  return Math.max(lastSeq, reservedSeq)
}

/** The end of a cursor that ends a ledger or a transaction. Other cursors are ids of events. */
const END_OF_TRANSACTION = '-4294967295'

/** True when more events of the last transaction may follow. The log ends before it; its seqs are reserved. */
export function isInsideTransaction({ cursor }: Pick<IndexCursor, 'cursor'>): boolean {
  return cursor !== null && !cursor.endsWith(END_OF_TRANSACTION)
}

/** The end of the log once nothing more of the last transaction follows. */
export function completeSeq(cursor: IndexCursor): number {
  return isInsideTransaction(cursor) ? lastReservedSeq(cursor) : cursor.lastSeq
}

/** SQL: the last seq whose transaction is complete; `c` is the cursor row. */
export const COMPLETE_SEQ = sql`case when c.cursor not like '%${END_OF_TRANSACTION}' then c.last_seq else ${Number.MAX_SAFE_INTEGER} end`

const CURSOR = columns(idx.cursor, 'c', {
  epoch: expression<number>(sql`c.epoch`), cursor: 'cursor', startLedger: expression<number>(sql`c.start_ledger`), lastLedger: 'last_ledger',
  lastLedgerCloseTs: 'last_ledger_close_ts', lastSeq: 'last_seq', reservedSeq: 'reserved_seq', oldestLedger: 'oldest_ledger',
  unknownEvents: 'unknown_events',
})

/** Reads the cursor row; null before the first epoch. */
export async function readIndexCursor(db: Queryable): Promise<IndexCursor | null> {
  const [row] = await db.query(sql`select ${CURSOR} from ${idx.cursor} c where c.epoch is not null`)
  return row ?? null
}

/** Another writer changed the cursor since this writer read it; the transaction must be rolled back. */
export class IndexConflict extends Error {
  override readonly name = 'IndexMoved'
}

/**
 * Updates the cursor row from one state to the next; throws IndexConflict when it is no longer in the first state. Must be the first statement of every
 * transaction that writes the log: it locks the row, so that two writers cannot both continue. Without a time, the index itself has not advanced.
 */
export async function updateIndexCursor(tx: Queryable, from: IndexCursor | null, to: IndexCursor, nowMs: number | null): Promise<void> {
  await moveIndexCursor(tx, from, to, nowMs)
  await notifyIndexChanged(tx, to.lastSeq)
}

/** The same without the notification, which the caller sends. */
export async function moveIndexCursor(tx: Queryable, from: IndexCursor | null, to: IndexCursor, nowMs: number | null): Promise<void> {
  const updated = await tx.query(
    sql`${sql.update(idx.cursor)} set epoch = $4, cursor = $5, start_ledger = $6, last_ledger = $7, last_ledger_close_ts = $8, last_seq = $9,
       unknown_events = $10, updated_at = coalesce($11::bigint, updated_at), reserved_seq = greatest(reserved_seq, $13::bigint), oldest_ledger = $14,
       projections_version = case when $1::int is null then $15::int else projections_version end
     where epoch is not distinct from $1::int and cursor is not distinct from $2::text and last_seq = $3::bigint
       and start_ledger is not distinct from $12::bigint
     returning id`,
    [
      from?.epoch ?? null, from?.cursor ?? null, from?.lastSeq ?? 0,
      to.epoch, to.cursor, to.startLedger, to.lastLedger, to.lastLedgerCloseTs, to.lastSeq, to.unknownEvents,
      nowMs, from?.startLedger ?? null, to.reservedSeq, to.oldestLedger, PROJECTIONS_VERSION,
    ],
  )
  if (updated.length !== 1) throw new IndexConflict('another writer advanced the index')
}

/** Notifies every instance at the commit. */
export async function notifyIndexChanged(tx: Queryable, lastSeq: number): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [INDEX_CHANNEL, String(lastSeq)])
}

/** Recounts the events of unknown topic or shape, after the archive was changed. */
export async function recountUnknownEvents(tx: Writable): Promise<void> {
  await tx.run(sql`${sql.update(idx.cursor)} set unknown_events = (select count(*) from ${idx.events} where problem is not null)`)
}

const HEAD = columns(idx.cursor, 'c', {
  ledger: 'last_ledger', seq: 'last_seq', epoch: expression<string | null>(sql`(select n.epoch from ${idx.epochs} n where n.number = c.epoch)`),
})
const VERSION = columns(idx.cursor, 'c', { version: 'projections_version' })

/** The head of the index. */
export async function readHead(db: Queryable): Promise<{ readonly ledger: number | null; readonly seq: number; readonly epoch: string | null }> {
  const [row] = await db.query(sql`select ${HEAD} from ${idx.cursor} c`)
  return row ?? { ledger: null, seq: 0, epoch: null }
}

/** The version of the code that built the projections; null: unknown. Undefined while nothing is indexed. */
export async function readProjectionsVersion(db: Queryable): Promise<number | null | undefined> {
  const [row] = await db.query(sql`select ${VERSION} from ${idx.cursor} c where c.epoch is not null`)
  return row?.version
}

export async function writeProjectionsVersion(tx: Writable, version: number): Promise<void> {
  await tx.run(sql`${sql.update(idx.cursor)} set projections_version = $1`, [version])
}
