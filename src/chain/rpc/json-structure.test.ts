import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findExcess } from './json-structure.ts'

test('finds text that is nested more than 16 levels deep', () => {
  assert.equal(findExcess('['.repeat(16) + ']'.repeat(16), 100), null)
  assert.match(findExcess('['.repeat(17), 100) ?? '', /^nested more than 16 levels/)
  assert.match(findExcess('{"a":'.repeat(17), 100) ?? '', /^nested/)
  assert.equal(findExcess('[[]'.repeat(5) + '{}'.repeat(50), 100), null, 'levels that were closed do not count')
})

test('counts brackets, commas and colons', () => {
  assert.equal(findExcess('[1,2,{"a":3}]', 5), null)
  assert.equal(findExcess('[1,2,{"a":3}]', 4), 'more than 4 values')
  assert.equal(findExcess('[1,2', 1), 'more than 1 values')
})

test('skips strings, whatever they contain', () => {
  assert.equal(findExcess(String.raw`"[[,,::{{"`, 0), null)
  assert.equal(findExcess(String.raw`"a\"[[,,"`, 0), null, 'an escaped quote does not end the string')
  assert.equal(findExcess(String.raw`["a\\",[`, 2), 'more than 2 values', 'an escaped backslash before the quote does not keep it open')
  assert.equal(findExcess(String.raw`"\\\"[["`, 0), null)
  assert.equal(findExcess('"[[[', 0), null, 'JSON.parse reports a string that does not end')
  assert.equal(findExcess('"","[","', 2), null)
  assert.equal(findExcess('"",[', 1), 'more than 1 values')
})
