// Anchors: ledgers of the indexed chains by their hashes. They identify a chain, because no other chain has the same hashes.

import { columns } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { recordNewerForms } from './newer-forms.ts'

/** A ledger that was indexed. */
export interface Anchor {
  readonly ledger: number
  readonly hash: string
  readonly previousHash: string
  /** Unix seconds; null where the header has a form of a later protocol. */
  readonly closeSec: number | null
  /** Unix milliseconds; null where the header has none. */
  readonly closeMs: number | null
  /** The protocol after the ledger; null likewise. */
  readonly protocol: number | null
}

/** A ledger whose header was read. */
export interface ReadAnchor extends Anchor {
  /** The part of the header that is newer than this gateway; null: nothing. */
  readonly newer: { readonly what: string; readonly xdr: string } | null
}

/** Every ledger of the last ones is an anchor, as far as its header was read. */
export const DENSE_ANCHORS = 256
/** Beyond them, the distance between two anchors is at most about this fraction of their age. */
const DISTANCE_PER_AGE = 64
/** Anchors are thinned each time the chain has grown by this many ledgers. */
const THIN_EVERY_LEDGERS = 64

const COLUMNS = columns(idx.anchors, 'a', {
  ledger: 'ledger', hash: 'hash', previousHash: 'previous_hash', closeSec: 'close_ts', closeMs: 'close_ms', protocol: 'protocol',
})
const LEDGER = columns(idx.anchors, 'a', { ledger: 'ledger' })

/** All anchors of a chain, newest first: at most about two thousand. */
export async function readAnchors(db: Queryable, chain: number): Promise<readonly Anchor[]> {
  return await db.query(sql`select ${COLUMNS} from ${idx.anchors} a where a.chain = $1 order by a.ledger desc`, [chain])
}

/** The newest anchor up to a ledger; null when there is none. */
export async function readAnchorAt(db: Queryable, chain: number, ledger: number = Number.MAX_SAFE_INTEGER): Promise<Anchor | null> {
  const [anchor] = await db.query(
    sql`select ${COLUMNS} from ${idx.anchors} a where a.chain = $1 and a.ledger <= $2::bigint order by a.ledger desc limit 1`, [chain, ledger],
  )
  return anchor ?? null
}

/** Stores anchors, ascending, and thins older ones when the chain has grown. A known ledger keeps its hash. Also records what of their headers is unknown. */
export async function insertAnchors(tx: Writable, chain: number, anchors: readonly ReadAnchor[], nowMs: number): Promise<void> {
  const newest = anchors.at(-1)
  if (newest === undefined) return
  const newer = anchors.flatMap(({ ledger, newer: form }) => (form === null ? [] : [{ ...form, ledger }]))
  await recordNewerForms(tx, chain, newer, { nowMs })
  const before = await readAnchorAt(tx, chain)
  await insertRows(
    tx, idx.anchors, anchors,
    { chain: { all: chain }, ledger: 'ledger', hash: 'hash', previous_hash: 'previousHash', close_ts: 'closeSec', close_ms: 'closeMs', protocol: 'protocol' },
    sql`on conflict (chain, ledger) do nothing`,
  )
  const hasGrown = before !== null && Math.floor(newest.ledger / THIN_EVERY_LEDGERS) > Math.floor(before.ledger / THIN_EVERY_LEDGERS)
  if (!hasGrown) return
  const ledgers = await tx.query(
    sql`select ${LEDGER} from ${idx.anchors} a where a.chain = $1 and a.ledger <= $2::bigint order by a.ledger`, [chain, newest.ledger - DENSE_ANCHORS],
  )
  const surplus = surplusAnchors(ledgers.map(({ ledger }) => ledger), newest.ledger)
  if (surplus.length > 0) await tx.run(sql`${sql.deleteFrom(idx.anchors)} where chain = $1 and ledger = any($2::bigint[])`, [chain, surplus])
}

/** The anchors to delete, of ascending ledgers: those too close to the one before, for their age. The oldest always stays. */
export function surplusAnchors(ledgers: readonly number[], newest: number): number[] {
  const surplus: number[] = []
  let lastBucket = ''
  for (const ledger of ledgers) {
    const age = newest - ledger
    if (age < DENSE_ANCHORS) break
    const distance = 2 ** Math.floor(Math.log2(age / DISTANCE_PER_AGE))
    const bucket = `${distance} ${Math.floor(ledger / distance)}`
    if (bucket === lastBucket) surplus.push(ledger)
    lastBucket = bucket
  }
  return surplus
}
