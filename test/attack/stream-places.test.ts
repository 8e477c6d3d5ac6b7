// No client can take all connections of the stream: when there are too many, the largest holder gives way to a newcomer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamClient } from '../support/stream-client.ts'
import { createStreamFixture } from '../stream/stream-fixture.ts'
import type { StreamFixture } from '../stream/stream-fixture.ts'

const NETWORKS = 5
const PER_ADDRESS = 2
const LIMITS = { connections: 100, connectionsPerAddress: PER_ADDRESS }

/** Takes all connections from fifty addresses of five networks. */
async function takeAll(fixture: StreamFixture): Promise<readonly StreamClient[]> {
  const clients: StreamClient[] = []
  for (let index = 0; index < LIMITS.connections; index++) {
    clients.push(await fixture.connect(`10.0.${index % NETWORKS}.${Math.floor(index / NETWORKS / PER_ADDRESS)}`))
  }
  return clients
}

/** Of each client, the close code and the reason; undefined while it is open. */
function closesOf(clients: readonly StreamClient[]): readonly unknown[] {
  const closes: unknown[] = clients.map(() => undefined)
  clients.forEach((client, index) => void client.closed.then((close) => (closes[index] = close)))
  return closes
}

test('idle connections from fifty addresses do not keep newcomers out', async () => {
  await using fixture = await createStreamFixture({ limits: LIMITS })
  const crowd = await takeAll(fixture)
  const closes = closesOf(crowd)
  for (let client = 0; client < 10; client++) {
    const newcomer = await fixture.connect(`198.51.${client}.1`)
    await newcomer.frame(({ type }) => type === 'hello')
  }
  assert.equal(fixture.stream.connections(), LIMITS.connections)
  await fixture.connect('10.0.0.99')
  await Promise.allSettled(crowd.map((client) => client.settle()))
  const evicted = closes.filter((close) => close !== undefined)
  assert.deepEqual(evicted, Array.from({ length: 11 }, () => ({ code: 1013, reason: 'evicted' })))
})

test('a connection without channels gives way before one that is used, and nobody to a client that would have the most', async () => {
  await using fixture = await createStreamFixture({ limits: { connections: 4, connectionsPerAddress: 4 } })
  const idle = await fixture.connect('192.0.2.1')
  const used = [await fixture.connect('192.0.2.1'), await fixture.connect('192.0.2.1')]
  for (const client of used) {
    client.send({ op: 'subscribe', channels: ['heartbeat'] })
    await client.frame(({ type }) => type === 'subscribed')
  }
  const other = await fixture.connect('198.51.100.1')
  const newcomer = await fixture.connect('203.0.113.1')
  assert.deepEqual(await idle.closed, { code: 1013, reason: 'evicted' })
  const second = await fixture.connect('203.0.113.1')
  assert.deepEqual(await second.closed, { code: 1013, reason: 'server_full' })
  const third = await fixture.connect('203.0.114.1')
  assert.deepEqual(await used[1]?.closed, { code: 1013, reason: 'evicted' }, 'the newest')
  const last = await fixture.connect('203.0.115.1')
  assert.deepEqual(await last.closed, { code: 1013, reason: 'server_full' }, 'everyone has one')
  for (const client of [other, newcomer, third, used[0]]) assert.equal(client?.webSocket.readyState, 1)
})
