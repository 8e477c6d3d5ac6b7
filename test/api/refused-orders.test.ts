// Orders that the market refuses to execute because the limits of their asset changed after the placement: the reason, and where the collateral went.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ASSET_RISKS } from '../../localnet/contracts/generation-2/market/defaults.ts'
import { address, u64 } from '../../localnet/contracts/shared/host.ts'
import type { CashMovement } from '../../src/resources/cash-movement.ts'
import type { Order } from '../../src/resources/order.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { bearer } from '../support/keys.ts'
import { applyInOneLedger, createChainTrader, createTrader, ONE } from '../support/traders.ts'
import type { ChainTrader, Trader } from '../support/traders.ts'

const PRICE = 100_000n * ONE
const COLLATERAL = String(100n * ONE)

let fixture: GatewayFixture
let trader: Trader
let keeper: ChainTrader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'refused orders', generation: '2', hasAssetLimits: false })
  // The tests execute orders themselves.
  await fixture.control('local_actors', { keeper: false })
  await fixture.closeLedgers(3)
  await setPrice(PRICE)
  trader = await createTrader(fixture, 'refused orders')
  keeper = await createChainTrader(fixture, 'keeper')
})
after(() => fixture[Symbol.asyncDispose]())

/** Ages the last price, which limits how far the next one may be away, and publishes a price until the average has followed. */
async function setPrice(price: bigint): Promise<void> {
  await fixture.control('local_advance', { seconds: 700 })
  await fixture.control('local_setPrice', { asset: 'BTC', price: String(price) })
  await fixture.closeLedgers(20)
}

/** Sets the limits of an asset, as the deployment's admin does. */
async function setLimits(asset: string, maxLeverage: number): Promise<void> {
  const risk = { ...ASSET_RISKS.get('BTC'), max_leverage: maxLeverage }
  const members = Object.entries(risk).toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) =>
    [{ type: 'symbol', value: name }, typeof value === 'bigint' ? { type: 'i128', value: String(value) } : { type: 'u32', value }])
  const args = [{ type: 'symbol', value: asset }, { type: 'map', value: members }]
  await fixture.control('local_admin', { contract: 'market', function: 'set_asset_risk', args })
}

async function usdc(): Promise<bigint> {
  const { body } = await fixture.get<{ balances: { usdc: string } }>('/v1/account/me/state', { authorization: bearer(trader.key) })
  return BigInt(body.balances.usdc)
}

/** Places an order, changes the limits, and lets a keeper execute it. */
async function refuse(orderId: number, change: () => Promise<void>): Promise<{ readonly order: Order; readonly movements: readonly CashMovement[] }> {
  await setPrice(PRICE)
  await trader.trade({
    op: 'place_limit_order', asset: 'BTC', collateral: COLLATERAL, leverage: 5, direction: 'Long', triggerPrice: String((PRICE * 99n) / 100n),
    triggerCondition: 'Below', slippageToleranceBps: 100,
  })
  await change()
  await setPrice((PRICE * 99n) / 100n)
  await applyInOneLedger(fixture, [{ trader: keeper, functionName: 'execute_order', args: [address(keeper.address), u64(BigInt(orderId))] }])
  await fixture.catchUp()
  for (let found = 1; found > 0;) found = await fixture.indexer.observe()
  const { body: order } = await fixture.get<Order>(`/v1/orders/${orderId}`)
  const { body: { ledger: movements } } = await fixture.get<{ ledger: CashMovement[] }>('/v1/account/me/ledger?limit=2', { authorization: bearer(trader.key) })
  return { order, movements }
}

for (const [orderId, reason, change] of [
  // The first limits of any asset end the time in which the limits of the market apply to all of them.
  [1, 'asset_unconfigured', () => setLimits('ETH', 10)],
  [2, 'risk_config', async () => await setLimits('BTC', 2)],
] as const) {
  test(`an order that ends with ${reason} is cancelled, and its whole collateral returns to the wallet`, async () => {
    if (reason === 'risk_config') await setLimits('BTC', 10)
    const wallet = await usdc()
    const { order, movements } = await refuse(orderId, change)
    assert.deepEqual([order.status, order.ended?.reason, order.execution, order.leverage], ['cancelled', reason, null, 5])
    assert.deepEqual(
      movements.map(({ kind, amount, orderId: id, balanceOf, txHash }) => ({ kind, amount, id, balanceOf, txHash })),
      [
        { kind: 'order_refund', amount: COLLATERAL, id: orderId, balanceOf: 'wallet', txHash: order.ended?.txHash },
        { kind: 'order_escrow', amount: `-${COLLATERAL}`, id: orderId, balanceOf: 'wallet', txHash: order.placed?.txHash },
      ],
    )
    assert.equal(await usdc(), wallet)
  })
}
