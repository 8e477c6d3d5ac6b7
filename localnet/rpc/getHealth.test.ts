import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChainFixture, fakeCloseTimeSec, rejectsWith } from './test-fixture.ts'
import { durationText } from './getHealth.ts'

test('a healthy node returns numbers', async () => {
  const fake = createChainFixture()
  fake.chain.closeLedgerWith()
  assert.deepEqual(await fake.call('getHealth'), {
    status: 'healthy',
    latestLedger: 2,
    latestLedgerCloseTime: fakeCloseTimeSec(2),
    oldestLedger: 1,
    oldestLedgerCloseTime: fakeCloseTimeSec(1),
    ledgerRetentionWindow: 120_960,
  })
})

test('a latest ledger older than 30 seconds is an error until the next ledger', async () => {
  const fake = createChainFixture()
  fake.clock.advance(30_999)
  assert.equal((await fake.call('getHealth'))['status'], 'healthy')
  fake.clock.advance(1)
  await rejectsWith(fake.call('getHealth'), -32603, 'latency (31s) since last known ledger closed is too high (>30s)')
  fake.chain.closeLedgerWith()
  assert.equal((await fake.call('getHealth'))['status'], 'healthy')
})

test('formats durations as the node does', () => {
  assert.deepEqual([31, 60, 100, 3600, 7265].map(durationText), ['31s', '1m0s', '1m40s', '1h0m0s', '2h1m5s'])
})
