// POST /v1/orders/prepare on a real local network: authentication, validation and the prepared transaction.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Address, scValToNative, Transaction, TransactionBuilder } from '@stellar/stellar-sdk'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { operationFields } from '../../src/exchange/operations.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { RATE_LIMIT_PER_WINDOW } from '../../src/limits.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { textOf } from '../../src/store/sql.ts'
import type { Statement } from '../../src/store/sql.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { bearer, call, createWallet, obtainKey } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { createTrader, lastOrderId, lastPositionId, sign } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { withoutMessage } from '../support/without-message.ts'

const URL_PATH = '/v1/orders/prepare'
const TERMS = { asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' } as const
const OPEN: OperationRequest = { op: 'open_position', ...TERMS }
const CLOSE: OperationRequest = { op: 'close_position', positionId: 1 }
const I128_MAX = (2n ** 127n - 1n).toString()

let fixture: GatewayFixture
let trader: Trader
let positionId: number
let crossPositionId: number
let orderId: number

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'prepare', gateway: { regionGuard: { country: 'x-country', region: 'x-region' } } })
  await fixture.closeLedgers(3)
  trader = await createTrader(fixture, 'prepare')
  await trader.trade(OPEN)
  positionId = await lastPositionId(fixture, trader.address)
  await trader.trade({ ...TERMS, op: 'open_position_cross' })
  crossPositionId = await lastPositionId(fixture, trader.address)
  await trader.trade(limitOrder())
  orderId = await lastOrderId(fixture, trader.address)
})
after(() => fixture[Symbol.asyncDispose]())

const LIMIT = {
  asset: 'ETH', direction: 'Short', collateral: '500000000', leverage: 2, triggerPrice: I128_MAX, triggerCondition: 'Above', slippageToleranceBps: 50,
} as const

/** An order whose trigger price is out of reach. */
function limitOrder(): OperationRequest {
  return { op: 'place_limit_order', ...LIMIT }
}

/** A valid request of each operation for the trader's current state. */
async function bodies(): Promise<readonly OperationRequest[]> {
  const price = BigInt((await fixture.get<{ price: string }>('/v1/markets/BTC/price')).body.price)
  const [below, above] = [String((price * 90n) / 100n), String((price * 110n) / 100n)]
  return [
    OPEN,
    { ...TERMS, op: 'open_position_cross' },
    { op: 'close_position', positionId },
    { op: 'close_position_cross', positionId: String(crossPositionId) },
    limitOrder(),
    { op: 'place_stop_limit_order', ...LIMIT, limitPrice: '1' },
    { op: 'place_trailing_stop', positionId, trailingPercentBps: 500, slippageToleranceBps: 100 },
    { op: 'set_stop_loss', positionId, triggerPrice: below, slippageToleranceBps: 100 },
    { op: 'set_take_profit', positionId, triggerPrice: above, slippageToleranceBps: 100 },
    { op: 'cancel_order', orderId },
  ]
}

/** The call in a prepared transaction, as the SDK reads it. */
function callOf(prepared: PreparedTransaction): { transaction: Transaction; contract: string; functionName: string; args: readonly unknown[] } {
  const transaction = TransactionBuilder.fromXdr(prepared.xdr, fixture.network.networkPassphrase)
  assert.ok(transaction instanceof Transaction && transaction.operations.length === 1)
  const [operation] = transaction.operations
  assert.ok(operation?.type === 'invokeHostFunction' && operation.func.type === 'hostFunctionTypeInvokeContract')
  const { contractAddress, functionName, args } = operation.func.invokeContract
  const values = args.map((arg) => scValToNative(arg) as unknown)
  return { transaction, contract: Address.fromScAddress(contractAddress).toString(), functionName: String(functionName), args: values }
}

/** The specification's members first. */
const PREPARED_MEMBERS = [
  'op', 'trader', 'xdr', 'minResourceFee', 'extraResourceFee', 'feeConfirmedBy', 'nodes', 'hash', 'clientId', 'expiresAt', 'intent', 'preview', 'warnings',
]

