// Margin modes of positions. No event tells them; they are read from ledger entries, which only tell the present, so what was seen once is kept.

import type { Queryable } from '../store/store.ts'
import { changeOpenInterest } from './market-stats.ts'
import type { InterestChange } from './market-stats.ts'
import { addToInterest } from './positions-fold.ts'
import type { MarginMode, Position } from './positions.ts'
import { loadPositions, storePositions } from './positions.ts'

/** What was seen of one position. */
export interface MarginModeObservation {
  readonly positionId: number
  readonly mode: MarginMode
  /** The RPC's latest ledger at that moment. */
  readonly ledger: number
}

/** A position whose mode is not known. `open` is false when a cross liquidation has ended it on suspicion. */
export interface UnobservedPosition {
  readonly positionId: number
  readonly open: boolean
}

/** Positions of unknown mode that may still exist on chain, the newest first, at most `limit`, leaving out `except`. */
export async function listUnobservedPositions(
  db: Queryable,
  deployment: number,
  options: { readonly limit: number; readonly except: readonly number[] },
): Promise<readonly UnobservedPosition[]> {
  return await db.query<UnobservedPosition>(
    `select p.position_id as "positionId", p.state = 'open' as open from idx.positions p
     where p.deployment = $1 and p.margin_mode is null and p.state in ('open', 'cross_liquidated') and p.position_id <> all($3::bigint[])
     order by p.opened_seq desc limit $2`,
    [deployment, options.limit, options.except],
  )
}

/** The observed modes of some positions. */
export async function readMarginModes(db: Queryable, deployment: number, ids: readonly number[]): Promise<ReadonlyMap<number, MarginMode>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<{ id: number; mode: MarginMode }>(
    'select position_id as id, mode from idx.margin_modes where deployment = $1 and position_id = any($2::bigint[])',
    [deployment, ids],
  )
  return new Map(rows.map((row) => [row.id, row.mode]))
}

/**
 * Keeps observations and applies them: an isolated position that a cross liquidation had ended on suspicion is open again. The outcome does not depend
 * on whether an observation or an event was first, so that a rebuild from the archive comes to the same.
 */
export async function recordMarginModes(
  tx: Queryable,
  deployment: number,
  observations: readonly MarginModeObservation[],
  nowMs: number,
): Promise<void> {
  if (observations.length === 0) return
  await tx.query(
    `insert into idx.margin_modes (deployment, position_id, mode, ledger, observed_at)
     select $1::int, position_id, mode, ledger, $5::bigint
     from unnest($2::bigint[], $3::text[], $4::bigint[]) as seen (position_id, mode, ledger)
     on conflict (deployment, position_id) do nothing`,
    [
      deployment,
      observations.map((seen) => seen.positionId),
      observations.map((seen) => seen.mode),
      observations.map((seen) => seen.ledger),
      nowMs,
    ],
  )
  const ids = observations.map((seen) => seen.positionId)
  const modes = await readMarginModes(tx, deployment, ids)
  const interest = new Map<string, InterestChange>()
  const changed: Position[] = []
  for (const position of await loadPositions(tx, deployment, { ids, openOf: [] })) {
    const marginMode = modes.get(position.positionId) ?? null
    if (position.marginMode === marginMode) continue
    const reopened = position.state === 'cross_liquidated' && marginMode === 'isolated'
    if (reopened) addToInterest(interest, position, 1)
    changed.push({ ...position, marginMode, state: reopened ? 'open' : position.state })
  }
  await storePositions(tx, deployment, changed)
  await changeOpenInterest(tx, deployment, interest)
}
