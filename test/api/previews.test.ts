// The preview of a prepared transaction equals what its application does: every operation and every action, both generations.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TransactionBuilder } from '@stellar/stellar-sdk'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import type { TradePreview } from '../../src/resources/trade-preview.ts'
import { createPreviewedTrader } from './previewed-trader.ts'
import type { PreviewedTrader } from './previewed-trader.ts'
import { lastOrderId, lastPositionId, ONE } from '../support/traders.ts'

const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const
const ENTRY = { ...TERMS, asset: 'ETH', triggerPrice: '1', triggerCondition: 'Below', slippageToleranceBps: 100 } as const

const NOTHING: Omit<TradePreview, 'ledger'> = {
  positionId: null, orderId: null, entryPrice: null, size: null, collateral: null, fee: null, keeperReward: null, liquidationPrice: null, pnl: null,
  payout: null, price: null, priceTimestamp: null,
}

for (const generation of ['1', '2'] as const) {
  describe(`generation ${generation}`, () => {
    let opened: PreviewedTrader
    before(async () => {
      opened = await createPreviewedTrader(generation)
    })
    after(() => opened.fixture[Symbol.asyncDispose]())
    const world = (): PreviewedTrader => opened
    positionTests(world)
    orderTests(world)
    actionTests(world)
    if (generation === '2') secondGenerationTests(world)
  })
}

function positionTests(world: () => PreviewedTrader): void {
  test('hash, expiry and intent are those of the returned bytes', async () => {
    const prepared = await world().prepare({ op: 'open_position', ...TERMS })
    const transaction = TransactionBuilder.fromXdr(prepared.xdr, world().fixture.network.networkPassphrase)
    assert.equal(prepared.hash, Buffer.from(transaction.hash()).toString('hex'))
    assert.equal(prepared.expiresAt, Number('timeBounds' in transaction ? transaction.timeBounds?.maxTime : 0))
    assert.deepEqual(prepared.intent, {
      op: 'open_position', contract: world().fixture.network.contracts.market, function: 'open_position',
      args: {
        trader: world().trader.address, asset: 'BTC', collateral: TERMS.collateral, leverage: 5, direction: 0,
        ...(world().generation === '1' ? {} : { acceptable_price: '0' }),
      },
    })
  })

  test('an open', async () => {
    const { preview, gained } = await world().apply({ op: 'open_position', ...TERMS })
    const opened = await world().position(preview.positionId)
    const fee = 100n * ONE - BigInt(opened.collateral)
    const { liquidationPrice, price: paid, priceTimestamp, ledger, ...rest } = preview
    assert.deepEqual(rest, {
      ...withoutPrices(NOTHING), positionId: await lastPositionId(world().fixture, world().trader.address), entryPrice: opened.entryPrice,
      size: String(500n * ONE), collateral: opened.collateral, fee: String(fee),
    })
    assert.deepEqual([gained.usdc, fee > 0n, paid], [-100n * ONE, true, opened.entryPrice])
    assert.ok(liquidationPrice !== null && ledger > 0 && priceTimestamp !== null)
    assert.ok(priceTimestamp <= (await world().price()).timestamp)
  })

  test('a close at a profit and at a loss: PnL by price, and exactly what the wallet receives', async () => {
    for (const percent of [103, 97]) {
      await world().apply({ op: 'open_position', ...TERMS })
      const positionId = await lastPositionId(world().fixture, world().trader.address)
      const { entryPrice, size, collateral } = await world().position(positionId)
      const earlier = (await world().price()).price
      await world().fixture.control('local_setPrice', { asset: 'BTC', price: String((earlier * BigInt(percent)) / 100n) })
      const { preview, gained } = await world().apply({ op: 'close_position', positionId })
      assert.deepEqual(
        [preview.positionId, preview.orderId, preview.entryPrice, preview.size, preview.collateral, preview.fee, preview.liquidationPrice],
        [positionId, null, entryPrice, size, collateral, null, null],
      )
      assert.equal(preview.payout, String(gained.usdc))
      assert.equal(BigInt(preview.pnl ?? 'none') > 0n, percent > 100)
      assert.equal(BigInt(preview.pnl ?? 0), (BigInt(size) * (BigInt(preview.price ?? 0) - BigInt(entryPrice))) / BigInt(entryPrice))
      await world().fixture.control('local_setPrice', { asset: 'BTC', price: String(earlier) })
      await world().fixture.closeLedgers(2)
    }
  })

  test('a cross position: opened out of the pool and the wallet, closed into the pool', async () => {
    const { preview: open, gained: spent } = await world().apply({ op: 'open_position_cross', ...TERMS })
    const opened = await world().position(open.positionId)
    assert.deepEqual(
      [open.size, open.collateral, open.fee, open.liquidationPrice, open.payout],
      [String(500n * ONE), opened.collateral, String(100n * ONE - BigInt(opened.collateral)), null, null],
    )
    assert.equal(spent.usdc + spent.pool, -100n * ONE)
    const { preview, gained } = await world().apply({ op: 'close_position_cross', positionId: open.positionId ?? 0 })
    assert.deepEqual([preview.positionId, preview.payout, gained.usdc], [open.positionId, String(gained.pool), 0n])
    assert.equal((await world().apply({ op: 'withdraw_cross_margin', amount: preview.payout ?? '0' })).preview.payout, preview.payout)
    assert.deepEqual(withoutLedger((await world().apply({ op: 'deposit_cross_margin', amount: String(ONE) })).preview), NOTHING)
  })
}

