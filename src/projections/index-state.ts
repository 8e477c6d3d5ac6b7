// Where the indexer stands: the one row that decides who wrote last, and the head of every read.

import type { NotedGap } from '../resources/gap-range.ts'
import type { Queryable } from '../store/store.ts'
import type { CorrectionKind } from './corrections.ts'
import { ARCHIVED_BY_TOPIC } from './event-counts.ts'
import { GAP_RANGES } from './gaps.ts'

/** NOTIFY channel that rings after every commit of the indexer. The payload is the new head's seq; it may be missed, the log may not. */
export const INDEX_CHANNEL = 'index_moved'

/** The last comparison with the ledger, as it is shown. Amounts are digits, 7-decimal USDC. */
export interface ComparedState {
  readonly ledger: number
  readonly comparedAt: number
  readonly positions: number
  readonly positionsMissing: number
  readonly orders: number | null
  readonly ordersMissing: number | null
  readonly vaults: number | null
  readonly vaultsMissing: number | null
  readonly factoryBalance: string | null
  readonly vaultsTotal: string | null
}

/** What was not as the ledger has it. */
export type CorrectedKind = CorrectionKind | 'interest'

/** The state of the index as it is shown. */
export interface IndexState {
  /** The last ledger that was scanned whole, with or without events. Null in the moment between the start of an epoch and its first page. */
  readonly lastLedger: number | null
  /** When that ledger closed, unix seconds; estimated while a catch-up passes empty ledgers. */
  readonly lastLedgerCloseTs: number | null
  /** When the index moved last, milliseconds. */
  readonly lastUpdatedAt: number
  readonly seq: number
  readonly epoch: string
  /** How many stretches of ledgers were lost, filled ones included. */
  readonly gaps: number
  /** The newest of them. */
  readonly gapRanges: readonly NotedGap[]
  /** How many ledgers the RPC may still drop before one is lost, as of the last move; null while it has dropped none, or that is not known. */
  readonly ledgersUntilLost: number | null
  /** Archived events that could not be decoded. */
  readonly unknownEvents: number
  /** How many events the archive has, by topic; `unknown` could not be decoded. */
  readonly archived: Readonly<Record<string, number>>
  /** How often a position or the open interest was not what the ledger says. */
  readonly corrections: Readonly<Record<CorrectedKind, number>>
  /** Whether the market was on the ledger when it was looked for last; null before the first look. */
  readonly marketFound: boolean | null
  /** The last comparison with the ledger; null before the first. */
  readonly compared: ComparedState | null
  /** How often a vault was not what its events added up to. */
  readonly vaultCorrections: number
}

/** A network's first ledgers: a node that has these has dropped nothing. */
const FIRST_LEDGERS = 2

/** The state of the index in one snapshot; null while nothing has been indexed. */
export async function readIndexState(db: Queryable): Promise<IndexState | null> {
  const rows = await db.query<IndexState>(
    `select c.last_ledger as "lastLedger", c.last_ledger_close_ts as "lastLedgerCloseTs", c.updated_at as "lastUpdatedAt", c.last_seq as seq, e.epoch,
       (select count(*) from idx.gaps) as gaps, ${GAP_RANGES} as "gapRanges",
       case when c.oldest_ledger > ${FIRST_LEDGERS} then greatest(0, c.last_ledger + 1 - c.oldest_ledger) end as "ledgersUntilLost",
       c.unknown_events as "unknownEvents",
       ${ARCHIVED_BY_TOPIC} as archived,
       (select jsonb_build_object('ended', count(*) filter (where k.kind = 'ended'), 'changed', count(*) filter (where k.kind = 'changed'),
          'opened', count(*) filter (where k.kind = 'opened'),
          'interest', coalesce((select r.interest_corrections from idx.reconciliation r), 0)) from idx.corrections k) as corrections,
       (select jsonb_build_object('ledger', r.ledger, 'comparedAt', r.compared_at, 'positions', r.positions_expected, 'positionsMissing', r.positions_missing,
          'orders', r.orders_expected, 'ordersMissing', r.orders_missing, 'vaults', r.vaults_expected, 'vaultsMissing', r.vaults_missing,
          'factoryBalance', r.factory_balance::text, 'vaultsTotal', r.vaults_total::text) from idx.reconciliation r where r.ledger is not null) as compared,
       (select r.market_found from idx.reconciliation r) as "marketFound",
       (select coalesce(sum(o.corrections), 0)::bigint from idx.vault_observations o) as "vaultCorrections"
     from idx.cursor c join idx.epochs e on e.number = c.epoch
     where c.updated_at is not null`,
  )
  return rows[0] ?? null
}

/** A ledger and when it closed, unix seconds. */
export interface LedgerCloseTime {
  readonly ledger: number
  readonly closeSec: number
}

