// Corrections of projections that differ from the ledger. Each is stored with a seq, so that a rebuild applies it between the same events.

import type { CorrectedValues, Correction as CorrectionRow, CorrectionKind } from '../../resources/correction.ts'
import { columns, expression, expressions } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { appendCorrections } from './correction-log.ts'
import type { IndexCursor } from '../state/index-state.ts'
import { changeOpenInterest } from '../markets/interest-versions.ts'
import { listLog } from '../log/log-list.ts'
import { epochOfSeq, olderDeployment } from '../state/older-deployment.ts'
import type { Page } from '../log/page.ts'
import { insertPositionVersions, stepPosition } from '../positions/position-versions.ts'
import type { MarginMode, Position } from '../positions/positions.ts'
import { loadPositions, storePositions } from '../positions/positions.ts'
import type { LedgerPosition } from './reconciliation.ts'

/** The kinds of corrections that a rebuild applies again. */
type PositionCorrectionKind = Extract<CorrectionKind, 'ended' | 'changed' | 'opened'>

/** One position that differs from the ledger. */
export interface Correction {
  readonly kind: PositionCorrectionKind
  readonly positionId: number
  /** The position in the ledger; null when the ledger no longer has it. */
  readonly ledgerPosition: LedgerPosition | null
}

/** A correction with its position in the log. */
export interface CorrectionWithSeq extends Correction {
  readonly seq: number
  readonly contractEpoch: number
}

/** The comparison that found a difference. `cursor` is the present one: corrections are added at the end of the log. */
export interface ComparisonContext {
  readonly contractEpoch: number
  readonly cursor: IndexCursor
  readonly ledger: number
  readonly nowMs: number
}

/** Stores corrections of positions at the end of the log, and applies them. `known` is what the index has. Throws IndexConflict. */
export async function recordCorrections(
  tx: Writable, corrections: readonly Correction[], known: ReadonlyMap<number, Position>, context: ComparisonContext,
): Promise<void> {
  const { contractEpoch, ledger } = context
  const firstSeq = await appendCorrections(tx, corrections.map((correction) => {
    const { positionId, ledgerPosition } = correction
    const position = known.get(positionId)
    const { trader, asset } = ledgerPosition ?? position ?? { trader: null, asset: null }
    const before = toValues(position?.state === 'open' ? position : null)
    return { ...correction, contractEpoch, ledger, trader, asset, before, after: toValues(ledgerPosition) }
  }), context)
  await applyCorrections(tx, corrections.map((correction, index) => ({ ...correction, contractEpoch, seq: firstSeq + index })))
}

/** Open interest by asset. */
export type Interest = ReadonlyMap<string, { readonly long: bigint; readonly short: bigint }>

