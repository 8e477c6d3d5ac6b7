// Caps of keys on a real local network, with two gateways on one database.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { Account, Asset, Contract, nativeToScVal, Operation, Transaction, TransactionBuilder } from '@stellar/stellar-sdk'
import type { Keypair } from '@stellar/stellar-sdk'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { readDayUses, reserveUse, sweepUses } from '../../src/keys/cap-uses.ts'
import { KEY_SCOPES, PREPARED_VALIDITY_SEC } from '../../src/limits.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import type { CurrentKey } from '../../src/resources/current-key.ts'
import type { KeyCaps } from '../../src/resources/key-restrictions.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { createServerStore } from '../../src/store/server/server-store.ts'
import type { Store } from '../../src/store/store.ts'
import { GATEWAY_DEFAULTS } from '../support/bare-gateway.ts'
import { createControlledTransport } from '../support/controlled-transport.ts'
import { databaseUrl, testServerUrl } from '../support/database.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { call, lendKey, obtainKey } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { createTrader, lastPositionId, sign, whileLedgersClose } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { trackCalls } from '../support/tracked-store.ts'
import { stepUntilSettled, untilIdle } from '../support/until.ts'

const ALL = [...KEY_SCOPES]
const COLLATERAL = 100_000_000n
const OPEN = { op: 'open_position', asset: 'BTC', collateral: String(COLLATERAL), leverage: 2, direction: 'Long' } as const
const LIMIT = {
  op: 'place_limit_order', asset: 'BTC', direction: 'Long', collateral: String(COLLATERAL), leverage: 2, triggerPrice: '100000000', triggerCondition: 'Below',
  slippageToleranceBps: 100,
} as const
const NOTIONAL = COLLATERAL * 2n
const DAY_MS = 24 * 60 * 60_000

let fixture: GatewayFixture
let trader: Trader
let traders = 0
/** The second instance. */
let there: Gateway
let isThereBusy: () => boolean
const disposables = new AsyncDisposableStack()

before(async () => {
  fixture = disposables.use(await createGatewayFixture({ traders: 0, seed: 'caps' }))
  await fixture.closeLedgers(3)
  const { clock, network } = fixture
  const { store, running } = trackCalls(await openSecondStore(fixture.store))
  isThereBusy = () => running() > 0
  const { transport } = createControlledTransport(network)
  const rpc = createRpc({ urls: ['http://local/rpc'], transport, clock, random: createSeededRandom('there'), log: silentLog, observer: null })
  there = await createGateway({
    ...GATEWAY_DEFAULTS, store, rpc, clock, log: silentLog, deployment: fixture.deployment, random: createSeededRandom('there'),
    readDatabaseTime: async () => clock.nowMs(),
  })
  disposables.defer(() => there.close())
})
after(() => disposables.disposeAsync())
beforeEach(async () => {
  // A price that is new enough, whatever time a test has passed.
  await fixture.closeLedgers(10)
  trader = await createTrader(fixture, `caps ${++traders}`)
})

/** On a server each gateway has its own connections. The embedded engine serves one process, so both gateways share it. */
async function openSecondStore(store: Store): Promise<Store> {
  const serverUrl = testServerUrl()
  if (serverUrl === null) return store
  const [database] = await store.read.query<{ name: string }>('select current_database() as name')
  const url = databaseUrl(serverUrl, database?.name ?? '')
  const clock = createSystemClock({ keepAlive: false })
  return disposables.use(createServerStore({ databaseUrl: url, readUrl: null, readTimeoutMs: 60_000, clock, log: silentLog }))
}

/** Resolves when only time can make something happen at either instance. */
async function bothIdle(): Promise<void> {
  await fixture.idle()
  await untilIdle(isThereBusy, 50)
  await fixture.idle()
}

const cappedKey = (caps: Partial<KeyCaps>): Promise<IssuedKey> => obtainKey(fixture.gateway.app, trader.wallet, undefined, { scopes: ALL, caps })

/** Sends a request while ledgers close, at one of the instances. */
async function post(url: string, body: object, key: IssuedKey, gateway: Gateway = fixture.gateway): Promise<ApiResponse> {
  assert.ok((await call(gateway.app, '/v1/account/me', { key })).status !== 503)
  return await whileLedgersClose(fixture, () => call(gateway.app, url, { method: 'POST', body, key }))
}

