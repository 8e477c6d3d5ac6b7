// A wallet, HTTP and the plain SDK: each of the ten operations from the request to what the market and the account's events say of it, fills by a keeper
// included.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Account, Contract, scValToNative, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import type { EventRow } from '../../src/resources/event-row.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import type { SubmitResult } from '../../src/resources/submit-result.ts'
import { address, u64 } from '../../localnet/contracts/host.ts'
import { bearer } from '../support/keys.ts'
import { createChainTrader, applyInOneLedger } from '../support/chain-traders.ts'
import type { ChainTrader } from '../support/chain-traders.ts'
import { createTrader, ONE, whileLedgersClose } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const PRICE = 100_000n * ONE
const percent = (share: bigint): string => String((PRICE * share) / 100n)
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const

let world: GatewayFixture
let url: string
let trader: Trader
let keeper: ChainTrader

before(async () => {
  world = await createGatewayFixture({ traders: 0, seed: 'end to end' })
  // Orders are executed here when a test says so.
  await world.control('local_actors', { keeper: false })
  await world.closeLedgers(3)
  url = await world.gateway.listen({ host: '127.0.0.1', port: 0 })
  trader = await createTrader(world, 'end to end')
  keeper = await createChainTrader(world, 'keeps orders')
})
after(() => world[Symbol.asyncDispose]())

