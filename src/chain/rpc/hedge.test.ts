// Hedged calls: what they save, what they cost, and where they must not happen. The clock is virtual, so the numbers are exact.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import type { VirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { createSeededRandom } from '../../base/random.ts'
import { RpcFailure } from './failure.ts'
import { HEDGE_BUDGET_RATIO, raceHedged } from './hedge.ts'
import { EXCLUSION_MIN_MS } from './node-state.ts'
import { createRpc } from './rpc.ts'
import type { Rpc, RpcClient } from './rpc.ts'
import type { RpcCall } from './rpc-observer.ts'
import { withTimeout } from './with-timeout.ts'

const USUAL_MS = 40
const SLOW_MS = 3_000
/** One in this many calls is slow, as with garbage collection or compaction. */
const SLOW_EVERY = 50
const RANGE = { latestLedger: 7, oldestLedger: 1 }
const RESULTS: Readonly<Record<string, unknown>> = {
  getHealth: { status: 'healthy', ledgerRetentionWindow: 7, ...RANGE }, getNetwork: { passphrase: 'Test', protocolVersion: 23 },
  getEvents: { events: [], cursor: '7', ...RANGE }, getLedgers: { ledgers: [], ...RANGE }, getLatestLedger: { sequence: 7 },
  getLedgerEntries: { entries: [], latestLedger: 7 }, getTransaction: { status: 'NOT_FOUND', latestLedger: 7 },
  sendTransaction: { status: 'PENDING', hash: 'ab'.repeat(32), latestLedger: 7, latestLedgerCloseTime: '1' },
}

interface Fixture {
  readonly rpc: RpcClient
  readonly clock: VirtualClock
  /** By node: the calls that arrived, and those that were aborted before the response. */
  readonly calls: number[]
  readonly aborted: number[]
  readonly winners: string[]
  /** The node and the outcome of each call that ended. */
  readonly outcomes: (readonly [node: number, outcome: RpcCall['outcome']])[]
  /** Nodes that respond with an error. */
  readonly failing: Set<number>
  /** Time that a node takes for its nth call; Infinity: it hangs. */
  delayMs: (index: number, nth: number) => number
  /** Makes a call and returns how long it took. */
  timed(call: (rpc: Rpc) => Promise<unknown>, by?: Rpc): Promise<number>
}

function createFixture(count = 2): Fixture {
  const clock = createVirtualClock(0)
  const calls = Array.from({ length: count }, () => 0)
  const aborted = Array.from({ length: count }, () => 0)
  const winners: string[] = []
  const outcomes: Fixture['outcomes'] = []
  const failing = new Set<number>()
  const rpc = createRpc({
    urls: calls.map((_, index) => `http://node-${index}/`), clock, random: createSeededRandom('hedge'), log: silentLog,
    observer: { called: ({ endpoint, outcome }) => void outcomes.push([endpoint, outcome]), hedged: (winner) => void winners.push(winner) },
    async transport(url, body, signal) {
      const index = Number(/node-(\d)/.exec(url)?.[1])
      calls[index] = (calls[index] ?? 0) + 1
      const delayMs = fixture.delayMs(index, calls[index])
      await clock.sleep(Math.min(delayMs, 1e9), signal)
      if (signal.aborted) aborted[index] = (aborted[index] ?? 0) + 1
      signal.throwIfAborted()
      if (failing.has(index)) return { status: 503, body: '' }
      const { id, method } = JSON.parse(body) as { id: number; method: string }
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: RESULTS[method] }) }
    },
  })
  const fixture: Fixture = {
    rpc, clock, calls, aborted, winners, outcomes, failing,
    delayMs: () => USUAL_MS,
    async timed(call, by = rpc) {
      const startedMs = clock.nowMs()
      let endedMs: number | undefined
      const calling = call(by).finally(() => (endedMs = clock.nowMs()))
      calling.catch(() => {})
      for (let turn = 0; endedMs === undefined; turn++) {
        assert.ok(turn < 100_000, 'the call did not end')
        await new Promise((resolve) => setImmediate(resolve))
        if (endedMs === undefined) clock.advance(10)
      }
      await calling
      return endedMs - startedMs
    },
  }
  return fixture
}

const read = (rpc: Rpc): Promise<unknown> => rpc.getLedgerEntries(['AAAA'])

async function times(fixture: Fixture, count: number, by?: Rpc): Promise<readonly number[]> {
  const all: number[] = []
  for (let call = 0; call < count; call++) all.push(await fixture.timed(read, by))
  return all.sort((a, b) => a - b)
}

function p99(sorted: readonly number[]): number {
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0
}

