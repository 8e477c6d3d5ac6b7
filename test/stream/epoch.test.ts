// A network reset begins a new epoch: connected clients get a gap message before its first frame, and the log continues.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import { assertUnbroken } from '../support/stream-client.ts'
import type { StreamFrame } from '../support/stream-client.ts'

const isGap = ({ type }: StreamFrame): boolean => type === 'gap'

test('announces a new epoch to clients of log channels before its first frame, and seq continues', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(30)
  const client = await connect()
  const hello = await client.frame(() => true)
  client.send({ op: 'subscribe', channels: ['events', 'trades.BTC', 'heartbeat'] })
  const other = await connect()
  other.send({ op: 'subscribe', channels: ['heartbeat', 'ticker.BTC'] })
  await publishLedgers(5)
  await Promise.all([client.settle(), other.settle()])
  const before = client.of('events').at(-1)?.seq
  assert.ok(before !== undefined)

  await fixture.control('local_reset')
  await publishLedgers(20)
  fixture.gateway.stream.heartbeat()
  await Promise.all([client.settle(), other.settle()])
  const beat = client.of('heartbeat').at(-1)?.data
  assert.notEqual(beat?.['epoch'], hello['epoch'])
  assert.deepEqual(client.frames.filter(isGap), [
    { type: 'gap', channels: ['events', 'trades.BTC'], since: before, oldest: 1, reason: 'epoch', epoch: beat?.['epoch'] },
  ])
  assert.deepEqual(other.frames.filter(isGap), [], 'no gap for a client without log channels')
  const announced = client.frames.findIndex(isGap)
  const first = client.frames.findIndex(({ channel, seq }) => channel === 'events' && Number(seq) > before)
  assert.ok(announced !== -1 && announced < first, 'before the first frame')
  assertUnbroken(client.of('events'), Number(hello['head']))

  const from = client.frames.length
  client.send({ op: 'subscribe', channels: ['events'], since: before, epoch: hello['epoch'] })
  assert.equal((await client.frame(isGap, from))['reason'], 'epoch', 'the position belongs to the old epoch')
  client.send({ op: 'subscribe', channels: ['events'], since: before, epoch: beat?.['epoch'] })
  const again = await client.frame(({ channel }) => channel === 'events', from)
  assert.deepEqual([again.seq, again.prev], [client.frames[first]?.seq, before], 'resumes with the new epoch')
})

test('announces the epoch at its first row when both epochs are read at once', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(20)
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['events'] })
  await client.settle()
  await fixture.closeLedgers(10)
  await fixture.catchUp()
  await fixture.control('local_reset')
  await publishLedgers(15)
  await client.settle()
  const announced = client.frames.findIndex(isGap)
  const { since } = client.frames[announced] as unknown as { since: number }
  const seqsOf = (frames: readonly StreamFrame[]) => frames.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
  assert.ok(seqsOf(client.frames.slice(0, announced)).length > 0 && seqsOf(client.frames.slice(0, announced)).every((seq) => seq <= since))
  assert.ok(seqsOf(client.frames.slice(announced)).length > 0 && seqsOf(client.frames.slice(announced)).every((seq) => seq > since))
  assert.equal(client.frames.filter(isGap).length, 1)
})

test('announces lost ledgers as a gap, to connected clients and to clients that resume with the old epoch', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(30)
  const client = await connect()
  const hello = await client.frame(() => true)
  client.send({ op: 'subscribe', channels: ['events', 'heartbeat'] })
  await publishLedgers(5)
  await client.settle()
  const before = client.of('events').at(-1)?.seq
  await fixture.closeLedgers(40)
  await fixture.control('local_fault', { name: 'retention_cut', ledgers: 10 })
  await fixture.catchUp()
  await fixture.gateway.stream.publishCommitted()
  fixture.gateway.stream.heartbeat()
  await client.settle()
  const beat = client.of('heartbeat').at(-1)?.data
  assert.deepEqual(client.frames.filter(isGap), [
    { type: 'gap', channels: ['events'], since: before, oldest: 1, reason: 'epoch', epoch: beat?.['epoch'] },
  ])
  assertUnbroken(client.of('events'), Number(hello['head']))
  const announced = client.frames.findIndex(isGap)
  const first = client.frames.findIndex(({ channel, prev }) => channel === 'events' && prev === before)
  assert.ok(announced < first, 'before the first frame after the gap')
  assert.equal(client.of('events').at(-1)?.seq, beat?.['head'], 'the head is the last frame\'s seq, not a reserved one')

  const from = client.frames.length
  client.send({ op: 'subscribe', channels: ['events'], since: before, epoch: hello['epoch'] })
  assert.equal((await client.frame(isGap, from))['reason'], 'epoch')
  client.send({ op: 'subscribe', channels: ['events'], since: before, epoch: beat?.['epoch'] })
  const again = await client.frame(({ channel }) => channel === 'events', from)
  assert.equal(again.prev, before, 'prev skips the reserved seqs')
  const other = await connect()
  const hello2 = await other.frame(() => true)
  assert.deepEqual([hello2['epoch'], hello2['head']], [beat?.['epoch'], beat?.['head']])
  other.send({ op: 'subscribe', channels: ['events'], since: Number(beat?.['head']) - 2, epoch: beat?.['epoch'] })
  const last = await other.frame(({ channel }) => channel === 'events')
  assert.equal(last.seq, Number(beat?.['head']) - 1)
})
