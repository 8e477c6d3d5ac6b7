import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { readPage } from './markdown.ts'
import { PROJECT_ROOT } from '../support/program.ts'
import { configurationPage } from './configuration.ts'

const PAGE = 'docs/configuration.md'

test('docs/configuration.md matches the table of environment variables', () => {
  const expected = configurationPage()
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(PROJECT_ROOT + PAGE, expected)
  assert.equal(readPage(PAGE), expected, `${PAGE} is outdated. To update: UPDATE_GOLDEN=1 npm test -- test/docs/configuration.test.ts`)
})
