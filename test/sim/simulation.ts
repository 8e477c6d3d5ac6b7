// One simulation on one virtual clock: the local network, one or two processes on a real database, their clients, and faults between all of them.

import assert from 'node:assert/strict'
import { createVirtualClock, nowSec } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { Log } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { readIndexState } from '../../src/projections/state/index-state.ts'
import { listUnnumberedChanges } from '../../src/projections/log/submission-log.ts'
import type { Store } from '../../src/store/store.ts'
import { startNetworkOn } from '../support/network.ts'
import type { TradingServer } from './trading-server.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { checkArchiveMatchesChain } from './checkers/archive-matches-chain.ts'
import { checkPageLog } from './checkers/page-log.ts'
import { checkLogNumbers, readArchive } from './checkers/archive.ts'
import { checkCashMatchesChain } from './checkers/cash-matches-chain.ts'
import { checkFramesMatchLog } from './checkers/frames-match-log.ts'
import { checkListsMatchFold } from './checkers/lists-match-fold.ts'
import { createLogWatch } from './checkers/log-only-grows.ts'
import { checkOrderFramesMatchLog } from './checkers/order-frames-match-log.ts'
import { toLogText } from './checkers/secrets-do-not-leak.ts'
import { checkSubmissionsAreTrue, countPending } from './checkers/submissions-are-true.ts'
import type { Decisions } from './decisions.ts'
import { readChainEvents, movePrices, readOpenPositions, injectNetworkFault } from './network-faults.ts'
import type { NetworkState } from './network-faults.ts'
import { createClients } from './clients.ts'
import type { Clients } from './clients.ts'
import { createLedgerTruth } from './ledger-truth.ts'
import { startProcess, untilProcessesIdle } from './process.ts'
import type { SimProcess } from './process.ts'
import type { Profile } from './profile.ts'
import { simulatedFaults } from './rpc-faults.ts'

const START_MS = 1_783_339_200_000
/** Virtual time advances in slices, so that the effects of one timer take place before the next timer fires. */
const SLICE_MIN_MS = 100
/** Clients see their responses at the end of a slice. */
const SLICE_MAX_MS = 4_000
const SLICES_PER_POLL = 5
/** After the last fault the index must be in sync within this virtual time and number of polls. They cover timeouts, retries and a circuit breaker. */
const LIVENESS_MS = 120_000
const LIVENESS_POLLS = 20
/** The protocol of runs that were saved before there were several. */
const FIRST_PROTOCOL = 27
/** Ledgers close for this many polls after the last fault. */
const CALM_POLLS = 3
const HOUR_MS = 3_600_000
/** Validity of a prepared transaction, and some ledgers to prove that it was not applied. */
const VALID_MS = 360_000
/** Ledgers and slices while only submissions are waited for. */
const FINAL_LEDGER_MS = 10_000
const FINAL_SLICE_MS = 1_000

/** The result of a run without a finding. */
export interface Outcome {
  readonly events: number
  readonly ledgers: number
  readonly restarts: number
  /** Checkpoints of all processes. */
  readonly steps: number
  /** Counts of faults, event topics and reported outcomes. */
  readonly counts: ReadonlyMap<string, number>
}

interface SimulationParts {
  readonly seed: string
  readonly profile: Profile
  readonly decisions: Decisions
  /** A migrated, otherwise empty database. */
  readonly store: Store
  readonly serverOf: (index: number) => Promise<TradingServer>
  /** True if the process is killed at this checkpoint, counted over all processes. */
  readonly isLastStep?: (step: number) => boolean
}

interface SimulationState extends NetworkState {
  readonly store: Store
  readonly clients: Clients
  /** The running processes, by index. */
  readonly processes: SimProcess[]
  /** All processes that were ever started. */
  readonly allProcesses: SimProcess[]
  readonly log: Log
  readonly lines: readonly string[]
  readonly isLast: () => boolean
  readonly serverOf: (index: number) => Promise<TradingServer>
  restarts: number
}

