// A worker thread that runs simulations one after the other. Threads use every core and avoid the test runner's tracking of promises.

import { parentPort, workerData } from 'node:worker_threads'
import { defined } from '../../src/base/assert.ts'
import type { Store } from '../../src/store/store.ts'
import { openTestStore, testServerUrl } from '../support/database.ts'
import { openInProcessStore } from './in-process-store.ts'
import { createTradingServer } from './trading-server.ts'
import type { TradingServer } from './trading-server.ts'
import { sweepCrashes } from './crashes.ts'
import type { CrashSweep } from './crashes.ts'
import { decisionsOfRecord, decisionsOfSeed } from './decisions.ts'
import type { Decision } from './decisions.ts'
import { profileOfSeed } from './profile.ts'
import type { Profile } from './profile.ts'
import { simulate } from './simulation.ts'
import type { Outcome } from './simulation.ts'

/** A run to replay. */
export interface SavedRun {
  /** One sentence: what the run found. */
  readonly caught: string
  readonly seed: string
  readonly profile: Profile
  readonly decisions: readonly Decision[]
}

export type Task =
  | { readonly kind: 'seed'; readonly seed: string }
  | { readonly kind: 'saved'; readonly savedRun: SavedRun }
  | { readonly kind: 'crashes'; readonly sweep: CrashSweep }

/** The result of a task: an outcome, or a failure and the run to replay. */
export interface TaskResult {
  readonly task: Task
  readonly outcome?: Outcome
  /** The number of killed processes. */
  readonly crashes?: number
  readonly failure?: string
  readonly savedRun?: SavedRun
}

/** Generous, so that a slow machine does not fail a run. */
const READ_TIMEOUT_MS = 300_000
/** Longer stacks add nothing. */
const STACK_LENGTH = 4_000

/** The engine's log grows, and servers keep requests without a response: both are replaced after this many runs. */
const RUNS_PER_ENGINE = 20

/** Runs `work` on an empty database: a new one on the server, or one in this thread that is cleared each time. */
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
    // A failed run may leave the database in any state.
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
  // Open statements of the old store never end.
  await old?.[Symbol.asyncDispose]()
}

/** The servers of this thread. Creating one is most of the cost of a gateway's start. */
const servers = new Map<number, Promise<TradingServer>>()

function serverOf(index: number): Promise<TradingServer> {
  const server = servers.get(index) ?? createTradingServer()
  servers.set(index, server)
  return server
}

async function run(task: Task): Promise<TaskResult> {
  if (task.kind === 'crashes') return { task, ...(await sweepCrashes(task.sweep, { withStore, serverOf })) }
  const seed = task.kind === 'seed' ? task.seed : task.savedRun.seed
  const profile = task.kind === 'seed' ? profileOfSeed(seed) : task.savedRun.profile
  const decisions = task.kind === 'seed' ? decisionsOfSeed(seed) : decisionsOfRecord(task.savedRun.decisions)
  try {
    const outcome = await withStore((store) => simulate({ seed, profile, decisions, store, serverOf }))
    return outcome.events === 0 ? { task, failure: 'nothing was indexed, so nothing was tested' } : { task, outcome }
  } catch (error) {
    return { task, failure: describe(error), savedRun: { caught: '', seed, profile, decisions: decisions.record } }
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return `${error.stack ?? error.message}${error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`}`.slice(0, STACK_LENGTH)
}

const port = defined(parentPort, 'the port of the parent thread')
void workerData
port.on('message', (task: Task | null) => {
  if (task === null) {
    port.close()
    void own?.then((store) => store[Symbol.asyncDispose]())
    return
  }
  void run(task).catch((error: unknown): TaskResult => ({ task, failure: describe(error) })).then((result) => port.postMessage(result))
})
