// The page's tables of faults against those that there are: a fault that nobody can look up is of no use, and neither is one that nothing is tested with.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createFaults } from '../../localnet/faults.ts'

/** What misbehaves in an answer is a fault of the door; a reset happens to the network itself, and is a method of it. */
const NAMES = [...createFaults().kinds.map(({ name }) => name), 'local_reset'].sort()
const ROOT = new URL('../../', import.meta.url)

function pageRows(): readonly (readonly string[])[] {
  const [, section = ''] = readFileSync(new URL('docs/operating.md', ROOT), 'utf8').split('## Nodes that misbehave\n')
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Symptom'))
  return rows.map((row) => row.split('|').slice(1, -1).map((cell) => cell.trim()))
}

test('every fault is in the tables, and everything there is a fault', () => {
  const told = pageRows().flatMap(([, , faults = '']) => [...faults.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  assert.deepEqual([...new Set(told)].sort(), NAMES)
})

test('every row tells a symptom and what is done about it', () => {
  const rows = pageRows()
  assert.ok(rows.length >= 50)
  for (const [symptom = '', handling = '', ...rest] of rows) {
    assert.ok(symptom.length > 3 && handling.length > 7, symptom)
    assert.equal(rest.length, 1, `${symptom}: a row has three cells`)
  }
})

test('every fault meets the gateway in some test', () => {
  const tests = globSync(['test/{api,index,stream}/**/*.test.ts', 'test/sim/rpc-faults.ts'], { cwd: ROOT.pathname })
  const texts = tests.map((path) => readFileSync(new URL(path, ROOT), 'utf8')).join('\n')
  assert.deepEqual(NAMES.filter((name) => !texts.includes(`'${name}'`)), [])
})
