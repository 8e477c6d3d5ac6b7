// Decides who uses the engine's one connection next. Lookups and writes go first, in turns, then overdue maintenance, reads, and other maintenance. Lookups and
// reads wait in bounded queues for a bounded time, and the callers of reads take turns. Whatever runs keeps the connection until it ends.

import type { Clock, Timer } from '../../base/clock.ts'
import { TooManyWaiting } from '../../base/semaphore.ts'
import { createTurns } from '../../base/turns.ts'
import type { TurnCaller, Turns } from '../../base/turns.ts'
import { IDLE_AFTER_WRITE_MS, LOOKUP_QUEUE_MAX, READ_QUEUE_MAX, WRITE_QUEUE_MAX } from '../bounds.ts'
import { StatementTimeout, StoreUnavailable } from '../store.ts'

export interface Scheduler {
  /** Runs a statement or a whole transaction. Raises StoreUnavailable when the queue is full. */
  write<T>(work: () => Promise<T>): Promise<T>
  /**
   * Runs one statement that changes nothing. `work` gets the rest of the time limit. Raises StatementTimeout when the queue is full of other callers' reads,
   * or when the turn does not come within the limit.
   */
  read<T>(work: (remainingMs: number) => Promise<T>, limitMs: number, caller?: TurnCaller): Promise<T>
  /** As `read`, after at most one write. */
  lookup<T>(work: (remainingMs: number) => Promise<T>, limitMs: number): Promise<T>
  /** Runs when nothing else is queued; when `overdue`, before the reads. */
  maintenance<T>(work: () => Promise<T>, overdue: boolean): Promise<T>
  /** Numbers of queued turns. */
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
  const queues = { write: [] as Turn[], overdue: [] as Turn[], maintenance: [] as Turn[] }
  const lookups = createTurns<Turn>()
  const reads = createTurns<Turn>()
  let current: Turn | undefined
  /** True while the engine restarts. */
  let isWaiting = false
  let isClosed = false
  /** True while a lookup runs, and after it until the next turn. */
  let wasLookup = false
  let writtenAtMs = Number.NEGATIVE_INFINITY
  let onDrained: (() => void) | undefined

  function enqueue<T>(kind: Turn['kind'], work: () => Promise<T>, add: (turn: Turn) => void): Promise<T> {
    if (isClosed) return Promise.reject(closedError())
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    add({ kind, work, resolve: resolve as (value: unknown) => void, reject, deadline: undefined })
    startNext()
    return promise
  }

  /** The queue is full: a caller with a larger share than this one loses its newest read. */
  function makeRoom(caller: TurnCaller | undefined): boolean {
    const surplus = reads.makeRoom(caller)
    surplus?.deadline?.cancel()
    surplus?.reject(queueFull(READ_QUEUE_MAX, true))
    return surplus !== undefined
  }

  function takeNext(): Turn | undefined {
    // After a lookup a write is next: a flood of lookups must not stop the writes.
    const first = wasLookup ? queues.write.shift() : undefined
    const lookup = first === undefined ? lookups.take() : undefined
    wasLookup = lookup !== undefined
    const turn = first ?? lookup ?? queues.write.shift() ?? queues.overdue.shift() ?? reads.take() ?? queues.maintenance.shift()
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

  function expire(turns: Turns<Turn>, turn: Turn, limitMs: number): void {
    turns.remove(turn)
    turn.reject(new StatementTimeout(`the read waited too long for its turn (${limitMs} ms)`))
  }

  function enqueueRead<T>(
    turns: Turns<Turn>, work: (remainingMs: number) => Promise<T>, { limitMs, caller }: { readonly limitMs: number; readonly caller?: TurnCaller | undefined },
  ): Promise<T> {
    const deadlineMs = clock.elapsedMs() + limitMs
    return enqueue('read', () => work(Math.max(deadlineMs - clock.elapsedMs(), 1)), (turn) => {
      turn.deadline = clock.setTimer(limitMs, () => expire(turns, turn, limitMs))
      turns.add(turn, caller)
    })
  }

  return {
    write(work) {
      if (queues.write.length >= WRITE_QUEUE_MAX) return Promise.reject(new StoreUnavailable(`${WRITE_QUEUE_MAX} writes are queued already`))
      return enqueue('write', work, (turn) => queues.write.push(turn))
    },
    read(work, limitMs, caller) {
      if (reads.size() >= READ_QUEUE_MAX && !makeRoom(caller)) return Promise.reject(queueFull(READ_QUEUE_MAX, reads.countOf(caller) > 1))
      return enqueueRead(reads, work, { limitMs, caller })
    },
    lookup(work, limitMs) {
      if (lookups.size() >= LOOKUP_QUEUE_MAX) return Promise.reject(queueFull(LOOKUP_QUEUE_MAX, false))
      return enqueueRead(lookups, work, { limitMs })
    },
    maintenance: (work, overdue) => enqueue('maintenance', work, (turn) => (overdue ? queues.overdue : queues.maintenance).push(turn)),
    waiting: () => ({ reads: reads.size(), writes: queues.write.length }),
    isIdle: () =>
      current === undefined && reads.size() + lookups.size() === 0 && Object.values(queues).every((queue) => queue.length === 0) &&
      clock.elapsedMs() - writtenAtMs >= IDLE_AFTER_WRITE_MS,
    async close() {
      isClosed = true
      for (const turn of [...lookups.clear(), ...reads.clear(), ...Object.values(queues).flatMap((queue) => queue.splice(0))]) {
        turn.deadline?.cancel()
        turn.reject(closedError())
      }
      if (current === undefined) return
      if (current.kind !== 'write') cancel()
      await new Promise<void>((resolve) => void (onDrained = resolve))
    },
  }
}

function queueFull(queued: number, isOwnShare: boolean): StatementTimeout {
  const message = `${queued} reads are queued already`
  return new StatementTimeout(message, { cause: new TooManyWaiting(message, isOwnShare) })
}

function closedError(cause?: unknown): StoreUnavailable {
  return new StoreUnavailable('the store is closed', { cause })
}
