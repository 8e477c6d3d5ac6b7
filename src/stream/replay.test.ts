// The pace of a replay: the client takes a chunk before the next one is written.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { STREAM_LIMITS } from '../limits.ts'
import type { StreamLimits } from '../limits.ts'
import type { Queryable } from '../store/store.ts'
import type { LogChannel } from './channels.ts'
import { WEB_SOCKET_FRAMES } from './encoding.ts'
import { logFrame } from './frames.ts'
import { createRecentRows } from './recent-rows.ts'
import { createReplayBudgets } from './replay-budget.ts'
import { runReplay } from './replay.ts'
import type { Tail } from './tail.ts'

const FRAME_BYTES = 1_000
const WAITING_BYTES = 40_000

/** A log in memory, and a client that takes a chunk when the test calls `take`. */
function createReplayOf(rows: number, limits: StreamLimits = STREAM_LIMITS) {
  const clock = createVirtualClock(0)
  const recent = createRecentRows(10_000)
  let position = 0
  const add = (count: number): void => {
    for (let index = 0; index < count; index++) {
      position += 1
      const frame = logFrame('events', { epoch: 'e1', seq: position, prev: position - 1 }, () => JSON.stringify('x'.repeat(FRAME_BYTES)))
      recent.add({ seq: position, frames: [frame] })
    }
  }
  add(rows)
  const tail = {
    position: () => position,
    recentPage: (names: ReadonlySet<string>, after: number, pageBytes: number) => recent.pageAfter(names, after, { pageBytes, endSeq: position }),
  } as unknown as Tail
  const channels = new Map<string, LogChannel>([['events', { kind: 'events' }]])
  const writes: number[] = []
  const seqs: number[] = []
  let liveFrom: number | undefined
  let drained = Promise.withResolvers<void>()
  const closing = new AbortController()
  const done = runReplay({ db: {} as Queryable, tail, clock }, {
    channels, afterSeq: 0, signal: closing.signal, waitingBytes: WAITING_BYTES,
    budget: createReplayBudgets({ limits, clock }).open('192.0.2.1'),
    encoding: WEB_SOCKET_FRAMES,
    write(bytes) {
      writes.push(bytes.length)
      for (const [, seq] of bytes.toString('latin1').matchAll(/"seq":(\d+)/g)) seqs.push(Number(seq))
    },
    drained: () => drained.promise,
    goLive: () => (liveFrom = position),
  })
  return {
    clock, add, writes, seqs, done, channels,
    liveFrom: () => liveFrom,
    /** The client takes what was written. */
    async take(): Promise<void> {
      const { resolve } = drained
      drained = Promise.withResolvers()
      resolve()
      await new Promise((next) => void setImmediate(() => void setImmediate(next)))
    },
  }
}

test('writes the next chunk when the client has taken the one before, and goes live at the end of the log', async () => {
  const replay = createReplayOf(100)
  for (let chunks = 1; replay.seqs.length < 150; chunks++) {
    assert.equal(replay.writes.length, chunks, 'one chunk at a time')
    assert.equal(replay.liveFrom(), undefined)
    // The log grows during the replay.
    if (chunks === 3) replay.add(50)
    await replay.take()
  }
  await replay.take()
  await replay.done
  assert.ok(Math.max(...replay.writes) <= WAITING_BYTES / 4 + 2 * FRAME_BYTES, `the largest chunk has ${Math.max(...replay.writes)} bytes`)
  assert.deepEqual([replay.seqs, replay.liveFrom()], [Array.from({ length: 150 }, (_, index) => index + 1), 150])
})

test('writes nothing more of a channel that was removed', async () => {
  const replay = createReplayOf(100)
  replay.channels.delete('events')
  await replay.take()
  await replay.done
  assert.deepEqual([replay.writes.length, replay.liveFrom()], [1, undefined])
})

test('waits while the address has used up its bytes', async () => {
  const replay = createReplayOf(30, { ...STREAM_LIMITS, replayBurstBytes: 5_000, replayBytesPerSecond: 1_000 })
  await replay.take()
  assert.equal(replay.writes.length, 1)
  const debtSec = Math.ceil(((replay.writes[0] ?? 0) - 5_000) / 1_000)
  replay.clock.advance((debtSec - 1) * 1_000)
  await replay.take()
  assert.equal(replay.writes.length, 1, 'still in debt')
  replay.clock.advance(1_000)
  await replay.take()
  assert.equal(replay.writes.length, 2)
  replay.channels.clear()
  replay.clock.advance(60_000)
  await replay.take()
  await replay.done
})
