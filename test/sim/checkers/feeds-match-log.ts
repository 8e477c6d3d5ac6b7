// Checker: every account's feed has the events of the log that name the account and the ends of its orders. The owner of an order is in its placement event or
// was read by the index; an execution follows the event of its position, which names the trader again.

import assert from 'node:assert/strict'
import { listAccountEvents } from '../../../src/projections/log/account-events.ts'
import type { Queryable } from '../../../src/store/store.ts'
import type { Archived } from './archive.ts'
import { readWholeList } from './read-whole-list.ts'

const ROLES = ['trader', 'depositor', 'withdrawer', 'leader', 'referrer', 'referee', 'keeper']
/** Small and odd, so that pages end inside ledgers and transactions. */
const PAGE_ROWS = 11
/** The number of accounts to check, those with the longest feeds first. */
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
  const read = await db.query<{ key: string; owner: string }>(
    `select concat_ws('/', contract_epoch, order_id) as key, owner from idx.order_details where owner is not null`,
  )
  const owners = new Map(read.map(({ key, owner }) => [key, owner]))
  const feeds = new Map<string, Archived[]>()
  for (const [index, event] of archive.entries()) {
    const payload = event.payload ?? {}
    const accounts = new Set(ROLES.map((role) => payload[role]).filter((name) => typeof name === 'string'))
    const order = `${event.contractEpoch}/${String(payload['orderId'])}`
    if (event.topic === 'order_placed') owners.set(order, String(payload['trader']))
    if (event.topic === 'order_executed' || event.topic === 'order_cancelled') {
      const owner = owners.get(order)
      if (owner !== undefined) accounts.add(owner)
      const filled = event.topic === 'order_executed' ? fillBefore(archive, index) : undefined
      if (owner !== undefined && filled !== undefined) assert.equal(owner, filled, `owner of order ${order}`)
    }
    for (const account of accounts) feeds.set(account, [...(feeds.get(account) ?? []), event])
  }
  return feeds
}

/** The trader of the position that the preceding market event of the same transaction names. */
function fillBefore(archive: readonly Archived[], index: number): string | undefined {
  const { txHash } = archive[index] ?? {}
  const before = archive.slice(Math.max(0, index - 10), index).findLast((event) => event.contractKey === 'market' && event.txHash === txHash)
  return before?.topic.startsWith('position_') === true ? String(before.payload?.['trader']) : undefined
}
