// Vaults by position in the log. The stored vaults count their events on from the newest figures that were read from the factory; a past state counts them on
// from the figures that were read before it.

import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { columnsOf } from '../columns.ts'
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

/** Figures that were read from the factory. They include events up to `place`. */
export interface ReadFigures extends Readonly<VaultFigures> {
  readonly place: number
}

/** A vault's figures during the fold: those after its last event, and the readings that may follow. */
export interface PastFigures {
  figures: VaultFigures
  /** Ascending. */
  readonly readings: ReadFigures[]
}

/** The figures from which an event at `seq` counts on: the newest reading before it, if there is one. */
export function figuresBefore(past: PastFigures, seq: number): VaultFigures {
  for (let next = past.readings[0]; next !== undefined && next.place < seq; next = past.readings[0]) {
    const { place: _place, ...figures } = next
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

const FIGURE_NAMES = ['total_usdc', 'circulating_shares', 'leader_shares', 'hwm_nav', 'realized_pnl', 'profit_share_bps', 'paused'] as const
const FIGURES = `f.total_usdc as "totalUsdc", f.circulating_shares as "circulatingShares", f.leader_shares as "leaderShares", f.hwm_nav as "hwmNav",
  f.realized_pnl as "realizedPnl", f.profit_share_bps as "profitShareBps", f.paused`

type Amounts = 'totalUsdc' | 'circulatingShares' | 'leaderShares' | 'hwmNav' | 'realizedPnl'
type RawFigures = Omit<VaultFigures, Amounts> & Readonly<Record<Amounts, string>>

/** The figures of vaults after their last version, and the readings since then. */
export async function loadPastFigures(tx: Queryable, instance: number, ids: readonly number[]): Promise<Map<number, PastFigures>> {
  const versions = await tx.query<RawFigures & { vaultId: number; seq: number }>(
    sql`select f.vault_id as "vaultId", f.seq, ${FIGURES} from unnest($2::bigint[]) ids (id)
     cross join lateral (select * from ${idx.vault_versions} v where v.home = $1 and v.vault_id = ids.id order by v.seq desc limit 1) f`,
    [instance, ids],
  )
  const past = new Map<number, PastFigures>(versions.map(({ vaultId, seq: _seq, ...raw }) => [vaultId, { figures: toFigures(raw), readings: [] }]))
  const seqs = new Map(versions.map(({ vaultId, seq }) => [vaultId, seq]))
  const readings = await tx.query<RawFigures & { vaultId: number; place: number }>(
    sql`select f.vault_id as "vaultId", f.place, ${FIGURES} from unnest($2::bigint[], $3::bigint[]) ids (id, seq)
     join ${idx.vault_figures} f on f.home = $1 and f.vault_id = ids.id and f.place >= ids.seq order by f.place`,
    [instance, ids, ids.map((id) => seqs.get(id) ?? 0)],
  )
  for (const { vaultId, place, ...raw } of readings) {
    const known = past.get(vaultId) ?? { figures: toFigures(raw), readings: [] }
    known.readings.push({ ...toFigures(raw), place })
    past.set(vaultId, known)
  }
  return past
}

function toFigures({ totalUsdc, circulatingShares, leaderShares, hwmNav, realizedPnl, profitShareBps, paused }: RawFigures): VaultFigures {
  return {
    totalUsdc: BigInt(totalUsdc), circulatingShares: BigInt(circulatingShares), leaderShares: BigInt(leaderShares), hwmNav: BigInt(hwmNav),
    realizedPnl: BigInt(realizedPnl), profitShareBps, paused,
  }
}

export async function insertVaultVersions(tx: Writable, instance: number, versions: readonly VaultVersion[]): Promise<void> {
  if (versions.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.vault_versions)} (home, vault_id, seq, ${sql.join(FIGURE_NAMES, ', ')}, depositor_count, open_positions, trade_count,
      closed_trade_pnl,
       updated_at)
     select $1::int, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::numeric[]), unnest($5::numeric[]), unnest($6::numeric[]),
       unnest($7::numeric[]), unnest($8::numeric[]), unnest($9::int[]), unnest($10::boolean[]), unnest($11::bigint[]), unnest($12::bigint[]),
       unnest($13::bigint[]), unnest($14::numeric[]), unnest($15::bigint[])`,
    [
      instance,
      ...columnsOf(versions, [
        'vaultId', 'seq', 'totalUsdc', 'circulatingShares', 'leaderShares', 'hwmNav', 'realizedPnl', 'profitShareBps', 'paused', 'depositorCount',
        'openPositions', 'tradeCount', 'closedTradePnl', 'updatedAt',
      ]),
    ],
  )
}

/** Stores figures that were read from the factory and differ from the stored ones. */
export async function recordReadFigures(tx: Writable, instance: number, vaultId: number, read: ReadFigures): Promise<void> {
  await tx.run(
    sql`${sql.insertInto(idx.vault_figures)} (home, vault_id, place, ${sql.join(FIGURE_NAMES, ', ')}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (home, vault_id, place) do update set ${sql.join(FIGURE_NAMES.map((name) => `${name} = excluded.${name}`), ', ')}`,
    [
      instance, vaultId, read.place, read.totalUsdc, read.circulatingShares, read.leaderShares, read.hwmNav, read.realizedPnl, read.profitShareBps,
      read.paused,
    ],
  )
}

/** SQL of the vaults `v` as of a seq: the columns of idx.vaults, with the counts after the last event and the figures of it or of a later reading. */
export function vaultsAt(seq: Sql): Sql {
  const figures = sql.join(FIGURE_NAMES.map((name) => `coalesce(f.${name}, w.${name}) as ${name}`), ', ')
  return sql`(select k.home, k.vault_id, k.leader, k.name, k.created_seq, k.created_at, ${figures}, w.depositor_count, w.open_positions, w.trade_count,
      w.closed_trade_pnl, w.updated_at
    from ${idx.vaults} k
    cross join lateral (
      select * from ${idx.vault_versions} n where n.home = k.home and n.vault_id = k.vault_id and n.seq <= ${seq} order by n.seq desc limit 1) w
    left join lateral (
      select * from ${idx.vault_figures} n where n.home = k.home and n.vault_id = k.vault_id and n.place >= w.seq and n.place <= ${seq}
      order by n.place desc limit 1) f on true
    where k.created_seq <= ${seq})`
}
