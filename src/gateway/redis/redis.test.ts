import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { WITHOUT_REDIS, testRedisUrl } from '../../../test/support/redis.ts'
import { createTcpProxy } from '../../../test/support/tcp-proxy.ts'
import type { TcpProxy } from '../../../test/support/tcp-proxy.ts'
import { createSystemClock, createVirtualClock } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { createSystemRandom } from '../../base/random.ts'
import type { Bucket, SharedOutcome } from '../../http/rate-limit.ts'
import { createRedis, reconnectDelayMs } from './redis.ts'
import type { Redis } from './redis.ts'
import { ChallengesUnavailable } from '../../keys/challenges.ts'
import { createSharedChallengeState } from './shared-challenges.ts'
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

async function connected(
  work: (parts: { wire: TcpProxy; redis: Redis; logged: (part: string) => Promise<void>; lines: readonly string[] }) => Promise<void>,
  clock: Clock = createSystemClock(),
): Promise<void> {
  await using wire = await createTcpProxy(testRedisUrl() ?? '')
  const { log, lines, logged } = createWaitableLog()
  const ready = logged('is available')
  await using redis = createRedis({ url: wire.url, clock, random: createSystemRandom(), log })
  await ready
  await work({ wire, redis, logged, lines })
}

/** Two instances on one Redis, and a window that no other test uses. */
function createTwo(redis: Redis, maxCallers = 1_000) {
  const [one, two] = ['one', 'two'].map(() => createSharedCounts(redis, { windowSec: WINDOW_SEC, maxCallers }))
  assert.ok(one !== undefined && two !== undefined)
  return { one, two, window: randomBytes(4).readUInt32LE() }
}

const bucket = (table: string, key: string, limit = 3): Bucket => ({ table, key, limit })

test('the delay before a reconnection grows up to about two seconds', () => {
  const delays = (float: number): readonly number[] => [0, 1, 5, 6, 10, 11, 10_000].map((retries) => reconnectDelayMs(retries, { float: () => float }))
  assert.deepEqual(delays(0), [50, 50, 50, 50, 50, 50, 50])
  assert.deepEqual(delays(1), [100, 150, 1_650, 2_050, 2_050, 2_050, 2_050])
})

test('two instances share the counts of a window, and the next window starts at zero', { skip: WITHOUT_REDIS }, async () => {
  await connected(async ({ redis }) => {
    const { one, two, window } = createTwo(redis)
    const [caller, keys] = [bucket('public', 'caller'), bucket('keys', 'caller', 2)]
    assert.deepEqual(await one.take(window, [caller], 1), { allowed: true, used: [1] })
    assert.deepEqual(await two.take(window, [caller, keys], 1), { allowed: true, used: [2, 1] })
    assert.deepEqual(await one.take(window, [keys], 0), { allowed: true, used: [1] }, 'an amount of 0 only reads')
    assert.deepEqual(await one.take(window, [keys], 1), { allowed: true, used: [2] })
    assert.deepEqual(await two.take(window, [caller, keys], 1), { allowed: false, used: [2, 2] }, 'counts in all buckets or in none')
    assert.deepEqual(await one.take(window, [caller], 5), { allowed: true, used: [7] })
    assert.deepEqual(await two.take(window, [caller], 1), { allowed: false, used: [7] })
    assert.deepEqual(await one.take(window + 1, [caller], 1), { allowed: true, used: [1] })
  })
})

