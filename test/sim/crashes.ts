// Kills a process at every step of a fixed scenario: the scenario runs once to count the steps, and then once per step with a kill right there. The process
// that replaces the killed one must finish the scenario.

import assert from 'node:assert/strict'
import { Keypair } from '@stellar/stellar-sdk'
import { createVirtualClock, nowSec } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { readIndexState } from '../../src/projections/state/index-state.ts'
import { listUnnumberedChanges } from '../../src/projections/log/submission-log.ts'
import type { Store } from '../../src/store/store.ts'
import { createFaults } from '../../localnet/faults.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { startNetworkOn } from '../support/network.ts'
import type { TradingServer } from './trading-server.ts'
import { checkArchiveMatchesChain } from './checkers/archive-matches-chain.ts'
import { checkPageLog } from './checkers/page-log.ts'
import { checkLogNumbers, readArchive } from './checkers/archive.ts'
import { checkFramesMatchLog } from './checkers/frames-match-log.ts'
import { checkOrderFramesMatchLog } from './checkers/order-frames-match-log.ts'
import { checkKeysAreStored } from './checkers/keys-are-stored.ts'
import { checkListsMatchFold } from './checkers/lists-match-fold.ts'
import { checkSubmissionsAreTrue, countPending } from './checkers/submissions-are-true.ts'
import { decisionsOfRecord } from './decisions.ts'
import { createKeyHolder } from './key-holders.ts'
import type { KeyHolder } from './key-holders.ts'
import { createLedgerTruth } from './ledger-truth.ts'
import { readChainEvents, readOpenPositions } from './network-faults.ts'
import { startProcess, untilProcessesIdle } from './process.ts'
import type { SimProcess } from './process.ts'
import { profileOfSeed } from './profile.ts'
import type { Profile } from './profile.ts'
import { createRequests } from './requests.ts'
import { createSubmitter } from './submitters.ts'
import type { Submitter } from './submitters.ts'

export type Scenario = 'index' | 'keys' | 'submit' | 'drive'

/** Every `of`th step of a scenario, from the `part`th on. */
export interface CrashSweep {
  readonly scenario: Scenario
  readonly seed: string
  readonly part: number
  readonly of: number
  /** Kills the next process too, this many steps after its start; null lets it live. */
  readonly secondKillAfter: number | null
}

interface CrashTools {
  /** Runs `work` on an empty database. */
  readonly withStore: <T>(work: (store: Store) => Promise<T>) => Promise<T>
  readonly serverOf: (index: number) => Promise<TradingServer>
}

const START_MS = 1_783_339_200_000
const LEDGER_MS = 5_000
/** Ledgers that close before a scenario starts. */
const LEDGERS_BEFORE = 9
const EVENTS_PER_PAGE = 9
/** Virtual time advances by this much at a time. */
const SLICE_MS = 1_000
const SLICES_MAX = 400
/** Rejected requests are repeated after this many slices. */
const RETRY_SLICES = 12
/** Without faults and without clients. */
const QUIET: Profile = {
  ...profileOfSeed('quiet'), restart: 0, clients: 0, timeStep: 0,
  rpc: zeros(), store: zeros(), send: zeros(), notify: zeros(),
}

interface ScenarioParts {
  readonly clock: VirtualClock
  readonly network: LocalNetwork
  readonly tools: CrashTools
}

interface ScenarioState extends ScenarioParts {
  readonly store: Store
  readonly isLast: () => boolean
  readonly holder: KeyHolder
  readonly submitter: Submitter
  readonly allProcesses: SimProcess[]
  process: SimProcess
  readonly check: () => void
  readonly attempt: (work: () => void) => void
}

/** Kills a process at each step of the sweep; returns the number of kills. */
export async function sweepCrashes(sweep: CrashSweep, tools: CrashTools): Promise<{ readonly crashes: number }> {
  const clock = createVirtualClock(START_MS)
  await using network = await startNetwork(sweep.seed, clock)
  for (let ledger = 0; ledger < (sweep.scenario === 'keys' ? 1 : LEDGERS_BEFORE); ledger++) await closeLedger(network, clock)
  // Every run starts from the same state.
  const { id } = (await network.rpc.call('local_snapshot', {})) as { id: string }
  async function run(killAt: number | null): Promise<ScenarioResult> {
    await network.rpc.call('local_restore', { id })
    // The contracts reject old prices, so these ledgers bring new ones.
    for (let ledger = 0; ledger < 2; ledger++) await closeLedger(network, clock)
    return runScenario(sweep, { tools, clock, network }, killAt)
  }

  const { steps } = await run(null)
  let crashes = 0
  for (let step = 1 + sweep.part; step <= steps; step += sweep.of) {
    try {
      crashes += (await run(step)).kills
    } catch (error) {
      throw new Error(`a kill at step ${step} of ${steps} of the scenario "${sweep.scenario}" left wrong data`, { cause: error })
    }
  }
  return { crashes }
}