/** The indexer's own view of its row. */
export interface IndexCursor {
  /** Number of the current epoch. */
  readonly epoch: number
  /** Exclusive; null before the epoch's first page. */
  readonly cursor: string | null
  /** Where the epoch goes on while it has no cursor. */
  readonly startLedger: number
  readonly lastLedger: number | null
  readonly lastLedgerCloseTs: number | null
  readonly lastSeq: number
  /** Places up to here are taken or set aside. */
  readonly reservedSeq: number
  /** The oldest ledger that the RPC has. Null: not known. */
  readonly oldestLedger: number | null
  readonly seen: LedgerCloseTime | null
  readonly unknownEvents: number
}

interface RawCursor extends Omit<IndexCursor, 'seen'> {
  readonly seenLedger: number | null
  readonly seenLedgerCloseTs: number | null
}

/** The place behind which the next event stands: the places of gaps are theirs. */
export function lastReservedSeq({ lastSeq, reservedSeq }: Pick<IndexCursor, 'lastSeq' | 'reservedSeq'>): number {
  return Math.max(lastSeq, reservedSeq)
}

/** The row, or null before the first epoch. */
export async function readIndexCursor(db: Queryable): Promise<IndexCursor | null> {
  const rows = await db.query<RawCursor>(
    `select epoch, cursor, start_ledger as "startLedger", last_ledger as "lastLedger", last_ledger_close_ts as "lastLedgerCloseTs",
       last_seq as "lastSeq", reserved_seq as "reservedSeq", oldest_ledger as "oldestLedger",
       seen_ledger as "seenLedger", seen_ledger_close_ts as "seenLedgerCloseTs", unknown_events as "unknownEvents"
     from idx.cursor where epoch is not null`,
  )
  const row = rows[0]
  if (row === undefined) return null
  const { seenLedger, seenLedgerCloseTs, ...rest } = row
  const seen = seenLedger === null || seenLedgerCloseTs === null ? null : { ledger: seenLedger, closeSec: seenLedgerCloseTs }
  return { ...rest, seen }
}

/** A ledger by its hash. */
export interface LedgerHash {
  readonly ledger: number
  readonly hash: string
}

/** The ledger by which this incarnation of the network is known; null while there is none. */
export async function readAnchor(db: Queryable, chain: number): Promise<LedgerHash | null> {
  const [row] = await db.query<LedgerHash>(
    'select anchor_ledger as ledger, anchor_hash as hash from idx.cursor where anchor_chain = $1 and anchor_hash is not null',
    [chain],
  )
  return row ?? null
}

export async function writeAnchor(db: Queryable, chain: number, { ledger, hash }: LedgerHash): Promise<void> {
  await db.query('update idx.cursor set anchor_chain = $1, anchor_ledger = $2, anchor_hash = $3', [chain, ledger, hash])
}

/** Raised when someone else has moved the index since this writer looked: nothing of its transaction may stay. */
export class IndexConflict extends Error {
  override readonly name = 'IndexMoved'
}

/**
 * Moves the row from one state to the next, or throws IndexMoved when it is no longer in the first. The first statement of every transaction that
 * writes chain history: it also holds the row, so that two writers cannot both get past it.
 */
export async function updateIndexCursor(tx: Queryable, from: IndexCursor | null, to: IndexCursor, nowMs: number): Promise<void> {
  const moved = await tx.query(
    `update idx.cursor set epoch = $4, cursor = $5, start_ledger = $6, last_ledger = $7, last_ledger_close_ts = $8, last_seq = $9, seen_ledger = $10,
       seen_ledger_close_ts = $11, unknown_events = $12, updated_at = $13,
       reserved_seq = greatest(reserved_seq, $15::bigint), oldest_ledger = $16
     where epoch is not distinct from $1::int and cursor is not distinct from $2::text and last_seq = $3::bigint
       and start_ledger is not distinct from $14::bigint
     returning id`,
    [
      from?.epoch ?? null, from?.cursor ?? null, from?.lastSeq ?? 0,
      to.epoch, to.cursor, to.startLedger, to.lastLedger, to.lastLedgerCloseTs, to.lastSeq, to.seen?.ledger ?? null, to.seen?.closeSec ?? null,
      to.unknownEvents, nowMs, from?.startLedger ?? null, to.reservedSeq, to.oldestLedger,
    ],
  )
  if (moved.length !== 1) throw new IndexConflict('the index was moved by another writer')
  await tx.query('select pg_notify($1, $2)', [INDEX_CHANNEL, String(to.lastSeq)])
}

/** Sets the number of undecoded events after a decoder has learned more. */
export async function recountUnknownEvents(tx: Queryable): Promise<void> {
  await tx.query('update idx.cursor set unknown_events = (select count(*) from idx.events where problem is not null)')
}