test('avoids nearly all slow calls for at most four percent more calls', async () => {
  const slowNow = (_index: number, nth: number): number => (nth % SLOW_EVERY === SLOW_EVERY - 1 ? SLOW_MS : USUAL_MS)
  const plain = createFixture()
  const session = plain.rpc.session()
  await times(plain, 40, session)
  plain.delayMs = slowNow
  const unhedged = await times(plain, 1_000, session)
  const fixture = createFixture()
  await times(fixture, 40)
  fixture.delayMs = slowNow
  const hedged = await times(fixture, 1_000)
  const extra = fixture.calls.reduce((sum, count) => sum + count, 0) - 1_040
  assert.ok(p99(unhedged) >= SLOW_MS, 'without hedging, one call in a hundred is slow')
  assert.ok(p99(hedged) <= 4 * USUAL_MS, `with hedging, ${p99(hedged)} ms`)
  assert.ok(extra <= 1_040 * HEDGE_BUDGET_RATIO, `${extra} second calls`)
  assert.equal(fixture.winners.filter((winner) => winner === 'second').length, extra, 'every second call responded first')
})

test('after one call to a node that hangs, prefers the other and aborts the first call', async () => {
  const fixture = createFixture()
  await times(fixture, 40)
  fixture.delayMs = (index) => (index === 0 ? Number.POSITIVE_INFINITY : USUAL_MS)
  assert.ok((await fixture.timed(read)) <= 200)
  assert.equal(fixture.aborted[0], 1)
  const before = fixture.calls[0]
  await times(fixture, 20)
  assert.equal(fixture.calls[0], before)
})

test('does not double the load of a slow network', async () => {
  const fixture = createFixture()
  await times(fixture, 40)
  fixture.delayMs = () => SLOW_MS
  await times(fixture, 15)
  fixture.delayMs = (_index, nth) => USUAL_MS + (nth % 2) * SLOW_MS
  await times(fixture, 200)
  const extra = fixture.calls.reduce((sum, count) => sum + count, 0) - 255
  assert.ok(extra <= 4 + 255 * HEDGE_BUDGET_RATIO, `${extra} second calls`)
})

test('never hedges submissions, sessions, or calls to a named node', async () => {
  const fixture = createFixture()
  const session = fixture.rpc.session()
  for (let call = 0; call < 40; call++) {
    await fixture.timed(read)
    await fixture.timed((rpc) => rpc.sendTransaction('AAAA'))
  }
  fixture.delayMs = () => SLOW_MS
  const [first = 0] = fixture.calls
  await fixture.timed((rpc) => rpc.sendTransaction('AAAA'))
  await fixture.timed(read, session)
  await fixture.timed((rpc) => rpc.getLedgerEntries(['AAAA'], { endpoint: 0 }))
  assert.deepEqual(fixture.calls, [first + 3, 0])
})

test('never hedges the methods of background work, whose second call would only double the load', async () => {
  const methods: readonly ((rpc: Rpc) => Promise<unknown>)[] = [
    (rpc) => rpc.getHealth(), (rpc) => rpc.getNetwork(), (rpc) => rpc.getLatestLedger(),
    (rpc) => rpc.getEvents({ from: { startLedger: 1 }, contractIds: [], limit: 1 }), (rpc) => rpc.getLedgers({ startLedger: 1, limit: 1 }),
  ]
  for (const call of methods) {
    const fixture = createFixture()
    await times(fixture, 40)
    for (let quick = 0; quick < 40; quick++) await fixture.timed(call)
    fixture.delayMs = () => SLOW_MS
    await fixture.timed(call)
    assert.deepEqual(fixture.calls, [81, 0], String(call))
  }
})

test('an abort ends both calls, and one call makes up for the failure of the other', async () => {
  const fixture = createFixture()
  await times(fixture, 40)
  fixture.delayMs = () => Number.POSITIVE_INFINITY
  const abort = new AbortController()
  fixture.clock.setTimer(500, () => abort.abort(new Error('enough')))
  await assert.rejects(fixture.timed((rpc) => rpc.getLedgerEntries(['AAAA'], { signal: abort.signal })), /enough/)
  assert.deepEqual(fixture.aborted, [1, 1])
  assert.equal(fixture.clock.pendingTimers(), 0)

  fixture.delayMs = (index) => (index === 0 ? SLOW_MS : 500)
  fixture.failing.add(1)
  assert.ok((await fixture.timed(read)) >= SLOW_MS, 'the call waits for the first node')
  fixture.failing.add(0)
  await assert.rejects(fixture.timed((rpc) => rpc.getTransaction('ab'.repeat(32))), RpcFailure)
})

test('of two running calls a failure does not decide; when both fail, rejects with the error of the first', async () => {
  const clock = createVirtualClock(0)
  for (const failing of ['first', 'second', 'both'] as const) {
    const pending = { first: Promise.withResolvers<string>(), second: Promise.withResolvers<string>() }
    const racing = raceHedged(clock, undefined, { first: () => pending.first.promise, delaysMs: [10], second: () => () => pending.second.promise })
    const outcome = racing.then(({ value, winner }) => [value, winner], (error: unknown) => String(error))
    clock.advance(10)
    await turns()
    if (failing === 'both') pending.second.reject(new Error('the second'))
    pending[failing === 'both' ? 'first' : failing].reject(new Error(`the ${failing === 'both' ? 'first' : failing}`))
    await turns()
    const other = failing === 'first' ? 'second' : 'first'
    if (failing !== 'both') pending[other].resolve('a result')
    assert.deepEqual(await outcome, failing === 'both' ? 'Error: the first' : ['a result', other])
  }
})

