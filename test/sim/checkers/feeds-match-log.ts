// Checker: the feed of every account is what a plain reading of the log gives: the events that name it, and the ends of its orders. Whose an order is, the
// log tells at its placement, or the index has read it; an execution stands right behind what it did to a position, which names the trader once more.

import assert from 'node:assert/strict'
import { listAccountEvents } from '../../../src/projections/account-events.ts'
import type { Queryable } from '../../../src/store/store.ts'
import type { Archived } from './archive.ts'
import { readWholeList } from './read-whole-list.ts'

const ROLES = ['trader', 'depositor', 'withdrawer', 'leader', 'referrer', 'referee', 'keeper']
/** Small and odd, so that borders fall inside ledgers and transactions. */
const PAGE_ROWS = 11
/** How many accounts are looked at, those with the longest feeds first. */
const ACCOUNTS_MAX = 8

export async function checkFeedsMatchLog(db: Queryable, archive: readonly Archived[]): Promise<void> {
  const feeds = await foldFeeds(db, archive)
  const rows = await db.query<{ rows: number }>('select count(*) as rows from idx.account_events')
  assert.equal(rows[0]?.rows, [...feeds.values()].reduce((sum, feed) => sum + feed.length, 0), 'rows of all feeds')
  const longest = [...feeds].sort(([, a], [, b]) => b.length - a.length).slice(0, ACCOUNTS_MAX)
  for (const [account, feed] of longest) {
    const newestFirst = feed.toReversed()
    const served = await readWholeList((cursor) => listAccountEvents(db, { account, limit: PAGE_ROWS, cursor }))
    assert.deepEqual(served.map(({ eventId }) => eventId), newestFirst.map(({ eventId }) => eventId), `feed of ${account}`)
    const orders = await readWholeList((cursor) => listAccountEvents(db, { account, kind: 'order', limit: PAGE_ROWS, cursor }))
    const expected = newestFirst.filter(({ topic }) => topic.startsWith('order_'))
    assert.deepEqual(orders.map(({ eventId }) => eventId), expected.map(({ eventId }) => eventId), `orders of ${account}`)
  }
}

/** The events of each account, oldest first. */
async function foldFeeds(db: Queryable, archive: readonly Archived[]): Promise<ReadonlyMap<string, readonly Archived[]>> {
  const read = await db.query<{ key: string; owner: string }>(`select concat_ws('/', deployment, order_id) as key, owner from idx.order_owners`)
  const owners = new Map(read.map(({ key, owner }) => [key, owner]))
  const feeds = new Map<string, Archived[]>()
  for (const [place, event] of archive.entries()) {
    const payload = event.payload ?? {}
    const accounts = new Set(ROLES.map((role) => payload[role]).filter((name) => typeof name === 'string'))
    const order = `${event.deployment}/${String(payload['orderId'])}`
    if (event.topic === 'order_placed') owners.set(order, String(payload['trader']))
    if (event.topic === 'order_executed' || event.topic === 'order_cancelled') {
      const owner = owners.get(order)
      if (owner !== undefined) accounts.add(owner)
      const filled = event.topic === 'order_executed' ? fillBefore(archive, place) : undefined
      if (owner !== undefined && filled !== undefined) assert.equal(owner, filled, `owner of order ${order}`)
    }
    for (const account of accounts) feeds.set(account, [...(feeds.get(account) ?? []), event])
  }
  return feeds
}

/** The trader of the position that the market moved right before this event, in the same transaction. */
function fillBefore(archive: readonly Archived[], place: number): string | undefined {
  const { txHash } = archive[place] ?? {}
  const before = archive.slice(Math.max(0, place - 10), place).findLast((event) => event.contractKey === 'market' && event.txHash === txHash)
  return before?.topic.startsWith('position_') === true ? String(before.payload?.['trader']) : undefined
}
