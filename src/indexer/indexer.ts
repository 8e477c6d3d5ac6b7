// The only writer of chain history. A step reads one page and writes it in one transaction, cursor included. Every step reads its state from the database
// first, so a crash between two statements, or a lost commit confirmation, only repeats the step.

import { NOOP_TRACER } from '../base/tracer.ts'
import { createChainProof } from './identity/chain-proof.ts'
import { PUBLIC_NETWORK } from './identity/confirmation.ts'
import { createContractWatcher } from './identity/contract-watcher.ts'
import { createEntryObserver } from './pages/entry-observer.ts'
import { createGapFiller } from './repair/gap-filler.ts'
import type { FillResult } from './repair/gap-filler.ts'
import { createLockHolder } from './lock-holder.ts'
import { MARGIN_MODES } from './pages/margin-modes.ts'
import type { IndexerOptions } from './options.ts'
import { INDEXER_LOCK } from './options.ts'
import { ORDER_DETAILS } from './pages/order-details.ts'
import { POOL } from './pages/pool-samples.ts'
import { createStatusTracker } from './status.ts'
import type { IndexerStatus } from './status.ts'
import { createRebuilder } from './repair/rebuild.ts'
import type { RebuildResult } from './repair/rebuild.ts'
import { createReconciler } from './repair/reconcile.ts'
import type { StepResult } from './pages/step-result.ts'
import { createStepper } from './pages/step.ts'
import { createSubmissionWait, recordSubmissions } from './pages/submission-numbers.ts'
import { transactionEffects } from './pages/transaction-effects.ts'
import { VAULTS } from './pages/vaults.ts'
import { createVerifier } from './repair/verify.ts'
import type { Writer } from '../store/store.ts'

export interface Indexer extends AsyncDisposable {
  /**
   * Polls once: at most one page, one transaction. Acquires the writer lock when it is free and keeps it. Rejects when the database fails; RPC failures are
   * results.
   */
  step(signal?: AbortSignal): Promise<StepResult>
  /** Reads which code the contracts run, if that is due; returns the number of versions and codes that were new. Rejects as `step` does. */
  watchContracts(signal?: AbortSignal): Promise<number>
  /**
   * Reads what no event reports (margin modes, orders, vaults, the pool), at most one batch of each, and stores it; returns the number of
   * facts. Rejects as `step` does.
   */
  observe(signal?: AbortSignal): Promise<number>
  /** Compares one part of the projections with the ledger; returns the number of corrections, null when nothing was compared. Rejects as `step` does. */
  compare(signal?: AbortSignal): Promise<number | null>
  /** Gives changes of submissions their positions in the log, at most one batch; returns their number. Rejects as `step` does. */
  numberSubmissions(): Promise<number>
  /** Reads one page of lost ledgers from the archive nodes. Rejects as `step` does. */
  fill(signal?: AbortSignal): Promise<FillResult>
  /** Does one part of a rebuild of the projections. Rejects as `step` does. */
  rebuild(): Promise<RebuildResult>
  /** Does one part of a verification; false when nothing is to be verified. Rejects as `step` does. */
  verify(signal?: AbortSignal): Promise<boolean>
  /** Steps until the signal aborts: back to back while catching up, else once per poll interval. Never rejects. Releases the lock at the end. */
  run(signal: AbortSignal): Promise<void>
  /** The current state, for start-up messages and metrics. */
  status(): IndexerStatus
}

/** Interval at which a standby process tries to acquire the lock. */
const STANDBY_POLL_MS = 1_000

