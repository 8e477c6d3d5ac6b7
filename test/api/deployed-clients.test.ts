// Clients of the deployed service: what its TypeScript and Python SDKs send and read, on a real local network. One test per row of "Compatibility with
// clients of the deployed service" about keys, orders, submission, authentication and the stream.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { bearer, call, createWallet, requestChallenge, signChallenge } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { createTrader, lastPositionId, sign } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { withoutMessage } from '../support/without-message.ts'

let fixture: GatewayFixture
let trader: Trader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'deployed clients', listen: true })
  await fixture.closeLedgers(3)
  trader = await createTrader(fixture, 'deployed clients')
})
after(() => fixture[Symbol.asyncDispose]())

/** Both SDKs send amounts, prices and ids as digit strings. The Python SDK spells out `label: null`. */
const OPEN = { op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' } as const
const LIMIT = {
  op: 'place_limit_order', asset: 'ETH', direction: 'Long', collateral: '500000000', leverage: 2, triggerPrice: '1', triggerCondition: 'Below',
  slippageToleranceBps: 100,
} as const
const UNKNOWN_POSITION = '4000000000'

test('the Python SDK creates a key without a label: label null', async () => {
  const { app } = fixture.gateway
  const wallet = createWallet('python')
  const address = wallet.publicKey()
  const { challengeHex } = await requestChallenge(app, address)
  const body = { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }), label: null }
  const issued = await call<{ keyId: string; secret: string; tier: string }>(app, '/v1/keys', { method: 'POST', body })
  assert.deepEqual([issued.status, issued.body.tier], [201, 'standard'], issued.text)
  const listed = await call<{ keys: { label: unknown }[] }>(app, '/v1/keys', { headers: { authorization: bearer(issued.body) } })
  assert.deepEqual(listed.body.keys.map(({ label }) => label), [null])
})

