// sendTransaction and getTransaction of the client: which endpoints are called, and how often, when calls fail.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { createSeededRandom } from '../../base/random.ts'
import { PAUSE_AFTER_FAILURES } from './node-state.ts'
import { isUnprocessed, RpcFailure } from './failure.ts'
import { createRpc } from './rpc.ts'
import type { Rpc } from './rpc.ts'
import type { TransportResponse } from './transport.ts'

const HASH = 'ab'.repeat(32)
const ENVELOPE = 'AAAA'
const PENDING = { status: 'PENDING', hash: HASH, latestLedger: 7, latestLedgerCloseTime: '1783339200' }

/** The response of an endpoint: a JSON-RPC result or error, an HTTP response, a failed connection, or never. */
type Behaviour =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly http: TransportResponse }
  | { readonly fails: Error }
  | 'hangs'

interface Fixture {
  readonly rpc: Rpc
  readonly clock: ReturnType<typeof createVirtualClock>
  /** The called endpoints, in order. */
  readonly calls: string[]
}

/** A client whose endpoints each behave in one way. */
function createFixture(...behaviours: readonly Behaviour[]): Fixture {
  const clock = createVirtualClock(1_783_339_200_000)
  const calls: string[] = []
  const urls = behaviours.map((_behaviour, index) => `http://node-${index}/`)
  const rpc = createRpc({
    urls, clock, random: createSeededRandom('send'), log: silentLog,
    transport: async (url, body) => {
      const index = urls.indexOf(url)
      const behaviour = behaviours[index]
      calls.push(`${index}`)
      if (behaviour === undefined || behaviour === 'hangs') return new Promise<never>(() => {})
      if ('fails' in behaviour) throw behaviour.fails
      if ('http' in behaviour) return behaviour.http
      const { id } = JSON.parse(body) as { id: unknown }
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, ...behaviour }) }
    },
  })
  return { rpc, clock, calls }
}

const broken = (code: string): Error => new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) })
const http = (status: number): Behaviour => ({ http: { status, body: '' } })
const rpcError = (code: number, message = ''): Behaviour => ({ error: { code, message } })

async function failureOf(call: Promise<unknown>): Promise<RpcFailure> {
  const failure = await call.then(() => assert.fail('the call must fail'), (error: unknown) => error)
  assert.ok(failure instanceof RpcFailure, String(failure))
  return failure
}

test('sends the envelope and parses the response', async () => {
  const fixture = createFixture({ result: { ...PENDING, hash: HASH.toUpperCase() } })
  assert.deepEqual(await fixture.rpc.sendTransaction(ENVELOPE), {
    status: 'PENDING', hash: HASH, latestLedger: 7, errorResultXdr: null, diagnosticEventsXdr: [],
  })
})

const UNPROCESSED: readonly (readonly [name: string, behaviour: Behaviour])[] = [
  ['a refused connection', { fails: broken('ECONNREFUSED') }],
  ['a name that is not found', { fails: broken('ENOTFOUND') }],
  ['a connection that times out', { fails: broken('UND_ERR_CONNECT_TIMEOUT') }],
  ['429', http(429)],
  ['403', http(403)],
  ['-32098 queue full', rpcError(-32098)],
  ['-32601 no such method', rpcError(-32601)],
  ['-32600 invalid request', rpcError(-32600)],
]

for (const [name, behaviour] of UNPROCESSED) {
  test(`tries each endpoint once after ${name}`, async () => {
    const served = createFixture(behaviour, { result: PENDING })
    assert.equal((await served.rpc.sendTransaction(ENVELOPE)).status, 'PENDING')
    assert.deepEqual(served.calls, ['0', '1'])
    const refused = createFixture(behaviour, behaviour)
    assert.equal(isUnprocessed(await failureOf(refused.rpc.sendTransaction(ENVELOPE))), true)
    assert.deepEqual(refused.calls, ['0', '1'])
  })
}

const UNKNOWN: readonly (readonly [name: string, behaviour: Behaviour])[] = [
  ['a connection reset', { fails: broken('ECONNRESET') }],
  ['a socket closed by the other side', { fails: broken('UND_ERR_SOCKET') }],
  ['an unknown failure', { fails: new Error('something') }],
  ['503', http(503)],
  ['504', http(504)],
  ['502', http(502)],
  ['500', http(500)],
  ['204 without a body', http(204)],
  ['a page of HTML', { http: { status: 200, body: '<html></html>' } }],
  ['a truncated response', { http: { status: 200, body: '{"jsonrpc":"2.0","id":1,"res' } }],
  ['a response without result', { http: { status: 200, body: '{"jsonrpc":"2.0","id":1}' } }],
  ['an unknown status', { result: { ...PENDING, status: 'FILTERED' } }],
  ['a response without a hash', { result: { ...PENDING, hash: null } }],
  ['-32603 could not submit', rpcError(-32603, 'could not submit transaction to stellar-core')],
  ['-32001 took too long', rpcError(-32001)],
  ['-32003 panic', rpcError(-32003)],
  ['-32602 undecodable', rpcError(-32602, 'invalid_xdr')],
]

