// The client's stream against a scripted gateway: missing frames, gaps, silence and slow readers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SlowReader } from '../../client/src/frame-queue.ts'
import { createStream } from '../../client/src/stream.ts'
import type { StreamProblem } from '../../client/src/stream-frames.ts'
import { createVirtualClock } from '../../src/base/clock.ts'

/** One connection of the client. */
interface Line {
  readonly sent: Readonly<Record<string, unknown>>[]
  say(message: object): void
  /** The browser has begun to close the connection and has not said so yet. */
  beginClosing(): void
  /** The closing is complete. */
  close(code?: number, reason?: string): void
  hello(head: number): void
}

function stage(key: () => { keyId: string; secret: string } | null = () => null) {
  const clock = createVirtualClock(0)
  const lines: Line[] = []
  class FakeSocket {
    readonly listeners = new Map<string, (event: never) => void>()
    readonly sent: Readonly<Record<string, unknown>>[] = []
    readyState = 1
    constructor() {
      const say = (message: object): void => this.listeners.get('message')?.({ data: JSON.stringify(message) } as never)
      lines.push({
        sent: this.sent, say, hello: (head) => say({ type: 'hello', epoch: 'e1', head }),
        beginClosing: () => void (this.readyState = 2),
        close: (code = 1001, reason = '') => this.listeners.get('close')?.({ code, reason } as never),
      })
    }
    send(text: string): void {
      this.sent.push(JSON.parse(text) as Readonly<Record<string, unknown>>)
    }
    close(): void {
      this.listeners.clear()
    }
    addEventListener(type: string, listener: (event: never) => void): void {
      this.listeners.set(type, listener)
    }
  }
  const later = (ms: number, run: () => void) => {
    const timer = clock.setTimer(ms, run)
    return () => timer.cancel()
  }
  const stream = createStream({
    url: 'http://gateway.test', key, WebSocket: FakeSocket, silenceMs: 10_000,
    clock: { nowMs: () => clock.nowMs(), later },
  })
  const problems: StreamProblem[] = []
  stream.onProblem((problem) => problems.push(problem))
  const line = (at: number): Line => {
    const found = lines[at]
    assert.ok(found !== undefined, `connection ${at + 1} was not opened`)
    return found
  }
  return { clock, stream, problems, lines, line, gaps: () => problems.flatMap((one) => (one.kind === 'gap' ? [one.gap] : [])) }
}

const frame = (seq: number, prev: number): object => ({ channel: 'events', seq, prev, data: {} })

test('an upgrade is reported once, between the frames before and after it, also when a resume repeats it', () => {
  const { clock, stream, line, lines } = stage()
  const got: unknown[] = []
  stream.on('events', ({ seq }) => got.push(seq))
  stream.onUpgrade(({ contract, generation, wasmHash, source, afterLedger, seq }) => got.push([contract, generation, wasmHash, source, afterLedger, seq]))
  line(0).hello(1)
  line(0).say({ type: 'subscribed', channels: ['events'], heads: { events: 1 } })
  const upgrade = { type: 'upgrade', contract: 'market', generation: '2.3', wasmHash: 'ab', ledger: 9, seq: 3 }
  for (const message of [frame(2, 1), upgrade, frame(4, 2)]) line(0).say(message)
  line(0).say({ type: 'draining', graceMs: 1 })
  for (let waits = 0; lines.length < 2; waits++) {
    assert.ok(waits < 100, 'the client connects again')
    clock.advance(100)
  }
  line(1).hello(4)
  line(1).say({ type: 'subscribed', channels: ['events'], heads: { events: 4 } })
  const unknown = { type: 'upgrade', contract: 'vault', generation: null, wasmHash: null, source: 'entries', ledger: 12, afterLedger: 10, seq: 6 }
  for (const message of [upgrade, frame(5, 4), unknown]) line(1).say(message)
  assert.deepEqual(got, [2, ['market', '2.3', 'ab', 'event', null, 3], 4, 5, ['vault', null, null, 'entries', 10, 6]])
})

test('nothing is sent on a connection that is closing, and the next one subscribes to what is used by then', () => {
  const { clock, stream, line, lines } = stage()
  const stopEvents = stream.on('events', () => {})
  line(0).hello(1)
  const before = line(0).sent.length
  line(0).beginClosing()
  stopEvents()
  stream.on('prices.BTC', () => {})
  assert.equal(line(0).sent.length, before)
  line(0).close()
  for (let waits = 0; lines.length < 2; waits++) {
    assert.ok(waits < 100, 'the client connects again')
    clock.advance(100)
  }
  line(1).hello(1)
  const channels = line(1).sent.flatMap(({ op, channels: names }) => (op === 'subscribe' ? names : []))
  assert.ok(channels.includes('prices.BTC') && !channels.includes('events'), String(channels))
})

