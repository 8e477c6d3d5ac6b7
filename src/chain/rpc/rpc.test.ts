// Reads of the RPC client: validation, retries and failures. No network is used.

import { StrKey } from '@stellar/stellar-sdk'
import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import type { VirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { createSeededRandom } from '../../base/random.ts'
import { PAUSE_AFTER_FAILURES, PAUSE_MS } from './node-state.ts'
import { RpcFailure } from './failure.ts'
import { createRpc } from './rpc.ts'
import type { Rpc } from './rpc.ts'
import { encodeScVal } from '../codec/scval.ts'
import type { TransportResponse } from './transport.ts'

type Reply = (call: { id: number; method: string; params: Record<string, unknown> }) => TransportResponse | Promise<TransportResponse>

const HEALTH = {
  status: 'healthy', latestLedger: 9, latestLedgerCloseTime: 1_045, oldestLedger: 2, oldestLedgerCloseTime: 1_010, ledgerRetentionWindow: 120_960,
}
const ok = (result: unknown): Reply => ({ id }) => ({ status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result }) })
const http = (status: number): Reply => () => ({ status, body: 'an error page' })
const later = (retryAfterMs: number): Reply => () => ({ status: 503, body: '', retryAfterMs })
const refusal = (code: number): Reply => ({ id }) => ({ status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } }) })
const text = (body: string): Reply => () => ({ status: 200, body })
const silence: Reply = () => new Promise(() => {})
const reset: Reply = () => Promise.reject(new Error('fetch failed'))

/** A client whose endpoints respond from scripts; the last reply repeats. `calls` lists the called endpoints in order. */
function clientOf(...scripts: readonly (readonly Reply[])[]): { rpc: Rpc; clock: VirtualClock; calls: number[] } {
  const clock = createVirtualClock(0)
  const calls: number[] = []
  const turns = scripts.map(() => 0)
  const rpc = createRpc({
    urls: scripts.map((_, index) => `http://node-${index}/key`), clock, random: createSeededRandom('rpc'), log: silentLog,
    async transport(url, body) {
      const index = Number(/node-(\d)/.exec(url)?.[1])
      calls.push(index)
      const script = scripts[index] ?? []
      const turn = turns[index] ?? 0
      turns[index] = turn + 1
      const reply = script[Math.min(turn, script.length - 1)]
      assert.ok(reply !== undefined)
      return await reply(JSON.parse(body) as Parameters<Reply>[0])
    },
  })
  return { rpc, clock, calls }
}

/** Moves the clock until the call has ended. */
async function ended<T>(clock: VirtualClock, call: Promise<T>): Promise<T | RpcFailure> {
  const results: (T | RpcFailure)[] = []
  const settled = call.then((value) => results.push(value), (error: unknown) => {
    assert.ok(error instanceof RpcFailure, String(error))
    results.push(error)
  })
  for (let turns = 0; results.length === 0; turns++) {
    assert.ok(turns < 10_000, 'the call did not end')
    await new Promise((resolve) => setImmediate(resolve))
    if (results.length === 0 && clock.pendingTimers() > 0) clock.advance(100)
  }
  await settled
  return results[0] as T | RpcFailure
}

const TRANSIENT: readonly [what: string, bad: Reply][] = [
  ['503', http(503)], ['502', http(502)], ['504', http(504)], ['429', http(429)], ['no response in time', silence], ['a connection that was reset', reset],
  ['torn JSON', ({ id }) => ({ status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: HEALTH }).slice(0, 60) })],
  ['a page of HTML with status 200', text('<html>busy</html>')], ['a response to another request', text('{"jsonrpc":"2.0","id":77,"result":{}}')],
  ['a response without result', ({ id }) => ({ status: 200, body: `{"jsonrpc":"2.0","id":${id}}` })],
  ['another shape', ok({ ...HEALTH, latestLedger: '9' })], ['a processing limit', refusal(-32_001)], ['a full queue', refusal(-32_098)],
]

for (const [what, bad] of TRANSIENT) {
  test(`retries after ${what}, at another node without a pause`, async () => {
    const alone = clientOf([bad, bad, ok(HEALTH)])
    assert.equal((await ended(alone.clock, alone.rpc.getHealth()) as { latestLedger: number }).latestLedger, 9)
    assert.deepEqual(alone.calls, [0, 0, 0])
    const pair = clientOf([bad], [ok(HEALTH)])
    assert.equal((await ended(pair.clock, pair.rpc.getHealth()) as { latestLedger: number }).latestLedger, 9)
    assert.deepEqual(pair.calls, [0, 1])
    await ended(pair.clock, pair.rpc.getHealth())
    assert.deepEqual(pair.calls, [0, 1, 1], 'the node that responded is preferred')
  })
}