for (const [name, behaviour] of UNKNOWN) {
  test(`sends the envelope only once after ${name}`, async () => {
    const fixture = createFixture(behaviour, { result: PENDING })
    assert.equal(isUnprocessed(await failureOf(fixture.rpc.sendTransaction(ENVELOPE))), false)
    assert.deepEqual(fixture.calls, ['0'])
  })
}

test('sends once to an endpoint that refuses while all others are paused', async () => {
  const fixture = createFixture(http(429), http(503))
  for (let send = 0; send < 2 * PAUSE_AFTER_FAILURES && fixture.calls.filter((endpoint) => endpoint === '1').length < PAUSE_AFTER_FAILURES; send++) {
    await failureOf(fixture.rpc.sendTransaction(ENVELOPE))
  }
  fixture.calls.length = 0
  await failureOf(fixture.rpc.sendTransaction(ENVELOPE))
  assert.deepEqual(fixture.calls, ['0'])
})

test('sends once when there is no response in time, with an unknown outcome', async () => {
  const fixture = createFixture('hangs', { result: PENDING })
  const failing = failureOf(fixture.rpc.sendTransaction(ENVELOPE))
  while (fixture.calls.length === 0) await Promise.resolve()
  fixture.clock.advance(60_000)
  const failure = await failing
  assert.deepEqual([failure.kind, isUnprocessed(failure), fixture.calls], ['timeout', false, ['0']])
})

test('a call that never gets a permit is unprocessed', async () => {
  const fixture = createFixture('hangs')
  const sends = Array.from({ length: 17 }, () => failureOf(fixture.rpc.sendTransaction(ENVELOPE)))
  for (let turn = 0; turn < 100; turn++) await Promise.resolve()
  fixture.clock.advance(60_000)
  const failures = await Promise.all(sends)
  assert.equal(fixture.calls.length, 16)
  assert.deepEqual(failures.map(isUnprocessed), [...Array.from({ length: 16 }, () => false), true])
})

test('parses the result and the diagnostics of an ERROR', async () => {
  const fixture = createFixture({ result: { ...PENDING, status: 'ERROR', errorResultXdr: 'AAAAAAAAAAD////7AAAAAA==', diagnosticEventsXdr: ['AAAA'] } })
  const response = await fixture.rpc.sendTransaction(ENVELOPE)
  assert.deepEqual([response.status, response.errorResultXdr, response.diagnosticEventsXdr], ['ERROR', 'AAAAAAAAAAD////7AAAAAA==', ['AAAA']])
})

test('parses a lookup: not found, success, failed', async () => {
  const lookUp = (result: object): ReturnType<Rpc['getTransaction']> => createFixture({ result }).rpc.getTransaction(HASH)
  const range = { latestLedger: 9, latestLedgerCloseSec: null, oldestLedger: null, oldestLedgerCloseSec: null }
  assert.deepEqual(await lookUp({ status: 'NOT_FOUND', latestLedger: 9, ledger: 0 }), { status: 'NOT_FOUND', ...range })
  assert.deepEqual(await lookUp({ status: 'SUCCESS', latestLedger: 9, ledger: 8 }), { status: 'SUCCESS', ...range, ledger: 8 })
  assert.deepEqual(await lookUp({ status: 'FAILED', latestLedger: 9, ledger: 8, resultXdr: 'AAAA' }), {
    status: 'FAILED', ...range, ledger: 8, resultXdr: 'AAAA', diagnosticEventsXdr: [],
  })
})

test('rejects a malformed lookup, and the next lookup calls another node', async () => {
  const failed = { latestLedger: 9, ledger: 8, resultXdr: 'AAAA' }
  for (const result of [{ ...failed, status: 'PENDING' }, { status: 'SUCCESS', latestLedger: 9 }, { status: 'FAILED', latestLedger: 9, ledger: 8 }, {}]) {
    const fixture = createFixture({ result }, { result: { status: 'NOT_FOUND', latestLedger: 9 } })
    assert.equal((await failureOf(fixture.rpc.getTransaction(HASH))).kind, 'malformed')
    assert.equal((await fixture.rpc.getTransaction(HASH)).status, 'NOT_FOUND')
    assert.deepEqual(fixture.calls, ['0', '1'])
  }
})
