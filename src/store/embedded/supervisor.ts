// Keeps one engine running: when its thread dies, everything under way fails, and a new one recovers from the disk.

import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { RECONNECT_DELAY_MIN_MS, RECONNECT_DELAY_MAX_MS } from '../bounds.ts'
import { StoreUnavailable } from '../store.ts'
import type { EngineThread } from './engine-thread.ts'
import type { Statement, StatementResult } from './messages.ts'

export interface Supervisor {
  run(statement: Statement): Promise<StatementResult>
  interrupt(): void
  dump(): Promise<Uint8Array>
  /** Ends the engine at once and for good, as when its folder was taken away. */
  abandon(reason: string): void
  close(): Promise<void>
}

/** Starts an engine and keeps it running. `recovers` is false for one in memory: nothing is left to recover from. */
export async function superviseEngine(options: {
  start: () => Promise<EngineThread>
  recovers: boolean
  clock: Clock
  log: Log
  onDown: () => void
  onUp: () => void
}): Promise<Supervisor> {
  const { start, recovers, clock, log, onDown, onUp } = options
  const ending = new AbortController()
  let reason = 'the embedded database is starting'
  let thread: EngineThread | undefined
  let recovery: Promise<void> = Promise.resolve()

  function adopt(started: EngineThread): void {
    thread = started
    void watch(started)
  }

  async function watch(started: EngineThread): Promise<void> {
    const why = await started.ended
    if (ending.signal.aborted) return
    thread = undefined
    reason = why
    log.error({ reason: why }, 'the embedded database engine died')
    onDown()
    if (recovers) recovery = recover()
  }

  async function recover(): Promise<void> {
    for (let pauseMs = RECONNECT_DELAY_MIN_MS; !ending.signal.aborted; pauseMs = Math.min(pauseMs * 2, RECONNECT_DELAY_MAX_MS)) {
      await clock.sleep(pauseMs, ending.signal)
      if (ending.signal.aborted) return
      try {
        const started = await start()
        adopt(started)
        if (ending.signal.aborted) return await started.close()
        log.info({}, 'the embedded database engine runs again')
        return onUp()
      } catch (cause) {
        reason = String(cause)
        log.error({ reason }, 'the embedded database engine does not start')
      }
    }
  }

  function running(): EngineThread {
    if (thread === undefined) throw new StoreUnavailable(reason)
    return thread
  }

  adopt(await start())
  return {
    run: async (statement) => running().run(statement),
    interrupt: () => thread?.interrupt(),
    dump: async () => running().dump(),
    abandon(why) {
      reason = why
      ending.abort()
      log.error({ reason: why }, 'the embedded database is given up')
      void thread?.kill()
      thread = undefined
      onDown()
    },
    async close() {
      const last = thread
      ending.abort()
      await recovery
      await last?.close()
      thread = undefined
      reason = 'the store is closed'
    },
  }
}
