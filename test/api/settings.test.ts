// Changes by the contracts' administrator are reported within the cache time, on both generations; and prices follow the entries that they are stored in.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_MARKET_CONFIG, ASSET_RISKS } from '../../localnet/contracts/generation-2/market/defaults.ts'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { VENUE_CACHE_MS } from '../../src/limits.ts'
import type { MarketLimits } from '../../src/resources/market-limits.ts'
import type { MarketCapacity, MarketStats } from '../../src/resources/market-stats.ts'
import type { OracleHealth } from '../../src/resources/oracle-health.ts'
import type { PoolState } from '../../src/resources/pool.ts'
import type { Price } from '../../src/resources/price.ts'
import { adminOf, CONFIG_SECONDS, i128, struct, symbol, u32 } from '../support/admin-calls.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { ONE } from '../support/traders.ts'

async function read<Body>(fixture: GatewayFixture, path: string): Promise<Body> {
  const { status, body, text } = await fixture.get<Body>(path)
  assert.equal(status, 200, text)
  return body
}

function waitForCaches(fixture: GatewayFixture): void {
  fixture.clock.advance(VENUE_CACHE_MS)
}

async function capacityOf(fixture: GatewayFixture, asset: string): Promise<MarketCapacity> {
  const { stats } = await read<{ stats: readonly MarketStats[] }>(fixture, '/v1/markets/stats')
  return stats.find((row) => row.asset === asset)?.capacity ?? assert.fail('no capacity')
}

for (const generation of ['1', '2'] as const) {
  test(`generation ${generation}: the caps and fees of the vault are those that its administrator set`, async () => {
    await using fixture = await createGatewayFixture({ traders: 0, seed: `caps ${generation}`, generation })
    await fixture.closeLedgers(3)
    await fixture.catchUp()
    const before = await read<PoolState>(fixture, '/v1/pool')
    assert.deepEqual(before.caps, { reservedBps: 7_000, assetSideBps: 2_500 })
    const vault = adminOf(fixture, 'vault')
    await vault('set_reserve_cap', u32(5_000))
    await vault('set_asset_cap', symbol('BTC'), u32(1_000))
    await vault('set_deposit_fee', u32(55))
    if (generation === '2') {
      await vault('set_asset_cap_abs', symbol('ETH'), i128(1_234n * ONE))
      await vault('set_skew_cap', symbol('BTC'), u32(700))
    }
    waitForCaches(fixture)
    const pool = await read<PoolState>(fixture, '/v1/pool')
    assert.deepEqual([pool.caps, pool.depositFeeBps], [{ reservedBps: 5_000, assetSideBps: 1_000 }, 55])
    const aum = BigInt(pool.aum ?? assert.fail('no AUM'))
    assert.equal(pool.headroom.total, String((aum * 5_000n) / 10_000n))
    const limits = await read<MarketLimits>(fixture, '/v1/markets/BTC/limits')
    assert.equal(limits.assetSideCap, String((aum * 1_000n) / 10_000n))
    const capacity = await capacityOf(fixture, 'BTC')
    assert.deepEqual([capacity.assetCapBps, capacity.skewCapBps], [1_000, generation === '2' ? 700 : null])
    const eth = await read<MarketLimits>(fixture, '/v1/markets/ETH/limits')
    assert.equal(eth.assetSideCap, String(generation === '2' ? 1_234n * ONE : (aum * 2_500n) / 10_000n))
  })

  test(`generation ${generation}: prices are read from their entries, and simulated again when the shim changes`, async () => {
    await using fixture = await createGatewayFixture({ traders: 0, seed: `entries ${generation}`, generation })
    await fixture.control('local_actors', { publisher: false })
    await fixture.closeLedgers(3)
    const { oracle } = fixture.gateway
    await oracle.step()
    await oracle.step()
    fixture.rpc.requestedPrices.length = 0
    await fixture.control('local_setPrice', { asset: 'BTC', price: '1234500000000' })
    const { sequence } = fixture.network.chain.history.latest()
    await oracle.step()
    const { price, ledger } = await read<Price>(fixture, '/v1/markets/BTC/price')
    assert.deepEqual([price, ledger, fixture.rpc.requestedPrices], ['1234500000000', sequence, []])
    await adminOf(fixture, 'oracleShim')('set_noeracle_oracle', { type: 'address', value: fixture.network.contracts.market })
    await oracle.step()
    assert.deepEqual(new Set(fixture.rpc.requestedPrices), new Set(fixture.deployment.current.assets.symbols))
    assert.equal((await fixture.get('/v1/markets/BTC/price')).headers['x-stale'], '1', 'the shim no longer returns it')
    assert.ok(fixture.rpc.requestedPrices.length >= ASSET_SYMBOLS.length)
  })
}

test('generation 2: limits, and whether a price is stale, follow the market\'s configuration and risk parameters', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, seed: 'configuration', generation: '2' })
  await fixture.control('local_actors', { publisher: false })
  await fixture.closeLedgers(3)
  await fixture.control('local_setPrice', { asset: 'BTC', price: '1000000000000', ageSeconds: 40 })
  await fixture.gateway.oracle.step()
  const isStale = async (): Promise<boolean | null> => (await read<Price>(fixture, '/v1/markets/BTC/price')).stale
  assert.equal(await isStale(), false)
  const market = adminOf(fixture, 'market')
  const config = {
    ...DEFAULT_MARKET_CONFIG, max_price_staleness: 30n, min_collateral: 25n * ONE, max_oracle_deviation_bps: 250, keeper_fee_base: 300_000n,
    keeper_fee_deci_bps: 15,
  }
  await market('migrate_config', struct(config, CONFIG_SECONDS))
  const risk = ASSET_RISKS.get('BTC') ?? assert.fail('no risk parameters')
  await market('set_asset_risk', symbol('BTC'), struct({ ...risk, max_leverage: 4, max_position_size: 777n * ONE }))
  await fixture.gateway.oracle.step()
  assert.equal(await isStale(), true)
  const { onchain } = await read<OracleHealth>(fixture, '/v1/oracle/health')
  assert.equal(onchain.staleAfterSec, 30)
  waitForCaches(fixture)
  const limits = await read<MarketLimits>(fixture, '/v1/markets/BTC/limits')
  assert.deepEqual(
    [limits.maxPriceAgeSec, limits.minCollateral, limits.maxPriceDeviationBps, limits.maxLeverage, limits.maxPositionSize],
    [30, String(25n * ONE), 250, 4, String(777n * ONE)],
  )
  assert.deepEqual(limits.keeperFee, { base: '300000', rate: '1500' })
  const capacity = await capacityOf(fixture, 'BTC')
  assert.deepEqual([capacity.maxPositionSize, capacity.maxLeverage], [String(777n * ONE), limits.maxLeverage])
})
