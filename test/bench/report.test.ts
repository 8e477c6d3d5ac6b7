// The verdict of a measurement: what is told of noisy rounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTable, meetsTarget, ratioOf } from '../../bench/support/report.ts'
import type { Target, Figure } from '../../bench/support/report.ts'

function figure(rounds: readonly (readonly [ours: number, peer: number])[], aim: Target): Figure {
  return { name: 'a figure', unit: 'requests/s', target: aim, rounds: rounds.map(([ours, peer]) => ({ ours, peer })) }
}

test('a ratio is the median of its rounds: one that was disturbed moves nothing, and slow rounds weigh no less than fast ones', () => {
  const disturbed = figure([[80, 100], [800, 1_000], [8, 10], [1, 2_000], [2, 3_000]], null)
  assert.equal(ratioOf(disturbed).median, 0.8)
})

test('an aim is kept at its border, on the side that it names', () => {
  const kept = (ours: number, peer: number, aim: Target): boolean => meetsTarget(figure([[ours, peer]], aim))
  assert.deepEqual([kept(7, 10, { atLeast: 0.7 }), kept(6, 10, { atLeast: 0.7 }), kept(9, 10, { atLeast: 0.7 })], [true, false, true])
  assert.deepEqual([kept(15, 10, { atMost: 1.5 }), kept(16, 10, { atMost: 1.5 }), kept(2, 10, { atMost: 1.5 })], [true, false, true])
  assert.equal(kept(1, 10, null), true)
})

test('the table names figure, aim and ratio, and says aloud what misses its aim', () => {
  const table = formatTable([figure([[6, 10]], { atLeast: 0.7 }), figure([[12, 10]], { atMost: 1.5 }), figure([[3, 10]], null)])
  const [, missed = '', kept = '', plain = ''] = table.split('\n')
  assert.match(missed, /^a figure +>= 0\.7 +0\.60 .*MISSED$/)
  assert.match(kept, /^a figure +<= 1\.5 +1\.20 .*kept$/)
  assert.match(plain, /^a figure +- +0\.30 .*requests\/s$/)
})