async function closeLedger(network: LocalNetwork, clock: VirtualClock): Promise<void> {
  clock.advance(LEDGER_MS)
  await network.step()
}

interface ScenarioResult {
  readonly steps: number
  readonly kills: number
}

/** Runs the scenario once and kills the process at step `killAt`, if it is reached. */
async function runScenario({ scenario, secondKillAfter }: CrashSweep, parts: ScenarioParts, killAt: number | null): Promise<ScenarioResult> {
  return parts.tools.withStore(async (store) => {
    let steps = 0
    let kills = 0
    // Real time changes the number of steps a little: a scenario that ends before step `killAt` has no kill.
    let isOver = false
    const isLast = (): boolean => {
      steps += 1
      const isKilled = !isOver && killAt !== null && (steps === killAt || (secondKillAfter !== null && steps === killAt + secondKillAfter))
      if (isKilled) kills += 1
      return isKilled
    }
    const state = await openScenario({ ...parts, store, isLast })
    await SCENARIOS[scenario](state)
    isOver = true
    const scenarioSteps = steps
    await verifyScenario(state, scenario)
    return { steps: scenarioSteps, kills }
  })
}

function startNetwork(seed: string, clock: VirtualClock): Promise<LocalNetwork> {
  const faults = createFaults({ decide: ({ method }) => (method === 'getEvents' ? [{ name: 'cut_page', events: EVENTS_PER_PAGE }] : []) })
  return startNetworkOn(clock, { random: createSeededRandom(`${seed}/network`), faults, seed, ledgerMs: LEDGER_MS, traders: 2 })
}

async function openScenario(parts: ScenarioParts & Pick<ScenarioState, 'store' | 'isLast'>): Promise<ScenarioState> {
  const { clock, network } = parts
  const requests = createRequests(clock)
  const wallet = Keypair.fromSecret(network.accounts.find(({ secret }) => secret !== null)?.secret ?? assert.fail('the network has no account with a secret'))
  const client = { wallet, requests, clock, network, truth: createLedgerTruth(network), isCalm: () => true, timeSteps: false }
  const state = {
    ...parts, holder: createKeyHolder(client), submitter: createSubmitter(client), allProcesses: [],
    check: () => requests.check(),
    attempt: (work: () => void) => requests.attempt(work),
  }
  return { ...state, process: await start(state, 0) }
}

async function start(state: Omit<ScenarioState, 'process'>, run: number): Promise<SimProcess> {
  const { tools: { serverOf }, holder: { address }, allProcesses } = state
  const process = await startProcess(0, run, {
    ...state, serverOf, decisions: decisionsOfRecord([]), profile: QUIET, pollIntervalMs: 2_000, log: silentLog, accounts: [address],
    onSend: (envelope) => state.attempt(() => state.submitter.onSend(envelope)),
  })
  allProcesses.push(process)
  return process
}

/** Advances time, closes ledgers and replaces killed processes until `isDone`. */
async function advanceUntil(state: ScenarioState, isDone: () => boolean | Promise<boolean>, goal: string): Promise<void> {
  const idle = (): Promise<void> => untilProcessesIdle(state.allProcesses)
  for (let slices = 0; slices < SLICES_MAX; slices++) {
    await idle()
    state.check()
    if (state.process.isDead()) state.process = await start(state, state.allProcesses.length)
    await idle()
    if (!state.process.isDead() && (await isDone())) return
    // `isDone` may have sent requests.
    await idle()
    state.clock.advance(SLICE_MS)
    if (slices % (LEDGER_MS / SLICE_MS) === 0) await state.network.step()
  }
  assert.fail(`not reached: ${goal}`)
}

/** Repeats a request after a kill or a rejection until it has taken effect. */
async function retryUntil(state: ScenarioState, send: () => Promise<void>, isDone: () => boolean, goal: string): Promise<void> {
  let receiver: SimProcess | undefined
  let slices = 0
  await advanceUntil(state, () => {
    if (isDone()) return true
    slices += 1
    if (receiver !== state.process || slices % RETRY_SLICES === 0) void send()
    receiver = state.process
    return false
  }, goal)
}

const advanceOneSlice = (state: ScenarioState): Promise<void> => advanceUntil(state, () => true, 'one slice')

function indexToHead(state: ScenarioState): Promise<void> {
  const { store, network } = state
  return advanceUntil(state, async () => (await readIndexState(store.read))?.lastLedger === network.chain.history.latest().sequence, 'an index in sync')
}

