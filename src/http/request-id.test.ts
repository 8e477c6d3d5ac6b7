import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '../base/random.ts'
import { REQUEST_ID_MAX_LENGTH } from '../limits.ts'
import { createRequestIds } from './request-id.ts'

test('keeps a client\'s own sane id', () => {
  const idOf = createRequestIds(createSeededRandom('ids'))
  for (const own of ['a', '4f9c0d3e-6f1c-4b1e-9f55-0d6b1e4f4c11', 'Root=1-67891233-abcdef012345678912345678', 'x'.repeat(REQUEST_ID_MAX_LENGTH)]) {
    assert.equal(idOf({ 'x-request-id': own }), own)
  }
})

test('replaces what could break a log line or a header', () => {
  const idOf = createRequestIds(createSeededRandom('ids'))
  const unfit = ['', ' ', 'a b', 'a, b', '"quoted"', 'line\nbreak', '<script>', 'ümlaut', 'x'.repeat(REQUEST_ID_MAX_LENGTH + 1)]
  for (const value of unfit) assert.notEqual(idOf({ 'x-request-id': value }), value)
})

test('new ids differ from each other', () => {
  const idOf = createRequestIds(createSeededRandom('ids'))
  const ids = new Set(Array.from({ length: 1000 }, () => idOf({})))
  assert.equal(ids.size, 1000)
  for (const id of ids) assert.match(id, /^[0-9a-f]{12}-[0-9a-z]+$/)
})
