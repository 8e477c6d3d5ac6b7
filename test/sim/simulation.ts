// One simulation: the local network, stepped by hand; one or two real indexers on a real database; faults at every door; one virtual clock.

import assert from 'node:assert/strict'
import { createVirtualClock, nowSec } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { readShimPrice } from '../../src/chain/prices.ts'
import { createRpc } from '../../src/chain/rpc.ts'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import type { Transport } from '../../src/chain/transport.ts'
import { EVENT_CONTRACT_KEYS } from '../../src/exchange/contracts.ts'
import { createIndexer } from '../../src/indexer/indexer.ts'
import { readIndexState } from '../../src/projections/index-state.ts'
import type { Store } from '../../src/store/store.ts'
import { contractDataKey, contractDataValue } from '../../localnet/actors/exchange-state.ts'
import { asU64, asVec, storageKey } from '../../localnet/contracts/values.ts'
import { startLocalNetwork } from '../../localnet/start.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { openTestStore } from '../support/database.ts'
import { checkArchiveIsTheChain } from './checkers/archive-is-the-chain.ts'
import type { Incarnation } from './checkers/archive-is-the-chain.ts'
import { readArchive } from './checkers/archive.ts'
import { checkListsAreTheFold } from './checkers/lists-are-the-fold.ts'
import { createLogWatch } from './checkers/log-only-grows.ts'
import type { Choice, Decisions, Roll } from './decisions.ts'
import type { Profile } from './profile.ts'
import { simulatedFaults } from './rpc-faults.ts'
import { openStoreDoor } from './store-faults.ts'
import type { StoreDoor } from './store-faults.ts'

const START_MS = 1_783_339_200_000
/** Virtual time moves in slices, so that timers that lie close to each other still fire one after the other's consequences. */
const SLICE_LEAST_MS = 100
const SLICES_PER_POLL = 5
/** Once the faults stop, the index stands at the chain's head within this virtual time and so many polls: time-outs, pauses, and a breaker's rest. */
const LIVENESS_MS = 120_000
const LIVENESS_POLLS = 20
/** Ledgers go on closing for so many polls once the faults have stopped. */
const CALM_POLLS = 4
const HOUR_SEC = 3_600
/** A busy machine is no finding: statements may take as long as they need. */
const READ_TIMEOUT_MS = 300_000
/** Turns of the event loop in which nothing happened before the world counts as idle. */
const IDLE_TURNS = 3
/** A database call that takes more turns than this hangs. */
const BUSY_TURNS_MAX = 2_000_000

/** What came of a run that found nothing wrong. */
export interface Outcome {
  readonly events: number
  readonly ledgers: number
  readonly restarts: number
  /** What happened out of the ordinary, by door and name, and what was traded, by topic: how often each. */
  readonly met: ReadonlyMap<string, number>
}

interface Life {
  readonly door: StoreDoor
  readonly stop: AbortController
  readonly ended: Promise<void>
}

interface World {
  readonly clock: VirtualClock
  readonly network: LocalNetwork
  readonly store: Store
  readonly decisions: Decisions
  readonly profile: Profile
  readonly lives: Life[]
  restarts: number
  /** A snapshot of the network, and where it stood. */
  kept: { readonly id: string; readonly ledger: number } | undefined
}

/** Runs to the end or throws what a checker found. */
export async function simulate(seed: string, profile: Profile, decisions: Decisions): Promise<Outcome> {
  const clock = createVirtualClock(START_MS)
  await using network = await startLocalNetwork({
    clock,
    random: createSeededRandom(`${seed}/network`),
    log: silentLog,
    seed,
    ledgerMs: profile.ledgerSec * 1000,
    host: '127.0.0.1',
    port: null,
    traders: profile.traders,
    directory: null,
    faults: simulatedFaults(decisions, profile),
  })
  await using store = await openTestStore({ readTimeoutMs: READ_TIMEOUT_MS })
  const world: World = { clock, network, store, decisions, profile, lives: [], restarts: 0, kept: undefined }
  for (let index = 0; index < profile.indexers; index++) world.lives.push(begin(world, index))
  const watch = createLogWatch(store.read)
  const incarnations: Incarnation[] = []
  try {
    for (let ledger = 0; ledger < profile.ledgers; ledger++) {
      await network.step()
      await pass(world, profile.ledgerSec * 1000)
      await jump(world)
      await disturb(world, incarnations)
      await watch()
    }
    decisions.calm()
    await revive(world)
    // The chain goes on: without a new ledger a network that was put back looks like one that lags.
    for (let ledger = 0; ledger < CALM_POLLS * ledgersPerPoll(profile); ledger++) {
      await network.step()
      await pass(world, profile.ledgerSec * 1000)
    }
    await converge(world)
    await watch()
    incarnations.push(incarnationOf(network))
    return await judge(world, incarnations)
  } finally {
    for (const life of world.lives) await end(world, life)
  }
}

