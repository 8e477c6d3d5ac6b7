// The statements that bring vaults into a page's fold and its changes out: bulk ones, a handful per page.

import type { Queryable } from '../store/store.ts'
import type { KnownVaults, VaultChanges, VaultFigures, VaultObservation, VaultOrder, VaultPosition, VaultState } from './vaults-fold.ts'

/** What a page names. */
export interface ReferencedIds {
  readonly vaults: readonly number[]
  readonly positions: readonly number[]
  readonly orders: readonly number[]
  readonly depositors: readonly string[]
}

type AsTexts<Row, Keys extends keyof Row> = Omit<Row, Keys> & Readonly<Record<Keys, string>>
type FigureAmounts = 'totalUsdc' | 'circulatingShares' | 'leaderShares' | 'hwmNav' | 'realizedPnl'

const FIGURES = `total_usdc as "totalUsdc", circulating_shares as "circulatingShares", leader_shares as "leaderShares", hwm_nav as "hwmNav",
  realized_pnl as "realizedPnl", profit_share_bps as "profitShareBps", paused`

/** Reads what is stored of everything that a page names, and of the vaults behind it. */
export async function loadVaults(tx: Queryable, home: number, named: ReferencedIds): Promise<KnownVaults> {
  const positions = named.positions.length === 0 ? [] : await tx.query<VaultPosition & { id: number }>(
    `select position_id as id, vault_id as "vaultId", leader, is_open as "isOpen" from idx.vault_positions
     where home = $1 and position_id = any($2::bigint[])`,
    [home, named.positions],
  )
  const orders = named.orders.length === 0 ? [] : await tx.query<VaultOrder & { id: number }>(
    'select order_id as id, vault_id as "vaultId", leader from idx.vault_orders where home = $1 and order_id = any($2::bigint[])',
    [home, named.orders],
  )
  const ids = [...new Set([...named.vaults, ...positions.map(({ vaultId }) => vaultId), ...orders.map(({ vaultId }) => vaultId)])]
  if (ids.length === 0) return { vaults: new Map(), observations: new Map(), positions: new Map(), orders: new Map(), depositors: new Set() }
  const vaults = await tx.query<AsTexts<VaultState, FigureAmounts | 'closedTradePnl'>>(
    `select vault_id as "vaultId", leader, name, created_seq as "createdSeq", created_at as "createdAt", ${FIGURES}, depositor_count as "depositorCount",
       open_positions as "openPositions", trade_count as "tradeCount", closed_trade_pnl as "closedTradePnl", last_ledger as "lastLedger",
       updated_at as "updatedAt", is_unsettled as "isUnsettled"
     from idx.vaults where home = $1 and vault_id = any($2::bigint[])`,
    [home, ids],
  )
  const depositors = named.depositors.length === 0 ? [] : await tx.query<{ vaultId: number; depositor: string }>(
    'select vault_id as "vaultId", depositor from idx.vault_depositors where home = $1 and vault_id = any($2::bigint[]) and depositor = any($3::text[])',
    [home, ids, named.depositors],
  )
  return {
    vaults: new Map(vaults.map((row) => [row.vaultId, { ...row, ...figuresOf(row), closedTradePnl: BigInt(row.closedTradePnl) }])),
    observations: await loadObservations(tx, home, ids),
    positions: new Map(positions.map(({ id, ...position }) => [id, position])),
    orders: new Map(orders.map(({ id, ...order }) => [id, order])),
    depositors: new Set(depositors.map(({ vaultId, depositor }) => `${vaultId} ${depositor}`)),
  }
}

async function loadObservations(tx: Queryable, home: number, ids: readonly number[]): Promise<ReadonlyMap<number, VaultObservation>> {
  const rows = await tx.query<AsTexts<VaultObservation, FigureAmounts>>(
    `select vault_id as "vaultId", place as "throughSeq", ${FIGURES} from idx.vault_observations where home = $1 and vault_id = any($2::bigint[])`,
    [home, ids],
  )
  return new Map(rows.map((row) => [row.vaultId, { vaultId: row.vaultId, throughSeq: row.throughSeq, ...figuresOf(row) }]))
}

function figuresOf(row: AsTexts<VaultFigures, FigureAmounts>): VaultFigures {
  return {
    totalUsdc: BigInt(row.totalUsdc),
    circulatingShares: BigInt(row.circulatingShares),
    leaderShares: BigInt(row.leaderShares),
    hwmNav: BigInt(row.hwmNav),
    realizedPnl: BigInt(row.realizedPnl),
    profitShareBps: row.profitShareBps,
    paused: row.paused,
  }
}

/** Writes what the fold has changed. */
export async function storeVaults(tx: Queryable, home: number, known: KnownVaults, changes: VaultChanges): Promise<void> {
  await upsertVaults(tx, home, pickRows(known.vaults, changes.vaults).map(([, vault]) => vault))
  await upsertPositions(tx, home, pickRows(known.positions, changes.positions))
  await insertOrders(tx, home, pickRows(known.orders, changes.orders))
  await insertDepositors(tx, home, changes.depositors)
  await insertTrades(tx, home, changes.trades)
  await insertFlows(tx, home, changes.flows)
}

function pickRows<Row>(rows: ReadonlyMap<number, Row>, ids: ReadonlySet<number>): readonly (readonly [id: number, row: Row])[] {
  return [...ids].flatMap((id) => {
    const row = rows.get(id)
    return row === undefined ? [] : [[id, row] as const]
  })
}

