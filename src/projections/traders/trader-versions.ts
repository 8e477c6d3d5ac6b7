// Results of traders by position in the log, so that past rankings can be read. The log is divided into slabs. Each begins with the version of every trader at
// its first seq, so that one index range holds a past ranking in its order, with at most as many other versions as the slab has changes.

import { defined } from '../../base/assert.ts'
import { columns } from '../../store/columns.ts'
import { insertRows, updateOnConflict } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { arraysOf } from '../array-params.ts'

/** The figures that one event adds to a trader. */
export interface TraderGain {
  readonly seq: number
  readonly trader: string
  readonly pnl: bigint
  readonly volume: bigint
  readonly trades: number
  readonly liquidations: number
}

/** A slab holds at least this many changes, and half as many as there are traders: beginning one then costs at most two rows per change. */
const SLAB_CHANGES_MIN = 512
/** Slabs up to this capacity are begun in memory; a page can begin many of them. The database copies the versions of larger ones. */
const CAPACITY_IN_MEMORY_MAX = 2_000

interface Slab {
  readonly slab: number
  readonly firstSeq: number
  readonly capacity: number
  changes: number
}

interface Results {
  readonly pnl: bigint
  readonly volume: bigint
  readonly trades: number
  readonly liquidations: number
}

interface Version extends Results {
  readonly slab: number
  readonly trader: string
  readonly fromSeq: number
  toSeq: number | null
}

const SLAB = columns(idx.trader_slabs, 's', { slab: 'slab', firstSeq: 'first_seq', changes: 'changes', capacity: 'capacity' })
const VERSION = columns(idx.trader_versions, 'v', {
  slab: 'slab', trader: 'trader', fromSeq: 'from_seq', pnl: 'pnl', volume: 'volume', trades: 'trades', liquidations: 'liq_count',
})

/** The changes of a page. */
interface VersionChanges {
  readonly slabs: Slab[]
  readonly ended: Version[]
  readonly added: Version[]
}

/** Adds a version at the seq of every gain. The slabs depend only on the log, not on how it is divided into pages. */
export async function addTraderVersions(tx: Writable, gains: readonly TraderGain[]): Promise<void> {
  let slab = await readSlab(tx)
  const traders = [...new Set(gains.map(({ trader }) => trader))]
  const isInMemory = slab === undefined || slab.capacity <= CAPACITY_IN_MEMORY_MAX
  const isContinued = slab !== undefined && gains.length <= slab.capacity - slab.changes
  let present = slab === undefined ? new Map<string, Version>() : await readPresent(tx, slab.slab, isInMemory && !isContinued ? null : traders)
  let changes: VersionChanges = { slabs: [], ended: [], added: [] }
  for (let from = 0; from < gains.length;) {
    if (slab === undefined || slab.changes >= slab.capacity) {
      const firstSeq = defined(gains[from], 'a gain').seq
      if (isInMemory) {
        present = copyVersions(present, (slab?.slab ?? 0) + 1, changes)
        slab = { slab: (slab?.slab ?? 0) + 1, firstSeq, capacity: capacityFor(present.size), changes: 0 }
      } else {
        await storeChanges(tx, changes)
        changes = { slabs: [], ended: [], added: [] }
        slab = await copySlab(tx, slab?.slab ?? 0, firstSeq)
        present = await readPresent(tx, slab.slab, traders)
      }
    }
    const part = gains.slice(from, from + slab.capacity - slab.changes)
    addGains(present, slab.slab, part, changes)
    slab.changes += part.length
    changes.slabs.push(slab)
    from += part.length
  }
  await storeChanges(tx, changes)
}

function capacityFor(traders: number): number {
  return Math.max(SLAB_CHANGES_MIN, Math.floor(traders / 2))
}

async function readSlab(tx: Queryable): Promise<Slab | undefined> {
  const [slab] = await tx.query(sql`select ${SLAB} from ${idx.trader_slabs} s order by s.slab desc limit 1`)
  return slab
}

