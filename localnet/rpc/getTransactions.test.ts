import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChainFixture, fakeCloseTimeSec, rejectsWith } from './test-fixture.ts'
import type { ChainFixture } from './test-fixture.ts'
import { toid } from './toid.ts'

interface Page {
  transactions: Record<string, unknown>[]
  cursor: string
}

/** Ledgers 2, 3 and 5 contain transactions, 4 and 6 do not. */
function door(): ChainFixture {
  const fake = createChainFixture()
  for (const count of [2, 3, 0, 1, 0]) fake.chain.closeLedgerWith({ transactions: Array.from({ length: count }, () => ({})) })
  return fake
}

async function ask(fake: ChainFixture, params: unknown): Promise<Page> {
  return (await fake.call('getTransactions', params)) as unknown as Page
}

const places = (page: Page): string[] => page.transactions.map((each) => `${String(each['ledger'])}/${String(each['applicationOrder'])}`)

test('times are numbers, and the top-level ones have different names', async () => {
  const fake = door()
  const { transactions, ...rest } = await ask(fake, { startLedger: 2, pagination: { limit: 1 } })
  assert.deepEqual(rest, {
    latestLedger: 6,
    latestLedgerCloseTimestamp: fakeCloseTimeSec(6),
    oldestLedger: 1,
    oldestLedgerCloseTimestamp: fakeCloseTimeSec(1),
    cursor: String(2n * 2n ** 32n + 4_096n + 1n),
  })
  const [first = {}] = transactions
  assert.equal(first['createdAt'], fakeCloseTimeSec(2))
  assert.deepEqual(
    Object.keys(first).sort(),
    ['applicationOrder', 'createdAt', 'envelopeXdr', 'events', 'feeBump', 'ledger', 'resultMetaXdr', 'resultXdr', 'status', 'txHash'],
  )
})

test('pages continue across ledgers with and without transactions', async () => {
  const fake = door()
  const first = await ask(fake, { startLedger: 1, pagination: { limit: 3 } })
  const second = await ask(fake, { pagination: { cursor: first.cursor, limit: 3 } })
  assert.deepEqual([...places(first), ...places(second)], ['2/1', '2/2', '3/1', '3/2', '3/3', '5/1'])
})

test('a page that is not full ends at the latest ledger, whose cursor reads nothing twice', async () => {
  const fake = door()
  const page = await ask(fake, { startLedger: 1 })
  assert.equal(page.cursor, toid(6, 0, 1).toString())
  assert.deepEqual(await ask(fake, { pagination: { cursor: page.cursor } }).then((each) => [places(each), each.cursor]), [[], page.cursor])
  fake.chain.closeLedgerWith({ transactions: [{}] })
  const next = await ask(fake, { pagination: { cursor: page.cursor } })
  assert.deepEqual([places(next), next.cursor], [['7/1'], toid(7, 1, 1).toString()])
  assert.deepEqual(await ask(fake, { pagination: { cursor: next.cursor } }).then((each) => [places(each), each.cursor]), [[], next.cursor])
})

test('rejects invalid requests', async () => {
  const fake = door()
  fake.chain.forgetBefore(3)
  await rejectsWith(
    fake.call('getTransactions', { startLedger: 2 }),
    -32600,
    'start ledger (2) must be between the oldest ledger: 3 and the latest ledger: 6 for this rpc instance',
  )
  await rejectsWith(fake.call('getTransactions', { startLedger: 3, pagination: { cursor: '1' } }), -32602, 'startLedger (3) and cursor (1) cannot both be set')
  await rejectsWith(fake.call('getTransactions', { startLedger: 3, pagination: { limit: 201 } }), -32602, 'limit must not exceed 200')
  const old = toid(2, 2, 1).toString()
  await rejectsWith(fake.call('getTransactions', { pagination: { cursor: old } }), -32602, 'database does not contain metadata for ledger: 2')
  await rejectsWith(fake.call('getTransactions', { pagination: { cursor: 'x' } }), -32602, /cursor/)
})
