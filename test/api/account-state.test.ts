// GET /v1/account/me/orders/open and /v1/account/me/state: what the ledger says of an account, held against what the market really does.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from '../../localnet/actors/client.ts'
import { createIdentity } from '../../localnet/actors/identity.ts'
import { address, i128, u64 } from '../../localnet/contracts/host.ts'
import { ACCOUNT_CACHE_MS } from '../../src/limits.ts'
import type { AccountPosition, AccountState } from '../../src/resources/account-state.ts'
import type { OpenOrder } from '../../src/resources/open-order.ts'
import { bearer } from '../support/keys.ts'
import { createChainTrader, applyInOneLedger } from '../support/chain-traders.ts'
import type { ChainTrader } from '../support/chain-traders.ts'
import { createTrader, ONE } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const PRICE = 100_000n * ONE
const HOUR_SEC = 3_600
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 10, direction: 'Long' } as const

let world: GatewayFixture
let trader: Trader
let keeper: ChainTrader

before(async () => {
  world = await createGatewayFixture({ traders: 0, seed: 'account state' })
  await world.control('local_actors', { keeper: false })
  await world.closeLedgers(3)
  trader = await createTrader(world, 'has a state')
  keeper = await createChainTrader(world, 'keeps')
})
after(() => world[Symbol.asyncDispose]())

const own = (path: string) => world.get(path, { authorization: bearer(trader.key) })

/** What was read a moment ago is kept: a test looks at the ledger as it is now. */
async function state(): Promise<AccountState> {
  world.clock.advance(ACCOUNT_CACHE_MS)
  const { status, body, text } = await own('/v1/account/me/state')
  assert.equal(status, 200, text)
  return body as unknown as AccountState
}

async function onlyPosition(): Promise<AccountPosition> {
  const { positions } = await state()
  assert.equal(positions?.length, 1)
  return positions[0] as AccountPosition
}

/** The market forgets the last price that it saw after ten minutes, so that one may leap. */
async function hold(price: bigint): Promise<void> {
  await world.control('local_setPrice', { asset: 'BTC', price: String(price) })
}

async function begin(): Promise<void> {
  await world.control('local_advance', { seconds: 700 })
  await hold(PRICE)
  await world.closeLedgers(2)
}

const usdcOf = async (): Promise<bigint> => BigInt((await state()).balances.usdc ?? '')

function liquidate(positionId: number) {
  return { person: keeper, functionName: 'liquidate', args: [address(keeper.address), u64(BigInt(positionId))] }
}

test('an account that has done nothing has nothing, and that is told', async () => {
  const found = await state()
  assert.deepEqual([found.owner, found.positions, found.orders], [trader.address, [], []])
  assert.equal(found.ledger, world.network.chain.history.latest().sequence)
  assert.equal(found.ledgerCloseTs, world.network.chain.history.latest().closeTimeSec)
  assert.deepEqual(found.balances, { usdc: String(50_000n * ONE), lp: null, xlm: found.balances.xlm })
  assert.deepEqual(found.unknown, [{ part: '/balances/lp', reason: 'no_trustline' }])
  assert.deepEqual(found.fees, { volume: '0', tier: 0, makerRate: '2000', takerRate: '5000', nextTierVolume: String(20_000n * ONE) })
  assert.deepEqual(found.limits, {
    minCollateral: String(10n * ONE), maxPositionSize: String(100_000n * ONE), maxLeverage: 10, maxPriceAgeSec: 60, maxPriceDeviationBps: 100,
    tradingPaused: false,
  })
})

for (const [direction, gain] of [['Long', 3n], ['Long', -3n], ['Short', 3n], ['Short', -3n]] as const) {
  test(`${direction} at ${gain} %: what the state says closing brings is what closing pays, to the last unit, funding counted`, async () => {
    await begin()
    await trader.trade({ op: 'open_position', ...TERMS, direction, collateral: '1234567890' })
    await world.control('local_advance', { seconds: 5 * HOUR_SEC })
    await applyInOneLedger(world, [{ person: keeper, functionName: 'apply_funding', args: [] }])
    await hold((PRICE * (100n + gain)) / 100n + 7n)
    const position = await onlyPosition()
    assert.notEqual(position.accruedFunding, '0')
    const before = await usdcOf()
    const { hash } = await trader.trade({ op: 'close_position', positionId: position.positionId })
    assert.equal((await usdcOf()) - before, BigInt(position.closeValue ?? ''))
    await world.catchUp()
    const { body } = await world.get<{ events: { txHash: string; payload: { pnl: string } }[] }>('/v1/events?topic=position_closed')
    assert.equal(body.events.find(({ txHash }) => txHash === hash)?.payload.pnl, position.unrealizedPnl)
  })
}

