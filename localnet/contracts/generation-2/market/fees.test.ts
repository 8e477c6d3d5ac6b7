import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, text, u32 } from '../../shared/host.ts'
import { ADMIN, ALICE, BOB, E7, eventsOf, MARKET, REFERRAL, USDC, USDC_ASSET, VAULT } from '../../../test/contracts/generation-1/test-exchange.ts'
import { toNativeEvent } from '../../../test/contracts/test-host.ts'
import { createTestExchange, type ExchangeOptions, openArgs, TREASURY, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'

/** An exchange on which BOB referred ALICE. */
function withReferral(options: ExchangeOptions = {}): TestExchange {
  const exchange = createTestExchange(options)
  exchange.invokeOk('set_referral', [address(REFERRAL)])
  exchange.host.invokeOk(REFERRAL, 'set_min_code_volume', [i128(0n)], [ADMIN])
  exchange.host.invokeOk(REFERRAL, 'create_code', [address(BOB), text('BOBCODE')], [BOB])
  exchange.host.invokeOk(REFERRAL, 'set_referrer', [address(ALICE), text('BOBCODE')], [ALICE])
  return exchange
}

test('1,000 USD at the lowest tier: fee 0.48 after the discount; 0.05 to the referrer, 0.046 to the protocol, 0.384 to the liquidity providers', () => {
  const exchange = withReferral()
  const result = exchange.invokeOk('open_position', openArgs(ALICE))
  const events = result.events.filter(({ contract }) => contract !== USDC).map((event) => {
    const [contract, topics, data] = toNativeEvent(event)
    return [contract, topics[0], data]
  })
  assert.deepEqual(events.slice(0, 4), [
    [REFERRAL, 'trade_recorded', [ALICE, BOB, 5_000_000n, 200_000n, 500_000n, 1000n * E7]],
    [VAULT, 'exposure_synced', [0n, 0n, 0n]],
    [VAULT, 'protocol_fee_routed', [460_000n, 460_000n, 0n]],
    [VAULT, 'loss_received', [3_840_000n]],
  ])
  assert.equal(exchange.usdc(REFERRAL), 500_000n)
  assert.equal(exchange.position(1n)['collateral'], 100n * E7 - 4_800_000n)
})

test('with a full buffer the protocol\'s share goes to the treasury', () => {
  const exchange = createTestExchange()
  exchange.seedBuffer(1000n * E7)
  exchange.open(ALICE)
  assert.equal(exchange.usdc(TREASURY), 1_000_000n * E7 + 1_000_000n)
})

test('without a treasury the referrer is paid nothing, and everything goes to the liquidity providers', () => {
  const exchange = withReferral({ configured: false })
  const result = exchange.invokeOk('open_position', openArgs(ALICE))
  assert.deepEqual(eventsOf(result)[1], ['loss_received', [4_800_000n]])
  assert.equal(exchange.usdc(REFERRAL), 0n)
})

test('a referral contract that fails grants no discount and changes nothing', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('set_referral', [address(VAULT)])
  exchange.open(ALICE)
  assert.equal(exchange.position(1n)['collateral'], 995_000_000n)
})

test('the first build knows no referral', () => {
  const exchange = createTestExchange({ build: '2.0' })
  assert.equal(exchange.tryInvoke('set_referral', [address(REFERRAL)]), 'Error(WasmVm, MissingValue)')
})

test('the fee split needs a treasury that can hold USDC', () => {
  const exchange = createTestExchange()
  const trySplit = (treasury: string, bps: number): string => exchange.tryInvoke('set_fee_split', [address(treasury), u32(bps)])
  assert.equal(trySplit('GSTRANGER', 2000), 'Error(Contract, #13)', 'error of the token: no trustline')
  exchange.host.fund('GSTRANGER', USDC_ASSET, 0n)
  assert.equal(trySplit('GSTRANGER', 5001), 'Error(Contract, #5)')
  assert.deepEqual(eventsOf(exchange.invokeOk('set_fee_split', [address('GSTRANGER'), u32(5000)])), [['fee_split_set', ['GSTRANGER', 5000]]])
  assert.equal(exchange.tryInvoke('set_fee_split', [address(MARKET), u32(0)]), 'ok')
})

test('the fee views report the tier, its rates and the volume that the next tier lacks', () => {
  const exchange = createTestExchange()
  const info = (): unknown => exchange.view('get_trader_fee_info', address(ALICE))
  assert.deepEqual(info(), { maker_fee_bps: 20, taker_fee_bps: 50, tier: 0, next_tier_volume: 20_000n * E7, volume_14d: 0n })
  exchange.open(ALICE, { collateral: 2500n * E7 })
  assert.deepEqual(info(), { maker_fee_bps: 15, taker_fee_bps: 40, tier: 1, next_tier_volume: 25_000n * E7, volume_14d: 25_000n * E7 })
  exchange.advance(14n * 86_400n)
  assert.equal(exchange.view('get_trader_volume', address(ALICE)), 0n)
  exchange.setPrice('BTC', 50_000n * E7)
  for (let count = 0; count < 2; count++) exchange.open(ALICE, { collateral: 6000n * E7 })
  assert.deepEqual(info(), { maker_fee_bps: 5, taker_fee_bps: 20, tier: 3, next_tier_volume: 0n, volume_14d: 120_000n * E7 })
})
