// Appends corrections to the log: of positions, sums, vaults, events of the archive, and the name of the epoch.

import type { CorrectedValues, CorrectionKind } from '../../resources/correction.ts'
import { columns, expression, expressions } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { renameEpoch } from '../state/epochs.ts'
import type { IndexCursor } from '../state/index-state.ts'
import { lastReservedSeq, readIndexCursor, updateIndexCursor } from '../state/index-state.ts'
import type { LedgerPosition } from './reconciliation.ts'

/** A correction before it has a position in the log. Values that are left out are null. */
export interface NewCorrection {
  readonly kind: CorrectionKind
  readonly contractEpoch: number
  /** The ledger that the index was compared with. */
  readonly ledger: number
  /** Null: there was none, or there is none any more. */
  readonly before: CorrectedValues | null
  readonly after: CorrectedValues | null
  readonly positionId?: number
  readonly vaultId?: number
  readonly eventId?: string
  readonly trader?: string | null
  readonly asset?: string | null
  /** The position in the ledger, which a rebuild applies again. */
  readonly ledgerPosition?: LedgerPosition | null
}

/** Appends corrections to the log, and returns the seq of the first. The only writer of corrections. Throws IndexConflict. */
export async function appendCorrections(
  tx: Writable, corrections: readonly NewCorrection[], { cursor, nowMs }: { readonly cursor: IndexCursor; readonly nowMs: number },
): Promise<number> {
  const firstSeq = lastReservedSeq(cursor) + 1
  if (corrections.length === 0) return firstSeq
  await updateIndexCursor(tx, cursor, { ...cursor, lastSeq: firstSeq + corrections.length - 1 }, null)
  await insertRows(tx, idx.corrections, corrections.map((correction, index) => ({ ...correction, seq: firstSeq + index })), {
    seq: 'seq',
    contract_epoch: 'contractEpoch',
    kind: 'kind',
    ledger: 'ledger',
    noticed_at: { all: nowMs },
    position_id: ({ positionId }) => positionId ?? null,
    vault_id: ({ vaultId }) => vaultId ?? null,
    event_id: ({ eventId }) => eventId ?? null,
    trader: ({ trader }) => trader ?? null,
    asset: ({ asset }) => asset ?? null,
    direction: ({ ledgerPosition }) => ledgerPosition?.direction ?? null,
    size: ({ ledgerPosition }) => ledgerPosition?.size ?? null,
    entry_price: ({ ledgerPosition }) => ledgerPosition?.entryPrice ?? null,
    opened_at: ({ ledgerPosition }) => ledgerPosition?.openedAt ?? null,
    margin_mode: ({ ledgerPosition }) => ledgerPosition?.marginMode ?? null,
    before: ({ before }) => toJson(before),
    after: ({ after }) => toJson(after),
  })
  return firstSeq
}

function toJson(values: CorrectedValues | null): string | null {
  return values === null ? null : JSON.stringify(values)
}

/**
 * Renames the current epoch, after a repair, a rebuild, or a loss of ledgers, and records it after the changes that caused it, so that clients can follow.
 * `fromSeq` is the first seq that another row has now; null: none. Throws IndexConflict.
 */
export async function renameCurrentEpoch(
  tx: Writable, { name, fromSeq, nowMs }: { readonly name: string; readonly fromSeq: number | null; readonly nowMs: number },
): Promise<void> {
  const cursor = await readIndexCursor(tx)
  const [epoch] = await tx.query(
    sql`select ${columns(idx.epochs, 'e', { name: 'epoch', contractEpoch: 'contract_epoch' })} from ${idx.epochs} e where e.number = $1`,
    [cursor?.epoch ?? null],
  )
  if (cursor === null || epoch === undefined) return
  await renameEpoch(tx, cursor.epoch, name)
  const after = { epoch: name, ...(fromSeq === null ? {} : { fromSeq }) }
  const { contractEpoch } = epoch
  await appendCorrections(tx, [{ kind: 'epoch', contractEpoch, ledger: cursor.lastLedger ?? 0, before: { epoch: epoch.name }, after }], { cursor, nowMs })
}

/**
 * The first seq of the corrections with which a repair or a rebuild ended an epoch; null: it was not renamed. Another change of the name may have happened in
 * the same millisecond, or when the clock showed the same time.
 */
export async function readRepairStart(db: Queryable, epoch: string): Promise<number | null> {
  const [row] = await db.query(
    sql`select ${expressions({ seq: expression<number | null>(sql`min(k.seq)`) })}
     from (select seq, noticed_at from ${idx.corrections} where kind = 'epoch' and before->>'epoch' = $1 order by seq desc limit 1) r
       join ${idx.corrections} k on k.kind in ('event', 'epoch') and k.noticed_at = r.noticed_at and k.seq <= r.seq
     where k.seq > coalesce((select max(p.seq) from ${idx.corrections} p where p.kind = 'epoch' and p.seq < r.seq), 0)`,
    [epoch],
  )
  return row?.seq ?? null
}
