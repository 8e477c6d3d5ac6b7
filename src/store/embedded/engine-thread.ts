// The embedded engine's thread, seen from outside. A running statement cannot be interrupted, so one that exceeds its time limit ends with its thread.

import { Worker } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import { CLOSE_TIMEOUT_MS, LOGGED_SQL_LENGTH } from '../bounds.ts'
import { toStoreError } from '../failures.ts'
import { StatementTimeout, StoreUnavailable } from '../store.ts'
import { engineCode } from './engine-code.ts'
import type { Job, Report, Request, Statement, StatementResult } from './messages.ts'

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
  readonly ended: Promise<string>
}

const SCRIPT = new URL('./worker.ts', import.meta.url)

const UNEXPECTED_END = 'the embedded database engine ended unexpectedly'

interface Thread {
  readonly worker: Worker
  readonly ended: Promise<string>
  terminate(reason: string): void
}

function startThread(script: URL, job: Job, onReport: (report: Report) => void): Thread {
  const worker = new Worker(script, { workerData: job, name: 'database' })
  let reason = UNEXPECTED_END
  function terminate(why: string): void {
    reason = why
    void worker.terminate()
  }
  worker.on('message', (report: Report) => {
    if (report.kind === 'refused') reason = report.message
    if (report.kind === 'broken') terminate(report.message)
    else onReport(report)
  })
  worker.on('error', (error) => void (reason = `${UNEXPECTED_END}: ${String(error)}`))
  return { worker, ended: new Promise((resolve) => worker.once('exit', () => resolve(reason))), terminate }
}

/** Creates a cluster in a thread, whose memory is freed afterwards. Raises StoreUnavailable with the reason when that fails. */
export async function createClusterInThread(directory: string): Promise<void> {
  let created = false
  const { ended } = startThread(SCRIPT, { kind: 'create', code: await engineCode(), directory }, (report) => void (created ||= report.kind === 'created'))
  const reason = await ended
  if (!created) throw new StoreUnavailable(`cannot create the embedded database in ${directory}: ${reason}`)
}

/** Starts an engine. Raises StoreUnavailable with the reason when it refuses to start. */
export async function startEngineThread(options: {
  directory: string | null
  template: Uint8Array | null
  clock: Clock
  onNotification: (channel: string, payload: string) => void
  /** The thread's entry point. A test passes one whose disk fails. */
  script?: URL
}): Promise<EngineThread> {
  const { directory, template, clock, onNotification, script = SCRIPT } = options
  const pending: PromiseWithResolvers<Report>[] = []
  let isTimedOut = false
  let endReason: string | undefined

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
  const { worker, ended, terminate } = startThread(script, { kind: 'serve', code, directory, template }, onReport)
  async function failPendingAtEnd(): Promise<void> {
    endReason = await ended
    for (const expected of pending.splice(0)) expected.reject(new StoreUnavailable(endReason))
  }
  void failPendingAtEnd()

  const ready = await first
  if (ready.kind !== 'ready') throw new StoreUnavailable(ready.kind === 'refused' ? ready.message : UNEXPECTED_END)

  async function request(message: Request): Promise<Report> {
    if (endReason !== undefined) throw new StoreUnavailable(endReason)
    const reply = expectReport()
    worker.postMessage(message, [])
    const report = await reply
    if (report.kind === 'failed') throw toStoreError(report.failure)
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