async function post<Body>(path: string, body: object): Promise<Body> {
  const headers = { authorization: bearer(trader.key), 'content-type': 'application/json' }
  // The key is looked up in real time before the clock may run.
  assert.equal((await fetch(`${url}/v1/account/me`, { headers })).status, 200)
  const answer = await whileLedgersClose(world, () => fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return JSON.parse(text) as Body
}

/** Prepare, sign, submit. */
async function trade(request: OperationRequest): Promise<SubmitResult> {
  const prepared = await post<PreparedTransaction>('/v1/orders/prepare', request)
  const transaction = TransactionBuilder.fromXdr(prepared.xdr, world.network.networkPassphrase)
  transaction.sign(trader.wallet)
  const result = await post<SubmitResult>('/v1/tx/submit', { signedXdr: transaction.toXdr() })
  assert.equal(result.status, 'SUCCESS', JSON.stringify(result))
  return result
}

/** What the account's own events say since the test began, oldest first. */
async function told(since: number): Promise<readonly { readonly topic: string; readonly txHash: string; readonly payload: Payload }[]> {
  await world.catchUp()
  // Whose a stop-limit or a trailing stop was no event tells: the indexer reads it from the ledger, in between.
  await world.indexer.observe()
  const answer = await fetch(`${url}/v1/account/me/events?limit=500`, { headers: { authorization: bearer(trader.key) } })
  assert.equal(answer.status, 200)
  const { events } = await answer.json() as { events: readonly EventRow[] }
  return events.filter(({ ledger }) => ledger > since).toReversed().map(({ topic, txHash, payload }) => ({ topic, txHash, payload: payload as Payload }))
}

interface Payload {
  readonly positionId?: number
  readonly orderId?: number
  readonly trader?: string
  readonly reason?: string
}

const ledgerNow = (): number => world.network.chain.history.latest().sequence

async function hold(price: string): Promise<void> {
  await world.control('local_setPrice', { asset: 'BTC', price })
}

/** Ids that one of the market's views lists. */
async function ids(view: 'get_all_order_ids' | 'get_all_position_ids'): Promise<readonly number[]> {
  const { contracts: { market }, networkPassphrase, rpc } = world.network
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
  applyInOneLedger(world, [{ person: keeper, functionName: 'execute_order', args: [address(keeper.address), u64(BigInt(orderId))] }])

/** Opens a position for a test to work on. The market forgets the last price that it saw after ten minutes, so that this one opens at the full price. */
async function opened(): Promise<number> {
  await world.control('local_advance', { seconds: 700 })
  await hold(String(PRICE))
  await world.closeLedgers(3)
  await trade({ op: 'open_position', ...TERMS })
  return newest('get_all_position_ids')
}

const topicsOf = (events: readonly { readonly topic: string }[]): readonly string[] => events.map(({ topic }) => topic)

test('open_position: a position, told in the account\'s events under the hash that was submitted', async () => {
  await hold(String(PRICE))
  const since = ledgerNow()
  const { hash } = await trade({ op: 'open_position', ...TERMS })
  const [event] = await told(since)
  assert.deepEqual([event?.topic, event?.txHash, event?.payload.trader], ['position_opened', hash, trader.address])
  assert.equal(event?.payload.positionId, await newest('get_all_position_ids'))
})

test('close_position: the position is gone', async () => {
  const positionId = await opened()
  const since = ledgerNow()
  const { hash } = await trade({ op: 'close_position', positionId })
  const [event] = await told(since)
  assert.deepEqual([event?.topic, event?.txHash, event?.payload.positionId], ['position_closed', hash, positionId])
  assert.ok(!(await ids('get_all_position_ids')).includes(positionId))
})

test('open_position_cross and close_position_cross: opened and closed under cross margin', async () => {
  const since = ledgerNow()
  await trade({ op: 'open_position_cross', ...TERMS })
  const positionId = await newest('get_all_position_ids')
  await trade({ op: 'close_position_cross', positionId: String(positionId) })
  const events = await told(since)
  assert.deepEqual(events.map(({ topic, payload }) => [topic, payload.positionId]), [['position_opened', positionId], ['position_closed', positionId]])
})

test('place_limit_order: rests, is filled by the keeper at its price, and the account sees its own fill', async () => {
  await opened()
  const since = ledgerNow()
  await trade({ op: 'place_limit_order', ...TERMS, triggerPrice: percent(99n), triggerCondition: 'Below', slippageToleranceBps: 100 })
  const orderId = await newest('get_all_order_ids')
  await hold(percent(99n))
  await execute(orderId)
  const events = await told(since)
  assert.deepEqual(topicsOf(events), ['order_placed', 'position_opened', 'order_executed'])
  assert.deepEqual(events.filter(({ topic }) => topic.startsWith('order')).map(({ payload }) => payload.orderId), [orderId, orderId])
})

test('place_stop_limit_order: no event when it is placed; the stop, then the limit, then the account sees its own fill', async () => {
  await opened()
  const since = ledgerNow()
  await trade({
    op: 'place_stop_limit_order', ...TERMS, triggerPrice: percent(99n), limitPrice: percent(98n), triggerCondition: 'Below', slippageToleranceBps: 500,
  })
  assert.deepEqual(await told(since), [])
  const orderId = await newest('get_all_order_ids')
  await hold(percent(99n))
  await execute(orderId)
  // One per cent a step, and a while between them: the market takes no larger ones.
  await world.control('local_advance', { seconds: 700 })
  await hold(percent(98n))
  await world.closeLedgers(2)
  await execute(orderId)
  assert.deepEqual(topicsOf(await told(since)), ['position_opened', 'order_executed'])
})

test('set_stop_loss: the position is closed by the keeper when it loses that much', async () => {
  const positionId = await opened()
  const since = ledgerNow()
  await trade({ op: 'set_stop_loss', positionId, triggerPrice: percent(95n), slippageToleranceBps: 200 })
  const orderId = await newest('get_all_order_ids')
  await hold(percent(94n))
  await execute(orderId)
  const events = await told(since)
  assert.deepEqual(topicsOf(events), ['order_placed', 'position_closed', 'order_executed'])
  assert.equal(events[1]?.payload.positionId, positionId)
})

test('set_take_profit: the position is closed by the keeper when it gains that much; its stop-loss goes with it', async () => {
  const positionId = await opened()
  await trade({ op: 'set_stop_loss', positionId, triggerPrice: percent(95n), slippageToleranceBps: 200 })
  const since = ledgerNow()
  await trade({ op: 'set_take_profit', positionId, triggerPrice: percent(105n), slippageToleranceBps: 200 })
  const orderId = await newest('get_all_order_ids')
  await hold(percent(106n))
  await execute(orderId)
  const events = await told(since)
  assert.deepEqual(topicsOf(events), ['order_placed', 'order_cancelled', 'position_closed', 'order_executed'])
  assert.equal(events[1]?.payload.reason, 'pos_closed')
})

test('place_trailing_stop: no event when it is placed; the position is closed when the price falls from its best', async () => {
  const positionId = await opened()
  const since = ledgerNow()
  await trade({ op: 'place_trailing_stop', positionId, trailingPercentBps: 300, slippageToleranceBps: 200 })
  assert.deepEqual(await told(since), [])
  const orderId = await newest('get_all_order_ids')
  await hold(percent(96n))
  await execute(orderId)
  assert.deepEqual(topicsOf(await told(since)), ['position_closed', 'order_executed'])
})

test('cancel_order: the order is gone and its collateral is back', async () => {
  await opened()
  await trade({ op: 'place_limit_order', ...TERMS, triggerPrice: percent(50n), triggerCondition: 'Below', slippageToleranceBps: 100 })
  const orderId = await newest('get_all_order_ids')
  const since = ledgerNow()
  const { hash } = await trade({ op: 'cancel_order', orderId })
  const [event] = await told(since)
  assert.deepEqual([event?.topic, event?.txHash, event?.payload.reason], ['order_cancelled', hash, 'user'])
  assert.ok(!(await ids('get_all_order_ids')).includes(orderId))
})
