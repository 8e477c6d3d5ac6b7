// Nothing lies about unused, and what is installed is what was meant.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkHouse, HOUSE_RULES } from './house-rules.ts'
import { plant, readTree, report } from './tree.ts'

type Files = Readonly<Record<string, string>>

const MAIN = { 'main.ts': "import './src/a.ts'", 'src/a.ts': "new Worker(new URL('./worker.ts', import.meta.url))", 'src/worker.ts': 'export {}' }
const json = (value: unknown): string => JSON.stringify(value)
const PINNED = { 'package.json': json({ dependencies: { pg: '8.0.0' } }) }
const USED = { ...PINNED, 'src/store/x.ts': "import pg from 'pg'" }

const CASES: Readonly<Record<string, { caught: readonly Files[]; passed: readonly Files[] }>> = {
  'dead-files': {
    caught: [
      { ...MAIN, 'localnet/x.ts': 'export {}' },
      { ...MAIN, 'src/x.ts': 'export {}', 'src/x.test.ts': "import './x.ts'" },
      { ...MAIN, 'test/support/x.ts': 'export {}' },
      { ...MAIN, 'bench/x.ts': 'export {}' },
      { ...MAIN, 'scripts/x.ts': 'export {}' },
    ],
    passed: [{ ...MAIN, 'test/support/x.ts': 'export {}', 'test/x.test.ts': "import './support/x.ts'", 'test/run.ts': 'export {}' }],
  },
  'pinned-packages': {
    caught: ['^8.0.0', '~8.0.0', '8', 'latest', '>=8.0.0', 'file:../pg'].map((version) => ({ 'package.json': json({ devDependencies: { pg: version } }) })),
    passed: [PINNED],
  },
  'complete-lock': {
    caught: [
      { ...PINNED, 'package-lock.json': json({ packages: { 'node_modules/pg': { version: '8.0.1' } } }) },
      PINNED,
      {
        ...PINNED,
        'package-lock.json': json({ packages: { 'node_modules/pg': { version: '8.0.0', optionalDependencies: { 'pg-windows': '8.0.0' } } } }),
      },
    ],
    passed: [
      {
        ...PINNED,
        'package-lock.json': json({
          packages: { 'node_modules/pg': { version: '8.0.0', optionalDependencies: { 'pg-windows': '8.0.0' } }, 'node_modules/pg-windows': {} },
        }),
      },
    ],
  },
  'locked-digests': {
    caught: [
      { 'package-lock.json': json({ packages: { 'node_modules/pg': {} } }) },
      { 'package-lock.json': json({ packages: { 'node_modules/pg': { integrity: 'sha1-x' } } }) },
      { 'package-lock.json': json({ packages: { 'node_modules/a/node_modules/pg': { integrity: 'sha512-x', hasInstallScript: true } } }) },
    ],
    passed: [
      {
        'package-lock.json': json({
          packages: { '': { hasInstallScript: true }, client: {}, 'node_modules/client': { link: true }, 'node_modules/pg': { integrity: 'sha512-x' } },
        }),
      },
    ],
  },
  'reasoned-packages': {
    caught: [
      USED,
      { ...PINNED, 'docs/decisions/pg.md': '# `pg`\n' },
      { 'package.json': json({ dependencies: { lodash: '1.0.0' } }), 'src/x.ts': "import 'lodash/fp'", 'docs/decisions/x.md': '# `lodash`\n' },
      { 'package.json': json({ devDependencies: { typescript: '7.0.2' } }) },
    ],
    passed: [
      { ...USED, 'docs/decisions/pg.md': '# `pg`\n' },
      { 'package.json': json({ devDependencies: { typescript: '7.0.2' } }), 'docs/decisions/tools.md': '# `typescript`\n' },
    ],
  },
}

test('every rule has planted violations', () => {
  assert.deepEqual(Object.keys(CASES).sort(), Object.keys(HOUSE_RULES).sort())
})

for (const [name, { caught, passed }] of Object.entries(CASES)) {
  test(`planted violations of ${name} are reported`, () => {
    for (const files of caught) {
      const found = HOUSE_RULES[name]?.(plant(files)) ?? []
      assert.equal(found.length, 1, `${JSON.stringify(files)}\n${report(found)}`)
    }
  })
  test(`what ${name} allows passes`, () => {
    for (const files of passed) assert.equal(report(HOUSE_RULES[name]?.(plant(files)) ?? []), '', JSON.stringify(files))
  })
}

test('the project keeps the rules', () => {
  const violations = checkHouse(readTree())
  assert.equal(violations.length, 0, `\n${report(violations)}`)
})