test('returns an unsigned transaction of the trader for each of the ten operations', async () => {
  const { closeTimeSec } = fixture.network.chain.history.latest()
  for (const body of await bodies()) {
    const { status, body: response, text, headers } = await trader.prepare(body)
    assert.equal(status, 200, text)
    assert.deepEqual([Object.keys(response), response['op'], response['trader']], [PREPARED_MEMBERS, body.op, trader.address])
    assert.match(String(response['minResourceFee']), /^[1-9]\d*$/)
    assert.equal(headers['cache-control'], 'no-store')
    const { transaction, contract, functionName, args } = callOf(response as unknown as PreparedTransaction)
    assert.deepEqual([contract, functionName, args[0]], [fixture.network.contracts.market, body.op, trader.address])
    assert.deepEqual([transaction.source, transaction.signatures.length, transaction.memo.type], [trader.address, 0, 'none'])
    assert.equal(transaction.fee, String(100n + BigInt(String(response['minResourceFee'])) + BigInt(String(response['extraResourceFee']))))
    assert.deepEqual([transaction.timeBounds?.minTime, Number(transaction.timeBounds?.maxTime)], ['0', closeTimeSec + 300])
  }
})

test('uses the account\'s next sequence number, even right after another transaction', async () => {
  const first = callOf((await trader.prepare(OPEN)).body as unknown as PreparedTransaction).transaction.sequence
  await trader.trade(OPEN)
  const second = callOf((await trader.prepare(OPEN)).body as unknown as PreparedTransaction).transaction.sequence
  assert.equal(BigInt(second), BigInt(first) + 1n)
})

test('a prepared transaction is valid for 300 seconds of ledger time, even when the ledger\'s clock is ahead', async () => {
  await fixture.control('local_advance', { seconds: 86_400 })
  await fixture.closeLedgers(4)
  const signedXdr = await trader.signed({ op: 'cancel_order', orderId })
  const result = await trader.submit(signedXdr)
  assert.deepEqual([result.status, result.body['status']], [200, 'SUCCESS'], result.text)
  const late = await trader.signed(OPEN)
  await fixture.control('local_advance', { seconds: 300 })
  const expired = await trader.submit(late)
  assert.deepEqual([expired.status, expired.body['error']], [400, 'submission_rejected'])
  assert.match(String(expired.body['message']), /expired/)
  await fixture.closeLedgers(4)
})

test('names the authentication failure whatever the body is', async () => {
  const post = (headers: Record<string, string>): Promise<ApiResponse> => call(fixture.gateway.app, URL_PATH, { method: 'POST', body: 'nonsense', headers })
  assert.deepEqual(withoutMessage((await post({})).body), { error: 'missing_bearer' })
  assert.equal((await post({ authorization: 'Bearer nothing' })).body['error'], 'malformed_bearer')
  assert.equal((await post({ authorization: `Bearer ${trader.key.keyId}:${'0'.repeat(64)}` })).body['error'], 'invalid_credentials')
  assert.equal((await post({ authorization: bearer(trader.key), 'x-timestamp': '1' })).body['error'], 'stale_timestamp')
  assert.equal((await post({})).status, 401)
})

test('error precedence: 429, then 451, then 401, then 400', async () => {
  await using limited = await createGatewayFixture({
    traders: 0, seed: 'limited', gateway: { regionGuard: { country: 'x-country', region: 'x-region' }, rateLimits: RATE_LIMIT_PER_WINDOW },
  })
  const post = (headers: Record<string, string>): Promise<ApiResponse> => call(limited.gateway.app, URL_PATH, { method: 'POST', body: {}, headers })
  const restricted = { 'x-country': 'US' }
  const response = await post(restricted)
  assert.deepEqual([response.status, response.body['error']], [451, 'region_restricted'])
  assert.equal((await post({})).status, 401)
  for (let calls = 2; calls < RATE_LIMIT_PER_WINDOW.public; calls++) await post(restricted)
  assert.deepEqual([(await post(restricted)).status, (await post({})).status], [429, 429])
  const guarded = await call(fixture.gateway.app, URL_PATH, { method: 'POST', body: {}, key: trader.key, headers: restricted })
  assert.equal(guarded.status, 451)
})

/** Asserts that the body fails validation and returns the error's message. */
async function validationMessage(body: unknown): Promise<string> {
  const { status, body: error, text } = await trader.prepare(body)
  const found = [status, error['statusCode'], error['code'], error['error']]
  assert.deepEqual(found, [400, 400, 'FST_ERR_VALIDATION', 'Bad Request'], `${JSON.stringify(body)}: ${text}`)
  assert.deepEqual(Object.keys(error), ['statusCode', 'code', 'error', 'message', 'reason', 'parameter'])
  return String(error['message'])
}

