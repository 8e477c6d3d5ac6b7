// A reset of the network is a new epoch: who is connected is told before its first frame, and the log goes on.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUnbroken } from '../support/stream-client.ts'
import type { StreamFrame } from '../support/stream-client.ts'
import { onStage } from '../support/stream-stage.ts'

const isGap = ({ type }: StreamFrame): boolean => type === 'gap'

test('a new epoch is announced to who follows the log, before its first frame, and places go on', async () => {
  await onStage({}, async ({ world, connect, play }) => {
    await play(30)
    const client = await connect()
    const hello = await client.frame(() => true)
    client.send({ op: 'subscribe', channels: ['events', 'trades.BTC', 'heartbeat'] })
    const other = await connect()
    other.send({ op: 'subscribe', channels: ['heartbeat', 'ticker.BTC'] })
    await play(5)
    await Promise.all([client.settle(), other.settle()])
    const before = client.of('events').at(-1)?.seq
    assert.ok(before !== undefined)

    await world.cheat('local_reset')
    await play(20)
    world.gateway.stream.heartbeat()
    await Promise.all([client.settle(), other.settle()])
    const beat = client.of('heartbeat').at(-1)?.data
    assert.notEqual(beat?.['epoch'], hello['epoch'])
    assert.deepEqual(client.frames.filter(isGap), [
      { type: 'gap', channels: ['events', 'trades.BTC'], since: before, oldest: 1, reason: 'epoch', epoch: beat?.['epoch'] },
    ])
    assert.deepEqual(other.frames.filter(isGap), [], 'who follows no log loses nothing')
    const announced = client.frames.findIndex(isGap)
    const first = client.frames.findIndex(({ channel, seq }) => channel === 'events' && seq === before + 1)
    assert.ok(announced !== -1 && announced < first, 'before the first frame')
    assertUnbroken(client.of('events'), Number(hello['head']))

    const from = client.frames.length
    client.send({ op: 'subscribe', channels: ['events'], since: before, epoch: hello['epoch'] })
    assert.equal((await client.frame(isGap, from))['reason'], 'epoch', 'the place that the client remembers is of the other epoch')
    client.send({ op: 'subscribe', channels: ['events'], since: before, epoch: beat?.['epoch'] })
    const again = await client.frame(({ channel }) => channel === 'events', from)
    assert.deepEqual([again.seq, again.prev], [before + 1, before], 'with the new name it resumes')
  })
})

test('an instance that follows late announces the epoch where it begins, whatever came at once', async () => {
  await onStage({}, async ({ world, connect, play }) => {
    await play(20)
    const client = await connect()
    client.send({ op: 'subscribe', channels: ['events'] })
    await client.settle()
    await world.closeLedgers(10)
    await world.settle()
    await world.cheat('local_reset')
    await play(15)
    await client.settle()
    const announced = client.frames.findIndex(isGap)
    const { since } = client.frames[announced] as unknown as { since: number }
    const places = (frames: readonly StreamFrame[]) => frames.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
    assert.ok(places(client.frames.slice(0, announced)).length > 0 && places(client.frames.slice(0, announced)).every((seq) => seq <= since))
    assert.ok(places(client.frames.slice(announced)).length > 0 && places(client.frames.slice(announced)).every((seq) => seq > since))
    assert.equal(client.frames.filter(isGap).length, 1)
  })
})

test('lost ledgers are a hole that is announced: to who is connected before the next frame, to who comes back with the old name of the epoch', async () => {
  await onStage({}, async ({ world, connect, play }) => {
    await play(30)
    const client = await connect()
    const hello = await client.frame(() => true)
    client.send({ op: 'subscribe', channels: ['events', 'heartbeat'] })
    await play(5)
    await client.settle()
    const before = client.of('events').at(-1)?.seq
    await world.closeLedgers(40)
    await world.cheat('local_fault', { name: 'retention_cut', ledgers: 10 })
    await world.settle()
    await world.gateway.stream.publishCommitted()
    world.gateway.stream.heartbeat()
    await client.settle()
    const beat = client.of('heartbeat').at(-1)?.data
    assert.deepEqual(client.frames.filter(isGap), [
      { type: 'gap', channels: ['events'], since: before, oldest: 1, reason: 'epoch', epoch: beat?.['epoch'] },
    ])
    assertUnbroken(client.of('events'), Number(hello['head']))
    const announced = client.frames.findIndex(isGap)
    const first = client.frames.findIndex(({ channel, prev }) => channel === 'events' && prev === before)
    assert.ok(announced < first, 'before the first frame behind it')
    assert.equal(client.of('events').at(-1)?.seq, beat?.['head'], 'the head is the last frame\'s, not a place that is set aside')

    const from = client.frames.length
    client.send({ op: 'subscribe', channels: ['events'], since: before, epoch: hello['epoch'] })
    assert.equal((await client.frame(isGap, from))['reason'], 'epoch')
    client.send({ op: 'subscribe', channels: ['events'], since: before, epoch: beat?.['epoch'] })
    const again = await client.frame(({ channel }) => channel === 'events', from)
    assert.equal(again.prev, before, 'the chain goes over the places that are set aside')
    const other = await connect()
    const hello2 = await other.frame(() => true)
    assert.deepEqual([hello2['epoch'], hello2['head']], [beat?.['epoch'], beat?.['head']])
    other.send({ op: 'subscribe', channels: ['events'], since: Number(beat?.['head']) - 2, epoch: beat?.['epoch'] })
    const last = await other.frame(({ channel }) => channel === 'events')
    assert.equal(last.seq, Number(beat?.['head']) - 1)
  })
})