const prepare = (body: object, key: IssuedKey): Promise<ApiResponse> => post('/v1/orders/prepare', body, key)
const submit = (signedXdr: string, key: IssuedKey): Promise<ApiResponse> => post('/v1/tx/submit', { signedXdr }, key)

async function signed(body: object, key: IssuedKey, wallet: Keypair = trader.wallet): Promise<string> {
  const response = await prepare(body, key)
  assert.equal(response.status, 200, response.text)
  return sign(response.body as unknown as PreparedTransaction, wallet, fixture.network.networkPassphrase)
}

async function usedOf(key: IssuedKey): Promise<readonly unknown[]> {
  const { body } = await call<CurrentKey>(fixture.gateway.app, '/v1/keys/current', { key })
  return [BigInt(body.used.notional), body.used.orders]
}

const refusalOf = ({ status, body: { error, cap, limit, used } }: ApiResponse): unknown[] => [status, error, cap, limit, used]

test('assets and leverage are limited before anything is read from the network, and what reduces is not', async () => {
  const key = await cappedKey({ assets: ['ETH'], maxLeverage: 2 })
  await trader.trade(OPEN)
  const positionId = await lastPositionId(fixture, trader.address)
  fixture.rpc.isDown = true
  assert.deepEqual(refusalOf(await prepare(OPEN, key)), [403, 'cap_exceeded', 'assets', ['ETH'], null])
  assert.deepEqual(refusalOf(await prepare({ ...OPEN, asset: 'ETH', leverage: 3 }, key)), [403, 'cap_exceeded', 'maxLeverage', 2, null])
  assert.deepEqual(refusalOf(await prepare({ ...LIMIT, leverage: 3 }, key)).slice(0, 3), [403, 'cap_exceeded', 'assets'])
  fixture.rpc.isDown = false
  assert.equal((await prepare({ op: 'close_position', positionId }, key)).status, 200)
  assert.equal((await prepare({ ...OPEN, asset: 'ETH' }, key)).status, 200)
})

test('the caps of a day are used at prepare, are exceeded without work, and are full again at midnight UTC', async () => {
  const key = await cappedKey({ maxNotionalPerDay: String(2n * NOTIONAL), maxOrdersPerDay: 10 })
  await prepare(OPEN, key)
  await prepare(LIMIT, key)
  assert.deepEqual(await usedOf(key), [2n * NOTIONAL, 2])
  fixture.rpc.isDown = true
  const limit = String(2n * NOTIONAL)
  assert.deepEqual(refusalOf(await prepare({ ...OPEN, collateral: '150000000' }, key)), [403, 'cap_exceeded', 'maxNotionalPerDay', limit, limit])
  fixture.rpc.isDown = false
  const few = await cappedKey({ maxOrdersPerDay: 1 })
  await prepare(OPEN, few)
  assert.deepEqual(refusalOf(await prepare(LIMIT, few)), [403, 'cap_exceeded', 'maxOrdersPerDay', 1, 1])
  const { clock, store } = fixture
  const tomorrowMs = (Math.floor(clock.nowMs() / DAY_MS) + 1) * DAY_MS
  const reserve = (hash: string, nowMs: number): ReturnType<typeof reserveUse> =>
    reserveUse(store.write, few.keyId, { hash: hash.repeat(32), notional: NOTIONAL, expiresAtMs: null }, nowMs)
  assert.equal(await reserve('aa', tomorrowMs - 1), null, 'the one before has expired')
  assert.deepEqual(await reserve('bb', tomorrowMs - 1), { cap: 'maxOrdersPerDay', limit: 1, used: 1 })
  assert.equal(await reserve('bb', tomorrowMs), null)
  assert.equal((await readDayUses(store.read, [few.keyId], tomorrowMs)).get(few.keyId)?.orders, 1)
})

