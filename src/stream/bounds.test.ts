// The bounds on what one client of the stream can cause.

import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { STREAM_LIMITS } from '../limits.ts'
import { WEB_SOCKET_FRAMES } from './encoding.ts'
import { logFrame } from './frames.ts'
import type { Frame } from './frames.ts'
import { createHub } from './hub.ts'
import { createOutput, drained, isStuck, writeTo } from './output.ts'
import { createRecentRows } from './recent-rows.ts'
import type { RecentRows } from './recent-rows.ts'
import { createReplayBudgets, REPEATED_BYTES } from './replay-budget.ts'
import { createRequestQueue } from './request-queue.ts'
import type { ClientRequest } from './requests.ts'
import { createTokenBucket } from './token-bucket.ts'

test('a token bucket allows its burst, refills with time up to the burst, and may go into debt', () => {
  const clock = createVirtualClock(0)
  const bucket = createTokenBucket({ perSecond: 4, burst: 10, clock })
  assert.deepEqual([bucket.isFull(), bucket.debtMs(), bucket.take(11), bucket.take(10), bucket.take(), bucket.isFull()], [true, 0, false, true, false, false])
  clock.advance(499)
  assert.equal(bucket.take(2), false)
  clock.advance(1)
  assert.equal(bucket.take(2), true)
  bucket.spend(5)
  assert.equal(bucket.debtMs(), 1_250)
  clock.advance(1_249)
  assert.equal(bucket.debtMs(), 1)
  clock.advance(1)
  assert.deepEqual([bucket.debtMs(), bucket.take()], [0, false])
  clock.advance(60_000)
  assert.deepEqual([bucket.isFull(), bucket.take(10), bucket.take()], [true, true, false])
})

function frame(channel: string, seq: number, length: number): Frame {
  return { channel, seq, epoch: 'e', bytes: () => Buffer.alloc(length) }
}

test('frames that were replayed before use up the budget of the connection, and all bytes that of the address', () => {
  const clock = createVirtualClock(0)
  const limits = { ...STREAM_LIMITS, replayBytesPerSecond: 1_000, replayBurstBytes: 10_000 }
  const budgets = createReplayBudgets({ limits, clock })
  const [first, second] = [budgets.open('a'), budgets.open('a')]
  assert.deepEqual([first.delayMs(), budgets.addresses()], [0, 0])
  first.spendReplayed([frame('events', 1, 4_000), frame('events', 2, 4_000)])
  second.spendReplayed([frame('events', 1, 4_000)])
  assert.deepEqual([first.delayMs(), second.delayMs(), budgets.open('b').delayMs()], [2_000, 2_000, 0])
  clock.advance(2_000)
  assert.equal(first.delayMs(), 0)
  // What was sent once is free for the connection; the same frames again are not.
  const own = budgets.open('c')
  const most = REPEATED_BYTES.burst
  own.spendReplayed([frame('events', 5, most), frame('trades.BTC', 5, most), frame('events', 6, most)])
  assert.equal(own.takeRequest({ reads: 1, counts: false }), true)
  own.spendReplayed([frame('events', 6, most)])
  assert.equal(own.takeRequest({ reads: 1, counts: false }), false)
  const asking = budgets.open('d')
  const countOf = (cost: { reads: number; counts: boolean }): number => {
    let taken = 0
    while (asking.takeRequest(cost)) taken += 1
    return taken
  }
  assert.equal(countOf({ reads: 0, counts: true }), 16)
  clock.advance(1_000)
  assert.equal(countOf({ reads: 2, counts: false }), 2, '64 KiB a second, 16 KiB a read')
  const snapshots = budgets.open('e')
  snapshots.spendSnapshot(most)
  assert.deepEqual([snapshots.takeRequest({ reads: 1, counts: false }), snapshots.delayMs() > 0], [false, true])
})

test('forgets addresses that have their whole budget back before it forgets others', () => {
  const clock = createVirtualClock(0)
  const limits = { ...STREAM_LIMITS, replayBytesPerSecond: 1, replayBurstBytes: 1 }
  const budgets = createReplayBudgets({ limits, clock })
  const spend = (address: string, bytes: number): void => budgets.open(address).spendSnapshot(bytes)
  for (let index = 0; index < 10_000; index++) spend(`${index}`, index < 9_990 ? 100 : 1)
  clock.advance(1_000)
  spend('one more', 100)
  assert.equal(budgets.addresses(), 9_991)
  assert.ok(budgets.open('0').delayMs() > 0)
  for (let index = 0; index < 9; index++) spend(`more ${index}`, 100)
  spend('too many', 100)
  assert.deepEqual([budgets.addresses(), budgets.open('0').delayMs(), budgets.open('1').delayMs() > 0], [10_000, 0, true], 'the oldest starts over')
})

test('requests are handled one at a time, in order, and a full queue accepts none', async () => {
  const failures: string[] = []
  const handled: number[] = []
  let failed = 0
  let isBlocked = true
  const blocked = Promise.withResolvers<void>()
  const queue = createRequestQueue({
    failures: { record: (kind) => void failures.push(kind), [Symbol.dispose]: () => {} }, requestId: 'r', onFailure: () => (failed += 1),
    async handle(request) {
      handled.push(Number(request.id))
      if (isBlocked) await blocked.promise
      if (request.id === 3) throw new Error('a defect')
    },
  })
  const push = (id: number): boolean => queue.push({ op: 'ping', id } as unknown as ClientRequest)
  for (let id = 0; id <= 100; id++) assert.equal(push(id), true)
  assert.equal(push(101), false)
  assert.deepEqual(handled, [0])
  isBlocked = false
  blocked.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([handled, failed], [Array.from({ length: 101 }, (_, index) => index), 1], 'also after a failure')
  assert.equal(push(102), true)
  assert.equal(handled.at(-1), 102)
  await new Promise((resolve) => setImmediate(resolve))
  isBlocked = true
  push(103)
  push(104)
  queue.clear()
  isBlocked = false
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(handled.at(-1), 103)
  assert.deepEqual(failures, ['Error'])
})