async function upsertVaults(tx: Queryable, home: number, vaults: readonly VaultState[]): Promise<void> {
  if (vaults.length === 0) return
  const column = <Key extends keyof VaultState>(key: Key): VaultState[Key][] => vaults.map((vault) => vault[key])
  await tx.query(
    `insert into idx.vaults (home, vault_id, leader, name, created_seq, created_at, total_usdc, circulating_shares, leader_shares, hwm_nav, realized_pnl,
       profit_share_bps, paused, depositor_count, open_positions, trade_count, closed_trade_pnl, last_ledger, updated_at, is_unsettled)
     select $1::int, * from unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::numeric[], $8::numeric[], $9::numeric[],
       $10::numeric[], $11::numeric[], $12::int[], $13::boolean[], $14::bigint[], $15::bigint[], $16::bigint[], $17::numeric[], $18::bigint[],
       $19::bigint[], $20::boolean[])
     on conflict (home, vault_id) do update set total_usdc = excluded.total_usdc, circulating_shares = excluded.circulating_shares,
       leader_shares = excluded.leader_shares, hwm_nav = excluded.hwm_nav, realized_pnl = excluded.realized_pnl,
       profit_share_bps = excluded.profit_share_bps, paused = excluded.paused, depositor_count = excluded.depositor_count,
       open_positions = excluded.open_positions, trade_count = excluded.trade_count, closed_trade_pnl = excluded.closed_trade_pnl,
       last_ledger = excluded.last_ledger, updated_at = excluded.updated_at, is_unsettled = excluded.is_unsettled`,
    [
      home, column('vaultId'), column('leader'), column('name'), column('createdSeq'), column('createdAt'), column('totalUsdc'),
      column('circulatingShares'), column('leaderShares'), column('hwmNav'), column('realizedPnl'), column('profitShareBps'), column('paused'),
      column('depositorCount'), column('openPositions'), column('tradeCount'), column('closedTradePnl'), column('lastLedger'), column('updatedAt'),
      column('isUnsettled'),
    ],
  )
}

async function upsertPositions(tx: Queryable, home: number, positions: readonly (readonly [number, VaultPosition])[]): Promise<void> {
  if (positions.length === 0) return
  await tx.query(
    `insert into idx.vault_positions (home, position_id, vault_id, leader, is_open)
     select $1::int, * from unnest($2::bigint[], $3::bigint[], $4::text[], $5::boolean[])
     on conflict (home, position_id) do update set is_open = excluded.is_open`,
    [
      home,
      positions.map(([id]) => id),
      positions.map(([, { vaultId }]) => vaultId),
      positions.map(([, { leader }]) => leader),
      positions.map(([, { isOpen }]) => isOpen),
    ],
  )
}

async function insertOrders(tx: Queryable, home: number, orders: readonly (readonly [number, VaultOrder])[]): Promise<void> {
  if (orders.length === 0) return
  await tx.query(
    `insert into idx.vault_orders (home, order_id, vault_id, leader) select $1::int, * from unnest($2::bigint[], $3::bigint[], $4::text[])
     on conflict (home, order_id) do nothing`,
    [home, orders.map(([id]) => id), orders.map(([, { vaultId }]) => vaultId), orders.map(([, { leader }]) => leader)],
  )
}

async function insertDepositors(tx: Queryable, home: number, depositors: VaultChanges['depositors']): Promise<void> {
  if (depositors.length === 0) return
  await tx.query(
    'insert into idx.vault_depositors (home, vault_id, depositor) select $1::int, * from unnest($2::bigint[], $3::text[])',
    [home, depositors.map(({ vaultId }) => vaultId), depositors.map(({ depositor }) => depositor)],
  )
}

async function insertTrades(tx: Queryable, home: number, trades: VaultChanges['trades']): Promise<void> {
  if (trades.length === 0) return
  await tx.query(
    `insert into idx.vault_trades (home, seq, vault_id, position_id, action, leader, collateral, ledger, ts, tx_hash, pnl)
     select $1::int, * from unnest($2::bigint[], $3::bigint[], $4::numeric[], $5::text[], $6::text[], $7::numeric[], $8::bigint[], $9::bigint[],
       $10::text[], $11::numeric[])`,
    [
      home,
      trades.map((trade) => trade.seq),
      trades.map((trade) => trade.vaultId),
      trades.map((trade) => trade.positionId),
      trades.map((trade) => trade.action),
      trades.map((trade) => trade.leader),
      trades.map((trade) => trade.collateral),
      trades.map((trade) => trade.ledger),
      trades.map((trade) => trade.ts),
      trades.map((trade) => trade.txHash),
      trades.map((trade) => trade.pnl),
    ],
  )
}

async function insertFlows(tx: Queryable, home: number, flows: VaultChanges['flows']): Promise<void> {
  if (flows.length === 0) return
  await tx.query(
    `insert into idx.vault_flows (home, seq, vault_id, kind, principal, amount, shares, ledger, ts, tx_hash)
     select $1::int, * from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::numeric[], $7::numeric[], $8::bigint[], $9::bigint[], $10::text[])`,
    [
      home,
      flows.map((flow) => flow.seq),
      flows.map((flow) => flow.vaultId),
      flows.map((flow) => flow.kind),
      flows.map((flow) => flow.principal),
      flows.map((flow) => flow.amount),
      flows.map((flow) => flow.shares),
      flows.map((flow) => flow.ledger),
      flows.map((flow) => flow.ts),
      flows.map((flow) => flow.txHash),
    ],
  )
}