/** Stores which sums of the open interest were corrected. Throws IndexConflict. */
export async function recordInterestCorrections(tx: Writable, before: Interest, after: Interest, context: ComparisonContext): Promise<void> {
  const none = { long: 0n, short: 0n }
  const changed = [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((asset) => {
    const [old, now] = [before.get(asset) ?? none, after.get(asset) ?? none]
    return old.long === now.long && old.short === now.short ? [] : [{ asset, old, now }]
  })
  const valuesOf = ({ long, short }: typeof none): CorrectedValues => ({ openInterestLong: String(long), openInterestShort: String(short) })
  const { contractEpoch, ledger } = context
  const corrections = changed.map(({ asset, old, now }) => (
    { kind: 'interest' as const, contractEpoch, ledger, asset, before: valuesOf(old), after: valuesOf(now) }))
  await appendCorrections(tx, corrections, context)
}

function toValues(position: LedgerPosition | null): CorrectedValues | null {
  if (position === null) return null
  const { trader, asset, direction, size, entryPrice, openedAt, marginMode } = position
  return { trader, asset, direction, size: String(size), entryPrice: String(entryPrice), openedAt, marginMode }
}

/** Applies corrections in the order given, which must be ascending by seq. */
export async function applyCorrections(tx: Writable, corrections: readonly CorrectionWithSeq[]): Promise<void> {
  for (const correction of corrections) {
    const { contractEpoch, positionId } = correction
    const [known] = await loadPositions(tx, contractEpoch, { ids: [positionId], openOf: [] })
    const next = correctPosition(known, correction)
    if (next === undefined) continue
    const { position, ended, interest } = stepPosition(known, next, next.state, correction.seq)
    await storePositions(tx, contractEpoch, [position])
    await insertPositionVersions(tx, contractEpoch, ended === null ? [] : [ended])
    await changeOpenInterest(tx, contractEpoch, interest)
  }
}

/** The corrected position; undefined when nothing changes, because later events already led to the same state. */
function correctPosition(
  known: Position | undefined, { seq, kind, positionId, ledgerPosition }: CorrectionWithSeq,
): Omit<Position, 'sinceSeq'> | undefined {
  if (kind === 'ended' || ledgerPosition === null) return known?.state === 'open' ? { ...known, state: 'ended' } : undefined
  const { trader, asset, direction, size, entryPrice, openedAt, marginMode } = ledgerPosition
  const opening = known ?? { openedSeq: seq, openedAt, openedTxHash: null, marginMode }
  return { ...opening, positionId, trader, asset, direction, size, entryPrice, state: 'open' }
}

const POSITION_CORRECTION = columns(idx.corrections, 'r', {
  seq: 'seq', contractEpoch: 'contract_epoch', kind: expression<PositionCorrectionKind>(sql`r.kind`), positionId: expression<number>(sql`r.position_id`),
  trader: 'trader', asset: 'asset', direction: 'direction', size: 'size', entryPrice: 'entry_price', openedAt: 'opened_at',
  marginMode: expression<MarginMode | null>(sql`r.margin_mode`),
})

/** The corrections of positions with seq in (afterSeq, throughSeq], ascending. */
export async function readCorrections(db: Queryable, afterSeq: number, throughSeq: number): Promise<readonly CorrectionWithSeq[]> {
  const rows = await db.query(
    sql`select ${POSITION_CORRECTION} from ${idx.corrections} r
     where r.seq > $1::bigint and r.seq <= $2::bigint and r.kind in ('ended', 'changed', 'opened') order by r.seq`,
    [afterSeq, throughSeq],
  )
  return rows.map(({ seq, contractEpoch, kind, positionId, trader, asset, direction, size, entryPrice, openedAt, marginMode }) => {
    const isKnown = trader !== null && asset !== null && direction !== null && size !== null && entryPrice !== null && openedAt !== null
    const ledgerPosition = isKnown ? { trader, asset, direction, size: BigInt(size), entryPrice: BigInt(entryPrice), openedAt, marginMode } : null
    return { seq, contractEpoch, kind, positionId, ledgerPosition }
  })
}

/** The SQL of each column; `r` is idx.corrections. */
const COLUMNS: Readonly<Record<Exclude<keyof CorrectionRow, 'seq'>, Sql>> = {
  epoch: sql`(select p.epoch from ${idx.epochs} p where p.number = ${epochOfSeq(sql`r.seq`)})`,
  kind: sql`r.kind`, positionId: sql`r.position_id`, vaultId: sql`r.vault_id`, eventId: sql`r.event_id`,
  trader: sql`r.trader`, asset: sql`r.asset`, ledger: sql`r.ledger`, correctedAt: sql`r.noticed_at`,
  before: sql`r.before`, after: sql`r.after`, deployment: olderDeployment(sql`r.contract_epoch`),
}

/** SQL: the row of a response, as JSON. */
export const CORRECTION_JSON = sql`jsonb_build_object('seq', r.seq, ${
  sql.join(Object.entries(COLUMNS).map(([name, value]) => sql`'${sql.raw(name)}', ${value}`), ', ')})`

type RawCorrectionRow = Omit<CorrectionRow, 'deployment'> & { readonly deployment: string | null }

export interface CorrectionsFilter {
  /** Inclusive, unix seconds. */
  readonly fromSec?: number | undefined
  /** Exclusive, unix seconds. */
  readonly toSec?: number | undefined
  /** The deployment with this name. */
  readonly deployment?: string | undefined
  readonly trader?: string | undefined
  readonly kind?: CorrectionKind | undefined
  /** Upper case. */
  readonly asset?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Lists corrections, newest first. */
export async function listCorrections(db: Queryable, filter: CorrectionsFilter): Promise<Page<CorrectionRow>> {
  const { trader, kind, asset, fromSec, toSec, deployment, limit, cursor } = filter
  const page = await listLog<RawCorrectionRow>(db, {
    kind: 'corrections',
    table: idx.corrections,
    outsideLedgers: true,
    span: (bind) => ({
      low: fromSec === undefined ? undefined : firstSeqAt(bind(fromSec * 1000)),
      high: toSec === undefined ? undefined : sql`${firstSeqAt(bind(toSec * 1000))} - 1`,
    }),
    equals: { trader, kind, asset },
    columns: COLUMNS,
    keepsSeq: true,
    deployment,
    limit,
    cursor,
  })
  return { ...page, rows: page.rows.map(toCorrectionRow) }
}

/** SQL: corrections from this seq on were made at or after a time, in milliseconds; those before it earlier. Found by halving: both rise together. */
function firstSeqAt(timeMs: Sql): Sql {
  return sql`(with recursive search (low, high) as (
      select 0::bigint, coalesce((select r.seq + 1 from ${idx.corrections} r order by r.seq desc limit 1), 0)
      union all
      select case when n.noticed_at < ${timeMs}::bigint then n.seq + 1 else b.low end,
        case when n.noticed_at < ${timeMs}::bigint then b.high else (b.low + b.high) / 2 end
      from search b left join lateral (
        select r.seq, r.noticed_at from ${idx.corrections} r where r.seq >= (b.low + b.high) / 2 and r.seq < b.high order by r.seq limit 1) n on true
      where b.low < b.high
    ) select b.low from search b where b.low >= b.high)`
}

/** The corrections in (afterSeq, throughSeq], in log order, at most `limit`. */
export async function readCorrectionRows(
  db: Queryable, range: { readonly afterSeq: number; readonly throughSeq: number; readonly limit: number },
): Promise<readonly CorrectionRow[]> {
  const rows = await db.query(
    sql`select ${expressions({ row: expression<RawCorrectionRow>(CORRECTION_JSON) })} from ${idx.corrections} r
     where r.seq > $1::bigint and r.seq <= $2::bigint order by r.seq limit $3::int`,
    [range.afterSeq, range.throughSeq, range.limit],
  )
  return rows.map(({ row }) => toCorrectionRow(row))
}

/** The row of a response. */
export function toCorrectionRow({ deployment, ...row }: RawCorrectionRow): CorrectionRow {
  return deployment === null ? row : { ...row, deployment }
}