/** Runs to the end, or throws what a checker found. */
export async function simulate(parts: SimulationParts): Promise<Outcome> {
  const { seed, profile, decisions, store, serverOf, isLastStep = () => false } = parts
  const clock = createVirtualClock(START_MS)
  await using network = await startNetwork(seed, profile, decisions, clock)
  let steps = 0
  const isLast = (): boolean => isLastStep(++steps)
  const progress = { calm: false }
  const truth = createLedgerTruth(network)
  const clients = createClients({ network, truth, clock, decisions, profile, isCalm: () => progress.calm })
  const lines: string[] = []
  const write = (fields: object, message: string): void => void lines.push(`${message} ${toLogText(fields)}`)
  const log: Log = clients.addresses.length === 0 ? silentLog : { debug: write, info: write, warn: write, error: write }
  const simulation: SimulationState = {
    clock, network, truth, store, decisions, profile, clients, log, lines, isLast, serverOf,
    processes: [], allProcesses: [], restarts: 0, snapshot: undefined, chains: [],
  }
  for (let index = 0; index < profile.indexers; index++) simulation.processes[index] = await begin(simulation, index)
  const watch = createLogWatch(store.read)
  try {
    for (let ledger = 0; ledger < profile.ledgers; ledger++) {
      clients.act(simulation.processes)
      await network.step()
      await advance(simulation, profile.ledgerSec * 1000)
      await movePrices(simulation)
      await disturbProcesses(simulation)
      await injectNetworkFault(simulation, () => waitForResponses(simulation))
      await watch()
      clients.check()
    }
    decisions.calm()
    await restartDead(simulation)
    await finishRequests(simulation, () => void (progress.calm = true))
    await finishSubmissions(simulation)
    await converge(simulation)
    await watch()
    simulation.chains.push(readChainEvents(network))
    return { ...(await verify(simulation)), steps }
  } finally {
    for (const process of simulation.processes) await end(simulation, process)
  }
}

function startNetwork(seed: string, profile: Profile, decisions: Decisions, clock: VirtualClock): Promise<LocalNetwork> {
  const random = createSeededRandom(`${seed}/network`)
  const faults = simulatedFaults(decisions, profile)
  const { ledgerSec, traders, generation = '1', protocol = FIRST_PROTOCOL } = profile
  return startNetworkOn(clock, { random, seed, faults, ledgerMs: ledgerSec * 1000, traders, generation, protocol })
}

async function begin(simulation: SimulationState, index: number): Promise<SimProcess> {
  const { profile, clients } = simulation
  const process = await startProcess(index, simulation.restarts, {
    ...simulation, pollIntervalMs: pollIntervalMs(profile), accounts: clients.addresses, onSend: clients.onSend,
  })
  simulation.allProcesses.push(process)
  return process
}

/** Stops a process. */
async function end(simulation: SimulationState, process: SimProcess): Promise<void> {
  if (process.killable.isDead()) return untilProcessesIdle(simulation.allProcesses)
  const state: { ended: boolean; error?: unknown } = { ended: false }
  void process.end().then(() => (state.ended = true), (error: unknown) => Object.assign(state, { ended: true, error }))
  const slice = sliceMs(simulation.profile)
  for (let waited = 0; !state.ended && !process.killable.isDead() && waited < livenessMs(simulation.profile); waited += slice) await advance(simulation, slice)
  if (state.error !== undefined) throw state.error
  assert.ok(state.ended || process.killable.isDead(), 'a process did not stop')
  // Disconnects what is left of it in memory.
  process.killable.kill()
}

/** Advances virtual time in slices; after each, all consequences take place. */
async function advance(simulation: SimulationState, ms: number, slice = sliceMs(simulation.profile)): Promise<void> {
  for (let passed = 0; passed < ms; passed += slice) {
    await untilProcessesIdle(simulation.allProcesses)
    simulation.clock.advance(Math.min(slice, ms - passed))
  }
  await untilProcessesIdle(simulation.allProcesses)
  for (const process of simulation.processes) process.checkBounds()
}

