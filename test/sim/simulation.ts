// One simulation: the local network, stepped by hand; one or two processes on a real database, and people who use them; faults at every door; one virtual
// clock.

import assert from 'node:assert/strict'
import { createVirtualClock, nowSec } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { Log } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { readIndexState } from '../../src/projections/index-state.ts'
import type { Store } from '../../src/store/store.ts'
import type { TradingServer } from '../support/trading-server.ts'
import { untilIdle } from '../support/until.ts'
import { startLocalNetwork } from '../../localnet/start.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { checkArchiveMatchesChain } from './checkers/archive-matches-chain.ts'
import { readArchive } from './checkers/archive.ts'
import { checkFramesMatchLog } from './checkers/frames-match-log.ts'
import { checkListsMatchFold } from './checkers/lists-match-fold.ts'
import { createLogWatch } from './checkers/log-only-grows.ts'
import { toLogText } from './checkers/secrets-do-not-leak.ts'
import type { Decisions } from './decisions.ts'
import { readChainEvents, movePrices, openPositionIds, injectNetworkFault } from './network-faults.ts'
import type { NetworkState } from './network-faults.ts'
import { createClients } from './clients.ts'
import type { Clients } from './clients.ts'
import { startProcess } from './process.ts'
import type { SimProcess } from './process.ts'
import type { Profile } from './profile.ts'
import { simulatedFaults } from './rpc-faults.ts'

const START_MS = 1_783_339_200_000
/** Virtual time moves in slices, so that timers that lie close to each other still fire one after the other's consequences. */
const SLICE_LEAST_MS = 100
/** What somebody waits for is seen at the end of a slice. */
const SLICE_MOST_MS = 4_000
const SLICES_PER_POLL = 5
/** Once the faults stop, the index stands at the chain's head within this virtual time and so many polls: time-outs, pauses, and a breaker's rest. */
const LIVENESS_MS = 120_000
const LIVENESS_POLLS = 20
/** Ledgers go on closing for so many polls once the faults have stopped. */
const CALM_POLLS = 3
const HOUR_MS = 3_600_000
/** Turns of the event loop in which nothing happened before the world counts as idle. */
const IDLE_TURNS = 4

/** What came of a run that found nothing wrong. */
export interface Outcome {
  readonly events: number
  readonly ledgers: number
  readonly restarts: number
  /** Steps that processes took through their doors. */
  readonly steps: number
  /** What happened out of the ordinary, by door and name, what was traded, by topic, and what people were told: how often each. */
  readonly counts: ReadonlyMap<string, number>
}

export interface SimulationParts {
  readonly seed: string
  readonly profile: Profile
  readonly decisions: Decisions
  /** A database of its own, empty but for the migrations. */
  readonly store: Store
  readonly serverOf: (index: number) => Promise<TradingServer>
  /** True when the process is to die at this step, counted over all of them. */
  readonly isLastStep?: (step: number) => boolean
}

interface SimulationState extends NetworkState {
  readonly store: Store
  readonly clients: Clients
  /** Who lives, by place. */
  readonly processes: SimProcess[]
  /** Everybody who ever lived. */
  readonly allProcesses: SimProcess[]
  readonly log: Log
  readonly lines: readonly string[]
  readonly isLast: () => boolean
  readonly serverOf: (index: number) => Promise<TradingServer>
  restarts: number
}