/** The present versions of these traders in a slab; null: of all. */
async function readPresent(tx: Queryable, slab: number, traders: readonly string[] | null): Promise<Map<string, Version>> {
  const rows = await tx.query(
    sql`select ${VERSION} from ${idx.trader_versions} v where v.slab = $1 and v.to_seq is null${traders === null ? '' : ' and v.trader = any($2::text[])'}`,
    traders === null ? [slab] : [slab, traders],
  )
  return new Map(rows.map((row) => [row.trader, { ...row, pnl: BigInt(row.pnl), volume: BigInt(row.volume), toSeq: null }]))
}

/** A slab begins with the present version of every trader. */
function copyVersions(present: ReadonlyMap<string, Version>, slab: number, { added }: VersionChanges): Map<string, Version> {
  const copies = [...present.values()].map((version) => ({ ...version, slab }))
  added.push(...copies)
  return new Map(copies.map((version) => [version.trader, version]))
}

/** As `copyVersions`, in the database. */
async function copySlab(tx: Queryable, last: number, firstSeq: number): Promise<Slab> {
  const copied = await tx.query<{ count: number }>(
    sql`with copied as (
       ${sql.insertInto(idx.trader_versions)} (slab, trader, from_seq, to_seq, pnl, volume, trades, liq_count)
       select $1::int, v.trader, v.from_seq, null, v.pnl, v.volume, v.trades, v.liq_count
       from ${idx.trader_versions} v where v.slab = $1::int - 1 and v.to_seq is null returning 1)
     select count(*) as count from copied`,
    [last + 1],
  )
  return { slab: last + 1, firstSeq, capacity: capacityFor(copied[0]?.count ?? 0), changes: 0 }
}

function addGains(present: Map<string, Version>, slab: number, gains: readonly TraderGain[], { ended, added }: VersionChanges): void {
  for (const { seq, trader, ...gain } of gains) {
    const before = present.get(trader)
    if (before !== undefined) {
      before.toSeq = seq
      ended.push(before)
    }
    const version = { slab, trader, fromSeq: seq, toSeq: null, ...addResults(before ?? NO_RESULTS, gain) }
    present.set(trader, version)
    added.push(version)
  }
}

async function storeChanges(tx: Writable, { slabs, ended, added }: VersionChanges): Promise<void> {
  if (added.length === 0) return
  const fresh = new Set(added)
  const stored = ended.filter((version) => !fresh.has(version))
  if (stored.length > 0) {
    await tx.run(
      sql`${sql.update(idx.trader_versions)} v set to_seq = page.to_seq
       from unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) page (slab, trader, from_seq, to_seq)
       where v.slab = page.slab and v.trader = page.trader and v.from_seq = page.from_seq`,
      arraysOf(stored, { slab: 'integer', trader: 'text', fromSeq: 'bigint', toSeq: 'bigint' }),
    )
  }
  await insertRows(tx, idx.trader_versions, added, {
    slab: 'slab', trader: 'trader', from_seq: 'fromSeq', to_seq: 'toSeq', pnl: 'pnl', volume: 'volume', trades: 'trades', liq_count: 'liquidations',
  })
  await insertRows(tx, idx.trader_slabs, slabs, { slab: 'slab', first_seq: 'firstSeq', capacity: 'capacity', changes: 'changes' }, COUNT_CHANGES)
}

const COUNT_CHANGES = updateOnConflict(idx.trader_slabs, ['slab'], { replace: ['changes'] })

export const NO_RESULTS: Results = { pnl: 0n, volume: 0n, trades: 0, liquidations: 0 }

export function addResults(a: Results, b: Results): Results {
  return { pnl: a.pnl + b.pnl, volume: a.volume + b.volume, trades: a.trades + b.trades, liquidations: a.liquidations + b.liquidations }
}

/** SQL of the ranking as of a seq: columns as of idx.traders. */
export function tradersAt(seq: Sql): Sql {
  return sql`${idx.trader_versions} t where t.slab = b.slab and t.from_seq <= ${seq} and (t.to_seq is null or t.to_seq > ${seq})`
}

/** SQL: the slab `b` of a seq; 0 before the first one. */
export function slabAt(seq: Sql): Sql {
  return sql`cross join lateral (select coalesce((select s.slab from ${idx.trader_slabs} s where s.first_seq <= ${seq} order by s.first_seq desc limit 1), 0)
    as slab offset 0) b`
}