test('rejects a body without a known op and lists the valid ones', async () => {
  for (const op of ['open', 'OPEN_POSITION', '', 'open_position ', '__proto__', 'constructor', 7, null, ['open_position'], { op: 'open_position' }]) {
    assert.match(await validationMessage({ ...OPEN, op }), /^body\/op must be one of open_position, .*cancel_order$/)
  }
  assert.equal(await validationMessage({}), 'body must have required property \'op\'')
  assert.equal(await validationMessage([OPEN]), 'body must be object')
})

test('requires every field of each operation by name and rejects additional fields', async () => {
  for (const body of await bodies()) {
    for (const field of Object.keys(body)) {
      const { [field as never]: _omitted, ...rest } = body
      assert.equal(await validationMessage(rest), `body must have required property '${field}'`, body.op)
    }
    for (const extra of ['time_in_force', 'Leverage', 'trader', 'minOut']) {
      assert.equal(await validationMessage({ ...body, [extra]: 1 }), `body must not have the fields "${extra}"`, body.op)
    }
  }
  assert.match(await validationMessage({ ...CLOSE, asset: 'BTC' }), /"asset"/, 'a field of another operation is rejected')
})

test('passes on time in force, reduce-only and the limit price of a take-profit', async () => {
  const price = BigInt((await fixture.get<{ price: string }>('/v1/markets/BTC/price')).body.price)
  const takeProfit = { op: 'set_take_profit', positionId, triggerPrice: String((price * 110n) / 100n), slippageToleranceBps: 100 }
  const lastArgument = async (body: unknown): Promise<unknown> => {
    const { status, body: response, text } = await trader.prepare(body)
    assert.equal(status, 200, text)
    return callOf(response as unknown as PreparedTransaction).args.at(-1)
  }
  const order = limitOrder()
  assert.equal(await lastArgument({ ...order, timeInForce: 0, reduceOnly: false }), 0)
  assert.equal(await lastArgument({ ...order, timeInForce: 2 }), 2)
  assert.equal(await lastArgument({ ...order, timeInForce: 1, reduceOnly: true }), 0x101)
  assert.equal(await lastArgument({ op: 'place_stop_limit_order', ...LIMIT, limitPrice: '1', reduceOnly: true }), 0x100)
  const limitPrice = (price * 105n) / 100n
  assert.deepEqual([await lastArgument(takeProfit), await lastArgument({ ...takeProfit, limitPrice: String(limitPrice) })], [0n, limitPrice])
})

test('rejects an acceptable price where the contracts have none, unless it is 0', async () => {
  const closes = [{ op: 'close_position', positionId }, { op: 'close_position_cross', positionId: crossPositionId }]
  for (const body of [OPEN, { ...OPEN, op: 'open_position_cross' }, ...closes]) {
    assert.equal((await trader.prepare({ ...body, acceptablePrice: '0' })).status, 200)
    const { status, body: error } = await trader.prepare({ ...body, acceptablePrice: '1' })
    assert.deepEqual([status, withoutMessage(error)], [400, { error: 'unsupported_by_deployment', field: 'acceptablePrice' }])
  }
})

/** Invalid values of each field, besides null, an array and an object. */
const INVALID: Readonly<Record<string, readonly unknown[]>> = {
  asset: [7, true],
  collateral: [100, 1e9, '', '-1', '+1', '1.5', ' 1', '1 ', '1e3', '0x10', '１', 'ten', true, (2n ** 127n).toString(), '9'.repeat(39), '9'.repeat(500)],
  leverage: ['5', 0, 11, -1, 1.5, true],
  direction: ['long', 'LONG', 'Up', 0, 1, true],
  positionId: [-1, 1.5, '', '-1', '1.5', '0x1', 'one', true, 2 ** 53, (2n ** 64n).toString(), '9'.repeat(21)],
  orderId: [-1, 1.5, '', '-1', '1.5', '0x1', 'one', true, 2 ** 53, (2n ** 64n).toString(), '9'.repeat(21)],
  triggerPrice: [100, '', '-1', '1.5', (2n ** 127n).toString()],
  limitPrice: [100, '', '-1', '1.5', (2n ** 127n).toString()],
  triggerCondition: ['above', 'Over', true, 0],
  slippageToleranceBps: ['50', -1, 10_001, 0.5, true],
  acceptablePrice: [100, '', '-1', '1.5', (2n ** 127n).toString()],
  slippageBps: ['50', 0, 5_001, 0.5, true],
  timeInForce: [-1, 3, 256, 0.5, '1', true],
  reduceOnly: [0, 1, 'true', ''],
  trailingPercentBps: ['50', 0, 10_001, 0.5, true],
}