function pollIntervalMs({ ledgerSec, pollsPerLedger }: Profile): number {
  return Math.round((ledgerSec * 1000) / pollsPerLedger)
}

function ledgersPerPoll({ pollsPerLedger }: Profile): number {
  return Math.ceil(1 / pollsPerLedger)
}

function sliceMs(profile: Profile): number {
  return Math.min(SLICE_MAX_MS, Math.max(SLICE_MIN_MS, Math.floor(pollIntervalMs(profile) / SLICES_PER_POLL)))
}

function livenessMs(profile: Profile): number {
  return LIVENESS_MS + LIVENESS_POLLS * pollIntervalMs(profile)
}

/** Advances time until no request is open. */
async function waitForResponses(simulation: SimulationState): Promise<void> {
  const slice = sliceMs(simulation.profile)
  for (let waited = 0; simulation.clients.waiting() > 0 && waited < LIVENESS_MS; waited += slice) await advance(simulation, slice)
  await untilProcessesIdle(simulation.allProcesses)
}

/** Between two ledgers: may kill or restart processes or step their clocks, and replaces dead ones. */
async function disturbProcesses(simulation: SimulationState): Promise<void> {
  const { decisions, profile, processes } = simulation
  for (const process of processes) {
    const choice = decisions.decide('driver', [
      { chance: profile.restart / 2, choice: () => ({ name: 'kill' }) },
      { chance: profile.restart / 2, choice: () => ({ name: 'restart' }) },
    ])
    if (choice?.name === 'kill') process.killable.kill()
    if (choice?.name === 'restart') await end(simulation, process)
    const step = decisions.decide('time', [
      { chance: (profile.timeStep ?? 0) / 2, choice: () => ({ name: 'forward' }) },
      { chance: (profile.timeStep ?? 0) / 2, choice: () => ({ name: 'back' }) },
    ])
    if (step !== undefined) process.stepTime(step.name === 'back' ? -HOUR_MS : HOUR_MS)
  }
  await restartDead(simulation)
}

async function restartDead(simulation: SimulationState): Promise<void> {
  for (const [index, process] of simulation.processes.entries()) {
    if (!process.killable.isDead()) continue
    await untilProcessesIdle(simulation.allProcesses)
    simulation.restarts += 1
    simulation.processes[index] = await begin(simulation, index)
  }
}

/**
 * Closes ledgers until all requests have responses, then repeats every request: from then on no response may be wrong. Without new ledgers a restored network
 * would look like a lagging one.
 */
async function finishRequests(simulation: SimulationState, onCalm: () => void): Promise<void> {
  const { network, profile, clients } = simulation
  const ledgers = async (count: number): Promise<void> => {
    for (let ledger = 0; ledger < count; ledger++) {
      await network.step()
      await advance(simulation, profile.ledgerSec * 1000)
      await restartDead(simulation)
      clients.check()
    }
  }
  await ledgers(CALM_POLLS * ledgersPerPoll(profile))
  for (let waited = 0; clients.waiting() > 0 && waited < LIVENESS_MS; waited += profile.ledgerSec * 1000) await ledgers(1)
  assert.equal(clients.waiting(), 0, 'requests are still open')
  onCalm()
  clients.settle(simulation.processes)
  for (let waited = 0; clients.waiting() > 0 && waited < LIVENESS_MS; waited += profile.ledgerSec * 1000) await ledgers(1)
  assert.equal(clients.waiting(), 0, 'requests are still open')
  for (const process of simulation.processes) assert.equal(process.submissionsUnderWay(), 0, 'a submission continues without a waiting request')
}

