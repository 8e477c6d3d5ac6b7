// The published client on contracts of the second generation: its main paths, as users of the first generation call them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PerpetualExchange } from '../../client/src/ccxt/exchange.ts'
import type { Client } from '../../client/src/client.ts'
import type { CallTransaction } from '../../client/src/envelope.ts'
import { ContractFailure, RefusedToSign } from '../../client/src/errors.ts'
import { secretSigner } from '../../client/src/signer.ts'
import type { Upgrade } from '../../client/src/stream-frames.ts'
import { createIdentity } from '../../localnet/actors/identity.ts'
import { createTraderClient, waitsOf, whileTimePasses } from './client-fixture.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { ONE } from '../support/traders.ts'

const PRICE = 100_000n * ONE
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const
const CROSS_DEPOSIT = String(500n * ONE)

let fixture: GatewayFixture
let client: Client
let owner: string

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'client of generation 2', generation: '2', listen: true })
  await fixture.closeLedgers(3)
  await fixture.control('local_setPrice', { asset: 'BTC', price: String(PRICE) })
  await fixture.closeLedgers(2)
  await fixture.catchUp()
  client = await createTraderClient(fixture, fixture.url, 'client of generation 2')
  const issued = await client.login()
  owner = issued.owner
})
after(() => fixture[Symbol.asyncDispose]())

const trade = (...args: Parameters<Client['trade']>): ReturnType<Client['trade']> => whileTimePasses(fixture, () => client.trade(...args))
const topicsOf = ({ events }: Awaited<ReturnType<Client['trade']>>): readonly string[] | undefined => events?.map(({ topic }) => topic)

async function openPositions(): Promise<readonly (readonly [id: number, size: string])[]> {
  await fixture.catchUp()
  const { body } = await client.listAccountPositions()
  return body.positions.map(({ positionId, size }) => [positionId, size])
}

test('lists the markets of the deployment, small prices included, and its pause state', async () => {
  const { body: { markets } } = await client.listMarkets()
  assert.deepEqual(markets.slice(-2).map(({ asset }) => asset.symbol), ['PUMP', 'UNI'])
  assert.equal((await client.getHealth()).body.market.pauseState.supported, true)
})

test('a position is opened, reduced, gets collateral and is closed with a price bound', async () => {
  const opened = await trade({ op: 'open_position', ...TERMS, acceptablePrice: String(2n * PRICE) })
  const positionId = opened.positionId ?? 0
  const reduced = await trade({ op: 'close_position_partial', positionId, closeSize: String(200n * ONE) })
  assert.deepEqual([topicsOf(reduced), reduced.positionId], [['position_reduced'], positionId])
  assert.deepEqual(await openPositions(), [[positionId, String(300n * ONE)]])
  assert.deepEqual(topicsOf(await trade({ op: 'add_collateral', positionId, amount: String(10n * ONE) })), ['collateral_added'])
  assert.deepEqual(topicsOf(await trade({ op: 'remove_collateral', positionId, amount: String(10n * ONE) })), ['collateral_removed'])
  const refused = await trade({ op: 'close_position', positionId, acceptablePrice: String(2n * PRICE) }).catch((error: unknown) => error)
  assert.ok(refused instanceof ContractFailure && refused.contractError?.name === 'AcceptablePriceExceeded', String(refused))
  assert.equal((await trade({ op: 'close_position', positionId, acceptablePrice: '1' })).positionId, positionId)
  assert.deepEqual(await openPositions(), [])
})

test('trades with slippageBps instead, and signs no other bound than this far from the named price', async () => {
  const { positionId } = await trade({ op: 'open_position', ...TERMS, direction: 'Short', slippageBps: 50 })
  const closed = await whileTimePasses(fixture, () => client.close({ positionId: positionId ?? 0, marginMode: 'isolated', slippageBps: 50 }))
  assert.deepEqual([closed.positionId, await openPositions()], [positionId, []])
  const deceived = await createTraderClient(fixture, fixture.url, 'client of generation 2', {
    key: client.key() ?? assert.fail('no key'),
    async fetch(url, init) {
      const response = await fetch(url, init)
      if (!url.endsWith('/prepare')) return response
      const prepared = await response.json() as { readonly preview: object }
      return Response.json({ ...prepared, preview: { ...prepared.preview, price: String(PRICE / 2n) } })
    },
  })
  await assert.rejects(whileTimePasses(fixture, () => deceived.trade({ op: 'open_position', ...TERMS, slippageBps: 50 })), RefusedToSign)
})