function orderTests(world: () => PreviewedTrader): void {
  test('entry orders hold their collateral, and cancelling returns it', async () => {
    const { preview } = await world().apply({ op: 'place_limit_order', ...ENTRY })
    const orderId = await lastOrderId(world().fixture, world().trader.address)
    assert.deepEqual(withoutLedger(preview), { ...NOTHING, orderId, size: String(500n * ONE), collateral: String(100n * ONE) })
    const { preview: cancelled, gained } = await world().apply({ op: 'cancel_order', orderId })
    assert.deepEqual(withoutLedger(cancelled), { ...NOTHING, orderId, size: String(500n * ONE), collateral: String(100n * ONE), payout: String(gained.usdc) })
    assert.equal(gained.usdc, 100n * ONE)
    const { preview: stopLimit } = await world().apply({ op: 'place_stop_limit_order', ...ENTRY, limitPrice: '1' })
    assert.deepEqual([stopLimit.orderId, stopLimit.collateral], [orderId + 1, String(100n * ONE)])
    const immediate = await world().prepare({ op: 'place_limit_order', ...ENTRY, timeInForce: 1 })
    assert.deepEqual([immediate.preview.orderId, immediate.preview.payout], [orderId + 2, String(100n * ONE)], 'an order that is cancelled at once')
  })

  test('attached orders name the position they belong to', async () => {
    await world().apply({ op: 'open_position', ...TERMS, asset: 'SOL' })
    const positionId = await lastPositionId(world().fixture, world().trader.address)
    const { price: now } = await world().price('SOL')
    const slippageToleranceBps = 100
    const orders: readonly OperationRequest[] = [
      { op: 'set_stop_loss', positionId, triggerPrice: String((now * 95n) / 100n), slippageToleranceBps },
      { op: 'set_take_profit', positionId, triggerPrice: String((now * 105n) / 100n), slippageToleranceBps },
      { op: 'place_trailing_stop', positionId, trailingPercentBps: 500, slippageToleranceBps },
    ]
    let orderId = 0
    for (const order of orders) {
      const { preview } = await world().apply(order)
      assert.deepEqual([preview.positionId, preview.size, preview.collateral, preview.payout], [positionId, null, null, null], order.op)
      assert.ok(preview.orderId !== null && preview.orderId > orderId)
      orderId = preview.orderId
    }
    assert.deepEqual(withoutLedger((await world().apply({ op: 'cancel_order', orderId })).preview), { ...NOTHING, orderId, positionId, payout: '0' })
    const { preview } = await world().apply({ op: 'close_position', positionId })
    assert.deepEqual([preview.positionId, preview.orderId], [positionId, null], 'also when the close cancels orders')
  })
}

