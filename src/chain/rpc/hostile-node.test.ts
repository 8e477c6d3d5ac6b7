// Responses of a hostile node over real HTTP: no body is read further than its method can need, and none is parsed on the main thread above the bound.

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createGzip } from 'node:zlib'
import { createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { createSeededRandom } from '../../base/random.ts'
import { RpcFailure } from './failure.ts'
import { UNCHECKED_MAX_LENGTH } from './message.ts'
import { createMessageReader } from './message-reader.ts'
import { METHODS } from './methods.ts'
import { createRpc } from './rpc.ts'
import type { RpcClient } from './rpc.ts'
import { serveHttp } from '../../../test/support/http-server.ts'

const HASH = 'ab'.repeat(32)
const MIB = 1024 * 1024

type Respond = (response: ServerResponse, request: { readonly id: number; readonly method: string }) => unknown

interface HostileNode extends AsyncDisposable {
  readonly rpc: RpcClient
  readonly clock: ReturnType<typeof createVirtualClock>
  /** Resolves with the number of body bytes that the node could send when the last connection closed. */
  readonly closed: Promise<number>
}

async function hostileNode(respond: Respond): Promise<HostileNode> {
  const closed = Promise.withResolvers<number>()
  const server = await serveHttp((request, response) => {
    request.setEncoding('utf8').once('data', (text: string) => {
      const { socket } = request
      socket.once('close', () => closed.resolve(socket.bytesWritten))
      socket.on('error', () => {})
      respond(response, JSON.parse(text) as { id: number; method: string })
    })
  })
  const clock = createVirtualClock(0)
  const rpc = createRpc({ urls: [server.url], clock, random: createSeededRandom('hostile'), log: silentLog })
  return {
    rpc, clock, closed: closed.promise,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function failureOf(call: Promise<unknown>): Promise<RpcFailure> {
  const failure = await call.then(() => assert.fail('the call succeeded'), (error: unknown) => error)
  assert.ok(failure instanceof RpcFailure, String(failure))
  return failure
}

function respondsWith(bodyOf: (id: number) => string): Respond {
  return (response, { id }) => response.writeHead(200, { 'content-type': 'application/json' }).end(bodyOf(id))
}

/** Writes as fast as the reader accepts, until the connection closes: from Node 26 on, writes fail for a while before the response counts as destroyed. */
function flood(write: (chunk: Buffer, done: (error?: Error | null) => void) => void, response: ServerResponse): void {
  const block = Buffer.alloc(64 * 1024, '"')
  const next = (error?: Error | null): void => {
    if (!error && !response.destroyed) write(block, next)
  }
  next()
}

const wrapped = (id: number, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`

const OVERSIZED: readonly (readonly [title: string, respond: Respond])[] = [
  ['28 MB with its length announced', (response) => {
    response.writeHead(200, { 'content-length': 28 * MIB })
    flood((block, done) => response.write(block, done), response)
  }],
  ['an endless body', (response) => {
    response.writeHead(200)
    flood((block, done) => response.write(block, done), response)
  }],
  ['arrays nested 500,000 levels deep', respondsWith((id) => wrapped(id, `${'['.repeat(500_000)}${']'.repeat(500_000)}`))],
  ['500,000 empty arrays', respondsWith((id) => wrapped(id, `[${'[],'.repeat(500_000)}0]`))],
  ['100,000 members', respondsWith((id) => wrapped(id, `{${Array.from({ length: 100_000 }, (_, index) => `"${index}":0`).join(',')}}`))],
]

for (const [title, respond] of OVERSIZED) {
  test(`rejects ${title} as oversized`, async () => {
    await using node = await hostileNode(respond)
    const parsed = recordParsedLengths()
    const failure = await failureOf(node.rpc.getTransaction(HASH))
    assert.equal(parsed.stop(), 0, 'the main thread has parsed nothing of it')
    assert.deepEqual([failure.kind, failure.retryable], ['oversized', true])
  })
}

test('accepts no compression, and rejects a gzip bomb without reading it', async () => {
  let accepted: string | undefined
  await using node = await hostileNode((response) => {
    accepted = response.req.headers['accept-encoding']
    response.writeHead(200, { 'content-encoding': 'gzip' })
    const gzip = createGzip({ level: 1 })
    gzip.pipe(response).on('close', () => gzip.destroy())
    flood((block, done) => gzip.write(block, done), response)
  })
  const failure = await failureOf(node.rpc.getTransaction(HASH))
  assert.deepEqual([failure.kind, failure.retryable, accepted], ['malformed', true, 'identity'])
  assert.ok(await node.closed < MIB)
})

test('closes the connection as soon as the bound is exceeded', async () => {
  for (const [title, respond] of OVERSIZED.slice(0, 2)) {
    await using node = await hostileNode(respond)
    await failureOf(node.rpc.getTransaction(HASH))
    const sent = await node.closed
    // Socket buffers on both sides hold some megabytes that were never read.
    assert.ok(sent < METHODS.getTransaction.size.maxBytes + 8 * MIB, `${title}: ${sent} bytes were sent`)
  }
})

test('derives the bound of a response from what was requested', async () => {
  const bounds: number[] = []
  const rpc = createRpc({
    urls: ['http://node'], clock: createVirtualClock(0), random: createSeededRandom('hostile'), log: silentLog,
    async transport(_url, body, _signal, maxBytes) {
      bounds.push(maxBytes)
      const { id } = JSON.parse(body) as { id: number }
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_600, message: '' } }) }
    },
  })
  for (const limit of [1, 10, 1_000]) await failureOf(rpc.getEvents({ from: { startLedger: 1 }, contractIds: ['C1'], limit }))
  for (const count of [1, 200]) await failureOf(rpc.getLedgerEntries(Array.from({ length: count }, () => 'AAAA')))
  await failureOf(rpc.getHealth())
  assert.deepEqual(bounds, [40_960, 262_144, 8_388_608, 299_008, 1_114_112, 16_384])
})

test('reads large honest responses in the worker', async () => {
  const event = (index: number): string => JSON.stringify({
    type: 'contract', ledger: 7, ledgerClosedAt: '2026-07-06T12:00:01Z', contractId: 'C1', id: `0000000030064775169-${String(index).padStart(10, '0')}`,
    txHash: HASH, topic: ['AAAA', 'BBBB'], value: 'CCCC'.repeat(100), inSuccessfulContractCall: true,
  })
  const events = Array.from({ length: 1_000 }, (_, index) => event(index)).join(',')
  await using node = await hostileNode(respondsWith((id) => wrapped(id, `{"events":[${events}],"cursor":"c","latestLedger":9,"oldestLedger":2}`)))
  const parsed = recordParsedLengths()
  const page = await node.rpc.getEvents({ from: { startLedger: 1 }, contractIds: ['C1'], limit: 1_000 })
  assert.equal(parsed.stop(), 0, 'the main thread has parsed nothing')
  assert.equal(page.events.length, 1_000)
  assert.deepEqual(page.events[999], {
    id: '0000000030064775169-0000000999', ledger: 7, closeSec: 1_783_339_201, contractId: 'C1', txHash: HASH, topicsXdr: ['AAAA', 'BBBB'],
    valueXdr: 'CCCC'.repeat(100),
  })
})

test('validates responses of any size', async () => {
  const responses: readonly (readonly [body: (id: number) => string, kind: string])[] = [
    [(id) => wrapped(id, `${'['.repeat(30_000)}${']'.repeat(30_000)}`), 'malformed'],
    [(id) => wrapped(id, JSON.stringify({ status: 'FAILED', latestLedger: 9, ledger: 8, resultXdr: 7, padding: 'x'.repeat(MIB) })), 'malformed'],
    [(id) => wrapped(id, JSON.stringify('"'.repeat(MIB / 4))), 'malformed'],
    [(id) => wrapped(id, `"${'x'.repeat(MIB)}`).slice(0, -1), 'malformed'],
    [(id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'x'.repeat(MIB) } }), 'rpc'],
  ]
  for (const [body, kind] of responses) {
    await using node = await hostileNode(respondsWith(body))
    const failure = await failureOf(node.rpc.getTransaction(HASH))
    assert.equal(failure.kind, kind)
    assert.ok((failure.detail ?? '').length <= 500)
  }
})

