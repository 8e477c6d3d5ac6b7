// The stream against the log: whatever clients do, at two gateways on one database with restarts, each client holds the log of its channels in order and
// without duplicates, or got a gap message.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { createSystemClock, createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { RpcFailure } from '../../src/chain/rpc/failure.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { STREAM_LIMITS } from '../../src/limits.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { TRADERS } from '../index/accounts.ts'
import type { ExchangeEvent, TestExchange } from '../index/history.ts'
import { emptyIndex } from '../index/tables.ts'
import { createIndexFixture, FIRST_CLOSE_SEC } from '../index/fixture.ts'
import type { IndexFixture } from '../index/fixture.ts'
import { openTestStore } from '../support/database.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import { call, obtainKey, TEST_PASSPHRASE } from '../support/keys.ts'
import { checkDelivery, checkUpgrades, isComplete, readChannelLog, readDeliveries } from './stream-audit.ts'
import type { ChannelLog, SubscribeRequest } from './stream-audit.ts'
import { connectStream } from '../support/stream-client.ts'
import type { StreamClient } from '../support/stream-client.ts'
import { currentDeploymentOf } from '../support/deployments.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

const EVERYDAY_RUNS = 4
const RUNS = fuzzRuns(EVERYDAY_RUNS)
const CLIENTS = 5
const INSTANCES = 2
/** Small enough that some clients fall too far behind. */
const REPLAY_FRAMES = 60
const LIMITS = {
  ...STREAM_LIMITS, replayFrames: REPLAY_FRAMES, messagesPerSecond: 100_000, pingIntervalMs: 1_000_000_000, connectionsPerAddress: 100, drainMs: 1_000,
}
/** A script takes some seconds. One that runs this long, even on a busy machine, is stuck. */
const SCRIPT_LIMIT_MS = 180_000
/** A client that lacks frames after this many round trips will never get them. */
const ROUNDS_MAX = 500
const CHANNELS = ['events', 'trades.BTC', 'trades.ETH', 'trades.XLM', 'heartbeat', ...TRADERS.slice(0, 2).map((trader) => `account.events.${trader}`)]
/** Selects every channel. */
const ALL = 2 ** CHANNELS.length - 1
const WALLETS = TRADERS.slice(0, 2).map((_, index) => Keypair.fromRawEd25519Seed(Buffer.alloc(32, index + 1)))

const actions = [
  ...(['trade', 'trade', 'trade', 'trade', 'trade', 'trade', 'ledger', 'ledger', 'ledger', 'ledger', 'observe', 'follow', 'reset'] as const),
  ...(['upgrade', 'upgrade'] as const),
  ...(['connect', 'connect', 'disconnect', 'disconnect', 'login', 'login', 'revoke', 'restart'] as const),
  ...(['subscribe', 'subscribe', 'subscribe', 'resume', 'resume', 'resume', 'unsubscribe', 'far', 'far', 'far'] as const),
] as const

interface Op {
  readonly action: (typeof actions)[number]
  readonly who: number
  readonly pick: number
}

const script = fc.array(fc.record<Op>({ action: fc.constantFrom(...actions), who: fc.nat(CLIENTS - 1), pick: fc.nat(100_000) }), {
  minLength: 60, maxLength: 110, size: 'max',
})

interface Connection {
  readonly client: StreamClient
  readonly instance: Instance
  readonly requestsById: Map<string, SubscribeRequest>
}

/** A user over all of its connections. */
interface User {
  now: Connection | undefined
  readonly past: Connection[]
  /** The seq of the last frame of each channel, on this connection or an earlier one. */
  readonly lastSeqs: Map<string, number>
  epoch: unknown
}

interface Instance {
  readonly gateway: Gateway
  readonly url: string
}

interface Stage {
  readonly index: IndexFixture
  readonly clock: VirtualClock
  readonly instances: Instance[]
  readonly keys: IssuedKey[]
  readonly users: readonly User[]
  requests: number
  /** The current step, for the message of a timeout. */
  waitingFor: string
}

/** Counts of what the scripts reached, to ensure that the model covers it. */
const seen = new Map<string, number>()
const note = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1)

async function openInstance(index: IndexFixture, clock: VirtualClock): Promise<Instance> {
  const refused = new RpcFailure({ method: 'simulateTransaction', kind: 'rpc', code: -32602, retryable: false })
  const gateway = await createGateway({
    store, clock, log: silentLog,
    rpc: { ...index.node.rpc, simulateTransaction: () => Promise.reject(refused) },
    deployment: currentDeploymentOf(index.exchange.contracts, { passphrase: TEST_PASSPHRASE }),
    random: createSeededRandom(`stream model ${++instances}`),
    webOrigins: [], trustProxy: false, klinesUrls: [], redis: null, regionGuard: null,
    rateLimits: { public: 1_000_000, standard: 1_000_000, market_maker: 1_000_000 },
    streamLimits: LIMITS,
  })
  const url = await gateway.listen({ host: '127.0.0.1', port: 0 })
  gateway.stream.start()
  return { gateway, url }
}

