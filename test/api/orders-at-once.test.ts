// An order or position is known as soon as its submission has succeeded: before its ledger is indexed, with every term, whether or not an event reports it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defined } from '../../src/base/assert.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import type { OpenPosition } from '../../src/resources/open-position.ts'
import type { Order } from '../../src/resources/order.ts'
import type { TransactionRow } from '../../src/resources/transaction.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { bearer } from '../support/keys.ts'
import { createTrader } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

const TERMS = { asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' } as const
const LIMIT = { ...TERMS, triggerPrice: '10000000000', triggerCondition: 'Below', slippageToleranceBps: 100 } as const

async function transactionOf(fixture: GatewayFixture, trader: Trader, hash: string): Promise<TransactionRow> {
  return (await fixture.get<TransactionRow>(`/v1/tx/${hash}`, { authorization: bearer(trader.key) })).body
}

async function orderOf(fixture: GatewayFixture, orderId: number, headers: Readonly<Record<string, string>> = {}): Promise<Order> {
  const { status, body, text } = await fixture.get<Order>(`/v1/orders/${orderId}`, headers)
  assert.equal(status, 200, text)
  return body
}

async function positionsOf(fixture: GatewayFixture, trader: Trader): Promise<readonly OpenPosition[]> {
  return (await fixture.get<{ positions: readonly OpenPosition[] }>(`/v1/positions/open?trader=${trader.address}`)).body.positions
}

/** The members that the index alone knows. */
function withoutSeq(order: Order): unknown {
  return { ...order, placed: { ...order.placed, seq: null } }
}

for (const generation of ['1', '2'] as const) {
  test(`generation ${generation}: positions and orders of every type are there when their submission has succeeded`, async () => {
    await using fixture = await createGatewayFixture({ traders: 0, seed: 'at-once', generation })
    await fixture.closeLedgers(5)
    await fixture.catchUp()
    const trader = await createTrader(fixture, 'at once')
    const indexed = async (): Promise<unknown> => (await fixture.get<{ indexer: { lastLedger: number } }>('/v1/health')).body.indexer.lastLedger
    const before = await indexed()

    const opened = await trader.trade({ op: 'open_position', ...TERMS })
    const [position] = await positionsOf(fixture, trader)
    const { positionId } = await transactionOf(fixture, trader, opened.hash)
    assert.deepEqual([position?.positionId, position?.openedTxHash, position?.asset], [positionId, opened.hash, 'BTC'])
    assert.ok(positionId !== null)

    const price = BigInt(defined(position, 'the position').entryPrice)
    const at = (percent: bigint): string => String((price * percent) / 100n)
    const requests: readonly OperationRequest[] = [
      { op: 'place_limit_order', ...LIMIT }, { op: 'place_stop_limit_order', ...LIMIT, limitPrice: LIMIT.triggerPrice },
      { op: 'set_stop_loss', positionId, triggerPrice: at(90n), slippageToleranceBps: 100 },
      { op: 'set_take_profit', positionId, triggerPrice: at(150n), limitPrice: at(150n), slippageToleranceBps: 100 },
      { op: 'place_trailing_stop', positionId, trailingPercentBps: 500, slippageToleranceBps: 100 },
    ] as readonly OperationRequest[]
    const early: { readonly order: Order; readonly ledger: number }[] = []
    for (const request of requests) {
      const { hash, ledger } = await trader.trade(request)
      const row = await transactionOf(fixture, trader, hash)
      assert.equal(row.events, null, 'its ledger is not indexed')
      const order = await orderOf(fixture, defined(row.orderId ?? undefined, `the order of ${request.op}`))
      assert.deepEqual([order.placed?.txHash, order.placed?.ledger, order.trader, order.status], [hash, ledger, trader.address, 'pending'], request.op)
      for (const member of ['orderType', 'asset', 'direction', 'leverage', 'triggerCondition', 'slippageToleranceBps', 'timeInForce', 'reduceOnly',
        'createdAt'] as const) {
        assert.notEqual(order[member], null, `${request.op} ${member}`)
      }
      if (request.op === 'place_trailing_stop') assert.ok(order.peakPrice !== null && order.referencePrice !== null)
      early.push({ order, ledger: defined(ledger, 'the ledger') })
    }
    assert.equal(await indexed(), before, 'nothing of it is indexed')

    // Another instance.
    await fixture.restartGateway()
    for (const { order } of early) assert.deepEqual(await orderOf(fixture, order.orderId), order, 'before the index has it')
    await fixture.catchUp()
    for (const { order, ledger } of early) {
      const later = await orderOf(fixture, order.orderId, { 'x-min-ledger': String(ledger) })
      assert.deepEqual(withoutSeq(later), withoutSeq(order), 'without a later reading of entries')
    }
    const [same] = await positionsOf(fixture, trader)
    assert.deepEqual(same, position)
    const stored = await fixture.store.read.query<{ count: number }>('select count(*)::int as count from idx.order_details where details is not null')
    assert.equal(stored[0]?.count, requests.length, 'the index has the terms for good')
  })
}
