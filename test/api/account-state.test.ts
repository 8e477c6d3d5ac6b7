// GET /v1/account/me/orders/open and /v1/account/me/state: compares the reported state with the market's behaviour.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from '../../localnet/actors/client.ts'
import { createIdentity } from '../../localnet/actors/identity.ts'
import { address, i128, u64 } from '../../localnet/contracts/shared/host.ts'
import { ACCOUNT_CACHE_MS } from '../../src/limits.ts'
import type { AccountPosition, AccountState } from '../../src/resources/account-state.ts'
import type { OpenOrder } from '../../src/resources/open-order.ts'
import { bearer } from '../support/keys.ts'
import { applyInOneLedger, createChainTrader, createTrader, ONE } from '../support/traders.ts'
import type { ChainTrader, Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const PRICE = 100_000n * ONE
const HOUR_SEC = 3_600
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 10, direction: 'Long' } as const

let fixture: GatewayFixture
let trader: Trader
let keeper: ChainTrader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'account state' })
  await fixture.control('local_actors', { keeper: false })
  await fixture.closeLedgers(3)
  trader = await createTrader(fixture, 'account state')
  keeper = await createChainTrader(fixture, 'keeper')
})
after(() => fixture[Symbol.asyncDispose]())

const own = (path: string) => fixture.get(path, { authorization: bearer(trader.key) })

/** The account's current state; waits until the cached one expires. */
async function state(): Promise<AccountState> {
  fixture.clock.advance(ACCOUNT_CACHE_MS)
  const { status, body, text } = await own('/v1/account/me/state')
  assert.equal(status, 200, text)
  return body as unknown as AccountState
}

async function onlyPosition(): Promise<AccountPosition> {
  const { positions } = await state()
  assert.equal(positions?.length, 1)
  return positions[0] as AccountPosition
}

async function setPrice(price: bigint): Promise<void> {
  await fixture.control('local_setPrice', { asset: 'BTC', price: String(price) })
}

/** Resets the price. The market limits how far it may move from the last one for ten minutes. */
async function resetPrice(): Promise<void> {
  await fixture.control('local_advance', { seconds: 700 })
  await setPrice(PRICE)
  await fixture.closeLedgers(2)
}

const usdcBalance = async (): Promise<bigint> => BigInt((await state()).balances.usdc ?? '')

function liquidate(positionId: number) {
  return { trader: keeper, functionName: 'liquidate', args: [address(keeper.address), u64(BigInt(positionId))] }
}

test('the balances of an account without trustlines are unknown, and the reason is named', async () => {
  const { key } = await createTrader(fixture, 'without trustlines', null)
  const { body } = await fixture.get<AccountState>('/v1/account/me/state', { authorization: bearer(key) })
  assert.deepEqual([body.balances.usdc, body.balances.lp], [null, null])
  assert.deepEqual(body.unknown.map(({ part, reason }) => `${part} ${reason}`).sort(), ['/balances/lp no_trustline', '/balances/usdc no_trustline'])
})

test('reports an account without activity', async () => {
  const initial = await state()
  assert.deepEqual([initial.owner, initial.positions, initial.orders], [trader.address, [], []])
  assert.equal(initial.ledger, fixture.network.chain.history.latest().sequence)
  assert.equal(initial.ledgerCloseTs, fixture.network.chain.history.latest().closeTimeSec)
  assert.deepEqual(initial.balances, { usdc: String(50_000n * ONE), lp: '0', xlm: initial.balances.xlm })
  assert.deepEqual(initial.unknown, [])
  assert.deepEqual(initial.fees, { volume: '0', tier: 0, makerRate: '2000', takerRate: '5000', nextTierVolume: String(20_000n * ONE) })
  assert.deepEqual(initial.limits, {
    minCollateral: String(10n * ONE), maxPositionSize: String(100_000n * ONE), maxLeverage: 10, maxPriceAgeSec: 60, maxPriceDeviationBps: 100,
    tradingPaused: false,
  })
})

