// Dying at every step: a fixed story is told once to count the steps that a process takes through its doors, and then once for each of them, with a process
// that dies right there, before or after what the door does. Whoever takes its place must bring the story to the same end.

import assert from 'node:assert/strict'
import { Keypair } from '@stellar/stellar-sdk'
import { createVirtualClock, nowSec } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { readIndexState } from '../../src/projections/index-state.ts'
import type { Store } from '../../src/store/store.ts'
import { createFaults } from '../../localnet/faults.ts'
import { startLocalNetwork } from '../../localnet/start.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import type { TradingServer } from '../support/trading-server.ts'
import { untilIdle } from '../support/until.ts'
import { checkArchiveMatchesChain } from './checkers/archive-matches-chain.ts'
import { readArchive } from './checkers/archive.ts'
import { checkFramesMatchLog } from './checkers/frames-match-log.ts'
import { checkKeysAreStored } from './checkers/keys-are-stored.ts'
import { checkListsMatchFold } from './checkers/lists-match-fold.ts'
import { decisionsOfRecord } from './decisions.ts'
import { createKeyHolder } from './key-holders.ts'
import type { KeyHolder } from './key-holders.ts'
import { readChainEvents, openPositionIds } from './network-faults.ts'
import { startProcess } from './process.ts'
import type { SimProcess } from './process.ts'
import { profileOfSeed } from './profile.ts'
import type { Profile } from './profile.ts'
import { createRequests } from './requests.ts'
import { createSubmitter } from './submitters.ts'
import type { Submitter } from './submitters.ts'

/** What a process does while it dies. */
export type Scenario = 'index' | 'keys' | 'submit'

/** Some of a story's steps: every `of`th, from the `part`th on. */
export interface CrashSweep {
  readonly scenario: Scenario
  readonly seed: string
  readonly part: number
  readonly of: number
  /** The new process dies, too, so many steps after its start; null: it lives. */
  readonly secondKillAfter: number | null
}

export interface CrashTools {
  /** Runs `work` on an empty database. */
  readonly withStore: <T>(work: (store: Store) => Promise<T>) => Promise<T>
  readonly serverOf: (index: number) => Promise<TradingServer>
}

const START_MS = 1_783_339_200_000
const LEDGER_MS = 5_000
/** Ledgers that are there before the story begins. */
const LEDGERS_BEFORE = 9
const EVENTS_PER_PAGE = 9
/** Virtual time moves on by this much at a time. */
const SLICE_MS = 1_000
/** A story that has not come to its end after so many slices has lost its way. */
const SLICES_MAX = 400
const IDLE_TURNS = 4
/** Who was refused, because the network was not ready for it, asks again after so many slices. */
const ASK_AGAIN_SLICES = 12
/** No fault, and nobody's doing but the story's. */
const QUIET: Profile = {
  ...profileOfSeed('quiet'), restart: 0, clients: 0, timeStep: 0,
  rpc: zeros(), store: zeros(), send: zeros(), notify: zeros(),
}

interface ScenarioState {
  readonly clock: VirtualClock
  readonly network: LocalNetwork
  readonly store: Store
  readonly tools: CrashTools
  readonly isLast: () => boolean
  readonly holder: KeyHolder
  readonly submitter: Submitter
  readonly allProcesses: SimProcess[]
  process: SimProcess
  readonly check: () => void
}

/** Lets a process die at each of the sweep's steps; returns how many that were. */
export async function sweepCrashes(sweep: CrashSweep, tools: CrashTools): Promise<{ readonly crashes: number }> {
  const clock = createVirtualClock(START_MS)
  await using network = await startNetwork(sweep.seed, clock)
  for (let ledger = 0; ledger < (sweep.scenario === 'keys' ? 1 : LEDGERS_BEFORE); ledger++) await closeLedger(network, clock)
  // Every telling begins with the same past.
  const { id } = (await network.rpc.call('local_snapshot', {})) as { id: string }
  async function runOnce(dieAt: number | null): Promise<ScenarioResult> {
    await network.rpc.call('local_restore', { id })
    // Prices that are not older than the contracts bear.
    for (let ledger = 0; ledger < 2; ledger++) await closeLedger(network, clock)
    return runScenario(sweep, { tools, clock, network }, dieAt)
  }

  const { steps } = await runOnce(null)
  let crashes = 0
  for (let step = 1 + sweep.part; step <= steps; step += sweep.of) {
    try {
      const { kills } = await runOnce(step)
      crashes += kills
    } catch (error) {
      throw new Error(`a process that died at step ${step} of ${steps} of the story "${sweep.scenario}" left something wrong`, { cause: error })
    }
  }
  return { crashes }
}

