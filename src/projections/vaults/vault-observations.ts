// Vault figures read from the factory, and how they correct the sums of events.

import type { CorrectedValues } from '../../resources/correction.ts'
import { columns } from '../../store/columns.ts'
import { insertRows, updateOnConflict } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { Epoch } from '../state/epochs.ts'
import { appendCorrections } from '../repair/correction-log.ts'
import type { NewCorrection } from '../repair/correction-log.ts'
import { readContractEpoch } from '../state/contract-epochs.ts'
import { readIndexCursor } from '../state/index-state.ts'
import { projectionTargets } from '../repair/shadow.ts'
import { insertVaultSample } from './vault-history.ts'
import { FIGURE_NAMES, FIGURE_SOURCES } from './vault-state.ts'
import type { VaultFigures } from './vault-state.ts'
import { recordReadFigures } from './vault-versions.ts'
import { loadVaults } from './vaults-store.ts'

/** A vault as the factory reported it at a ledger. */
export interface ObservedVault extends Readonly<VaultFigures> {
  readonly vaultId: number
  readonly ledger: number
}

const VAULT_ID = columns(idx.vaults, 'v', { vaultId: 'vault_id' })

/** Vaults to read: first those with a leader trade since, then those never read or last read before `readBeforeMs`. */
export async function listVaultsToRead(
  db: Queryable,
  epoch: Epoch,
  options: { readonly limit: number; readonly except: readonly number[]; readonly readBeforeMs: number },
): Promise<readonly { readonly vaultId: number }[]> {
  const contractEpoch = await readContractEpoch(db, epoch, 'vaultFactory')
  return await db.query(
    sql`select ${VAULT_ID} from ${idx.vaults} v left join ${idx.vault_observations} o on o.contract_epoch = v.contract_epoch and o.vault_id = v.vault_id
     where v.contract_epoch = $1 and v.vault_id <> all($3::bigint[]) and (v.is_unsettled or o.observed_at is null or o.observed_at < $4::bigint)
     order by v.is_unsettled desc, o.observed_at nulls first, v.vault_id limit $2`,
    [contractEpoch, options.limit, options.except, options.readBeforeMs],
  )
}

/**
 * Applies observations of vaults whose state in the index is exactly that of the observed ledger: the index has reached it, and the vault has no later event.
 * Other vaults are read again. A difference that no leader trade explains is a correction and recorded with both values. Throws IndexConflict.
 */
export async function recordVaultObservations(tx: Writable, epoch: Epoch, observations: readonly ObservedVault[], nowMs: number): Promise<void> {
  const cursor = await readIndexCursor(tx)
  if (cursor === null || cursor.epoch !== epoch.number || cursor.lastLedger === null) return
  const { lastLedger, lastSeq } = cursor
  const contractEpoch = await readContractEpoch(tx, epoch, 'vaultFactory')
  const { vaults } = await loadVaults(tx, contractEpoch, { vaults: observations.map(({ vaultId }) => vaultId), positions: [], orders: [], depositors: [] })
  const corrections: NewCorrection[] = []
  for (const observed of observations) {
    const vault = vaults.get(observed.vaultId)
    if (vault === undefined || observed.ledger > lastLedger || observed.ledger < vault.lastLedger) continue
    const differs = FIGURES.some((key) => vault[key] !== observed[key])
    const isCorrection = !vault.isUnsettled && differs
    if (differs) await recordReadFigures(tx, contractEpoch, vault.vaultId, { ...observed, seq: lastSeq })
    await storeObservation(tx, contractEpoch, { observed, throughSeq: lastSeq, isCorrection, nowMs })
    await insertVaultSample(tx, contractEpoch, observed, nowMs)
    if (!isCorrection) continue
    const { vaultId, ledger } = observed
    corrections.push({ kind: 'vault', contractEpoch: epoch.contractEpoch, vaultId, ledger, before: toValues(vault), after: toValues(observed) })
  }
  await appendCorrections(tx, corrections, { cursor, nowMs })
}

const FIGURES: readonly (keyof VaultFigures)[] = [
  'totalUsdc', 'circulatingShares', 'leaderShares', 'hwmNav', 'realizedPnl', 'profitShareBps', 'paused',
]

function toValues(vault: Readonly<VaultFigures>): CorrectedValues {
  const { totalUsdc, circulatingShares, leaderShares, hwmNav, realizedPnl, profitShareBps, paused } = vault
  return {
    totalUsdc: String(totalUsdc), circulatingShares: String(circulatingShares), leaderShares: String(leaderShares), hwmNav: String(hwmNav),
    realizedPnl: String(realizedPnl), profitShareBps, paused,
  }
}

async function storeObservation(
  tx: Writable,
  contractEpoch: number,
  observation: { readonly observed: ObservedVault; readonly throughSeq: number; readonly isCorrection: boolean; readonly nowMs: number },
): Promise<void> {
  const { observed, throughSeq, isCorrection, nowMs } = observation
  await insertRows(tx, idx.vault_observations, [observed], {
    contract_epoch: { all: contractEpoch }, vault_id: 'vaultId', ...FIGURE_SOURCES, ledger: 'ledger', through_seq: { all: throughSeq },
    corrections: { all: isCorrection ? 1 : 0 }, observed_at: { all: nowMs },
  }, REPLACE_OBSERVATION)
  const figures = [contractEpoch, observed.vaultId, ...FIGURES.map((key) => observed[key])]
  const setFigures = (target: Writable): Promise<unknown> => target.run(
    sql`${sql.update(idx.vaults)} set ${SET_FIGURES}, is_unsettled = false where contract_epoch = $1 and vault_id = $2`,
    figures,
  )
  for (const target of await projectionTargets(tx)) await setFigures(target)
}

const SET_FIGURES = sql.join(FIGURE_NAMES.map((name, index) => `${name} = $${index + 3}`), ', ')

const REPLACE_OBSERVATION = updateOnConflict(idx.vault_observations, ['contract_epoch', 'vault_id'], {
  replace: [...FIGURE_NAMES, 'ledger', 'through_seq', 'observed_at'], add: ['corrections'],
})
