// The README's table of settings. first-five-minutes.test.ts runs its commands.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VARIABLES } from '../../src/config/variables.ts'
import { readPage } from '../support/page.ts'

test('the settings table lists every environment variable', () => {
  const listed = readPage('README.md').split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name))
  assert.deepEqual(new Set(listed), new Set(Object.keys(VARIABLES)))
})
