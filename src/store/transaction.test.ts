import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { IDLE_TRANSACTION_TIMEOUT_MS } from './bounds.ts'
import { StatementTimeout, StoreUnavailable } from './store.ts'
import { runTransaction } from './transaction.ts'
import type { RunStatement } from './transaction.ts'

/** A connection that records what it is sent; `answer` decides what happens. */
function recordingConnection(answer: (sql: string) => void = () => {}): { sent: string[]; run: RunStatement } {
  const sent: string[] = []
  return {
    sent,
    async run(sql) {
      sent.push(sql)
      answer(sql)
      return { rows: [], command: sql.toUpperCase() }
    },
  }
}

test('a connection lost at COMMIT says that the outcome is unknown', async () => {
  const { run, sent } = recordingConnection((sql) => {
    if (sql === 'commit') throw new StoreUnavailable('gone')
  })
  await assert.rejects(runTransaction(run, createVirtualClock(0), (tx) => tx.query('x')), (error) => {
    assert.ok(error instanceof StoreUnavailable)
    assert.match(error.message, /whether the transaction took place is unknown/)
    return true
  })
  assert.deepEqual(sent, ['begin', 'x', 'commit'], 'nothing is sent after an unknown commit')
})

test('a transaction that sends nothing for too long is rolled back, and its late statements are refused', async () => {
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

test('a long statement is not idling', async () => {
  const clock = createVirtualClock(0)
  const { run } = recordingConnection((sql) => {
    if (sql === 'long') clock.advance(IDLE_TRANSACTION_TIMEOUT_MS * 2)
  })
  await runTransaction(run, clock, (tx) => tx.query('long'))
  assert.equal(clock.pendingTimers(), 0)
})
