// Decides who uses the engine's one connection next. Lookups and writes go first, in turns, then overdue maintenance, reads, and other maintenance. Lookups and
// reads wait in a bounded queue for a bounded time. Whatever runs keeps the connection until it ends.

import type { Clock, Timer } from '../../base/clock.ts'
import { IDLE_AFTER_WRITE_MS, LOOKUP_QUEUE_MAX, READ_QUEUE_MAX, WRITE_QUEUE_MAX } from '../bounds.ts'
import { StatementTimeout, StoreUnavailable } from '../store.ts'

export interface Scheduler {
  /** Runs a statement or a whole transaction. Raises StoreUnavailable when the queue is full. */
  write<T>(work: () => Promise<T>): Promise<T>
  /**
   * Runs one statement that changes nothing. `work` gets the rest of the time limit. Raises StatementTimeout when the queue is full, or when the turn does
   * not come within the limit.
   */
  read<T>(work: (remainingMs: number) => Promise<T>, limitMs: number): Promise<T>
  /** As `read`, after at most one write. */
  lookup<T>(work: (remainingMs: number) => Promise<T>, limitMs: number): Promise<T>
  /** Runs when nothing else is queued; when `overdue`, before the reads. */
  maintenance<T>(work: () => Promise<T>, overdue: boolean): Promise<T>
  /** How many turns are queued. */
  waiting(): { readonly reads: number; readonly writes: number }
  /** True when nothing runs, nothing is queued, and the last write ended a while ago: while the index catches up, one follows the other. */
  isIdle(): boolean
  /** Refuses everything queued and everything new, cancels a running read, and resolves when nothing runs. */
  close(): Promise<void>
}

interface Turn {
  readonly kind: 'write' | 'read' | 'maintenance'
  readonly work: () => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** Ends the wait of a queued read. */
  deadline: Timer | undefined
}

/** Builds the scheduler. No turn starts before `restarting()` has resolved, if the engine restarts. `cancel` makes the running statement fail. */
export function createScheduler(options: { clock: Clock; restarting: () => Promise<unknown> | undefined; cancel: () => void }): Scheduler {
  const { clock, restarting, cancel } = options
  const queues = { lookup: [] as Turn[], write: [] as Turn[], overdue: [] as Turn[], read: [] as Turn[], maintenance: [] as Turn[] }
  let current: Turn | undefined
  /** True while the engine restarts. */
  let isWaiting = false
  let isClosed = false
  /** True while a lookup runs, and after it until the next turn. */
  let wasLookup = false
  let writtenAtMs = Number.NEGATIVE_INFINITY
  let onDrained: (() => void) | undefined

  function enqueue<T>(kind: Turn['kind'], queue: Turn[], work: () => Promise<T>, limitMs?: number): Promise<T> {
    if (isClosed) return Promise.reject(closedError())
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const turn: Turn = { kind, work, resolve: resolve as (value: unknown) => void, reject, deadline: undefined }
    if (limitMs !== undefined) turn.deadline = clock.setTimer(limitMs, () => expire(turn, queue, limitMs))
    queue.push(turn)
    startNext()
    return promise
  }

  function takeNext(): Turn | undefined {
    // After a lookup a write is next: a flood of lookups must not stop the writes.
    const first = wasLookup ? queues.write.shift() : undefined
    const lookup = first === undefined ? queues.lookup.shift() : undefined
    wasLookup = lookup !== undefined
    const turn = first ?? lookup ?? queues.write.shift() ?? queues.overdue.shift() ?? queues.read.shift() ?? queues.maintenance.shift()
    turn?.deadline?.cancel()
    return turn
  }

  /** Starts the next turn at once, so that a caller who sends one read after the other does not starve maintenance. */
  function startNext(): void {
    if (current !== undefined || isWaiting) return
    const restart = restarting()
    if (restart !== undefined) {
      isWaiting = true
      void resumeAfter(restart)
      return
    }
    current = takeNext()
    if (current === undefined) onDrained?.()
    else void runTurn(current)
  }

  async function resumeAfter(restart: Promise<unknown>): Promise<void> {
    await restart
    isWaiting = false
    startNext()
  }

  async function runTurn(turn: Turn): Promise<void> {
    try {
      turn.resolve(await turn.work())
    } catch (cause) {
      turn.reject(isClosed && turn.kind !== 'write' ? closedError(cause) : cause)
    }
    if (turn.kind === 'write') writtenAtMs = clock.elapsedMs()
    current = undefined
    startNext()
  }

  function expire(turn: Turn, queue: Turn[], limitMs: number): void {
    queue.splice(queue.indexOf(turn), 1)
    turn.reject(new StatementTimeout(`the read waited too long for its turn (${limitMs} ms)`))
  }

  function enqueueRead<T>(queue: Turn[], maxQueued: number, work: (remainingMs: number) => Promise<T>, limitMs: number): Promise<T> {
    if (queue.length >= maxQueued) return Promise.reject(new StatementTimeout(`${maxQueued} reads are queued already`))
    const deadlineMs = clock.elapsedMs() + limitMs
    return enqueue('read', queue, () => work(Math.max(deadlineMs - clock.elapsedMs(), 1)), limitMs)
  }

  return {
    write(work) {
      if (queues.write.length >= WRITE_QUEUE_MAX) return Promise.reject(new StoreUnavailable(`${WRITE_QUEUE_MAX} writes are queued already`))
      return enqueue('write', queues.write, work)
    },
    read: (work, limitMs) => enqueueRead(queues.read, READ_QUEUE_MAX, work, limitMs),
    lookup: (work, limitMs) => enqueueRead(queues.lookup, LOOKUP_QUEUE_MAX, work, limitMs),
    maintenance: (work, overdue) => enqueue('maintenance', overdue ? queues.overdue : queues.maintenance, work),
    waiting: () => ({ reads: queues.read.length, writes: queues.write.length }),
    isIdle: () => current === undefined && Object.values(queues).every((queue) => queue.length === 0) && clock.elapsedMs() - writtenAtMs >= IDLE_AFTER_WRITE_MS,
    async close() {
      isClosed = true
      for (const queue of Object.values(queues)) {
        for (const turn of queue.splice(0)) {
          turn.deadline?.cancel()
          turn.reject(closedError())
        }
      }
      if (current === undefined) return
      if (current.kind !== 'write') cancel()
      await new Promise<void>((resolve) => void (onDrained = resolve))
    },
  }
}

function closedError(cause?: unknown): StoreUnavailable {
  return new StoreUnavailable('the store is closed', { cause })
}
