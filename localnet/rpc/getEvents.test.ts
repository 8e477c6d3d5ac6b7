import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { nativeToScVal, StrKey } from '@stellar/stellar-sdk'
import { createChainFixture, fakeCloseTimeSec, rejectsWith } from './test-fixture.ts'
import type { ChainFixture } from './test-fixture.ts'
import { endOfLedgerCursor } from './event-cursor.ts'

const CONTRACT = StrKey.encodeContract(new Uint8Array(32).fill(7))
const OTHER = StrKey.encodeContract(new Uint8Array(32).fill(8))
const TOPIC = nativeToScVal('trade', { type: 'symbol' }).toXdr('base64')

interface Page {
  events: { id: string; ledger: number }[]
  cursor: string
  latestLedger: number
}

/** A handler whose ledgers from 2 on contain this many events of the contract. */
function doorWith(...counts: readonly number[]): ChainFixture {
  const fake = createChainFixture()
  for (const count of counts) fake.chain.closeLedgerWith({ events: Array.from({ length: count }, () => ({ contractId: CONTRACT, topics: [TOPIC] })) })
  return fake
}

async function ask(fake: ChainFixture, params: unknown): Promise<Page> {
  return (await fake.call('getEvents', params)) as unknown as Page
}

test('returns events with all fields, and ledger fields of the right types', async () => {
  const fake = createChainFixture({ protocol: 29 })
  fake.chain.closeLedgerWith({ events: [{ contractId: CONTRACT, topics: [TOPIC], transactionIndex: 3, operationIndex: 0 }] })
  assert.deepEqual(await fake.call('getEvents', { startLedger: 1 }), {
    events: [
      {
        type: 'contract',
        ledger: 2,
        ledgerClosedAt: '2027-01-15T08:00:05Z',
        contractId: CONTRACT,
        id: '0000000008589946880-0000000000',
        operationIndex: 0,
        transactionIndex: 3,
        txHash: 'ab'.repeat(32),
        inSuccessfulContractCall: true,
        topic: [TOPIC],
        value: 'AAAAAQ==',
      },
    ],
    cursor: '0000000012884901887-4294967295',
    latestLedger: 2,
    oldestLedger: 1,
    latestLedgerCloseTime: String(fakeCloseTimeSec(2)),
    oldestLedgerCloseTime: String(fakeCloseTimeSec(1)),
  })
})

test('an event without topics has no topic field, and one without a contract an empty contractId', async () => {
  const fake = createChainFixture()
  fake.chain.closeLedgerWith({ events: [{ contractId: '', topics: [] }] })
  const { events } = await ask(fake, { startLedger: 1 })
  assert.equal(Object.hasOwn(events[0] ?? {}, 'topic'), false)
  assert.equal((events[0] as unknown as { contractId: string }).contractId, '')
})

test('a full page can end inside a ledger, and the next one starts directly after it', async () => {
  const fake = doorWith(3)
  const first = await ask(fake, { startLedger: 2, pagination: { limit: 2 } })
  assert.equal(first.cursor, first.events[1]?.id)
  const second = await ask(fake, { pagination: { cursor: first.cursor, limit: 2 } })
  assert.equal(second.events.length, 1)
  assert.ok((second.events[0]?.id ?? '') > first.cursor)
  assert.equal(second.cursor, endOfLedgerCursor(2))
})

test('a last page of exactly the limit is followed by an empty page', async () => {
  const fake = doorWith(2)
  const first = await ask(fake, { startLedger: 2, pagination: { limit: 2 } })
  const second = await ask(fake, { pagination: { cursor: first.cursor, limit: 2 } })
  assert.deepEqual([second.events, second.cursor], [[], endOfLedgerCursor(2)])
})

test('at the latest ledger the page is empty, and its cursor continues with new ledgers', async () => {
  const fake = doorWith(1)
  const { cursor } = await ask(fake, { startLedger: 1 })
  assert.deepEqual(await ask(fake, { pagination: { cursor } }).then((page) => [page.events, page.cursor]), [[], cursor])
  fake.chain.closeLedgerWith({ events: [{}] })
  assert.deepEqual(await ask(fake, { pagination: { cursor } }).then((page) => page.events.map((event) => event.ledger)), [3])
})

test('events after all transactions of a ledger sort after the last operation and before the ledger\'s end', async () => {
  const fake = createChainFixture()
  fake.chain.closeLedgerWith({ events: [{ transactionIndex: 1_048_575, operationIndex: 0 }, { transactionIndex: 0 }, { transactionIndex: 9 }] })
  const page = await ask(fake, { startLedger: 2 })
  assert.deepEqual(page.events.map((event) => (event as unknown as { transactionIndex: number }).transactionIndex), [0, 9, 1_048_575])
  assert.deepEqual(await ask(fake, { pagination: { cursor: page.cursor } }).then((next) => next.events), [])
})

test('one call scans 10,000 ledgers, and its cursor is the end of the scan', async () => {
  const fake = createChainFixture()
  for (let count = 0; count < 10_004; count++) fake.chain.closeLedgerWith()
  fake.chain.closeLedgerWith({ events: [{}] })
  const first = await ask(fake, { startLedger: 3 })
  assert.deepEqual([first.events, first.cursor, first.latestLedger], [[], endOfLedgerCursor(10_002), 10_006])
  const second = await ask(fake, { pagination: { cursor: first.cursor } })
  assert.deepEqual([second.events.length, second.cursor], [1, endOfLedgerCursor(10_006)])
})

