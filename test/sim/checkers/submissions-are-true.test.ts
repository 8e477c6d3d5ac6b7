// Planted violations: the checkers of submissions must find each of them.

import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { openTestStore } from '../../support/database.ts'
import type { LedgerTruth } from '../ledger-truth.ts'
import { checkSubmissionsAreTrue } from './submissions-are-true.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(async () => void (await store.write.query('truncate tx.submissions, tx.submission_changes restart identity cascade')))

const HASH = 'ab'.repeat(32)
const OTHER = 'cd'.repeat(32)
const EXPIRES_AT = 1_000

/** `refused`: the state of a submission that the log does not have. */
async function plant(
  hash: string, states: readonly string[],
  { clientId = null, ledger = null, refused }: { clientId?: string | null; ledger?: number | null; refused?: string } = {},
) {
  await store.write.query(
    `insert into tx.submissions (owner, hash, trader, client_id, sequence, expires_at, status, logged_status, envelopes, accepted, attempts, ledger,
      submitted_at, updated_at)
    values ('G', $1, 'G', $2, 1, $3, $4, $6, '[]', false, 1, $5, 0, 0)`,
    [hash, clientId, EXPIRES_AT, refused ?? states.at(-1) ?? '', ledger, refused === undefined ? (states.at(-1) ?? null) : null],
  )
  for (const status of states) {
    const row = { hash, status, ledger: status === 'SUCCESS' || status === 'FAILED' ? ledger : null, expiresAt: EXPIRES_AT }
    await store.write.query(
      `insert into tx.submission_changes (owner, hash, row, changed_at, seq) values ('G', $1, $2::jsonb, 0,
        (select coalesce(max(seq), 0) + 1 from tx.submission_changes))`,
      [hash, JSON.stringify(row)],
    )
  }
}

/** Checks against a ledger with these transactions, whose last one closed at `closeTimeSec`. */
function check(applied: Readonly<Record<string, { readonly status: string; readonly ledger: number }>>, closeTimeSec = EXPIRES_AT + 1) {
  const current = (hash: string) => applied[hash]
  const everywhere = (hash: string) => [current(hash)].filter((one) => one !== undefined)
  const truth: LedgerTruth = { current, everywhere, closeTimeSec: () => closeTimeSec, endChain() {} }
  return checkSubmissionsAreTrue(store.read, truth, { comparableClocks: true })
}

const SUCCEEDED = { [HASH]: { status: 'SUCCESS', ledger: 7 } }

test('accepts submissions that the ledger confirms', async () => {
  await plant(HASH, ['PENDING', 'PREPARED', 'PENDING', 'SUCCESS'], { ledger: 7, clientId: 'one' })
  await plant(OTHER, ['PENDING', 'EXPIRED'], { clientId: 'two' })
  await plant('ef'.repeat(32), [], { clientId: 'two', refused: 'REJECTED' })
  assert.deepEqual(await check(SUCCEEDED), new Map([['SUCCESS', 1], ['EXPIRED', 1], ['REJECTED', 1]]))
})

for (const [name, states, applied, closeTimeSec] of [
  ['a submission that is still pending', ['PENDING'], {}, undefined],
  ['a submission that is unknown', ['PENDING', 'UNKNOWN'], {}, undefined],
  ['a success that is not on the ledger', ['PENDING', 'SUCCESS'], {}, undefined],
  ['a failure that was a success', ['PENDING', 'FAILED'], SUCCEEDED, undefined],
  ['an expired transaction on the ledger', ['PENDING', 'EXPIRED'], SUCCEEDED, undefined],
  ['a transaction that expired before its time bound', ['PENDING', 'EXPIRED'], {}, EXPIRES_AT],
  ['a rejected transaction on the ledger', ['PENDING', 'REJECTED'], SUCCEEDED, undefined],
  ['an end that was taken back', ['PENDING', 'REJECTED', 'SUCCESS'], SUCCEEDED, undefined],
  ['a change that never happened', ['PENDING', 'SUCCESS', 'FAILED', 'SUCCESS'], SUCCEEDED, undefined],
] as const) {
  test(`finds ${name}`, async () => {
    await plant(HASH, states, { ledger: 7 })
    await assert.rejects(check(applied, closeTimeSec), { name: 'AssertionError' })
  })
}

test('finds a refused submission in the log', async () => {
  await plant(HASH, ['PENDING'], { refused: 'REJECTED' })
  await assert.rejects(check({}), /is logged as PENDING/)
})

test('finds a client id of two transactions, and a change without a position in the log', async () => {
  await plant(HASH, ['PENDING', 'SUCCESS'], { ledger: 7, clientId: 'one' })
  await plant(OTHER, ['PENDING', 'EXPIRED'], { clientId: 'one' })
  await assert.rejects(check(SUCCEEDED), /two transactions have the client id G one/)
  await store.write.query('update tx.submission_changes set seq = null where id = 1')
  await assert.rejects(check(SUCCEEDED), /without a position in the log/)
})
