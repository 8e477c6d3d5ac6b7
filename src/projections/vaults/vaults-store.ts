// Loads vaults for a page's fold and stores its changes, in a few bulk statements per page.

import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { columnsOf } from '../columns.ts'
import { insertVaultVersions, loadPastFigures } from './vault-versions.ts'
import type { VaultFigures, VaultState } from './vault-state.ts'
import type { KnownVaults, VaultChanges, VaultObservation, VaultOrder, VaultPosition } from './vaults-fold.ts'

/** The ids that a page names. */
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

/** Loads everything that a page names, including the vaults of its positions and orders. */
export async function loadVaults(tx: Queryable, instance: number, ids: ReferencedIds): Promise<KnownVaults> {
  const positions = ids.positions.length === 0 ? [] : await tx.query<VaultPosition & { id: number }>(
    sql`select position_id as id, vault_id as "vaultId", leader, is_open as "isOpen" from ${idx.vault_positions}
     where home = $1 and position_id = any($2::bigint[])`,
    [instance, ids.positions],
  )
  const orders = ids.orders.length === 0 ? [] : await tx.query<Omit<VaultOrder, 'collateral'> & { id: number; collateral: string | null }>(
    sql`select order_id as id, vault_id as "vaultId", leader, collateral from ${idx.vault_orders} where home = $1 and order_id = any($2::bigint[])`,
    [instance, ids.orders],
  )
  const vaultIds = [...new Set([...ids.vaults, ...positions.map(({ vaultId }) => vaultId), ...orders.map(({ vaultId }) => vaultId)])]
  if (vaultIds.length === 0) {
    return { vaults: new Map(), observations: new Map(), past: new Map(), positions: new Map(), orders: new Map(), depositors: new Set() }
  }
  const vaults = await tx.query<AsTexts<VaultState, FigureAmounts | 'closedTradePnl'>>(
    sql`select vault_id as "vaultId", leader, name, created_seq as "createdSeq", created_at as "createdAt", ${FIGURES}, depositor_count as "depositorCount",
       open_positions as "openPositions", trade_count as "tradeCount", closed_trade_pnl as "closedTradePnl", last_ledger as "lastLedger",
       updated_at as "updatedAt", is_unsettled as "isUnsettled"
     from ${idx.vaults} where home = $1 and vault_id = any($2::bigint[])`,
    [instance, vaultIds],
  )
  const depositors = ids.depositors.length === 0 ? [] : await tx.query<{ vaultId: number; depositor: string }>(
    sql`select vault_id as "vaultId", depositor from ${idx.vault_depositors} where home = $1 and vault_id = any($2::bigint[]) and depositor = any($3::text[])`,
    [instance, vaultIds, ids.depositors],
  )
  return {
    vaults: new Map(vaults.map((row) => [row.vaultId, { ...row, ...figuresOf(row), closedTradePnl: BigInt(row.closedTradePnl) }])),
    observations: await loadObservations(tx, instance, vaultIds),
    past: await loadPastFigures(tx, instance, vaultIds),
    positions: new Map(positions.map(({ id, ...position }) => [id, position])),
    orders: new Map(orders.map(({ id, collateral, ...order }) => [id, { ...order, collateral: collateral === null ? null : BigInt(collateral) }])),
    depositors: new Set(depositors.map(({ vaultId, depositor }) => `${vaultId} ${depositor}`)),
  }
}

