// Appends corrections to the log: of vaults, sums, events of the archive, and the name of the epoch. Those of positions are in corrections.ts.

import type { CorrectedValues, CorrectionKind } from '../../resources/correction.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { columnsOf } from '../columns.ts'
import { renameEpoch } from '../state/epochs.ts'
import type { IndexCursor } from '../state/index-state.ts'
import { lastReservedSeq, readIndexCursor, updateIndexCursor } from '../state/index-state.ts'

/** The deployment, ledger and time of a comparison of the index. `cursor` is the present one: corrections are added at the end of the log. */
export interface ComparisonContext {
  readonly deployment: number
  readonly cursor: IndexCursor
  readonly ledger: number
  readonly nowMs: number
}

/** A correction that a rebuild does not repeat. Null: there was none, or there is none any more. */
export interface RecordedCorrection {
  readonly kind: Extract<CorrectionKind, 'interest' | 'vault' | 'epoch'>
  readonly vaultId: number | null
  readonly asset: string | null
  readonly ledger: number
  readonly before: CorrectedValues | null
  readonly after: CorrectedValues | null
}

/** Stores corrections at the end of the log. Throws IndexConflict. */
export async function appendCorrections(
  tx: Writable, corrections: readonly RecordedCorrection[], { deployment, cursor, nowMs }: Omit<ComparisonContext, 'ledger'>,
): Promise<void> {
  if (corrections.length === 0) return
  const firstSeq = lastReservedSeq(cursor) + 1
  const rows = corrections.map(({ before, after, ...row }, index) => (
    { ...row, seq: firstSeq + index, before: toJson(before), after: toJson(after) }))
  await extendLog(tx, cursor, rows.length)
  await tx.run(
    sql`${sql.insertInto(idx.corrections)} (deployment, noticed_at, place, kind, vault_id, asset, ledger, before, after)
     select $1::int, $2::bigint, n.seq, n.kind, n.vault_id, n.asset, n.ledger, n.before::jsonb, n.after::jsonb
     from unnest($3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::text[], $9::text[])
       n (seq, kind, vault_id, asset, ledger, before, after)`,
    [deployment, nowMs, ...columnsOf(rows, ['seq', 'kind', 'vaultId', 'asset', 'ledger', 'before', 'after'])],
  )
}

function toJson(values: CorrectedValues | null): string | null {
  return values === null ? null : JSON.stringify(values)
}

/** Takes numbers at the end of the log. Throws IndexConflict. */
export async function extendLog(tx: Queryable, cursor: IndexCursor, count: number): Promise<void> {
  await updateIndexCursor(tx, cursor, { ...cursor, lastSeq: lastReservedSeq(cursor) + count }, null)
}

/** The time of a repair of the archive, and the ledger of the comparison that led to it. */
export interface RepairContext {
  readonly ledger: number
  readonly nowMs: number
}

/** SQL: an event of the archive (`v`) as CorrectedValues. */
const ARCHIVED_VALUES = `jsonb_build_object('contractId', v.contract_id, 'topic', v.topic, 'ledger', v.ledger, 'ledgerCloseTs', v.ledger_close_ts,
  'txHash', v.tx_hash, 'payload', v.payload, 'topicsXdr', to_jsonb(string_to_array(v.topics_xdr, ' ')), 'valueXdr', v.value_xdr)`

/** SQL: the event of a repair (`r`) as CorrectedValues. */
const REPAIRED_VALUES = `jsonb_build_object('contractId', r.event->'contractId', 'topic', r.event->'topic', 'ledger', r.event->'ledger',
  'ledgerCloseTs', r.event->'ledgerCloseTs', 'txHash', r.event->'txHash', 'payload', r.event->'payload', 'topicsXdr', r.event->'topicsXdr',
  'valueXdr', r.event->'valueXdr')`

/** Records what the stored repairs are about to change. Must run before they are applied. Returns the first seq that they change; null: none. */
export async function recordRepairCorrections(tx: Queryable, { ledger, nowMs }: RepairContext): Promise<number | null> {
  const source = sql`select r.epoch, coalesce(v.event_id, r.event->>'eventId') as event_id, coalesce(r.event->'payload', v.payload) as payload,
      case when v.seq is not null then ${ARCHIVED_VALUES} end as before, case when r.event is not null then ${REPAIRED_VALUES} end as after, v.seq
    from ${idx.repairs} r left join ${idx.events} v on v.seq = r.seq`
  const cursor = await readIndexCursor(tx)
  if (cursor === null) return null
  const [recorded] = await tx.query<{ count: number; firstSeq: number | null }>(
    sql`with source as materialized (${source}), added as (
       ${sql.insertInto(idx.corrections)} (place, deployment, kind, event_id, ledger, noticed_at, trader, asset, before, after)
       select $1::bigint + row_number() over (order by s.epoch, s.event_id collate "C", s.seq), p.deployment, 'event', s.event_id, $2::bigint, $3::bigint,
         s.payload->>'trader', s.payload->>'asset', s.before, s.after
       from source s join ${idx.epochs} p on p.number = s.epoch returning place)
     select (select count(*) from added) as count, (select min(s.seq) from source s) as "firstSeq"`,
    [lastReservedSeq(cursor), ledger, nowMs],
  )
  if (recorded === undefined || recorded.count === 0) return null
  await extendLog(tx, cursor, recorded.count)
  return recorded.firstSeq
}

/** A change of the epoch's name, after a repair, a rebuild, or a loss of ledgers. */
export interface EpochChangeContext {
  readonly name: string
  /** The first seq that another row has now; null: none. */
  readonly fromSeq: number | null
  readonly nowMs: number
}

/** Renames the current epoch and records it after the changes that caused it, so that clients can follow. Throws IndexConflict. */
export async function renameCurrentEpoch(tx: Writable, { name, fromSeq, nowMs }: EpochChangeContext): Promise<void> {
  const cursor = await readIndexCursor(tx)
  const [epoch] = await tx.query<{ name: string; deployment: number }>(
    sql`select e.epoch as name, e.deployment from ${idx.epochs} e where e.number = $1`, [cursor?.epoch ?? null],
  )
  if (cursor === null || epoch === undefined) return
  await renameEpoch(tx, cursor.epoch, name)
  const renamed: RecordedCorrection = {
    kind: 'epoch', vaultId: null, asset: null, ledger: cursor.lastLedger ?? 0, before: { epoch: epoch.name },
    after: { epoch: name, ...(fromSeq === null ? {} : { fromSeq }) },
  }
  await appendCorrections(tx, [renamed], { deployment: epoch.deployment, cursor, nowMs })
}

/**
 * The first seq of the corrections with which a repair or a rebuild ended an epoch; null: it was not renamed. Another change of the name may have happened in
 * the same millisecond, or when the clock showed the same time.
 */
export async function readRepairStart(db: Queryable, epoch: string): Promise<number | null> {
  const [row] = await db.query<{ seq: number | null }>(
    sql`select min(k.place) as seq
     from (select place, noticed_at from ${idx.corrections} where kind = 'epoch' and before->>'epoch' = $1 order by place desc limit 1) r
       join ${idx.corrections} k on k.kind in ('event', 'epoch') and k.noticed_at = r.noticed_at and k.place <= r.place
     where k.place > coalesce((select max(p.place) from ${idx.corrections} p where p.kind = 'epoch' and p.place < r.place), 0)`,
    [epoch],
  )
  return row?.seq ?? null
}
