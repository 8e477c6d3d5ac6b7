// All positions ever opened, and the list of open ones.

import { OPEN_POSITIONS_MAX_ROWS, OPEN_POSITIONS_OF_TRADER_MAX_ROWS } from '../../limits.ts'
import type { OpenPosition } from '../../resources/open-position.ts'
import { columns, expression } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Sql, Statement } from '../../store/sql.ts'
import type { Param, Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { AsOf } from '../state/as-of.ts'
import { stateSource } from '../state/as-of.ts'
import { seqFromCursor, readPage, toSearchText, withoutSeq } from '../log/log-list.ts'
import type { Page } from '../log/page.ts'
import { encodeCursor } from '../log/page.ts'

export type MarginMode = 'isolated' | 'cross'
/** `ended`: no longer on the ledger, for a reason that no event reported. */
export type PositionState = 'open' | 'closed' | 'liquidated' | 'cross_liquidated' | 'ended'

const KIND = 'positions-open'

export interface OpenPositionsFilter extends AsOf {
  readonly trader?: string | undefined
  readonly cursor?: string | undefined
}

/** Open positions of the current deployment, newest first, up to the caps of the specification ("GET /v1/positions/open"). */
export async function listOpenPositions(db: Queryable, filter: OpenPositionsFilter): Promise<Page<OpenPosition>> {
  const limit = filter.trader === undefined ? OPEN_POSITIONS_MAX_ROWS : OPEN_POSITIONS_OF_TRADER_MAX_ROWS
  const params: Param[] = []
  const bind = (value: Param): Sql => sql`$${params.push(value)}`
  const state = stateSource(filter, bind)
  const source: OpenSource = {
    trader: filter.trader === undefined ? undefined : sql`${bind(toSearchText(filter.trader))}::text`,
    before: filter.cursor === undefined ? undefined : sql`${bind(seqFromCursor(KIND, filter.cursor))}::bigint`,
    limit: limit + 1,
  }
  return await readPage<OpenPosition, OpenPosition>(
    db,
    {
      state,
      page: state.throughSeq === undefined ? presentPage(source, []) : pastPage(source, state.throughSeq),
      params,
      limit,
      cursorOf: (raw) => encodeCursor(KIND, [raw.seq]),
    },
    withoutSeq,
  )
}

/** SQL of the values that a page of open positions is selected by. */
interface OpenSource {
  readonly trader: Sql | undefined
  /** The page begins before this opening. */
  readonly before: Sql | undefined
  readonly limit: number
}

/** The table of past versions has the same columns. */
const OPEN_COLUMNS = columns(idx.positions, 'p', {
  seq: 'opened_seq', positionId: 'position_id', trader: 'trader', asset: 'asset', direction: 'direction', size: 'size', entryPrice: 'entry_price',
  openedAt: 'opened_at', openedTxHash: 'opened_tx_hash',
})
const CURRENT_DEPLOYMENT = sql`p.contract_epoch = (select e.contract_epoch from ${idx.epochs} e where e.number = c.epoch)`

function presentPage({ trader, before, limit }: OpenSource, further: readonly Sql[]): Statement<OpenPosition> {
  const conditions = [CURRENT_DEPLOYMENT, 'p.state = \'open\'', ...further]
  if (trader !== undefined) conditions.push(sql`p.trader = ${trader}`)
  if (before !== undefined) conditions.push(sql`p.opened_seq < ${before}`)
  return sql`select ${OPEN_COLUMNS} from ${idx.positions} p where ${sql.join(conditions, ' and ')} order by p.opened_seq desc limit ${limit}`
}

/**
 * Positions that have not changed since then, and past versions of the others. The versions are boxes (0004_positions.sql): those of one trader at a seq are at
 * one point; those of all traders are on a line, and their distance from its upper end is how much earlier they were opened.
 */
function pastPage(source: OpenSource, seq: Sql): Sql {
  const { trader, before, limit } = source
  const unchanged = presentPage(source, [sql`p.opened_seq <= ${seq}`, sql`p.since_seq <= ${seq}`])
  const high = before === undefined ? seq : sql`least(${seq}, ${before} - 1)`
  const conditions = [CURRENT_DEPLOYMENT, sql`p.from_seq <= ${seq}`, sql`p.to_seq > ${seq}`]
  if (trader === undefined) {
    conditions.push(sql`box(point(p.from_seq, p.opened_seq), point(p.to_seq - 1, p.opened_seq)) && box(point(${seq}, 0), point(${seq}, ${high}))`)
  } else {
    const at = sql`point(${seq}, hashtext(${trader}))`
    conditions.push(sql`box(point(p.from_seq, hashtext(p.trader)), point(p.to_seq - 1, hashtext(p.trader))) && box(${at}, ${at})`, sql`p.trader = ${trader}`)
    if (before !== undefined) conditions.push(sql`p.opened_seq < ${before}`)
  }
  const order = trader === undefined
    ? sql`box(point(p.from_seq, p.opened_seq), point(p.to_seq - 1, p.opened_seq)) <-> point(${seq}, ${high})`
    : 'p.opened_seq desc'
  const past = sql`select ${OPEN_COLUMNS} from ${idx.position_versions} p where ${sql.join(conditions, ' and ')} order by ${order} limit ${limit}`
  return sql`select * from ((${unchanged}) union all (${past})) p order by p.seq desc limit ${limit}`
}

const ID = columns(idx.positions, 'p', { id: 'position_id' })

/** The ids of open positions of an asset in the current deployment, newest first. */
export async function listOpenIds(db: Queryable, asset: string, limit: number): Promise<readonly number[]> {
  const rows = await db.query(
    sql`select ${ID} from ${idx.cursor} c join ${idx.epochs} e on e.number = c.epoch
     join ${idx.positions} p on p.contract_epoch = e.contract_epoch and p.asset = $1 and p.state = 'open' order by p.opened_seq desc limit $2`,
    [toSearchText(asset), limit],
  )
  return rows.map(({ id }) => id)
}

/** A position as the indexer processes it. */
export interface Position {
  readonly positionId: number
  readonly trader: string
  readonly asset: string
  readonly direction: number
  readonly size: bigint
  readonly entryPrice: bigint
  readonly openedSeq: number
  readonly openedAt: number
  /** Null: no event reported the opening. */
  readonly openedTxHash: string | null
  /** Null: unknown. */
  readonly marginMode: MarginMode | null
  readonly state: PositionState
  /** Seq from which on it has this state and these figures. */
  readonly sinceSeq: number
}

const COLUMNS = columns(idx.positions, 'p', {
  positionId: 'position_id', trader: 'trader', asset: 'asset', direction: 'direction', size: 'size', entryPrice: 'entry_price',
  openedSeq: 'opened_seq', openedAt: 'opened_at', openedTxHash: 'opened_tx_hash', marginMode: expression<MarginMode | null>(sql`p.margin_mode`),
  state: expression<PositionState>(sql`p.state`), sinceSeq: 'since_seq',
})

/** The positions with these ids, and all open positions of these traders. */
export async function loadPositions(
  db: Queryable,
  contractEpoch: number,
  wanted: { readonly ids: readonly number[]; readonly openOf: readonly string[] },
): Promise<readonly Position[]> {
  const rows = wanted.ids.length === 0 ? [] : await db.query(
    sql`select ${COLUMNS} from ${idx.positions} p where p.contract_epoch = $1 and p.position_id = any($2::bigint[])`,
    [contractEpoch, wanted.ids],
  )
  const open = wanted.openOf.length === 0 ? [] : await db.query(
    sql`select ${COLUMNS} from ${idx.positions} p where p.contract_epoch = $1 and p.trader = any($2::text[]) and p.state = 'open'`,
    [contractEpoch, wanted.openOf],
  )
  return [...rows, ...open].map((row) => ({ ...row, size: BigInt(row.size), entryPrice: BigInt(row.entryPrice) }))
}

/** Inserts or updates positions. `added`: none of them is stored yet, which saves looking for each. */
export async function storePositions(tx: Writable, contractEpoch: number, positions: readonly Position[], { added = false } = {}): Promise<void> {
  await insertRows(
    tx, idx.positions, positions,
    {
      contract_epoch: { all: contractEpoch }, position_id: 'positionId', trader: 'trader', asset: 'asset', direction: 'direction', size: 'size',
      entry_price: 'entryPrice', opened_seq: 'openedSeq', opened_at: 'openedAt', opened_tx_hash: 'openedTxHash', margin_mode: 'marginMode', state: 'state',
      since_seq: 'sinceSeq',
    },
    added ? undefined : REPLACE,
  )
}

const REPLACE = sql`on conflict (contract_epoch, position_id) do update set trader = excluded.trader, asset = excluded.asset, direction = excluded.direction,
    size = excluded.size, entry_price = excluded.entry_price, opened_seq = excluded.opened_seq, opened_at = excluded.opened_at,
    opened_tx_hash = excluded.opened_tx_hash, margin_mode = excluded.margin_mode, state = excluded.state, since_seq = excluded.since_seq`
