// Open interest by position in the log: one version wherever the sums of an asset changed.

import { defined } from '../../base/assert.ts'
import { columns } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { insertReturning, insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { arraysOf } from '../array-params.ts'
import { appendArrays, blockOf, divideIntoBlocks, INTEREST_VERSIONS, setArrays, versionAt } from '../state/version-blocks.ts'
import type { BlockPart } from '../state/version-blocks.ts'

/** The change of one asset's open interest at a seq; may be negative. */
export interface InterestStep {
  readonly seq: number
  readonly asset: string
  readonly long: bigint
  readonly short: bigint
  readonly positions: number
}

/** The sums of one asset after all steps. */
const SUMS = columns(idx.open_interest, 'open_interest', { asset: 'asset', long: 'long_size', short: 'short_size', positions: 'positions' })

const CHANGED = { asset: 'asset', long_size: 'long', short_size: 'short', positions: 'positions' } as const
const ADD_TO_SUMS = sql`on conflict (contract_epoch, asset) do update set long_size = open_interest.long_size + excluded.long_size,
  short_size = open_interest.short_size + excluded.short_size, positions = open_interest.positions + excluded.positions`

/** Adds steps in log order to the open interest and to its versions. */
export async function changeOpenInterest(tx: Writable, contractEpoch: number, steps: readonly InterestStep[]): Promise<void> {
  if (steps.length === 0) return
  const byAsset = Map.groupBy(steps, ({ asset }) => asset)
  const changes = [...byAsset].map(([asset, parts]) => ({ asset, ...sumOf(parts) }))
  const sums = await insertReturning(tx, idx.open_interest, changes, { contract_epoch: { all: contractEpoch }, ...CHANGED }, SUMS, ADD_TO_SUMS)
  await appendVersions(tx, contractEpoch, sums.map((after) => versionsOf(after, defined(byAsset.get(after.asset), 'the steps'))))
}

/** Adds the versions of each asset after its earlier ones. */
async function appendVersions(tx: Writable, contractEpoch: number, versionsOfAssets: readonly (readonly InterestStep[])[]): Promise<void> {
  const versions: InterestStep[] = []
  const parts: (BlockPart & { readonly asset: string })[] = []
  for (const added of versionsOfAssets) {
    for (const part of divideIntoBlocks(added, INTEREST_VERSIONS, versions.length)) parts.push({ ...part, asset: defined(added[0], 'a version').asset })
    versions.push(...added)
  }
  if (versions.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.interest_versions)} as t (contract_epoch, asset, from_seq, seqs, long_sizes, short_sizes, positions)
     select $1::int, p.asset, p.from_seq, ($2::bigint[])[p.first:p.last], ($3::numeric[])[p.first:p.last], ($4::numeric[])[p.first:p.last],
       ($5::bigint[])[p.first:p.last]
     from unnest($6::text[], $7::bigint[], $8::int[], $9::int[]) p (asset, from_seq, first, last)
     on conflict (contract_epoch, asset, from_seq) ${appendArrays(INTEREST_VERSIONS)}`,
    [
      contractEpoch, ...arraysOf(versions, { seq: 'bigint', long: 'numeric', short: 'numeric', positions: 'bigint' }),
      ...arraysOf(parts, { asset: 'text', fromSeq: 'bigint', first: 'integer', last: 'integer' }),
    ],
  )
}

function sumOf(steps: readonly InterestStep[]): Omit<InterestStep, 'seq' | 'asset'> {
  return {
    long: steps.reduce((sum, { long }) => sum + long, 0n),
    short: steps.reduce((sum, { short }) => sum + short, 0n),
    positions: steps.reduce((sum, { positions }) => sum + positions, 0),
  }
}

/** The sums after each seq, computed backwards from those after the last one. */
function versionsOf(after: RowOf<typeof SUMS>, steps: readonly InterestStep[]): readonly InterestStep[] {
  let [long, short, positions] = [BigInt(after.long), BigInt(after.short), after.positions]
  const versions: InterestStep[] = []
  for (const [seq, parts] of [...Map.groupBy(steps, (step) => step.seq)].reverse()) {
    const change = sumOf(parts)
    if (change.long === 0n && change.short === 0n && change.positions === 0) continue
    versions.push({ seq, asset: after.asset, long, short, positions })
    long -= change.long
    short -= change.short
    positions -= change.positions
  }
  return versions.reverse()
}

/**
 * Adds a step that became known later: to the versions from its seq up to, not including, `untilSeq`, or to all later ones and the present sums. The rows are
 * those that there would be if it had been known.
 */
export async function addPastInterest(tx: Writable, contractEpoch: number, step: InterestStep, untilSeq: number | null): Promise<void> {
  const { asset, seq, long, short, positions } = step
  const ends = [seq, ...(untilSeq === null ? [] : [untilSeq])]
  for (const end of ends) await divideVersion(tx, contractEpoch, asset, end)
  await tx.run(
    sql`${sql.update(idx.interest_versions)} t set (long_sizes, short_sizes, positions) = (
       select array_agg(v.long_size + n.changes * $5::numeric order by v.seq), array_agg(v.short_size + n.changes * $6::numeric order by v.seq),
         array_agg(v.positions + n.changes * $7::bigint order by v.seq)
       from unnest(t.seqs, t.long_sizes, t.short_sizes, t.positions) v (seq, long_size, short_size, positions)
       cross join lateral (select (v.seq >= $3::bigint and ($4::bigint is null or v.seq < $4::bigint))::int as changes) n)
     where t.contract_epoch = $1 and t.asset = $2 and t.from_seq >= ${blockOf(INTEREST_VERSIONS, sql`$3::bigint`)}
       and ($4::bigint is null or t.from_seq < $4::bigint)`,
    [contractEpoch, asset, seq, untilSeq, long, short, positions],
  )
  for (const end of ends) await removeRepeatedVersion(tx, contractEpoch, asset, end)
  if (untilSeq !== null) return
  await insertRows(tx, idx.open_interest, [step], { contract_epoch: { all: contractEpoch }, ...CHANGED }, ADD_TO_SUMS)
}

/** SQL: the version of an asset before the seq `$3`, and the number of the versions of a block `t` up to that seq. */
const VERSION_BEFORE = versionAt(INTEREST_VERSIONS, sql`($3::bigint - 1)`, sql`w.contract_epoch = $1 and w.asset = $2`)
const VERSIONS_UNTIL = 'width_bucket($3::bigint, t.seqs)'

/** Adds a version that repeats the one before it, unless there is one at this seq. */
async function divideVersion(tx: Writable, contractEpoch: number, asset: string, seq: number): Promise<void> {
  const inserted = (column: string): string => `t.${column}[:${VERSIONS_UNTIL}] || excluded.${column} || t.${column}[${VERSIONS_UNTIL} + 1:]`
  await tx.run(
    sql`${sql.insertInto(idx.interest_versions)} as t (contract_epoch, asset, from_seq, seqs, long_sizes, short_sizes, positions)
     select $1::int, $2::text, ${blockOf(INTEREST_VERSIONS, sql`$3::bigint`)}, array[$3::bigint], array[coalesce(v.long_size, 0)],
       array[coalesce(v.short_size, 0)], array[coalesce(v.positions, 0)]
     from (select 1) one left join lateral (${VERSION_BEFORE}) v on true
     on conflict (contract_epoch, asset, from_seq) do update set ${setArrays(INTEREST_VERSIONS, inserted)}
       where t.seqs[${VERSIONS_UNTIL}] is distinct from $3::bigint`,
    [contractEpoch, asset, seq],
  )
}

async function removeRepeatedVersion(tx: Writable, contractEpoch: number, asset: string, seq: number): Promise<void> {
  const ofSeq = sql`t.contract_epoch = $1 and t.asset = $2 and t.from_seq = ${blockOf(INTEREST_VERSIONS, sql`$3::bigint`)}`
  const shortened = (column: string): string => `t.${column}[:${VERSIONS_UNTIL} - 1] || t.${column}[${VERSIONS_UNTIL} + 1:]`
  await tx.run(
    sql`${sql.update(idx.interest_versions)} t set ${setArrays(INTEREST_VERSIONS, shortened)}
     where ${ofSeq} and t.seqs[${VERSIONS_UNTIL}] = $3::bigint
       and (t.long_sizes[${VERSIONS_UNTIL}], t.short_sizes[${VERSIONS_UNTIL}], t.positions[${VERSIONS_UNTIL}]) =
         (select coalesce(max(v.long_size), 0), coalesce(max(v.short_size), 0), coalesce(max(v.positions), 0) from (${VERSION_BEFORE}) v)`,
    [contractEpoch, asset, seq],
  )
  await tx.run(sql`${sql.deleteFrom(idx.interest_versions)} t where ${ofSeq} and t.seqs = '{}'`, [contractEpoch, asset, seq])
}

/** Adds a version at the end of the log wherever the present sums differ from the last version. */
export async function alignInterestVersions(tx: Writable, contractEpoch: number): Promise<void> {
  const replaced = (column: string): string => `t.${column}[:width_bucket(excluded.seqs[1] - 1, t.seqs)] || excluded.${column}`
  await tx.run(
    sql`${sql.insertInto(idx.interest_versions)} as t (contract_epoch, asset, from_seq, seqs, long_sizes, short_sizes, positions)
     select $1::int, a.asset, ${blockOf(INTEREST_VERSIONS, sql`c.end_seq`)}, array[c.end_seq], array[coalesce(o.long_size, 0)],
       array[coalesce(o.short_size, 0)], array[coalesce(o.positions, 0)]
     from (select greatest(last_seq, reserved_seq) as end_seq from ${idx.cursor}) c
     cross join (select asset from ${idx.interest_versions} where contract_epoch = $1 union select asset from ${idx.open_interest} where contract_epoch = $1) a
     left join ${idx.open_interest} o on o.contract_epoch = $1 and o.asset = a.asset
     left join lateral (${versionAt(INTEREST_VERSIONS, sql`c.end_seq`, sql`w.contract_epoch = $1 and w.asset = a.asset`)}) v on true
     where (coalesce(o.long_size, 0), coalesce(o.short_size, 0), coalesce(o.positions, 0))
       <> (coalesce(v.long_size, 0), coalesce(v.short_size, 0), coalesce(v.positions, 0))
     on conflict (contract_epoch, asset, from_seq) do update set ${setArrays(INTEREST_VERSIONS, replaced)}`,
    [contractEpoch],
  )
}
