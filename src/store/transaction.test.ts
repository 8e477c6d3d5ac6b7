import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { IDLE_TRANSACTION_TIMEOUT_MS } from './bounds.ts'
import { textOf } from './sql.ts'
import { StatementTimeout, StoreUnavailable } from './store.ts'
import { runTransaction } from './transaction.ts'
import type { RunStatement } from './transaction.ts'

/** A connection that records its statements. `onStatement` may throw. */
function recordingConnection(onStatement: (sql: string) => void = () => {}): { sent: string[]; run: RunStatement } {
  const sent: string[] = []
  return {
    sent,
    async run(statement) {
      const sql = textOf(statement)
      sent.push(sql)
      onStatement(sql)
      return { rows: [], command: sql.toUpperCase() }
    },
  }
}

test('a connection lost at COMMIT, or a COMMIT over its time limit, raises an unknown outcome', async () => {
  for (const failure of [new StoreUnavailable('gone'), new StatementTimeout('too slow')]) {
    const { run, sent } = recordingConnection((sql) => {
      if (sql === 'commit') throw failure
    })
    await assert.rejects(runTransaction(run, createVirtualClock(0), (tx) => tx.query('x')), (error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.match(error.message, /whether the transaction was committed is unknown/)
      return true
    })
    assert.deepEqual(sent, ['begin', 'x', 'commit'], 'nothing is sent after an unknown commit')
  }
})

/** Returns the steps, in order, of a transaction with one notification whose COMMIT returns this command or fails. */
async function orderOfNotification(commit: () => string): Promise<readonly string[]> {
  const order: string[] = []
  const run: RunStatement = async (statement) => {
    const sql = textOf(statement)
    order.push(sql)
    if (sql !== 'commit') return { rows: sql === 'x' ? [{ payload: 'row 7' }] : [], command: sql.toUpperCase() }
    // Later than the microtasks that a listener waits for.
    await new Promise((resolve) => void setImmediate(resolve))
    order.push('commit returns')
    return { rows: [], command: commit() }
  }
  const listeners = {
    prepare: (channel: string, payload: string) => void order.push(`prepare ${channel} ${payload}`),
    notify: (channel: string, payload: string) => void order.push(`notify ${channel} ${payload}`),
  }
  await runTransaction(run, createVirtualClock(0), (tx) => tx.notify('log', 'x', []), listeners).catch(() => order.push('failed'))
  return order
}

test('listeners prepare a notification while COMMIT runs, and get it only if COMMIT succeeds', async () => {
  const untilCommitted = ['begin', 'x', 'commit', 'prepare log row 7', 'commit returns']
  assert.deepEqual(await orderOfNotification(() => 'COMMIT'), [...untilCommitted, 'notify log row 7'])
  assert.deepEqual(await orderOfNotification(() => 'ROLLBACK'), [...untilCommitted, 'failed'])
  assert.deepEqual(await orderOfNotification(() => {
    throw new StoreUnavailable('gone')
  }), [...untilCommitted, 'failed'])
})

test('rolls back an idle transaction and refuses its late statements', async () => {
  const clock = createVirtualClock(0)
  const { run, sent } = recordingConnection()
  let release: () => void = () => {}
  let late: Promise<unknown> | undefined
  const transaction = runTransaction(run, clock, async (tx) => {
    await tx.query('x')
    await new Promise<void>((resolve) => void (release = resolve))
    late = tx.query('late')
    await late
  })
  transaction.catch(() => {})
  while (clock.pendingTimers() === 0 || !sent.includes('x')) await Promise.resolve()
  clock.advance(IDLE_TRANSACTION_TIMEOUT_MS)
  await assert.rejects(transaction, StatementTimeout)
  release()
  await Promise.resolve()
  await assert.rejects(async () => late, StoreUnavailable)
  assert.deepEqual(sent, ['begin', 'x', 'rollback'])
  assert.equal(clock.pendingTimers(), 0)
})

test('does not count a long statement as idle time', async () => {
  const clock = createVirtualClock(0)
  const { run } = recordingConnection((sql) => {
    if (sql === 'long') clock.advance(IDLE_TRANSACTION_TIMEOUT_MS * 2)
  })
  await runTransaction(run, clock, (tx) => tx.query('long'))
  assert.equal(clock.pendingTimers(), 0)
})
