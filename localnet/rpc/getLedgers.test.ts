import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHeader } from '../ledger/test-header-reader.ts'
import { createChainFixture, fakeCloseTimeSec, rejectsWith } from './test-fixture.ts'
import type { ChainFixture } from './test-fixture.ts'

interface Page {
  ledgers: Record<string, unknown>[]
  cursor: string
}

/** Ledgers 3 to 12 are retained. */
function door(): ChainFixture {
  const fake = createChainFixture()
  while (fake.chain.history.latest().sequence < 12) fake.chain.closeLedgerWith()
  fake.chain.forgetBefore(3)
  return fake
}

async function ask(fake: ChainFixture, params: unknown): Promise<Page> {
  return (await fake.call('getLedgers', params)) as unknown as Page
}

const sequences = (page: Page): unknown[] => page.ledgers.map((ledger) => ledger['sequence'])

test('close times are numbers at the top level and strings in ledgers; the header is a history entry', async () => {
  const fake = door()
  const { ledgers, ...rest } = await ask(fake, { startLedger: 3, pagination: { limit: 1 } })
  assert.deepEqual(rest, {
    latestLedger: 12,
    latestLedgerCloseTime: fakeCloseTimeSec(12),
    oldestLedger: 3,
    oldestLedgerCloseTime: fakeCloseTimeSec(3),
    cursor: '3',
  })
  const [ledger = {}] = ledgers
  assert.deepEqual(Object.keys(ledger), ['hash', 'sequence', 'ledgerCloseTime', 'headerXdr', 'metadataXdr'])
  assert.equal(ledger['ledgerCloseTime'], String(fakeCloseTimeSec(3)))
  const entry = Buffer.from(String(ledger['headerXdr']), 'base64')
  assert.equal(entry.toString('hex', 0, 32), ledger['hash'])
  assert.equal(readHeader(entry.toString('base64', 32)).sequence, 3)
})

test('pages continue at the cursor, and the last is short', async () => {
  const fake = door()
  const first = await ask(fake, { startLedger: 3, pagination: { limit: 6 } })
  const second = await ask(fake, { pagination: { cursor: first.cursor, limit: 6 } })
  assert.deepEqual([...sequences(first), ...sequences(second)], [3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  assert.equal(second.cursor, '12')
})

test('a start outside the retained ledgers is -32600', async () => {
  const fake = door()
  for (const startLedger of [0, 2, 13]) {
    await rejectsWith(
      fake.call('getLedgers', { startLedger }),
      -32600,
      `start ledger (${startLedger}) must be between the oldest ledger: 3 and the latest ledger: 12 for this rpc instance`,
    )
  }
})

test('a cursor at the latest ledger is -32602', async () => {
  const fake = door()
  for (const cursor of ['12', '99', '1']) {
    await rejectsWith(
      fake.call('getLedgers', { pagination: { cursor } }),
      -32602,
      `cursor ('${cursor}') must be between the oldest ledger: 3 and the latest ledger: 12 for this rpc instance`,
    )
  }
  fake.chain.closeLedgerWith()
  assert.deepEqual(sequences(await ask(fake, { pagination: { cursor: '12' } })), [13])
})

test('rejects other invalid requests', async () => {
  const fake = door()
  await rejectsWith(fake.call('getLedgers', { startLedger: 3, pagination: { cursor: '3' } }), -32602, 'startLedger (3) and cursor (3) cannot both be set')
  await rejectsWith(fake.call('getLedgers', { startLedger: 3, pagination: { limit: 201 } }), -32602, 'limit must not exceed 200')
  await rejectsWith(fake.call('getLedgers', { pagination: { cursor: 'x' } }), -32602, /cursor/)
  await rejectsWith(fake.call('getLedgers', { pagination: { cursor: 3 } }), -32602, 'invalid parameters: cursor must be a string')
})

test('a page has 50 ledgers by default and at most 200', async () => {
  const fake = door()
  while (fake.chain.history.latest().sequence < 260) fake.chain.closeLedgerWith()
  assert.equal((await ask(fake, { startLedger: 3 })).ledgers.length, 50)
  assert.equal((await ask(fake, { startLedger: 3, pagination: { limit: 200 } })).ledgers.length, 200)
})