test('a client that gave way to others reports it, waits longer after each rejection, and resumes where it was', (context) => {
  // Half of the longest delay each time.
  context.mock.method(Math, 'random', () => 0.5)
  const { clock, stream, line, lines, problems, gaps } = stage()
  const got: (number | undefined)[] = []
  stream.on('events', ({ seq }) => got.push(seq))
  line(0).hello(1)
  line(0).say({ type: 'subscribed', channels: ['events'], heads: { events: 1 } })
  line(0).say(frame(2, 1))
  line(0).close(1013, 'evicted')
  const delays: number[] = []
  for (let attempt = 1; attempt <= 6; attempt++) {
    const closedAtMs = clock.elapsedMs()
    while (lines.length <= attempt) clock.advance(50)
    delays.push(clock.elapsedMs() - closedAtMs)
    if (attempt < 6) line(attempt).close(1013, 'server_full')
  }
  assert.ok((delays.at(-1) ?? 0) > 4 * (delays[0] ?? 0), String(delays))
  line(6).hello(4)
  const resumed = line(6).sent.find(({ since }) => since !== undefined)
  assert.deepEqual([resumed?.['channels'], resumed?.['since'], resumed?.['epoch']], [['events'], 2, 'e1'])
  line(6).say({ type: 'subscribed', channels: ['events'], heads: { events: 4 } })
  for (const message of [frame(3, 2), frame(4, 3)]) line(6).say(message)
  assert.deepEqual([got, gaps()], [[2, 3, 4], []])
  assert.deepEqual(problems[0], { kind: 'disconnected', reason: '1013 evicted' })
  stream.close()
})

test('missing frames are requested once more and then reported as a gap', () => {
  const { clock, stream, line, lines, gaps } = stage()
  const got: (number | undefined)[] = []
  stream.on('events', ({ seq }) => got.push(seq))
  line(0).hello(5)
  line(0).say({ type: 'subscribed', channels: ['events'], heads: { events: 5 } })
  line(0).say(frame(6, 5))
  line(0).say(frame(6, 5))
  line(0).say(frame(9, 8))
  assert.deepEqual(got, [6], 'no duplicates, in order')
  clock.advance(1_000)
  line(1).hello(9)
  assert.deepEqual(line(1).sent.at(-1), { op: 'subscribe', channels: ['events'], since: 6, id: 1, epoch: 'e1' })
  line(1).say({ type: 'subscribed', channels: ['events'], heads: { events: 9 }, id: 1 })
  line(1).say(frame(9, 8))
  assert.deepEqual(got, [6, 9])
  assert.deepEqual(gaps(), [{ channels: ['events'], since: 6, until: 8, reason: 'hole' }])
  assert.equal(lines.length, 2)
})

test('a resume that the gateway cannot fill is reported as a gap up to the first live frame', () => {
  const { stream, line, gaps } = stage()
  const got: (number | undefined)[] = []
  stream.on('events', ({ seq }) => got.push(seq), { since: 3 })
  line(0).hello(900)
  line(0).say({ type: 'subscribed', channels: ['events'], heads: { events: 900 }, id: 1 })
  line(0).say({ type: 'gap', channels: ['events'], since: 3, oldest: 1, reason: 'too_far', id: 1 })
  line(0).say(frame(901, 900))
  assert.deepEqual(got, [901])
  assert.deepEqual(gaps(), [{ channels: ['events'], since: 3, until: 900, reason: 'too_far' }])
})

test('the connection counts as lost after silence, and not while messages arrive', () => {
  const { clock, stream, line, lines, problems } = stage()
  stream.on('ticker.BTC', () => {})
  line(0).hello(1)
  for (let second = 0; second < 30; second++) {
    clock.advance(1_000)
    line(0).say({ channel: 'heartbeat', data: {} })
  }
  assert.equal(lines.length, 1)
  clock.advance(10_000)
  assert.deepEqual(problems, [{ kind: 'disconnected', reason: 'silence' }])
  clock.advance(1_000)
  line(1).hello(1)
  assert.deepEqual(line(1).sent, [{ op: 'subscribe', channels: ['heartbeat', 'ticker.BTC'] }])
  stream.close()
  clock.advance(100_000)
  assert.equal(lines.length, 2, 'a closed stream reconnected')
})

test('a loop that is too slow ends with SlowReader, and other readers continue', async () => {
  const { stream, line } = stage()
  const got: (number | undefined)[] = []
  const slow = stream.frames('events', { limit: 2 })
  const first = slow.next()
  stream.on('events', ({ seq }) => got.push(seq))
  line(0).hello(0)
  line(0).say({ type: 'subscribed', channels: ['events'], heads: { events: 0 } })
  for (let seq = 1; seq <= 5; seq++) line(0).say(frame(seq, seq - 1))
  assert.equal((await first).value?.seq, 1)
  await slow.next()
  await slow.next()
  await assert.rejects(slow.next(), SlowReader)
  assert.deepEqual(got, [1, 2, 3, 4, 5])
})

test('a new secret is used before the one before ends, and otherwise continues the account channels when it has', () => {
  let secret = 'first'
  const { stream, line, problems } = stage(() => ({ keyId: 'nk', secret }))
  stream.on('account.events.G1', () => {})
  const first = line(0)
  first.hello(5)
  first.say({ type: 'subscribed', channels: ['account.events.G1'], heads: { 'account.events.G1': 3 } })
  first.say({ type: 'key_expiring', at: 9_000 })
  assert.deepEqual(problems, [{ kind: 'key_expiring', at: 9_000 }])
  const before = first.sent.length
  secret = 'second'
  first.say({ type: 'unsubscribed', channels: ['account.events.G1'], reason: 'key_expired' })
  assert.deepEqual(first.sent.slice(before), [
    { op: 'login', keyId: 'nk', secret: 'second' }, { op: 'subscribe', channels: ['account.events.G1'], since: 3, id: 1, epoch: 'e1' },
  ])
  secret = 'third'
  first.say({ type: 'key_expiring', at: 99_000 })
  assert.deepEqual(first.sent.at(-1), { op: 'login', keyId: 'nk', secret: 'third' })
  first.say({ type: 'unsubscribed', channels: [], reason: 'key_expired' })
  assert.deepEqual(problems.slice(1), [{ kind: 'login', error: 'key_expired' }])
})
