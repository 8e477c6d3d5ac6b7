// Each of the ten operations with a wallet, plain HTTP and the Stellar SDK, from the request to the market's state and the account's events, including
// executions by a keeper.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Account, Contract, scValToNative, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import type { EventRow } from '../../src/resources/event-row.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import type { SubmitResult } from '../../src/resources/submit-result.ts'
import { address, u64 } from '../../localnet/contracts/shared/host.ts'
import { bearer } from '../support/keys.ts'
import { applyInOneLedger, createChainTrader, createTrader, ONE, whileLedgersClose } from '../support/traders.ts'
import type { ChainTrader, Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const PRICE = 100_000n * ONE
const percent = (share: bigint): string => String((PRICE * share) / 100n)
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const

let fixture: GatewayFixture
let url: string
let trader: Trader
let keeper: ChainTrader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'end to end' })
  // The tests execute orders themselves.
  await fixture.control('local_actors', { keeper: false })
  await fixture.closeLedgers(3)
  url = await fixture.gateway.listen({ host: '127.0.0.1', port: 0 })
  trader = await createTrader(fixture, 'end to end')
  keeper = await createChainTrader(fixture, 'keeper')
})
after(() => fixture[Symbol.asyncDispose]())

async function post<Body>(path: string, body: object): Promise<Body> {
  const headers = { authorization: bearer(trader.key), 'content-type': 'application/json' }
  // Caches the key first: the database lookup takes real time, while the next call advances the virtual clock.
  assert.equal((await fetch(`${url}/v1/account/me`, { headers })).status, 200)
  const response = await whileLedgersClose(fixture, () => fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return JSON.parse(text) as Body
}

/** Prepares, signs and submits. */
async function trade(request: OperationRequest): Promise<SubmitResult> {
  const prepared = await post<PreparedTransaction>('/v1/orders/prepare', request)
  const transaction = TransactionBuilder.fromXdr(prepared.xdr, fixture.network.networkPassphrase)
  transaction.sign(trader.wallet)
  const result = await post<SubmitResult>('/v1/tx/submit', { signedXdr: transaction.toXdr() })
  assert.equal(result.status, 'SUCCESS', JSON.stringify(result))
  return result
}

/** The account's events after this ledger, oldest first. */
async function eventsSince(since: number): Promise<readonly { readonly topic: string; readonly txHash: string; readonly payload: Payload }[]> {
  await fixture.catchUp()
  // No event names the owner of a stop-limit order or a trailing stop. The indexer's observer reads it from the ledger.
  await fixture.indexer.observe()
  const response = await fetch(`${url}/v1/account/me/events?limit=500`, { headers: { authorization: bearer(trader.key) } })
  assert.equal(response.status, 200)
  const { events } = await response.json() as { events: readonly EventRow[] }
  return events.filter(({ ledger }) => ledger > since).toReversed().map(({ topic, txHash, payload }) => ({ topic, txHash, payload: payload as Payload }))
}

interface Payload {
  readonly positionId?: number
  readonly orderId?: number
  readonly trader?: string
  readonly reason?: string
}

const ledgerNow = (): number => fixture.network.chain.history.latest().sequence

async function setPrice(price: string): Promise<void> {
  await fixture.control('local_setPrice', { asset: 'BTC', price })
}

/** The ids that the market's view returns. */
async function ids(view: 'get_all_order_ids' | 'get_all_position_ids'): Promise<readonly number[]> {
  const { contracts: { market }, networkPassphrase, rpc } = fixture.network
  const transaction = new TransactionBuilder(new Account(trader.address, '0'), { fee: '100', networkPassphrase })
    .addOperation(new Contract(market).call(view))
    .setTimeout(0)
    .build()
  const { results } = await rpc.call('simulateTransaction', { transaction: transaction.toXdr() }) as { results: readonly [{ xdr: string }] }
  return (scValToNative(xdr.ScVal.fromXdr(results[0].xdr, 'base64')) as bigint[]).map(Number)
}

async function newest(view: 'get_all_order_ids' | 'get_all_position_ids'): Promise<number> {
  const id = (await ids(view)).at(-1)
  assert.ok(id !== undefined)
  return id
}

const execute = (orderId: number): Promise<void> =>
  applyInOneLedger(fixture, [{ trader: keeper, functionName: 'execute_order', args: [address(keeper.address), u64(BigInt(orderId))] }])

/** Resets the price and opens a position. The market limits how far the price may move from the last one for ten minutes. */
async function openPosition(): Promise<number> {
  await fixture.control('local_advance', { seconds: 700 })
  await setPrice(String(PRICE))
  await fixture.closeLedgers(3)
  await trade({ op: 'open_position', ...TERMS })
  return newest('get_all_position_ids')
}

const topicsOf = (events: readonly { readonly topic: string }[]): readonly string[] => events.map(({ topic }) => topic)

test('open_position: the account\'s events contain the position with the submitted hash', async () => {
  await setPrice(String(PRICE))
  const since = ledgerNow()
  const { hash } = await trade({ op: 'open_position', ...TERMS })
  const [event] = await eventsSince(since)
  assert.deepEqual([event?.topic, event?.txHash, event?.payload.trader], ['position_opened', hash, trader.address])
  assert.equal(event?.payload.positionId, await newest('get_all_position_ids'))
})

test('close_position: the market no longer lists the position', async () => {
  const positionId = await openPosition()
  const since = ledgerNow()
  const { hash } = await trade({ op: 'close_position', positionId })
  const [event] = await eventsSince(since)
  assert.deepEqual([event?.topic, event?.txHash, event?.payload.positionId], ['position_closed', hash, positionId])
  assert.ok(!(await ids('get_all_position_ids')).includes(positionId))
})

test('open_position_cross and close_position_cross open and close a cross-margin position', async () => {
  const since = ledgerNow()
  await trade({ op: 'open_position_cross', ...TERMS })
  const positionId = await newest('get_all_position_ids')
  await trade({ op: 'close_position_cross', positionId: String(positionId) })
  const events = await eventsSince(since)
  assert.deepEqual(events.map(({ topic, payload }) => [topic, payload.positionId]), [['position_opened', positionId], ['position_closed', positionId]])
})

test('place_limit_order: the keeper executes it at its price, and the account\'s events contain the fill', async () => {
  await openPosition()
  const since = ledgerNow()
  await trade({ op: 'place_limit_order', ...TERMS, triggerPrice: percent(99n), triggerCondition: 'Below', slippageToleranceBps: 100 })
  const orderId = await newest('get_all_order_ids')
  await setPrice(percent(99n))
  await execute(orderId)
  const events = await eventsSince(since)
  assert.deepEqual(topicsOf(events), ['order_placed', 'position_opened', 'order_executed'])
  assert.deepEqual(events.filter(({ topic }) => topic.startsWith('order')).map(({ payload }) => payload.orderId), [orderId, orderId])
})

test('place_stop_limit_order: emits no event until the keeper has triggered the stop and the limit', async () => {
  await openPosition()
  const since = ledgerNow()
  await trade({
    op: 'place_stop_limit_order', ...TERMS, triggerPrice: percent(99n), limitPrice: percent(98n), triggerCondition: 'Below', slippageToleranceBps: 500,
  })
  assert.deepEqual(await eventsSince(since), [])
  const orderId = await newest('get_all_order_ids')
  await setPrice(percent(99n))
  await execute(orderId)
  // The market accepts price moves of at most 1% within ten minutes.
  await fixture.control('local_advance', { seconds: 700 })
  await setPrice(percent(98n))
  await fixture.closeLedgers(2)
  await execute(orderId)
  assert.deepEqual(topicsOf(await eventsSince(since)), ['position_opened', 'order_executed'])
})

test('set_stop_loss: the keeper closes the position at the trigger price', async () => {
  const positionId = await openPosition()
  const since = ledgerNow()
  await trade({ op: 'set_stop_loss', positionId, triggerPrice: percent(95n), slippageToleranceBps: 200 })
  const orderId = await newest('get_all_order_ids')
  await setPrice(percent(94n))
  await execute(orderId)
  const events = await eventsSince(since)
  assert.deepEqual(topicsOf(events), ['order_placed', 'position_closed', 'order_executed'])
  assert.equal(events[1]?.payload.positionId, positionId)
})

test('set_take_profit: the keeper closes the position at the trigger price, which cancels the stop loss', async () => {
  const positionId = await openPosition()
  await trade({ op: 'set_stop_loss', positionId, triggerPrice: percent(95n), slippageToleranceBps: 200 })
  const since = ledgerNow()
  await trade({ op: 'set_take_profit', positionId, triggerPrice: percent(105n), slippageToleranceBps: 200 })
  const orderId = await newest('get_all_order_ids')
  await setPrice(percent(106n))
  await execute(orderId)
  const events = await eventsSince(since)
  assert.deepEqual(topicsOf(events), ['order_placed', 'order_cancelled', 'position_closed', 'order_executed'])
  assert.equal(events[1]?.payload.reason, 'pos_closed')
})

test('place_trailing_stop: emits no event when placed; the keeper closes the position when the price falls from its peak', async () => {
  const positionId = await openPosition()
  const since = ledgerNow()
  await trade({ op: 'place_trailing_stop', positionId, trailingPercentBps: 300, slippageToleranceBps: 200 })
  assert.deepEqual(await eventsSince(since), [])
  const orderId = await newest('get_all_order_ids')
  await setPrice(percent(96n))
  await execute(orderId)
  assert.deepEqual(topicsOf(await eventsSince(since)), ['position_closed', 'order_executed'])
})

test('cancel_order: the market no longer lists the order', async () => {
  await openPosition()
  await trade({ op: 'place_limit_order', ...TERMS, triggerPrice: percent(50n), triggerCondition: 'Below', slippageToleranceBps: 100 })
  const orderId = await newest('get_all_order_ids')
  const since = ledgerNow()
  const { hash } = await trade({ op: 'cancel_order', orderId })
  const [event] = await eventsSince(since)
  assert.deepEqual([event?.topic, event?.txHash, event?.payload.reason], ['order_cancelled', hash, 'user'])
  assert.ok(!(await ids('get_all_order_ids')).includes(orderId))
})