/** Starts an indexer, as a process would. */
function begin(world: World, index: number): Life {
  const { clock, network, profile, decisions } = world
  const door = openStoreDoor(`store ${index}`, world.store, decisions, profile)
  const random = createSeededRandom(`indexer/${index}/${world.restarts}`)
  const transport: Transport = async (_url, body, signal) => {
    const { status, body: answer } = await network.door.handle(body, signal)
    return { status, body: answer ?? '' }
  }
  const indexer = createIndexer({
    store: door.store,
    rpc: createRpc({ urls: ['http://simulated'], clock, random, log: silentLog, transport }),
    contracts: network.contracts,
    networkPassphrase: network.networkPassphrase,
    clock,
    random,
    log: silentLog,
    pollIntervalMs: pollIntervalMs(profile),
    startLedger: null,
  })
  const stop = new AbortController()
  return { door, stop, ended: indexer.run(stop.signal) }
}

/** Ends an indexer: gently when it lives, and a dead one's last timers. */
async function end(world: World, life: Life): Promise<void> {
  life.stop.abort()
  const state = { ended: false }
  void life.ended.then(() => (state.ended = true))
  const slice = sliceMs(world.profile)
  for (let waited = 0; !state.ended && waited < livenessMs(world.profile); waited += slice) await pass(world, slice)
  assert.ok(state.ended, 'an indexer did not end after its signal')
}

/** Lets virtual time pass; between two slices everything that can happen does. */
async function pass(world: World, ms: number): Promise<void> {
  const slice = sliceMs(world.profile)
  for (let passed = 0; passed < ms; passed += slice) {
    await idle(world)
    world.clock.advance(Math.min(slice, ms - passed))
  }
  await idle(world)
}

function pollIntervalMs({ ledgerSec, pollsPerLedger }: Profile): number {
  return Math.round((ledgerSec * 1000) / pollsPerLedger)
}

function ledgersPerPoll({ pollsPerLedger }: Profile): number {
  return Math.ceil(1 / pollsPerLedger)
}

function sliceMs(profile: Profile): number {
  return Math.max(SLICE_LEAST_MS, Math.floor(pollIntervalMs(profile) / SLICES_PER_POLL))
}

function livenessMs(profile: Profile): number {
  return LIVENESS_MS + LIVENESS_POLLS * pollIntervalMs(profile)
}

/** Until only timers can make anything happen: no database call is under way, and several turns of the event loop changed nothing. */
async function idle({ lives }: World): Promise<void> {
  let quiet = 0
  for (let turns = 0; quiet < IDLE_TURNS; turns++) {
    assert.ok(turns < BUSY_TURNS_MAX, 'a database call does not end')
    await new Promise((resolve) => setImmediate(resolve))
    quiet = lives.some(({ door }) => door.busy() > 0) ? 0 : quiet + 1
  }
}

/** A price, or all of them, may leap up or down, and goes on from there. */
async function jump({ decisions, profile, network, clock }: World): Promise<void> {
  const leap = (roll: Roll): Choice => ({ name: 'jump', asset: ASSET_SYMBOLS[roll.integer(0, 13)] ?? 'BTC', percent: roll.integer(80, 125) })
  const crash = (roll: Roll): Choice => ({ name: 'crash', percent: roll.integer(60, 140) })
  const choice = decisions.decide('price', [{ chance: profile.priceJump, choice: leap }, { chance: profile.priceJump / 4, choice: crash }])
  if (choice === undefined) return
  const transport: Transport = async (_url, body) => {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown }
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: await network.door.call(method, params) }) }
  }
  const rpc = createRpc({ urls: ['http://undisturbed'], clock, random: createSeededRandom('prices'), log: silentLog, transport })
  for (const asset of choice.name === 'crash' ? ASSET_SYMBOLS : [String(choice['asset'])]) {
    const { price } = await readShimPrice(rpc, { shim: network.contracts.oracleShim, asset, networkPassphrase: network.networkPassphrase })
    await network.door.call('local_setPrice', { asset, price: String((price * BigInt(Number(choice['percent']))) / 100n) })
    await network.door.call('local_releasePrice', { asset })
  }
}

/** What happens between two ledgers: dead indexers are replaced, live ones may be killed or restarted, the network may begin anew. */
async function disturb(world: World, incarnations: Incarnation[]): Promise<void> {
  const { decisions, profile, lives } = world
  for (const life of lives) {
    const choice = decisions.decide('driver', [
      { chance: profile.restart / 2, choice: () => ({ name: 'kill' }) },
      { chance: profile.restart / 2, choice: () => ({ name: 'restart' }) },
    ])
    if (choice?.name === 'kill') await life.door.kill()
    if (choice?.name === 'restart') await end(world, life)
  }
  await revive(world)
  await upset(world, incarnations)
}