test('does not retry a permanent error, and an HTTP error only at another node', async () => {
  const outside = clientOf([refusal(-32_600)])
  const failure = await ended(outside.clock, outside.rpc.getEvents({ from: { startLedger: 1 }, contractIds: [], limit: 1 }))
  assert.ok(failure instanceof RpcFailure)
  assert.deepEqual([failure.kind, failure.code, failure.retryable, failure.endpoint, outside.calls.length], ['rpc', -32_600, false, 0, 1])
  const alone = clientOf([http(401)])
  assert.ok((await ended(alone.clock, alone.rpc.getHealth())) instanceof RpcFailure)
  assert.equal(alone.calls.length, 1)
  const pair = clientOf([http(401)], [ok(HEALTH)])
  assert.ok(!((await ended(pair.clock, pair.rpc.getHealth())) instanceof RpcFailure))
})

test('gives up after three attempts with the kind of the failure', async () => {
  const replies = { http: http(503), timeout: silence, unreachable: reset, malformed: text('x'), rpc: refusal(-32_603) }
  for (const [kind, bad] of Object.entries(replies)) {
    const { rpc, clock, calls } = clientOf([bad])
    const failure = await ended(clock, rpc.getHealth())
    assert.ok(failure instanceof RpcFailure)
    assert.deepEqual([failure.kind, calls.length], [kind, 3])
    assert.ok(!failure.message.includes('node-0') && !failure.message.includes('key'), 'a URL may contain a key, and messages are shown')
  }
})

test('does not wait for a Retry-After above the limit', async () => {
  const patient = clientOf([later(60_000)])
  await ended(patient.clock, patient.rpc.getHealth())
  assert.equal(patient.calls.length, 1)
  const soon = clientOf([later(2_000), ok(HEALTH)])
  await ended(soon.clock, soon.rpc.getHealth())
  assert.equal(soon.calls.length, 2)
  assert.ok(soon.clock.nowMs() >= 2_000)
})

test('pauses an endpoint after five failures in a row, again after the next failure, and no longer after a success', async () => {
  const { rpc, clock, calls } = clientOf([...Array.from({ length: PAUSE_AFTER_FAILURES + 1 }, () => reset), ok(HEALTH), reset, ok(HEALTH)])
  while (calls.length < PAUSE_AFTER_FAILURES) await ended(clock, rpc.getHealth())
  const called: number[] = []
  for (const pauseMs of [0, PAUSE_MS, 0, PAUSE_MS]) {
    clock.advance(pauseMs)
    await ended(clock, rpc.getHealth())
    called.push(calls.length - PAUSE_AFTER_FAILURES)
  }
  assert.deepEqual(called, [0, 1, 1, 2])
  await Promise.all([ended(clock, rpc.getHealth()), ended(clock, rpc.getHealth())])
  assert.equal(calls.length - PAUSE_AFTER_FAILURES, 5, 'both calls, and the retry of the one that failed')
})

test('an aborted call rejects with its own reason and does not count against the node', async () => {
  const { rpc, clock, calls } = clientOf([silence])
  for (let call = 0; call < PAUSE_AFTER_FAILURES + 1; call++) {
    const abort = new AbortController()
    const calling = rpc.getHealth({ signal: abort.signal })
    abort.abort(new Error('enough'))
    await assert.rejects(calling, /enough/)
  }
  assert.equal(clock.pendingTimers(), 0, 'nothing is left waiting')
  void rpc.getHealth({ signal: AbortSignal.abort() }).catch(() => {})
  const before = calls.length
  void ended(clock, rpc.getHealth())
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(calls.length, before + 1, 'the node is still called')
})

