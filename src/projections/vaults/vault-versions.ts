// Vaults by position in the log. The stored vaults count their events on from the newest figures that were read from the factory; a past state counts them on
// from the figures that were read before it.

import { columns } from '../../store/columns.ts'
import { insertRows, updateOnConflict } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { FIGURE_COLUMNS, FIGURE_NAMES, FIGURE_SOURCES, toFigures } from './vault-state.ts'
import type { VaultFigures, VaultState } from './vault-state.ts'

/** A vault after one event. */
export interface VaultVersion extends Readonly<VaultFigures> {
  readonly vaultId: number
  readonly seq: number
  readonly depositorCount: number
  readonly openPositions: number
  readonly tradeCount: number
  readonly closedTradePnl: bigint
  readonly updatedAt: number
}

/** Figures that were read from the factory. They include events up to `seq`. */
export interface ReadFigures extends Readonly<VaultFigures> {
  readonly seq: number
}

/** A vault's figures during the fold: those after its last event, and the readings that may follow. */
export interface PastFigures {
  figures: VaultFigures
  /** Ascending. */
  readonly readings: ReadFigures[]
}

/** The figures from which an event at `seq` counts on: the newest reading before it, if there is one. */
export function figuresBefore(past: PastFigures, seq: number): VaultFigures {
  for (let next = past.readings[0]; next !== undefined && next.seq < seq; next = past.readings[0]) {
    const { seq: _seq, ...figures } = next
    past.figures = figures
    past.readings.shift()
  }
  return past.figures
}

/** The version after an event: the event's counts, and the past figures. */
export function versionOf(vault: VaultState, { figures }: PastFigures, seq: number): VaultVersion {
  const { vaultId, depositorCount, openPositions, tradeCount, closedTradePnl, updatedAt } = vault
  return { ...figures, vaultId, seq, depositorCount, openPositions, tradeCount, closedTradePnl, updatedAt }
}

const VERSION = columns(idx.vault_versions, 'f', { vaultId: 'vault_id', seq: 'seq', ...FIGURE_COLUMNS })
const READING = columns(idx.vault_figures, 'f', { vaultId: 'vault_id', seq: 'seq', ...FIGURE_COLUMNS })

/** The figures of vaults after their last version, and the readings since then. */
export async function loadPastFigures(tx: Queryable, contractEpoch: number, ids: readonly number[]): Promise<Map<number, PastFigures>> {
  const versions = await tx.query(
    sql`select ${VERSION} from unnest($2::bigint[]) ids (id)
     cross join lateral (select * from ${idx.vault_versions} v where v.contract_epoch = $1 and v.vault_id = ids.id order by v.seq desc limit 1) f`,
    [contractEpoch, ids],
  )
  const past = new Map<number, PastFigures>(versions.map(({ vaultId, seq: _seq, ...raw }) => [vaultId, { figures: toFigures(raw), readings: [] }]))
  const seqs = new Map(versions.map(({ vaultId, seq }) => [vaultId, seq]))
  const readings = await tx.query(
    sql`select ${READING} from unnest($2::bigint[], $3::bigint[]) ids (id, seq)
     join ${idx.vault_figures} f on f.contract_epoch = $1 and f.vault_id = ids.id and f.seq >= ids.seq order by f.seq`,
    [contractEpoch, ids, ids.map((id) => seqs.get(id) ?? 0)],
  )
  for (const { vaultId, seq, ...raw } of readings) {
    const known = past.get(vaultId) ?? { figures: toFigures(raw), readings: [] }
    known.readings.push({ ...toFigures(raw), seq })
    past.set(vaultId, known)
  }
  return past
}

export async function insertVaultVersions(tx: Writable, contractEpoch: number, versions: readonly VaultVersion[]): Promise<void> {
  await insertRows(tx, idx.vault_versions, versions, {
    contract_epoch: { all: contractEpoch }, vault_id: 'vaultId', seq: 'seq', ...FIGURE_SOURCES, depositor_count: 'depositorCount',
    open_positions: 'openPositions',
    trade_count: 'tradeCount', closed_trade_pnl: 'closedTradePnl', updated_at: 'updatedAt',
  })
}

/** Stores figures that were read from the factory and differ from the stored ones. */
export async function recordReadFigures(tx: Writable, contractEpoch: number, vaultId: number, read: ReadFigures): Promise<void> {
  const sources = { contract_epoch: { all: contractEpoch }, vault_id: { all: vaultId }, seq: 'seq', ...FIGURE_SOURCES } as const
  await insertRows(tx, idx.vault_figures, [read], sources, REPLACE_FIGURES)
}

const REPLACE_FIGURES = updateOnConflict(idx.vault_figures, ['contract_epoch', 'vault_id', 'seq'], { replace: FIGURE_NAMES })

/** SQL of the vaults `v` as of a seq: the columns of idx.vaults, with the counts after the last event and the figures of it or of a later reading. */
export function vaultsAt(seq: Sql): Sql {
  const figures = sql.join(FIGURE_NAMES.map((name) => `coalesce(f.${name}, w.${name}) as ${name}`), ', ')
  return sql`(select k.contract_epoch, k.vault_id, k.leader, k.name, k.created_seq, k.created_at, ${figures}, w.depositor_count, w.open_positions,
    w.trade_count,
      w.closed_trade_pnl, w.updated_at
    from ${idx.vaults} k
    cross join lateral (
      select * from ${idx.vault_versions} n where n.contract_epoch = k.contract_epoch and n.vault_id = k.vault_id and n.seq <= ${seq}
      order by n.seq desc limit 1) w
    left join lateral (
      select * from ${idx.vault_figures} n where n.contract_epoch = k.contract_epoch and n.vault_id = k.vault_id and n.seq >= w.seq and n.seq <= ${seq}
      order by n.seq desc limit 1) f on true
    where k.created_seq <= ${seq})`
}
