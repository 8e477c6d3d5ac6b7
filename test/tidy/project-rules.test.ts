// The project has no unused files, and its packages are pinned, locked and documented.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkProject, PROJECT_RULES } from './project-rules.ts'
import { testRules } from './rule-cases.ts'
import type { RuleCases } from './rule-cases.ts'
import { readTree, report } from './tree.ts'

const MAIN = { 'main.ts': "import './src/a.ts'", 'src/a.ts': "new Worker(new URL('./worker.ts', import.meta.url))", 'src/worker.ts': 'export {}' }
const json = (value: unknown): string => JSON.stringify(value)
const PINNED = { 'package.json': json({ dependencies: { pg: '8.0.0' } }) }
/** A package with an install script. */
const SCRIPTED = { 'package-lock.json': json({ packages: { 'node_modules/pg': { integrity: 'sha512-x', hasInstallScript: true } } }) }
const USED = { ...PINNED, 'src/store/x.ts': "import pg from 'pg'" }

const CASES: Readonly<Record<string, RuleCases>> = {
  'dead-files': {
    violating: [
      { ...MAIN, 'localnet/x.ts': 'export {}' },
      { ...MAIN, 'src/x.ts': 'export {}', 'src/x.test.ts': "import './x.ts'" },
      { ...MAIN, 'test/support/x.ts': 'export {}' },
      { ...MAIN, 'bench/x.ts': 'export {}' },
      { ...MAIN, 'scripts/x.ts': 'export {}' },
    ],
    allowed: [{ ...MAIN, 'test/support/x.ts': 'export {}', 'test/x.test.ts': "import './support/x.ts'", 'test/run.ts': 'export {}' }],
  },
  'pinned-packages': {
    violating: ['^8.0.0', '~8.0.0', '8', 'latest', '>=8.0.0', 'file:../pg'].map((version) => ({ 'package.json': json({ devDependencies: { pg: version } }) })),
    allowed: [PINNED],
  },
  'complete-lock': {
    violating: [
      { ...PINNED, 'package-lock.json': json({ packages: { 'node_modules/pg': { version: '8.0.1' } } }) },
      PINNED,
      {
        ...PINNED,
        'package-lock.json': json({ packages: { 'node_modules/pg': { version: '8.0.0', optionalDependencies: { 'pg-windows': '8.0.0' } } } }),
      },
    ],
    allowed: [
      {
        ...PINNED,
        'package-lock.json': json({
          packages: { 'node_modules/pg': { version: '8.0.0', optionalDependencies: { 'pg-windows': '8.0.0' } }, 'node_modules/pg-windows': {} },
        }),
      },
    ],
  },
  'locked-digests': {
    violating: [
      { 'package-lock.json': json({ packages: { 'node_modules/pg': {} } }) },
      { 'package-lock.json': json({ packages: { 'node_modules/pg': { integrity: 'sha1-x' } } }) },
      { 'package-lock.json': json({ packages: { 'node_modules/a/node_modules/pg': { integrity: 'sha512-x', hasInstallScript: true } } }) },
      { ...SCRIPTED, 'package.json': json({ allowScripts: { pg: true } }) },
      { ...SCRIPTED, 'package.json': json({ allowScripts: { sharp: false } }) },
    ],
    allowed: [
      { ...SCRIPTED, 'package.json': json({ allowScripts: { pg: false } }) },
      {
        'package-lock.json': json({
          packages: { '': { hasInstallScript: true }, client: {}, 'node_modules/client': { link: true }, 'node_modules/pg': { integrity: 'sha512-x' } },
        }),
      },
    ],
  },
  'documented-packages': {
    violating: [
      USED,
      { ...PINNED, 'docs/decisions/pg.md': '# `pg`\n' },
      { 'package.json': json({ dependencies: { lodash: '1.0.0' } }), 'src/x.ts': "import 'lodash/fp'", 'docs/decisions/x.md': '# `lodash`\n' },
      { 'package.json': json({ devDependencies: { typescript: '7.0.2' } }) },
    ],
    allowed: [
      { ...USED, 'docs/decisions/pg.md': '# `pg`\n' },
      { 'package.json': json({ devDependencies: { typescript: '7.0.2' } }), 'docs/decisions/tools.md': '# `typescript`\n' },
    ],
  },
}

testRules(PROJECT_RULES, CASES)

test('the project follows the rules', () => {
  const violations = checkProject(readTree())
  assert.equal(violations.length, 0, `\n${report(violations)}`)
})
