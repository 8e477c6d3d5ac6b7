// What opens and entry orders use of the caps of keys. A use counts for the key and for all keys above it (additions to the specification, "Keys that can be
// lent").

import { sql } from '../store/sql.ts'
import type { Queryable, Writable } from '../store/store.ts'
import { keyTables } from '../store/tables.ts'

const DAY_MS = 24 * 60 * 60_000
/** A submitted transaction keeps its reservation until its day is certainly over. */
const SUBMITTED_KEPT_MS = 2 * DAY_MS
/** Time for which a released reservation is remembered, in case the reason proves to be false. */
const RELEASED_KEPT_MS = 10 * 60_000
/** Rows per statement of a sweep, and statements per sweep. */
const SWEEP_ROWS = 500
const SWEEP_STATEMENTS_MAX = 10

/** An open or an entry order. */
export interface EntryUse {
  /** Of the transaction, lower-case hex. */
  readonly hash: string
  /** 7-decimal USDC. */
  readonly notional: bigint
  /** The end of the reservation unless the transaction is submitted, milliseconds. Null: it is being submitted. */
  readonly expiresAtMs: number | null
}

/** A daily cap of a key that a request exceeds. `used` is without the request. */
export interface CapExceeded {
  readonly cap: 'maxNotionalPerDay' | 'maxOrdersPerDay'
  readonly limit: string | number
  readonly used: string | number
}

/** The use of a key on a day. */
export interface DayUse {
  /** The UTC day, such as 2026-07-06. */
  readonly day: string
  /** Digits. */
  readonly notional: string
  readonly orders: number
}

/** SQL: the daily caps of a key `k`. */
const BOUNDS = sql`(k.caps->>'maxNotionalPerDay')::numeric as max_notional, (k.caps->>'maxOrdersPerDay')::int as max_orders`

/** SQL: a key and the keys above it. */
const LINE = sql`line (key_id, parent) as (
  select key_id, parent from ${keyTables.api_keys} where key_id = $1
  union all select above.key_id, above.parent from ${keyTables.api_keys} above join line on above.key_id = line.parent)`

interface LineRow {
  readonly keyId: string
  readonly fits: boolean
  readonly maxNotional: string | null
  readonly maxOrders: number | null
  readonly notional: string
  readonly orders: number
}

/**
 * Reserves a use for a key and all keys above it, or for none of them when one has too little left: one statement, exact with any number of concurrent calls
 * and instances. The same transaction counts once. Locks the keys in the order in which every statement locks them.
 */
export async function reserveUse(db: Queryable, keyId: string, use: EntryUse, nowMs: number): Promise<CapExceeded | null> {
  const exceeded = await tryReserve(db, keyId, use, nowMs)
  if (exceeded === null || (await sweepUses(db, nowMs)) === 0) return exceeded
  return await tryReserve(db, keyId, use, nowMs)
}

async function tryReserve(db: Queryable, keyId: string, { hash, notional, expiresAtMs }: EntryUse, nowMs: number): Promise<CapExceeded | null> {
  const rows = await db.query<LineRow>(
    sql`with recursive ${LINE}, locked as (
      select k.key_id, k.caps, greatest(k.used_day, $3::int) as day, case when k.used_day >= $3::int then k.used_notional else 0 end as notional,
        case when k.used_day >= $3::int then k.used_orders else 0 end as orders
      from ${keyTables.api_keys} k where k.key_id in (select key_id from line) order by k.key_id for no key update of k
    ), judged as (
      select k.key_id, k.day, k.notional, k.orders, ${BOUNDS},
        exists (select from ${keyTables.cap_uses} u where u.hash = $2 and u.key_id = k.key_id and not u.released) as counted
      from locked k
    ), decided as (
      select *, bool_and(counted or ((max_notional is null or notional + $4::numeric <= max_notional) and (max_orders is null or orders < max_orders)))
        over () as fits
      from judged
    ), reserved as (
      ${sql.insertInto(keyTables.cap_uses)} as u (hash, key_id, day, notional, counted_in, expires_at)
      select $2, key_id, day, $4::numeric, pg_current_xact_id()::text::bigint, $5::bigint from decided where fits
      on conflict (hash, key_id) do update set expires_at = greatest(u.expires_at, excluded.expires_at), released = false,
        day = case when u.released then excluded.day else u.day end, counted_in = case when u.released then excluded.counted_in else u.counted_in end
      returning key_id, counted_in
    ), counted as (
      ${sql.update(keyTables.api_keys)} k set used_day = d.day, used_notional = d.notional + $4::numeric, used_orders = d.orders + 1
      from decided d join reserved r on r.key_id = d.key_id
      where k.key_id = d.key_id and r.counted_in = pg_current_xact_id()::text::bigint
    )
    select key_id as "keyId", fits, max_notional as "maxNotional", max_orders as "maxOrders", notional, orders from decided`,
    [keyId, hash, dayOf(nowMs), notional.toString(), expiresAtMs ?? nowMs + SUBMITTED_KEPT_MS],
  )
  return rows.some(({ fits }) => !fits) ? findExceeded(rows, keyId, notional) : null
}

/** The first key of the line with too little left: the key itself before those above it. */
function findExceeded(rows: readonly LineRow[], keyId: string, notional: bigint): CapExceeded | null {
  for (const row of [...rows].sort((a, b) => Number(b.keyId === keyId) - Number(a.keyId === keyId))) {
    const { maxNotional, maxOrders } = row
    if (maxNotional !== null && BigInt(row.notional) + notional > BigInt(maxNotional)) {
      return { cap: 'maxNotionalPerDay', limit: maxNotional, used: row.notional }
    }
    if (maxOrders !== null && row.orders >= maxOrders) return { cap: 'maxOrdersPerDay', limit: maxOrders, used: row.orders }
  }
  return null
}

