// A thread that runs simulations one after the other. Threads use every core, and a test runner's bookkeeping of promises stays out of them.

import { parentPort, workerData } from 'node:worker_threads'
import { defined } from '../../src/base/assert.ts'
import type { Store } from '../../src/store/store.ts'
import { openTestStore, testServerUrl } from '../support/database.ts'
import { openInProcessStore } from '../support/in-process-store.ts'
import { createTradingServer } from '../support/trading-server.ts'
import type { TradingServer } from '../support/trading-server.ts'
import { sweepCrashes } from './crashes.ts'
import type { CrashSweep } from './crashes.ts'
import { decisionsOfRecord, decisionsOfSeed } from './decisions.ts'
import type { Decision } from './decisions.ts'
import { profileOfSeed } from './profile.ts'
import type { Profile } from './profile.ts'
import { simulate } from './simulation.ts'
import type { Outcome } from './simulation.ts'

/** A run worth keeping. */
export interface SavedRun {
  /** One sentence: what it caught. */
  readonly caught: string
  readonly seed: string
  readonly profile: Profile
  readonly decisions: readonly Decision[]
}

export type Task =
  | { readonly kind: 'seed'; readonly seed: string }
  | { readonly kind: 'kept'; readonly kept: SavedRun }
  | { readonly kind: 'crashes'; readonly sweep: CrashSweep }

/** What came of a task: an outcome, or what was found and how to keep it. */
export interface TaskResult {
  readonly task: Task
  readonly outcome?: Outcome
  /** How many processes died at steps of their own. */
  readonly crashes?: number
  readonly failure?: string
  readonly savedRun?: SavedRun
}

/** A busy machine is no finding: statements may take as long as they need. */
const READ_TIMEOUT_MS = 300_000
/** More turns than this see nothing new in a stack. */
const STACK_LENGTH = 4_000

/** An engine's log grows, and a server remembers what nobody will ever answer: both are thrown away after so many runs. */
const RUNS_PER_ENGINE = 20

/** Runs `work` on an empty database: on the server when there is one, else on one in this thread that is emptied each time. */
async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  if (testServerUrl() !== null) {
    await using store = await openTestStore({ readTimeoutMs: READ_TIMEOUT_MS })
    return await work(store)
  }
  if (runs++ % RUNS_PER_ENGINE === 0) await discardStore()
  const store = await (own ??= openInProcessStore())
  try {
    await store.clear()
    return await work(store)
  } catch (error) {
    // What failed may have left the database in any state.
    await discardStore()
    throw error
  }
}

let runs = 0
let own: ReturnType<typeof openInProcessStore> | undefined

async function discardStore(): Promise<void> {
  const old = await own
  own = undefined
  servers.clear()
  // Whoever still waits for a statement waits in vain.
  await old?.[Symbol.asyncDispose]()
}

/** The servers of this thread; what costs most of a gateway's start is the same for all. */
const servers = new Map<number, Promise<TradingServer>>()

function serverOf(index: number): Promise<TradingServer> {
  const server = servers.get(index) ?? createTradingServer()
  servers.set(index, server)
  return server
}

async function run(task: Task): Promise<TaskResult> {
  if (task.kind === 'crashes') return { task, ...(await sweepCrashes(task.sweep, { withStore, serverOf })) }
  const seed = task.kind === 'seed' ? task.seed : task.kept.seed
  const profile = task.kind === 'seed' ? profileOfSeed(seed) : task.kept.profile
  const decisions = task.kind === 'seed' ? decisionsOfSeed(seed) : decisionsOfRecord(task.kept.decisions)
  try {
    const outcome = await withStore((store) => simulate({ seed, profile, decisions, store, serverOf }))
    return outcome.events === 0 ? { task, failure: 'nothing was indexed: the simulation says nothing' } : { task, outcome }
  } catch (error) {
    return { task, failure: describe(error), savedRun: { caught: '', seed, profile, decisions: decisions.record } }
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return `${error.stack ?? error.message}${error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`}`.slice(0, STACK_LENGTH)
}

const port = defined(parentPort, 'the port of the thread that started this one')
void workerData
port.on('message', (task: Task | null) => {
  if (task === null) {
    port.close()
    void own?.then((store) => store[Symbol.asyncDispose]())
    return
  }
  void run(task).catch((error: unknown): TaskResult => ({ task, failure: describe(error) })).then((told) => port.postMessage(told))
})