for (const [direction, gain] of [['Long', 3n], ['Long', -3n], ['Short', 3n], ['Short', -3n]] as const) {
  test(`${direction} at ${gain}%: closing pays exactly closeValue, funding included`, async () => {
    await resetPrice()
    await trader.trade({ op: 'open_position', ...TERMS, direction, collateral: '1234567890' })
    await fixture.control('local_advance', { seconds: 5 * HOUR_SEC })
    await applyInOneLedger(fixture, [{ trader: keeper, functionName: 'apply_funding', args: [] }])
    await setPrice((PRICE * (100n + gain)) / 100n + 7n)
    const position = await onlyPosition()
    assert.notEqual(position.accruedFunding, '0')
    const balance = await usdcBalance()
    const { hash } = await trader.trade({ op: 'close_position', positionId: position.positionId })
    assert.equal((await usdcBalance()) - balance, BigInt(position.closeValue ?? ''))
    await fixture.catchUp()
    const { body } = await fixture.get<{ events: { txHash: string; payload: { pnl: string } }[] }>('/v1/events?topic=position_closed')
    assert.equal(body.events.find(({ txHash }) => txHash === hash)?.payload.pnl, position.unrealizedPnl)
  })
}

for (const direction of ['Long', 'Short'] as const) {
  for (const hours of [0, 5]) {
    test(`${direction} with ${hours} hours of funding: liquidation works exactly from the liquidation price on`, async () => {
      await resetPrice()
      await trader.trade({ op: 'open_position', ...TERMS, direction })
      const { liquidationPrice: unfunded } = await onlyPosition()
      if (hours > 0) {
        await fixture.control('local_advance', { seconds: hours * HOUR_SEC })
        await applyInOneLedger(fixture, [{ trader: keeper, functionName: 'apply_funding', args: [] }])
      }
      const { positionId, liquidationPrice } = await onlyPosition()
      assert.equal(liquidationPrice === unfunded, hours === 0, 'funding moves the liquidation price')
      const price = BigInt(liquidationPrice ?? '')
      await setPrice(direction === 'Long' ? price + 1n : price - 1n)
      await assert.rejects(applyInOneLedger(fixture, [liquidate(positionId)]), /liquidate/)
      assert.equal((await onlyPosition()).liquidationPrice, liquidationPrice, 'the market price does not move the liquidation price')
      await setPrice(price)
      await applyInOneLedger(fixture, [liquidate(positionId)])
      assert.deepEqual((await state()).positions, [])
    })
  }
}

test('cross margin: pays a withdrawal of `withdrawable` and rejects one unit more', async () => {
  await resetPrice()
  await trader.trade({ op: 'open_position_cross', ...TERMS })
  await invokeAsTrader('deposit_cross_margin', 50n * ONE)
  const { cross, positions } = await state()
  assert.equal(positions?.[0]?.marginMode, 'cross')
  assert.equal(cross.pool, String(50n * ONE))
  assert.equal(cross.liquidatable, false)
  assert.equal(cross.withdrawable, String(50n * ONE), 'the whole pool is withdrawable')
  await setPrice((PRICE * 905n) / 1000n)
  const squeezed = await state()
  const withdrawable = BigInt(squeezed.cross.withdrawable ?? '')
  assert.ok(withdrawable > 0n && withdrawable < 50n * ONE, String(withdrawable))
  await assert.rejects(invokeAsTrader('withdraw_cross_margin', withdrawable + 1n))
  await invokeAsTrader('withdraw_cross_margin', withdrawable)
  await setPrice(PRICE)
  const pool = BigInt((await state()).cross.pool ?? '')
  const value = BigInt((await onlyPosition()).closeValue ?? '')
  await trader.trade({ op: 'close_position_cross', positionId: squeezed.positions?.[0]?.positionId ?? 0 })
  assert.equal(BigInt((await state()).cross.pool ?? '') - pool, value)
})

