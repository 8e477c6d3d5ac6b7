import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStatementNames } from './statement-names.ts'

test('each text has one name, no two share one, and their number is limited', () => {
  const nameOf = createStatementNames(2)
  const first = nameOf('select 1')
  const second = nameOf('select 2')
  assert.ok(first !== undefined && second !== undefined && first !== second)
  assert.deepEqual(['select 3', 'select 2', 'select 1'].map(nameOf), [undefined, second, first])
})
