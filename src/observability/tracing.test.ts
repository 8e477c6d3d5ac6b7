import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorType } from './tracing.ts'

test('a span names the kind of an error and never its message', () => {
  assert.equal(errorType(Object.assign(new RangeError('a secret'), { kind: 'timeout' })), 'RangeError timeout')
  assert.equal(errorType(new RangeError('a secret')), 'RangeError')
  assert.equal(errorType('a secret'), 'unknown')
})