test('rejects a value of each field that is out of range or of another type, and names the field', async () => {
  for (const body of await bodies()) {
    for (const field of [...Object.keys(body).filter((each) => each !== 'op'), ...operationFields(body.op).optional]) {
      for (const value of [...(INVALID[field] ?? assert.fail(field)), null, [], {}, [String(Object(body)[field])]]) {
        assert.match(await validationMessage({ ...body, [field]: value }), new RegExp(`^body/${field} `), `${body.op} ${JSON.stringify(value)}`)
      }
    }
  }
})

test('accepts the bounds of each range', async () => {
  const stopLoss = { op: 'set_stop_loss', positionId, triggerPrice: '1', slippageToleranceBps: 10_000 }
  assert.equal((await trader.prepare(stopLoss)).status, 200)
  for (const body of [
    { ...stopLoss, positionId: '18446744073709551615' },
    { ...stopLoss, positionId: Number.MAX_SAFE_INTEGER },
    { ...stopLoss, triggerPrice: I128_MAX },
    { ...stopLoss, slippageToleranceBps: 0 },
    { op: 'place_trailing_stop', positionId, trailingPercentBps: 10_000, slippageToleranceBps: 1 },
    { ...OPEN, collateral: I128_MAX },
    { ...OPEN, collateral: '0' },
    { ...limitOrder(), triggerPrice: '0' },
  ]) {
    const { body: error } = await trader.prepare(body)
    assert.equal(error['error'], 'simulation_failed', `${JSON.stringify(body)} reaches the contract`)
  }
  assert.equal((await trader.prepare({ ...OPEN, leverage: 1 })).status, 200)
  assert.equal((await trader.prepare({ op: 'close_position', positionId: `000${positionId}` })).status, 200)
})

test('accepts every supported asset, HYPE included; responds unsupported_asset to any other string and echoes it', async () => {
  for (const asset of ASSET_SYMBOLS) assert.equal((await trader.prepare({ ...OPEN, asset, collateral: '100000000' })).status, 200, asset)
  for (const asset of ['btc', 'Btc', 'SHIB', '', ' BTC', 'BTCUSD', '\u0000', '__proto__', 'B'.repeat(1_000)]) {
    const { status, body } = await trader.prepare({ ...OPEN, asset })
    assert.deepEqual([status, withoutMessage(body)], [400, { error: 'unsupported_asset', asset }])
  }
  assert.match(await validationMessage({ ...OPEN, asset: 'SHIB', leverage: 50 }), /leverage/, 'validation comes first')
})

test('rejects bodies that are not JSON', async () => {
  const { app } = fixture.gateway
  const post = (contentType: string, payload: string) =>
    app.inject({ method: 'POST', url: URL_PATH, headers: { authorization: bearer(trader.key), 'content-type': contentType }, payload })
  const body = JSON.stringify(OPEN)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json\tjunk', 'text/json', '']) {
    const { statusCode } = await post(type, body)
    assert.ok([400, 415].includes(statusCode), `${type}: ${statusCode}`)
  }
  for (const payload of ['', '{', '{"op":"open_position",}', '{"__proto__":{"op":"open_position"}}']) {
    assert.equal((await post('application/json', payload)).statusCode, 400, payload)
  }
  assert.equal((await post('application/json; charset=utf-8', body)).statusCode, 200)
  assert.equal((await post('application/json', `{"op":"${'x'.repeat(70_000)}"}`)).statusCode, 413)
})

test('advises funding for an account that does not exist', async () => {
  const wallet = createWallet('unfunded')
  const key = await obtainKey(fixture.gateway.app, wallet)
  for (const body of [OPEN, CLOSE, limitOrder()]) {
    const { status, body: error } = await call(fixture.gateway.app, URL_PATH, { method: 'POST', body, key })
    assert.deepEqual([status, error['error'], error['contractError']], [400, 'simulation_failed', null])
    assert.match(String(error['message']), /^Simulation failed: the account does not exist .*Fund it/)
  }
})

