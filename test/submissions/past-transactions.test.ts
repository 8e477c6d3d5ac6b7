// GET /v1/account/me/transactions as of a ledger: the list is what it was when the ledger had been indexed.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { SignedTransaction } from '../../src/chain/codec/transaction.ts'
import { LedgerNotIndexed } from '../../src/projections/state/as-of.ts'
import { InvalidCursor } from '../../src/projections/log/page.ts'
import type { Relay } from '../../src/trading/relay/relay.ts'
import type { TransactionRow } from '../../src/resources/transaction.ts'
import { createJournal } from '../../src/trading/journal.ts'
import { NO_RESULT } from '../../src/trading/submission-records.ts'
import { createTransactionReader } from '../../src/trading/transaction-reader.ts'
import { createIndexFixture } from '../index/fixture.ts'
import type { ExchangeEvent } from '../index/history.ts'
import { allRows } from '../index/tables.ts'
import { openTestStore } from '../support/database.ts'

const OWNER = 'G-owner'
/** Picks for the test exchange: a reported placement, and a cancellation. */
const [PLACES, CANCELS] = [9, 8]

const store = await openTestStore()
const fixture = createIndexFixture(store)
after(async () => {
  await fixture[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

/** Changes are recorded two seconds after the last ledger. */
const clock = { ...fixture.clock, nowMs: () => fixture.clock.nowMs() + 2_000 }
const relay = { operationOf: () => 'place_limit_order' } as unknown as Relay
const journal = createJournal({ store, clock, driver: 'one', operationOf: relay.operationOf })
const reader = createTransactionReader({ store, relay, clock, journal })
const listAt = (atLedger?: number): Promise<TransactionRow[]> =>
  allRows((cursor) => reader.list(OWNER, { limit: 2, cursor, atLedger }))

/** Stores a submission that a node accepts. */
async function begin(hash: string, owner = OWNER): Promise<void> {
  await journal.begin({ hash, source: owner, sequence: 1n, expiresAt: 9_999, envelopeXdr: hash } as unknown as SignedTransaction, { owner, clientId: null })
  await journal.announce({ owner, hash }, 'accepted')
}

/** Indexes a ledger with these events, and returns its number. */
async function indexLedger(events: readonly (ExchangeEvent | undefined)[]): Promise<number> {
  for (const event of events) fixture.queue(event)
  fixture.closeLedger()
  await fixture.catchUp()
  await fixture.indexer.numberSubmissions()
  return fixture.node.latest().sequence
}

/** The hash of the transaction that emits this event in the next ledger. */
function hashOf({ event }: ExchangeEvent): string {
  return [fixture.node.latest().sequence + 1, event.transaction].map((part) => part.toString(16).padStart(8, '0')).join('').padStart(64, '0')
}

test('the list as of a ledger is the recorded one, in pages, with the events and outcomes of that time', async () => {
  const recorded = new Map<number, readonly TransactionRow[]>()
  const record = async (ledger: number): Promise<number> => (recorded.set(ledger, await listAt()), ledger)
  await record(await indexLedger([]))
  // It is applied and places an order, which is cancelled later.
  const placement = fixture.exchange.placeOrder(PLACES) ?? assert.fail('an event')
  const hash = hashOf(placement)
  await begin('a')
  await begin(hash)
  await begin('other', 'G-other')
  const ledger = await indexLedger([placement])
  const pending = await listAt()
  await journal.end({ owner: OWNER, hash }, 'SUCCESS', { ...NO_RESULT, ledger, ts: fixture.nowSec() })
  await record(ledger)
  // Nothing of the exchange happens in this ledger.
  await begin('b')
  await record(await indexLedger([]))
  await journal.end({ owner: OWNER, hash: 'a' }, 'EXPIRED', NO_RESULT)
  await journal.end({ owner: OWNER, hash: 'b' }, 'EXPIRED', NO_RESULT)
  await record(await indexLedger([fixture.exchange.endOrder(CANCELS)]))
  await begin('c')
  await journal.end({ owner: OWNER, hash: 'c' }, 'REJECTED', NO_RESULT)
  const last = await record(await indexLedger([fixture.exchange.placeOrder(PLACES)]))

  assert.deepEqual([...recorded.values()].map((rows) => rows.length), [0, 2, 3, 3, 4])
  const of = (rows: readonly TransactionRow[] | undefined) => rows?.find((row) => row.hash === hash)
  assert.deepEqual([of(pending)?.status, of(recorded.get(ledger))?.outcome, of(recorded.get(last))?.outcome?.status], ['PENDING', null, 'cancelled'])
  for (const [at, rows] of recorded) assert.deepEqual(await listAt(at), rows, `as of ledger ${at}`)
  await assert.rejects(listAt(last + 1), LedgerNotIndexed)
  await assert.rejects(reader.list(OWNER, { limit: 1, cursor: 'x', atLedger: last }), InvalidCursor)
})
