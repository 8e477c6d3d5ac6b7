// Margin modes of positions. No event reports them and ledger entries show only the present, so each observation is stored.

import { columns, expression } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { addPastInterest } from '../markets/interest-versions.ts'
import { undoCrossLiquidations } from './position-versions.ts'
import type { MarginMode } from './positions.ts'
import { loadPositions, storePositions } from './positions.ts'
import { projectionTargets } from '../repair/shadow.ts'

/** The observed mode of one position. */
export interface MarginModeObservation {
  readonly positionId: number
  readonly mode: MarginMode
  /** The RPC's latest ledger at the time of the observation. */
  readonly ledger: number
}

/** A position of unknown mode. `open` is false when a cross liquidation ended it provisionally. */
export interface UnobservedPosition {
  readonly positionId: number
  readonly open: boolean
}

const UNOBSERVED = columns(idx.positions, 'p', { positionId: 'position_id', open: expression<boolean>(sql`p.state = 'open'`) })
const MODE = columns(idx.margin_modes, 'm', { id: 'position_id', mode: expression<MarginMode>(sql`m.mode`) })

/** Positions of unknown mode that may still exist on the ledger, newest first, without `except`. */
export async function listUnobservedPositions(
  db: Queryable,
  contractEpoch: number,
  options: { readonly limit: number; readonly except: readonly number[] },
): Promise<readonly UnobservedPosition[]> {
  return await db.query(
    sql`select ${UNOBSERVED} from ${idx.positions} p
     where p.contract_epoch = $1 and p.margin_mode is null and p.state in ('open', 'cross_liquidated') and p.position_id <> all($3::bigint[])
     order by p.opened_seq desc limit $2`,
    [contractEpoch, options.limit, options.except],
  )
}

/** The observed modes of some positions. */
export async function readMarginModes(db: Queryable, contractEpoch: number, ids: readonly number[]): Promise<ReadonlyMap<number, MarginMode>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query(
    sql`select ${MODE} from ${idx.margin_modes} m where m.contract_epoch = $1 and m.position_id = any($2::bigint[])`, [contractEpoch, ids],
  )
  return new Map(rows.map((row) => [row.id, row.mode]))
}

/**
 * Stores observations and applies them: an isolated position that a cross liquidation ended provisionally is open again. The result does not depend on
 * whether the observation or the event came first, so that a rebuild produces the same state.
 */
export async function recordMarginModes(
  tx: Writable,
  contractEpoch: number,
  observations: readonly MarginModeObservation[],
  nowMs: number,
): Promise<void> {
  if (observations.length === 0) return
  await insertRows(
    tx, idx.margin_modes, observations,
    { contract_epoch: { all: contractEpoch }, position_id: 'positionId', mode: 'mode', ledger: 'ledger', observed_at: { all: nowMs } },
    sql`on conflict (contract_epoch, position_id) do nothing`,
  )
  const ids = observations.map(({ positionId }) => positionId)
  for (const target of await projectionTargets(tx)) await applyMarginModes(target, contractEpoch, ids)
}

async function applyMarginModes(tx: Writable, contractEpoch: number, ids: readonly number[]): Promise<void> {
  const modes = await readMarginModes(tx, contractEpoch, ids)
  for (const position of await loadPositions(tx, contractEpoch, { ids, openOf: [] })) {
    const marginMode = modes.get(position.positionId) ?? null
    if (position.marginMode === marginMode) continue
    const undone = marginMode === 'isolated' ? await undoCrossLiquidations(tx, contractEpoch, position) : { position, missing: [] }
    await storePositions(tx, contractEpoch, [{ ...undone.position, marginMode }])
    for (const { step, untilSeq } of undone.missing) await addPastInterest(tx, contractEpoch, step, untilSeq)
  }
}
