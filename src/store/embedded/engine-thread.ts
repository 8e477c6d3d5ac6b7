// The embedded engine's thread, seen from outside: one request at a time, an interruption, and what happens when it dies.

import { Worker } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import { CLOSE_TIMEOUT_MS, STUCK_AFTER_MS } from '../bounds.ts'
import { toStoreError } from '../failures.ts'
import { StoreUnavailable } from '../store.ts'
import { raiseInterrupt } from './interruptible.ts'
import type { Interrupt } from './interruptible.ts'
import type { Job, Report, Request, Statement, StatementResult } from './messages.ts'

/** A running engine. Its caller sees to it that one request is under way at a time. */
export interface EngineThread {
  /** Raises StatementFailed, StatementTimeout (interrupted) or StoreUnavailable (the engine died; whether a commit took place is then unknown). */
  run(statement: Statement): Promise<StatementResult>
  /** Makes the statement under way give up; without one, nothing happens. One that hears nothing for STUCK_AFTER_MS is ended with its thread. */
  interrupt(): void
  dump(): Promise<Uint8Array>
  /** Ends in good order, or by force after a while. */
  close(): Promise<void>
  /** Ends at once, as a crash would. */
  kill(): Promise<void>
  /** Resolves with the reason when the thread has ended. */
  readonly ended: Promise<string>
}

const SCRIPT = new URL('./worker.ts', import.meta.url)

type Pending = { resolve(report: Report): void; reject(error: Error): void }

/** Ends of a thread that was not asked to end. */
const DIED = 'the embedded database engine ended unexpectedly'

function startThread(script: URL, job: Job, onReport: (report: Report) => void): { worker: Worker; ended: Promise<string> } {
  const worker = new Worker(script, { workerData: job, name: 'database' })
  let reason = DIED
  worker.on('message', (report: Report) => {
    if (report.kind === 'broken' || report.kind === 'refused') reason = report.message
    // What is broken stands still and waits for its end; who waits for an answer hears of it then.
    if (report.kind === 'broken') void worker.terminate()
    else onReport(report)
  })
  worker.on('error', (error) => void (reason = `${DIED}: ${String(error)}`))
  return { worker, ended: new Promise((resolve) => worker.once('exit', () => resolve(reason))) }
}

/** Makes a new cluster, in a thread whose memory is given back afterwards. Raises StoreUnavailable with the reason when it cannot. */
export async function createClusterInThread(directory: string): Promise<void> {
  let created = false
  const { ended } = startThread(SCRIPT, { kind: 'create', directory }, (report) => void (created ||= report.kind === 'created'))
  const reason = await ended
  if (!created) throw new StoreUnavailable(`the embedded database cannot be created in ${directory}: ${reason}`)
}

/** Starts an engine. Raises StoreUnavailable with the reason when it refuses to start. */
export async function startEngineThread(options: {
  directory: string | null
  template: Uint8Array | null
  clock: Clock
  onNotification: (channel: string, payload: string) => void
  /** What the thread runs; a test hands in one with a disk that fails. */
  script?: URL
}): Promise<EngineThread> {
  const { directory, template, clock, onNotification, script = SCRIPT } = options
  let pending: Pending | undefined
  let interrupt: Interrupt | undefined
  /** When the request under way was first asked to give up. */
  let interruptedAtMs: number | undefined

  function settle(report: Report): void {
    if (report.kind === 'notified') return onNotification(report.channel, report.payload)
    const waiting = pending
    pending = undefined
    interruptedAtMs = undefined
    waiting?.resolve(report)
  }

  const expectReport = (): Promise<Report> =>
    new Promise((resolve, reject) => {
      assert(pending === undefined, 'the engine does one thing at a time')
      pending = { resolve, reject }
    })
  const first = expectReport()
  const { worker, ended } = startThread(script, { kind: 'serve', directory, template }, settle)
  let over: string | undefined
  async function watch(): Promise<void> {
    over = await ended
    interrupt = undefined
    pending?.reject(new StoreUnavailable(over))
    pending = undefined
  }
  void watch()

  const ready = await first
  if (ready.kind !== 'ready') throw new StoreUnavailable(ready.kind === 'refused' ? ready.message : DIED)
  interrupt = ready.interrupt

  async function request(message: Request): Promise<Report> {
    if (over !== undefined) throw new StoreUnavailable(over)
    const answer = expectReport()
    worker.postMessage(message, [])
    const report = await answer
    if (report.kind === 'failed') throw toStoreError(report.failure)
    return report
  }

  return {
    ended,
    async run(statement) {
      const report = await request({ kind: 'run', statement })
      assert(report.kind === 'done', 'a statement is answered by its result')
      return report.result
    },
    interrupt() {
      if (interrupt === undefined || pending === undefined) return
      raiseInterrupt(interrupt)
      interruptedAtMs ??= clock.elapsedMs()
      if (clock.elapsedMs() - interruptedAtMs > STUCK_AFTER_MS) void worker.terminate()
    },
    async dump() {
      const report = await request({ kind: 'dump' })
      assert(report.kind === 'dumped', 'a dump is answered by its bytes')
      return report.bytes
    },
    async close() {
      const timer = clock.setTimer(CLOSE_TIMEOUT_MS, () => void worker.terminate())
      await request({ kind: 'close' }).catch(() => {})
      await ended
      timer.cancel()
    },
    async kill() {
      await worker.terminate()
      await ended
    },
  }
}
