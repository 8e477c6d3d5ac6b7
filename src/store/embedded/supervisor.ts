// Keeps one engine running: when its thread ends, a new one recovers from the same data.

import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { RECONNECT_DELAY_MAX_MS, RECONNECT_DELAY_MIN_MS } from '../bounds.ts'
import { StoreUnavailable } from '../store.ts'
import type { EngineThread } from './engine-thread.ts'

export interface Supervisor {
  /** While the engine restarts: resolves with true when it runs again, with false when the first attempt failed. Never rejects. */
  restarting(): Promise<boolean> | undefined
  /**
   * The running engine. Raises StoreUnavailable with the reason when there is none. A transaction sends all its statements to the engine it began on: on
   * another one they would commit one by one.
   */
  engine(): EngineThread
  /** Kills the engine. It is not restarted. */
  abandon(reason: string): void
  /** Shuts the engine down. */
  close(): Promise<void>
}

/** Starts an engine and keeps it running. `recovers` is false for an engine in memory, whose data ends with it. */
export async function superviseEngine(options: {
  start: () => Promise<EngineThread>
  recovers: boolean
  clock: Clock
  log: Log
  onDown: () => void
}): Promise<Supervisor> {
  const { start, recovers, clock, log, onDown } = options
  const closing = new AbortController()
  let current: EngineThread | undefined
  let unavailableReason = ''
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
    unavailableReason = reason
    onDown()
    if (!recovers) return log.error({ reason }, 'the in-memory database ended, and its data with it')
    log.warn({ reason }, 'the embedded database engine ended; restarting it')
    firstAttempt = tryStart()
    recovery = retryAfter(firstAttempt)
  }

  async function tryStart(): Promise<boolean> {
    const startedAtMs = clock.elapsedMs()
    try {
      const engine = await start()
      if (closing.signal.aborted) await engine.kill()
      else adopt(engine)
      log.info({ tookMs: Math.round(clock.elapsedMs() - startedAtMs) }, 'the embedded database engine is running again')
      return true
    } catch (cause) {
      unavailableReason = String(cause)
      log.error({ reason: unavailableReason }, 'the embedded database engine does not start')
      return false
    }
  }

  async function retryAfter(attempt: Promise<boolean>): Promise<void> {
    let isRunning = await attempt
    firstAttempt = undefined
    for (let delayMs = RECONNECT_DELAY_MIN_MS; !isRunning && !closing.signal.aborted; delayMs = Math.min(delayMs * 2, RECONNECT_DELAY_MAX_MS)) {
      await clock.sleep(delayMs, closing.signal)
      if (!closing.signal.aborted) isRunning = await tryStart()
    }
  }

  adopt(await start())
  return {
    restarting: () => firstAttempt,
    engine() {
      if (current === undefined) throw new StoreUnavailable(unavailableReason)
      return current
    },
    abandon(reason) {
      closing.abort()
      unavailableReason = reason
      killing = current?.kill()
      current = undefined
    },
    async close() {
      closing.abort()
      await recovery
      await killing
      const last = current
      current = undefined
      unavailableReason = 'the store is closed'
      await last?.close()
    },
  }
}
