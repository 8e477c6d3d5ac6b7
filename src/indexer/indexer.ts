// The only writer of chain history. One step reads one page and writes it in one transaction, cursor included; everything that a step knows it reads from the
// database first, so a crash between any two statements, or an answer lost after a commit, costs nothing but the step.

import { NOOP_TRACER } from '../base/tracer.ts'
import { createEntryObserver } from './entry-observer.ts'
import { createLockHolder } from './lock-holder.ts'
import { MARGIN_MODES } from './margin-modes.ts'
import { createGapFiller } from './gap-filler.ts'
import type { FillResult } from './gap-filler.ts'
import type { IndexerOptions } from './options.ts'
import { INDEXER_LOCK } from './options.ts'
import { ORDER_OWNERS } from './order-owners.ts'
import { POOL } from './pool.ts'
import { createProgress } from './progress.ts'
import type { IndexerStatus } from './progress.ts'
import { createStepper } from './step.ts'
import { createReconciler } from './reconcile.ts'
import { VAULTS } from './vaults.ts'
import type { StepResult } from './step.ts'

export interface Indexer extends AsyncDisposable {
  /**
   * One poll: at most one page, one transaction. Takes the writer's lock when it is free and keeps it. Rejects when the database fails; the RPC's failures
   * are results.
   */
  step(signal?: AbortSignal): Promise<StepResult>
  /**
   * Reads what no event tells (margin modes, order owners, vaults, the pool), at most one batch of each, and keeps it; returns how many. Rejects as `step`
   * does.
   */
  observe(signal?: AbortSignal): Promise<number>
  /** Compares one part of the projections with the ledger; how many corrections that made, null when nothing could be compared. Rejects as `step` does. */
  compare(signal?: AbortSignal): Promise<number | null>
  /** Reads one page of what was lost from the nodes that have it still. Rejects as `step` does. */
  fill(signal?: AbortSignal): Promise<FillResult>
  /** Steps until the signal aborts: back to back while behind, else every poll interval. Never rejects. Gives the lock back at its end. */
  run(signal: AbortSignal): Promise<void>
  /** What it is doing, for start-up messages. */
  status(): IndexerStatus
}

/** Whoever stands by looks this often whether the lock is free. */
const STANDBY_POLL_MS = 1_000

export function createIndexer(options: IndexerOptions): Indexer {
  const { store, clock, log, pollIntervalMs } = options
  const lock = createLockHolder(store, INDEXER_LOCK)
  const stepper = createStepper(options)
  const watches = [
    createEntryObserver(MARGIN_MODES, options), createEntryObserver(ORDER_OWNERS, options), createEntryObserver(VAULTS, options),
    createEntryObserver(POOL, options),
  ]
  const archive = options.archive ?? null
  const filler = archive === null ? null : createGapFiller({ ...options, archive })
  const reconciler = createReconciler(options)
  const progress = createProgress(clock, log)
  const tracer = options.tracer ?? NOOP_TRACER

  async function step(signal?: AbortSignal): Promise<StepResult> {
    const held = await lock.acquire()
    if (held === undefined) {
      stepper.identifyAgain()
      return progress.record({ kind: 'standby' })
    }
    const result = await tracer.span('index step', {}, () => stepper.step(held.db, signal))
    if (result.kind === 'gap' || result.kind === 'epoch') reconciler.scheduleNow()
    return progress.record(result)
  }

  /** One turn of the loop; returns how long to wait before the next. */
  async function runOnce(signal: AbortSignal): Promise<number> {
    try {
      const result = await step(signal)
      const held = lock.current()
      if (held !== undefined && result.kind === 'indexed' && result.caughtUp) {
        for (const watch of watches) await watch.poll(held.db, signal)
        await filler?.poll(held.db, signal)
        await reconciler.poll(held.db, signal)
      }
      if (result.kind === 'standby') return Math.min(pollIntervalMs, STANDBY_POLL_MS)
      return shouldPollAtOnce(result) ? 0 : pollIntervalMs
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'the index cannot be written; trying again')
      stepper.identifyAgain()
      await lock.release()
      return pollIntervalMs
    }
  }

  async function settled(): Promise<void> {
    await Promise.all([...watches, reconciler].map((watch) => watch.settled()))
  }

  return {
    step,
    async observe(signal) {
      const held = await lock.acquire()
      if (held === undefined) return 0
      let seen = 0
      for (const watch of watches) seen += await watch.observe(held.db, signal)
      return seen
    },
    async compare(signal) {
      const held = await lock.acquire()
      return held === undefined ? null : await reconciler.compare(held.db, signal)
    },
    async fill(signal) {
      const held = await lock.acquire()
      return held === undefined || filler === null ? 'none' : await filler.step(held.db, signal)
    },
    async run(signal) {
      while (!signal.aborted) {
        const pauseMs = await runOnce(signal)
        if (pauseMs > 0) await clock.sleep(pauseMs, signal)
      }
      await settled()
      await lock.release()
    },
    status: () => progress.status(),
    async [Symbol.asyncDispose]() {
      await settled()
      await lock.release()
    },
  }
}

/** While there is more to read, and after a change of place, the next poll does not wait. A page that moved nothing never counts as more. */
function shouldPollAtOnce(result: StepResult): boolean {
  switch (result.kind) {
    case 'indexed':
      return !result.caughtUp && result.moved
    case 'epoch':
    case 'gap':
      return true
    default:
      return false
  }
}
