// The stream against the log: whatever clients do, at two gateways on one database that are restarted under them, what each of them holds is the log, channel
// by channel, in order, once each, or a gap that was announced.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Keypair } from '@stellar/stellar-sdk'
import { createSystemClock, createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { RpcFailure } from '../../src/chain/failure.ts'
import { resolveContracts } from '../../src/config.ts'
import { createGateway } from '../../src/gateway.ts'
import type { Gateway } from '../../src/gateway.ts'
import { STREAM_LIMITS } from '../../src/limits.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { TRADERS } from '../index/history.ts'
import { emptyIndex } from '../index/tables.ts'
import { createIndexFixture, FIRST_CLOSE_SEC } from '../index/fixture.ts'
import type { IndexFixture } from '../index/fixture.ts'
import { openTestStore } from '../support/database.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import { call, obtainKey, TEST_PASSPHRASE } from '../support/keys.ts'
import { checkStretch, isComplete, readChannelLog, readStretches } from '../support/stream-audit.ts'
import type { ChannelLog, SubscribeAsked } from '../support/stream-audit.ts'
import { connectStream } from '../support/stream-client.ts'
import type { StreamClient } from '../support/stream-client.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

const EVERYDAY_RUNS = 4
const RUNS = fuzzRuns(EVERYDAY_RUNS)
const CLIENTS = 5
const INSTANCES = 2
/** Small enough that clients fall too far behind now and then. */
const REPLAY_FRAMES = 60
const LIMITS = {
  ...STREAM_LIMITS, replayFrames: REPLAY_FRAMES, messagesPerSecond: 100_000, pingIntervalMs: 1_000_000_000, connectionsPerAddress: 100, drainMs: 1_000,
}
/** A script needs some seconds. One that is not over after this long, on however busy a machine, waits for something that never comes. */
const SCRIPT_LIMIT_MS = 180_000
/** A client has everything after so many round trips, or it will never have it. */
const ROUNDS_MAX = 500
const CHANNELS = ['events', 'trades.BTC', 'trades.ETH', 'trades.XLM', 'heartbeat', ...TRADERS.slice(0, 2).map((trader) => `account.events.${trader}`)]
/** Picks every channel. */
const ALL = 2 ** CHANNELS.length - 1
const WALLETS = TRADERS.slice(0, 2).map((_, index) => Keypair.fromRawEd25519Seed(Buffer.alloc(32, index + 1)))

const acts = [
  ...(['happen', 'happen', 'happen', 'happen', 'happen', 'happen', 'ledger', 'ledger', 'ledger', 'ledger', 'observe', 'follow', 'reset'] as const),
  ...(['connect', 'connect', 'disconnect', 'disconnect', 'login', 'login', 'revoke', 'restart'] as const),
  ...(['subscribe', 'subscribe', 'subscribe', 'resume', 'resume', 'resume', 'unsubscribe', 'far', 'far', 'far'] as const),
] as const

interface Op {
  readonly act: (typeof acts)[number]
  readonly who: number
  readonly pick: number
}

const script = fc.array(fc.record<Op>({ act: fc.constantFrom(...acts), who: fc.nat(CLIENTS - 1), pick: fc.nat(100_000) }), {
  minLength: 60, maxLength: 110, size: 'max',
})

interface Connection {
  readonly client: StreamClient
  readonly instance: Instance
  readonly asked: Map<string, SubscribeAsked>
}

/** A client as its owner sees it, over all of its connections. */
interface Person {
  now: Connection | undefined
  readonly past: Connection[]
  /** The last place of each channel that it held, on this connection or an earlier one. */
  readonly held: Map<string, number>
  epoch: unknown
}

interface Instance {
  readonly gateway: Gateway
  readonly url: string
}

interface Stage {
  readonly world: IndexFixture
  readonly clock: VirtualClock
  readonly instances: Instance[]
  readonly keys: IssuedKey[]
  readonly people: readonly Person[]
  requests: number
  /** What is waited for, for whoever wonders why it takes so long. */
  doing: string
}

/** How often what has happened, over all scripts: a model that never gets anywhere would agree with everything. */
const seen = new Map<string, number>()
const note = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1)