/** Runs to the end or throws what a checker found. */
export async function simulate(parts: SimulationParts): Promise<Outcome> {
  const { seed, profile, decisions, store, serverOf, isLastStep = () => false } = parts
  const clock = createVirtualClock(START_MS)
  await using network = await startNetwork(seed, profile, decisions, clock)
  let steps = 0
  const isLast = (): boolean => isLastStep(++steps)
  const progress = { calm: false }
  const people = createClients({ network, clock, decisions, profile, isCalm: () => progress.calm })
  const lines: string[] = []
  const write = (fields: object, message: string): void => void lines.push(`${message} ${toLogText(fields)}`)
  const log: Log = people.addresses.length === 0 ? silentLog : { debug: write, info: write, warn: write, error: write }
  const world: SimulationState = {
    clock, network, store, decisions, profile, clients: people, log, lines, isLast, serverOf,
    processes: [], allProcesses: [], restarts: 0, snapshot: undefined, chains: [],
  }
  for (let index = 0; index < profile.indexers; index++) world.processes[index] = await begin(world, index)
  const watch = createLogWatch(store.read)
  try {
    for (let ledger = 0; ledger < profile.ledgers; ledger++) {
      people.act(world.processes)
      await network.step()
      await advance(world, profile.ledgerSec * 1000)
      await movePrices(world)
      await disturbProcesses(world)
      await injectNetworkFault(world, () => waitForResponses(world))
      await watch()
      people.check()
    }
    decisions.calm()
    await restartDead(world)
    await finishRequests(world, () => void (progress.calm = true))
    await converge(world)
    await watch()
    world.chains.push(readChainEvents(network))
    return { ...(await verify(world)), steps }
  } finally {
    for (const process of world.processes) await end(world, process)
  }
}

