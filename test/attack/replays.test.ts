// Small requests cannot trigger large responses without end: replays and snapshots are bounded per connection and per address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STREAM_LIMITS } from '../../src/limits.ts'
import { REPEATED_BYTES, WHOLE_REPLAYS } from '../../src/stream/replay-budget.ts'
import { WHOLE_REPLAY_SEQS } from '../../src/stream/replay.ts'
import { assertUnbroken } from '../support/stream-client.ts'
import type { StreamClient } from '../support/stream-client.ts'
import { createStreamFixture } from '../stream/stream-fixture.ts'

/** Waits until a message of the client may be sent. */
const MESSAGE_MS = 1_000 / STREAM_LIMITS.messagesPerSecond
const CHANNELS = ['events', 'trades.BTC']
const EVENTS = 800
const ATTACKS: readonly (readonly [name: string, request: object, responseFrames: number])[] = [
  ['the same resume', { op: 'subscribe', channels: CHANNELS, since: 1 }, 2 * (EVENTS - 1)],
  ['the same snapshot', { op: 'subscribe', channels: ['trades.BTC'], snapshot: true }, 50],
]

function bytesOf({ frames }: StreamClient): number {
  return frames.reduce((sum, frame) => sum + JSON.stringify(frame).length, 0)
}

for (const [name, request, responseFrames] of ATTACKS) {
  test(`a client that repeats ${name} is disconnected with the documented error`, async () => {
    await using fixture = await createStreamFixture()
    await fixture.publish(EVENTS)
    const attacker = await fixture.connect()
    let requests = 0
    let responseBytes = 0
    let closed: unknown
    void attacker.closed.then((close) => (closed = close))
    while (closed === undefined && requests < 300) {
      const from = attacker.frames.length
      requests += 1
      fixture.clock.advance(MESSAGE_MS)
      attacker.send(request)
      await Promise.race([attacker.closed, attacker.frame((_frame) => attacker.frames.length - from >= 1 + responseFrames)])
      if (requests === 1) responseBytes = bytesOf(attacker)
    }
    assert.deepEqual(closed, { code: 1013, reason: 'rate limit exceeded' })
    assert.deepEqual(attacker.frames.at(-1), { type: 'error', error: 'rate_limited' })
    const refilled = (requests * MESSAGE_MS * REPEATED_BYTES.perSecond) / 1_000
    const bytes = bytesOf(attacker)
    assert.ok(bytes <= REPEATED_BYTES.burst + refilled + 2 * responseBytes, `${requests} requests triggered ${bytes} bytes`)
    const again = await fixture.connect()
    again.send({ op: 'subscribe', channels: CHANNELS, since: 1 })
    await again.frame(({ channel, seq }) => channel === 'trades.BTC' && seq === EVENTS)
    for (const channel of CHANNELS) assertUnbroken(again.of(channel), 1)
  })
}

test('reconnecting does not renew the bytes of an address, and other addresses are not slowed down', async () => {
  await using fixture = await createStreamFixture({ limits: { replayBurstBytes: 100_000, replayBytesPerSecond: 10_000, waitingBytes: 262_144 } })
  await fixture.publish(EVENTS)
  const request = { op: 'subscribe', channels: ['events'], since: 1 }
  const isLast = ({ seq }: { readonly seq?: number }): boolean => seq === EVENTS
  const first = await fixture.connect('192.0.2.1')
  first.send(request)
  await first.frame(({ seq }) => seq !== undefined && seq > 100)
  const second = await fixture.connect('192.0.2.1')
  second.send(request)
  const other = await fixture.connect('198.51.100.1')
  other.send({ op: 'subscribe', channels: ['events'], since: EVENTS - 100 })
  await other.frame(isLast)
  await second.settle()
  assert.ok(bytesOf(first) + bytesOf(second) < 300_000, 'one address receives little more than its burst')
  assert.equal(fixture.stream.stats().replays, 2)
  const complete = Promise.all([first.frame(isLast), second.frame(isLast)])
  let isComplete = false
  void complete.then(() => (isComplete = true))
  for (let seconds = 0; !isComplete && seconds < 200; seconds++) {
    fixture.clock.advance(1_000)
    await Promise.all([first.settle(), second.settle()])
  }
  await complete
  for (const client of [first, second]) assertUnbroken(client.of('events'), 1)
})

test('whole replays of one address are bounded in number: further ones wait, and the first of another address does not', async () => {
  await using fixture = await createStreamFixture()
  const events = WHOLE_REPLAY_SEQS + 1
  await fixture.publish(events)
  const resume = { op: 'subscribe', channels: ['trades.BTC'], since: 0 }
  const isLast = ({ seq }: { readonly seq?: number }): boolean => seq === events
  async function replay(address: string): Promise<StreamClient> {
    const client = await fixture.connect(address)
    client.send(resume)
    await client.frame(isLast)
    return client
  }
  for (let round = 0; round < WHOLE_REPLAYS.burst; round++) await (await replay('192.0.2.66')).close()
  const waiting = await fixture.connect('192.0.2.66')
  waiting.send(resume)
  await waiting.settle()
  assert.deepEqual([waiting.of('trades.BTC'), fixture.stream.stats().replays], [[], 1])
  assertUnbroken((await replay('198.51.100.1')).of('trades.BTC'), 0)
  const near = await fixture.connect('192.0.2.66')
  near.send({ ...resume, since: events - WHOLE_REPLAY_SEQS })
  await near.frame(isLast)
  fixture.clock.advance(1_000 / WHOLE_REPLAYS.perSecond)
  await waiting.frame(isLast)
  assertUnbroken(waiting.of('trades.BTC'), 0)
})