async function openInstance(world: IndexFixture, clock: VirtualClock): Promise<Instance> {
  const refused = new RpcFailure({ method: 'simulateTransaction', kind: 'rpc', code: -32602, retryable: false })
  const gateway = await createGateway({
    store, clock, log: silentLog,
    rpc: { ...world.node.rpc, simulateTransaction: () => Promise.reject(refused) },
    contracts: resolveContracts(world.exchange.contracts, {}),
    network: { name: 'testnet', passphrase: TEST_PASSPHRASE },
    random: createSeededRandom(`stream model ${++instances}`),
    webOrigin: null, trustProxy: false, klinesUrls: [], redis: null, regionGuard: null,
    rateLimits: { public: 1_000_000, standard: 1_000_000, market_maker: 1_000_000 },
    streamLimits: LIMITS,
  })
  const url = await gateway.listen({ host: '127.0.0.1', port: 0 })
  gateway.stream.start()
  return { gateway, url }
}

let instances = 0

/** A round trip to the database, and whatever the event loop has. */
async function turn(): Promise<void> {
  await store.read.query('select 1')
  await new Promise((resolve) => setImmediate(resolve))
}

/** Takes what the connection brought into the client's memory. */
function remember(person: Person): void {
  if (person.now === undefined) return
  const { client: { frames }, asked } = person.now
  for (const { channel, after: place, frames: had } of readStretches(frames, asked).stretches) {
    if (place !== Infinity) person.held.set(channel, had.at(-1)?.seq ?? place)
  }
  person.epoch = frames.find(({ type }) => type === 'hello')?.['epoch'] ?? person.epoch
}

/** The connection is over: what it brought is held against the log at the end. */
function file(person: Person): void {
  remember(person)
  if (person.now !== undefined) person.past.push(person.now)
  person.now = undefined
}

function ask(stage: Stage, { now }: Person, request: SubscribeAsked & { readonly op: string; readonly epoch?: unknown }): void {
  const id = `r${++stage.requests}`
  now?.asked.set(id, request)
  now?.client.send({ ...request, id })
}

function someChannels(pick: number): readonly string[] {
  const chosen = CHANNELS.filter((_, index) => (pick >> index) % 2 === 1)
  return chosen.length === 0 ? [CHANNELS[pick % CHANNELS.length] ?? ''] : chosen
}

/** Subscribes from the place that the client holds of all of these channels. */
function resume(stage: Stage, person: Person, pick: number): void {
  remember(person)
  const channels = someChannels(pick).filter((channel) => person.held.has(channel))
  if (channels.length === 0) return
  const since = Math.min(...channels.map((channel) => person.held.get(channel) ?? 0))
  ask(stage, person, { op: 'subscribe', channels, since, ...(pick % 3 === 0 && person.epoch !== undefined ? { epoch: person.epoch } : {}) })
}

async function connect(stage: Stage, person: Person, pick: number): Promise<void> {
  if (person.now !== undefined) return
  const instance = stage.instances[pick % stage.instances.length]
  assert.ok(instance !== undefined)
  person.now = { client: await connectStream(instance.url), instance, asked: new Map() }
  const key = stage.keys[(pick >> 2) % WALLETS.length]
  if (key !== undefined && pick % 5 !== 0) person.now.client.send({ op: 'login', keyId: key.keyId, secret: key.secret })
  // Who comes back goes on where it was, and who is new begins, in the same breath.
  if (person.held.size === 0) ask(stage, person, { op: 'subscribe', channels: CHANNELS, snapshot: pick % 3 === 0 })
  else if (pick % 4 !== 0) resume(stage, person, ALL)
}

/** The gateway tells its clients, waits, and closes; another one takes its place. */
async function restart(stage: Stage, which: number): Promise<void> {
  const old = stage.instances[which]
  assert.ok(old !== undefined)
  const closing = old.gateway.close()
  for (const person of stage.people) {
    if (person.now?.instance !== old) continue
    await person.now.client.frame(({ type }) => type === 'draining')
  }
  stage.clock.advance(LIMITS.drainMs)
  for (const person of stage.people) {
    if (person.now?.instance !== old) continue
    assert.deepEqual(await person.now.client.closed, { code: 1012, reason: 'restart' })
    file(person)
  }
  await closing
  stage.instances[which] = await openInstance(stage.world, stage.clock)
}

