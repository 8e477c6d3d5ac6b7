// The golden schema: a review sees every change of the schema, and both engines have the same one.

import { strict as assert } from 'node:assert'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import test from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { describeSchema } from './test-describe-schema.ts'
import { describeTables } from './test-describe-tables.ts'
import { GOLDEN_COMMAND, UPDATES_GOLDEN } from '../../test/support/golden.ts'

const GOLDEN = fileURLToPath(new URL('./schema.sql', import.meta.url))
const TABLES = fileURLToPath(new URL('./tables.ts', import.meta.url))

test('the migrations produce the schema in schema.sql', async () => {
  await using store = await openTestStore({ newEngine: true })
  const found = await describeSchema(store.read)
  if (UPDATES_GOLDEN) await writeFile(GOLDEN, found)
  const golden = await readFile(GOLDEN, 'utf8').catch(() => '')
  assert.equal(found, golden, `the schema of the ${store.engine} database differs from src/store/schema.sql. If that is intended, run ${GOLDEN_COMMAND}`)
})

test('the tables of the code are those of the database', async () => {
  await using store = await openTestStore({ newEngine: true })
  const found = await describeTables(store.read)
  if (UPDATES_GOLDEN) await writeFile(TABLES, found)
  assert.equal(found, await readFile(TABLES, 'utf8').catch(() => ''), `src/store/tables.ts differs from the database. Run ${GOLDEN_COMMAND}`)
})
