// What the ledger says against the projections. A correction is kept with a place in the log, so that a rebuild applies it between the same events.

import type { StoredPositionFacts } from './reconciliation.ts'
import type { Queryable } from '../store/store.ts'
import { changeOpenInterest } from './market-stats.ts'
import type { InterestChange } from './market-stats.ts'
import { count } from './page-fold.ts'
import type { Position } from './positions.ts'
import { loadPositions, storePositions } from './positions.ts'

export type CorrectionKind = 'ended' | 'changed' | 'opened'

/** One position as the ledger has it, or has it no more. */
export interface Correction {
  readonly kind: CorrectionKind
  readonly positionId: number
  /** Null for one that has ended. */
  readonly stored: StoredPositionFacts | null
}

/** The same at its place. */
export interface PlacedCorrection extends Correction {
  readonly place: number
  readonly deployment: number
}

/** Keeps corrections at places of their own behind everything, and applies them. Returns nothing: the caller's transaction holds the cursor's row. */
export async function recordCorrections(
  tx: Queryable,
  corrections: readonly Correction[],
  where: { readonly deployment: number; readonly afterPlace: number; readonly ledger: number; readonly nowMs: number },
): Promise<void> {
  const { deployment, afterPlace, ledger, nowMs } = where
  const placed = corrections.map((correction, index) => ({ ...correction, deployment, place: afterPlace + index + 1 }))
  for (const { place, kind, positionId, stored } of placed) {
    await tx.query(
      `insert into idx.corrections (place, deployment, kind, position_id, ledger, noticed_at, trader, asset, direction, size, entry_price, opened_at,
         margin_mode)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        place, deployment, kind, positionId, ledger, nowMs, stored?.trader ?? null, stored?.asset ?? null, stored?.direction ?? null, stored?.size ?? null,
        stored?.entryPrice ?? null, stored?.openedAt ?? null, stored?.marginMode ?? null,
      ],
    )
  }
  await tx.query('update idx.cursor set reserved_seq = greatest(reserved_seq, $1::bigint)', [afterPlace + placed.length])
  await applyCorrections(tx, placed)
}

/** Applies corrections in the order of their places. */
export async function applyCorrections(tx: Queryable, corrections: readonly PlacedCorrection[]): Promise<void> {
  for (const { deployment, place, kind, positionId, stored } of corrections) {
    const [known] = await loadPositions(tx, deployment, { ids: [positionId], openOf: [] })
    const next = corrected(known, { kind, positionId, stored, place })
    if (next === undefined) continue
    const interest = new Map<string, InterestChange>()
    if (known?.state === 'open') count(interest, known, -1)
    if (next.state === 'open') count(interest, next, 1)
    await storePositions(tx, deployment, [next])
    await changeOpenInterest(tx, deployment, interest)
  }
}

/** The position as it is afterwards; undefined when there is nothing to change, because events that were read later tell the same. */
function corrected(known: Position | undefined, { kind, positionId, stored, place }: Correction & { readonly place: number }): Position | undefined {
  if (kind === 'ended' || stored === null) return known?.state === 'open' ? { ...known, state: 'ended' } : undefined
  const { trader, asset, direction, size, entryPrice, openedAt, marginMode } = stored
  const opening = known ?? { openedSeq: place, openedAt, openedTxHash: null, marginMode }
  return { ...opening, positionId, trader, asset, direction, size, entryPrice, state: 'open' }
}

type RawCorrection = Omit<PlacedCorrection, 'stored'> & {
  readonly [Key in keyof StoredPositionFacts]: (StoredPositionFacts[Key] extends bigint ? string : StoredPositionFacts[Key]) | null
}

/** The corrections with places in (afterSeq, throughSeq], in their order. */
export async function readCorrections(db: Queryable, afterSeq: number, throughSeq: number): Promise<readonly PlacedCorrection[]> {
  const rows = await db.query<RawCorrection>(
    `select place, deployment, kind, position_id as "positionId", trader, asset, direction, size, entry_price as "entryPrice", opened_at as "openedAt",
       margin_mode as "marginMode"
     from idx.corrections where place > $1::bigint and place <= $2::bigint order by place`,
    [afterSeq, throughSeq],
  )
  return rows.map(({ place, deployment, kind, positionId, trader, asset, direction, size, entryPrice, openedAt, marginMode }) => {
    const isTold = trader !== null && asset !== null && direction !== null && size !== null && entryPrice !== null && openedAt !== null
    const stored = isTold ? { trader, asset, direction, size: BigInt(size), entryPrice: BigInt(entryPrice), openedAt, marginMode } : null
    return { place, deployment, kind, positionId, stored }
  })
}
