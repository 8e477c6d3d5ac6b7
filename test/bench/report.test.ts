// The result of a measurement: how noisy rounds are reported.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTable, meetsTarget, ratioOf } from '../../bench/support/report.ts'
import type { Target, Figure } from '../../bench/support/report.ts'

function figure(rounds: readonly (readonly [ours: number, baseline: number])[], target: Target): Figure {
  return { name: 'a figure', unit: 'requests/s', target, rounds: rounds.map(([ours, baseline]) => ({ ours, baseline })) }
}

test('reports the median ratio of the rounds, so that outliers do not change it and slow rounds count like fast ones', () => {
  const noisy = figure([[80, 100], [800, 1_000], [8, 10], [1, 2_000], [2, 3_000]], null)
  assert.equal(ratioOf(noisy).median, 0.8)
})

test('meets a target exactly at its bound and on the allowed side of it', () => {
  const meets = (ours: number, baseline: number, target: Target): boolean => meetsTarget(figure([[ours, baseline]], target))
  assert.deepEqual([meets(7, 10, { min: 0.7 }), meets(6, 10, { min: 0.7 }), meets(9, 10, { min: 0.7 })], [true, false, true])
  assert.deepEqual([meets(15, 10, { max: 1.5 }), meets(16, 10, { max: 1.5 }), meets(2, 10, { max: 1.5 })], [true, false, true])
  assert.equal(meets(1, 10, null), true)
})

test('formats figure, target and ratio, and marks a missed target', () => {
  const table = formatTable([figure([[6, 10]], { min: 0.7 }), figure([[12, 10]], { max: 1.5 }), figure([[3, 10]], null)])
  const [, missed = '', met = '', plain = ''] = table.split('\n')
  assert.match(missed, /^a figure +>= 0\.7 +0\.60 .*MISSED$/)
  assert.match(met, /^a figure +<= 1\.5 +1\.20 .*met$/)
  assert.match(plain, /^a figure +- +0\.30 .*requests\/s$/)
})
