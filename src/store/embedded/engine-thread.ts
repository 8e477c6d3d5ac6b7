// The embedded engine's thread, seen from outside. A running statement cannot be interrupted, so one that exceeds its time limit ends with its thread.

import { Worker } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import { CLOSE_TIMEOUT_MS, ENGINE_START_TIMEOUT_MS, LOGGED_SQL_LENGTH } from '../bounds.ts'
import { toStoreError } from '../failures.ts'
import { StatementTimeout, StoreUnavailable } from '../store.ts'
import type { DatabaseProblem } from '../store.ts'
import { engineCode } from './engine-code.ts'
import type { EngineEnd, Job, Report, Request, Statement, StatementResult } from './messages.ts'

/** A running engine. It handles requests in their order. */
export interface EngineThread {
  /**
   * Raises StatementFailed; StatementTimeout after `limitMs`; StoreUnavailable when the engine ended. After the last two the engine is gone: an open
   * transaction is rolled back, and whether a statement that commits took effect is unknown.
   */
  run(statement: Statement, limitMs: number): Promise<StatementResult>
  dump(): Promise<Uint8Array>
  /** Shuts the engine down. Kills it after CLOSE_TIMEOUT_MS. */
  close(): Promise<void>
  /** Ends the engine at once. Nothing acknowledged is lost; the next start recovers. */
  kill(): Promise<void>
  /** Resolves with the reason when the thread has ended. */
  readonly ended: Promise<StoreUnavailable>
}

const SCRIPT = new URL('./worker.ts', import.meta.url)

const UNEXPECTED_END = 'the embedded database engine ended unexpectedly'

interface Thread {
  readonly worker: Worker
  readonly ended: Promise<StoreUnavailable>
  terminate(reason: string, problem?: DatabaseProblem): void
}

function startThread(script: URL, job: Job, onReport: (report: Report) => void): Thread {
  const worker = new Worker(script, { workerData: job, name: 'database' })
  let reason = new StoreUnavailable(UNEXPECTED_END)
  /** The first reason counts: the thread may report another one before it has ended. */
  let isTerminated = false
  function terminate(why: string, problem: DatabaseProblem = 'unreachable'): void {
    if (isTerminated) return
    isTerminated = true
    reason = new StoreUnavailable(why, { problem })
    void worker.terminate()
  }
  const terminateAt = ({ message, isDiskFull }: EngineEnd): void =>
    isDiskFull ? terminate(`the disk of the database is full: ${message}`, 'full') : terminate(message)
  worker.on('message', (report: Report) => {
    // An engine that refused to start may still run in its thread, on files that the next one opens.
    if (report.kind === 'broken' || report.kind === 'refused') terminateAt(report)
    else onReport(report)
  })
  worker.on('error', (error) => {
    if (!isTerminated) reason = new StoreUnavailable(`${UNEXPECTED_END}: ${String(error)}`)
  })
  return { worker, ended: new Promise((resolve) => worker.once('exit', () => resolve(reason))), terminate }
}

interface StartLimits {
  readonly clock: Clock
  /** Ends a thread that is starting. */
  readonly stop?: AbortSignal | undefined
}

/** Ends a thread whose first report is late, or no longer wanted. Raises what `report` raises, or the signal's reason. */
async function withStartLimits<T>({ terminate }: Thread, report: Promise<T>, { clock, stop }: StartLimits): Promise<T> {
  const onStop = (): void => terminate('the store is closed')
  const timer = clock.setTimer(ENGINE_START_TIMEOUT_MS, () => terminate('the embedded database engine did not start in time'))
  stop?.addEventListener('abort', onStop, { once: true })
  if (stop?.aborted === true) onStop()
  try {
    return await report
  } catch (cause) {
    stop?.throwIfAborted()
    throw cause
  } finally {
    timer.cancel()
    stop?.removeEventListener('abort', onStop)
  }
}