test('a crowd is counted in bounded memory that expires, and new callers keep their limit', { skip: WITHOUT_REDIS }, async () => {
  await connected(async ({ redis }) => {
    const { one, two, window } = createTwo(redis, 100)
    const callers = Array.from({ length: 1_000 }, (_, index) => `caller ${index}`)
    const outcomes: (SharedOutcome | undefined)[] = []
    // In batches that a busy machine answers within the time limit of a command.
    for (let start = 0; start < callers.length; start += 20) {
      const batch = callers.slice(start, start + 20).map((caller) => one.take(window, [bucket('public', caller)], 1))
      outcomes.push(...(await Promise.all(batch)))
    }
    assert.ok(outcomes.every((outcome) => outcome?.allowed === true))
    const counts: unknown[] = []
    for (const instance of [one, two, one, two]) counts.push(await instance.take(window, [bucket('public', 'fresh')], 1))
    assert.deepEqual(counts, [1, 2, 3, 3].map((used, index) => ({ allowed: index < 3, used: [used] })))
    const keys = (await redis.run((client) => client.keys(`requests:${window}:*`))) ?? []
    assert.deepEqual(keys, [`requests:${window}:public`])
    assert.equal(await redis.run((client) => client.hLen(`requests:${window}:public`)), 100)
    for (const key of keys) {
      const ttl = await redis.run((client) => client.ttl(key))
      assert.ok(ttl !== undefined && ttl > 0 && ttl <= 2 * WINDOW_SEC, `${key} expires (${ttl} s)`)
    }
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

test('each command has 250 ms; a second after a timeout commands are sent again, and the log says that they work', { skip: WITHOUT_REDIS }, async () => {
  const clock = createVirtualClock(1_000_000)
  await connected(async ({ redis, lines }) => {
    const ended: string[] = []
    const withoutResponse = async (name: string): Promise<void> => {
      await redis.run(() => new Promise<never>(() => {}))
      ended.push(name)
    }
    const first = withoutResponse('first')
    clock.advance(100)
    const second = withoutResponse('second')
    clock.advance(149)
    await setImmediate()
    assert.deepEqual(ended, [])
    clock.advance(1)
    await first
    assert.deepEqual(ended, ['first'])
    clock.advance(100)
    await second
    clock.advance(999)
    assert.equal(await redis.run((client) => client.ping()), undefined)
    clock.advance(1)
    assert.equal(await redis.run((client) => client.ping()), 'PONG')
    assert.deepEqual(lines.map((line) => /is (?:un)?available/.exec(line)?.[0]), ['is available', 'is unavailable', 'is available'])
  }, clock)
})

test('starts with an unreachable server, and does not log its password', { skip: WITHOUT_REDIS }, async () => {
  const { log, lines, logged } = createWaitableLog()
  const unavailable = logged('is unavailable')
  await using redis = createRedis({ url: 'redis://:a-secret-word@127.0.0.1:1', clock: createSystemClock(), random: createSystemRandom(), log })
  await unavailable
  assert.equal(await redis.run((client) => client.ping()), undefined)
  assert.ok(!lines.join('\n').includes('a-secret-word'))
})

test('instances share the secret of challenges and the slots of those used, atomically', { skip: WITHOUT_REDIS }, async () => {
  await connected(async ({ wire, redis, logged }) => {
    const [one, two] = [createSharedChallengeState(redis), createSharedChallengeState(redis)]
    const secret = await one.secret(randomBytes(32))
    assert.deepEqual(await two.secret(randomBytes(32)), secret, 'the first secret stays')
    const slot = randomBytes(2).readUInt16BE()
    const [tag, other] = [randomBytes(6).toString('hex'), randomBytes(6).toString('hex')]
    await one.set(slot, { tag, nonce: 'aaaa' })
    await one.set(slot, { tag, nonce: 'bbbb' })
    assert.equal(await two.use(slot, { tag, nonce: 'aaaa' }), false, 'replaced')
    await one.set(slot, { tag, nonce: 'cccc' })
    const raced = await Promise.all(Array.from({ length: 50 }, (_, racer) => (racer % 2 === 0 ? one : two).use(slot, { tag, nonce: 'cccc' })))
    assert.equal(raced.filter((isFirst) => isFirst).length, 1)
    assert.equal(await two.use(slot, { tag: other, nonce: 'dddd' }), true, 'the entry of another tag shows nothing')
    const restrictions = '{"scopes":["read"],"caps":{"assets":["BTC"]}}'
    await one.set(slot, { tag, nonce: 'eeee', restrictions })
    const bound = { tag, nonce: 'eeee' }
    assert.equal(await two.restrictions(slot, bound), restrictions, 'the other instance knows what the challenge is bound to')
    assert.deepEqual([await two.restrictions(slot, { tag, nonce: 'ffff' }), await two.restrictions(slot, { tag: other, nonce: 'eeee' })], ['', ''])
    assert.deepEqual([await two.use(slot, bound), await one.use(slot, bound)], [true, false], 'a restricted challenge is used once')
    assert.equal(await one.restrictions(slot, bound), '')
    const ttl = await redis.run((client) => client.ttl('challenge-slots'))
    assert.ok(ttl !== undefined && ttl > 300 && ttl <= 600, `the slots expire (${ttl} s)`)
    const unavailable = logged('is unavailable')
    wire.cut()
    await unavailable
    await assert.rejects(one.secret(secret), ChallengesUnavailable)
    await assert.rejects(one.set(slot, { tag, nonce: null }), ChallengesUnavailable)
    await assert.rejects(one.use(slot, { tag, nonce: 'aaaa' }), ChallengesUnavailable)
    await assert.rejects(one.restrictions(slot, bound), ChallengesUnavailable)
  })
})
