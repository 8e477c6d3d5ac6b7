// Keeps one engine running: when its thread ends, a new one recovers from the same data.

import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { createOutageLog } from '../../base/outage-log.ts'
import { retry } from '../../base/retry.ts'
import { RECONNECT_DELAY_MS } from '../bounds.ts'
import { StoreUnavailable } from '../store.ts'
import type { DatabaseProblem } from '../store.ts'
import type { EngineThread } from './engine-thread.ts'

export interface Supervisor {
  /** While the engine restarts: resolves with true when it runs again, with false when the first attempt failed. Never rejects. */
  restarting(): Promise<boolean> | undefined
  /**
   * The running engine. Raises StoreUnavailable with the reason when there is none. A transaction sends all its statements to the engine it began on: on
   * another one they would commit one by one.
   */
  engine(): EngineThread
  /** The problem while there is no engine; null while one runs. */
  problem(): DatabaseProblem | null
  /** Kills the engine. It is not restarted. */
  abandon(reason: string): void
  /** Shuts the engine down. */
  close(): Promise<void>
}

/**
 * Starts an engine and keeps it running. `start` must leave no thread when it rejects, and reject when its signal aborts. `recovers` is false for an engine in
 * memory, whose data ends with it.
 */
export async function superviseEngine(options: {
  start: (stop: AbortSignal) => Promise<EngineThread>
  recovers: boolean
  clock: Clock
  log: Log
  onDown: () => void
  /** No engine is started after it aborts. One that runs is not affected. */
  stop?: AbortSignal | undefined
}): Promise<Supervisor> {
  const { start, recovers, clock, log, onDown, stop } = options
  const closing = new AbortController()
  const noStart = stop === undefined ? closing.signal : AbortSignal.any([closing.signal, stop])
  let current: EngineThread | undefined
  let unavailable = new StoreUnavailable('the embedded database engine is starting')
  const failedStarts = createOutageLog({
    clock, log, level: 'error',
    message: 'the embedded database engine does not start; retrying', endMessage: 'the embedded database engine starts again',
  })
  let firstAttempt: Promise<boolean> | undefined
  let recovery: Promise<void> = Promise.resolve()
  let killing: Promise<void> | undefined

  function adopt(engine: EngineThread): void {
    current = engine
    void restartAtEnd(engine)
  }

  /** Runs before the caller of a lost statement continues, because the engine fails that statement only when `ended` has resolved. */
  async function restartAtEnd(engine: EngineThread): Promise<void> {
    const reason = await engine.ended
    if (closing.signal.aborted) return
    current = undefined
    unavailable = reason
    onDown()
    if (!recovers) return log.error({ reason: reason.message }, 'the in-memory database ended, and its data with it')
    log.warn({ reason: reason.message }, 'the embedded database engine ended; restarting it')
    firstAttempt = tryStart()
    recovery = retryAfter(firstAttempt)
  }

  async function tryStart(): Promise<boolean> {
    const startedAtMs = clock.elapsedMs()
    try {
      const engine = await start(noStart)
      if (closing.signal.aborted) await engine.kill()
      else adopt(engine)
      failedStarts.succeeded()
      log.info({ tookMs: Math.round(clock.elapsedMs() - startedAtMs) }, 'the embedded database engine is running again')
      return true
    } catch (cause) {
      if (noStart.aborted) return false
      unavailable = cause instanceof StoreUnavailable ? cause : new StoreUnavailable(String(cause), { cause })
      failedStarts.failed(unavailable.problem, () => ({ reason: unavailable.message }))
      return false
    }
  }

  async function retryAfter(attempt: Promise<boolean>): Promise<void> {
    const isRunning = await attempt
    firstAttempt = undefined
    if (isRunning) return
    const startAgain = async (): Promise<void> => {
      if (!(await tryStart())) throw unavailable
    }
    // It ends without an engine only when none may be started any more.
    await retry({ clock, pauseMs: RECONNECT_DELAY_MS, signal: noStart, failures: 1 }, startAgain).catch(() => {})
  }

  adopt(await start(noStart))
  return {
    restarting: () => firstAttempt,
    engine() {
      if (current === undefined) throw new StoreUnavailable(unavailable.message, { problem: unavailable.problem })
      return current
    },
    problem: () => (current === undefined ? unavailable.problem : null),
    abandon(reason) {
      closing.abort()
      unavailable = new StoreUnavailable(reason)
      killing = current?.kill()
      current = undefined
    },
    async close() {
      closing.abort()
      await recovery
      await killing
      const last = current
      current = undefined
      unavailable = new StoreUnavailable('the store is closed')
      await last?.close()
    },
  }
}