test('requests events by cursor or start ledger, with one filter for all contracts', async () => {
  const seen: unknown[] = []
  const event = {
    type: 'contract', ledger: 7, ledgerClosedAt: '2026-07-06T12:00:01Z', contractId: 'C1', id: '0000000030064775169-0000000000', operationIndex: 0,
    transactionIndex: 1, txHash: 'ab'.repeat(32), inSuccessfulContractCall: true, topic: ['AAAA'], value: 'BBBB',
  }
  const reply: Reply = (call) => {
    seen.push(call.params)
    return ok({
      events: [event], cursor: 'c', latestLedger: 9, oldestLedger: 2, latestLedgerCloseTime: '1045', oldestLedgerCloseTime: '1010',
    })(call)
  }
  const { rpc, clock } = clientOf([reply])
  const page = await ended(clock, rpc.getEvents({ from: { cursor: 'p' }, contractIds: ['C1', 'C2'], limit: 5 }))
  await ended(clock, rpc.getEvents({ from: { startLedger: 4 }, contractIds: ['C1'], limit: 5 }))
  assert.deepEqual(seen, [
    { filters: [{ type: 'contract,system', contractIds: ['C1', 'C2'] }], pagination: { cursor: 'p', limit: 5 } },
    { startLedger: 4, filters: [{ type: 'contract,system', contractIds: ['C1'] }], pagination: { limit: 5 } },
  ])
  assert.deepEqual(page, {
    events: [{
      id: event.id, ledger: 7, closeSec: 1_783_339_201, contractId: 'C1', txHash: event.txHash, topicsXdr: ['AAAA'], valueXdr: 'BBBB',
    }],
    cursor: 'c', latestLedger: 9, latestLedgerCloseSec: 1_045, oldestLedger: 2, oldestLedgerCloseSec: 1_010,
  })
})

test('requests the transfers of a token by the topics that name a contract, in filters with the same members', async () => {
  const seen: { readonly filters?: readonly object[] }[] = []
  const reply: Reply = (call) => {
    seen.push(call.params)
    return ok({ events: [], cursor: 'c', latestLedger: 9, oldestLedger: 2 })(call)
  }
  const { rpc, clock } = clientOf([reply])
  const [token, market, router] = [5, 6, 7].map((byte) => StrKey.encodeContract(new Uint8Array(32).fill(byte))) as [string, string, string]
  const call = { from: { cursor: 'p' }, contractIds: [market], upgradesOf: [token], limit: 5 }
  await ended(clock, rpc.getEvents({ ...call, transfers: [{ token, parties: [market, router] }] }))
  await ended(clock, rpc.getEvents({ ...call, transfers: [{ token, parties: 'any' }] }))
  const [transfer, mint, burn, clawback] = ['transfer', 'mint', 'burn', 'clawback'].map((value) => encodeScVal({ type: 'symbol', value }))
  const parties = [market, router].map((value) => encodeScVal({ type: 'address', value }))
  const own = [{ type: 'contract,system', contractIds: [market], topics: [] }, { type: 'system', contractIds: [token], topics: [] }]
  const ofToken = { type: 'contract', contractIds: [token] }
  assert.deepEqual(seen.map(({ filters }) => filters), [
    [...own, { ...ofToken, topics: parties.map((party) => ['*', party, '**']) }, { ...ofToken, topics: parties.map((party) => [transfer, '*', party, '*']) }],
    [...own, { ...ofToken, topics: [[transfer, '*', '*', '*'], [mint, '*', '*'], [burn, '*', '*'], [clawback, '*', '*']] }],
  ])
})

const EVENT = {
  ledger: 7, ledgerClosedAt: '2026-07-06T12:00:01Z', contractId: 'C1', id: 'i', txHash: 'ab'.repeat(32), topic: ['AAAA'], value: 'BBBB',
}

test('reads an event with its topics and its value as they were sent', async () => {
  const { rpc, clock } = clientOf([ok({ events: [EVENT], cursor: 'c', latestLedger: 9, oldestLedger: 2 })])
  const page = await ended(clock, rpc.getEvents({ from: { startLedger: 4 }, contractIds: ['C1'], limit: 5 }))
  assert.ok(!(page instanceof RpcFailure))
  assert.deepEqual(page.events.map(({ topicsXdr, valueXdr }) => [topicsXdr, valueXdr]), [[['AAAA'], 'BBBB']])
})

const MALFORMED: readonly [what: string, event: object][] = [
  ['no hash', { txHash: 'xyz' }], ['no time', { ledgerClosedAt: 'yesterday' }], ['a ledger in digits', { ledger: '7' }], ['no value', { value: null }],
  ['topics that are not a list', { topic: 'AAAA' }], ['a topic that is not base64', { topic: ['A A'] }], ['a value that is not base64', { value: 'A\0AA' }],
]

for (const [what, change] of MALFORMED) {
  test(`rejects an event with ${what} as malformed`, async () => {
    const { rpc, clock } = clientOf([ok({ events: [{ ...EVENT, ...change }], cursor: 'c', latestLedger: 9, oldestLedger: 2 })])
    const failure = await ended(clock, rpc.getEvents({ from: { startLedger: 4 }, contractIds: ['C1'], limit: 5 }))
    assert.ok(failure instanceof RpcFailure && failure.kind === 'malformed')
  })
}
