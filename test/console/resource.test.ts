// When the console reads something again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDue, READ_EVERY_MS } from '../../console/state/due.ts'
import type { ReadingState } from '../../console/state/due.ts'

const READ_MS = 1_000_000
const CURRENT: ReadingState = { readMs: READ_MS, problem: null, isFromBefore: false, isLive: true, isOutdated: false, isIncomplete: false }
const dueAfter = (changes: Partial<ReadingState>, ms: number): boolean => isDue({ ...CURRENT, ...changes }, READ_MS + ms)

test('content is read again every 15 s after events, and without any while parts of it are not known yet', () => {
  for (const changes of [{ isOutdated: true }, { isIncomplete: true }]) {
    assert.deepEqual([dueAfter(changes, READ_EVERY_MS - 1), dueAfter(changes, READ_EVERY_MS)], [false, true])
    assert.equal(dueAfter({ ...changes, isLive: false }, READ_EVERY_MS), false, 'not while the connection is lost')
  }
  assert.equal(dueAfter({}, 10 * READ_EVERY_MS), false, 'complete and current')
  assert.equal(dueAfter({ isFromBefore: true }, 0), true, 'the connection has returned')
})

test('a failed read is repeated when its wait is over, and at once when the gateway can be reached again', () => {
  const problem = { retryMs: READ_MS + 5_000, isUnreachable: false }
  assert.deepEqual([dueAfter({ problem }, 4_999), dueAfter({ problem }, 5_000)], [false, true])
  assert.equal(dueAfter({ problem, isFromBefore: true }, 0), false)
  assert.equal(dueAfter({ problem: { ...problem, isUnreachable: true }, isFromBefore: true }, 0), true)
})