test('a reservation ends when its transaction expires, and a repeated preparation counts once', async () => {
  const key = await cappedKey({ maxOrdersPerDay: 1 })
  assert.equal((await prepare(OPEN, key)).status, 200)
  assert.deepEqual(await usedOf(key), [NOTIONAL, 1])
  assert.equal(refusalOf(await prepare(LIMIT, key))[1], 'cap_exceeded')
  fixture.clock.advance((PREPARED_VALIDITY_SEC + 60) * 1_000)
  assert.deepEqual(await usedOf(key), [0n, 0])
  await fixture.closeLedgers(1)
  assert.equal((await prepare(LIMIT, key)).status, 200)
  assert.deepEqual(await usedOf(key), [NOTIONAL, 1])
})

test('a transaction that succeeded counts, and one that failed or was rejected does not', async () => {
  const key = await cappedKey({ maxOrdersPerDay: 5 })
  const good = await submit(await signed(OPEN, key), key)
  assert.deepEqual([good.status, good.body['status']], [200, 'SUCCESS'])
  assert.deepEqual(await usedOf(key), [NOTIONAL, 1])
  const failing = await signed({ ...OPEN, collateral: '200000000' }, key)
  assert.deepEqual(await usedOf(key), [3n * NOTIONAL, 2])
  await fixture.control('local_admin', { contract: 'market', function: 'pause', args: [] })
  const failed = await submit(failing, key)
  await fixture.control('local_admin', { contract: 'market', function: 'unpause', args: [] })
  assert.deepEqual([failed.body['status'], await usedOf(key)], ['FAILED', [NOTIONAL, 1]])
  const stranger = await createTrader(fixture, `stranger ${traders}`)
  const rejected = await submit(await signed({ ...OPEN, collateral: '300000000' }, key, stranger.wallet), key)
  assert.deepEqual([rejected.status, rejected.body['error'], await usedOf(key)], [400, 'submission_rejected', [NOTIONAL, 1]])
  await fixture.control('local_advance', { seconds: 3_600 })
  await sweepUses(fixture.store.write, fixture.clock.nowMs())
  assert.deepEqual(await usedOf(key), [NOTIONAL, 1], 'what was submitted does not expire')
})

test('a child uses the caps of its parents too, whatever its own are', async () => {
  const root = await cappedKey({ maxOrdersPerDay: 2 })
  const middle = await lendKey(fixture.gateway.app, root)
  const [one, other] = [await lendKey(fixture.gateway.app, middle, { caps: { maxOrdersPerDay: 1 } }), await lendKey(fixture.gateway.app, middle)]
  assert.equal((await prepare(OPEN, one)).status, 200)
  assert.deepEqual(await Promise.all([root, middle, one, other].map(usedOf)), [[NOTIONAL, 1], [NOTIONAL, 1], [NOTIONAL, 1], [0n, 0]])
  assert.deepEqual(refusalOf(await prepare(LIMIT, one)), [403, 'cap_exceeded', 'maxOrdersPerDay', 1, 1])
  assert.equal((await prepare(LIMIT, other)).status, 200)
  assert.deepEqual(refusalOf(await prepare({ ...LIMIT, leverage: 1 }, other)), [403, 'cap_exceeded', 'maxOrdersPerDay', 2, 2])
})

test('fifty racing preparations on two instances never exceed a cap, nor that of a parent', async () => {
  // Twelve fit, whichever they are.
  const most = 12n * NOTIONAL + 1_300n
  const parent = await cappedKey({ maxOrdersPerDay: 20, maxNotionalPerDay: String(most) })
  const keys = [parent, await lendKey(fixture.gateway.app, parent), await lendKey(fixture.gateway.app, parent, { caps: { maxOrdersPerDay: 3 } })]
  for (const key of keys) for (const { app } of [fixture.gateway, there]) assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
  const racing = Promise.all(Array.from({ length: 50 }, async (_, index) => {
    const { app } = index % 2 === 0 ? fixture.gateway : there
    // Each one is another transaction of nearly the same notional.
    const body = { ...OPEN, collateral: String(COLLATERAL + BigInt(index)), leverage: 2 }
    const key = keys[index % keys.length]
    assert.ok(key !== undefined)
    return await call(app, '/v1/orders/prepare', { method: 'POST', body, key })
  }))
  const responses = await stepUntilSettled(racing, { idle: bothIdle, step: () => fixture.closeLedgers(1), stepsMax: 120 })
  const counts = Object.groupBy(responses, ({ status }) => status)
  assert.deepEqual([counts[200]?.length, counts[403]?.length], [12, 38], JSON.stringify(responses.map(({ status }) => status)))
  const [[notional, orders] = [], , [, limited] = []] = await Promise.all(keys.map(usedOf))
  assert.deepEqual([orders, (notional as bigint) <= most, (limited as number) <= 3], [12, true, true])
})

