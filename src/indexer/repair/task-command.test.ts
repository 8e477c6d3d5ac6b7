import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VerifyProgress } from '../../projections/repair/tasks.ts'
import { summarizeVerification } from './task-command.ts'

const CLEAN: VerifyProgress = {
  range: { chain: 1, fromLedger: 3, throughLedger: 9 },
  cursor: null, phase: 'projections', compared: 40, added: 0, replaced: 0, removed: 0,
  differences: {}, unverifiable: 0, problem: null, submissions: null,
}

test('the summary of a verification without differences says what was compared', () => {
  assert.deepEqual(summarizeVerification(CLEAN), [
    'Verify: done. Compared 40 events of ledgers 3 to 9 with the network, and the projections with the archive.',
    '  Archive:        no differences',
    '  Projections:    no differences',
    '  Not verifiable: 0 archived events that the network no longer has',
  ])
})

test('the summary of a verification lists each kind of repair, and reports unknown as unknown', () => {
  const repaired = { ...CLEAN, range: null, added: 1, replaced: 2, removed: 3, differences: { positions: 5 }, unverifiable: null }
  assert.deepEqual(summarizeVerification(repaired), [
    'Verify: done. Compared 40 events of no ledgers with the network, and the projections with the archive.',
    '  Archive:        1 missing events added, 2 different events replaced, 3 invented or repeated events removed',
    '  Projections:    rows replaced: positions 5',
    '  Not verifiable: unknown archived events that the network no longer has',
  ])
})
