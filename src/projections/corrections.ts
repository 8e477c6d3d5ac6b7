// Corrections of projections that differ from the ledger. Each is stored with a seq, so that a rebuild applies it between the same events.

import type { LedgerPosition } from './reconciliation.ts'
import type { Queryable } from '../store/store.ts'
import { changeOpenInterest } from './interest-versions.ts'
import { insertPositionVersions, stepPosition } from './position-versions.ts'
import type { Position } from './positions.ts'
import { loadPositions, storePositions } from './positions.ts'

export type CorrectionKind = 'ended' | 'changed' | 'opened'

/** One position that differs from the ledger. */
export interface Correction {
  readonly kind: CorrectionKind
  readonly positionId: number
  /** The position in the ledger; null when the ledger no longer has it. */
  readonly ledgerPosition: LedgerPosition | null
}

/** A correction with its position in the log. */
export interface CorrectionWithSeq extends Correction {
  readonly seq: number
  readonly deployment: number
}

/** Stores corrections with seqs after `afterSeq`, and applies them. The caller's transaction must hold the cursor row. */
export async function recordCorrections(
  tx: Queryable,
  corrections: readonly Correction[],
  context: { readonly deployment: number; readonly afterSeq: number; readonly ledger: number; readonly nowMs: number },
): Promise<void> {
  const { deployment, afterSeq, ledger, nowMs } = context
  const numbered = corrections.map((correction, index) => ({ ...correction, deployment, seq: afterSeq + index + 1 }))
  for (const { seq, kind, positionId, ledgerPosition } of numbered) {
    await tx.query(
      `insert into idx.corrections (place, deployment, kind, position_id, ledger, noticed_at, trader, asset, direction, size, entry_price, opened_at,
         margin_mode)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        seq, deployment, kind, positionId, ledger, nowMs, ledgerPosition?.trader ?? null, ledgerPosition?.asset ?? null, ledgerPosition?.direction ?? null,
        ledgerPosition?.size ?? null, ledgerPosition?.entryPrice ?? null, ledgerPosition?.openedAt ?? null, ledgerPosition?.marginMode ?? null,
      ],
    )
  }
  await tx.query('update idx.cursor set reserved_seq = greatest(reserved_seq, $1::bigint)', [afterSeq + numbered.length])
  await applyCorrections(tx, numbered)
}

/** Applies corrections in the order given, which must be ascending by seq. */
export async function applyCorrections(tx: Queryable, corrections: readonly CorrectionWithSeq[]): Promise<void> {
  for (const correction of corrections) {
    const { deployment, positionId } = correction
    const [known] = await loadPositions(tx, deployment, { ids: [positionId], openOf: [] })
    const next = correctPosition(known, correction)
    if (next === undefined) continue
    const { position, ended, interest } = stepPosition(known, next, next.state, correction.seq)
    await storePositions(tx, deployment, [position])
    await insertPositionVersions(tx, deployment, ended === null ? [] : [ended])
    await changeOpenInterest(tx, deployment, interest)
  }
}

/** The corrected position; undefined when nothing changes, because later events already led to the same state. */
function correctPosition(
  known: Position | undefined, { seq, kind, positionId, ledgerPosition }: CorrectionWithSeq,
): Omit<Position, 'sinceSeq'> | undefined {
  if (kind === 'ended' || ledgerPosition === null) return known?.state === 'open' ? { ...known, state: 'ended' } : undefined
  const { trader, asset, direction, size, entryPrice, openedAt, marginMode } = ledgerPosition
  const opening = known ?? { openedSeq: seq, openedAt, openedTxHash: null, marginMode }
  return { ...opening, positionId, trader, asset, direction, size, entryPrice, state: 'open' }
}

type RawCorrection = Omit<CorrectionWithSeq, 'ledgerPosition'> & {
  readonly [Key in keyof LedgerPosition]: (LedgerPosition[Key] extends bigint ? string : LedgerPosition[Key]) | null
}

/** The corrections with seq in (afterSeq, throughSeq], ascending. */
export async function readCorrections(db: Queryable, afterSeq: number, throughSeq: number): Promise<readonly CorrectionWithSeq[]> {
  const rows = await db.query<RawCorrection>(
    `select place as seq, deployment, kind, position_id as "positionId", trader, asset, direction, size, entry_price as "entryPrice",
       opened_at as "openedAt", margin_mode as "marginMode"
     from idx.corrections where place > $1::bigint and place <= $2::bigint order by place`,
    [afterSeq, throughSeq],
  )
  return rows.map(({ seq, deployment, kind, positionId, trader, asset, direction, size, entryPrice, openedAt, marginMode }) => {
    const isKnown = trader !== null && asset !== null && direction !== null && size !== null && entryPrice !== null && openedAt !== null
    const ledgerPosition = isKnown ? { trader, asset, direction, size: BigInt(size), entryPrice: BigInt(entryPrice), openedAt, marginMode } : null
    return { seq, deployment, kind, positionId, ledgerPosition }
  })
}
