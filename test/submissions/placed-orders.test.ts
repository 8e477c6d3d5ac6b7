// The order of a transaction: GET /v1/tx/{hash}, lists and the log name it only when GET /v1/orders/{orderId} has it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { SignedTransaction } from '../../src/chain/codec/transaction.ts'
import { readOrder } from '../../src/projections/orders/order-history.ts'
import type { Relay } from '../../src/trading/relay/relay.ts'
import type { TransactionRow } from '../../src/resources/transaction.ts'
import { createJournal } from '../../src/trading/journal.ts'
import { NO_RESULT } from '../../src/trading/submission-records.ts'
import { createTransactionReader } from '../../src/trading/transaction-reader.ts'
import { createIndexFixture } from '../index/fixture.ts'
import type { ExchangeEvent } from '../index/history.ts'
import { TRADERS } from '../index/accounts.ts'
import { openTestStore } from '../support/database.ts'

/** Picks for the test exchange: a reported placement of the second trader, and one without an event of the first. */
const [REPORTED, SILENT] = [9, 0]

const store = await openTestStore()
const fixture = createIndexFixture(store)
after(async () => {
  await fixture[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

const { clock } = fixture
let elsewhere = { ledger: 0, orderId: 0 }
const relay = {
  operationOf: () => 'place_limit_order',
  decode: () => undefined,
  outcomes: {
    // Of a transaction that was submitted elsewhere.
    lookUp: () => Promise.resolve({ latestLedger: 0, oldestLedger: 0, outcome: { kind: 'success', closeSec: null, ...elsewhere } }),
  },
} as unknown as Relay
const journal = createJournal({ store, clock, driver: 'one', operationOf: relay.operationOf })
const reader = createTransactionReader({ store, relay, clock, journal })
const caller = { owner: 'G-owner', requester: { address: '192.0.2.1', key: 'nk_1' } }

/** Stores a submission of the trader that is in the next ledger, with the order that the call returned. */
async function submit(hash: string, trader: string, orderId: number): Promise<void> {
  const signed = { hash, source: trader, sequence: 1n, expiresAt: 9_999, envelopeXdr: hash } as unknown as SignedTransaction
  await journal.begin(signed, { owner: caller.owner, clientId: null })
  const ledger = fixture.node.latest().sequence + 1
  await journal.end({ owner: caller.owner, hash }, 'SUCCESS', { ...NO_RESULT, ledger, ts: fixture.nowSec(), orderId })
}

async function indexLedger(event: ExchangeEvent | undefined): Promise<void> {
  fixture.queue(event)
  fixture.closeLedger()
  await fixture.catchUp()
}

/** Each surface's order of the transaction. */
async function orderIdsOf(hash: string): Promise<(number | null | undefined)[]> {
  const [changed] = await store.read.query<{ row: TransactionRow }>('select row from tx.submission_changes where hash = $1 order by id desc limit 1', [hash])
  const { rows } = await reader.list(caller.owner, { limit: 50, cursor: undefined })
  return [(await reader.find(hash, caller))?.row.orderId, rows.find((row) => row.hash === hash)?.orderId, changed?.row.orderId]
}

const hasOrder = async (orderId: number): Promise<boolean> => (await readOrder(store.read, { orderId })).order !== null

test('a transaction names the order that its call returned only when the index has the order', async () => {
  await indexLedger(undefined)
  const placement = fixture.exchange.placeOrder(REPORTED) ?? assert.fail('an event')
  const hash = [fixture.node.latest().sequence + 1, placement.event.transaction].map((part) => part.toString(16).padStart(8, '0')).join('').padStart(64, '0')
  await submit(hash, TRADERS[REPORTED % TRADERS.length] ?? '', 1)
  assert.equal(await hasOrder(1), false)
  assert.deepEqual(await orderIdsOf(hash), [null, null, null], 'before its ledger is indexed')
  await indexLedger(placement)
  assert.equal(await hasOrder(1), true)
  assert.deepEqual((await orderIdsOf(hash)).slice(0, 2), [1, 1])
})

test('an order that was placed without an event is named when its entry has been read', async () => {
  await indexLedger(undefined)
  const trader = TRADERS[0] ?? ''
  assert.equal(fixture.exchange.placeOrder(SILENT), undefined)
  const hash = 'a'.repeat(64)
  const foreign = 'b'.repeat(64)
  await submit(hash, trader, 2)
  await indexLedger(undefined)
  elsewhere = { ledger: fixture.node.latest().sequence, orderId: 2 }
  assert.equal(await hasOrder(2), false)
  assert.deepEqual(await orderIdsOf(hash), [null, null, null])
  const unread = (await reader.find(foreign, caller))?.row
  assert.deepEqual([unread?.events, unread?.orderId], [[], null], 'submitted elsewhere')
  fixture.clock.advance(10_000)
  await fixture.indexer.observe()
  await fixture.indexer.observe()
  assert.equal(await hasOrder(2), true)
  assert.deepEqual((await orderIdsOf(hash)).slice(0, 2), [2, 2])
})