/** Creates a cluster in a thread, whose memory is freed afterwards. Raises StoreUnavailable with the reason when that fails, and as `withStartLimits`. */
export async function createClusterInThread(directory: string, limits: StartLimits): Promise<void> {
  let created = false
  const thread = startThread(SCRIPT, { kind: 'create', code: await engineCode(), directory }, (report) => void (created ||= report.kind === 'created'))
  const { message, problem } = await withStartLimits(thread, thread.ended, limits)
  limits.stop?.throwIfAborted()
  if (!created) throw new StoreUnavailable(`cannot create the embedded database in ${directory}: ${message}`, { problem })
}

/**
 * Starts an engine. Raises StoreUnavailable with the reason when it refuses to start or does not start in time, and the reason of `stop` when that aborts. Its
 * thread has ended then, so that another engine can open the folder.
 */
export async function startEngineThread(options: StartLimits & {
  directory: string | null
  template: Uint8Array | null
  onNotification: (channel: string, payload: string) => void
  /** The thread's entry point. A test passes one whose disk fails. */
  script?: URL
}): Promise<EngineThread> {
  const { directory, template, clock, onNotification, script = SCRIPT } = options
  const pending: PromiseWithResolvers<Report>[] = []
  let isTimedOut = false
  let endReason: StoreUnavailable | undefined

  function onReport(report: Report): void {
    if (report.kind === 'notified') return onNotification(report.channel, report.payload)
    // A result that arrives after its time limit would release the caller while the engine is being terminated.
    if (isTimedOut) return
    pending.shift()?.resolve(report)
  }

  function expectReport(): Promise<Report> {
    const expected = Promise.withResolvers<Report>()
    pending.push(expected)
    return expected.promise
  }

  const code = await engineCode()
  const first = expectReport()
  const thread = startThread(script, { kind: 'serve', code, directory, template }, onReport)
  const { worker, ended, terminate } = thread
  async function failPendingAtEnd(): Promise<void> {
    endReason = await ended
    for (const expected of pending.splice(0)) expected.reject(endedWith(endReason))
  }
  void failPendingAtEnd()
  const { kind } = await withStartLimits(thread, first, options)
  assert(kind === 'ready', 'the engine reports first that it is ready')

  async function request(message: Request): Promise<Report> {
    if (endReason !== undefined) throw endedWith(endReason)
    const reply = expectReport()
    worker.postMessage(message, [])
    const report = await reply
    if (report.kind === 'failed') throw toStoreError(report.failure, { mayWrite: message.kind !== 'run' || message.statement.access === 'write' })
    return report
  }

  return {
    ended,
    async run(statement, limitMs) {
      let exceeded = false
      const timer = clock.setTimer(limitMs, () => {
        exceeded = isTimedOut = true
        terminate(`a statement exceeded its time limit: ${statement.sql.trim().slice(0, LOGGED_SQL_LENGTH)}`)
      })
      try {
        const report = await request({ kind: 'run', statement })
        assert(report.kind === 'done', 'the engine returns the result of a statement')
        return report.result
      } catch (cause) {
        if (exceeded) throw new StatementTimeout('the statement exceeded its time limit', { cause })
        throw cause
      } finally {
        timer.cancel()
      }
    },
    async dump() {
      const report = await request({ kind: 'dump' })
      assert(report.kind === 'dumped', 'the engine returns a dump')
      return report.bytes
    },
    async close() {
      const timer = clock.setTimer(CLOSE_TIMEOUT_MS, () => terminate('the embedded database engine did not close in time'))
      await request({ kind: 'close' }).catch(() => {})
      await ended
      timer.cancel()
    },
    async kill() {
      terminate('the embedded database engine was stopped')
      await ended
    },
  }
}

/** A new error for each caller, because each one adds its own stack. */
function endedWith({ message, problem }: StoreUnavailable): StoreUnavailable {
  return new StoreUnavailable(message, { problem })
}
