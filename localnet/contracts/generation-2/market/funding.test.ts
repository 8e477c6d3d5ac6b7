import assert from 'node:assert/strict'
import { test } from 'node:test'
import { u64, vec } from '../../shared/host.ts'
import { KEYS } from '../../shared/market/storage.ts'
import { ADMIN, ALICE, BOB, contractError, E7, eventsOf, KEEPER, MARKET } from '../../../test/contracts/generation-1/test-exchange.ts'
import { createTestExchange, createUninitializedHost, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'
import { SYMBOLS } from './symbols.ts'
import { ADDED_KEYS } from './storage.ts'

const HOUR = 3600n

const applyFunding = (exchange: TestExchange): readonly (readonly [string, unknown])[] => eventsOf(exchange.invokeOk('apply_funding', []))
const stateOf = (exchange: TestExchange, asset: string): unknown => exchange.stored(ADDED_KEYS.fundingState(asset))

/** An exchange whose funding clocks have started, with longs of 100,000 USD of BTC. */
function longSkew(): TestExchange {
  const exchange = createTestExchange({ liquidity: 900_000n * E7 })
  exchange.invokeOk('apply_funding', [])
  exchange.open(ALICE, { collateral: 10_000n * E7 })
  return exchange
}

test('an average skew of 100,000 USD moves the rate by 0.025 % an hour, up to the clamp of 0.05 %', () => {
  const exchange = longSkew()
  const hourly = [1, 2, 3].map(() => {
    exchange.advance(HOUR)
    return applyFunding(exchange)[0]
  })
  assert.deepEqual(hourly, [
    ['funding_applied', ['BTC', 2500n, 1n, 2500n]], ['funding_applied', ['BTC', 5000n, 1n, 7500n]], ['funding_applied', ['BTC', 5000n, 1n, 12_500n]],
  ])
})

test('a long of 1,000 USD pays 0.5 USDC for an hour at 0.05 %', () => {
  const exchange = longSkew()
  for (let hour = 0; hour < 2; hour++) {
    exchange.advance(HOUR)
    applyFunding(exchange)
  }
  exchange.setPrice('BTC', 50_000n * E7)
  const id = exchange.open(BOB)
  assert.equal(exchange.position(id)['entry_cumulative_funding'], 7500n)
  exchange.advance(HOUR)
  applyFunding(exchange)
  assert.deepEqual(eventsOf(exchange.close(BOB, id))[0], ['loss_received', [5_000_000n]])
})

test('the rate stays when the books balance, and falls only against a skew', () => {
  const exchange = longSkew()
  exchange.advance(HOUR)
  applyFunding(exchange)
  exchange.setPrice('BTC', 50_000n * E7)
  exchange.open(BOB, { collateral: 10_000n * E7, direction: 1 })
  exchange.advance(HOUR)
  assert.deepEqual(applyFunding(exchange)[0], ['funding_applied', ['BTC', 2500n, 1n, 5000n]])
  exchange.close(ALICE, 1n)
  exchange.advance(2n * HOUR)
  assert.deepEqual(applyFunding(exchange)[0], ['funding_applied', ['BTC', 0n, 1n, 5000n]], 'a late call charges one hour')
})

test('the skew counts for as long as it lasts', () => {
  const exchange = createTestExchange({ liquidity: 900_000n * E7 })
  exchange.invokeOk('apply_funding', [])
  exchange.advance(HOUR / 2n)
  exchange.setPrice('BTC', 50_000n * E7)
  exchange.open(ALICE, { collateral: 10_000n * E7 })
  exchange.advance(HOUR / 2n)
  assert.deepEqual(applyFunding(exchange)[0], ['funding_applied', ['BTC', 1250n, 1n, 1250n]])
})

test('a negative step truncates toward zero', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('apply_funding', [])
  exchange.open(ALICE, { collateral: 10n * E7, leverage: 1, direction: 1 })
  exchange.advance(HOUR)
  // 10 of 200,000 USD: a velocity of -60,000, -2500 in an hour, a step of -0.25.
  assert.deepEqual(applyFunding(exchange)[0], ['funding_applied', ['BTC', 0n, 1n, 0n]])
})

test('each configured asset has its own clock; 55 only if none is due', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'apply_funding', []), contractError(1))
  const exchange = createTestExchange({ configured: false })
  assert.equal(exchange.tryInvoke('apply_funding', []), contractError(55), 'no asset has parameters')
  exchange.setRisk('BTC', {})
  assert.deepEqual(applyFunding(exchange), [], 'the first call starts the clock')
  assert.deepEqual(stateOf(exchange, 'BTC'), [0n, 0n, exchange.host.ledger.timestampSec])
  exchange.advance(HOUR - 1n)
  assert.equal(exchange.tryInvoke('apply_funding', []), contractError(55))
  exchange.advance(1n)
  exchange.setRisk('ETH', {})
  assert.deepEqual(applyFunding(exchange).map(([, data]) => (data as unknown[])[0]), ['BTC'])
  exchange.advance(HOUR)
  assert.deepEqual(applyFunding(exchange).map(([, data]) => (data as unknown[])[0]), ['BTC', 'ETH'], 'in the order of the symbols')
})

test('an upgrade from a shared funding index gives each asset that index and starts its funding again, at every call', () => {
  const exchange = createTestExchange()
  const result = exchange.invokeOk('migrate_funding', [])
  assert.deepEqual(eventsOf(result).map(([topic, data]) => [topic, (data as unknown[])[0]]), SYMBOLS.map((asset) => ['funding_migrated', asset]))
  exchange.open(ALICE, { collateral: 1000n * E7 })
  exchange.advance(HOUR)
  assert.equal(applyFunding(exchange).length, 16)
  exchange.advance(HOUR / 2n)
  exchange.invokeOk('migrate_funding', [])
  const now = exchange.host.ledger.timestampSec
  assert.deepEqual(exchange.stored(ADDED_KEYS.fundingState('BTC')), [0n, 0n, now], 'index and rate are those of before')
  assert.deepEqual(exchange.stored(ADDED_KEYS.skewIntegral('BTC')), [0n, now])
})

test('reseeding in a freeze forgets the funding that positions have accrued', () => {
  const exchange = longSkew()
  exchange.advance(HOUR)
  applyFunding(exchange)
  const reseed = [vec(u64(1n), u64(9n))]
  assert.equal(exchange.tryInvoke('reseed_funding', reseed), contractError(5))
  assert.equal(exchange.tryInvoke('reseed_funding', reseed, [KEEPER]), 'Error(Auth, InvalidAction)')
  exchange.invokeOk('pause', [{ type: 'u32', value: 2 }])
  const result = exchange.invokeOk('reseed_funding', reseed)
  assert.deepEqual(eventsOf(result), [['funding_reseeded', [1n, 0n, 2500n]]])
  assert.deepEqual(result.value, { type: 'u32', value: 1 })
  assert.equal((exchange.stored(KEYS.position(1n)) as { entry_cumulative_funding: bigint }).entry_cumulative_funding, 2500n)
  assert.equal(createTestExchange({ build: '2.1' }).tryInvoke('reseed_funding', reseed, [ADMIN]), 'Error(WasmVm, MissingValue)')
})
