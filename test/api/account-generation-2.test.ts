// Account state, limits and funding on contracts of generation 2, compared with the contracts' own views and behaviour.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { nativeToScVal } from '@stellar/stellar-sdk'
import { createClient } from '../../localnet/actors/client.ts'
import { createIdentity } from '../../localnet/actors/identity.ts'
import { address, i128, u64 } from '../../localnet/contracts/shared/host.ts'
import type { Val } from '../../localnet/contracts/shared/host.ts'
import { ACCOUNT_CACHE_MS, VENUE_CACHE_MS } from '../../src/limits.ts'
import type { AccountPosition, AccountState } from '../../src/resources/account-state.ts'
import type { AssetFunding, CurrentFunding, FundingRow } from '../../src/resources/funding.ts'
import type { MarketLimits } from '../../src/resources/market-limits.ts'
import type { OpenOrder } from '../../src/resources/open-order.ts'
import type { PoolState } from '../../src/resources/pool.ts'
import { callView } from './chain-views.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { bearer } from '../support/keys.ts'
import { applyInOneLedger, createChainTrader, createTrader, ONE } from '../support/traders.ts'
import type { ChainTrader, Trader } from '../support/traders.ts'

const PRICE = 100_000n * ONE
const HOUR_SEC = 3_600
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 10, direction: 'Long' } as const

let fixture: GatewayFixture
let trader: Trader
let keeper: ChainTrader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'account of generation 2', generation: '2' })
  await fixture.control('local_actors', { keeper: false })
  await fixture.closeLedgers(3)
  trader = await createTrader(fixture, 'account state')
  keeper = await createChainTrader(fixture, 'keeper')
  // The first application starts the funding of each asset.
  await passHour()
})
after(() => fixture[Symbol.asyncDispose]())

async function state(): Promise<AccountState> {
  fixture.clock.advance(ACCOUNT_CACHE_MS)
  const { status, body, text } = await fixture.get<AccountState>('/v1/account/me/state', { authorization: bearer(trader.key) })
  assert.equal(status, 200, text)
  return body
}

async function onlyPosition(): Promise<AccountPosition> {
  const { positions } = await state()
  assert.equal(positions?.length, 1)
  return positions[0] as AccountPosition
}

async function read<Body>(path: string): Promise<Body> {
  fixture.clock.advance(VENUE_CACHE_MS)
  const { status, body, text } = await fixture.get<Body>(path)
  assert.equal(status, 200, text)
  return body
}

async function setPrice(price: bigint): Promise<void> {
  await fixture.control('local_setPrice', { asset: 'BTC', price: String(price) })
}

/** Sets a price that no earlier one limits: the last good price is too old, and so is every price that is averaged. */
async function settlePrice(price: bigint): Promise<void> {
  await fixture.control('local_advance', { seconds: 700 })
  for (let prices = 0; prices < 4; prices++) {
    await setPrice(price)
    await fixture.closeLedgers(1)
  }
}

/** Lets an hour pass, and applies its funding. */
async function passHour(): Promise<void> {
  await fixture.control('local_advance', { seconds: HOUR_SEC })
  await applyInOneLedger(fixture, [{ trader: keeper, functionName: 'apply_funding', args: [] }])
}

const usdcBalance = async (): Promise<bigint> => big((await state()).balances.usdc)
const big = (value: string | null | undefined): bigint => BigInt(value ?? assert.fail('unknown'))
const viewOfMarket = (name: string, ...args: Parameters<typeof nativeToScVal>[]): Promise<unknown> =>
  callView(fixture, fixture.network.contracts.market, name, ...args.map((arg) => nativeToScVal(...arg)))
const equityOf = async (id: number): Promise<unknown> => viewOfMarket('get_position_equity', [BigInt(id), { type: 'u64' }])

/** Calls the market directly, signed by the trader. */
async function invoke(functionName: string, ...args: readonly Val[]): Promise<void> {
  const { networkPassphrase, rpc } = fixture.network
  const client = createClient({
    identity: createIdentity(networkPassphrase, 'test account state'), networkPassphrase, transport: (method, params) => rpc.call(method, params),
  })
  await applyInOneLedger(fixture, [{ trader: { address: trader.address, client }, functionName, args: [address(trader.address), ...args] }])
}