test('times out a response that arrives one byte at a time', async () => {
  const started = Promise.withResolvers<void>()
  await using node = await hostileNode((response) => {
    response.writeHead(200)
    response.write('{', () => started.resolve())
  })
  const failing = failureOf(node.rpc.getTransaction(HASH))
  await started.promise
  node.clock.advance(METHODS.getTransaction.policy.timeoutMs)
  assert.equal((await failing).kind, 'timeout')
  await node.closed
})

test('reads two large bodies of a node at a time', async () => {
  const started = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<void>()
  let hanging = 0
  await using node = await hostileNode((response, { id, method }) => {
    response.writeHead(200)
    if (method === 'getLatestLedger') return response.end(wrapped(id, `{"sequence":9,"padding":"${'x'.repeat(300_000)}"}`), () => finished.resolve())
    response.write('x'.repeat(100_000))
    if (++hanging === 2) started.resolve()
  })
  const settled: string[] = []
  const lookups = [1, 2].map(() => failureOf(node.rpc.getTransaction(HASH)).then(({ kind }) => settled.push(kind)))
  await started.promise
  await turnLoop()
  const latest = node.rpc.getLatestLedger().then((ledger) => settled.push(`ledger ${ledger}`))
  await finished.promise
  await turnLoop()
  assert.deepEqual(settled, [])
  node.clock.advance(METHODS.getTransaction.policy.timeoutMs)
  await Promise.all([...lookups, latest])
  assert.deepEqual(settled, ['timeout', 'timeout', 'ledger 9'])
})

