// Every reason that a gap can have, with the client and the gateway on real sockets.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { createClient } from '../../client/src/client.ts'
import type { Gap } from '../../client/src/stream-frames.ts'
import type { Stream } from '../../client/src/stream.ts'
import { STREAM_LIMITS } from '../../src/limits.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'

/** Resolves with the first gap. */
function firstGap(stream: Stream): Promise<Gap> {
  return new Promise((resolve) => {
    stream.onProblem((problem) => {
      if (problem.kind === 'gap') resolve(problem.gap)
    })
  })
}

test('too_far and ahead: the position cannot be resumed', async () => {
  await using fixture = await createGatewayFixture({ listen: true, gateway: { streamLimits: { ...STREAM_LIMITS, replayFrames: 10 } } })
  await fixture.publishLedgers(30)
  const head = Number((await fixture.get('/v1/events?limit=1')).headers['x-seq'])
  for (const [since, reason] of [[0, 'too_far'], [head + 100, 'ahead']] as const) {
    const stream = createClient({ url: fixture.url }).stream()
    const gap = firstGap(stream)
    stream.on('events', () => {}, { since })
    let found: Gap | undefined
    void gap.then((one) => (found = one))
    // The first live frame shows where the gap ends.
    while (found === undefined) await fixture.publishLedgers(2)
    assert.deepEqual([found.channels, found.since, found.reason], [['events'], since, reason])
    stream.close()
  }
})

test('epoch: a reset begins while the client is connected', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  await fixture.publishLedgers(20)
  const stream = createClient({ url: fixture.url }).stream()
  const gap = firstGap(stream)
  const connected = new Promise<void>((resolve) => void stream.on('events', () => resolve(), { since: 0 }))
  await connected
  await fixture.control('local_reset')
  await fixture.publishLedgers(20)
  assert.deepEqual([(await gap).channels, (await gap).reason], [['events'], 'epoch'])
  stream.close()
})

test('hole: a frame is missing, and a new connection does not bring it', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  await fixture.publishLedgers(20)
  const rows = (await fixture.get<{ events: readonly { seq: number }[] }>('/v1/events?limit=3')).body.events
  const [last = 0, lost = 0, before = 0] = rows.map(({ seq }) => seq)
  // A proxy that never forwards one frame.
  const proxy = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(proxy, 'listening')
  let connections = 0
  proxy.on('connection', (client) => {
    connections += 1
    const gateway = new WebSocket(`${fixture.url.replace('http', 'ws')}/v1/ws`)
    client.on('message', (data) => gateway.send((data as Buffer).toString('utf8')))
    gateway.on('message', (data) => {
      const text = (data as Buffer).toString('utf8')
      if ((JSON.parse(text) as { seq?: number }).seq !== lost) client.send(text)
    })
    client.on('close', () => gateway.close())
  })
  const stream = createClient({ url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }).stream()
  const gap = firstGap(stream)
  const seqs: (number | undefined)[] = []
  stream.on('events', ({ seq }) => seqs.push(seq), { since: before })
  assert.deepEqual(await gap, { channels: ['events'], since: before, until: lost, reason: 'hole' })
  assert.equal(connections, 2, 'it was requested again on a new connection')
  assert.equal(seqs.includes(lost), false)
  assert.ok(last > lost)
  stream.close()
  proxy.close()
})