const liquidate = (positionId: number) => ({ trader: keeper, functionName: 'liquidate', args: [address(keeper.address), u64(BigInt(positionId))] })

for (const [direction, gain] of [['Long', 2n], ['Long', -2n], ['Short', 2n], ['Short', -2n]] as const) {
  test(`${direction} at ${gain} %: closeValue is the market's own equity, before and after a partial close, and what closing pays`, async () => {
    await settlePrice(PRICE)
    await trader.trade({ op: 'open_position', ...TERMS, direction, collateral: '1234567890' })
    for (let hours = 0; hours < 4; hours++) await passHour()
    await setPrice((PRICE * (100n + gain)) / 100n + 7n)
    await fixture.closeLedgers(1)
    const whole = await onlyPosition()
    assert.notEqual(whole.accruedFunding, '0')
    assert.equal(big(whole.closeValue), await equityOf(whole.positionId))
    assert.equal(big(whole.closeValue), big(whole.collateral) + big(whole.unrealizedPnl) - big(whole.accruedFunding))
    await invoke('close_position_partial', u64(BigInt(whole.positionId)), i128(big(whole.size) / 3n))
    const rest = await onlyPosition()
    assert.equal(big(rest.size), big(whole.size) - big(whole.size) / 3n)
    assert.equal(big(rest.closeValue), await equityOf(rest.positionId))
    const balance = await usdcBalance()
    await trader.trade({ op: 'close_position', positionId: rest.positionId })
    assert.equal((await usdcBalance()) - balance, big(rest.closeValue))
  })
}

test('a price far from the last good one is bounded in closeValue, as the market does it', async () => {
  await settlePrice(PRICE)
  await trader.trade({ op: 'open_position', ...TERMS })
  await setPrice((PRICE * 95n) / 100n)
  await fixture.closeLedgers(1)
  const bounded = await onlyPosition()
  assert.equal(bounded.unrealizedPnl, String(-50n * ONE))
  assert.equal(big(bounded.closeValue), await equityOf(bounded.positionId))
  assert.equal(big(bounded.closeValue), big(bounded.collateral) - 30n * ONE - big(bounded.accruedFunding))
  await fixture.control('local_advance', { seconds: 700 })
  await setPrice((PRICE * 95n) / 100n)
  await fixture.closeLedgers(1)
  const { positionId, closeValue } = await onlyPosition()
  assert.equal(big(closeValue), await equityOf(positionId))
  assert.equal(big(closeValue), big(bounded.collateral) - 50n * ONE - big(bounded.accruedFunding))
  await trader.trade({ op: 'close_position', positionId })
})

for (const direction of ['Long', 'Short'] as const) {
  test(`${direction}: liquidation works exactly from the liquidation price on, also after collateral was added`, async () => {
    await settlePrice(PRICE)
    await trader.trade({ op: 'open_position', ...TERMS, direction, collateral: String(90n * ONE) })
    const { positionId, liquidationPrice: initial } = await onlyPosition()
    const bps = (big(initial) * 10_000n) / PRICE
    assert.ok(direction === 'Long' ? bps >= 9_200n && bps < 9_215n : bps <= 10_800n && bps > 10_785n, String(bps))
    await invoke('add_collateral', u64(BigInt(positionId)), i128(9n * ONE))
    const price = big((await onlyPosition()).liquidationPrice)
    assert.ok(direction === 'Long' ? price < big(initial) : price > big(initial))
    await settlePrice(direction === 'Long' ? price + 1n : price - 1n)
    await assert.rejects(applyInOneLedger(fixture, [liquidate(positionId)]), /liquidate/)
    await settlePrice(price)
    await applyInOneLedger(fixture, [liquidate(positionId)])
    assert.deepEqual((await state()).positions, [])
  })
}