test('responds 502 to RPC failures without internal details', async () => {
  const faults: readonly Readonly<Record<string, unknown>>[] = [
    { name: 'preflight_queue_full' }, { name: 'rpc_error', code: -32001 }, { name: 'rpc_error', code: -32098 }, { name: 'rpc_error', code: -32603 },
    { name: 'http_status', status: 503 }, { name: 'http_status', status: 504 }, { name: 'http_status', status: 429 }, { name: 'html_200' },
    { name: 'torn_json' }, { name: 'empty_204' }, { name: 'connection_reset' }, { name: 'timeout' },
  ]
  for (const fault of faults) {
    await fixture.control('local_fault', { ...fault, method: 'simulateTransaction', count: null })
    const { status, body, text }: ApiResponse = await trader.prepare(OPEN)
    await fixture.control('local_clearFaults')
    assert.deepEqual([status, body['error'], Object.keys(body)], [502, 'rpc_error', ['error', 'message']], JSON.stringify(fault))
    assert.doesNotMatch(text, /local\/rpc|stellar-core|<html|C[A-Z2-7]{55}/)
    // The circuit breaker must close before the next fault.
    await fixture.closeLedgers(6)
  }
  await fixture.control('local_fault', { name: 'connection_reset', method: 'getLedgerEntries', count: null })
  assert.equal((await trader.prepare(OPEN)).status, 502)
  await fixture.control('local_clearFaults')
  await fixture.closeLedgers(6)
  // After a pause one call tests the node, here one of the background. Calls beside it are refused, to be repeated.
  await trader.prepare(OPEN)
  assert.equal((await trader.prepare(OPEN)).status, 200)
})

test('retries transient RPC failures', async () => {
  for (const fault of [{ name: 'preflight_queue_full' }, { name: 'rpc_error', code: -32098 }, { name: 'slow', ms: 2_000 }, { name: 'torn_json' }]) {
    await fixture.control('local_fault', { ...fault, method: 'simulateTransaction', count: 1 })
    assert.equal((await trader.prepare(OPEN)).status, 200, fault.name)
  }
})

test('a lagging node does not lead to a used sequence number', async () => {
  await trader.trade(OPEN)
  await fixture.control('local_fault', { name: 'lagging', method: 'getLedgerEntries', ledgers: 3, count: 2 })
  const prepared = (await trader.prepare(OPEN)).body as unknown as PreparedTransaction
  const result = await trader.submit(sign(prepared, trader.wallet, fixture.network.networkPassphrase))
  assert.equal(result.body['status'], 'SUCCESS', result.text)
})

test('exceeding the simulation\'s resource limits fails without a contract error', async () => {
  await fixture.control('local_fault', { name: 'resource_limit_exceeded' })
  const { status, body } = await trader.prepare(OPEN)
  assert.deepEqual([status, body['error'], body['contractError']], [400, 'simulation_failed', null])
  assert.match(String(body['message']), /^Simulation failed: .*resources/)
})

test('confirms a client id only when it is stored, and says otherwise that it is not', async () => {
  const { store } = fixture
  const { write } = store
  const isPreparation = (statement: Statement | string): boolean => textOf(statement).startsWith('insert into tx.prepared')
  const unavailable: typeof write = {
    ...write,
    query: (statement, params) => (isPreparation(statement) ? Promise.reject(new StoreUnavailable('the connection broke')) : write.query(statement, params)),
    run: (statement, params) => (isPreparation(statement) ? Promise.reject(new StoreUnavailable('the connection broke')) : write.run(statement, params)),
  }
  await fixture.restartGateway({ store: { ...store, write: unavailable } })
  const lost = await trader.prepare({ ...OPEN, clientId: 'lost' })
  await fixture.restartGateway({ store })
  const kept = await trader.prepare({ ...OPEN, clientId: 'kept' })
  const shape = ({ status, body }: ApiResponse): unknown[] => [status, body['clientId'], body['stored']]
  assert.deepEqual([shape(lost), shape(kept)], [[200, null, false], [200, 'kept', undefined]])
})