/** Lets the event loop handle what has arrived. */
async function turnLoop(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('keeps the status of an endless error page', async () => {
  await using node = await hostileNode((response) => {
    response.writeHead(503)
    flood((block, done) => response.write(block, done), response)
  })
  const failure = await failureOf(node.rpc.getTransaction(HASH))
  assert.deepEqual([failure.kind, failure.status], ['http', 503])
  await node.closed
})

const LARGE = { method: 'getTransaction', id: 1, maxValues: 10_000_000 } as const
const healthy = (): Uint8Array => Buffer.from(wrapped(1, JSON.stringify({ status: 'NOT_FOUND', latestLedger: 9, padding: 'x'.repeat(UNCHECKED_MAX_LENGTH) })))
const RANGE = { latestLedger: 9, latestLedgerCloseSec: null, oldestLedger: null, oldestLedgerCloseSec: null }
const RESULT = { kind: 'result', result: { status: 'NOT_FOUND', ...RANGE } }

test('a body that exhausts the heap of the worker ends the worker, not the process', async () => {
  const readMessage = createMessageReader({ clock: createVirtualClock(0), workerHeapMb: 12 })
  const { signal } = new AbortController()
  const body = Buffer.from(wrapped(1, `[${'[],'.repeat(1_000_000)}0]`))
  const outcome = await readMessage({ ...LARGE, body }, signal)
  assert.deepEqual(outcome, { kind: 'oversized', detail: 'reading the response took more than 12 MB' })
  assert.deepEqual(await readMessage({ ...LARGE, body: healthy() }, signal), RESULT)
})

test('a caller that leaves ends the worker, and the next body is read by a new one', async () => {
  const clock = createVirtualClock(0)
  const readMessage = createMessageReader({ clock })
  const abort = new AbortController()
  const reading = readMessage({ ...LARGE, body: healthy() }, abort.signal)
  const waiting = readMessage({ ...LARGE, body: healthy() }, new AbortController().signal)
  await Promise.resolve()
  abort.abort(new Error('enough'))
  await assert.rejects(reading, /enough/)
  assert.deepEqual(await waiting, RESULT)
})

test('a body that takes too long to read is rejected', async () => {
  const clock = createVirtualClock(0)
  const readMessage = createMessageReader({ clock })
  const reading = readMessage({ ...LARGE, body: healthy() }, new AbortController().signal)
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(3_000)
  assert.equal((await reading).kind, 'oversized')
})

/** Records the length of the longest text that the main thread parses. The test server's own requests are short. */
function recordParsedLengths(): { stop(): number } {
  const original = JSON.parse
  let longest = 0
  JSON.parse = (text: string, ...rest: []) => {
    if (text.length > UNCHECKED_MAX_LENGTH || text.includes('result')) longest = Math.max(longest, text.length)
    return original(text, ...rest) as unknown
  }
  return {
    stop() {
      JSON.parse = original
      return longest
    },
  }
}
