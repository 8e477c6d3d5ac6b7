// An upgrade of a contract reaches every client with a log channel, in its place between the frames.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStreamFixture } from './stream-fixture.ts'
import type { StreamFrame } from '../support/stream-client.ts'

const seqsOf = (frames: readonly StreamFrame[]): unknown[] =>
  frames.filter(({ channel, type }) => channel !== undefined || type === 'upgrade').map(({ type, seq }) => (type === 'upgrade' ? `upgrade ${seq}` : seq))

test('announces an upgrade between the frames before and after it, to clients of any log channel only', async () => {
  await using fixture = await createStreamFixture()
  const [events, trades, other] = [await fixture.connect(), await fixture.connect(), await fixture.connect()]
  events.send({ op: 'subscribe', channels: ['events'] })
  trades.send({ op: 'subscribe', channels: ['trades.BTC'] })
  other.send({ op: 'subscribe', channels: ['heartbeat', 'ticker.BTC'] })
  await Promise.all([events.settle(), trades.settle(), other.settle()])
  await fixture.append(2)
  await fixture.appendUpgrade('2.0')
  await fixture.append(1)
  await fixture.appendUpgrade('2.3')
  await fixture.publish(0)
  await Promise.all([events.settle(), trades.settle(), other.settle()])
  assert.deepEqual(seqsOf(events.frames), [1, 2, 'upgrade 3', 4, 'upgrade 5'])
  assert.deepEqual(seqsOf(trades.frames), [1, 2, 'upgrade 3', 4, 'upgrade 5'])
  assert.deepEqual(seqsOf(other.frames), [])
  assert.deepEqual(events.frames.filter(({ type }) => type === 'upgrade')[1], {
    type: 'upgrade', contract: 'market', generation: '2.3', wasmHash: 'ab', source: 'entries', ledger: 5, afterLedger: null, seq: 5,
  })
  assert.equal(events.of('events').at(-1)?.prev, 2, 'an upgrade belongs to no channel')
})

for (const retained of [true, false]) {
  test(`repeats an upgrade to a client that resumes before it, not after it; ${retained ? 'from memory' : 'from the database'}`, async () => {
    await using fixture = await createStreamFixture()
    await fixture.publish(3)
    await fixture.appendUpgrade('2.0')
    await fixture.publish(2)
    // More rows than the stream retains.
    if (!retained) for (let rows = 0; rows < 8_400; rows += 700) await fixture.publish(700)
    for (const [since, expected] of [[1, [2, 3, 'upgrade 4', 5, 6]], [3, ['upgrade 4', 5, 6]], [4, [5, 6]]] as const) {
      const client = await fixture.connect()
      client.send({ op: 'subscribe', channels: ['trades.BTC'], since })
      await client.frame(({ seq, channel }) => channel === 'trades.BTC' && seq === 6)
      assert.deepEqual(seqsOf(client.frames).slice(0, expected.length), expected, `since ${since}`)
      client.webSocket.terminate()
    }
  })
}
