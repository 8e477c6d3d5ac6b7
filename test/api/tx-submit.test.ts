// POST /v1/tx/submit on a real local network, with RPC faults.

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { after, before, test } from 'node:test'
import { Account, Asset, Keypair, Operation, Transaction, TransactionBuilder } from '@stellar/stellar-sdk'
import type { FeeBumpTransaction } from '@stellar/stellar-sdk'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { POLL_TIMEOUT_MS } from '../../src/limits.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { bearer, call } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { createTrader, lastPositionId, ONE, sign } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const URL_PATH = '/v1/tx/submit'
/** More than the network applies here. */
const TRANSACTIONS_MAX = 10_000
const OPEN: OperationRequest = { op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' }

let fixture: GatewayFixture
let trader: Trader
let passphrase: string

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'submit', gateway: { regionGuard: { country: 'x-country', region: 'x-region' } } })
  await fixture.closeLedgers(3)
  trader = await createTrader(fixture, 'submit')
  passphrase = fixture.network.networkPassphrase
})
after(() => fixture[Symbol.asyncDispose]())

function hashOf(signedXdr: string): string {
  return Buffer.from(TransactionBuilder.fromXdr(signedXdr, passphrase).hash()).toString('hex')
}

const latestLedger = (): number => fixture.network.chain.history.latest().sequence

/** Returns how many transactions of this account the network applied after a ledger. */
function appliedAfter(ledger: number, address: string): number {
  return fixture.network.chain.history.transactionsAfter(ledger, TRANSACTIONS_MAX, TRANSACTIONS_MAX).filter(({ envelopeXdr }) => {
    const envelope = TransactionBuilder.fromXdr(envelopeXdr, passphrase)
    return (envelope instanceof Transaction ? envelope : envelope.innerTransaction).source === address
  }).length
}

async function injectFault(request: Readonly<Record<string, unknown>>): Promise<void> {
  await fixture.control('local_fault', { method: 'sendTransaction', ...request })
}

const clearFaults = (): Promise<unknown> => fixture.control('local_clearFaults')

test('SUCCESS returns the hash and the ledger', async () => {
  const signedXdr = await trader.signed(OPEN)
  const { status, body, headers } = await trader.submit(signedXdr)
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['hash', 'status', 'ledger', 'confirmedBy', 'nodes'])
  assert.deepEqual([body['hash'], body['status']], [hashOf(signedXdr), 'SUCCESS'])
  assert.equal(fixture.network.chain.history.transaction(hashOf(signedXdr))?.ledger, body['ledger'])
  assert.equal(headers['cache-control'], 'no-store')
})

test('resubmitting returns the same result: at once, after the network forgot the transaction, and after it expired', async () => {
  const signedXdr = await trader.signed(OPEN)
  const first = (await trader.submit(signedXdr)).body
  const beforeLedger = latestLedger()
  assert.deepEqual((await trader.submit(signedXdr)).body, first, 'the network returns TRY_AGAIN_LATER')
  await fixture.closeLedgers(15)
  assert.deepEqual((await trader.submit(signedXdr)).body, first, 'the network returns txBAD_SEQ')
  await fixture.control('local_advance', { seconds: 3_600 })
  assert.deepEqual((await trader.submit(signedXdr)).body, first, 'the network returns txTOO_LATE')
  assert.equal(appliedAfter(beforeLedger, trader.address), 0)
})

test('PENDING when the transaction is not final in time; resubmitting waits again', async () => {
  await fixture.closeLedgers(4)
  const signedXdr = await trader.signed(OPEN)
  await injectFault({ name: 'not_found', method: 'getTransaction', ledgers: 8 })
  const response = await trader.submit(signedXdr, 2_000)
  assert.deepEqual([response.status, response.body], [200, { hash: hashOf(signedXdr), status: 'PENDING' }])
  await clearFaults()
  assert.equal((await trader.submit(signedXdr)).body['status'], 'SUCCESS')
})

