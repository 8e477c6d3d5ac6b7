import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LookupFailed } from '../base/batched-lookup.ts'
import { TooManyWaiting } from '../base/semaphore.ts'
import { StatementTimeout } from '../store/store.ts'
import { ERROR_RULES } from './error-rules.ts'

test('a full queue counts as the gateway\'s failure only when the tasks of other callers fill it', () => {
  const isCallersDoing = (error: Error): boolean =>
    ERROR_RULES.find(({ matches }) => matches(error))?.toResponse(error).isCallersDoing === true
  for (const isOwnShare of [true, false]) {
    const full = new TooManyWaiting('full', isOwnShare)
    assert.equal(isCallersDoing(full), isOwnShare)
    assert.equal(isCallersDoing(new StatementTimeout('full', { cause: full })), isOwnShare)
  }
  assert.equal(isCallersDoing(new StatementTimeout('slow')), false)
})

test('a lookup that takes too long is unavailable data, with the time of a retry', () => {
  const error = new LookupFailed('the lookup timed out')
  assert.equal(ERROR_RULES.find(({ matches }) => matches(error))?.toResponse(error).status, 503)
})
