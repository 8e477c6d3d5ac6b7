// The README's table of the configuration. Its commands are run by first-five-minutes.test.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPage } from '../support/page.ts'

test('the table of the configuration lists the variables that are read, and no others', () => {
  const read = [...readPage('src/config.ts').matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|PORT|HOST|NETWORK|ROLE|CONSOLE|ALLOWLIST)'/g)].map(([, name]) => name)
  const told = readPage('README.md').split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name))
  assert.deepEqual(new Set(told), new Set(read))
})