async function closeLedger(network: LocalNetwork, clock: VirtualClock): Promise<void> {
  clock.advance(LEDGER_MS)
  await network.step()
}

/** How many steps the story took, and how many processes died in it. */
interface ScenarioResult {
  readonly steps: number
  readonly kills: number
}

/** Tells the story once, with a process that dies at this step of all, if it is reached. */
async function runScenario(
  { scenario: story, secondKillAfter: again }: CrashSweep, given: Pick<ScenarioState, 'tools' | 'clock' | 'network'>, dieAt: number | null,
): Promise<ScenarioResult> {
  return given.tools.withStore(async (store) => {
    let steps = 0
    let kills = 0
    // A story takes a few steps more or less, by what comes first in real time: one that ends before the step that it was to die at lets allProcesses live.
    let isOver = false
    const isLast = (): boolean => {
      steps += 1
      const dies = !isOver && dieAt !== null && (steps === dieAt || (again !== null && steps === dieAt + again))
      if (dies) kills += 1
      return dies
    }
    const stage = await openScenario({ ...given, store, isLast })
    await SCENARIOS[story](stage)
    isOver = true
    const told = steps
    await finishScenario(stage, story)
    return { steps: told, kills }
  })
}

function startNetwork(seed: string, clock: VirtualClock): Promise<LocalNetwork> {
  const faults = createFaults({ decide: ({ method }) => (method === 'getEvents' ? [{ name: 'cut_page', events: EVENTS_PER_PAGE }] : []) })
  const random = createSeededRandom(`${seed}/network`)
  return startLocalNetwork({
    clock, random, faults, seed, log: silentLog, ledgerMs: LEDGER_MS, host: '127.0.0.1', port: null, traders: 2, directory: null,
  })
}

async function openScenario(given: Pick<ScenarioState, 'clock' | 'network' | 'store' | 'tools' | 'isLast'>): Promise<ScenarioState> {
  const { clock, network } = given
  const requests = createRequests(clock)
  const wallet = Keypair.fromSecret(network.accounts.find(({ secret }) => secret !== null)?.secret ?? assert.fail('somebody to play'))
  const parts = { wallet, requests, clock, network, isCalm: () => true, timeSteps: false }
  const holder = createKeyHolder(parts)
  const allProcesses: SimProcess[] = []
  const stage = {
    ...given, holder, allProcesses,
    submitter: createSubmitter(parts),
    check: () => requests.check(),
  }
  const process = await begin(stage, 0)
  return { ...stage, process }
}

async function begin(stage: Omit<ScenarioState, 'process'>, life: number): Promise<SimProcess> {
  const { tools: { serverOf }, holder: { address }, allProcesses } = stage
  const process = await startProcess(0, life, {
    ...stage, serverOf, decisions: decisionsOfRecord([]), profile: QUIET, pollIntervalMs: 2_000, log: silentLog, accounts: [address],
  })
  allProcesses.push(process)
  return process
}

/** Lets time pass, ledgers close and dead processes be replaced until `isDone`. */
async function advanceUntil(stage: ScenarioState, isDone: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let slices = 0; slices < SLICES_MAX; slices++) {
    await idle(stage)
    stage.check()
    if (stage.process.killable.isDead()) stage.process = await begin(stage, stage.allProcesses.length)
    await idle(stage)
    if (!stage.process.killable.isDead() && (await isDone())) return
    // What was asked just now takes no time.
    await idle(stage)
    stage.clock.advance(SLICE_MS)
    if (slices % (LEDGER_MS / SLICE_MS) === 0) await stage.network.step()
  }
  assert.fail(`${what} never came about`)
}