test('cross margin: pays a withdrawal of `withdrawable`, which leaves the used margin, and rejects one unit more', async () => {
  await settlePrice(PRICE)
  await trader.trade({ op: 'open_position_cross', ...TERMS })
  await invoke('deposit_cross_margin', i128(50n * ONE))
  await settlePrice((PRICE * 97n) / 100n)
  const { cross, positions } = await state()
  const [position] = positions ?? []
  assert.deepEqual([cross.pool, cross.usedMargin, cross.maintenanceMargin], [String(50n * ONE), String(100n * ONE), String(20n * ONE)])
  assert.equal(big(cross.equity), 50n * ONE + big(position?.closeValue))
  assert.equal(cross.withdrawable, String(big(cross.equity) - 100n * ONE))
  assert.equal(cross.liquidatable, false)
  await assert.rejects(invoke('withdraw_cross_margin', i128(big(cross.withdrawable) + 1n)))
  await invoke('withdraw_cross_margin', i128(big(cross.withdrawable)))
  const { cross: { pool } } = await state()
  await trader.trade({ op: 'close_position_cross', positionId: position?.positionId ?? 0 })
  const { cross: closed } = await state()
  assert.equal(big(closed.pool) - big(pool), big(position?.closeValue))
  assert.equal(closed.withdrawable, closed.pool)
})

test('reports fees as the market does', async () => {
  const { fees } = await state()
  const info = await viewOfMarket('get_trader_fee_info', [trader.address, { type: 'address' }]) as Record<string, bigint>
  assert.equal(big(fees.volume), info['volume_14d'])
  assert.equal(fees.tier, info['tier'])
  assert.equal(fees.makerRate, String(Number(info['maker_fee_bps']) * 100))
  assert.equal(fees.takerRate, String(Number(info['taker_fee_bps']) * 100))
  assert.equal(big(fees.nextTierVolume) - big(fees.volume), info['next_tier_volume'])
})

test('finds every open order of an account, also those that are not indexed yet', async () => {
  await settlePrice(PRICE)
  const limit = { ...TERMS, triggerPrice: String(PRICE / 2n), triggerCondition: 'Below', slippageToleranceBps: 100 } as const
  await trader.trade({ op: 'open_position', ...TERMS })
  const { positionId } = await onlyPosition()
  await trader.trade({ op: 'place_limit_order', ...limit })
  await fixture.catchUp()
  await trader.trade({ op: 'place_stop_limit_order', ...limit, limitPrice: String(PRICE / 3n) })
  await trader.trade({ op: 'place_trailing_stop', positionId, trailingPercentBps: 250, slippageToleranceBps: 50 })
  const types = (orders: readonly OpenOrder[] | null): unknown => orders?.map(({ orderType }) => orderType)
  const { orders } = await state()
  assert.deepEqual(types(orders), ['trailing_stop', 'stop_limit', 'limit'])
  assert.equal(orders?.[0]?.peakPrice, String(PRICE))
  await trader.trade({ op: 'cancel_order', orderId: orders?.[1]?.orderId ?? 0 })
  assert.deepEqual(types((await state()).orders), ['trailing_stop', 'limit'])
  await trader.trade({ op: 'close_position', positionId })
  assert.deepEqual(types((await state()).orders), ['limit'])
  await trader.trade({ op: 'cancel_order', orderId: orders?.[2]?.orderId ?? 0 })
  assert.deepEqual((await state()).orders, [])
})

test('returns the limits of each asset', async () => {
  for (const asset of ['BTC', 'XLM']) {
    const limits = await read<MarketLimits>(`/v1/markets/${asset}/limits`)
    const risk = await viewOfMarket('get_asset_risk', [asset, { type: 'symbol' }]) as Record<string, bigint>
    assert.deepEqual(
      [limits.maxLeverage, big(limits.maxPositionSize), limits.initialMarginBps, limits.maintenanceMarginBps],
      [risk['max_leverage'], risk['max_position_size'], risk['im_bps'], risk['mm_bps']],
    )
    assert.deepEqual([limits.tradingPaused, limits.pauseMode, limits.assetHalted, limits.adlActive], [false, 0, false, false])
  }
  const { limits, unknown } = await state()
  assert.deepEqual([limits.maxLeverage, limits.maxPositionSize, limits.tradingPaused], [null, null, false])
  assert.deepEqual(unknown.filter(({ reason }) => reason === 'per_asset').map(({ part }) => part), ['/limits/maxPositionSize', '/limits/maxLeverage'])
})