let instances = 0

/** A round trip to the database and one turn of the event loop. */
async function turn(): Promise<void> {
  await store.read.query('select 1')
  await new Promise((resolve) => setImmediate(resolve))
}

/** Records the last seqs that the connection delivered. */
function recordSeqs(user: User): void {
  if (user.now === undefined) return
  const { client: { frames }, requestsById } = user.now
  for (const { channel, after: startSeq, frames: received } of readDeliveries(frames, requestsById).deliveries) {
    if (startSeq !== Infinity) user.lastSeqs.set(channel, received.at(-1)?.seq ?? startSeq)
  }
  user.epoch = frames.find(({ type }) => type === 'hello')?.['epoch'] ?? user.epoch
}

/** Keeps a closed connection for the check at the end. */
function archiveConnection(user: User): void {
  recordSeqs(user)
  if (user.now !== undefined) user.past.push(user.now)
  user.now = undefined
}

function sendRequest(stage: Stage, { now }: User, request: SubscribeRequest & { readonly op: string; readonly epoch?: unknown }): void {
  const id = `r${++stage.requests}`
  now?.requestsById.set(id, request)
  now?.client.send({ ...request, id })
}

function someChannels(pick: number): readonly string[] {
  const chosen = CHANNELS.filter((_, index) => (pick >> index) % 2 === 1)
  return chosen.length === 0 ? [CHANNELS[pick % CHANNELS.length] ?? ''] : chosen
}

/** Subscribes from the lowest last seq of these channels. */
function resume(stage: Stage, user: User, pick: number): void {
  recordSeqs(user)
  const channels = someChannels(pick).filter((channel) => user.lastSeqs.has(channel))
  if (channels.length === 0) return
  const since = Math.min(...channels.map((channel) => user.lastSeqs.get(channel) ?? 0))
  sendRequest(stage, user, { op: 'subscribe', channels, since, ...(pick % 3 === 0 && user.epoch !== undefined ? { epoch: user.epoch } : {}) })
}

async function connect(stage: Stage, user: User, pick: number): Promise<void> {
  if (user.now !== undefined) return
  const instance = stage.instances[pick % stage.instances.length]
  assert.ok(instance !== undefined)
  user.now = { client: await connectStream(instance.url), instance, requestsById: new Map() }
  const key = stage.keys[(pick >> 2) % WALLETS.length]
  if (key !== undefined && pick % 5 !== 0) user.now.client.send({ op: 'login', keyId: key.keyId, secret: key.secret })
  // A returning user resumes right after connecting; a new one subscribes.
  if (user.lastSeqs.size === 0) sendRequest(stage, user, { op: 'subscribe', channels: CHANNELS, snapshot: pick % 3 === 0 })
  else if (pick % 4 !== 0) resume(stage, user, ALL)
}

/** Drains and closes the gateway, then opens another one. */
async function restart(stage: Stage, which: number): Promise<void> {
  const old = stage.instances[which]
  assert.ok(old !== undefined)
  const closing = old.gateway.close()
  for (const user of stage.users) {
    if (user.now?.instance !== old) continue
    await user.now.client.frame(({ type }) => type === 'draining')
  }
  stage.clock.advance(LIMITS.drainMs)
  for (const user of stage.users) {
    if (user.now?.instance !== old) continue
    assert.deepEqual(await user.now.client.closed, { code: 1012, reason: 'restart' })
    archiveConnection(user)
  }
  await closing
  stage.instances[which] = await openInstance(stage.index, stage.clock)
}