for (const direction of ['Long', 'Short'] as const) {
  for (const hours of [0, 5]) {
    test(`${direction} with ${hours} hours of funding: a keeper cannot liquidate one unit before the liquidation price, and can at it`, async () => {
      await begin()
      await trader.trade({ op: 'open_position', ...TERMS, direction })
      const { liquidationPrice: unfunded } = await onlyPosition()
      if (hours > 0) {
        await world.control('local_advance', { seconds: hours * HOUR_SEC })
        await applyInOneLedger(world, [{ person: keeper, functionName: 'apply_funding', args: [] }])
      }
      const { positionId, liquidationPrice } = await onlyPosition()
      assert.equal(liquidationPrice === unfunded, hours === 0, 'funding is counted')
      const price = BigInt(liquidationPrice ?? '')
      await hold(direction === 'Long' ? price + 1n : price - 1n)
      await assert.rejects(applyInOneLedger(world, [liquidate(positionId)]), /liquidate/)
      assert.equal((await onlyPosition()).liquidationPrice, liquidationPrice, 'the price moves nothing about it')
      await hold(price)
      await applyInOneLedger(world, [liquidate(positionId)])
      assert.deepEqual((await state()).positions, [])
    })
  }
}

test('cross margin: what can be withdrawn is paid, and one unit more is refused', async () => {
  await begin()
  await trader.trade({ op: 'open_position_cross', ...TERMS })
  await doAtOnceAsTrader('deposit_cross_margin', 50n * ONE)
  const { cross, positions } = await state()
  assert.equal(positions?.[0]?.marginMode, 'cross')
  assert.equal(cross.pool, String(50n * ONE))
  assert.equal(cross.liquidatable, false)
  assert.equal(cross.withdrawable, String(50n * ONE), 'the pool is all there is to withdraw')
  await hold((PRICE * 905n) / 1000n)
  const squeezed = await state()
  const withdrawable = BigInt(squeezed.cross.withdrawable ?? '')
  assert.ok(withdrawable > 0n && withdrawable < 50n * ONE, String(withdrawable))
  await assert.rejects(doAtOnceAsTrader('withdraw_cross_margin', withdrawable + 1n))
  await doAtOnceAsTrader('withdraw_cross_margin', withdrawable)
  await hold(PRICE)
  const before = BigInt((await state()).cross.pool ?? '')
  const value = BigInt((await onlyPosition()).closeValue ?? '')
  await trader.trade({ op: 'close_position_cross', positionId: squeezed.positions?.[0]?.positionId ?? 0 })
  assert.equal(BigInt((await state()).cross.pool ?? '') - before, value)
})

/** The two calls on the pool that the gateway does not prepare, made by the trader's own hand. */
async function doAtOnceAsTrader(functionName: string, amount: bigint): Promise<void> {
  const { networkPassphrase, rpc } = world.network
  const identity = createIdentity(networkPassphrase, 'test has a state')
  const client = createClient({ identity, networkPassphrase, transport: (method, params) => rpc.call(method, params) })
  const person = { address: trader.address, client }
  await applyInOneLedger(world, [{ person, functionName, args: [address(trader.address), i128(amount)] }])
}

test('resting orders of every type are listed, those that emit no event included, and leave the list when they end', async () => {
  await begin()
  const limit = { ...TERMS, triggerPrice: String(PRICE / 2n), triggerCondition: 'Below', slippageToleranceBps: 100 } as const
  await trader.trade({ op: 'open_position', ...TERMS })
  const { positionId } = await onlyPosition()
  await trader.trade({ op: 'place_limit_order', ...limit })
  await trader.trade({ op: 'place_stop_limit_order', ...limit, limitPrice: String(PRICE / 3n) })
  await trader.trade({ op: 'set_stop_loss', positionId, triggerPrice: String((PRICE * 95n) / 100n), slippageToleranceBps: 50 })
  await trader.trade({ op: 'set_take_profit', positionId, triggerPrice: String((PRICE * 110n) / 100n), slippageToleranceBps: 50 })
  await trader.trade({ op: 'place_trailing_stop', positionId, trailingPercentBps: 250, slippageToleranceBps: 50 })
  world.clock.advance(ACCOUNT_CACHE_MS)
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

test('an unreadable price makes what hangs on it unknown, and nothing else', async () => {
  await begin()
  await trader.trade({ op: 'open_position', ...TERMS })
  world.rpc.refusedPrices.add('BTC')
  const { positions, unknown, balances } = await state()
  world.rpc.refusedPrices.delete('BTC')
  assert.deepEqual([positions?.[0]?.price, positions?.[0]?.unrealizedPnl, positions?.[0]?.closeValue], [null, null, null])
  assert.ok(positions?.[0]?.liquidationPrice)
  assert.ok(balances.usdc)
  assert.ok(unknown.some(({ part, reason }) => part === '/positions/0/price' && reason === 'price_unreadable'))
})

test('without a key nobody is told anything; without the network it is 502, while the index goes on', async () => {
  for (const path of ['/v1/account/me/state', '/v1/account/me/orders/open']) {
    assert.equal((await world.get(path)).status, 401, path)
    world.clock.advance(ACCOUNT_CACHE_MS)
    world.rpc.isDown = true
    const answer = await own(path)
    world.rpc.isDown = false
    assert.deepEqual([answer.status, answer.body['error']], [502, 'rpc_error'], path)
  }
  world.rpc.isDown = true
  assert.equal((await own('/v1/account/me/events')).status, 200)
  world.rpc.isDown = false
})
