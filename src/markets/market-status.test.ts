import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseModeAt } from './market-status.ts'

test('a freeze counts as a halt from 259,200 s on; a halt stays', () => {
  const modeAfter = (pauseMode: number | null, seconds: number): number | null => pauseModeAt({ pauseMode, pausedSinceSec: 1_000 }, 1_000 + seconds)
  assert.deepEqual([modeAfter(2, 259_199), modeAfter(2, 259_200), modeAfter(1, 0), modeAfter(0, 259_200), modeAfter(null, 0)], [2, 1, 1, 0, null])
})
