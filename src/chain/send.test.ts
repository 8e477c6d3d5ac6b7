// sendTransaction and getTransaction of the client: what is asked of whom, once or again, when calls go wrong on their way.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createSeededRandom } from '../base/random.ts'
import { isUnprocessed, RpcFailure } from './failure.ts'
import { createRpc } from './rpc.ts'
import type { Rpc } from './rpc.ts'
import type { TransportResponse } from './transport.ts'

const HASH = 'ab'.repeat(32)
const ENVELOPE = 'AAAA'
const PENDING = { status: 'PENDING', hash: HASH, latestLedger: 7, latestLedgerCloseTime: '1783339200' }

/** What an endpoint does with a call: a JSON-RPC result, a JSON-RPC error, an HTTP answer, or no answer. */
type Behaviour =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly http: TransportResponse }
  | { readonly fails: Error }
  | 'hangs'

interface Bench {
  readonly rpc: Rpc
  readonly clock: ReturnType<typeof createVirtualClock>
  /** Which endpoint was asked, call by call. */
  readonly asked: string[]
}

/** A client over endpoints that each behave in one way. */
function benchOf(...behaviours: readonly Behaviour[]): Bench {
  const clock = createVirtualClock(1_783_339_200_000)
  const asked: string[] = []
  const urls = behaviours.map((_behaviour, index) => `http://node-${index}/`)
  const rpc = createRpc({
    urls, clock, random: createSeededRandom('send'), log: silentLog,
    transport: async (url, body) => {
      const index = urls.indexOf(url)
      const behaviour = behaviours[index]
      asked.push(`${index}`)
      if (behaviour === undefined || behaviour === 'hangs') return new Promise<never>(() => {})
      if ('fails' in behaviour) throw behaviour.fails
      if ('http' in behaviour) return behaviour.http
      const { id } = JSON.parse(body) as { id: unknown }
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, ...behaviour }) }
    },
  })
  return { rpc, clock, asked }
}

const broken = (code: string): Error => new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) })
const http = (status: number): Behaviour => ({ http: { status, body: '' } })
const rpcError = (code: number, message = ''): Behaviour => ({ error: { code, message } })

async function failureOf(call: Promise<unknown>): Promise<RpcFailure> {
  const failure = await call.then(() => assert.fail('the call must fail'), (error: unknown) => error)
  assert.ok(failure instanceof RpcFailure, String(failure))
  return failure
}

test('an envelope is sent as it is, and its answer read', async () => {
  const bench = benchOf({ result: { ...PENDING, hash: HASH.toUpperCase() } })
  assert.deepEqual(await bench.rpc.sendTransaction(ENVELOPE), {
    status: 'PENDING', hash: HASH, latestLedger: 7, errorResultXdr: null, diagnosticEventsXdr: [],
  })
})

const UNTAKEN: readonly (readonly [name: string, behaviour: Behaviour])[] = [
  ['a refused connection', { fails: broken('ECONNREFUSED') }],
  ['a name that is not found', { fails: broken('ENOTFOUND') }],
  ['a connection that does not come about in time', { fails: broken('UND_ERR_CONNECT_TIMEOUT') }],
  ['429', http(429)],
  ['403', http(403)],
  ['-32098 queue full', rpcError(-32098)],
  ['-32601 no such method', rpcError(-32601)],
  ['-32600 invalid request', rpcError(-32600)],
]

for (const [name, behaviour] of UNTAKEN) {
  test(`${name}: nothing was sent, so the next endpoint is asked, each once`, async () => {
    const served = benchOf(behaviour, { result: PENDING })
    assert.equal((await served.rpc.sendTransaction(ENVELOPE)).status, 'PENDING')
    assert.deepEqual(served.asked, ['0', '1'])
    const refused = benchOf(behaviour, behaviour)
    assert.equal(isUnprocessed(await failureOf(refused.rpc.sendTransaction(ENVELOPE))), true)
    assert.deepEqual(refused.asked, ['0', '1'])
  })
}

