// Compares the tables of faults in docs/operating.md with the faults of the local network, and checks that a test uses each fault.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { LEDGER_FAULTS } from '../../localnet/fault-kinds.ts'
import type { FaultKind } from '../../localnet/fault-kinds.ts'
import { createFaults } from '../../localnet/faults.ts'

/** Faults of ledgers are the validators' and not a node's, so the tables do not have them. */
const OF_LEDGERS = LEDGER_FAULTS.map(({ name }) => name)
const isOfNode = ({ methods }: FaultKind): boolean => methods === null || methods.length > 0
/** Faults of RPC responses. A reset of the network is a separate control method. */
const NAMES = [...createFaults().kinds.filter(isOfNode).map(({ name }) => name), 'local_reset'].sort()
const ROOT = new URL('../../', import.meta.url)

function pageRows(): readonly (readonly string[])[] {
  const [, section = ''] = readFileSync(new URL('docs/operating.md', ROOT), 'utf8').split('## Misbehaving nodes\n')
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Symptom'))
  return rows.map((row) => row.split('|').slice(1, -1).map((cell) => cell.trim()))
}

test('the tables list exactly the existing faults', () => {
  const listed = pageRows().flatMap(([, , faults = '']) => [...faults.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  assert.deepEqual([...new Set(listed)].sort(), NAMES)
})

test('every row has a symptom and its handling', () => {
  const rows = pageRows()
  assert.ok(rows.length >= 50)
  for (const [symptom = '', handling = '', ...rest] of rows) {
    assert.ok(symptom.length > 3 && handling.length > 7, symptom)
    assert.equal(rest.length, 1, `${symptom}: a row has three cells`)
  }
})

test('a test uses every fault', () => {
  const tests = globSync(['test/{api,index,stream}/**/*.test.ts', 'test/sim/{rpc,network}-faults.ts'], { cwd: ROOT.pathname })
  const texts = tests.map((path) => readFileSync(new URL(path, ROOT), 'utf8')).join('\n')
  assert.deepEqual([...NAMES, ...OF_LEDGERS].filter((name) => !texts.includes(`'${name}'`)), [])
})
