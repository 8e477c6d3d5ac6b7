import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GIVE_UP_AFTER_SEC, judgeAbsence } from './absence.ts'
import type { Absence } from './absence.ts'

const SUBMITTED = 100_000
const EXPIRES = 100_300
/** A node whose history begins a minute before the submission, one second after the time bound. */
const RETAINED = { latestLedger: 900, latestLedgerCloseSec: EXPIRES + 1, oldestLedger: 500, oldestLedgerCloseSec: SUBMITTED - 60 }

function verdict({ retained = {}, ...absence }: Partial<Omit<Absence, 'retained'>> & { readonly retained?: Partial<Absence['retained']> } = {}): string {
  return judgeAbsence({
    expiresAt: EXPIRES, submittedSec: SUBMITTED, nowSec: EXPIRES + 5, sequence: 10n, accountSequence: undefined, ...absence,
    retained: { ...RETAINED, ...retained },
  })
}

test('a transaction has expired when a ledger closed after its time bound and no ledger since its submission has it', () => {
  assert.equal(verdict(), 'expired')
  assert.equal(verdict({ retained: { latestLedgerCloseSec: EXPIRES } }), 'open', 'the bound is inclusive')
  assert.equal(verdict({ retained: { latestLedgerCloseSec: null } }), 'open')
  assert.equal(verdict({ expiresAt: null }), 'open')
  assert.equal(verdict({ retained: { oldestLedgerCloseSec: SUBMITTED - 59 } }), 'open', 'clocks may differ by a minute')
  assert.equal(verdict({ retained: { oldestLedgerCloseSec: null } }), 'open')
  assert.equal(verdict({ retained: { oldestLedgerCloseSec: null, oldestLedger: 2 } }), 'expired', 'the whole chain')
  assert.equal(verdict({ retained: { oldestLedgerCloseSec: null, oldestLedger: 3 } }), 'open')
})

test('an unused sequence number proves that an expired transaction was never applied, whatever the node has of the history', () => {
  const retained = { oldestLedger: 800, oldestLedgerCloseSec: EXPIRES }
  assert.equal(verdict({ retained, accountSequence: 9n }), 'expired')
  assert.equal(verdict({ retained, accountSequence: 10n }), 'open', 'it may have used the number itself')
  assert.equal(verdict({ retained, accountSequence: null }), 'open')
  assert.equal(verdict({ retained, accountSequence: 9n, expiresAt: null }), 'open', 'it can still be applied')
})

test('a transaction without a later ledger than its bound is superseded when another one has used its sequence number', () => {
  const retained = { latestLedgerCloseSec: EXPIRES }
  assert.equal(verdict({ retained, accountSequence: 10n }), 'superseded')
  assert.equal(verdict({ retained, accountSequence: 11n, expiresAt: null }), 'superseded')
  assert.equal(verdict({ retained, accountSequence: 9n }), 'open')
  assert.equal(verdict({ retained: { ...retained, oldestLedgerCloseSec: SUBMITTED }, accountSequence: 11n }), 'open', 'an earlier ledger may have it')
})

test('what cannot be proved within a day is unknown', () => {
  const retained = { oldestLedgerCloseSec: SUBMITTED }
  assert.equal(verdict({ retained, nowSec: EXPIRES + GIVE_UP_AFTER_SEC }), 'open')
  assert.equal(verdict({ retained, nowSec: EXPIRES + GIVE_UP_AFTER_SEC + 1 }), 'unknown')
  assert.equal(verdict({ retained, expiresAt: null, nowSec: SUBMITTED + GIVE_UP_AFTER_SEC }), 'open')
  assert.equal(verdict({ retained, expiresAt: null, nowSec: SUBMITTED + GIVE_UP_AFTER_SEC + 1 }), 'unknown')
  assert.equal(GIVE_UP_AFTER_SEC, 86_400)
})