async function idle({ allProcesses }: ScenarioState): Promise<void> {
  await untilIdle(() => allProcesses.some(({ killable: mortal }) => mortal.busy() > 0), IDLE_TURNS)
}

/** Repeats what is asked for until it is so: who gets no answer asks again, and whatever the dead one did is so already. */
async function retryUntil(stage: ScenarioState, ask: () => Promise<void>, isDone: () => boolean, what: string): Promise<void> {
  let askedOf: SimProcess | undefined
  let slices = 0
  await advanceUntil(stage, () => {
    if (isDone()) return true
    slices += 1
    if (askedOf !== stage.process || slices % ASK_AGAIN_SLICES === 0) void ask()
    askedOf = stage.process
    return false
  }, what)
}

async function isIndexed({ store, network }: ScenarioState): Promise<boolean> {
  const state = await readIndexState(store.read)
  return state?.lastLedger === network.chain.history.latest().sequence
}

const SCENARIOS: Readonly<Record<Scenario, (stage: ScenarioState) => Promise<void>>> = {
  async index(stage) {
    await advanceUntil(stage, () => isIndexed(stage), 'the end of the chain')
    for (let ledger = 0; ledger < 2; ledger++) await stage.network.step()
    await advanceUntil(stage, () => isIndexed(stage), 'the end of the chain, further on')
  },
  async keys(stage) {
    const { holder } = stage
    for (let wanted = 1; wanted <= 2; wanted++) {
      await retryUntil(stage, () => holder.obtain(stage.process, stage.process), () => holder.keys.length >= wanted, 'a key')
    }
    void holder.replay(stage.process)
    for (const pick of [0, 1, 0]) void holder.use(stage.process, pick)
    await retryUntil(stage, () => holder.revoke(stage.process, 0), () => holder.keys[0]?.revokedMs !== null, 'the end of a key')
    for (const pick of [0, 1]) void holder.use(stage.process, pick)
    // Uses are written down.
    for (let slices = 0; slices < 3; slices++) await advanceUntil(stage, () => true, 'a slice')
  },
  async submit(stage) {
    const { holder, submitter } = stage
    await retryUntil(stage, () => holder.obtain(stage.process, stage.process), () => holder.keys.length > 0, 'a key')
    const [key] = holder.keys
    assert.ok(key)
    const choice = { key, asset: 0, patienceMs: 10_000 }
    await retryUntil(stage, () => submitter.trade(stage.process, stage.process, choice), () => submitter.envelopes.length > 0, 'a prepared transaction')
    const isTold = (): boolean => submitter.envelopes.some(({ submissions }) => submissions.some(({ outcome: told }) => told?.kind === 'success'))
    await retryUntil(stage, () => submitter.submit(stage.process, { key, pick: 0, patienceMs: 10_000 }), isTold, 'its success')
    // What is told once is told again.
    void submitter.submit(stage.process, { key, pick: 0, patienceMs: 1_000 })
    await advanceUntil(stage, () => true, 'a slice')
  },
}

/** Nobody dies any more: everything is held against everything else. */
async function finishScenario(stage: ScenarioState, story: Scenario): Promise<void> {
  const { store, network, clock, holder, submitter, allProcesses } = stage
  await advanceUntil(stage, () => isIndexed(stage), 'the end of the chain')
  const incarnation = readChainEvents(network)
  const state = await readIndexState(store.read)
  const archive = await readArchive(store.read)
  checkArchiveMatchesChain(archive, [incarnation], { chain: 1, lastLedger: state?.lastLedger ?? null })
  if (story === 'index') await checkListsMatchFold(store.read, archive, nowSec(clock), await openPositionIds(network))
  for (const place of holder.keys.keys()) void holder.use(stage.process, place)
  await advanceUntil(stage, () => true, 'a slice')
  await stage.process.tail.catchUp()
  await checkFramesMatchLog(store.read, allProcesses)
  await checkKeysAreStored(store.read, [holder])
  submitter.checkReported()
  stage.process.killable.kill()
}

/** Something whose every field is 0. */
function zeros(): never {
  return new Proxy({}, { get: () => 0 }) as never
}
