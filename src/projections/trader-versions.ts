// Results of traders by position in the log, so that past rankings can be read. The log is divided into slabs. Each begins with the version of every trader at
// its first seq, so that one index range holds a past ranking in its order, with at most as many other versions as the slab has changes.

import { defined } from '../base/assert.ts'
import type { Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'

/** What one event adds to a trader. */
export interface TraderGain {
  readonly seq: number
  readonly trader: string
  readonly pnl: bigint
  readonly volume: bigint
  readonly trades: number
  readonly liquidations: number
}

/** A slab holds at least this many changes, and half as many as there are traders: beginning one then costs at most two rows per change. */
const SLAB_CHANGES_MIN = 64

interface Slab {
  slab: number
  changes: number
  capacity: number
}

interface Results {
  readonly pnl: bigint
  readonly volume: bigint
  readonly trades: number
  readonly liquidations: number
}

interface Version extends Results {
  readonly trader: string
  readonly fromSeq: number
  toSeq: number | null
  /** True when it is in the table already. */
  readonly stored: boolean
}

type RawVersion = Omit<Version, 'pnl' | 'volume' | 'stored' | 'toSeq'> & { readonly pnl: string; readonly volume: string }

/** Adds a version at the seq of every gain. The slabs depend only on the log, not on how it is divided into pages. */
export async function addTraderVersions(tx: Queryable, gains: readonly TraderGain[]): Promise<void> {
  let slab = await readSlab(tx)
  for (let from = 0; from < gains.length;) {
    const firstSeq = defined(gains[from], 'a gain').seq
    slab = slab === undefined || slab.changes >= slab.capacity ? await beginSlab(tx, slab, firstSeq) : slab
    const part = gains.slice(from, from + slab.capacity - slab.changes)
    await addToSlab(tx, slab.slab, part)
    slab.changes += part.length
    await tx.query('update idx.trader_slabs set changes = $2::bigint where slab = $1', [slab.slab, slab.changes])
    from += part.length
  }
}

async function readSlab(tx: Queryable): Promise<Slab | undefined> {
  const [slab] = await tx.query<Slab>('select slab, changes, capacity from idx.trader_slabs order by slab desc limit 1')
  return slab
}

/** Begins a slab with the present version of every trader. */
async function beginSlab(tx: Queryable, last: Slab | undefined, firstSeq: number): Promise<Slab> {
  const number = (last?.slab ?? 0) + 1
  const copied = await tx.query<{ count: number }>(
    `with copied as (
       insert into idx.trader_versions (slab, trader, from_seq, to_seq, pnl, volume, trades, liq_count)
       select $1::int, v.trader, v.from_seq, null, v.pnl, v.volume, v.trades, v.liq_count
       from idx.trader_versions v where v.slab = $1::int - 1 and v.to_seq is null returning 1)
     select count(*) as count from copied`,
    [number],
  )
  const capacity = Math.max(SLAB_CHANGES_MIN, Math.floor((copied[0]?.count ?? 0) / 2))
  await tx.query('insert into idx.trader_slabs (slab, first_seq, capacity, changes) values ($1, $2, $3, 0)', [number, firstSeq, capacity])
  return { slab: number, changes: 0, capacity }
}

async function addToSlab(tx: Queryable, slab: number, gains: readonly TraderGain[]): Promise<void> {
  const rows = await tx.query<RawVersion>(
    `select v.trader, v.from_seq as "fromSeq", v.pnl, v.volume, v.trades, v.liq_count as liquidations
     from idx.trader_versions v where v.slab = $1 and v.trader = any($2::text[]) and v.to_seq is null`,
    [slab, [...new Set(gains.map(({ trader }) => trader))]],
  )
  const latest = new Map<string, Version>(rows.map((row) => (
    [row.trader, { ...row, pnl: BigInt(row.pnl), volume: BigInt(row.volume), toSeq: null, stored: true }])))
  const touched = new Set<Version>()
  for (const { seq, trader, ...gain } of gains) {
    const before = latest.get(trader)
    if (before !== undefined) {
      before.toSeq = seq
      touched.add(before)
    }
    const version = { trader, fromSeq: seq, toSeq: null, stored: false, ...addResults(before ?? NO_RESULTS, gain) }
    latest.set(trader, version)
    touched.add(version)
  }
  const ended = [...touched].filter(({ stored }) => stored)
  await tx.query(
    `update idx.trader_versions v set to_seq = page.to_seq from unnest($2::text[], $3::bigint[], $4::bigint[]) page (trader, from_seq, to_seq)
     where v.slab = $1 and v.trader = page.trader and v.from_seq = page.from_seq`,
    [slab, ...columnsOf(ended, ['trader', 'fromSeq', 'toSeq'])],
  )
  await tx.query(
    `insert into idx.trader_versions (slab, trader, from_seq, to_seq, pnl, volume, trades, liq_count)
     select $1::int, * from unnest($2::text[], $3::bigint[], $4::bigint[], $5::numeric[], $6::numeric[], $7::bigint[], $8::bigint[])`,
    [slab, ...columnsOf([...touched].filter(({ stored }) => !stored), ['trader', 'fromSeq', 'toSeq', 'pnl', 'volume', 'trades', 'liquidations'])],
  )
}

export const NO_RESULTS: Results = { pnl: 0n, volume: 0n, trades: 0, liquidations: 0 }

export function addResults(a: Results, b: Results): Results {
  return { pnl: a.pnl + b.pnl, volume: a.volume + b.volume, trades: a.trades + b.trades, liquidations: a.liquidations + b.liquidations }
}

/** SQL of the ranking as of a seq: columns as of idx.traders. */
export function tradersAt(seq: string): string {
  return `idx.trader_versions t where t.slab = b.slab and t.from_seq <= ${seq} and (t.to_seq is null or t.to_seq > ${seq})`
}

/** SQL: the slab `b` of a seq; 0 before the first one. */
export function slabAt(seq: string): string {
  return `cross join lateral (select coalesce((select s.slab from idx.trader_slabs s where s.first_seq <= ${seq} order by s.first_seq desc limit 1), 0)
    as slab offset 0) b`
}