/** Revokes a key at one instance, and expects all connections with it to close at both instances. */
async function revoke(stage: Stage, which: number, at: number): Promise<void> {
  const [key, wallet] = [stage.keys[which], WALLETS[which]]
  const app = stage.instances[at % stage.instances.length]?.gateway.app
  assert.ok(key !== undefined && wallet !== undefined && app !== undefined)
  const holders: User[] = []
  for (const user of stage.users) {
    await user.now?.client.settle()
    const logins = user.now?.client.frames.filter(({ type, ok }) => type === 'login' && ok === true)
    if (logins?.at(-1)?.['owner'] === key.owner) holders.push(user)
  }
  const answer = await call(app, `/v1/keys/${key.keyId}`, { method: 'DELETE', key })
  assert.equal(answer.status, 200, answer.text)
  let open = holders.length
  for (const { now } of holders) void now?.client.closed.then(() => open--)
  for (let rounds = 0; rounds < ROUNDS_MAX && open > 0; rounds++) {
    stage.clock.advance(500)
    await turn()
  }
  for (const user of holders) {
    assert.equal(open, 0, 'all connections with the key are closed')
    assert.deepEqual(await user.now?.client.closed, { code: 4401, reason: 'key_revoked' })
    archiveConnection(user)
    note('revoked')
  }
  stage.keys[which] = await obtainKey(app, wallet)
}

function queueEvents({ index }: Stage, pick: number): void {
  const { exchange } = index
  const amount = pick % 9_000
  const makes = [
    () => exchange.open(pick, amount), () => exchange.open(pick, amount), () => exchange.close(pick, amount), () => exchange.liquidate(pick, amount),
    () => exchange.placeOrder(pick), () => exchange.endOrder(pick), () => exchange.other(pick),
  ]
  for (let times = 0; times <= pick % 4; times++) index.queue(makes[(pick + times) % makes.length]?.())
}

async function play(stage: Stage, { action, who, pick }: Op): Promise<void> {
  const { index, users } = stage
  const user = users[who]
  assert.ok(user !== undefined)
  const client = user.now?.client
  switch (action) {
    case 'trade': return queueEvents(stage, pick)
    case 'ledger':
      index.closeLedger(1 + (pick % 5))
      return void (await index.catchUp())
    case 'observe': return void (await index.indexer.observe())
    case 'upgrade': return index.queue(upgradeOf(index.exchange, pick))
    case 'follow': return await stage.instances[pick % INSTANCES]?.gateway.stream.publishCommitted()
    case 'connect': return await connect(stage, user, pick)
    case 'subscribe': return sendRequest(stage, user, { op: 'subscribe', channels: someChannels(pick), snapshot: pick % 3 === 0 })
    case 'resume': return resume(stage, user, pick)
    case 'far': return sendRequest(stage, user, { op: 'subscribe', channels: someChannels(pick), since: pick % 3 === 0 ? 1_000_000 : pick % 3 })
    case 'unsubscribe': return client?.send({ op: 'unsubscribe', channels: someChannels(pick & (pick >> 3)) })
    case 'login': {
      const key = stage.keys[pick % WALLETS.length]
      return client?.send({ op: 'login', keyId: key?.keyId, secret: pick % 7 === 0 ? 'wrong' : key?.secret })
    }
    case 'revoke': return await revoke(stage, pick % WALLETS.length, pick >> 4)
    case 'disconnect':
      if (client === undefined) return
      if (pick % 2 === 0) client.webSocket.terminate()
      else client.webSocket.close()
      await client.closed
      return archiveConnection(user)
    case 'restart': return await restart(stage, pick % INSTANCES)
    case 'reset':
      if (pick % 4 !== 0) return
      index.reset()
      index.closeLedger(60)
      // One ledger of another chain proves no reset.
      index.closeLedger()
      return void (await index.catchUp())
  }
}

/** Indexes and publishes everything, including events whose owner is found late. */
async function settle({ index, instances: running }: Stage): Promise<void> {
  index.closeLedger()
  await index.catchUp()
  await index.indexer.observe()
  for (let ledger = 0; ledger < 3; ledger++) {
    index.queue(index.exchange.other(0))
    index.closeLedger()
    await index.catchUp()
  }
  await Promise.all(running.map(({ gateway }) => gateway.stream.publishCommitted()))
}

/** Waits until the connection has received all of its frames. */
async function checkOpen({ client, requestsById }: Connection, log: ChannelLog): Promise<void> {
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
    await client.settle()
    if ([...readDeliveries(client.frames, requestsById).open.values()].every((delivery) => isComplete(delivery, log))) return
    await turn()
  }
  for (const delivery of readDeliveries(client.frames, requestsById).open.values()) {
    assert.ok(isComplete(delivery, log), `${delivery.channel} after ${delivery.after}: only ${delivery.frames.length} frames arrived`)
  }
}

/** An upgrade to code that no node has. */
function upgradeOf(exchange: TestExchange, pick: number): ExchangeEvent {
  const executable = (byte: number): string =>
    xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('Wasm'), xdr.ScVal.scvBytes(Buffer.alloc(32, byte))]).toXdr('base64')
  const topicsXdr = [xdr.ScVal.scvSymbol('executable_update').toXdr('base64'), executable(1), executable(pick % 250)]
  const { event, fact } = exchange.other(pick)
  return { event: { ...event, contractId: exchange.contracts.market, isSystem: true, topicsXdr, valueXdr: xdr.ScVal.scvVec([]).toXdr('base64') }, fact }
}