test('reports a halted asset, and a halted and a frozen market', async () => {
  const admin = (name: string, ...args: readonly unknown[]) => fixture.control('local_admin', { contract: 'market', function: name, args })
  const limitsOf = async (asset: string): Promise<unknown> => {
    const { tradingPaused, pauseMode, assetHalted } = await read<MarketLimits>(`/v1/markets/${asset}/limits`)
    return { tradingPaused, pauseMode, assetHalted }
  }
  await admin('set_asset_halt', { type: 'symbol', value: 'BTC' }, { type: 'bool', value: true })
  assert.deepEqual(await limitsOf('BTC'), { tradingPaused: false, pauseMode: 0, assetHalted: true })
  assert.deepEqual(await limitsOf('ETH'), { tradingPaused: false, pauseMode: 0, assetHalted: false })
  await admin('set_asset_halt', { type: 'symbol', value: 'BTC' }, { type: 'bool', value: false })
  for (const mode of [1, 2]) {
    await admin('pause', { type: 'u32', value: mode })
    assert.deepEqual(await limitsOf('BTC'), { tradingPaused: true, pauseMode: mode, assetHalted: false })
    assert.equal((await state()).limits.tradingPaused, true)
  }
  await admin('unpause')
  assert.equal((await state()).limits.tradingPaused, false)
})

test('uses the rules and the lists of an older build after an upgrade to it', async () => {
  await fixture.control('local_upgrade', { contract: 'market', build: '2.1' })
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  assert.equal(fixture.deployment.current.generationOf('market'), '2.1')
  await settlePrice(PRICE)
  await trader.trade({ op: 'open_position', ...TERMS })
  const { positionId } = await onlyPosition()
  await trader.trade({ op: 'place_trailing_stop', positionId, trailingPercentBps: 250, slippageToleranceBps: 50 })
  assert.deepEqual((await state()).orders?.map(({ orderType }) => orderType), ['trailing_stop'])
  for (let hours = 0; hours < 3; hours++) await passHour()
  await setPrice((PRICE * 99n) / 100n)
  await fixture.closeLedgers(1)
  const { closeValue } = await onlyPosition()
  const balance = await usdcBalance()
  await trader.trade({ op: 'close_position', positionId })
  assert.equal((await usdcBalance()) - balance, big(closeValue))
  await fixture.control('local_upgrade', { contract: 'market', build: '2.3' })
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  assert.deepEqual((await state()).orders, [])
})

test('returns the pool without its buffer, with the limit that determines each headroom', async () => {
  const pool = await read<PoolState>('/v1/pool')
  const view = (name: string): Promise<unknown> => callView(fixture, fixture.network.contracts.vault, name)
  assert.deepEqual(
    [big(pool.aum), big(pool.bufferBalance), big(pool.shortfallReserve)],
    [await view('get_aum'), await view('get_buffer_balance'), await view('get_shortfall_reserve')],
  )
  assert.ok(big(pool.bufferBalance) > 0n, 'a share of the fees')
  assert.equal(big(pool.aum), big(pool.totalUsdc) + big(pool.totalFees) - big(pool.unrealizedPnl))
  assert.equal(pool.caps.reservedBps, await view('get_reserve_cap'))
  const btc = pool.headroom.assets.find(({ asset }) => asset === 'BTC')
  assert.deepEqual([btc?.long, btc?.bindingLong], [String(100_000n * ONE), 'maxPosition'])
})

test('predicts the rate of the next funding of each asset', async () => {
  await settlePrice(PRICE)
  await trader.trade({ op: 'open_position', ...TERMS, collateral: String(1_000n * ONE) })
  const fundingOf = async (): Promise<AssetFunding> => {
    const { current } = await read<{ current: CurrentFunding }>('/v1/funding')
    assert.deepEqual([current.rate, current.cumulative, current.lastAppliedAt], [null, null, null])
    return current.assets.find(({ asset }) => asset === 'BTC') ?? assert.fail('no funding of BTC')
  }
  await passHour()
  const earlier = await fundingOf()
  assert.equal(earlier.nextTs, Number(earlier.lastTs) + HOUR_SEC)
  assert.notEqual(earlier.predictedRate, earlier.rate)
  await passHour()
  const applied = await fundingOf()
  assert.equal(applied.rate, earlier.predictedRate)
  assert.equal(big(applied.cumulative), big(earlier.cumulative) + big(applied.rate))
  await fixture.catchUp()
  const { history } = await read<{ history: readonly FundingRow[] }>('/v1/funding')
  assert.equal(history.find(({ asset }) => asset === 'BTC')?.fundingRate, applied.rate)
})