test('endLedger is exclusive; at or before the start the page is empty with a cursor before the start', async () => {
  const fake = doorWith(1, 1, 1)
  const page = await ask(fake, { startLedger: 2, endLedger: 4 })
  assert.deepEqual([page.events.map((event) => event.ledger), page.cursor], [[2, 3], endOfLedgerCursor(3)])
  const none = await ask(fake, { startLedger: 3, endLedger: 3 })
  assert.deepEqual([none.events, none.cursor], [[], endOfLedgerCursor(2)])
  const beyond = await ask(fake, { startLedger: 3, endLedger: 400 })
  assert.equal(beyond.cursor, endOfLedgerCursor(4))
})

test('a start or cursor outside the retained ledgers is -32600, with the same message', async () => {
  const fake = doorWith(1, 1, 1, 1)
  fake.chain.forgetBefore(3)
  const text = 'startLedger must be within the ledger range: 3 - 5'
  for (const params of [
    { startLedger: 2 },
    { startLedger: 6 },
    { pagination: { cursor: endOfLedgerCursor(2) } },
    { pagination: { cursor: endOfLedgerCursor(6) } },
  ]) {
    await rejectsWith(fake.call('getEvents', params), -32600, text)
  }
  assert.equal((await ask(fake, { startLedger: 3 })).events.length, 3)
  assert.equal((await ask(fake, { pagination: { cursor: endOfLedgerCursor(5) } })).events.length, 0)
})

test('rejects invalid ranges, cursors and limits', async () => {
  const fake = doorWith(1)
  const cursor = endOfLedgerCursor(1)
  await rejectsWith(fake.call('getEvents', {}), -32602, 'startLedger must be positive')
  await rejectsWith(fake.call('getEvents', { startLedger: 0 }), -32602, 'startLedger must be positive')
  await rejectsWith(fake.call('getEvents'), -32602, 'startLedger must be positive')
  await rejectsWith(fake.call('getEvents', { startLedger: 1, pagination: { cursor } }), -32602, 'ledger ranges and cursor cannot both be set')
  await rejectsWith(fake.call('getEvents', { endLedger: 1, pagination: { cursor } }), -32602, 'ledger ranges and cursor cannot both be set')
  await rejectsWith(fake.call('getEvents', { startLedger: 1, pagination: { limit: 10_001 } }), -32602, 'limit must not exceed 10000')
  for (const startLedger of [-1, 1.5, '1', 2 ** 32, true]) {
    await rejectsWith(fake.call('getEvents', { startLedger }), -32602, 'invalid parameters: startLedger must be an integer from 0 to 4294967295')
  }
  await rejectsWith(fake.call('getEvents', { startLedger: 1, pagination: { limit: -1 } }), -32602, /^invalid parameters: limit/)
  await rejectsWith(fake.call('getEvents', { pagination: { cursor: 'x' } }), -32602, 'invalid parameters: invalid event id x')
})

test('the default page holds 100 events; absent, null and 0 are the default; unknown fields are ignored', async () => {
  const fake = doorWith(150)
  for (const pagination of [undefined, null, {}, { limit: 0 }, { limit: null, cursor: null, more: 1 }]) {
    assert.equal((await ask(fake, { startLedger: 1, pagination, unknown: 'field' })).events.length, 100)
  }
})

test('serves xdrFormat base64, also when absent, and rejects all others', async () => {
  const fake = doorWith(1)
  assert.equal((await ask(fake, { startLedger: 1, xdrFormat: 'base64' })).events.length, 1)
  await rejectsWith(fake.call('getEvents', { startLedger: 1, xdrFormat: 'json' }), -32602, /does not support xdrFormat 'json'/)
  await rejectsWith(fake.call('getEvents', { startLedger: 1, xdrFormat: 'hex' }), -32602, "got 'hex': expected base64, json for optional 'xdrFormat'")
})

test('paging finds every matching event once and in order, for all limits, and always advances', async () => {
  const ledgers = fc.array(fc.array(fc.boolean(), { maxLength: 6 }), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(ledgers, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }), async (contents, limits) => {
      const fake = createChainFixture()
      for (const wanted of contents) fake.chain.closeLedgerWith({ events: wanted.map((own) => ({ contractId: own ? CONTRACT : OTHER })) })
      const everything = await ask(fake, { startLedger: 1, pagination: { limit: 10_000 } })
      const expected = everything.events.filter((event) => (event as unknown as { contractId: string }).contractId === CONTRACT)
      const filters = [{ contractIds: [CONTRACT] }]
      const found: unknown[] = []
      let cursor: string | undefined
      for (let step = 0; cursor !== endOfLedgerCursor(everything.latestLedger); step++) {
        const limit = limits[step % limits.length]
        const place = cursor === undefined ? { startLedger: 1, pagination: { limit } } : { pagination: { cursor, limit } }
        const page: Page = await ask(fake, { filters, ...place })
        assert.ok(cursor === undefined || page.cursor > cursor)
        found.push(...page.events)
        cursor = page.cursor
      }
      assert.deepEqual(found, expected)
    }),
    { numRuns: 40 },
  )
})