async function loadObservations(tx: Queryable, instance: number, ids: readonly number[]): Promise<ReadonlyMap<number, VaultObservation>> {
  const rows = await tx.query<AsTexts<VaultObservation, FigureAmounts>>(
    sql`select vault_id as "vaultId", place as "throughSeq", ${FIGURES} from ${idx.vault_observations} where home = $1 and vault_id = any($2::bigint[])`,
    [instance, ids],
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

/** Stores the changes of the fold. */
export async function storeVaults(tx: Writable, instance: number, known: KnownVaults, changes: VaultChanges): Promise<void> {
  await upsertVaults(tx, instance, pickRows(known.vaults, changes.vaults).map(([, vault]) => vault))
  await upsertPositions(tx, instance, pickRows(known.positions, changes.positions))
  await insertOrders(tx, instance, pickRows(known.orders, changes.orders))
  await insertDepositors(tx, instance, changes.depositors)
  await insertTrades(tx, instance, changes.trades)
  await insertFlows(tx, instance, changes.flows)
  await insertVaultVersions(tx, instance, changes.versions)
}

function pickRows<Row>(rows: ReadonlyMap<number, Row>, ids: ReadonlySet<number>): readonly (readonly [id: number, row: Row])[] {
  return [...ids].flatMap((id) => {
    const row = rows.get(id)
    return row === undefined ? [] : [[id, row] as const]
  })
}

async function upsertVaults(tx: Writable, instance: number, vaults: readonly VaultState[]): Promise<void> {
  if (vaults.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.vaults)} (home, vault_id, leader, name, created_seq, created_at, total_usdc, circulating_shares, leader_shares, hwm_nav,
      realized_pnl,
       profit_share_bps, paused, depositor_count, open_positions, trade_count, closed_trade_pnl, last_ledger, updated_at, is_unsettled)
     select $1::int, unnest($2::bigint[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bigint[]), unnest($6::bigint[]),
       unnest($7::numeric[]), unnest($8::numeric[]), unnest($9::numeric[]), unnest($10::numeric[]), unnest($11::numeric[]), unnest($12::int[]),
       unnest($13::boolean[]), unnest($14::bigint[]), unnest($15::bigint[]), unnest($16::bigint[]), unnest($17::numeric[]), unnest($18::bigint[]),
       unnest($19::bigint[]), unnest($20::boolean[])
     on conflict (home, vault_id) do update set total_usdc = excluded.total_usdc, circulating_shares = excluded.circulating_shares,
       leader_shares = excluded.leader_shares, hwm_nav = excluded.hwm_nav, realized_pnl = excluded.realized_pnl,
       profit_share_bps = excluded.profit_share_bps, paused = excluded.paused, depositor_count = excluded.depositor_count,
       open_positions = excluded.open_positions, trade_count = excluded.trade_count, closed_trade_pnl = excluded.closed_trade_pnl,
       last_ledger = excluded.last_ledger, updated_at = excluded.updated_at, is_unsettled = excluded.is_unsettled`,
    [
      instance,
      ...columnsOf(vaults, [
        'vaultId', 'leader', 'name', 'createdSeq', 'createdAt', 'totalUsdc', 'circulatingShares', 'leaderShares', 'hwmNav', 'realizedPnl', 'profitShareBps',
        'paused', 'depositorCount', 'openPositions', 'tradeCount', 'closedTradePnl', 'lastLedger', 'updatedAt', 'isUnsettled',
      ]),
    ],
  )
}

async function upsertPositions(tx: Writable, instance: number, positions: readonly (readonly [number, VaultPosition])[]): Promise<void> {
  if (positions.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.vault_positions)} (home, position_id, vault_id, leader, is_open)
     select $1::int, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::text[]), unnest($5::boolean[])
     on conflict (home, position_id) do update set is_open = excluded.is_open`,
    [
      instance,
      positions.map(([id]) => id),
      positions.map(([, { vaultId }]) => vaultId),
      positions.map(([, { leader }]) => leader),
      positions.map(([, { isOpen }]) => isOpen),
    ],
  )
}

async function insertOrders(tx: Writable, instance: number, orders: readonly (readonly [number, VaultOrder])[]): Promise<void> {
  if (orders.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.vault_orders)} (home, order_id, vault_id, leader, collateral)
     select $1::int, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::text[]), unnest($5::numeric[])
     on conflict (home, order_id) do nothing`,
    [
      instance,
      orders.map(([id]) => id),
      orders.map(([, { vaultId }]) => vaultId),
      orders.map(([, { leader }]) => leader),
      orders.map(([, { collateral }]) => collateral),
    ],
  )
}

async function insertDepositors(tx: Writable, instance: number, depositors: VaultChanges['depositors']): Promise<void> {
  if (depositors.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.vault_depositors)} (home, vault_id, depositor) select $1::int, unnest($2::bigint[]), unnest($3::text[])`,
    [instance, ...columnsOf(depositors, ['vaultId', 'depositor'])],
  )
}

async function insertTrades(tx: Writable, instance: number, trades: VaultChanges['trades']): Promise<void> {
  if (trades.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.vault_trades)} (home, seq, vault_id, position_id, action, leader, collateral, ledger, ts, tx_hash, pnl)
     select $1::int, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::numeric[]), unnest($5::text[]), unnest($6::text[]),
       unnest($7::numeric[]), unnest($8::bigint[]), unnest($9::bigint[]), unnest($10::text[]), unnest($11::numeric[])`,
    [
      instance,
      ...columnsOf(trades, ['seq', 'vaultId', 'positionId', 'action', 'leader', 'collateral', 'ledger', 'ts', 'txHash', 'pnl']),
    ],
  )
}

async function insertFlows(tx: Writable, instance: number, flows: VaultChanges['flows']): Promise<void> {
  if (flows.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.vault_flows)} (home, seq, vault_id, kind, principal, amount, shares, ledger, ts, tx_hash)
     select $1::int, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::text[]), unnest($5::text[]), unnest($6::numeric[]),
       unnest($7::numeric[]), unnest($8::bigint[]), unnest($9::bigint[]), unnest($10::text[])`,
    [
      instance,
      ...columnsOf(flows, ['seq', 'vaultId', 'kind', 'principal', 'amount', 'shares', 'ledger', 'ts', 'txHash']),
    ],
  )
}
