// Open interest by position in the log: one row wherever the sums of an asset changed.

import { defined } from '../base/assert.ts'
import type { Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'

/** The change of one asset's open interest at a seq; may be negative. */
export interface InterestStep {
  readonly seq: number
  readonly asset: string
  readonly long: bigint
  readonly short: bigint
  readonly positions: number
}

/** The sums of one asset after all steps. */
interface InterestSums {
  readonly asset: string
  readonly long: string
  readonly short: string
  readonly positions: number
}

/** Adds steps in log order to the open interest and to its versions. */
export async function changeOpenInterest(tx: Queryable, deployment: number, steps: readonly InterestStep[]): Promise<void> {
  if (steps.length === 0) return
  const changes = [...Map.groupBy(steps, ({ asset }) => asset)].map(([asset, parts]) => ({ asset, ...sumOf(parts) }))
  const sums = await tx.query<InterestSums>(
    `insert into idx.open_interest as o (deployment, asset, long_size, short_size, positions)
     select $1::int, unnest($2::text[]), unnest($3::numeric[]), unnest($4::numeric[]), unnest($5::bigint[])
     on conflict (deployment, asset) do update set long_size = o.long_size + excluded.long_size, short_size = o.short_size + excluded.short_size,
       positions = o.positions + excluded.positions
     returning o.asset, o.long_size as long, o.short_size as short, o.positions`,
    [deployment, ...columnsOf(changes, ['asset', 'long', 'short', 'positions'])],
  )
  const byAsset = new Map(sums.map((row) => [row.asset, row]))
  const versions = changes.flatMap(({ asset }) => versionsOf(defined(byAsset.get(asset), 'the sums'), steps.filter((step) => step.asset === asset)))
  if (versions.length === 0) return
  await tx.query(
    `insert into idx.interest_versions (deployment, asset, seq, long_size, short_size, positions)
     select $1::int, unnest($2::text[]), unnest($3::bigint[]), unnest($4::numeric[]), unnest($5::numeric[]), unnest($6::bigint[])`,
    [deployment, ...columnsOf(versions, ['asset', 'seq', 'long', 'short', 'positions'])],
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
function versionsOf(after: InterestSums, steps: readonly InterestStep[]): readonly InterestStep[] {
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
export async function addPastInterest(tx: Queryable, deployment: number, step: InterestStep, untilSeq: number | null): Promise<void> {
  const { asset, seq, long, short, positions } = step
  for (const at of [seq, ...(untilSeq === null ? [] : [untilSeq])]) {
    await tx.query(
      `insert into idx.interest_versions (deployment, asset, seq, long_size, short_size, positions)
       select $1::int, $2::text, $3::bigint, coalesce(v.long_size, 0), coalesce(v.short_size, 0), coalesce(v.positions, 0)
       from (select 1) one left join lateral (
         select * from idx.interest_versions w where w.deployment = $1 and w.asset = $2 and w.seq < $3::bigint order by w.seq desc limit 1) v on true
       on conflict (deployment, asset, seq) do nothing`,
      [deployment, asset, at],
    )
  }
  await tx.query(
    `update idx.interest_versions set long_size = long_size + $5::numeric, short_size = short_size + $6::numeric, positions = positions + $7::bigint
     where deployment = $1 and asset = $2 and seq >= $3::bigint and ($4::bigint is null or seq < $4::bigint)`,
    [deployment, asset, seq, untilSeq, long, short, positions],
  )
  for (const at of [seq, ...(untilSeq === null ? [] : [untilSeq])]) {
    await tx.query(
      `delete from idx.interest_versions v where v.deployment = $1 and v.asset = $2 and v.seq = $3::bigint
         and (v.long_size, v.short_size, v.positions) = (select coalesce(max(p.long_size), 0), coalesce(max(p.short_size), 0), coalesce(max(p.positions), 0)
           from (select * from idx.interest_versions w where w.deployment = $1 and w.asset = $2 and w.seq < $3::bigint order by w.seq desc limit 1) p)`,
      [deployment, asset, at],
    )
  }
  if (untilSeq !== null) return
  await tx.query(
    `insert into idx.open_interest as o (deployment, asset, long_size, short_size, positions) values ($1, $2, $3, $4, $5)
     on conflict (deployment, asset) do update set long_size = o.long_size + excluded.long_size, short_size = o.short_size + excluded.short_size,
       positions = o.positions + excluded.positions`,
    [deployment, asset, long, short, positions],
  )
}

/** Adds a version at the end of the log wherever the present sums differ from the last version. */
export async function alignInterestVersions(tx: Queryable, deployment: number): Promise<void> {
  await tx.query(
    `insert into idx.interest_versions (deployment, asset, seq, long_size, short_size, positions)
     select $1::int, a.asset, (select greatest(c.last_seq, c.reserved_seq) from idx.cursor c), coalesce(o.long_size, 0), coalesce(o.short_size, 0),
       coalesce(o.positions, 0)
     from (select asset from idx.interest_versions where deployment = $1 union select asset from idx.open_interest where deployment = $1) a
     left join idx.open_interest o on o.deployment = $1 and o.asset = a.asset
     left join lateral (
       select * from idx.interest_versions w where w.deployment = $1 and w.asset = a.asset order by w.seq desc limit 1) v on true
     where (coalesce(o.long_size, 0), coalesce(o.short_size, 0), coalesce(o.positions, 0))
       <> (coalesce(v.long_size, 0), coalesce(v.short_size, 0), coalesce(v.positions, 0))
     on conflict (deployment, asset, seq) do update set long_size = excluded.long_size, short_size = excluded.short_size, positions = excluded.positions`,
    [deployment],
  )
}