const hanging = (...nodes: readonly number[]) => (index: number): number => (nodes.includes(index) ? Number.POSITIVE_INFINITY : USUAL_MS)
const statuses = ({ rpc }: Fixture): readonly string[] => rpc.nodes().map(({ status }) => status)
const preferred = ({ rpc }: Fixture): number => rpc.nodes().findIndex((node) => node.preferred)

/** Makes a call for a caller that waits for a second. */
function within(fixture: Fixture, call: (rpc: Rpc, signal: AbortSignal) => Promise<unknown>): Promise<number> {
  return fixture.timed((rpc) => withTimeout(fixture.clock, { limitMs: 1_000, method: 'test' }, (signal) => call(rpc, signal)))
}

test('a node that hangs delays the first calls by less than a second, without measurements or budget, and no later ones', async () => {
  const fixture = createFixture(3)
  fixture.delayMs = hanging(0)
  const views = Array.from({ length: 14 }, (_, view) => String(view))
  await within(fixture, (rpc, signal) => Promise.all(views.map((view) => rpc.getLedgerEntries([view], { signal }))))
  assert.deepEqual([statuses(fixture), preferred(fixture)], [['unresponsive', 'healthy', 'unknown'], 1])
  assert.ok(fixture.outcomes.every(([node, outcome]) => outcome === (node === 0 ? 'timeout' : 'ok')), String(fixture.outcomes))
  const before = fixture.calls[0]
  for (let call = 0; call < 10; call++) assert.ok((await within(fixture, (rpc, signal) => rpc.getLedgerEntries(['AAAA'], { signal }))) <= 2 * USUAL_MS)
  assert.equal(fixture.calls[0], before)
  assert.equal(fixture.clock.pendingTimers(), 0)
})

test('with two of three nodes hanging, one call fails and the next one succeeds', async () => {
  const fixture = createFixture(3)
  fixture.delayMs = hanging(0, 1)
  const readEntry = (rpc: Rpc, signal: AbortSignal): Promise<unknown> => rpc.getLedgerEntries(['AAAA'], { signal })
  await assert.rejects(within(fixture, readEntry), RpcFailure)
  await within(fixture, readEntry)
  assert.deepEqual([statuses(fixture), preferred(fixture)], [['unresponsive', 'unresponsive', 'healthy'], 2])
})

test('a call that is cancelled at its deadline counts against the node that was called, and the next call goes to another node', async () => {
  const fixture = createFixture(3)
  fixture.delayMs = hanging(0)
  const getHealth = (rpc: Rpc, signal: AbortSignal): Promise<unknown> => rpc.getHealth({ signal })
  await assert.rejects(within(fixture, getHealth), RpcFailure)
  assert.deepEqual([fixture.outcomes, fixture.calls], [[[0, 'timeout']], [1, 0, 0]])
  assert.deepEqual([statuses(fixture), preferred(fixture)], [['unresponsive', 'unknown', 'unknown'], 1])
  assert.ok((await within(fixture, getHealth)) <= 2 * USUAL_MS)
  assert.deepEqual(fixture.calls, [1, 1, 0])
})

test('a caller that leaves before the node had enough time counts against no node', async () => {
  const fixture = createFixture(3)
  fixture.delayMs = hanging(0)
  const leave = new AbortController()
  fixture.clock.setTimer(500, () => leave.abort(new Error('the caller left')))
  await assert.rejects(fixture.timed((rpc) => rpc.getLedgerEntries(['AAAA'], { signal: leave.signal })), /the caller left/)
  assert.deepEqual([fixture.outcomes, fixture.calls], [[[0, 'given-up']], [1, 0, 0]])
  assert.deepEqual([statuses(fixture), preferred(fixture)], [['unknown', 'unknown', 'unknown'], 0])
})

test('a node that hangs again after its exclusion is excluded for longer each time', async () => {
  const fixture = createFixture()
  fixture.delayMs = hanging(0)
  const exclusionsMs: number[] = []
  for (let round = 0; round < 3; round++) {
    await assert.rejects(within(fixture, (rpc, signal) => rpc.getHealth({ signal, endpoint: 0 })), RpcFailure)
    const since = fixture.clock.elapsedMs()
    // A health check ends the exclusion only when its time has passed.
    fixture.delayMs = () => USUAL_MS
    while (statuses(fixture)[0] === 'unresponsive') {
      fixture.clock.advance(500)
      await fixture.timed((rpc) => rpc.getHealth({ endpoint: 0 }))
    }
    exclusionsMs.push(Math.floor((fixture.clock.elapsedMs() - since) / EXCLUSION_MIN_MS))
    fixture.delayMs = hanging(0)
  }
  assert.deepEqual(exclusionsMs, [1, 2, 4])
})

/** Lets pending promises settle. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}