/** SQL: what a key `k` has used on day `$2` at time `$3`, without reservations that have expired. */
const USED = sql`case when k.used_day >= $2::int then k.used_notional - expired.notional else 0 end as notional,
  case when k.used_day >= $2::int then (k.used_orders - expired.orders)::int else 0 end as orders`
const EXPIRED = sql`cross join lateral (
    select coalesce(sum(u.notional), 0) as notional, count(*) as orders from ${keyTables.cap_uses} u
    where u.key_id = k.key_id and u.day = k.used_day and not u.released and u.expires_at <= $3::bigint) expired`

/** The daily cap that a use would exceed now; null when there is none. Reserves nothing. */
export async function findExceededCap(db: Queryable, keyId: string, notional: bigint, nowMs: number): Promise<CapExceeded | null> {
  const rows = await db.query<LineRow>(
    sql`with recursive ${LINE}
    select k.key_id as "keyId", false as fits, (k.caps->>'maxNotionalPerDay')::numeric as "maxNotional", (k.caps->>'maxOrdersPerDay')::int as "maxOrders",
      ${USED}
    from ${keyTables.api_keys} k ${EXPIRED} where k.key_id in (select key_id from line)`,
    [keyId, dayOf(nowMs), nowMs],
  )
  return findExceeded(rows, keyId, notional)
}

/** The uses of these keys today, by key id. */
export async function readDayUses(db: Queryable, keyIds: readonly string[], nowMs: number): Promise<ReadonlyMap<string, DayUse>> {
  const rows = await db.query<{ keyId: string; notional: string; orders: number }>(
    sql`select k.key_id as "keyId", ${USED} from ${keyTables.api_keys} k ${EXPIRED} where k.key_id = any($1::text[])`, [keyIds, dayOf(nowMs), nowMs],
  )
  const day = new Date(nowMs).toISOString().slice(0, 'YYYY-MM-DD'.length)
  return new Map(rows.map(({ keyId, notional, orders }) => [keyId, { day, notional, orders }]))
}

/** The outcome of a transaction, as far as caps are concerned. `PREPARED`: it was not taken, and may be submitted until `expiresAtMs`. */
type UseOutcome = 'counts' | 'released' | { readonly expiresAtMs: number }

/** Stores what became of a transaction's reservations. Without effect for a transaction that has none. */
export async function settleUse(db: Writable, hash: string, outcome: UseOutcome, nowMs: number): Promise<void> {
  const expiresAtMs = typeof outcome === 'object' ? outcome.expiresAtMs : nowMs + (outcome === 'released' ? RELEASED_KEPT_MS : SUBMITTED_KEPT_MS)
  await db.run(
    sql`with locked as (
      select k.key_id from ${keyTables.api_keys} k where k.key_id in (select key_id from ${keyTables.cap_uses} where hash = $1)
      order by k.key_id for no key update of k
    ), before as (
      select u.key_id, u.released from ${keyTables.cap_uses} u join locked on locked.key_id = u.key_id where u.hash = $1 for update of u
    ), changed as (
      ${sql.update(keyTables.cap_uses)} u set released = $2, expires_at = $3
      from before b where u.hash = $1 and u.key_id = b.key_id
      returning u.key_id, u.day, u.notional, b.released as was_released
    )
    ${sql.update(keyTables.api_keys)} k set used_notional = k.used_notional + case when $2 then -c.notional else c.notional end,
      used_orders = k.used_orders + case when $2 then -1 else 1 end
    from changed c where k.key_id = c.key_id and k.used_day = c.day and c.was_released <> $2`,
    [hash, outcome === 'released', expiresAtMs],
  )
}

/** The transaction is submitted inside a fee bump: from now on the reservations are those of the outer transaction. */
export async function renameUse(db: Writable, innerHash: string, hash: string): Promise<void> {
  await db.run(
    sql`${sql.update(keyTables.cap_uses)} u set hash = $2
    where u.hash = $1 and not u.released and not exists (select from ${keyTables.cap_uses} o where o.hash = $2 and o.key_id = u.key_id)`,
    [innerHash, hash],
  )
}

/** Ends reservations that have expired, and deletes them. Returns how many there were. */
export async function sweepUses(db: Queryable, nowMs: number): Promise<number> {
  let swept = 0
  for (let statement = 0; statement < SWEEP_STATEMENTS_MAX; statement++) {
    const rows = await sweepSome(db, nowMs)
    swept += rows
    if (rows < SWEEP_ROWS) break
  }
  return swept
}

async function sweepSome(db: Queryable, nowMs: number): Promise<number> {
  const rows = await db.query(
    sql`with due as (
      select hash, key_id from ${keyTables.cap_uses} where expires_at <= $1 order by expires_at limit ${SWEEP_ROWS}
    ), locked as (
      select k.key_id from ${keyTables.api_keys} k where k.key_id in (select key_id from due) order by k.key_id for no key update of k
    ), swept as (
      ${sql.deleteFrom(keyTables.cap_uses)} u using due, locked
      where u.hash = due.hash and u.key_id = due.key_id and locked.key_id = u.key_id and u.expires_at <= $1
      returning u.key_id, u.day, u.notional, u.released
    ), freed as (
      ${sql.update(keyTables.api_keys)} k set used_notional = k.used_notional - f.notional, used_orders = k.used_orders - f.orders
      from (select key_id, day, sum(notional) as notional, count(*)::int as orders from swept where not released group by key_id, day) f
      where k.key_id = f.key_id and k.used_day = f.day
    )
    select 1 from swept`,
    [nowMs],
  )
  return rows.length
}

/** UTC days since 1970. */
function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS)
}
