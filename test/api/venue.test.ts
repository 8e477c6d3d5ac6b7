// GET /v1/pool, /v1/pool/history, /v1/funding and /v1/markets/{asset}/limits on a real local network.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { POOL_SAMPLE_SEC, VENUE_CACHE_MS } from '../../src/limits.ts'
import type { CurrentFunding, FundingRow } from '../../src/resources/funding.ts'
import type { Book, Instrument } from '../../src/resources/instrument.ts'
import type { MarketLimits } from '../../src/resources/market-limits.ts'
import type { PoolSample, PoolState } from '../../src/resources/pool.ts'
import { assertRejected, badIntegers, followPages, rowsOf } from '../support/pagination.ts'
import { adminOf, symbol } from '../support/admin-calls.ts'
import { TEST_GENERATION } from '../support/generation.ts'
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

test('an instrument has the limits, steps, fees and order types of its market', async () => {
  const { instruments } = await read<{ instruments: readonly Instrument[] }>('/v1/instruments')
  assert.equal(instruments.length, 14)
  const btc = await read<Instrument>('/v1/instruments/btc')
  assert.deepEqual(instruments.find((one) => one.symbol === 'BTC'), btc)
  const deployed = TEST_GENERATION === '2'
  assert.deepEqual({ ...btc, feeTiers: btc.feeTiers.slice(0, 2) }, {
    symbol: 'BTC', base: 'BTC', quote: 'USDC', settlement: 'USDC', kind: 'perpetual', priceDecimals: 7, displayDecimals: 2, tickSize: '1', amountStep: '1',
    contractSize: String(ONE), minCollateral: String(10n * ONE), minNotional: String(10n * ONE), maxNotional: String(100_000n * ONE), maxLeverage: '10',
    leverageStep: '1', initialMarginBps: null, maintenanceMarginBps: 100, liquidationPenaltyBps: deployed ? 100 : null,
    feeTiers: [{ volume14d: '0', makerDeciBps: 20, takerDeciBps: 50 }, { volume14d: String(20_000n * ONE), makerDeciBps: 15, takerDeciBps: 40 }],
    keeperFee: { base: '5000000', deciBps: 50 }, fundingIntervalSec: 3_600, marginModes: ['isolated', 'cross'], positionMode: 'hedged',
    orderTypes: ['market', 'limit', 'stop_limit', 'stop_loss', 'take_profit', 'trailing_stop'],
    timeInForce: [{ name: 'gtc', value: 0 }, { name: 'ioc', value: 1 }, { name: 'post_only', value: 2 }], canReduce: deployed,
      clientIdMaxLength: 64, open: true,
  })
  const decimals = ['BTC', 'ETH', 'XLM'].map((name) => instruments.find((one) => one.symbol === name)?.displayDecimals)
  assert.deepEqual(decimals, [2, 2, 6], 'as many as the price needs')
  const unknown = await fixture.get('/v1/instruments/shib')
  assert.deepEqual([unknown.status, withoutMessage(unknown.body)], [404, { error: 'Unknown asset', asset: 'SHIB' }])
})

test('an instrument of generation 2 has its margins and its penalty, partial closes, and is closed while its market is halted', async () => {
  await using second = await createGatewayFixture({ traders: 0, seed: 'instruments', generation: '2' })
  await second.closeLedgers(3)
  await second.catchUp()
  const instrument = async (): Promise<Instrument> => {
    second.clock.advance(VENUE_CACHE_MS)
    return (await second.get<Instrument>('/v1/instruments/BTC')).body
  }
  const { liquidationPenaltyBps, canReduce, initialMarginBps, keeperFee, open } = await instrument()
  assert.deepEqual([liquidationPenaltyBps, canReduce, typeof initialMarginBps, keeperFee, open], [100, true, 'number', { base: '0', deciBps: 10 }, true])
  await adminOf(second, 'market')('set_asset_halt', symbol('BTC'), { type: 'bool', value: true })
  assert.equal((await instrument()).open, false)
})

test('the book has one level per side around the oracle price, with the room of each side', async () => {
  const { asks: [ask], bids: [bid], ...rest } = await read<Book>('/v1/markets/btc/book')
  const roomOf = async (direction: string): Promise<unknown> =>
    (await read<{ headroom: string }>(`/v1/markets/btc/quote?direction=${direction}&collateral=${10n * ONE}&leverage=1`)).headroom
  const { price } = (await fixture.get<{ price: string }>('/v1/markets/BTC/price')).body
  assert.deepEqual({ ...rest, ledger: 0 }, { asset: 'BTC', ledger: 0, synthetic: true })
  assert.ok(rest.ledger > 0)
  assert.deepEqual([ask, bid], [[price, await roomOf('Long')], [price, await roomOf('Short')]])
  assert.equal((await fixture.get('/v1/markets/shib/book')).status, 404)
})