/** The network may begin anew, be kept and put back, have its clock stepped, or everything may rest for hours. */
async function upset(world: World, incarnations: Incarnation[]): Promise<void> {
  const { decisions, profile, network, clock } = world
  const choice = decisions.decide('network', [
    { chance: profile.networkReset, choice: () => ({ name: 'reset' }) },
    { chance: profile.networkRestore, choice: () => ({ name: 'keep or put back' }) },
    { chance: profile.clockStep, choice: (roll) => ({ name: 'step the clock', hours: roll.integer(1, 30) }) },
    { chance: profile.night, choice: (roll) => ({ name: 'night', hours: roll.integer(1, 30) }) },
  ])
  switch (choice?.name) {
    case 'reset':
      incarnations.push(incarnationOf(network))
      await network.door.call('local_reset', {})
      world.kept = undefined
      break
    case 'keep or put back':
      await keepOrPutBack(world, incarnations)
      break
    case 'step the clock':
      await network.door.call('local_advance', { seconds: Number(choice['hours']) * HOUR_SEC })
      break
    case 'night':
      await idle(world)
      clock.advance(Number(choice['hours']) * HOUR_SEC * 1000)
      break
    default:
  }
}

/** Keeps the network, or puts back the one that was kept, unless that was so lately that the index could miss it between two polls. */
async function keepOrPutBack(world: World, incarnations: Incarnation[]): Promise<void> {
  const { network, profile, kept } = world
  if (kept === undefined) {
    world.kept = (await network.door.call('local_snapshot', {})) as { id: string; ledger: number }
    return
  }
  if (network.chain.history.latest().sequence - kept.ledger <= 2 * ledgersPerPoll(profile)) return
  incarnations.push(incarnationOf(network))
  await network.door.call('local_restore', { id: kept.id })
}

async function revive(world: World): Promise<void> {
  for (const [index, life] of world.lives.entries()) {
    if (!life.door.dead() && !life.stop.signal.aborted) continue
    await end(world, life)
    world.restarts += 1
    world.lives[index] = begin(world, index)
  }
}

/** After the faults: the index reaches the chain's head by itself. */
async function converge(world: World): Promise<void> {
  const { network, store, profile } = world
  const limitMs = livenessMs(profile)
  const head = network.chain.history.latest().sequence
  for (let waited = 0; waited < limitMs; waited += pollIntervalMs(profile)) {
    const state = await readIndexState(store.read)
    if (state?.lastLedger === head) return
    await pass(world, pollIntervalMs(profile))
  }
  const state = await readIndexState(store.read)
  assert.fail(`${limitMs / 1000} s after the last fault the index stands at ${state?.lastLedger ?? 'nothing'}, the chain at ${head}`)
}

/** Everything that the network's exchange has emitted since it began. */
export function incarnationOf({ chain, contracts }: LocalNetwork): Incarnation {
  const contractIds = EVENT_CONTRACT_KEYS.map((key) => contracts[key])
  const untilLedger = chain.history.latest().sequence + 1
  assert.ok(chain.history.oldest().sequence <= 2, 'the network forgot its first ledgers: the simulation is too long for it')
  return [...chain.history.events({ afterId: null, fromLedger: 0, untilLedger, contractIds })].filter(({ successful }) => successful)
}

/** The ids in the market's list of open positions. */
async function openPositionIds({ door, contracts }: LocalNetwork): Promise<ReadonlySet<number>> {
  const keys = [contractDataKey(contracts.market, storageKey('AllPositions'))]
  const { entries } = (await door.call('getLedgerEntries', { keys })) as { entries: readonly { xdr: string }[] }
  const list = contractDataValue(entries[0]?.xdr ?? assert.fail('the market has no list of positions'))
  return new Set(asVec(list).map((id) => Number(asU64(id))))
}

async function judge(world: World, incarnations: readonly Incarnation[]): Promise<Outcome> {
  const { store, clock, network, decisions, restarts } = world
  const state = await readIndexState(store.read)
  assert.equal(state?.gaps, 0, 'ledgers were given up although the node kept them')
  assert.equal(state.unknownEvents, 0, 'events of the exchange could not be decoded')
  const archive = await readArchive(store.read)
  const [current] = await store.read.query<{ chain: number }>('select e.chain from idx.cursor c join idx.epochs e on e.number = c.epoch')
  checkArchiveIsTheChain(archive, incarnations, { chain: current?.chain ?? 0, lastLedger: state.lastLedger })
  await checkListsAreTheFold(store.read, archive, nowSec(clock), await openPositionIds(network))
  const met = new Map<string, number>()
  const meet = (name: string): void => void met.set(name, (met.get(name) ?? 0) + 1)
  for (const { door, choice } of decisions.record) meet(`${door.replace(/^store \d+/, 'store')}: ${choice.name}`)
  for (const { topic } of archive) meet(topic)
  return { events: archive.length, ledgers: network.chain.history.latest().sequence, restarts, met }
}
