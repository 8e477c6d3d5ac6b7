import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChainFixture, fakeCloseTimeSec, rejectsWith } from './test-fixture.ts'

const HASH = 'ab'.repeat(32)
const INNER = 'cd'.repeat(32)
const RANGE = {
  latestLedger: 2,
  latestLedgerCloseTime: String(fakeCloseTimeSec(2)),
  oldestLedger: 1,
  oldestLedgerCloseTime: String(fakeCloseTimeSec(1)),
}

test('returns a transaction with all of its fields', async () => {
  const fake = createChainFixture()
  fake.chain.closeLedgerWith({
    transactions: [{ hash: HASH, diagnosticEventsXdr: ['d'], transactionEventsXdr: ['t'], contractEventsXdr: [['c1', 'c2'], []], status: 'FAILED' }],
  })
  assert.deepEqual(await fake.call('getTransaction', { hash: HASH }), {
    ...RANGE,
    status: 'FAILED',
    txHash: HASH,
    applicationOrder: 1,
    feeBump: false,
    envelopeXdr: 'envelope',
    resultXdr: 'result',
    resultMetaXdr: 'meta',
    diagnosticEventsXdr: ['d'],
    events: { transactionEventsXdr: ['t'], contractEventsXdr: [['c1', 'c2'], []] },
    ledger: 2,
    createdAt: String(fakeCloseTimeSec(2)),
  })
})

test('omits empty lists, but not `events`', async () => {
  const fake = createChainFixture()
  fake.chain.closeLedgerWith({ transactions: [{ hash: HASH }] })
  const answer = await fake.call('getTransaction', { hash: HASH })
  assert.deepEqual(answer['events'], {})
  assert.equal(Object.hasOwn(answer, 'diagnosticEventsXdr'), false)
})

test('NOT_FOUND contains only zeros', async () => {
  const fake = createChainFixture()
  fake.chain.closeLedgerWith()
  assert.deepEqual(await fake.call('getTransaction', { hash: HASH }), {
    ...RANGE, status: 'NOT_FOUND', txHash: HASH, applicationOrder: 0, feeBump: false, events: {}, ledger: 0, createdAt: '0',
  })
})

test('finds a fee bump by both hashes, in upper and lower case', async () => {
  const fake = createChainFixture()
  fake.chain.closeLedgerWith({ transactions: [{ hash: HASH, innerHash: INNER }] })
  for (const hash of [HASH, INNER, INNER.toUpperCase()]) {
    const answer = await fake.call('getTransaction', { hash })
    assert.deepEqual([answer['status'], answer['feeBump'], answer['txHash']], ['SUCCESS', true, hash])
  }
})

test('rejects invalid hashes', async () => {
  const fake = createChainFixture()
  await rejectsWith(fake.call('getTransaction', { hash: 'ab' }), -32602, 'unexpected hash length (2)')
  await rejectsWith(fake.call('getTransaction', {}), -32602, 'unexpected hash length (0)')
  await rejectsWith(fake.call('getTransaction', { hash: 'z'.repeat(64) }), -32602, /^incorrect hash: /)
  await rejectsWith(fake.call('getTransaction', { hash: 12 }), -32602, 'invalid parameters: hash must be a string')
})
