import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { repeatedHeader } from './single-headers.ts'

test('finds a repeated header in any case, and no other repetition', () => {
  assert.equal(repeatedHeader(['Host', 'a', 'accept', '*/*', 'HOST', 'b']), 'host')
  assert.equal(repeatedHeader(['authorization', 'Bearer 1', 'host', 'a', 'Authorization', 'Bearer 1']), 'authorization')
  assert.equal(repeatedHeader(['host', 'a', 'from', 'b', 'date', 'c', 'authorization', 'Bearer 1']), undefined, 'names of the same length')
  assert.equal(repeatedHeader(['host', 'host', 'from', 'host', 'cookie', 'a', 'cookie', 'b']), undefined, 'values, and headers that may be repeated')
})
