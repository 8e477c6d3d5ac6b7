// What the factory itself says of its vaults, and how it corrects what their events add up to.

import type { Queryable } from '../store/store.ts'
import type { Epoch } from './epochs.ts'
import { readContractInstance } from './contract-instances.ts'
import { readIndexCursor } from './index-state.ts'
import type { VaultFigures } from './vaults-fold.ts'
import { loadVaults } from './vaults-store.ts'

/** A vault as the factory told it at a ledger. */
export interface ObservedVault extends Readonly<VaultFigures> {
  readonly vaultId: number
  readonly ledger: number
}

/** Vaults to be read back: those that a leader traded for first, then those that were read last before `readBeforeMs`, or never. */
export async function listVaultsToRead(
  db: Queryable,
  epoch: Epoch,
  options: { readonly limit: number; readonly except: readonly number[]; readonly readBeforeMs: number },
): Promise<readonly { readonly vaultId: number }[]> {
  const home = await readContractInstance(db, epoch, 'vaultFactory')
  return await db.query<{ vaultId: number }>(
    `select v.vault_id as "vaultId" from idx.vaults v left join idx.vault_observations o on o.home = v.home and o.vault_id = v.vault_id
     where v.home = $1 and v.vault_id <> all($3::bigint[]) and (v.is_unsettled or o.observed_at is null or o.observed_at < $4::bigint)
     order by v.is_unsettled desc, o.observed_at nulls first, v.vault_id limit $2`,
    [home, options.limit, options.except, options.readBeforeMs],
  )
}

/**
 * Takes over what was read, where the index knows the vault exactly as of that ledger: it has come so far, and nothing has happened to the vault since.
 * Everything else is read again. A difference that no leader's trade explains is counted as a correction.
 */
export async function recordVaultObservations(tx: Queryable, epoch: Epoch, told: readonly ObservedVault[], nowMs: number): Promise<void> {
  const cursor = await readIndexCursor(tx)
  if (cursor === null || cursor.epoch !== epoch.number || cursor.lastLedger === null) return
  const { lastLedger, lastSeq } = cursor
  const home = await readContractInstance(tx, epoch, 'vaultFactory')
  const { vaults } = await loadVaults(tx, home, { vaults: told.map(({ vaultId }) => vaultId), positions: [], orders: [], depositors: [] })
  for (const one of told) {
    const vault = vaults.get(one.vaultId)
    if (vault === undefined || one.ledger > lastLedger || one.ledger < vault.lastLedger) continue
    const isCorrection = !vault.isUnsettled && FIGURES.some((key) => vault[key] !== one[key])
    await storeObservation(tx, home, { told: one, place: lastSeq, isCorrection, nowMs })
  }
}

const FIGURES: readonly (keyof VaultFigures)[] = [
  'totalUsdc', 'circulatingShares', 'leaderShares', 'hwmNav', 'realizedPnl', 'profitShareBps', 'paused',
]

async function storeObservation(
  tx: Queryable,
  home: number,
  seen: { readonly told: ObservedVault; readonly place: number; readonly isCorrection: boolean; readonly nowMs: number },
): Promise<void> {
  const { told, place, isCorrection, nowMs } = seen
  const figures = [
    home, told.vaultId, told.totalUsdc, told.circulatingShares, told.leaderShares, told.hwmNav, told.realizedPnl, told.profitShareBps, told.paused,
  ]
  await tx.query(
    `insert into idx.vault_observations as o (home, vault_id, total_usdc, circulating_shares, leader_shares, hwm_nav, realized_pnl, profit_share_bps,
       paused, ledger, place, corrections, observed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     on conflict (home, vault_id) do update set total_usdc = excluded.total_usdc, circulating_shares = excluded.circulating_shares,
       leader_shares = excluded.leader_shares, hwm_nav = excluded.hwm_nav, realized_pnl = excluded.realized_pnl,
       profit_share_bps = excluded.profit_share_bps, paused = excluded.paused, ledger = excluded.ledger, place = excluded.place,
       corrections = o.corrections + excluded.corrections, observed_at = excluded.observed_at`,
    [...figures, told.ledger, place, isCorrection ? 1 : 0, nowMs],
  )
  await tx.query(
    `update idx.vaults set total_usdc = $3, circulating_shares = $4, leader_shares = $5, hwm_nav = $6, realized_pnl = $7, profit_share_bps = $8,
       paused = $9, is_unsettled = false
     where home = $1 and vault_id = $2`,
    figures,
  )
}