test('a market trade without a bound gets one half a percent from the named price, also from a gateway that denies it once', async () => {
  const bounds: (readonly [functionName: string, bound: unknown])[] = []
  const onVerified = ({ call }: CallTransaction): void => void bounds.push([call.functionName, call.args.at(-1)?.value])
  let denials = 1
  const other = await createTraderClient(fixture, fixture.url, 'client of generation 2', {
    key: client.key() ?? assert.fail('no key'),
    async fetch(url, init) {
      const isDenied = url.endsWith('/prepare') && String(init?.body).includes('slippageBps') && denials-- > 0
      return isDenied ? Response.json({ error: 'unsupported_by_deployment', field: 'slippageBps' }, { status: 400 }) : fetch(url, init)
    },
  })
  const traded = (...args: Parameters<Client['trade']>): ReturnType<Client['trade']> => whileTimePasses(fixture, () => other.trade(...args))
  const { positionId } = await traded({ op: 'open_position', ...TERMS }, { onVerified })
  await traded({ op: 'close_position', positionId: positionId ?? 0 }, { onVerified, slippageBps: 100 })
  const any = await traded({ op: 'open_position', ...TERMS, direction: 'Short', acceptablePrice: '0' }, { onVerified })
  await whileTimePasses(fixture, () => other.close({ positionId: any.positionId ?? 0 }, { onVerified }))
  const share = (perMille: bigint): bigint => (PRICE * perMille) / 1_000n
  assert.deepEqual(bounds, [
    ['open_position', share(1_005n)], ['close_position', share(990n)], ['open_position', 0n], ['close_position', share(1_005n)],
  ])
})

test('an open that closes an opposite position returns the new position', async () => {
  const { positionId: first } = await trade({ op: 'open_position', ...TERMS })
  const netted = await trade({ op: 'open_position', ...TERMS, direction: 'Short', collateral: String(200n * ONE) })
  assert.deepEqual(topicsOf(netted), ['position_closed', 'position_opened'])
  assert.notEqual(netted.positionId, first)
  assert.deepEqual(await openPositions(), [[netted.positionId, String(500n * ONE)]])
  await trade({ op: 'close_position', positionId: netted.positionId ?? 0 })
})

test('every order is found by the event that announces it', async () => {
  const { positionId } = await trade({ op: 'open_position', ...TERMS })
  const entry = { ...TERMS, triggerPrice: '1', slippageToleranceBps: 100 } as const
  const attached = { positionId: positionId ?? 0, slippageToleranceBps: 100 }
  const placed = []
  for (const request of [
    { op: 'place_limit_order', ...entry, triggerCondition: 'Below', timeInForce: 2 },
    { op: 'place_stop_limit_order', ...entry, triggerCondition: 'Below', limitPrice: '1', reduceOnly: true },
    { op: 'set_stop_loss', ...attached, triggerPrice: String(PRICE / 2n) },
    { op: 'place_trailing_stop', ...attached, trailingPercentBps: 500 },
  ] as const) {
    const { order, events } = await trade(request)
    const announced = events?.find(({ topic }) => topic === 'order_placed')?.payload as { readonly orderId: number } | undefined
    assert.deepEqual(order, { orderId: announced?.orderId, state: 'resting' }, request.op)
    placed.push(announced?.orderId)
  }
  assert.equal(new Set(placed).size, 4)
  await fixture.catchUp()
  assert.deepEqual((await client.getAccountState()).body.orders?.map(({ orderId }) => orderId), placed.toReversed())
  const [limit = 0, , stop = 0] = placed
  await trade({ op: 'cancel_order', orderId: limit })
  const closed = await trade({ op: 'close_position', positionId: positionId ?? 0 })
  const outcome = await client.awaitOrder(stop, { ledger: closed.ledger, timeoutMs: 0 })
  assert.deepEqual([outcome.state, 'reason' in outcome ? outcome.reason : null], ['cancelled', 'pos_closed'])
})