function checkAll({ client, requestsById }: Connection, log: ChannelLog, upgradeSeqs: readonly number[]): void {
  for (const delivery of readDeliveries(client.frames, requestsById).deliveries) {
    checkDelivery(delivery, log)
    if (checkUpgrades(delivery, client.frames, upgradeSeqs) > 0) note('upgrades')
    if (delivery.frames.length > 0) note(`frames of ${delivery.channel.split('.')[0]}`)
  }
  for (const { reason } of client.frames.filter(({ type }) => type === 'gap') as { reason?: unknown }[]) note(`gap ${String(reason)}`)
}

async function playAndCheck(stage: Stage, ops: readonly Op[]): Promise<void> {
  const [first] = stage.instances
  for (const wallet of WALLETS) if (first !== undefined) stage.keys.push(await obtainKey(first.gateway.app, wallet))
  for (let picks = 0; picks < REPLAY_FRAMES; picks++) await play(stage, { action: picks % 10 === 9 ? 'ledger' : 'trade', who: 0, pick: picks * 7 })
  for (const [who, user] of stage.users.entries()) await connect(stage, user, 12 * who + 1)
  for (const [index, op] of ops.entries()) {
    stage.waitingFor = `step ${index} of ${ops.length}, ${JSON.stringify(op)}`
    await play(stage, op)
  }
  stage.waitingFor = 'everything to be indexed and published'
  await settle(stage)
  const log = await readChannelLog(store.read)
  const upgrades = await store.read.query<{ seq: number }>('select seq from idx.contract_versions where seq is not null')
  const upgradeSeqs = upgrades.map(({ seq }) => seq)
  for (const [who, { now, past }] of stage.users.entries()) {
    stage.waitingFor = `everything to reach client ${who}`
    if (now !== undefined) await checkOpen(now, log)
    for (const connection of now === undefined ? past : [...past, now]) checkAll(connection, log, upgradeSeqs)
  }
  const connected = stage.users.filter(({ now }) => now !== undefined).length
  assert.equal(stage.instances.reduce((sum, { gateway }) => sum + gateway.stream.connections(), 0), connected, 'closed connections are removed')
}

/** Disconnects all clients and closes the gateways. */
async function closeAll(stage: Stage): Promise<void> {
  stage.waitingFor = `the gateways to close, after ${stage.waitingFor}`
  for (const { now } of stage.users) now?.client.webSocket.terminate()
  const closing = Promise.all(stage.instances.map(({ gateway }) => gateway.close()))
  stage.clock.advance(LIMITS.drainMs)
  await closing
}

/** Rejects with the current step when the work takes too long. */
async function withScriptTimeout(work: Promise<void>, stage: Stage): Promise<void> {
  const timeout = Promise.withResolvers<never>()
  const timer = createSystemClock().setTimer(SCRIPT_LIMIT_MS, () => timeout.reject(new Error(`timed out waiting for ${stage.waitingFor}`)))
  try {
    await Promise.race([work, timeout.promise])
  } finally {
    timer.cancel()
  }
}

async function runScript(ops: readonly Op[]): Promise<void> {
  await emptyIndex(store.write)
  const clock = createVirtualClock(FIRST_CLOSE_SEC * 1000)
  await using index = createIndexFixture(store, { clock })
  index.closeLedger()
  const stage: Stage = {
    index, clock,
    instances: [await openInstance(index, clock), await openInstance(index, clock)],
    keys: [],
    users: Array.from({ length: CLIENTS }, () => ({ now: undefined, past: [], lastSeqs: new Map(), epoch: undefined })),
    requests: 0,
    waitingFor: 'the first step',
  }
  try {
    await withScriptTimeout(playAndCheck(stage, ops), stage)
  } finally {
    await withScriptTimeout(closeAll(stage), stage)
  }
}

test('property: each client holds the log of its channels without unannounced gaps', async () => {
  await fc.assert(fc.asyncProperty(script, runScript), { numRuns: RUNS, endOnFailure: true })
  // A few scripts need not reach everything.
  if (RUNS < EVERYDAY_RUNS) return
  for (const what of ['revoked', 'frames of events', 'frames of trades', 'frames of account', 'gap ahead', 'gap too_far']) {
    assert.ok((seen.get(what) ?? 0) > 0, `the scripts never reached ${what}, only ${JSON.stringify([...seen])}`)
  }
})