/** Without a client waiting, every stored submission reaches a final state. Then all processes report it. */
async function finishSubmissions(simulation: SimulationState): Promise<void> {
  const { network, store, profile, clients, processes } = simulation
  const ledgerMs = Math.max(profile.ledgerSec * 1000, FINAL_LEDGER_MS)
  const close = async (): Promise<void> => {
    await network.step()
    await advance(simulation, ledgerMs, FINAL_SLICE_MS)
    clients.check()
  }
  let waited = 0
  for (; (await countPending(store.read)) > 0 && waited < LIVENESS_MS + VALID_MS; waited += ledgerMs) await close()
  assert.equal(await countPending(store.read), 0, `submissions are still pending ${waited / 1000} s after the last fault`)
  clients.lookUpAll(processes)
  for (waited = 0; clients.waiting() > 0 && waited < LIVENESS_MS; waited += ledgerMs) await close()
  assert.equal(clients.waiting(), 0, 'requests are still open')
}

/**
 * After the last fault the index reaches the head of the chain without a restart. A network that was put back below the index is recognized when it reaches
 * ledgers that were indexed, so that it continues until then.
 */
async function converge(simulation: SimulationState): Promise<void> {
  const { network, store, profile } = simulation
  const limitMs = livenessMs(profile)
  const head = (): number => network.chain.history.latest().sequence
  for (let waited = 0; waited < limitMs; waited += pollIntervalMs(profile)) {
    const state = await readIndexState(store.read)
    if (state?.lastLedger === head() && (await listUnnumberedChanges(store.read, 1)).length === 0) return
    if ((state?.lastLedger ?? 0) > head()) await network.step()
    await advance(simulation, pollIntervalMs(profile))
  }
  const state = await readIndexState(store.read)
  assert.fail(`${limitMs / 1000} s after the last fault the index is at ledger ${state?.lastLedger ?? 'none'}, the chain at ${head()}`)
}

async function verify(simulation: SimulationState): Promise<Omit<Outcome, 'steps'>> {
  const { store, clock, network, truth, decisions, restarts, clients, allProcesses, processes, profile, chains } = simulation
  const counts = new Map<string, number>()
  const state = await readIndexState(store.read)
  assert.equal(state?.gaps, 0, 'the index has gaps although the node retains all ledgers')
  assert.equal(state.unknownEvents, 0, 'events of the exchange could not be decoded')
  await checkLogNumbers(store.read)
  const archive = await readArchive(store.read)
  const [current] = await store.read.query<{ chain: number }>('select e.chain from idx.cursor c join idx.epochs e on e.number = c.epoch')
  await checkPageLog(store.read)
  checkArchiveMatchesChain(archive, simulation.chains, { chain: current?.chain ?? 0, lastLedger: state.lastLedger })
  await checkListsMatchFold(store.read, archive, nowSec(clock), await readOpenPositions(network))
  if (clients.addresses.length > 0) {
    for (const process of processes) await process.tail.catchUp()
    await checkFramesMatchLog(store.read, allProcesses, decisions.record)
    counts.set('frame of an orders channel', await checkOrderFramesMatchLog(store.read, allProcesses, clients.addresses))
  }
  const submissions = await checkSubmissionsAreTrue(store.read, truth, { comparableClocks: (profile.timeStep ?? 0) === 0 })
  if (chains.length === 1) {
    const { wallets, crossBalances } = await checkCashMatchesChain(store.read, network)
    counts.set('cash of a wallet', wallets).set('cash of a cross balance', crossBalances)
  }
  await clients.verify(store.read, simulation.lines)
  for (const [name, times] of clients.counts) counts.set(name, times)
  const increment = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const [status, times] of submissions) counts.set(`stored: ${status}`, times)
  for (const { door, choice } of decisions.record) increment(`${door.replace(/^(\w+) \d+/, '$1')}: ${choice.name}`)
  for (const { topic } of archive) increment(topic)
  return { events: archive.length, ledgers: network.chain.history.latest().sequence, restarts, counts }
}
