// The golden schema: a change of the database's shape is seen in review, and both engines come to the same shape.

import { strict as assert } from 'node:assert'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import test from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { describeSchema } from '../../test/support/describe-schema.ts'

const GOLDEN = fileURLToPath(new URL('./schema.sql', import.meta.url))
const REFRESH = 'UPDATE_GOLDEN=1 npm test -- src/store/schema.test.ts'

test('the migrations lead to the schema of schema.sql', async () => {
  await using store = await openTestStore()
  const found = await describeSchema(store.read)
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(GOLDEN, found)
  const golden = await readFile(GOLDEN, 'utf8').catch(() => '')
  assert.equal(found, golden, `the ${store.engine} database's schema is not that of src/store/schema.sql. If the change is meant: ${REFRESH}`)
})
