// Orders and accounts through a node that misbehaves, one fault at a time, as users of real nodes have met them: what is answered must be true, or a failure
// that says what to do. What each fault stands for is told in docs/operating.md; more of them meet submissions in tx-submit.test.ts.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { ACCOUNT_CACHE_MS } from '../../src/limits.ts'
import type { AccountState } from '../../src/resources/account-state.ts'
import { bearer } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { createTrader, whileLedgersClose } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const OPEN: OperationRequest = { op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' }

let world: GatewayFixture
let trader: Trader

before(async () => {
  world = await createGatewayFixture({ traders: 0, seed: 'api node faults' })
  await world.closeLedgers(3)
  trader = await createTrader(world, 'meets faults')
})
afterEach(() => world.control('local_clearFaults'))
after(() => world[Symbol.asyncDispose]())

const arm = (fault: Readonly<Record<string, unknown>>): Promise<unknown> => world.control('local_fault', fault)

async function submitted(fault: Readonly<Record<string, unknown>>): Promise<ApiResponse> {
  const signed = await trader.signed(OPEN)
  await arm(fault)
  return await trader.submit(signed)
}

async function state(): Promise<{ readonly status: number; readonly body: AccountState }> {
  world.clock.advance(ACCOUNT_CACHE_MS)
  // The key is looked up in the database, in real time: once it is known, the clock may run.
  assert.equal((await world.get('/v1/account/me', { authorization: bearer(trader.key) })).status, 200)
  return await whileLedgersClose(world, () => world.get<AccountState>('/v1/account/me/state', { authorization: bearer(trader.key) }))
}

test('bad_sequence for an envelope that was applied: its own result, never a refusal', async () => {
  const signed = await trader.signed(OPEN)
  assert.equal((await trader.submit(signed)).status, 200)
  await arm({ name: 'bad_sequence' })
  const { status, body } = await trader.submit(signed)
  assert.deepEqual([status, body['status']], [200, 'SUCCESS'])
})

const REFUSED: readonly (readonly [name: string, code: string, advice: RegExp])[] = [
  ['bad_sequence', 'txBadSeq', /Prepare a new transaction/],
  ['fee_surge', 'txInsufficientFee', /requires 1000000 stroops/],
  ['too_late', 'txTooLate', /expired\. Prepare a new one/],
]
for (const [name, code, advice] of REFUSED) {
  test(`${name}: told as the refusal that it is, with what to do, and the next one works`, async () => {
    const { status, body, text } = await submitted({ name })
    assert.equal(status, 400, text)
    assert.match(String(body['message']), advice, code)
    await trader.trade(OPEN)
  })
}

for (const name of ['footprint_moved', 'entry_archived']) {
  test(`${name}: a transaction that failed when it was applied is told as failed, with its result, and no contract is blamed`, async () => {
    const { status, body, text } = await submitted({ name })
    assert.deepEqual([status, body['status'], body['contractError']], [200, 'FAILED', null], text)
    assert.ok(String(body['resultXdr']).length > 0)
  })
}

test('stale_sequence: an account from before its last transaction gives no used sequence away', async () => {
  await trader.trade(OPEN)
  await arm({ name: 'stale_sequence', ledgers: 2, count: 2 })
  assert.equal((await trader.trade(OPEN)).status, 'SUCCESS')
})

test('lagging, after the account was told: never an older state, but a newer one or 502', async () => {
  const told = await state()
  assert.equal(told.status, 200)
  await arm({ name: 'lagging', method: 'getLedgerEntries', ledgers: 8, count: 2 })
  const next = await state()
  assert.equal(next.status, 200)
  assert.ok(next.body.ledger >= told.body.ledger)
  await arm({ name: 'lagging', ledgers: 60 })
  const { status } = await state()
  assert.equal(status, 502)
})

test('archived_entries: an archived entry holds what it held, and the next call brings it back', async () => {
  const before = await state()
  await arm({ name: 'archived_entries' })
  const archived = await state()
  assert.deepEqual([archived.status, archived.body.positions?.length], [200, before.body.positions?.length])
  await trader.trade(OPEN)
})

test('unknown_xdr: what cannot be read is told as unknown, never as nothing', async () => {
  await arm({ name: 'unknown_xdr', method: 'getLedgerEntries', count: null })
  const { status, body } = await state()
  assert.deepEqual([status, body.positions ?? null], [200, null])
  assert.equal((await trader.prepare(OPEN)).status, 502)
})

test('unknown_xdr in a result: failed is failed, and its bytes are handed on', async () => {
  const signed = await trader.signed(OPEN)
  await arm({ name: 'footprint_moved' })
  await arm({ name: 'unknown_xdr', method: 'getTransaction', count: null })
  const { status, body } = await trader.submit(signed)
  assert.deepEqual([status, body['status'], body['contractError']], [200, 'FAILED', null])
})

test('rate_limited: waited for as long as it asks, and got over', async () => {
  await arm({ name: 'rate_limited', method: 'simulateTransaction', retryAfterSec: 2 })
  const fromMs = world.clock.nowMs()
  assert.equal((await trader.prepare(OPEN)).status, 200)
  assert.ok(world.clock.nowMs() - fromMs >= 2_000)
})

test('method_missing, boastful_health, leaping_ledger: one node is believed or fails, and is good again afterwards', async () => {
  await arm({ name: 'method_missing', method: 'simulateTransaction' })
  assert.equal((await trader.prepare(OPEN)).status, 502)
  await world.control('local_clearFaults')
  for (const name of ['boastful_health', 'leaping_ledger']) {
    await arm({ name })
    assert.equal((await trader.prepare(OPEN)).status, 200, name)
    await world.control('local_clearFaults')
  }
  // A mark far ahead ends in its time.
  await world.closeLedgers(31)
  await trader.trade(OPEN)
})

/** The answer, without any time passing. */
async function atOnce(path: string): Promise<{ readonly status: number; readonly body: unknown }> {
  return await world.get<unknown>(path)
}

const ENDLESS: readonly Readonly<Record<string, unknown>>[] = [
  { name: 'timeout', ms: 600_000, count: null }, { name: 'http_status', status: 503, count: null }, { name: 'connection_reset', count: null },
]
test('timeout, http_status, connection_reset, without end: whatever needs no node is answered at once', async () => {
  await world.catchUp()
  // Prices are kept for three seconds; the first who asks for one beyond that may wait a second for it, nobody after that.
  const prices = ['/v1/markets', '/v1/oracle/prices', '/v1/markets/btc/price', '/v1/markets/stats', '/v1/positions/open']
  const paths = [
    '/v1/health', '/v1/trades', '/v1/events', '/v1/leaderboard', '/v1/vaults', '/v1/candles?asset=BTC&interval=1m', '/v1/pool/history',
  ]
  for (const fault of ENDLESS) {
    await arm(fault)
    // The ticker is held up like everybody, through every phase of its reads.
    const end = new AbortController()
    const ticking = world.gateway.oracle.run(end.signal)
    for (let second = 0; second < 40; second++) {
      for (const path of second >= 3 && second <= 6 ? paths : [...paths, ...prices]) {
        const { status } = await atOnce(path)
        assert.equal(status, 200, `${path} ${second} seconds after the beginning of ${String(fault['name'])}`)
      }
      world.clock.advance(1_000)
    }
    end.abort()
    await world.control('local_clearFaults')
    world.clock.advance(20_000)
    await ticking
    await world.closeLedgers(6)
    await world.catchUp()
  }
})
