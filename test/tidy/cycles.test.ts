// The project has no import cycles.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCycles, edges, reachable } from './graph.ts'
import { plant, readTree, report } from './tree.ts'

test('reports a planted cycle once, with all its files', () => {
  const tree = plant({
    'src/a.ts': "import { b } from './b.ts'",
    'src/b.ts': "import { c } from './deep/c.ts'",
    'src/deep/c.ts': "import { a } from '../a.ts'",
    'src/d.ts': "import { a } from './a.ts'",
  })
  const violations = checkCycles(tree)
  assert.equal(violations.length, 1, report(violations))
  assert.match(violations[0]?.message ?? '', /src\/a\.ts -> src\/b\.ts -> src\/deep\/c\.ts -> src\/a\.ts/)
})

test('reports a cycle of type imports', () => {
  const tree = plant({ 'src/a.ts': "import type { B } from './b.ts'", 'src/b.ts': "export type { A } from './a.ts'" })
  assert.equal(checkCycles(tree).length, 1)
})

test('reports a file that imports itself', () => {
  assert.equal(checkCycles(plant({ 'src/a.ts': "import { a } from './a.ts'" })).length, 1)
})

test('accepts two paths to one file', () => {
  const tree = plant({ 'a.ts': "import './b.ts'\nimport './c.ts'", 'b.ts': "import './d.ts'", 'c.ts': "import './d.ts'", 'd.ts': 'export {}' })
  assert.deepEqual(checkCycles(tree), [])
  assert.deepEqual([...reachable(tree, ['c.ts'])], ['c.ts', 'd.ts'])
})

test('follows a workspace package\'s name to its exports', () => {
  const tree = plant({
    'main.ts': "import { discover } from 'perpetual-exchange-localnet/discover'",
    'localnet/package.json': '{ "exports": { ".": "./start.ts", "./discover": "./discover.ts" } }',
    'localnet/start.ts': 'export {}',
    'localnet/discover.ts': "import './chain.ts'",
    'localnet/chain.ts': 'export {}',
  })
  assert.deepEqual([...reachable(tree, ['main.ts'])], ['main.ts', 'localnet/discover.ts', 'localnet/chain.ts'])
})

test('the project has no import cycles', () => {
  const tree = readTree()
  assert.ok(edges(tree).length > 20, 'hardly any imports found')
  const violations = checkCycles(tree)
  assert.equal(violations.length, 0, `\n${report(violations)}`)
})