test('FAILED returns the named contract error and the result XDR', async () => {
  const signedXdr = await trader.signed(OPEN)
  await fixture.control('local_admin', { contract: 'market', function: 'pause', args: [] })
  const { status, body } = await trader.submit(signedXdr)
  await fixture.control('local_admin', { contract: 'market', function: 'unpause', args: [] })
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['hash', 'status', 'contractError', 'hostError', 'txResultCode', 'resultXdr', 'message', 'confirmedBy', 'nodes'])
  assert.deepEqual([body['hostError'], body['txResultCode']], [null, 'txFailed'])
  assert.match(String(body['message']), /^Transaction failed: trading or the vault is paused\..* \[Error\(Contract, #4\)\]$/)
  assert.deepEqual([body['hash'], body['status'], body['contractError']], [hashOf(signedXdr), 'FAILED', { code: 4, name: 'Paused' }])
  assert.equal(body['resultXdr'], fixture.network.chain.history.transaction(hashOf(signedXdr))?.resultXdr)
  assert.deepEqual((await trader.submit(signedXdr)).body, body, 'a failure is final')
})

test('rejects invalid envelopes without calling a node', async () => {
  const signedXdr = await trader.signed(OPEN)
  await injectFault({ name: 'connection_reset', count: null })
  for (const broken of ['', 'hello', signedXdr.slice(1), signedXdr.slice(0, -8), `${signedXdr}AAAA`, '\u0000', `${signedXdr}\n`]) {
    const { status, body } = await trader.submit(broken)
    assert.deepEqual([status, body['error'], body['contractError'], Object.keys(body)], [
      400, 'submission_rejected', null, ['error', 'message', 'contractError', 'hostError', 'txResultCode'],
    ], broken.slice(0, 20))
    assert.deepEqual([body['hostError'], body['txResultCode']], [null, null])
  }
  await clearFaults()
})

test('says that an envelope is newer than the gateway instead of malformed, and submits nothing', async () => {
  const bytes = Buffer.from(await trader.signed(OPEN), 'base64')
  const address = bytes.indexOf(Buffer.from('000000120000000000000000', 'hex'))
  bytes.writeUInt32BE(6, address + 4)
  await injectFault({ name: 'connection_reset', count: null })
  const { status, body } = await trader.submit(bytes.toString('base64'))
  assert.deepEqual([status, body['error']], [400, 'submission_rejected'])
  assert.match(String(body['message']), /contains address type 6, which is newer than this gateway\. Nothing was submitted/)
  await clearFaults()
})

test('names the invalid field of a body without coercing types', async () => {
  const bodies: readonly (readonly [body: unknown, message: RegExp])[] = [
    [{}, /required property 'signedXdr'/],
    [{ signedXdr: 7 }, /^body\/signedXdr must be string/],
    [{ signedXdr: null }, /^body\/signedXdr must be string/],
    [{ signedXdr: 'AAAA', pollTimeoutMs: '2000' }, /^body\/pollTimeoutMs must be integer/],
    [{ signedXdr: 'AAAA', pollTimeoutMs: 1_000.5 }, /^body\/pollTimeoutMs must be integer/],
    [{ signedXdr: 'AAAA', pollTimeoutMs: null }, /^body\/pollTimeoutMs must be integer/],
    [{ signedXdr: 'AAAA', pollTimeoutMs: 999 }, /^body\/pollTimeoutMs must be >= 1000/],
    [{ signedXdr: 'AAAA', pollTimeoutMs: 60_001 }, /^body\/pollTimeoutMs must be <= 60000/],
    [{ signedXdr: 'AAAA', polltimeoutms: 5_000 }, /"polltimeoutms"/],
    [[], /^body must be object/],
  ]
  for (const [body, message] of bodies) {
    const response = await call(fixture.gateway.app, URL_PATH, { method: 'POST', body, key: trader.key })
    assert.deepEqual([response.status, response.body['code']], [400, 'FST_ERR_VALIDATION'], JSON.stringify(body))
    assert.match(String(response.body['message']), message)
  }
  const large = await call(fixture.gateway.app, URL_PATH, { method: 'POST', body: { signedXdr: 'A'.repeat(300_000) }, key: trader.key })
  assert.equal(large.status, 413)
})

test('401 and 451 precede validation', async () => {
  const post = (headers: Record<string, string>): Promise<ApiResponse> => call(fixture.gateway.app, URL_PATH, { method: 'POST', body: 'nonsense', headers })
  assert.deepEqual([(await post({})).status, (await post({ 'x-country': 'US' })).status], [401, 451])
  const authorization = bearer(trader.key)
  assert.equal((await post({ authorization, 'x-country': 'CA', 'x-region': 'ON' })).body['error'], 'region_restricted')
})

test('responds 400 with advice when the network rejects the transaction', async () => {
  // The leverage differs because identical calls prepared in the same second are the same transaction.
  const stale = await trader.signed({ ...OPEN, leverage: 2 })
  await trader.trade(OPEN)
  const other = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(5))
  const forged = sign((await trader.prepare(OPEN)).body as unknown as PreparedTransaction, other, passphrase)
  const publicNetwork = 'Public Global Stellar Network ; September 2015'
  const otherNetwork = sign((await trader.prepare(OPEN)).body as unknown as PreparedTransaction, trader.wallet, publicNetwork)
  const unsigned = String((await trader.prepare(OPEN)).body['xdr'])
  const unfunded = new TransactionBuilder(new Account(other.publicKey(), '1'), { fee: '100', networkPassphrase: passphrase })
    .addOperation(Operation.payment({ destination: trader.address, asset: Asset.native(), amount: '1' }))
    .setTimeout(0)
    .build()
  unfunded.sign(other)
  const rejections: readonly (readonly [signedXdr: string, txResultCode: string, message: RegExp])[] = [
    [stale, 'txBadSeq', /sequence number/], [forged, 'txBadAuth', /signature is missing or invalid/],
    [otherNetwork, 'txBadAuth', /signature is missing or invalid.*passphrase/], [unsigned, 'txBadAuth', /signature is missing or invalid/],
    [unfunded.toXdr(), 'txNoAccount', /does not exist/],
  ]
  for (const [signedXdr, txResultCode, message] of rejections) {
    const { status, body } = await trader.submit(signedXdr)
    assert.deepEqual([status, body['error'], body['contractError'], body['hostError'], body['txResultCode']], [
      400, 'submission_rejected', null, null, txResultCode,
    ])
    assert.match(String(body['message']), message)
    assert.doesNotMatch(String(body['message']), /tx[A-Z]/)
  }
})

/** Wraps the transaction in a fee bump paid by the trader. */
function sponsor(signedXdr: string): FeeBumpTransaction {
  const inner = TransactionBuilder.fromXdr(signedXdr, passphrase)
  assert.ok(inner instanceof Transaction)
  const sponsored = TransactionBuilder.buildFeeBumpTransaction(trader.wallet, '1000000', inner, passphrase)
  sponsored.sign(trader.wallet)
  return sponsored
}

test('relays other accounts\' transactions and fee bumps', async () => {
  const friend = await createTrader(fixture, 'friend')
  const inner = await friend.signed(OPEN)
  const sponsored = sponsor(inner)
  const result = (await trader.submit(sponsored.toXdr())).body
  assert.deepEqual([result['status'], result['hash']], ['SUCCESS', Buffer.from(sponsored.hash()).toString('hex')])
  const same = (await friend.submit(inner)).body
  assert.deepEqual([same['status'], same['hash'], same['ledger']], ['SUCCESS', hashOf(inner), result['ledger']], 'the inner hash is found too')
})

test('reports the contract error of a failed transaction inside a fee bump', async () => {
  const friend = await createTrader(fixture, 'failing friend')
  const sponsored = sponsor(await friend.signed(OPEN))
  await fixture.control('local_admin', { contract: 'market', function: 'pause', args: [] })
  const { body } = await trader.submit(sponsored.toXdr())
  await fixture.control('local_admin', { contract: 'market', function: 'unpause', args: [] })
  assert.deepEqual([body['status'], body['contractError']], ['FAILED', { code: 4, name: 'Paused' }])
})

test('TRY_AGAIN_LATER for an unknown transaction: 503 with retry-after, and resubmitting succeeds', async () => {
  const signedXdr = await trader.signed(OPEN)
  await injectFault({ name: 'try_again_later', count: 1 })
  const { status, body, headers } = await trader.submit(signedXdr)
  assert.deepEqual([status, headers['retry-after']], [503, '2'])
  assert.deepEqual({ ...body, message: '' }, { error: 'try_again_later', retryable: true, hash: hashOf(signedXdr), message: '' })
  assert.equal((await trader.submit(signedXdr)).body['status'], 'SUCCESS')
})

test('responds 503 to an account\'s second transaction while the first is pending', async () => {
  const [first, second] = [await trader.signed(OPEN), await trader.signed({ ...OPEN, leverage: 3 })]
  assert.equal((await fixture.network.rpc.call('sendTransaction', { transaction: first }) as { status: string }).status, 'PENDING')
  const refused = await trader.submit(second)
  assert.deepEqual([refused.status, refused.body['error']], [503, 'try_again_later'])
  assert.equal((await trader.submit(first)).body['status'], 'SUCCESS')
  const late = await trader.submit(second)
  assert.deepEqual([late.status, late.body['error']], [400, 'submission_rejected'], 'its sequence number is used up')
})

/** Faults that lose the response to sendTransaction. */
const LOST: readonly { readonly name: string; readonly status?: number; readonly code?: number }[] = [
  { name: 'submission_lost' }, { name: 'timeout' }, { name: 'connection_reset' }, { name: 'http_status', status: 504 }, { name: 'http_status', status: 503 },
  { name: 'html_200' }, { name: 'empty_204' }, { name: 'rpc_error', code: -32001 }, { name: 'rpc_error', code: -32003 }, { name: 'rpc_error', code: -32603 },
]

for (const lost of LOST) {
  const name = `${lost.name} ${lost.status ?? lost.code ?? ''}`.trim()

  test(`${name} after the network accepted the transaction: finds it, applied once`, async () => {
    await fixture.closeLedgers(6)
    const signedXdr = await trader.signed(OPEN)
    const beforeLedger = latestLedger()
    await injectFault({ ...lost, executed: true, count: 1 })
    const { body, text } = await trader.submit(signedXdr)
    assert.equal(body['status'], 'SUCCESS', text)
    await fixture.closeLedgers(12)
    assert.equal(appliedAfter(beforeLedger, trader.address), 1)
  })

  test(`${name} before the network accepted the transaction: sends it again, applied once`, async () => {
    await fixture.closeLedgers(6)
    const signedXdr = await trader.signed(OPEN)
    const beforeLedger = latestLedger()
    await injectFault({ ...lost, count: 1 })
    const { body, text } = await trader.submit(signedXdr)
    assert.equal(body['status'], 'SUCCESS', text)
    await fixture.closeLedgers(12)
    assert.equal(appliedAfter(beforeLedger, trader.address), 1)
  })

  test(`repeated ${name}: 502 with the hash, never a rejection`, async () => {
    await fixture.closeLedgers(6)
    const signedXdr = await trader.signed(OPEN)
    await injectFault({ ...lost, count: null })
    const { status, body } = await trader.submit(signedXdr, 12_000)
    await clearFaults()
    assert.deepEqual([status, body['error'], body['hash'], Object.keys(body)], [502, 'rpc_error', hashOf(signedXdr), ['error', 'message', 'hash']])
    assert.match(String(body['message']), /Submit the same signedXdr again/)
    await fixture.closeLedgers(6)
    assert.equal((await trader.submit(signedXdr)).body['status'], 'SUCCESS')
  })
}

test('finds the transaction after a truncated response', async () => {
  await fixture.closeLedgers(6)
  const signedXdr = await trader.signed(OPEN)
  await injectFault({ name: 'torn_json', count: 1 })
  assert.equal((await trader.submit(signedXdr)).body['status'], 'SUCCESS')
})

test('waits for the transaction after DUPLICATE and after a slow response', async () => {
  await injectFault({ name: 'duplicate', count: 1 })
  await trader.trade(OPEN)
  await injectFault({ name: 'slow', ms: 3_000, count: 1 })
  await trader.trade(OPEN)
})

test('responds 502 when no node accepted the transaction', async () => {
  const signedXdr = await trader.signed(OPEN)
  for (const request of [{ name: 'http_status', status: 429 }, { name: 'rpc_error', code: -32098 }]) {
    await injectFault({ ...request, count: 1 })
    const { status, body } = await trader.submit(signedXdr)
    assert.deepEqual([status, body['error']], [502, 'rpc_error'])
    assert.match(String(body['message']), /Nothing was submitted/)
  }
  await injectFault({ name: 'invalid_status', count: 1 })
  assert.equal((await trader.submit(signedXdr)).status, 502)
  assert.equal((await trader.submit(signedXdr)).body['status'], 'SUCCESS')
})

test('finds the transaction despite failing lookups', async () => {
  for (const request of [{ name: 'torn_json', everyNth: 2 }, { name: 'http_status', status: 503, everyNth: 2 }, { name: 'not_found', ledgers: 4 }]) {
    await fixture.closeLedgers(6)
    await injectFault({ ...request, method: 'getTransaction', count: null })
    await trader.trade(OPEN)
    await clearFaults()
  }
})

test('concurrent submissions of one transaction share the result', async () => {
  const signedXdr = await trader.signed(OPEN)
  await injectFault({ name: 'not_found', method: 'getTransaction', ledgers: 5 })
  const responses = await Promise.all(Array.from({ length: 8 }, () => trader.submit(signedXdr)))
  await clearFaults()
  for (const { body } of responses) assert.deepEqual(body, responses[0]?.body)
  assert.equal(responses[0]?.body['status'], 'SUCCESS')
})

test('stops polling when the client disconnects; the transaction still succeeds', async () => {
  await fixture.closeLedgers(3)
  const signedXdr = await trader.signed(OPEN)
  const address = await fixture.gateway.listen({ host: '127.0.0.1', port: 0 })
  await injectFault({ name: 'not_found', method: 'getTransaction', ledgers: 100 })
  const request = sendOverSocket(address, signedXdr)
  while ((await faultHits()) === 0) await new Promise((resolve) => setImmediate(resolve))
  const timersBefore = fixture.clock.pendingTimers()
  request.destroy()
  while (fixture.clock.pendingTimers() >= timersBefore) await new Promise((resolve) => setImmediate(resolve))
  const lookups = await faultHits()
  await fixture.closeLedgers(5)
  assert.equal(await faultHits(), lookups, 'no further lookups')
  await clearFaults()
  assert.equal((await trader.submit(signedXdr)).body['status'], 'SUCCESS')
})

test('a closing gateway responds PENDING to waiting submissions', async () => {
  const signedXdr = await trader.signed(OPEN)
  const address = await fixture.gateway.listen({ host: '127.0.0.1', port: 0 }).catch(() => addressOf(fixture))
  await injectFault({ name: 'not_found', method: 'getTransaction', ledgers: 100 })
  const response = Promise.withResolvers<SocketResponse>()
  sendOverSocket(address, signedXdr, response.resolve)
  while (fixture.network.chain.pending() === 0) await new Promise((resolve) => setImmediate(resolve))
  await fixture.restartGateway()
  const { body, headers } = await response.promise
  assert.deepEqual(JSON.parse(body), { hash: hashOf(signedXdr), status: 'PENDING' })
  assert.equal(headers.connection, 'close', 'the gateway does not wait for another request on this connection')
  await clearFaults()
  assert.equal((await trader.submit(signedXdr)).body['status'], 'SUCCESS')
})

test('the server\'s socket timeout is longer than the longest submission', () => {
  const { server } = fixture.gateway.app
  // Node's request timeout ends with the body. Its socket timeout must also cover the submission's RPC calls.
  assert.ok(server.timeout >= POLL_TIMEOUT_MS.max + 20_000)
})

function addressOf({ gateway }: GatewayFixture): string {
  const bound = gateway.app.server.address()
  assert.ok(bound !== null && typeof bound === 'object')
  return `http://127.0.0.1:${bound.port}`
}

/** Returns how many calls the injected faults affected. */
async function faultHits(): Promise<number> {
  const { armed } = await fixture.control('local_faults') as { armed: readonly { hits: number }[] }
  return armed.reduce((total, { hits }) => total + hits, 0)
}

interface SocketResponse {
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

function sendOverSocket(address: string, signedXdr: string, onResponse: (response: SocketResponse) => void = () => {}): ReturnType<typeof httpRequest> {
  const body = JSON.stringify({ signedXdr, pollTimeoutMs: 60_000 })
  const headers = { authorization: bearer(trader.key), 'content-type': 'application/json' }
  const request = httpRequest(`${address}${URL_PATH}`, { method: 'POST', headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => onResponse({ body: Buffer.concat(chunks).toString(), headers: response.headers }))
  })
  // The test that disconnects causes an error here.
  request.on('error', () => {})
  request.end(body)
  return request
}

test('opens the submitted position', async () => {
  const { ledger } = await trader.trade({ ...OPEN, collateral: String(123n * ONE) })
  const id = await lastPositionId(fixture, trader.address)
  const { body } = await fixture.get<{ positions: { positionId: number; size: string }[] }>(`/v1/positions/open?trader=${trader.address}`)
  assert.equal(body.positions.find(({ positionId }) => positionId === id)?.size, String(123n * 5n * ONE))
  assert.ok(ledger !== undefined)
})