test('a restricted key submits only what it could have had prepared, by the bytes of the envelope', async () => {
  const [full, closing] = [trader.key, await obtainKey(fixture.gateway.app, trader.wallet, undefined, { scopes: ['close'] })]
  const open = await signed(OPEN, full)
  const refused = await submit(open, closing)
  assert.deepEqual([refused.status, refused.body['error'], refused.body['scope']], [403, 'scope_missing', 'trade'])
  const { networkPassphrase, contracts } = fixture.network
  const capped = await cappedKey({ maxLeverage: 2 })
  const build = (operations: readonly Parameters<TransactionBuilder['addOperation']>[0][], source = trader.address): string => {
    const builder = new TransactionBuilder(new Account(source, '1'), { fee: '100', networkPassphrase }).setTimeout(0)
    for (const operation of operations) builder.addOperation(operation)
    const transaction = builder.build()
    transaction.sign(trader.wallet)
    return transaction.toXdr()
  }
  const pay = Operation.payment({ destination: contracts.market.replace(/^C.*/, trader.address), asset: Asset.native(), amount: '1' })
  const market = new Contract(contracts.market)
  const close = market.call('close_position', nativeToScVal(trader.address, { type: 'address' }), nativeToScVal(1n, { type: 'u64' }))
  const foreign = market.call('close_position', nativeToScVal(contracts.market, { type: 'address' }), nativeToScVal(1n, { type: 'u64' }))
  const unknown = market.call('set_admin', nativeToScVal(trader.address, { type: 'address' }))
  const someone = await createTrader(fixture, 'someone')
  for (const envelope of [build([pay]), build([close, pay]), build([foreign]), build([unknown]), build([close], someone.address)]) {
    const response = await submit(envelope, capped)
    assert.deepEqual([response.status, response.body['error']], [403, 'scope_missing'], response.text)
  }
  assert.notEqual((await submit(build([close]), closing)).status, 403, 'a close is what this key prepares')
  assert.notEqual((await submit(build([pay]), full)).status, 403, 'a key without restrictions is as before')
})

test('a transaction that was never prepared here uses the caps when it is submitted', async () => {
  const [full, capped] = [trader.key, await cappedKey({ maxOrdersPerDay: 1, maxLeverage: 2 })]
  const [first, second] = [await signed(OPEN, full), await signed({ ...OPEN, leverage: 3 }, full)]
  assert.deepEqual(refusalOf(await submit(second, capped)), [403, 'cap_exceeded', 'maxLeverage', 2, null])
  const submitted = await submit(first, capped)
  assert.equal(submitted.body['status'], 'SUCCESS', submitted.text)
  assert.deepEqual([await usedOf(capped), await usedOf(full)], [[NOTIONAL, 1], [(COLLATERAL * 3n) + NOTIONAL, 2]])
  const third = await signed({ ...OPEN, collateral: '110000000' }, full)
  assert.deepEqual(refusalOf(await submit(third, capped)), [403, 'cap_exceeded', 'maxOrdersPerDay', 1, 1])
})

test('inside a fee bump a prepared transaction counts once', async () => {
  const capped = await cappedKey({ maxOrdersPerDay: 1 })
  const inner = TransactionBuilder.fromXdr(await signed(OPEN, capped), fixture.network.networkPassphrase)
  assert.ok(inner instanceof Transaction)
  const sponsor = await createTrader(fixture, `sponsor ${traders}`)
  const bump = TransactionBuilder.buildFeeBumpTransaction(sponsor.wallet, String(BigInt(inner.fee) * 2n), inner, fixture.network.networkPassphrase)
  bump.sign(sponsor.wallet)
  const submitted = await submit(bump.toXdr(), capped)
  assert.equal(submitted.body['status'], 'SUCCESS', submitted.text)
  assert.deepEqual(await usedOf(capped), [NOTIONAL, 1])
})
