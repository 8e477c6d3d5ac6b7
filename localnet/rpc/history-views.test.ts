import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeChain } from './test-fixture.ts'
import type { History } from '../history.ts'
import { recentHistory, laggingHistory, delayedTransactions } from './history-views.ts'

/** Ledgers 1 to 6, each with a transaction and an event. */
function past(): History {
  const chain = createFakeChain()
  for (let sequence = 1; sequence <= 6; sequence++) chain.closeLedgerWith({ transactions: [{ hash: `tx${sequence}` }], events: [{}] })
  return chain.history
}

/** All data of a history. */
function allDataOf(history: History): unknown {
  const everything = { afterId: null, fromLedger: 0, untilLedger: 100, contractIds: null }
  return {
    range: [history.oldest().sequence, history.latest().sequence],
    ledgers: history.ledgers(0, 100).map((ledger) => ledger.sequence),
    single: [1, 2, 3, 4, 5, 6].filter((sequence) => history.ledger(sequence) !== undefined),
    transactions: history.transactionsAfter(0, 0, 100).map((record) => record.ledger),
    byHash: [1, 2, 3, 4, 5, 6].filter((sequence) => history.transaction(`tx${sequence}`) !== undefined),
    events: [...history.events(everything)].map((event) => event.ledger),
  }
}

function expected(ledgers: readonly number[], byHash = ledgers): unknown {
  return { range: [ledgers.at(0), ledgers.at(-1)], ledgers, single: ledgers, transactions: ledgers, byHash, events: ledgers }
}

test('a lagging node does not return the last ledgers', () => {
  assert.deepEqual(allDataOf(laggingHistory(past(), 2)), expected([1, 2, 3, 4]))
  assert.deepEqual(allDataOf(laggingHistory(past(), 50)), expected([1]))
})

test('a node with a short retention window does not return the first ledgers', () => {
  assert.deepEqual(allDataOf(recentHistory(past(), 2)), expected([5, 6]))
  assert.deepEqual(allDataOf(recentHistory(past(), 50)), expected([1, 2, 3, 4, 5, 6]))
})

test('a page of a shortened history is filled with retained ledgers', () => {
  assert.deepEqual(recentHistory(past(), 3).transactionsAfter(1, 1, 2).map((record) => record.ledger), [4, 5])
  assert.deepEqual(recentHistory(past(), 3).ledgers(1, 2).map((ledger) => ledger.sequence), [4, 5])
})

test('delayed transactions are missing by hash only', () => {
  assert.deepEqual(allDataOf(delayedTransactions(past(), 2)), expected([1, 2, 3, 4, 5, 6], [1, 2, 3, 4]))
})

test('views can be combined', () => {
  assert.deepEqual(allDataOf(laggingHistory(recentHistory(past(), 4), 2)), expected([3, 4]))
})
