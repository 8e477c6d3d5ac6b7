import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { WITHOUT_REDIS, testRedisUrl } from '../../test/support/redis.ts'
import { createWire } from '../../test/support/wire.ts'
import type { Wire } from '../../test/support/wire.ts'
import { createSystemClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createSystemRandom } from '../base/random.ts'
import { createRedis } from './redis.ts'
import type { Redis } from './redis.ts'
import { ChallengesUnavailable } from '../keys/challenges.ts'
import { createSharedChallenges } from './shared-challenges.ts'
import { createSharedCounts } from './shared-counts.ts'

const WINDOW_SEC = 60

/** A log that resolves whoever waits for a sentence. */
function createListeningLog() {
  const lines: string[] = []
  const waiting: { readonly part: string; readonly resolve: () => void }[] = []
  const write = (fields: Record<string, unknown>, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`)
    for (const { part, resolve } of waiting) if (message.includes(part)) resolve()
  }
  const log: Log = { debug: write, info: write, warn: write, error: write }
  const said = (part: string): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ part, resolve })
    })
  return { log, lines, said }
}

async function connected(work: (parts: { wire: Wire; redis: Redis; said: (part: string) => Promise<void>; lines: readonly string[] }) => Promise<void>) {
  await using wire = await createWire(testRedisUrl() ?? '')
  const { log, lines, said } = createListeningLog()
  const ready = said('Redis answers')
  await using redis = createRedis({ url: wire.url, clock: createSystemClock(), random: createSystemRandom(), log })
  await ready
  await work({ wire, redis, said, lines })
}

test('two instances count one window together, and another window anew', { skip: WITHOUT_REDIS }, async () => {
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
    assert.ok(ttl !== undefined && ttl > 0 && ttl <= 2 * WINDOW_SEC, `a window goes by itself (${ttl} s)`)
  })
})

test('a lost connection is told at once as unavailable, and found again by itself', { skip: WITHOUT_REDIS }, async () => {
  await connected(async ({ wire, redis, said }) => {
    const away = said('does not answer')
    wire.cut()
    await away
    assert.equal(redis.available, false)
    assert.equal(await redis.run((client) => client.ping()), undefined)
    const back = said('Redis answers')
    wire.mend()
    await back
    assert.equal(redis.available, true)
    assert.equal(await redis.run((client) => client.ping()), 'PONG')
  })
})

test('a server that takes commands and answers none holds nobody up for long', { skip: WITHOUT_REDIS }, async () => {
  await connected(async ({ wire, redis, said }) => {
    const away = said('does not answer')
    wire.block()
    const answers = await Promise.all(Array.from({ length: 100 }, () => redis.run((client) => client.ping())))
    await away
    assert.deepEqual(new Set(answers), new Set([undefined]))
    assert.equal(redis.available, false, 'nothing more is sent for a while')
  })
})

test('an address where nobody listens does not stop the start, and its password is in no log', { skip: WITHOUT_REDIS }, async () => {
  const { log, lines, said } = createListeningLog()
  const away = said('does not answer')
  await using redis = createRedis({ url: 'redis://:a-secret-word@127.0.0.1:1', clock: createSystemClock(), random: createSystemRandom(), log })
  await away
  assert.equal(await redis.run((client) => client.ping()), undefined)
  assert.ok(!lines.join('\n').includes('a-secret-word'))
})

test('a challenge that one instance gave is taken once, at whichever instance', { skip: WITHOUT_REDIS }, async () => {
  await connected(async ({ wire, redis, said }) => {
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
    const away = said('does not answer')
    wire.cut()
    await away
    await assert.rejects(one.take(address), ChallengesUnavailable)
    await assert.rejects(one.put(address, 'dd', expiresAtMs), ChallengesUnavailable)
  })
})
