// Three instances on one database and one Redis: keys, challenges and rate limits apply to all of them, and each can be replaced under load without a failed
// request.

import { strict as assert } from 'node:assert'
import { Agent, request as sendRequest } from 'node:http'
import test from 'node:test'
import type { Clock } from '../../src/base/clock.ts'
import { issueKey } from '../../src/keys/keys.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { RATE_LIMIT_PER_WINDOW } from '../../src/limits.ts'
import type { IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'
import { WITHOUT_SERVER } from '../support/database.ts'
import { bearer, createWallet, signChallenge } from '../support/keys.ts'
import type { MainProcess } from '../support/main-process.ts'
import { openCluster } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { startCaddy, startLoadBalancer, WITHOUT_CADDY } from './load-balancers.ts'
import { startOwnRedis, WITHOUT_OWN_REDIS } from '../support/redis.ts'
import { readChannelLog } from '../stream/stream-audit.ts'
import { assertUnbroken, connectStream } from '../support/stream-client.ts'
import type { StreamClient, StreamFrame } from '../support/stream-client.ts'
import { freePort } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

const skip = WITHOUT_SERVER === false ? WITHOUT_OWN_REDIS : WITHOUT_SERVER
const INSTANCES = 3
const CALLERS = 3
const SUBSCRIBERS = 3
/** Pause between two calls of one caller. */
const CALL_PAUSE_MS = 20
/** Longer than two health probes of either load balancer. */
const HTTP_DRAIN_MS = 1_500
const PATHS = ['/v1/trades?limit=5', '/v1/events?limit=20', '/v1/oracle/prices', '/v1/markets', '/v1/vaults', '/v1/health', '/v1/leaderboard']

interface Instances extends AsyncDisposable {
  readonly cluster: Cluster
  readonly ports: readonly number[]
  readonly running: MainProcess[]
  start(port: number): Promise<MainProcess>
}

async function openInstances(seed: string, redisPort: number): Promise<Instances> {
  const cluster = await openCluster(seed)
  await using building = new AsyncDisposableStack()
  building.use(cluster)
  const indexer = cluster.start({ ROLE: 'indexer' })
  const ports = await Promise.all(Array.from({ length: INSTANCES }, freePort))
  const environment = {
    ROLE: 'api', REDIS_URL: `redis://127.0.0.1:${redisPort}`, TRUST_PROXY: '1', HTTP_DRAIN_MS: String(HTTP_DRAIN_MS), WS_DRAIN_MS: String(HTTP_DRAIN_MS),
  }
  const start = async (port: number): Promise<MainProcess> => {
    const started = cluster.start({ ...environment, PORT: String(port) })
    await started.url()
    return started
  }
  const running = await Promise.all(ports.map(start))
  await indexer.waitForLine(/^Indexer in sync/)
  const owned = building.move()
  return { cluster, ports, running, start, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

interface CallOptions {
  readonly method?: string
  readonly body?: object
  readonly key?: IssuedKey
  readonly from?: string
}

async function call(process: MainProcess, path: string, options: CallOptions = {}): Promise<ApiResponse> {
  const { method = 'GET', body, key, from = '192.0.2.1' } = options
  const headers = {
    'x-forwarded-for': from,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined ? {} : { authorization: bearer(key) }),
  }
  const response = await fetch(`${await process.url()}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  return { status: response.status, headers: response.headers, body: (await response.json()) as ApiResponse['body'] }
}

/** Obtains an API key: one instance issues the challenge, another verifies the signature. */
async function obtainKey(name: string, challenger: MainProcess, issuer: MainProcess): Promise<IssuedKey> {
  const wallet = createWallet(name)
  const address = wallet.publicKey()
  const challenge = await call(challenger, '/v1/keys/challenge', { method: 'POST', body: { address } })
  const { challengeHex } = challenge.body as unknown as KeyChallenge
  const signature = signChallenge({ challengeHex, signer: wallet })
  const issued = await call(issuer, '/v1/keys', { method: 'POST', body: { address, challenge: challengeHex, signature } })
  assert.equal(issued.status, 201, JSON.stringify(issued.body))
  return issued.body as unknown as IssuedKey
}

test('instances share rate limits, challenges, keys and revocations, and recover from a Redis outage', { skip }, async () => {
  const redisPort = await freePort()
  let redis = await startOwnRedis(redisPort)
  await using instances = await openInstances('shared', redisPort)
  const { running } = instances
  let addresses = 0
  /** Polling counts as many clients, so that none of them reaches its limit. */
  const newAddress = (): string => `198.${18 + (addresses >> 16)}.${addresses >> 8 & 255}.${addresses++ & 255}`
  const [first, second, third] = running as [MainProcess, MainProcess, MainProcess]
  const rateLimitModes = async (): Promise<unknown[]> => await Promise.all(running.map(async (process) => {
    const { body } = await call(process, '/v1/health', { from: newAddress() })
    return (body['rateLimits'] as { counting: unknown }).counting
  }))
  const allInMode = (expected: string) => async () => (await rateLimitModes()).every((mode) => mode === expected)
  await until(allInMode('shared'), 'shared rate limit counters')

  const key = await obtainKey('shared', first, second)
  const other = await obtainKey('shared', third, first)
  for (const process of running) assert.equal((await call(process, '/v1/account/me', { key })).status, 200)
  assert.equal((await call(first, `/v1/keys/${key.keyId}`, { method: 'DELETE', key: other })).status, 200)
  for (const process of [second, third]) {
    await until(async () => (await call(process, '/v1/account/me', { key, from: newAddress() })).status === 401, 'the revocation at every instance')
  }

  // The rate limit window may end during the loop, at any request, which resets the count once. Instances that counted alone would allow every request.
  const limit = RATE_LIMIT_PER_WINDOW.public
  const statuses: number[] = []
  for (let round = 0; round < 2 * limit + 2; round++) {
    statuses.push((await call(running[round % INSTANCES] ?? first, '/v1/trades?limit=1', { from: '192.0.2.99' })).status)
  }
  const allowed = statuses.filter((status) => status === 200).length
  assert.ok(allowed >= limit && allowed <= 2 * limit, `${allowed} requests were allowed at ${INSTANCES} instances with a limit of ${limit}`)

  await redis[Symbol.asyncDispose]()
  await until(async () => {
    for (const process of running) assert.equal((await call(process, '/v1/markets', { from: newAddress() })).status, 200)
    return await allInMode('fallback')()
  }, 'the instances to detect the Redis outage')
  const unavailable = await call(first, '/v1/keys/challenge', { method: 'POST', body: { address: createWallet('redis down').publicKey() } })
  assert.equal(unavailable.status, 503)
  redis = await startOwnRedis(redisPort)
  await using _ = redis
  await until(allInMode('shared'), 'the instances to reconnect to Redis')
  await obtainKey('redis back', second, third)
})

/** Sends one request at a time through the load balancer over keep-alive connections, until `stop` aborts. Any status other than 200 is a failure. */
async function sendRequests(url: string, key: IssuedKey, clock: Clock, stop: AbortSignal): Promise<{ calls: number; failures: string[] }> {
  const agent = new Agent({ keepAlive: true })
  const failures: string[] = []
  let calls = 0
  for (; !stop.aborted; calls++) {
    const path = PATHS[calls % PATHS.length] ?? '/'
    const outcome = await new Promise<string>((resolve) => {
      const request = sendRequest(`${url}${path}`, { agent, headers: { authorization: bearer(key) } }, (response) => {
        let errorText = ''
        response.on('data', (chunk: Buffer) => (errorText += response.statusCode === 200 ? '' : chunk.toString()))
        response.on('end', () => resolve(`${response.statusCode}${errorText}`))
        response.on('error', (error) => resolve(String(error)))
      })
      request.on('error', (error) => resolve(String(error)))
      request.end()
    })
    if (outcome !== '200') failures.push(`${path}: ${outcome}`)
    await clock.sleep(CALL_PAUSE_MS)
  }
  agent.destroy()
  return { calls, failures }
}

const CHANNELS = ['events', 'trades.BTC', 'trades.ETH'] as const

/** Follows the log through the load balancer and resumes after every disconnect, until `stop` has aborted and `isComplete` holds. */
async function followLog(url: string, isComplete: (received: ReadonlyMap<string, readonly StreamFrame[]>) => boolean, stop: AbortSignal) {
  const received = new Map<string, StreamFrame[]>(CHANNELS.map((channel) => [channel, []]))
  let connections = 0
  const isDone = (): boolean => stop.aborted && isComplete(received)
  while (!isDone()) {
    const client: StreamClient | undefined = await connectStream(url).catch(() => undefined)
    if (client === undefined) continue
    connections++
    for (const channel of CHANNELS) client.send({ op: 'subscribe', channels: [channel], since: received.get(channel)?.at(-1)?.seq ?? 0 })
    // The pong is a frame, so the condition below runs again even if no more events arrive.
    const ping = (): void => client.send({ op: 'ping' })
    stop.addEventListener('abort', ping)
    let processed = 0
    await client.frame((frame) => {
      for (; processed < client.frames.length; processed++) {
        const { channel, seq } = client.frames[processed] ?? {}
        if (seq !== undefined) received.get(channel ?? '')?.push(client.frames[processed] ?? frame)
      }
      return isDone()
    }).catch(() => undefined)
    stop.removeEventListener('abort', ping)
    assert.deepEqual(client.frames.filter(({ type }) => type === 'gap'), [])
    if (isDone()) await client.close()
  }
  return { received, connections }
}

const BALANCERS = [
  ['the test load balancer', startLoadBalancer, false],
  ['Caddy', startCaddy, WITHOUT_CADDY],
] as const

for (const [name, startBalancer, balancerMissing] of BALANCERS) {
  const skipReason = skip === false ? balancerMissing : skip
  test(`replaces every instance behind ${name} under load without a failed request or a lost or duplicate frame`, { skip: skipReason }, async () => {
    const redisPort = await freePort()
    await using _ = await startOwnRedis(redisPort)
    await using instances = await openInstances('rolling', redisPort)
    const { cluster, ports, running } = instances
    const { clock, store } = cluster
    await using balancer = await startBalancer(ports)
    const stopCalling = new AbortController()
    let lastSeqs: ReadonlyMap<string, number> | undefined
    const isComplete = (received: ReadonlyMap<string, readonly StreamFrame[]>): boolean =>
      lastSeqs !== undefined && CHANNELS.every((channel) => (received.get(channel)?.at(-1)?.seq ?? 0) >= (lastSeqs?.get(channel) ?? 0))
    const random = createSystemRandom()
    const keys = await Promise.all(Array.from({ length: CALLERS }, () =>
      issueKey(store.write, { owner: createWallet('load').publicKey(), tier: 'market_maker', label: null, clock, random })))
    const calling = keys.map((key) => sendRequests(balancer.url, key, clock, stopCalling.signal))
    const stopFollowing = new AbortController()
    const following = Array.from({ length: SUBSCRIBERS }, () => followLog(balancer.url, isComplete, stopFollowing.signal))
    for (const [index, port] of ports.entries()) {
      assert.equal(await running[index]?.stop('SIGTERM'), 0, running[index]?.errors())
      running[index] = await instances.start(port)
    }
    stopCalling.abort()
    const outcomes = await Promise.all(calling)
    await cluster.settle()
    const log = await readChannelLog(store.read)
    lastSeqs = new Map(CHANNELS.map((channel) => [channel, log.get(channel)?.at(-1)?.seq ?? 0]))
    stopFollowing.abort()
    const subscribers = await Promise.all(following)
    assert.deepEqual([...new Set(outcomes.flatMap(({ failures }) => failures))], [])
    const calls = outcomes.reduce((sum, outcome) => sum + outcome.calls, 0)
    assert.ok(calls > 100, `${calls} calls`)
    for (const { received, connections } of subscribers) {
      assert.ok(connections > 1, 'the client reconnected')
      for (const channel of CHANNELS) {
        const frames = received.get(channel) ?? []
        assertUnbroken(frames, 0)
        assert.deepEqual(frames.map(({ seq, data }) => ({ seq, data })), log.get(channel) ?? [], channel)
      }
    }
  })
}
