// A second node for a call that takes too long: what it saves, what it costs, and where it must not be. The clock is virtual, so the figures are exact.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import type { VirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createSeededRandom } from '../base/random.ts'
import { RpcFailure } from './failure.ts'
import { HEDGE_BUDGET_RATIO, raceHedged } from './hedge.ts'
import { createRpc } from './rpc.ts'
import type { Rpc, RpcClient } from './rpc.ts'

const USUAL_MS = 40
const SLOW_MS = 3_000
/** Every so many calls a node takes its time: garbage, a compaction, a neighbour. */
const SLOW_EVERY = 50
const RESULTS: Readonly<Record<string, unknown>> = {
  getLedgerEntries: { entries: [], latestLedger: 7 }, getTransaction: { status: 'NOT_FOUND', latestLedger: 7 },
  sendTransaction: { status: 'PENDING', hash: 'ab'.repeat(32), latestLedger: 7, latestLedgerCloseTime: '1' },
}

interface Bench {
  readonly rpc: RpcClient
  readonly clock: VirtualClock
  /** By node: how many calls came, and how many of them were let go before they were answered. */
  readonly calls: number[]
  readonly letGo: number[]
  readonly winners: string[]
  /** Nodes that answer with a failure. */
  readonly broken: Set<number>
  /** How long a call of each node takes; Infinity: it hangs. */
  delayMs: (index: number, nth: number) => number
  /** Makes a call and tells how long it took. */
  timed(call: (rpc: Rpc) => Promise<unknown>, by?: Rpc): Promise<number>
}

function benchOf(count = 2): Bench {
  const clock = createVirtualClock(0)
  const calls = Array.from({ length: count }, () => 0)
  const letGo = Array.from({ length: count }, () => 0)
  const winners: string[] = []
  const broken = new Set<number>()
  const rpc = createRpc({
    urls: calls.map((_, index) => `http://node-${index}/`), clock, random: createSeededRandom('hedge'), log: silentLog,
    observer: { called() {}, hedged: (winner) => void winners.push(winner) },
    async transport(url, body, signal) {
      const index = Number(/node-(\d)/.exec(url)?.[1])
      calls[index] = (calls[index] ?? 0) + 1
      const delayMs = bench.delayMs(index, calls[index])
      await clock.sleep(Math.min(delayMs, 1e9), signal)
      if (signal.aborted) letGo[index] = (letGo[index] ?? 0) + 1
      signal.throwIfAborted()
      if (broken.has(index)) return { status: 503, body: '' }
      const { id, method } = JSON.parse(body) as { id: number; method: string }
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: RESULTS[method] }) }
    },
  })
  const bench: Bench = {
    rpc, clock, calls, letGo, winners, broken,
    delayMs: () => USUAL_MS,
    async timed(call, by = rpc) {
      const startedMs = clock.nowMs()
      let endedMs: number | undefined
      const calling = call(by).finally(() => (endedMs = clock.nowMs()))
      calling.catch(() => {})
      for (let turn = 0; endedMs === undefined; turn++) {
        assert.ok(turn < 100_000, 'the call does not end')
        await new Promise((resolve) => setImmediate(resolve))
        if (endedMs === undefined) clock.advance(10)
      }
      await calling
      return endedMs - startedMs
    },
  }
  return bench
}

const read = (rpc: Rpc): Promise<unknown> => rpc.getLedgerEntries(['AAAA'])

async function times(bench: Bench, count: number, by?: Rpc): Promise<readonly number[]> {
  const all: number[] = []
  for (let call = 0; call < count; call++) all.push(await bench.timed(read, by))
  return all.sort((a, b) => a - b)
}

function p99(sorted: readonly number[]): number {
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0
}

test('it pays: of the slow two per cent hardly any is waited for, at four per cent more calls', async () => {
  const slowNow = (_index: number, nth: number): number => (nth % SLOW_EVERY === SLOW_EVERY - 1 ? SLOW_MS : USUAL_MS)
  const plain = benchOf()
  const session = plain.rpc.session()
  await times(plain, 40, session)
  plain.delayMs = slowNow
  const unhedged = await times(plain, 1_000, session)
  const bench = benchOf()
  await times(bench, 40)
  bench.delayMs = slowNow
  const hedged = await times(bench, 1_000)
  const extra = bench.calls.reduce((sum, count) => sum + count, 0) - 1_040
  assert.ok(p99(unhedged) >= SLOW_MS, 'without it one call in a hundred takes the slow node\'s time')
  assert.ok(p99(hedged) <= 4 * USUAL_MS, `with it, ${p99(hedged)} ms`)
  assert.ok(extra <= 1_040 * HEDGE_BUDGET_RATIO, `${extra} second calls`)
  assert.equal(bench.winners.filter((winner) => winner === 'second').length, extra, 'each of them was worth it')
})

