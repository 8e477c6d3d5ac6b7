// Orders and accounts with one node fault at a time, as seen on real nodes. Every response must be correct or an error with advice. docs/operating.md
// describes each fault; tx-submit.test.ts tests more of them on submissions.

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

let fixture: GatewayFixture
let trader: Trader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'api node faults' })
  await fixture.closeLedgers(3)
  trader = await createTrader(fixture, 'node faults')
})
afterEach(() => fixture.control('local_clearFaults'))
after(() => fixture[Symbol.asyncDispose]())

const injectFault = (fault: Readonly<Record<string, unknown>>): Promise<unknown> => fixture.control('local_fault', fault)

async function submitWithFault(fault: Readonly<Record<string, unknown>>): Promise<ApiResponse> {
  const signed = await trader.signed(OPEN)
  await injectFault(fault)
  return await trader.submit(signed)
}

async function state(): Promise<{ readonly status: number; readonly body: AccountState }> {
  fixture.clock.advance(ACCOUNT_CACHE_MS)
  // Caches the key first: the database lookup takes real time, while the next call advances the virtual clock.
  assert.equal((await fixture.get('/v1/account/me', { authorization: bearer(trader.key) })).status, 200)
  return await whileLedgersClose(fixture, () => fixture.get<AccountState>('/v1/account/me/state', { authorization: bearer(trader.key) }))
}

test('bad_sequence for an applied envelope returns its result, not a rejection', async () => {
  const signed = await trader.signed(OPEN)
  assert.equal((await trader.submit(signed)).status, 200)
  await injectFault({ name: 'bad_sequence' })
  const { status, body } = await trader.submit(signed)
  assert.deepEqual([status, body['status']], [200, 'SUCCESS'])
})

const REFUSED: readonly (readonly [name: string, code: string, advice: RegExp])[] = [
  ['bad_sequence', 'txBadSeq', /Prepare a new transaction/],
  ['fee_surge', 'txInsufficientFee', /requires 1000000 stroops/],
  ['too_late', 'txTooLate', /expired\. Prepare a new one/],
  ['frozen_key', 'txFrozenKeyAccessed', /accesses frozen ledger entries/],
]
for (const [name, code, advice] of REFUSED) {
  test(`${name}: responds 400 with advice, and the next transaction succeeds`, async () => {
    const { status, body, text } = await submitWithFault({ name })
    assert.equal(status, 400, text)
    assert.match(String(body['message']), advice, code)
    await trader.trade(OPEN)
  })
}

for (const name of ['footprint_moved', 'entry_archived']) {
  test(`${name}: responds FAILED with the result and without a contract error`, async () => {
    const { status, body, text } = await submitWithFault({ name })
    assert.deepEqual([status, body['status'], body['contractError']], [200, 'FAILED', null], text)
    assert.ok(String(body['resultXdr']).length > 0)
  })
}

test('stale_sequence: an outdated account entry does not lead to a used sequence number', async () => {
  await trader.trade(OPEN)
  await injectFault({ name: 'stale_sequence', ledgers: 2, count: 2 })
  assert.equal((await trader.trade(OPEN)).status, 'SUCCESS')
})

test('lagging: never returns an older account state than before, but the same, a newer one or 502', async () => {
  const current = await state()
  assert.equal(current.status, 200)
  await injectFault({ name: 'lagging', method: 'getLedgerEntries', ledgers: 8, count: 2 })
  const next = await state()
  assert.equal(next.status, 200)
  assert.ok(next.body.ledger >= current.body.ledger)
  await injectFault({ name: 'lagging', ledgers: 60 })
  const { status } = await state()
  assert.equal(status, 502)
})

test('archived_entries: reads archived entries, and the next transaction restores them', async () => {
  const live = await state()
  await injectFault({ name: 'archived_entries' })
  const archived = await state()
  assert.deepEqual([archived.status, archived.body.positions?.length], [200, live.body.positions?.length])
  await trader.trade(OPEN)
})

test('unknown_xdr: reports undecodable entries as unknown, not as empty', async () => {
  await injectFault({ name: 'unknown_xdr', method: 'getLedgerEntries', count: null })
  const { status, body } = await state()
  assert.deepEqual([status, body.positions ?? null], [200, null])
  assert.equal((await trader.prepare(OPEN)).status, 502)
})

test('unknown_xdr in a result: responds FAILED without a contract error', async () => {
  const signed = await trader.signed(OPEN)
  await injectFault({ name: 'footprint_moved' })
  await injectFault({ name: 'unknown_xdr', method: 'getTransaction', count: null })
  const { status, body } = await trader.submit(signed)
  assert.deepEqual([status, body['status'], body['contractError']], [200, 'FAILED', null])
})

test('rate_limited: waits for the node\'s retry-after and then succeeds', async () => {
  await injectFault({ name: 'rate_limited', method: 'simulateTransaction', retryAfterSec: 2 })
  const fromMs = fixture.clock.nowMs()
  assert.equal((await trader.prepare(OPEN)).status, 200)
  assert.ok(fixture.clock.nowMs() - fromMs >= 2_000)
})

test('method_missing, boastful_health, leaping_ledger: a single node fails or is trusted, and recovers afterwards', async () => {
  await injectFault({ name: 'method_missing', method: 'simulateTransaction' })
  assert.equal((await trader.prepare(OPEN)).status, 502)
  await fixture.control('local_clearFaults')
  for (const name of ['boastful_health', 'leaping_ledger']) {
    await injectFault({ name })
    assert.equal((await trader.prepare(OPEN)).status, 200, name)
    await fixture.control('local_clearFaults')
  }
  // The reported future ledger expires.
  await fixture.closeLedgers(31)
  await trader.trade(OPEN)
})

/** The response, without advancing the clock. */
async function getNow(path: string): Promise<{ readonly status: number; readonly body: unknown }> {
  return await fixture.get<unknown>(path)
}

const PERMANENT_FAULTS: readonly Readonly<Record<string, unknown>>[] = [
  { name: 'timeout', ms: 600_000, count: null }, { name: 'http_status', status: 503, count: null }, { name: 'connection_reset', count: null },
]
test('permanent timeout, http_status and connection_reset: routes that need no node respond at once', async () => {
  await fixture.catchUp()
  // Prices are cached for three seconds. After that, the first request may wait one second for a read; later ones do not.
  const prices = ['/v1/markets', '/v1/oracle/prices', '/v1/markets/btc/price', '/v1/positions/open']
  const paths = [
    '/v1/health', '/v1/trades', '/v1/events', '/v1/leaderboard', '/v1/vaults', '/v1/candles?asset=BTC&interval=1m', '/v1/pool/history',
    '/v1/markets/stats',
  ]
  for (const fault of PERMANENT_FAULTS) {
    assert.equal((await getNow('/v1/markets/stats')).status, 200, 'the capacity is known')
    await injectFault(fault)
    // The fault also delays the ticker, in every phase of its reads.
    const end = new AbortController()
    const ticking = fixture.gateway.oracle.run(end.signal)
    for (let second = 0; second < 40; second++) {
      for (const path of second >= 3 && second <= 6 ? paths : [...paths, ...prices]) {
        const { status } = await getNow(path)
        assert.equal(status, 200, `${path} ${second} seconds after the start of ${String(fault['name'])}`)
      }
      fixture.clock.advance(1_000)
    }
    end.abort()
    await fixture.control('local_clearFaults')
    fixture.clock.advance(20_000)
    await ticking
    await fixture.closeLedgers(6)
    await fixture.catchUp()
  }
})