const SCENARIOS: Readonly<Record<Scenario, (state: ScenarioState) => Promise<void>>> = {
  async index(state) {
    await indexToHead(state)
    for (let ledger = 0; ledger < 2; ledger++) await state.network.step()
    await indexToHead(state)
  },
  async keys(state) {
    const { holder } = state
    for (let wanted = 1; wanted <= 2; wanted++) {
      await retryUntil(state, () => holder.obtain(state.process, state.process), () => holder.keys.length >= wanted, 'a key')
    }
    void holder.replay(state.process)
    for (const pick of [0, 1, 0]) void holder.use(state.process, pick)
    await retryUntil(state, () => holder.revoke(state.process, 0), () => holder.keys[0]?.revokedMs !== null, 'a revocation')
    for (const pick of [0, 1]) void holder.use(state.process, pick)
    // Gives the gateway time to store the last uses.
    for (let slices = 0; slices < 3; slices++) await advanceOneSlice(state)
  },
  async submit(state) {
    const { holder, submitter } = state
    await retryUntil(state, () => holder.obtain(state.process, state.process), () => holder.keys.length > 0, 'a key')
    const [key] = holder.keys
    assert.ok(key)
    const choice = { key, asset: 0, patienceMs: 10_000 }
    await retryUntil(state, () => submitter.trade(state.process, state.process, choice), () => submitter.envelopes.length > 0, 'a prepared transaction')
    const hasSucceeded = (): boolean => submitter.envelopes.some(({ submissions }) => submissions.some(({ outcome }) => outcome?.kind === 'success'))
    await retryUntil(state, () => submitter.submit(state.process, { key, pick: 0, patienceMs: 10_000 }), hasSucceeded, 'a successful submission')
    // A repeated submission reports the same result.
    void submitter.submit(state.process, { key, pick: 0, patienceMs: 1_000 })
    await advanceOneSlice(state)
  },
  /** The client submits once and leaves: the gateway continues alone. */
  async drive(state) {
    const { holder, submitter, store, network } = state
    await retryUntil(state, () => holder.obtain(state.process, state.process), () => holder.keys.length > 0, 'a key')
    const [key] = holder.keys
    assert.ok(key)
    const choice = { key, asset: 1, patienceMs: 1_000 }
    await retryUntil(state, () => submitter.trade(state.process, state.process, choice), () => submitter.envelopes.length > 0, 'a prepared transaction')
    const submitted = submitter.envelopes.find(({ submissions }) => submissions.length > 0)
    const isAnswered = (): boolean => submitted?.submissions.every(({ outcome, server }) => outcome !== null || server.isDead()) ?? true
    await advanceUntil(state, isAnswered, 'a response or a killed process')
    await advanceUntil(state, async () => (await countPending(store.read)) === 0, 'no pending submission')
    const isApplied = submitted !== undefined && network.chain.history.transaction(submitted.hash)?.status === 'SUCCESS'
    if (submitted?.isStored === true) assert.ok(isApplied, 'an acknowledged submission was not driven to its end')
    void submitter.look(state.process, { key, pick: 0, byClientId: false })
    await advanceOneSlice(state)
  },
}

/** Verifies everything once no process is killed any more. */
async function verifyScenario(state: ScenarioState, scenario: Scenario): Promise<void> {
  const { store, network, clock, holder, submitter, allProcesses } = state
  await indexToHead(state)
  const { lastLedger = null } = (await readIndexState(store.read)) ?? {}
  await checkLogNumbers(store.read)
  const archive = await readArchive(store.read)
  await checkPageLog(store.read)
  checkArchiveMatchesChain(archive, [readChainEvents(network)], { chain: 1, lastLedger })
  if (scenario === 'index') await checkListsMatchFold(store.read, archive, nowSec(clock), await readOpenPositions(network))
  for (const pick of holder.keys.keys()) void holder.use(state.process, pick)
  await advanceOneSlice(state)
  await state.process.tail.catchUp()
  await checkFramesMatchLog(store.read, allProcesses, [])
  await advanceUntil(state, async () => (await countPending(store.read)) + (await listUnnumberedChanges(store.read, 1)).length === 0, 'final submissions')
  await state.process.tail.catchUp()
  await checkOrderFramesMatchLog(store.read, allProcesses, [holder.address])
  await checkSubmissionsAreTrue(store.read, createLedgerTruth(network), { comparableClocks: true })
  await checkKeysAreStored(store.read, [holder])
  submitter.checkReported()
  state.process.killable.kill()
}

/** An object whose every property is 0. */
function zeros(): never {
  return new Proxy({}, { get: () => 0 }) as never
}