test('a node that hangs costs one moment: the other is preferred from then on, and the call to the first is let go', async () => {
  const bench = benchOf()
  await times(bench, 40)
  bench.delayMs = (index) => (index === 0 ? Number.POSITIVE_INFINITY : USUAL_MS)
  assert.ok((await bench.timed(read)) <= 200)
  assert.equal(bench.letGo[0], 1)
  const before = bench.calls[0]
  await times(bench, 20)
  assert.equal(bench.calls[0], before)
})

test('a network that is slow as a whole is not asked twice as much', async () => {
  const bench = benchOf()
  await times(bench, 40)
  bench.delayMs = () => SLOW_MS
  await times(bench, 15)
  bench.delayMs = (_index, nth) => USUAL_MS + (nth % 2) * SLOW_MS
  await times(bench, 200)
  const extra = bench.calls.reduce((sum, count) => sum + count, 0) - 255
  assert.ok(extra <= 4 + 255 * HEDGE_BUDGET_RATIO, `${extra} second calls`)
})

test('an envelope is never sent to a second node for being slow; nor does a reader that keeps to one node ask another, nor a call to a named one', async () => {
  const bench = benchOf()
  const session = bench.rpc.session()
  for (let call = 0; call < 40; call++) {
    await bench.timed(read)
    await bench.timed((rpc) => rpc.sendTransaction('AAAA'))
  }
  bench.delayMs = () => SLOW_MS
  const [first = 0] = bench.calls
  await bench.timed((rpc) => rpc.sendTransaction('AAAA'))
  await bench.timed(read, session)
  await bench.timed((rpc) => rpc.getLedgerEntries(['AAAA'], { endpoint: 0 }))
  assert.deepEqual(bench.calls, [first + 3, 0])
})

test('who leaves lets both go; one that fails is made up for by the other', async () => {
  const bench = benchOf()
  await times(bench, 40)
  bench.delayMs = () => Number.POSITIVE_INFINITY
  const leaving = new AbortController()
  bench.clock.setTimer(500, () => leaving.abort(new Error('enough')))
  await assert.rejects(bench.timed((rpc) => rpc.getLedgerEntries(['AAAA'], { signal: leaving.signal })), /enough/)
  assert.deepEqual(bench.letGo, [1, 1])
  assert.equal(bench.clock.pendingTimers(), 0)

  bench.delayMs = (index) => (index === 0 ? SLOW_MS : 500)
  bench.broken.add(1)
  assert.ok((await bench.timed(read)) >= SLOW_MS, 'the first is waited for')
  bench.broken.add(0)
  await assert.rejects(bench.timed((rpc) => rpc.getTransaction('ab'.repeat(32))), RpcFailure)
})

test('of two calls under way the one that fails first is not the outcome, whichever it is; when both fail, the first one\'s failure is', async () => {
  const clock = createVirtualClock(0)
  for (const failing of ['first', 'second', 'both'] as const) {
    const legs = { first: Promise.withResolvers<string>(), second: Promise.withResolvers<string>() }
    const racing = raceHedged(clock, undefined, { first: () => legs.first.promise, delayMs: 10, second: () => () => legs.second.promise })
    const outcome = racing.then(({ value, winner }) => [value, winner], (error: unknown) => String(error))
    clock.advance(10)
    await turns()
    if (failing === 'both') legs.second.reject(new Error('the second'))
    legs[failing === 'both' ? 'first' : failing].reject(new Error(`the ${failing === 'both' ? 'first' : failing}`))
    await turns()
    const other = failing === 'first' ? 'second' : 'first'
    if (failing !== 'both') legs[other].resolve('an answer')
    assert.deepEqual(await outcome, failing === 'both' ? 'Error: the first' : ['an answer', other])
  }
})

/** What is due without the clock has happened. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}
