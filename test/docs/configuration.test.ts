import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { readPage } from './markdown.ts'
import { PROJECT_ROOT } from '../support/program.ts'
import { configurationPage } from './configuration.ts'
import { GOLDEN_COMMAND, UPDATES_GOLDEN } from '../support/golden.ts'

const PAGE = 'docs/configuration.md'

test('docs/configuration.md matches the table of environment variables', () => {
  const expected = configurationPage()
  if (UPDATES_GOLDEN) writeFileSync(PROJECT_ROOT + PAGE, expected)
  assert.equal(readPage(PAGE), expected, `${PAGE} is outdated. To update: ${GOLDEN_COMMAND}`)
})
