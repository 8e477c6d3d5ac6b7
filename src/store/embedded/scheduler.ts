// Who may use the engine's one connection next. Writers go first and wait for at most WRITER_PATIENCE_MS behind a read; reads wait in a bounded
// queue and for a bounded time; chores (checkpoint, vacuum) take the quiet moments.

import type { Clock, Timer } from '../../base/clock.ts'
import { INTERRUPT_REPEAT_MS, READ_QUEUE_MAX, WRITER_PATIENCE_MS, WRITE_QUEUE_MAX } from '../bounds.ts'
import { StatementTimeout, StoreUnavailable } from '../store.ts'

export interface Scheduler {
  /** Runs a statement or a whole transaction; nothing else runs meanwhile. */
  write<T>(work: () => Promise<T>): Promise<T>
  /** Runs one statement that changes nothing: it may be interrupted for a writer, and is then run again. Raises StatementTimeout when its time is up. */
  read<T>(work: () => Promise<T>, timeLimitMs: number): Promise<T>
  /** Runs when nobody else wants to, or before the reads when it is overdue. Raises Interrupted when a writer needed the engine. */
  maintenance<T>(work: () => Promise<T>, overdue: boolean): Promise<T>
  /** How many wait for their turn. */
  waiting(): { readonly reads: number; readonly writes: number }
  /** True when nothing runs and nobody waits. */
  isIdle(): boolean
  /** Refuses what waits and what comes, and resolves when what runs has ended. */
  close(): Promise<void>
}

/** Raised to a chore that had to make room. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

type Kind = 'write' | 'read' | 'chore'

interface Turn {
  readonly kind: Kind
  readonly work: () => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  /** Ends the turn's time, in the queue or at work. */
  deadline: Timer | undefined
  /** Set when its caller has its answer already. */
  settled: boolean
  /** Set when it was interrupted to make room for a writer. */
  madeRoom: boolean
}

/** Builds the scheduler; `interrupt` makes the statement under way give up with StatementTimeout. */
export function createScheduler(options: { clock: Clock; interrupt: () => void }): Scheduler {
  const { clock, interrupt } = options
  const waiting = { write: [] as Turn[], overdueChore: [] as Turn[], read: [] as Turn[], chore: [] as Turn[] }
  let current: Turn | undefined
  let patience: Timer | undefined
  let repeat: Timer | undefined
  let closed = false
  let onDrained: (() => void) | undefined

  function enqueue<T>(kind: Kind, queue: Turn[], work: () => Promise<T>): { turn: Turn; done: Promise<T> } {
    let turn: Turn | undefined
    const done = new Promise<T>((resolve, reject) => {
      turn = { kind, work, resolve: resolve as (value: unknown) => void, reject, deadline: undefined, settled: false, madeRoom: false }
      if (closed) settle(turn, () => reject(new StoreUnavailable('the store is closed')))
      else queue.push(turn)
    })
    return { turn: turn as unknown as Turn, done }
  }

  function settle(turn: Turn, answer: () => void): void {
    if (turn.settled) return
    turn.settled = true
    turn.deadline?.cancel()
    answer()
  }

  function next(): Turn | undefined {
    return waiting.write.shift() ?? waiting.overdueChore.shift() ?? waiting.read.shift() ?? waiting.chore.shift()
  }

  function pump(): void {
    if (current !== undefined) return makeRoom()
    current = next()
    if (current === undefined) return onDrained?.()
    void runTurn(current)
  }

  async function runTurn(turn: Turn): Promise<void> {
    try {
      const value = await turn.work()
      settle(turn, () => turn.resolve(value))
    } catch (cause) {
      giveUp(turn, cause)
    } finally {
      patience?.cancel()
      repeat?.cancel()
      patience = repeat = current = undefined
      pump()
    }
  }

  function giveUp(turn: Turn, cause: unknown): void {
    const interrupted = turn.madeRoom && cause instanceof StatementTimeout && !turn.settled
    turn.madeRoom = false
    if (interrupted && closed) settle(turn, () => turn.reject(new StoreUnavailable('the store is closed', { cause })))
    else if (interrupted && turn.kind === 'read') waiting.read.unshift(turn)
    else if (interrupted && turn.kind === 'chore') settle(turn, () => turn.reject(new Interrupted('a writer needed the engine', { cause })))
    else settle(turn, () => turn.reject(cause instanceof Error ? cause : new Error(String(cause))))
  }

  /** A writer does not wait for long behind what can be done again. */
  function makeRoom(): void {
    if (current === undefined || current.kind === 'write' || waiting.write.length === 0 || patience !== undefined) return
    const turn = current
    patience = clock.setTimer(WRITER_PATIENCE_MS, () => {
      turn.madeRoom = true
      keepInterrupting()
    })
  }

  /** An interruption between two protocol messages goes unheard, so it is repeated while the turn lasts. */
  function keepInterrupting(): void {
    interrupt()
    repeat?.cancel()
    repeat = clock.setTimer(INTERRUPT_REPEAT_MS, keepInterrupting)
  }

  function expire(turn: Turn, timeLimitMs: number): void {
    const at = waiting.read.indexOf(turn)
    const where = at < 0 ? 'ran into its time limit' : 'waited too long for its turn'
    if (at >= 0) waiting.read.splice(at, 1)
    settle(turn, () => turn.reject(new StatementTimeout(`the read ${where} (${timeLimitMs} ms)`)))
    if (current === turn) keepInterrupting()
  }

  return {
    write(work) {
      if (waiting.write.length >= WRITE_QUEUE_MAX) return Promise.reject(new StoreUnavailable(`${WRITE_QUEUE_MAX} writes are waiting already`))
      const { done } = enqueue('write', waiting.write, work)
      pump()
      return done
    },
    read(work, timeLimitMs) {
      if (waiting.read.length >= READ_QUEUE_MAX) return Promise.reject(new StatementTimeout(`${READ_QUEUE_MAX} reads are waiting already`))
      const { turn, done } = enqueue('read', waiting.read, work)
      if (!turn.settled) turn.deadline = clock.setTimer(timeLimitMs, () => expire(turn, timeLimitMs))
      pump()
      return done
    },
    maintenance(work, overdue) {
      const { done } = enqueue('chore', overdue ? waiting.overdueChore : waiting.chore, work)
      pump()
      return done
    },
    waiting: () => ({ reads: waiting.read.length, writes: waiting.write.length }),
    isIdle: () => current === undefined && Object.values(waiting).every((queue) => queue.length === 0),
    async close() {
      closed = true
      for (const queue of Object.values(waiting)) {
        for (const turn of queue.splice(0)) settle(turn, () => turn.reject(new StoreUnavailable('the store is closed')))
      }
      if (current === undefined) return
      if (current.kind !== 'write') {
        current.madeRoom = true
        keepInterrupting()
      }
      await new Promise<void>((resolve) => void (onDrained = resolve))
    },
  }
}