test('a cross position uses the deposited margin and takes a stop-loss', async () => {
  await trade({ op: 'deposit_cross_margin', amount: CROSS_DEPOSIT })
  const { positionId } = await trade({ op: 'open_position_cross', ...TERMS })
  const { order } = await trade({ op: 'set_stop_loss', positionId: positionId ?? 0, triggerPrice: String(PRICE / 2n), slippageToleranceBps: 100 })
  assert.equal(order?.state, 'resting')
  const closed = await trade({ op: 'close_position_cross', positionId: positionId ?? 0 })
  assert.deepEqual(topicsOf(closed), ['order_cancelled', 'position_closed'])
  await trade({ op: 'withdraw_cross_margin', amount: String(400n * ONE) })
})

test('CCXT programs see each market\'s limits, net positions and close in part', async () => {
  const signer = await secretSigner(createIdentity(fixture.network.networkPassphrase, 'test client of generation 2').secret)
  const exchange = new PerpetualExchange({ urls: { api: fixture.url }, signer, client: { ...waitsOf(fixture), key: client.key() ?? assert.fail() } })
  const run = <T>(work: () => Promise<T>): Promise<T> => whileTimePasses(fixture, work)
  await run(() => exchange.loadMarkets())
  assert.deepEqual([exchange.market('BTC').limits.leverage.max, exchange.market('PUMP').limits.leverage.max], [10, 5])
  const symbol = 'BTC/USDC:USDC'
  assert.deepEqual((await run(() => exchange.fetchFundingRates([symbol])))[symbol]?.fundingRate, 0)
  await run(() => exchange.createMarketOrderWithCost(symbol, 'buy', 500, { leverage: 5 }))
  const netted = await run(() => exchange.createMarketOrderWithCost(symbol, 'sell', 1000, { leverage: 5 }))
  assert.deepEqual([netted.filled, netted.cost, netted.average], [0.01, 1000, 100_000])
  const [position] = await run(() => exchange.fetchPositions([symbol]))
  assert.deepEqual([position?.side, position?.contracts], ['short', 0.005])
  const reduced = await run(() => exchange.createOrder(symbol, 'market', 'buy', 0.002, undefined, { reduceOnly: true }))
  assert.deepEqual([reduced.status, reduced.average, reduced.filled, reduced.remaining, reduced.cost], ['closed', 100_000, 0.002, 0, 200])
  assert.deepEqual((await run(() => exchange.fetchPositions([symbol]))).map(({ id, contracts }) => [id, contracts]), [[position?.id, 0.003]])
  assert.equal((await run(() => exchange.closePosition(symbol, 'short'))).filled, 0.003)
})

test('the stream delivers the new events, and an upgrade in order with them', async () => {
  const stream = client.stream()
  try {
    const since = (await client.listEvents({ limit: 1 })).seq ?? 0
    const { positionId } = await trade({ op: 'open_position', ...TERMS })
    await trade({ op: 'close_position_partial', positionId: positionId ?? 0, closeSize: String(200n * ONE) })
    await fixture.control('local_upgrade', { contract: 'market', build: '2.2' })
    await fixture.closeLedgers(1)
    await trade({ op: 'close_position', positionId: positionId ?? 0 })
    const received: string[] = []
    const upgrades: Upgrade[] = []
    await whileTimePasses(fixture, () => new Promise<void>((resolve) => {
      stream.onUpgrade((upgrade) => {
        upgrades.push(upgrade)
        received.push(`upgrade of ${upgrade.contract}`)
      })
      stream.on(`account.events.${owner}`, ({ data }) => {
        received.push(`${data.topic} ${String(data.raw['positionId'])}`)
        if (data.topic === 'position_closed') resolve()
      }, { since })
    }))
    assert.deepEqual(received, [`position_opened ${positionId}`, `position_reduced ${positionId}`, 'upgrade of market', `position_closed ${positionId}`])
    const { market } = (await client.getHealth()).body.contracts
    assert.deepEqual(upgrades.map(({ generation, wasmHash }) => [generation, wasmHash]), [[market.generation, market.wasmHash]])
    assert.equal(market.generation, '2.2')
  } finally {
    stream.close()
  }
})
