import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { WITHOUT_REDIS, testRedisUrl } from '../../test/support/redis.ts'
import { createTcpProxy } from '../../test/support/tcp-proxy.ts'
import type { TcpProxy } from '../../test/support/tcp-proxy.ts'
import { createSystemClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createSystemRandom } from '../base/random.ts'
import { createRedis } from './redis.ts'
import type { Redis } from './redis.ts'
import { ChallengesUnavailable } from '../keys/challenges.ts'
import { createSharedChallenges } from './shared-challenges.ts'
import { createSharedCounts } from './shared-counts.ts'

const WINDOW_SEC = 60

/** A log that a test can wait on for a message. */
function createWaitableLog() {
  const lines: string[] = []
  const waiting: { readonly part: string; readonly resolve: () => void }[] = []
  const write = (fields: Record<string, unknown>, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`)
    for (const { part, resolve } of waiting) if (message.includes(part)) resolve()
  }
  const log: Log = { debug: write, info: write, warn: write, error: write }
  const logged = (part: string): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ part, resolve })
    })
  return { log, lines, logged }
}

async function connected(work: (parts: { wire: TcpProxy; redis: Redis; logged: (part: string) => Promise<void>; lines: readonly string[] }) => Promise<void>) {
  await using wire = await createTcpProxy(testRedisUrl() ?? '')
  const { log, lines, logged } = createWaitableLog()
  const ready = logged('is available')
  await using redis = createRedis({ url: wire.url, clock: createSystemClock(), random: createSystemRandom(), log })
  await ready
  await work({ wire, redis, logged, lines })
}

test('two instances share the counts of a window, and the next window starts at zero', { skip: WITHOUT_REDIS }, async () => {
  await connected(async ({ redis }) => {
    const [one, two] = [createSharedCounts(redis, WINDOW_SEC), createSharedCounts(redis, WINDOW_SEC)]
    const window = randomBytes(4).readUInt32LE()
    const caller = randomBytes(6).toString('hex')
    assert.equal(await one.add(window, 'public', caller), 1)
    assert.equal(await two.add(window, 'public', caller), 2)
    assert.equal(await one.add(window, 'standard', caller), 1)
    assert.equal(await one.add(window, 'public', caller), 3)
    assert.equal(await one.add(window + 1, 'public', caller), 1)
    const ttl = await redis.run((client) => client.ttl(`requests:${window}`))
    assert.ok(ttl !== undefined && ttl > 0 && ttl <= 2 * WINDOW_SEC, `a window expires (${ttl} s)`)
  })
})

test('reports a lost connection as unavailable, and reconnects', { skip: WITHOUT_REDIS }, async () => {
  await connected(async ({ wire, redis, logged }) => {
    const unavailable = logged('is unavailable')
    wire.cut()
    await unavailable
    assert.equal(redis.available, false)
    assert.equal(await redis.run((client) => client.ping()), undefined)
    const available = logged('is available')
    wire.restore()
    await available
    assert.equal(redis.available, true)
    assert.equal(await redis.run((client) => client.ping()), 'PONG')
  })
})

test('commands time out when the server does not respond', { skip: WITHOUT_REDIS }, async () => {
  await connected(async ({ wire, redis, logged }) => {
    const unavailable = logged('is unavailable')
    wire.block()
    const responses = await Promise.all(Array.from({ length: 100 }, () => redis.run((client) => client.ping())))
    await unavailable
    assert.deepEqual(new Set(responses), new Set([undefined]))
    assert.equal(redis.available, false, 'no commands are sent during the backoff')
  })
})

test('starts with an unreachable server, and does not log its password', { skip: WITHOUT_REDIS }, async () => {
  const { log, lines, logged } = createWaitableLog()
  const unavailable = logged('is unavailable')
  await using redis = createRedis({ url: 'redis://:a-secret-word@127.0.0.1:1', clock: createSystemClock(), random: createSystemRandom(), log })
  await unavailable
  assert.equal(await redis.run((client) => client.ping()), undefined)
  assert.ok(!lines.join('\n').includes('a-secret-word'))
})

test('a challenge from one instance can be taken once, at any instance', { skip: WITHOUT_REDIS }, async () => {
  await connected(async ({ wire, redis, logged }) => {
    const clock = createSystemClock()
    const [one, two] = [createSharedChallenges(redis, clock), createSharedChallenges(redis, clock)]
    const address = `G${randomBytes(8).toString('hex')}`
    const expiresAtMs = clock.nowMs() + 60_000
    await one.put(address, 'aa', expiresAtMs)
    await one.put(address, 'bb', expiresAtMs)
    assert.deepEqual(await two.take(address), { challengeHex: 'bb', expiresAtMs })
    assert.equal(await one.take(address), undefined)
    await one.put(address, 'cc', expiresAtMs)
    const ttl = await redis.run((client) => client.pTTL(`challenge:${address}`))
    assert.ok(ttl !== undefined && ttl > 0 && ttl <= 60_000)
    const unavailable = logged('is unavailable')
    wire.cut()
    await unavailable
    await assert.rejects(one.take(address), ChallengesUnavailable)
    await assert.rejects(one.put(address, 'dd', expiresAtMs), ChallengesUnavailable)
  })
})