/** Invokes a cross-margin function of the market directly, signed by the trader. */
async function invokeAsTrader(functionName: string, amount: bigint): Promise<void> {
  const { networkPassphrase, rpc } = fixture.network
  const identity = createIdentity(networkPassphrase, 'test account state')
  const client = createClient({ identity, networkPassphrase, transport: (method, params) => rpc.call(method, params) })
  const onChain = { address: trader.address, client }
  await applyInOneLedger(fixture, [{ trader: onChain, functionName, args: [address(trader.address), i128(amount)] }])
}

test('lists open orders of every type, including those without events, until they close', async () => {
  await resetPrice()
  const limit = { ...TERMS, triggerPrice: String(PRICE / 2n), triggerCondition: 'Below', slippageToleranceBps: 100 } as const
  await trader.trade({ op: 'open_position', ...TERMS })
  const { positionId } = await onlyPosition()
  await trader.trade({ op: 'place_limit_order', ...limit })
  await trader.trade({ op: 'place_stop_limit_order', ...limit, limitPrice: String(PRICE / 3n) })
  await trader.trade({ op: 'set_stop_loss', positionId, triggerPrice: String((PRICE * 95n) / 100n), slippageToleranceBps: 50 })
  await trader.trade({ op: 'set_take_profit', positionId, triggerPrice: String((PRICE * 110n) / 100n), slippageToleranceBps: 50 })
  await trader.trade({ op: 'place_trailing_stop', positionId, trailingPercentBps: 250, slippageToleranceBps: 50 })
  fixture.clock.advance(ACCOUNT_CACHE_MS)
  const { body } = await own('/v1/account/me/orders/open')
  const orders = body['orders'] as readonly OpenOrder[]
  assert.deepEqual(orders.map(({ orderType }) => orderType), ['trailing_stop', 'take_profit', 'stop_loss', 'stop_limit', 'limit'])
  const [trailing, , , stopLimit] = orders
  assert.deepEqual([trailing?.peakPrice, trailing?.referencePrice, trailing?.triggerPrice], [String(PRICE), String((PRICE * 975n) / 1000n), null])
  assert.deepEqual([stopLimit?.stopLimitPhase, stopLimit?.size, stopLimit?.positionId], ['waiting_for_stop', String(1_000n * ONE), null])
  assert.deepEqual((await state()).orders, orders)
  await trader.trade({ op: 'cancel_order', orderId: stopLimit?.orderId ?? 0 })
  await trader.trade({ op: 'close_position', positionId })
  assert.deepEqual((await state()).orders?.map(({ orderType }) => orderType), ['limit'])
})

test('an unreadable price makes only the values that depend on it unknown', async () => {
  await resetPrice()
  await trader.trade({ op: 'open_position', ...TERMS })
  fixture.rpc.refusedPrices.add('BTC')
  const { positions, unknown, balances } = await state()
  fixture.rpc.refusedPrices.delete('BTC')
  assert.deepEqual([positions?.[0]?.price, positions?.[0]?.unrealizedPnl, positions?.[0]?.closeValue], [null, null, null])
  assert.ok(positions?.[0]?.liquidationPrice)
  assert.ok(balances.usdc)
  assert.ok(unknown.some(({ part, reason }) => part === '/positions/0/price' && reason === 'price_unreadable'))
})

test('responds 401 without a key, and 502 without the network while indexed data stays available', async () => {
  for (const path of ['/v1/account/me/state', '/v1/account/me/orders/open']) {
    assert.equal((await fixture.get(path)).status, 401, path)
    fixture.clock.advance(ACCOUNT_CACHE_MS)
    fixture.rpc.isDown = true
    const response = await own(path)
    fixture.rpc.isDown = false
    assert.deepEqual([response.status, response.body['error']], [502, 'rpc_error'], path)
  }
  fixture.rpc.isDown = true
  assert.equal((await own('/v1/account/me/events')).status, 200)
  fixture.rpc.isDown = false
})