export function createIndexer(options: IndexerOptions): Indexer {
  const { store, clock, pollIntervalMs, hasSubmissions = true } = options
  const lock = createLockHolder(store, INDEXER_LOCK)
  const stepper = createStepper(options)
  const proof = createChainProof(stepper.servesIndexedChain)
  const verifier = createVerifier({ ...options, hasSubmissions, confirmChain })
  const readers = { ...options, proof }
  const observers = [
    createEntryObserver(MARGIN_MODES, readers), createEntryObserver(ORDER_DETAILS, readers), createEntryObserver(VAULTS, readers),
    createEntryObserver(POOL, readers),
    createEntryObserver(transactionEffects({ ...options, archive: options.archive ?? null, onContradiction: verifier.suspect }), readers),
  ]
  const archive = options.archive ?? null
  const gapFiller = archive === null ? null : createGapFiller({ trust: PUBLIC_NETWORK, ...options, archive })
  const contractWatcher = createContractWatcher(readers)
  const reconciler = createReconciler(readers)
  const rebuilder = createRebuilder(options)
  const submissions = hasSubmissions ? createSubmissionWait(options) : null
  const progress = createStatusTracker(options)
  const tracer = options.tracer ?? NOOP_TRACER

  async function step(signal?: AbortSignal): Promise<StepResult> {
    const held = await lock.acquire()
    if (held === undefined) {
      stepper.verifyAgain()
      return progress.record({ kind: 'standby' })
    }
    const result = await tracer.span('index step', {}, () => proof.observeStep(() => stepper.step(held.db, signal)))
    if (result.kind === 'gap' || result.kind === 'epoch') reconciler.scheduleNow()
    return progress.record(result)
  }

  /** Runs with the writer lock; returns `standby` while another process holds it. */
  async function withLock<Result>(standby: Result, work: (db: Writer) => Promise<Result>): Promise<Result> {
    const held = await lock.acquire()
    return held === undefined ? standby : await work(held.db)
  }

  async function confirmChain(db: Writer, signal: AbortSignal | undefined): Promise<boolean> {
    stepper.verifyAgain()
    return (await stepper.step(db, signal)).kind === 'indexed'
  }

  /** Rebuilds for half of the time until the next poll, so that reads and writes of others always find their turn. */
  async function rebuildFor(db: Writer, durationMs: number, signal: AbortSignal): Promise<void> {
    const startedAtMs = clock.elapsedMs()
    do {
      const pageAtMs = clock.elapsedMs()
      const result = await rebuilder.step(db)
      if (result !== 'page') return
      await clock.sleep(clock.elapsedMs() - pageAtMs, signal)
    } while (!signal.aborted && clock.elapsedMs() - startedAtMs < durationMs)
  }

  /** One iteration of the loop; returns the delay before the next. */
  async function runOnce(signal: AbortSignal): Promise<number> {
    const startedAtMs = clock.elapsedMs()
    let isStep = true
    try {
      const result = await step(signal)
      isStep = false
      const held = lock.current()
      if (held !== undefined) await submissions?.number(held.db)
      if (held !== undefined && result.kind === 'indexed') await contractWatcher.poll(held.db, signal)
      if (held !== undefined && result.kind === 'indexed' && result.caughtUp) {
        for (const observer of observers) await observer.poll(held.db, signal)
        await gapFiller?.poll(held.db, signal)
        await reconciler.poll(held.db, signal)
        await verifier.poll(held.db, signal)
      }
      if (result.kind === 'standby') return Math.min(pollIntervalMs, STANDBY_POLL_MS)
      const delayMs = shouldPollAtOnce(result) ? 0 : pollIntervalMs
      if (held !== undefined) await rebuildFor(held.db, delayMs, signal)
      if (held !== undefined && result.kind === 'indexed') progress.written()
      return Math.max(0, delayMs - (clock.elapsedMs() - startedAtMs))
    } catch (error) {
      if (!signal.aborted) progress.failed(error, isStep)
      stepper.verifyAgain()
      await lock.release()
      return pollIntervalMs
    }
  }

  async function settled(): Promise<void> {
    await Promise.all([...observers, contractWatcher, reconciler, verifier].map((task) => task.settled()))
  }

  return {
    step,
    observe: (signal) => withLock(0, async (db) => {
      let observations = 0
      for (const observer of observers) observations += await observer.observe(db, signal)
      return observations
    }),
    watchContracts: (signal) => withLock(0, (db) => contractWatcher.observe(db, signal)),
    numberSubmissions: () => withLock(0, async (db) => (hasSubmissions ? await recordSubmissions(db, clock.nowMs()) : 0)),
    compare: (signal) => withLock<number | null>(null, (db) => reconciler.compare(db, signal)),
    fill: (signal) => withLock<FillResult>('none', async (db) => (await gapFiller?.step(db, signal)) ?? 'none'),
    rebuild: () => withLock<RebuildResult>('none', (db) => rebuilder.step(db)),
    verify: (signal) => withLock(false, (db) => verifier.step(db, signal)),
    async run(signal) {
      const stopListening = await submissions?.listen()
      while (!signal.aborted) {
        const delayMs = await runOnce(signal)
        if (delayMs > 0) await (submissions === null ? clock.sleep(delayMs, signal) : submissions.wait(delayMs, () => lock.current()?.db, signal))
      }
      await stopListening?.()
      await settled()
      await stepper.close()
      await lock.release()
    },
    status: () => progress.status(),
    async [Symbol.asyncDispose]() {
      await settled()
      await stepper.close()
      await lock.release()
    },
  }
}

/** True while there is more to read. A page that did not advance the cursor never counts as more. */
function shouldPollAtOnce(result: StepResult): boolean {
  switch (result.kind) {
    case 'indexed':
      return !result.caughtUp && result.advanced
    case 'epoch':
    case 'gap':
      return true
    default:
      return false
  }
}
