// A transaction on a connection that it has to itself, the same on both engines.

import type { Clock, Timer } from '../base/clock.ts'
import { IDLE_TRANSACTION_TIMEOUT_MS } from './bounds.ts'
import { createMutex } from './mutex.ts'
import { isUnanswered, StatementFailed, StatementTimeout, StoreUnavailable } from './store.ts'
import { textOf } from './sql.ts'
import type { Statement } from './sql.ts'
import type { Param, Transaction } from './store.ts'
import { encodeParams } from './values.ts'

/**
 * Sends one statement on the transaction's connection, after those sent before it. `isRepeated`: it is sent often, so the connection may keep its plan.
 * `command` is PostgreSQL's command tag.
 */
export type RunStatement = (statement: Statement | string, params?: readonly Param[], isRepeated?: boolean) => Promise<{ rows: object[]; command: string }>

/** For a connection that takes one statement at a time. */
export function inOrder(run: RunStatement): RunStatement {
  const runExclusive = createMutex()
  return (...statement) => runExclusive(() => run(...statement))
}

const SQLSTATE_IN_FAILED_TRANSACTION = '25P02'

/** The listeners of this process to a transaction's notifications. */
export interface TransactionListeners {
  /** COMMIT is running. */
  prepare(channel: string, payload: string): void
  /** It has succeeded. Absent: the database delivers the notification. */
  notify?(channel: string, payload: string): void
}

type Notification = readonly [channel: string, payload: string]

/**
 * Runs `work` between BEGIN and COMMIT. Raises what `work` raises after rolling back; StatementFailed when the database rolled back instead of committing;
 * StatementTimeout when `work` sent nothing for too long; StoreUnavailable when the connection broke. When that happened at COMMIT, the transaction may have
 * been committed.
 */
export async function runTransaction<T>(
  run: RunStatement, clock: Clock, work: (tx: Transaction) => Promise<T>, listeners?: TransactionListeners,
): Promise<T> {
  await run('begin')
  const notifications: Notification[] = []
  const handle = createHandle(run, clock, { notifications, isDatabaseNotifying: listeners?.notify === undefined })
  let result: T
  try {
    const working = work(handle.tx)
    result = await Promise.race([working, handle.idle])
    await handle.close()
  } catch (cause) {
    await handle.close()
    await run('rollback').catch(() => {})
    throw cause
  }
  const committed = commit(run)
  // A fault of a listener is not one of the transaction.
  for (const notification of notifications) queueMicrotask(() => listeners?.prepare(...notification))
  await committed
  for (const notification of notifications) queueMicrotask(() => listeners?.notify?.(...notification))
  return result
}

async function commit(run: RunStatement): Promise<void> {
  let command: string
  try {
    command = (await run('commit')).command
  } catch (cause) {
    // On the embedded engine a COMMIT that exceeds its time limit ends with the engine, before or after its record reached the disk.
    if (!isUnanswered(cause)) throw cause
    throw new StoreUnavailable(`${cause.message}; whether the transaction was committed is unknown`, { cause })
  }
  // When `work` ignored a failed statement, COMMIT succeeds and rolls back.
  if (command === 'COMMIT') return
  throw new StatementFailed('the transaction was rolled back because one of its statements failed', SQLSTATE_IN_FAILED_TRANSACTION, null)
}

interface Handle {
  readonly tx: Transaction
  /** Rejects when nothing was sent for too long. */
  readonly idle: Promise<never>
  /** Refuses further statements, and resolves when the running ones have ended. */
  close(): Promise<void>
}

interface Notifying {
  /** Notifications are added here. */
  readonly notifications: Notification[]
  readonly isDatabaseNotifying: boolean
}

function createHandle(run: RunStatement, clock: Clock, { notifications, isDatabaseNotifying }: Notifying): Handle {
  const running = new Set<Promise<unknown>>()
  let open = true
  let timer: Timer | undefined
  let reportIdle: (error: Error) => void = () => {}
  const idle = new Promise<never>((_resolve, reject) => void (reportIdle = reject))
  // It may reject after `work` has ended, when nothing awaits it.
  idle.catch(() => {})

  function restartIdleTimer(): void {
    timer?.cancel()
    timer = undefined
    if (!open || running.size > 0) return
    timer = clock.setTimer(IDLE_TRANSACTION_TIMEOUT_MS, () => {
      open = false
      reportIdle(new StatementTimeout(`the transaction sent nothing for ${IDLE_TRANSACTION_TIMEOUT_MS} ms and was rolled back`))
    })
  }

  async function send<Row extends object>(statement: Statement | string, params?: readonly Param[], isRepeated = false): Promise<Row[]> {
    if (!open) throw new StoreUnavailable('the transaction has ended')
    timer?.cancel()
    // Encoded here, while the statements before it run.
    const result = run(statement, params === undefined ? params : encodeParams(params), isRepeated)
    running.add(result)
    restartIdleTimer()
    try {
      return (await result).rows as Row[]
    } finally {
      running.delete(result)
      restartIdleTimer()
    }
  }

  /**
   * Notifications are sent when the index has caught up, so the tables that they read grow slowly, and are analyzed again before a plan is too old. A plan that
   * is not kept takes most of the time of such a statement, and a server would free it in the COMMIT that follows.
   */
  async function notify(channel: string, statement: Statement | string, params: readonly Param[]): Promise<void> {
    const notifying = `select n.payload, pg_notify($${params.length + 1}::text, n.payload) from (${textOf(statement)}) n`
    const rows = isDatabaseNotifying
      ? await send<{ payload: string }>(notifying, [...params, channel], true)
      : await send<{ payload: string }>(statement, params, true)
    for (const { payload } of rows) notifications.push([channel, payload])
  }

  restartIdleTimer()
  return {
    idle,
    tx: { query: (statement, params) => send(statement, params), run: async (statement, params) => void (await send(statement, params)), notify },
    async close() {
      open = false
      restartIdleTimer()
      await Promise.allSettled(running)
    },
  }
}