const UNKNOWN: readonly (readonly [name: string, behaviour: Behaviour])[] = [
  ['a connection cut after it was open', { fails: broken('ECONNRESET') }],
  ['a socket closed by the other side', { fails: broken('UND_ERR_SOCKET') }],
  ['a failure without a reason', { fails: new Error('something') }],
  ['503', http(503)],
  ['504', http(504)],
  ['502', http(502)],
  ['500', http(500)],
  ['204 without a body', http(204)],
  ['a page of HTML', { http: { status: 200, body: '<html></html>' } }],
  ['a torn answer', { http: { status: 200, body: '{"jsonrpc":"2.0","id":1,"res' } }],
  ['an answer without result', { http: { status: 200, body: '{"jsonrpc":"2.0","id":1}' } }],
  ['a status nobody knows', { result: { ...PENDING, status: 'FILTERED' } }],
  ['an answer without a hash', { result: { ...PENDING, hash: null } }],
  ['-32603 could not submit', rpcError(-32603, 'could not submit transaction to stellar-core')],
  ['-32001 took too long', rpcError(-32001)],
  ['-32003 panic', rpcError(-32003)],
  ['-32602 undecodable', rpcError(-32602, 'invalid_xdr')],
]

for (const [name, behaviour] of UNKNOWN) {
  test(`${name}: the envelope is sent once and to nobody else`, async () => {
    const bench = benchOf(behaviour, { result: PENDING })
    assert.equal(isUnprocessed(await failureOf(bench.rpc.sendTransaction(ENVELOPE))), false)
    assert.deepEqual(bench.asked, ['0'])
  })
}

test('no answer in time: sent once, outcome unknown', async () => {
  const bench = benchOf('hangs', { result: PENDING })
  const failing = failureOf(bench.rpc.sendTransaction(ENVELOPE))
  while (bench.asked.length === 0) await Promise.resolve()
  bench.clock.advance(60_000)
  const failure = await failing
  assert.deepEqual([failure.kind, isUnprocessed(failure), bench.asked], ['timeout', false, ['0']])
})

test('a call that waits for its turn in vain was not sent', async () => {
  const bench = benchOf('hangs')
  const sends = Array.from({ length: 17 }, () => failureOf(bench.rpc.sendTransaction(ENVELOPE)))
  for (let turn = 0; turn < 100; turn++) await Promise.resolve()
  bench.clock.advance(60_000)
  const failures = await Promise.all(sends)
  assert.equal(bench.asked.length, 16)
  assert.deepEqual(failures.map(isUnprocessed), [...Array.from({ length: 16 }, () => false), true])
})

test('an ERROR brings its result and its diagnostics', async () => {
  const bench = benchOf({ result: { ...PENDING, status: 'ERROR', errorResultXdr: 'AAAAAAAAAAD////7AAAAAA==', diagnosticEventsXdr: ['AAAA'] } })
  const answer = await bench.rpc.sendTransaction(ENVELOPE)
  assert.deepEqual([answer.status, answer.errorResultXdr, answer.diagnosticEventsXdr], ['ERROR', 'AAAAAAAAAAD////7AAAAAA==', ['AAAA']])
})

test('a transaction is looked up: not found, applied, failed', async () => {
  const lookUp = (result: object): ReturnType<Rpc['getTransaction']> => benchOf({ result }).rpc.getTransaction(HASH)
  assert.deepEqual(await lookUp({ status: 'NOT_FOUND', latestLedger: 9, ledger: 0 }), { status: 'NOT_FOUND', latestLedger: 9 })
  assert.deepEqual(await lookUp({ status: 'SUCCESS', latestLedger: 9, ledger: 8 }), { status: 'SUCCESS', latestLedger: 9, ledger: 8 })
  assert.deepEqual(await lookUp({ status: 'FAILED', latestLedger: 9, ledger: 8, resultXdr: 'AAAA' }), {
    status: 'FAILED', latestLedger: 9, ledger: 8, resultXdr: 'AAAA', diagnosticEventsXdr: [],
  })
})

test('a lookup whose answer has another shape has failed, and the next one asks elsewhere', async () => {
  const failed = { latestLedger: 9, ledger: 8, resultXdr: 'AAAA' }
  for (const result of [{ ...failed, status: 'PENDING' }, { status: 'SUCCESS', latestLedger: 9 }, { status: 'FAILED', latestLedger: 9, ledger: 8 }, {}]) {
    const bench = benchOf({ result }, { result: { status: 'NOT_FOUND', latestLedger: 9 } })
    assert.equal((await failureOf(bench.rpc.getTransaction(HASH))).kind, 'malformed')
    assert.equal((await bench.rpc.getTransaction(HASH)).status, 'NOT_FOUND')
    assert.deepEqual(bench.asked, ['0', '1'])
  }
})