function actionTests(world: () => PreviewedTrader): void {
  test('the liquidity vault: fees, and what a withdrawal pays', async () => {
    const { preview: deposit } = await world().apply({ op: 'deposit_liquidity', amount: String(1_000n * ONE) })
    assert.deepEqual(withoutLedger(deposit), { ...NOTHING, fee: String(3n * ONE) })
    const expirationLedger = world().fixture.network.chain.history.latest().sequence + 5_000
    await world().apply({ op: 'approve_liquidity_withdrawal', lpAmount: String(100n * ONE), expirationLedger })
    if (world().generation === '2') {
      // The withdrawal cooldown.
      await world().fixture.control('local_advance', { seconds: 3_600 })
      await world().fixture.closeLedgers(4)
    }
    const { preview, gained } = await world().apply({ op: 'withdraw_liquidity', lpAmount: String(100n * ONE) })
    assert.equal(preview.payout, String(gained.usdc))
    assert.ok(BigInt(preview.fee ?? 0) > 0n)
  })

  test('a trader vault: a leader trades with its money', async () => {
    await world().apply({ op: 'create_vault', name: `Previews ${world().generation}` })
    await world().apply({ op: 'deposit_vault', vaultId: 0, amount: String(1_000n * ONE) })
    const { preview: open } = await world().apply({ op: 'leader_open_position', vaultId: 0, ...TERMS })
    assert.ok(open.positionId !== null && open.fee !== null && open.liquidationPrice !== null)
    assert.deepEqual([open.size, open.payout], [String(500n * ONE), null])
    const { preview: limit } = await world().apply({ op: 'leader_place_limit_order', vaultId: 0, ...ENTRY })
    const { preview: cancelled } = await world().apply({ op: 'leader_cancel_order', vaultId: 0, orderId: limit.orderId ?? 0 })
    assert.deepEqual([limit.collateral, cancelled.payout], [String(100n * ONE), String(100n * ONE)])
    const { preview: close } = await world().apply({ op: 'leader_close_position', vaultId: 0, positionId: open.positionId })
    assert.ok(BigInt(close.payout ?? 0) > 0n && close.pnl !== null)
    const { preview, gained } = await world().apply({ op: 'withdraw_vault', vaultId: 0, shares: String(100n * ONE) })
    assert.equal(preview.payout, String(gained.usdc))
  })
}

function secondGenerationTests(world: () => PreviewedTrader): void {
  test('changes of collateral and partial closes', async () => {
    await world().apply({ op: 'open_position', ...TERMS })
    const positionId = await lastPositionId(world().fixture, world().trader.address)
    const { preview: added } = await world().apply({ op: 'add_collateral', positionId, amount: String(50n * ONE) })
    assert.deepEqual([added.size, added.collateral, added.payout], [String(500n * ONE), (await world().position(positionId)).collateral, null])
    assert.ok(added.liquidationPrice !== null)
    const { preview: removed } = await world().apply({ op: 'remove_collateral', positionId, amount: String(20n * ONE) })
    assert.deepEqual([removed.collateral, removed.payout], [(await world().position(positionId)).collateral, String(20n * ONE)])
    const earlier = BigInt((await world().position(positionId)).collateral)
    const { preview: reduced, gained } = await world().apply({ op: 'close_position_partial', positionId, closeSize: String(200n * ONE) })
    const left = BigInt((await world().position(positionId)).collateral)
    assert.deepEqual([reduced.size, reduced.collateral, reduced.payout], [String(200n * ONE), String(earlier - left), String(gained.usdc)])
    assert.ok(reduced.pnl !== null && reduced.liquidationPrice !== null && reduced.price !== null)
  })

  test('an open that closes positions in the other direction reports their result', async () => {
    for (const op of ['open_position', 'open_position_cross'] as const) {
      await world().apply({ op, ...TERMS, asset: 'XRP', leverage: 2 })
      const { preview, gained } = await world().apply({ op, ...TERMS, asset: 'XRP', direction: 'Short' })
      const opened = await world().position(preview.positionId)
      assert.deepEqual([preview.size, preview.collateral], [String(300n * ONE), opened.collateral])
      assert.equal(preview.fee, String(60n * ONE - BigInt(opened.collateral)))
      assert.equal(BigInt(preview.payout ?? 0) - 60n * ONE, gained.usdc + gained.pool, op)
      assert.ok(preview.pnl !== null)
    }
  })
}

function withoutPrices({ liquidationPrice: _first, price: _second, priceTimestamp: _third, ...rest }: Omit<TradePreview, 'ledger'>): object {
  return rest
}

function withoutLedger({ ledger: _ledger, ...rest }: TradePreview): object {
  return rest
}