/** Finds the code of a contract error in a message, as both SDKs do. */
const codeIn = (message: unknown): number => Number(/Error\(Contract, #(\d+)\)/.exec(String(message))?.[1])

test('messages of failures have the host\'s text after the sentence', async () => {
  const { body } = await trader.prepare({ op: 'close_position', positionId: UNKNOWN_POSITION })
  assert.match(String(body['message']), /^Simulation failed: no open position has this id\. .*\. \[Error\(Contract, #20\)\]$/)
  assert.deepEqual([body['error'], codeIn(body['message']), body['contractError']], ['simulation_failed', 20, { code: 20, name: 'PositionNotFound' }])
  const tooLittle = await trader.prepare({ ...OPEN, collateral: '1' })
  assert.equal(codeIn(tooLittle.body['message']), 22)
})

test('order options of the TypeScript SDK: timeInForce, reduceOnly, limitPrice', async () => {
  for (const options of [{ timeInForce: 0 }, { timeInForce: 1 }, { timeInForce: 2 }, { reduceOnly: true }, { timeInForce: 2, reduceOnly: true }]) {
    for (const order of [LIMIT, { ...LIMIT, op: 'place_stop_limit_order', limitPrice: '1' }]) {
      const { status, text } = await trader.prepare({ ...order, ...options })
      assert.equal(status, 200, `${order.op} ${JSON.stringify(options)}: ${text}`)
    }
  }
  await trader.trade(OPEN)
  const positionId = String(await lastPositionId(fixture, trader.address))
  const price = BigInt((await fixture.get<{ price: string }>('/v1/markets/BTC/price')).body.price)
  const takeProfit = { op: 'set_take_profit', positionId, triggerPrice: String(price * 2n), slippageToleranceBps: 100, limitPrice: String((price * 3n) / 2n) }
  assert.equal((await trader.prepare(takeProfit)).status, 200)
})

test('an option that the contracts lack is unsupported_by_deployment, unless it has its default', async () => {
  assert.equal((await trader.prepare({ ...OPEN, acceptablePrice: '0' })).status, 200)
  const { status, body } = await trader.prepare({ ...OPEN, acceptablePrice: '1' })
  assert.deepEqual([status, withoutMessage(body)], [400, { error: 'unsupported_by_deployment', field: 'acceptablePrice' }])
})

test('FAILED and submission_rejected have hostError and txResultCode', async () => {
  const failing = await trader.signed(OPEN)
  await fixture.control('local_admin', { contract: 'market', function: 'pause', args: [] })
  const paused = await trader.submit(failing)
  await fixture.control('local_admin', { contract: 'market', function: 'unpause', args: [] })
  const { contractError, hostError, txResultCode, message } = paused.body
  assert.deepEqual([paused.status, contractError, hostError, txResultCode], [200, { code: 4, name: 'Paused' }, null, 'txFailed'], paused.text)
  assert.equal(codeIn(message), 4)

  const rejected = await trader.submit(failing.slice(0, -8))
  assert.deepEqual([rejected.status, rejected.body['error']], [400, 'submission_rejected'])
  assert.deepEqual([rejected.body['contractError'], rejected.body['hostError'], rejected.body['txResultCode']], [null, null, null])
})

test('both SDKs prepare again after exceeded resources, because contractError is null and hostError says so', async () => {
  const signed = await trader.signed(OPEN)
  await fixture.control('local_fault', { name: 'footprint_moved', count: null })
  const { body, text } = await trader.submit(signed)
  await fixture.control('local_clearFaults')
  assert.deepEqual([body['status'], body['contractError'], body['hostError'], body['txResultCode']], [
    'FAILED', null, { type: 'budget', code: 'exceeded_limit' }, 'txFailed',
  ], text)
  const again = sign((await trader.prepare({ ...OPEN, leverage: 3 })).body as unknown as PreparedTransaction, trader.wallet, fixture.network.networkPassphrase)
  assert.equal((await trader.submit(again)).body['status'], 'SUCCESS')
})

test('a rejection names the transaction result, by which the Python SDK decides', async () => {
  const stale = await trader.signed(OPEN)
  await trader.trade({ ...OPEN, leverage: 2 })
  const { status, body } = await trader.submit(stale)
  assert.deepEqual([status, body['error'], body['txResultCode']], [400, 'submission_rejected', 'txBadSeq'])
})

test('positions/open takes a padded trader, and ignores an empty one', async () => {
  const owned = async (query: string): Promise<readonly unknown[]> => {
    const response = await fixture.get<{ positions: readonly { readonly trader: string }[] }>(`/v1/positions/open${query}`)
    assert.equal(response.status, 200, response.text)
    return response.body.positions
  }
  await fixture.catchUp()
  const all = await owned('')
  assert.ok(all.length > 0)
  for (const query of ['?trader=', '?trader=%20', '?trader=%20%09%20']) assert.deepEqual(await owned(query), all, query)
  for (const query of [`?trader=%20${trader.address}`, `?trader=${trader.address}%20`, `?trader=+${trader.address}+`]) {
    assert.deepEqual(await owned(query), await owned(`?trader=${trader.address}`), query)
  }
  assert.deepEqual(await owned(`?trader=%20${createWallet('nobody').publicKey()}`), [])
  assert.equal((await fixture.get(`/v1/positions/open?trader=${trader.address.slice(0, 20)}%20${trader.address.slice(20)}`)).status, 400)
})

test('REQUIRE_TIMESTAMP: X-Timestamp is checked after the bearer and before the key', async () => {
  await using strict = await createGatewayFixture({ traders: 0, seed: 'timestamps', listen: true, gateway: { requireTimestamp: true } })
  const member = await createStrictKey(strict)
  const me = async (headers: Readonly<Record<string, string>>): Promise<ApiResponse> => call(strict.gateway.app, '/v1/account/me', { headers })
  const now = String(Math.floor(strict.clock.nowMs() / 1000))
  const codeOf = async (headers: Readonly<Record<string, string>>): Promise<unknown> => (await me(headers)).body['error']
  assert.equal(await codeOf({}), 'missing_bearer')
  assert.equal(await codeOf({ 'x-timestamp': now }), 'missing_bearer')
  assert.equal(await codeOf({ authorization: 'Bearer nothing' }), 'malformed_bearer')
  assert.equal(await codeOf({ authorization: bearer(member) }), 'missing_timestamp')
  assert.equal(await codeOf({ authorization: bearer({ ...member, secret: '0'.repeat(64) }) }), 'missing_timestamp')
  assert.equal(await codeOf({ authorization: bearer(member), 'x-timestamp': '' }), 'stale_timestamp')
  assert.equal(await codeOf({ authorization: bearer(member), 'x-timestamp': '1' }), 'stale_timestamp')
  assert.equal(await codeOf({ authorization: bearer({ ...member, secret: '0'.repeat(64) }), 'x-timestamp': now }), 'invalid_credentials')
  assert.equal((await me({ authorization: bearer(member), 'x-timestamp': now })).status, 200)
  assert.equal(await codeOf({ authorization: bearer(member) }), 'missing_timestamp', 'a verified key changes nothing')
  assert.equal((await call(strict.gateway.app, '/v1/markets')).status, 200)
  const stream = await strict.connect()
  stream.send({ op: 'login', keyId: member.keyId, secret: member.secret })
  assert.equal((await stream.frame(({ type }) => type === 'login'))['ok'], true, 'a login has no timestamp')
})

async function createStrictKey({ gateway: { app } }: GatewayFixture): Promise<{ readonly keyId: string; readonly secret: string }> {
  const wallet = createWallet('punctual')
  const { challengeHex } = await requestChallenge(app, wallet.publicKey())
  const body = { address: wallet.publicKey(), challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }
  return (await call<{ keyId: string; secret: string }>(app, '/v1/keys', { method: 'POST', body })).body
}

test('X-Timestamp is optional by default', async () => {
  assert.equal((await call(fixture.gateway.app, '/v1/account/me', { key: trader.key })).status, 200)
})

test('after five failed logins the next login closes the connection with 1008', async () => {
  const { keyId, secret } = trader.key
  const client = await fixture.connect()
  const login = async (credentials: object): Promise<unknown> => {
    const from = client.frames.length
    client.send({ op: 'login', ...credentials })
    const { ok, error } = await client.frame(({ type }) => type === 'login', from)
    return ok === true ? 'ok' : error
  }
  const wrong = { keyId, secret: '0'.repeat(64) }
  for (let attempt = 0; attempt < 4; attempt++) assert.equal(await login(wrong), 'invalid_credentials')
  assert.equal(await login({ keyId, secret }), 'ok')
  assert.equal(await login({ keyId }), 'missing_credentials')
  for (let attempt = 0; attempt < 4; attempt++) assert.equal(await login(wrong), 'invalid_credentials')
  assert.equal(await login({ keyId, secret }), 'too_many_attempts')
  assert.deepEqual(await client.closed, { code: 1008, reason: 'too many failed logins' })
})

test('raw of an event frame is the payload of REST, topic included', async () => {
  const client = await fixture.connect()
  client.send({ op: 'subscribe', channels: ['events'] })
  await client.settle()
  await trader.trade({ ...OPEN, leverage: 4 })
  await fixture.publishLedgers(1)
  await client.settle()
  const frame = client.of('events').find(({ data }) => data?.['topic'] === 'position_opened')
  const [row] = (await fixture.get<{ events: { payload: { topic: string } }[] }>('/v1/events?topic=position_opened&limit=1')).body.events
  assert.deepEqual(frame?.data?.['raw'], row?.payload)
  assert.equal(row?.payload.topic, 'position_opened')
})