/** A key is revoked at one instance: every connection that holds it is closed, wherever it is. */
async function revoke(stage: Stage, which: number, at: number): Promise<void> {
  const [key, wallet] = [stage.keys[which], WALLETS[which]]
  const app = stage.instances[at % stage.instances.length]?.gateway.app
  assert.ok(key !== undefined && wallet !== undefined && app !== undefined)
  const holders: Person[] = []
  for (const person of stage.people) {
    await person.now?.client.settle()
    const logins = person.now?.client.frames.filter(({ type, ok }) => type === 'login' && ok === true)
    if (logins?.at(-1)?.['owner'] === key.owner) holders.push(person)
  }
  const answer = await call(app, `/v1/keys/${key.keyId}`, { method: 'DELETE', key })
  assert.equal(answer.status, 200, answer.text)
  let left = holders.length
  for (const { now } of holders) void now?.client.closed.then(() => left--)
  for (let rounds = 0; rounds < ROUNDS_MAX && left > 0; rounds++) {
    stage.clock.advance(500)
    await turn()
  }
  for (const person of holders) {
    assert.equal(left, 0, 'everybody who holds the key is closed')
    assert.deepEqual(await person.now?.client.closed, { code: 4401, reason: 'key_revoked' })
    file(person)
    note('revoked')
  }
  stage.keys[which] = await obtainKey(app, wallet)
}

function happen({ world }: Stage, pick: number): void {
  const { exchange } = world
  const amount = pick % 9_000
  const makes = [
    () => exchange.open(pick, amount), () => exchange.open(pick, amount), () => exchange.close(pick, amount), () => exchange.liquidate(pick, amount),
    () => exchange.placeOrder(pick), () => exchange.endOrder(pick), () => exchange.other(pick),
  ]
  for (let times = 0; times <= pick % 4; times++) world.queue(makes[(pick + times) % makes.length]?.())
}

async function play(stage: Stage, { act, who, pick }: Op): Promise<void> {
  const { world, people } = stage
  const person = people[who]
  assert.ok(person !== undefined)
  const client = person.now?.client
  switch (act) {
    case 'happen': return happen(stage, pick)
    case 'ledger':
      world.closeLedger(1 + (pick % 5))
      return void (await world.catchUp())
    case 'observe': return void (await world.indexer.observe())
    case 'follow': return await stage.instances[pick % INSTANCES]?.gateway.stream.publishCommitted()
    case 'connect': return await connect(stage, person, pick)
    case 'subscribe': return ask(stage, person, { op: 'subscribe', channels: someChannels(pick), snapshot: pick % 3 === 0 })
    case 'resume': return resume(stage, person, pick)
    case 'far': return ask(stage, person, { op: 'subscribe', channels: someChannels(pick), since: pick % 3 === 0 ? 1_000_000 : pick % 3 })
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
      return file(person)
    case 'restart': return await restart(stage, pick % INSTANCES)
    case 'reset':
      if (pick % 4 !== 0) return
      world.reset()
      world.closeLedger(60)
      return void (await world.catchUp())
  }
}

/** Everything is indexed and published, and every event that was learnt late has its place. */
async function settle({ world, instances: running }: Stage): Promise<void> {
  world.closeLedger()
  await world.catchUp()
  await world.indexer.observe()
  for (let ledger = 0; ledger < 3; ledger++) {
    world.queue(world.exchange.other(0))
    world.closeLedger()
    await world.catchUp()
  }
  await Promise.all(running.map(({ gateway }) => gateway.stream.publishCommitted()))
}

/** Waits until the connection has everything that it is to get, and holds it against the log. */
async function checkOpen({ client, asked }: Connection, log: ChannelLog): Promise<void> {
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
    await client.settle()
    if ([...readStretches(client.frames, asked).open.values()].every((stretch) => isComplete(stretch, log))) return
    await turn()
  }
  for (const stretch of readStretches(client.frames, asked).open.values()) {
    assert.ok(isComplete(stretch, log), `${stretch.channel} behind ${stretch.after}: ${stretch.frames.length} frames came, and no more`)
  }
}

