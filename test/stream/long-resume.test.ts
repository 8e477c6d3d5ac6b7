// A resume of any length flows at the pace of its client (docs/websocket.md).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STREAM_LIMITS } from '../../src/limits.ts'
import { RECENT_ROWS } from '../../src/stream/row-frames.ts'
import { assertUnbroken } from '../support/stream-client.ts'
import { createStreamFixture } from './stream-fixture.ts'

const CHANNELS = ['events', 'trades.BTC']
/** Their frames exceed the bytes that may wait for a client. */
const MISSED = RECENT_ROWS - 1

test('a client that missed 4,000 frames resumes from memory and switches to live delivery without a gap', async () => {
  await using fixture = await createStreamFixture()
  await fixture.publish(MISSED)
  const client = await fixture.connect()
  client.send({ op: 'subscribe', channels: CHANNELS, since: 1 })
  await client.frame(({ channel, seq }) => channel === 'trades.BTC' && seq === MISSED)
  const bytes = client.frames.reduce((sum, frame) => sum + JSON.stringify(frame).length, 0)
  assert.ok(bytes > STREAM_LIMITS.waitingBytes, `the replay has ${bytes} bytes`)
  await fixture.publish(10)
  await client.frame(({ channel, seq }) => channel === 'trades.BTC' && seq === MISSED + 10)
  for (const channel of CHANNELS) {
    assertUnbroken(client.of(channel), 1)
    assert.equal(client.of(channel).length, MISSED + 9)
  }
})