test('retains the newest rows, and pages of them that are complete', () => {
  const recent = createRecentRows(3)
  const add = (rows: RecentRows, seq: number): void => {
    const place = { epoch: 'e', seq, prev: 1 }
    rows.add({ seq, frames: [logFrame('events', place, () => `"${seq}"`), logFrame('trades.BTC', place, () => '0')] })
  }
  const events = new Set(['events'])
  const page = (afterSeq: number, pageBytes = 1_000_000, endSeq = 90): unknown => {
    const found = recent.pageAfter(events, afterSeq, { pageBytes, endSeq })
    return found && [found.frames.map(({ seq }) => seq), found.throughSeq]
  }
  for (const seq of [10, 20, 30, 40, 50]) add(recent, seq)
  assert.deepEqual(page(0), [[10, 20, 30, 40, 50], 90], 'fewer than twice as many')
  add(recent, 60)
  assert.deepEqual([page(29), page(30)], [undefined, [[40, 50, 60], 90]])
  assert.deepEqual(page(40), [[50, 60], 90])
  assert.deepEqual(page(45), [[50, 60], 90])
  assert.deepEqual(page(60), [[], 90])
  const frameBytes = recent.pageAfter(events, 59, { pageBytes: 1, endSeq: 90 })?.frames[0]?.bytes().length ?? 0
  assert.deepEqual([page(30, 2 * frameBytes), page(30, 2 * frameBytes + 1)], [[[40, 50], 50], [[40, 50, 60], 60]])
  const shared = recent.pageAfter(events, 30, { pageBytes: 5_000, endSeq: 90 })
  assert.equal(recent.pageAfter(new Set(['events']), 30, { pageBytes: 5_000, endSeq: 90 }), shared, 'clients at the same position share a page')
  assert.equal(shared?.bytes(WEB_SOCKET_FRAMES), shared?.bytes(WEB_SOCKET_FRAMES))
  add(recent, 70)
  assert.deepEqual(page(30), [[40, 50, 60, 70], 90], 'a new row ends the pages of before')
  assert.deepEqual(page(65), [[70], 90])
  recent.restart(60)
  assert.deepEqual(page(65), [[], 90], 'a restart ends them too')
  recent.restart(80)
  assert.deepEqual([page(79), page(80)], [undefined, [[], 90]])
})

test('writes no more than may wait for a client, and notices a client that takes nothing', async () => {
  const pending: (() => void)[] = []
  let takenBytes = 0
  const stream = new Writable({
    highWaterMark: 10,
    write: (chunk: Buffer, _encoding, done) => void pending.push(() => {
      takenBytes += chunk.length
      done()
    }),
  })
  let overflows = 0
  const socket = { get bytesWritten() { return takenBytes + stream.writableLength }, get writableLength() { return stream.writableLength } }
  const output = createOutput({ stream, socket, encoding: WEB_SOCKET_FRAMES, waitingBytes: 30, overflow: () => void overflows++ })
  const stop = new AbortController()
  await drained(output, stop.signal)
  for (const bytes of [20, 11, 10]) writeTo(output, Buffer.alloc(bytes))
  assert.deepEqual([stream.writableLength, overflows], [30, 1])
  assert.deepEqual([isStuck(output), isStuck(output)], [false, true])
  pending.shift()?.()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([stream.writableLength, isStuck(output), isStuck(output)], [10, false, true])
  let isDrained = false
  const waiting = drained(output, stop.signal).then(() => {
    isDrained = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isDrained, false)
  pending.shift()?.()
  await waiting
  assert.equal(isStuck(output), false)
  writeTo(output, Buffer.alloc(20))
  const aborted = drained(output, stop.signal)
  stop.abort()
  await aborted
  await drained(output, stop.signal)
  assert.deepEqual([stream.listenerCount('drain'), isStuck(output)], [0, true], 'nothing was taken since the last check')
})

test('waits for the slowest subscriber of some channels until it has read or the time is up, and for no other', async () => {
  const hub = createHub(1_000_000)
  const reads: (() => void)[] = []
  const subscribe = (channel: string): void => {
    const stream = new Writable({ highWaterMark: 10, write: (_chunk, _encoding, done) => void reads.push(done) })
    hub.add(createOutput({
      stream, socket: { bytesWritten: 0, writableLength: 0 }, encoding: WEB_SOCKET_FRAMES, waitingBytes: 1_000_000, overflow: assert.fail,
    }), [channel])
  }
  subscribe('candles.BTC.1m')
  subscribe('ticker.BTC')
  hub.publish([frame('ticker.BTC', 1, 20), frame('candles.BTC.1m', 1, 20)])
  const limit = new AbortController()
  await hub.drained(['candles.ETH.1m'], limit.signal)
  let isDrained = false
  const waiting = hub.drained(['candles.BTC.1m'], limit.signal).then(() => (isDrained = true))
  reads[0]?.()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isDrained, false, 'only the other channel was read')
  reads[1]?.()
  await waiting
  hub.publish([frame('candles.BTC.1m', 2, 20)])
  const limited = hub.drained(['candles.BTC.1m'], limit.signal)
  limit.abort()
  await limited
})