function checkAll({ client, asked }: Connection, log: ChannelLog): void {
  for (const stretch of readStretches(client.frames, asked).stretches) {
    checkStretch(stretch, log)
    if (stretch.frames.length > 0) note(`frames of ${stretch.channel.split('.')[0]}`)
  }
  for (const { reason } of client.frames.filter(({ type }) => type === 'gap') as { reason?: unknown }[]) note(`gap ${String(reason)}`)
}

async function playAndCheck(stage: Stage, ops: readonly Op[]): Promise<void> {
  const [first] = stage.instances
  for (const wallet of WALLETS) if (first !== undefined) stage.keys.push(await obtainKey(first.gateway.app, wallet))
  for (let picks = 0; picks < REPLAY_FRAMES; picks++) await play(stage, { act: picks % 10 === 9 ? 'ledger' : 'happen', who: 0, pick: picks * 7 })
  for (const [who, person] of stage.people.entries()) await connect(stage, person, 12 * who + 1)
  for (const [place, op] of ops.entries()) {
    stage.doing = `step ${place} of ${ops.length}, ${JSON.stringify(op)}`
    await play(stage, op)
  }
  stage.doing = 'everything to be indexed and published'
  await settle(stage)
  const log = await readChannelLog(store.read)
  for (const [who, { now, past }] of stage.people.entries()) {
    stage.doing = `everything to reach client ${who}`
    if (now !== undefined) await checkOpen(now, log)
    for (const connection of now === undefined ? past : [...past, now]) checkAll(connection, log)
  }
  const connected = stage.people.filter(({ now }) => now !== undefined).length
  assert.equal(stage.instances.reduce((sum, { gateway }) => sum + gateway.stream.connections(), 0), connected, 'nobody is kept who has left')
}

/** Everybody leaves, and nothing of the script goes on; what the gateways wait for by the clock is over. */
async function clear(stage: Stage): Promise<void> {
  stage.doing = `the end, after ${stage.doing}`
  for (const { now } of stage.people) now?.client.webSocket.terminate()
  const closing = Promise.all(stage.instances.map(({ gateway }) => gateway.close()))
  stage.clock.advance(LIMITS.drainMs)
  await closing
}

/** Rejects with what is waited for when the work is not over in time. */
async function inTime(work: Promise<void>, stage: Stage): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = createSystemClock().setTimer(SCRIPT_LIMIT_MS, () => late.reject(new Error(`waited in vain for ${stage.doing}`)))
  try {
    await Promise.race([work, late.promise])
  } finally {
    timer.cancel()
  }
}

async function runScript(ops: readonly Op[]): Promise<void> {
  await emptyIndex(store.write)
  const clock = createVirtualClock(FIRST_CLOSE_SEC * 1000)
  await using world = createIndexFixture(store, { clock })
  world.closeLedger()
  const stage: Stage = {
    world, clock,
    instances: [await openInstance(world, clock), await openInstance(world, clock)],
    keys: [],
    people: Array.from({ length: CLIENTS }, () => ({ now: undefined, past: [], held: new Map(), epoch: undefined })),
    requests: 0,
    doing: 'the beginning',
  }
  try {
    await inTime(playAndCheck(stage, ops), stage)
  } finally {
    await inTime(clear(stage), stage)
  }
}

test('whatever clients and gateways do, each client holds the log, channel by channel, or a gap that was announced', async () => {
  await fc.assert(fc.asyncProperty(script, runScript), { numRuns: RUNS, endOnFailure: true })
  // A run of few scripts need not meet everything.
  if (RUNS < EVERYDAY_RUNS) return
  for (const what of ['revoked', 'frames of events', 'frames of trades', 'frames of account', 'gap ahead', 'gap too_far']) {
    assert.ok((seen.get(what) ?? 0) > 0, `the scripts meet: ${what}; they met ${JSON.stringify([...seen])}`)
  }
})
