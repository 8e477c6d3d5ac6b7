// GET /v1/pool, /v1/pool/history, /v1/funding and /v1/markets/{asset}/limits on a real local network.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { POOL_SAMPLE_SEC, VENUE_CACHE_MS } from '../../src/limits.ts'
import type { CurrentFunding, FundingRow } from '../../src/resources/funding.ts'
import type { MarketLimits } from '../../src/resources/market-limits.ts'
import type { PoolSample, PoolState } from '../../src/resources/pool.ts'
import { assertRejected, badIntegers, followPages, rowsOf } from '../support/pagination.ts'
import { createTrader, ONE } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { withoutMessage } from '../support/without-message.ts'

let fixture: GatewayFixture
let trader: Trader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'venue' })
  await fixture.closeLedgers(3)
  trader = await createTrader(fixture, 'venue')
  await fixture.catchUp()
})
after(() => fixture[Symbol.asyncDispose]())

async function read<Body>(path: string): Promise<Body> {
  fixture.clock.advance(VENUE_CACHE_MS)
  const { status, body, text } = await fixture.get<Body>(path)
  assert.equal(status, 200, text)
  return body
}

async function observeAll(): Promise<void> {
  for (let observed = 1; observed > 0;) observed = await fixture.indexer.observe()
}

const big = (value: string | null | undefined): bigint => BigInt(value ?? 'nothing')

test('reports the pool as the vault has it, and opening a position reduces the headroom', async () => {
  const pool = await read<PoolState>('/v1/pool')
  assert.equal(pool.ledger, fixture.network.chain.history.latest().sequence)
  assert.deepEqual([pool.depositFeeBps, pool.withdrawFeeBps, pool.paused, pool.reservedPayout], [30, 30, false, '0'])
  const aum = big(pool.aum)
  assert.ok(aum > 0n && big(pool.lpPrice) > 0n)
  assert.equal(big(pool.headroom.total), (aum * 7_000n) / 10_000n)
  const btc = (state: PoolState) => state.headroom.assets.find(({ asset }) => asset === 'BTC')
  assert.equal(pool.headroom.assets.length, 14)
  assert.equal(big(btc(pool)?.long), (aum * 2_500n) / 10_000n)
  await trader.trade({ op: 'open_position', asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' })
  await fixture.closeLedgers(1)
  const reserved = await read<PoolState>('/v1/pool')
  assert.equal(reserved.reservedPayout, String(500n * ONE))
  assert.equal(big(reserved.headroom.total), (big(reserved.aum) * 7_000n) / 10_000n - 500n * ONE)
  assert.equal(big(btc(reserved)?.long), (big(reserved.aum) * 2_500n) / 10_000n - 500n * ONE)
  assert.equal(big(btc(reserved)?.short), (big(reserved.aum) * 2_500n) / 10_000n)
})

test('returns a market\'s limits', async () => {
  const limits = await read<MarketLimits>('/v1/markets/btc/limits')
  const { ledger, openInterest, assetSideCap, headroom, ...rest } = limits
  assert.deepEqual(rest, {
    asset: 'BTC', minLeverage: 1, maxLeverage: 10, minCollateral: String(10n * ONE), maxPositionSize: String(100_000n * ONE), initialMarginBps: null,
    maintenanceMarginBps: 100, pauseMode: null, assetHalted: null, adlActive: null,
    maxPriceAgeSec: 60, maxPriceDeviationBps: 100, slippageToleranceBps: { min: 1, max: 10_000 }, trailingPercentBps: { min: 1, max: 5_000 },
    feeTiers: [
      { minVolume: '0', makerRate: '2000', takerRate: '5000' },
      { minVolume: String(20_000n * ONE), makerRate: '1500', takerRate: '4000' },
      { minVolume: String(50_000n * ONE), makerRate: '1000', takerRate: '3000' },
      { minVolume: String(100_000n * ONE), makerRate: '500', takerRate: '2000' },
    ],
    keeperFee: { base: '5000000', rate: '5000' },
    tradingPaused: false,
  })
  assert.deepEqual(openInterest, { long: String(500n * ONE), short: '0' })
  assert.equal(big(headroom.long), big(assetSideCap) - 500n * ONE)
  assert.equal(big(headroom.short), big(assetSideCap))
  assert.ok(ledger > 0)
  const unknown = await fixture.get('/v1/markets/shib/limits')
  assert.deepEqual([unknown.status, withoutMessage(unknown.body)], [404, { error: 'Unknown asset', asset: 'SHIB' }])
})

test('returns the current funding rate and every applied hour', async () => {
  for (let hours = 0; hours < 3; hours++) {
    await fixture.control('local_advance', { seconds: 3_600 })
    await fixture.closeLedgers(8)
  }
  await fixture.catchUp()
  const { current, history } = await read<{ current: CurrentFunding; history: readonly FundingRow[] }>('/v1/funding')
  assert.ok(history.length >= 2)
  assert.equal(current.rate, history[0]?.fundingRate)
  assert.deepEqual([current.openInterestLong, current.openInterestShort], [String(500n * ONE), '0'])
  const sum = history.reduce((total, row) => total + BigInt(row.fundingRate) * BigInt(row.hoursElapsed), 0n)
  assert.equal(current.cumulative, String(sum))
  const { asset, nextTs, predictedRate, ...shared } = current.assets.find((row) => row.asset === 'BTC') ?? assert.fail('no funding of BTC')
  assert.deepEqual(shared, { rate: current.rate, cumulative: current.cumulative, lastTs: current.lastAppliedAt })
  assert.deepEqual([asset, nextTs, predictedRate], ['BTC', Number(current.lastAppliedAt) + 3_600, current.rate])
  assert.equal(current.lastAppliedAt, history[0]?.ts)
  assert.deepEqual((await followPages(fixture, '/v1/funding?limit=1', 'history')).flat(), history)
  const ofAsset = (name: string) => read<{ current: CurrentFunding; history: readonly FundingRow[] }>(`/v1/funding?asset=${name}`)
  assert.deepEqual((await ofAsset('btc')).history, history, 'what all assets share')
  const unknown = await ofAsset('NOPE')
  assert.deepEqual([unknown.history, unknown.current.assets], [[], []], 'an asset that the exchange does not have')
  await assertRejected(fixture, '/v1/funding', [...badIntegers('limit', 1, 200), ...badIntegers('before_ts', 0)])
})

test('the pool\'s history has one sample per five minutes', async () => {
  await observeAll()
  const [first] = await rowsOf(fixture, '/v1/pool/history', 'samples') as unknown as readonly PoolSample[]
  assert.ok(first)
  assert.equal(first.time % POOL_SAMPLE_SEC, 0)
  const pool = await read<PoolState>('/v1/pool')
  assert.deepEqual([first.aum, first.lpPrice, first.reservedPayout], [pool.aum, pool.lpPrice, pool.reservedPayout])
  fixture.clock.advance(POOL_SAMPLE_SEC * 1_000)
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  await observeAll()
  const samples = await rowsOf(fixture, '/v1/pool/history', 'samples') as unknown as readonly PoolSample[]
  assert.deepEqual(samples.map(({ time }) => time), [first.time + POOL_SAMPLE_SEC, first.time])
  assert.deepEqual((await followPages(fixture, '/v1/pool/history?limit=1', 'samples')).flat(), samples)
  assert.deepEqual((await rowsOf(fixture, `/v1/pool/history?before_ts=${first.time + 1}`, 'samples')).map(({ time }) => time), [first.time])
  await assertRejected(fixture, '/v1/pool/history', badIntegers('limit', 1, 1_000))
})