function startNetwork(seed: string, profile: Profile, decisions: Decisions, clock: VirtualClock): Promise<LocalNetwork> {
  return startLocalNetwork({
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
}

async function begin(world: SimulationState, index: number): Promise<SimProcess> {
  const { profile, clients: people } = world
  const process = await startProcess(index, world.restarts, { ...world, pollIntervalMs: pollIntervalMs(profile), accounts: people.addresses })
  world.allProcesses.push(process)
  return process
}

/** Ends a process gently; of a dead one nothing is left to end. */
async function end(world: SimulationState, process: SimProcess): Promise<void> {
  if (process.killable.isDead()) return idle(world)
  const state: { ended: boolean; error?: unknown } = { ended: false }
  void process.end().then(() => (state.ended = true), (error: unknown) => Object.assign(state, { ended: true, error }))
  const slice = sliceMs(world.profile)
  for (let waited = 0; !state.ended && !process.killable.isDead() && waited < livenessMs(world.profile); waited += slice) await advance(world, slice)
  if (state.error !== undefined) throw state.error
  assert.ok(state.ended || process.killable.isDead(), 'a process did not end after its signal')
  // What is left of it in memory has nobody to talk to.
  process.killable.kill()
}

/** Lets virtual time pass; between two slices everything that can happen does. */
async function advance(world: SimulationState, ms: number): Promise<void> {
  const slice = sliceMs(world.profile)
  for (let passed = 0; passed < ms; passed += slice) {
    await idle(world)
    world.clock.advance(Math.min(slice, ms - passed))
  }
  await idle(world)
  for (const process of world.processes) process.checkBounds()
}

function pollIntervalMs({ ledgerSec, pollsPerLedger }: Profile): number {
  return Math.round((ledgerSec * 1000) / pollsPerLedger)
}

function ledgersPerPoll({ pollsPerLedger }: Profile): number {
  return Math.ceil(1 / pollsPerLedger)
}

function sliceMs(profile: Profile): number {
  return Math.min(SLICE_MOST_MS, Math.max(SLICE_LEAST_MS, Math.floor(pollIntervalMs(profile) / SLICES_PER_POLL)))
}

function livenessMs(profile: Profile): number {
  return LIVENESS_MS + LIVENESS_POLLS * pollIntervalMs(profile)
}

/** Until only timers can make anything happen: no database call is under way, and several turns of the event loop changed nothing. */
async function idle({ allProcesses }: SimulationState): Promise<void> {
  await untilIdle(() => allProcesses.some(({ killable: mortal }) => mortal.busy() > 0), IDLE_TURNS)
}

/** Lets time pass until nobody waits. */
async function waitForResponses(world: SimulationState): Promise<void> {
  const slice = sliceMs(world.profile)
  for (let waited = 0; world.clients.waiting() > 0 && waited < LIVENESS_MS; waited += slice) await advance(world, slice)
  await idle(world)
}

/** What happens to processes between two ledgers: live ones may be killed or restarted, or their time stepped; dead ones are replaced. */
async function disturbProcesses(world: SimulationState): Promise<void> {
  const { decisions, profile, processes } = world
  for (const process of processes) {
    const choice = decisions.decide('driver', [
      { chance: profile.restart / 2, choice: () => ({ name: 'kill' }) },
      { chance: profile.restart / 2, choice: () => ({ name: 'restart' }) },
    ])
    if (choice?.name === 'kill') process.killable.kill()
    if (choice?.name === 'restart') await end(world, process)
    const step = decisions.decide('time', [
      { chance: (profile.timeStep ?? 0) / 2, choice: () => ({ name: 'forward' }) },
      { chance: (profile.timeStep ?? 0) / 2, choice: () => ({ name: 'back' }) },
    ])
    if (step !== undefined) process.stepTime(step.name === 'back' ? -HOUR_MS : HOUR_MS)
  }
  await restartDead(world)
}

async function restartDead(world: SimulationState): Promise<void> {
  for (const [index, process] of world.processes.entries()) {
    if (!process.killable.isDead()) continue
    await idle(world)
    world.restarts += 1
    world.processes[index] = await begin(world, index)
  }
}

/**
 * The chain goes on: without a new ledger a network that was put back looks like one that lags. Whoever still waits is answered; then allProcesses asks once
 * more, and nothing may be wrong any more.
 */
async function finishRequests(world: SimulationState, onCalm: () => void): Promise<void> {
  const { network, profile, clients: people } = world
  const ledgers = async (count: number): Promise<void> => {
    for (let ledger = 0; ledger < count; ledger++) {
      await network.step()
      await advance(world, profile.ledgerSec * 1000)
      await restartDead(world)
      people.check()
    }
  }
  await ledgers(CALM_POLLS * ledgersPerPoll(profile))
  for (let waited = 0; people.waiting() > 0 && waited < LIVENESS_MS; waited += profile.ledgerSec * 1000) await ledgers(1)
  assert.equal(people.waiting(), 0, 'requests are not answered')
  onCalm()
  people.settle(world.processes)
  for (let waited = 0; people.waiting() > 0 && waited < LIVENESS_MS; waited += profile.ledgerSec * 1000) await ledgers(1)
  assert.equal(people.waiting(), 0, 'requests are not answered')
  for (const process of world.processes) assert.equal(process.submissionsUnderWay(), 0, 'a submission goes on that nobody waits for')
}

/** After the faults: the index reaches the chain's head by itself. */
async function converge(world: SimulationState): Promise<void> {
  const { network, store, profile } = world
  const limitMs = livenessMs(profile)
  const head = network.chain.history.latest().sequence
  for (let waited = 0; waited < limitMs; waited += pollIntervalMs(profile)) {
    const state = await readIndexState(store.read)
    if (state?.lastLedger === head) return
    await advance(world, pollIntervalMs(profile))
  }
  const state = await readIndexState(store.read)
  assert.fail(`${limitMs / 1000} s after the last fault the index stands at ${state?.lastLedger ?? 'nothing'}, the chain at ${head}`)
}

async function verify(world: SimulationState): Promise<Omit<Outcome, 'steps'>> {
  const { store, clock, network, decisions, restarts, clients: people, allProcesses, processes } = world
  const state = await readIndexState(store.read)
  assert.equal(state?.gaps, 0, 'ledgers were given up although the node kept them')
  assert.equal(state.unknownEvents, 0, 'events of the exchange could not be decoded')
  const archive = await readArchive(store.read)
  const [current] = await store.read.query<{ chain: number }>('select e.chain from idx.cursor c join idx.epochs e on e.number = c.epoch')
  checkArchiveMatchesChain(archive, world.chains, { chain: current?.chain ?? 0, lastLedger: state.lastLedger })
  await checkListsMatchFold(store.read, archive, nowSec(clock), await openPositionIds(network))
  if (people.addresses.length > 0) {
    for (const process of processes) await process.tail.catchUp()
    await checkFramesMatchLog(store.read, allProcesses)
  }
  await people.verify(store.read, world.lines)
  const met = new Map<string, number>(people.counts)
  const meet = (name: string): void => void met.set(name, (met.get(name) ?? 0) + 1)
  for (const { door, choice } of decisions.record) meet(`${door.replace(/^(\w+) \d+/, '$1')}: ${choice.name}`)
  for (const { topic } of archive) meet(topic)
  return { events: archive.length, ledgers: network.chain.history.latest().sequence, restarts, counts: met }
}
