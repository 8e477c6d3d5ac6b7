// Loads vaults for a page's fold and stores its changes, in a few bulk statements per page.

import { columns } from '../../store/columns.ts'
import { insertRows, updateOnConflict } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { insertVaultVersions, loadPastFigures } from './vault-versions.ts'
import { FIGURE_COLUMNS, FIGURE_NAMES, FIGURE_SOURCES, toFigures } from './vault-state.ts'
import type { KnownVaults, VaultChanges, VaultObservation } from './vaults-fold.ts'

/** The ids that a page names. */
export interface ReferencedIds {
  readonly vaults: readonly number[]
  readonly positions: readonly number[]
  readonly orders: readonly number[]
  readonly depositors: readonly string[]
}

const POSITION = columns(idx.vault_positions, 'p', { id: 'position_id', vaultId: 'vault_id', leader: 'leader', isOpen: 'is_open' })
const ORDER = columns(idx.vault_orders, 'o', { id: 'order_id', vaultId: 'vault_id', leader: 'leader', collateral: 'collateral' })
const VAULT = columns(idx.vaults, 'v', {
  vaultId: 'vault_id', leader: 'leader', name: 'name', createdSeq: 'created_seq', createdAt: 'created_at', ...FIGURE_COLUMNS, depositorCount: 'depositor_count',
  openPositions: 'open_positions', tradeCount: 'trade_count', closedTradePnl: 'closed_trade_pnl', lastLedger: 'last_ledger', updatedAt: 'updated_at',
  isUnsettled: 'is_unsettled',
})
const DEPOSITOR = columns(idx.vault_depositors, 'd', { vaultId: 'vault_id', depositor: 'depositor' })
const OBSERVATION = columns(idx.vault_observations, 'o', { vaultId: 'vault_id', throughSeq: 'through_seq', ...FIGURE_COLUMNS })

/** Loads everything that a page names, including the vaults of its positions and orders. */
export async function loadVaults(tx: Queryable, contractEpoch: number, ids: ReferencedIds): Promise<KnownVaults> {
  const positions = ids.positions.length === 0 ? [] : await tx.query(
    sql`select ${POSITION} from ${idx.vault_positions} p where p.contract_epoch = $1 and p.position_id = any($2::bigint[])`,
    [contractEpoch, ids.positions],
  )
  const orders = ids.orders.length === 0 ? [] : await tx.query(
    sql`select ${ORDER} from ${idx.vault_orders} o where o.contract_epoch = $1 and o.order_id = any($2::bigint[])`,
    [contractEpoch, ids.orders],
  )
  const vaultIds = [...new Set([...ids.vaults, ...positions.map(({ vaultId }) => vaultId), ...orders.map(({ vaultId }) => vaultId)])]
  if (vaultIds.length === 0) {
    return { vaults: new Map(), observations: new Map(), past: new Map(), positions: new Map(), orders: new Map(), depositors: new Set() }
  }
  const vaults = await tx.query(
    sql`select ${VAULT} from ${idx.vaults} v where v.contract_epoch = $1 and v.vault_id = any($2::bigint[])`, [contractEpoch, vaultIds],
  )
  const depositors = ids.depositors.length === 0 ? [] : await tx.query(
    sql`select ${DEPOSITOR} from ${idx.vault_depositors} d where d.contract_epoch = $1 and d.vault_id = any($2::bigint[]) and d.depositor = any($3::text[])`,
    [contractEpoch, vaultIds, ids.depositors],
  )
  return {
    vaults: new Map(vaults.map((row) => [row.vaultId, { ...row, ...toFigures(row), closedTradePnl: BigInt(row.closedTradePnl) }])),
    observations: await loadObservations(tx, contractEpoch, vaultIds),
    past: await loadPastFigures(tx, contractEpoch, vaultIds),
    positions: new Map(positions.map(({ id, ...position }) => [id, position])),
    orders: new Map(orders.map(({ id, collateral, ...order }) => [id, { ...order, collateral: collateral === null ? null : BigInt(collateral) }])),
    depositors: new Set(depositors.map(({ vaultId, depositor }) => `${vaultId} ${depositor}`)),
  }
}

async function loadObservations(tx: Queryable, contractEpoch: number, ids: readonly number[]): Promise<ReadonlyMap<number, VaultObservation>> {
  const rows = await tx.query(
    sql`select ${OBSERVATION} from ${idx.vault_observations} o where o.contract_epoch = $1 and o.vault_id = any($2::bigint[])`,
    [contractEpoch, ids],
  )
  return new Map(rows.map((row) => [row.vaultId, { ...row, ...toFigures(row) }]))
}

/** Stores the changes of the fold. */
export async function storeVaults(tx: Writable, contractEpoch: number, known: KnownVaults, changes: VaultChanges): Promise<void> {
  const contract_epoch = { all: contractEpoch }
  await insertRows(tx, idx.vaults, pickRows(known.vaults, changes.vaults), {
    contract_epoch, vault_id: 'vaultId', leader: 'leader', name: 'name', created_seq: 'createdSeq', created_at: 'createdAt', ...FIGURE_SOURCES,
    depositor_count: 'depositorCount', open_positions: 'openPositions', trade_count: 'tradeCount', closed_trade_pnl: 'closedTradePnl',
    last_ledger: 'lastLedger', updated_at: 'updatedAt', is_unsettled: 'isUnsettled',
  }, UPDATE_VAULTS)
  await insertRows(tx, idx.vault_positions, pickRows(known.positions, changes.positions), {
    contract_epoch, position_id: 'id', vault_id: 'vaultId', leader: 'leader', is_open: 'isOpen',
  }, UPDATE_POSITIONS)
  await insertRows(tx, idx.vault_orders, pickRows(known.orders, changes.orders), {
    contract_epoch, order_id: 'id', vault_id: 'vaultId', leader: 'leader', collateral: 'collateral',
  }, KEEP_ORDERS)
  await insertRows(tx, idx.vault_depositors, changes.depositors, { contract_epoch, vault_id: 'vaultId', depositor: 'depositor' })
  await insertRows(tx, idx.vault_trades, changes.trades, {
    contract_epoch, seq: 'seq', vault_id: 'vaultId', position_id: 'positionId', action: 'action', leader: 'leader', collateral: 'collateral',
    ledger: 'ledger', ts: 'ts',
    tx_hash: 'txHash', pnl: 'pnl',
  })
  await insertRows(tx, idx.vault_flows, changes.flows, {
    contract_epoch, seq: 'seq', vault_id: 'vaultId', kind: 'kind', principal: 'principal', amount: 'amount', shares: 'shares', ledger: 'ledger', ts: 'ts',
    tx_hash: 'txHash',
  })
  await insertVaultVersions(tx, contractEpoch, changes.versions)
}

const UPDATE_VAULTS = updateOnConflict(idx.vaults, ['contract_epoch', 'vault_id'], {
  replace: [...FIGURE_NAMES, 'depositor_count', 'open_positions', 'trade_count', 'closed_trade_pnl', 'last_ledger', 'updated_at', 'is_unsettled'],
})
const UPDATE_POSITIONS = updateOnConflict(idx.vault_positions, ['contract_epoch', 'position_id'], { replace: ['is_open'] })
const KEEP_ORDERS = sql`on conflict (contract_epoch, order_id) do nothing`

function pickRows<Row>(rows: ReadonlyMap<number, Row>, ids: ReadonlySet<number>): readonly (Row & { readonly id: number })[] {
  return [...ids].flatMap((id) => {
    const row = rows.get(id)
    return row === undefined ? [] : [{ ...row, id }]
  })
}
