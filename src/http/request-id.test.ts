import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '../base/random.ts'
import { REQUEST_ID_MAX_LENGTH } from '../limits.ts'
import { createRequestIds } from './request-id.ts'

test('keeps a valid id of the client', () => {
  const idOf = createRequestIds(createSeededRandom('ids'))
  for (const own of ['a', '4f9c0d3e-6f1c-4b1e-9f55-0d6b1e4f4c11', 'Root=1-67891233-abcdef012345678912345678', 'x'.repeat(REQUEST_ID_MAX_LENGTH)]) {
    assert.equal(idOf({ 'x-request-id': own }), own)
  }
})

test('replaces ids that could break a log line or a header', () => {
  const idOf = createRequestIds(createSeededRandom('ids'))
  const invalid = ['', ' ', 'a b', 'a, b', '"quoted"', 'line\nbreak', '<script>', 'ümlaut', 'x'.repeat(REQUEST_ID_MAX_LENGTH + 1)]
  for (const value of invalid) assert.notEqual(idOf({ 'x-request-id': value }), value)
})

test('generates unique ids', () => {
  const idOf = createRequestIds(createSeededRandom('ids'))
  const ids = new Set(Array.from({ length: 1000 }, () => idOf({})))
  assert.equal(ids.size, 1000)
  for (const id of ids) assert.match(id, /^[0-9a-f]{12}-[0-9a-z]+$/)
})
