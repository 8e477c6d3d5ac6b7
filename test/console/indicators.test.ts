// Indicators of the chart, by known answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exponentialAverage, macd, relativeStrength, simpleAverage } from '../../console/trade/indicators.ts'

const rounded = (values: readonly (number | null)[], decimals: number): readonly (number | null)[] =>
  values.map((value) => (value === null ? null : Number(value.toFixed(decimals))))

test('a simple average is the mean of the last prices, exactly', () => {
  assert.deepEqual(simpleAverage([1, 2, 3, 4, 5, 6], 3), [null, null, 2, 3, 4, 5])
  assert.deepEqual(simpleAverage([7, 8], 1), [7, 8])
  assert.deepEqual(simpleAverage([1, 2], 3), [null, null])
  // A running sum would keep what the large price left behind.
  assert.deepEqual(simpleAverage([1e16, 0.1, 0.1, 0.1], 2).at(-1), 0.1)
})

/** The closes of the well-known example of ten-day averages by StockCharts' ChartSchool. */
const AVERAGE_EXAMPLE = [
  22.2734, 22.194, 22.0847, 22.1741, 22.184, 22.1344, 22.2337, 22.4323, 22.2436, 22.2933, 22.1542, 22.3926, 22.3816, 22.6109, 23.3558, 24.0519, 23.753,
  23.8324, 23.9516, 23.6338, 23.8225, 23.8722, 23.6537, 23.187, 23.0976, 23.326, 22.6805, 23.0976, 22.4025, 22.1725,
]

test('averages equal the published example of ten days', () => {
  const simple = rounded(simpleAverage(AVERAGE_EXAMPLE, 10), 2)
  const exponential = rounded(exponentialAverage(AVERAGE_EXAMPLE, 10), 2)
  assert.deepEqual(simple.slice(8, 14), [null, 22.22, 22.21, 22.23, 22.26, 22.31])
  assert.deepEqual(exponential.slice(8, 14), [null, 22.22, 22.21, 22.24, 22.27, 22.33])
  assert.deepEqual([simple.at(-1), exponential.at(-1)], [23.13, 22.92])
})

/** The closes of the well-known example of the RSI by StockCharts' ChartSchool, and its published values. */
const RSI_EXAMPLE = [
  44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931, 46.0328, 45.614, 46.282, 46.282, 46.0028, 46.0328,
  46.4116, 46.2222, 45.6439, 46.2122, 46.2521, 45.7137, 46.4515, 45.7835, 45.3548, 44.0288, 44.1783, 44.2181, 44.5672, 43.4205, 42.6628, 43.1314,
]
const RSI_PUBLISHED = [
  70.53, 66.32, 66.55, 69.41, 66.36, 57.97, 62.93, 63.26, 56.06, 62.38, 54.71, 50.42, 39.99, 41.46, 41.87, 45.46, 37.30, 33.08, 37.77,
]

test('the relative strength index equals the published example of 14 days, and is neutral without movement', () => {
  assert.deepEqual(rounded(relativeStrength(RSI_EXAMPLE, 14), 2), [...Array.from({ length: 14 }, () => null), ...RSI_PUBLISHED])
  assert.deepEqual(relativeStrength([5, 5, 5, 5], 2), [null, null, 50, 50])
  assert.deepEqual(relativeStrength([1, 2, 3, 4], 2), [null, null, 100, 100])
  assert.deepEqual(relativeStrength([4, 3, 2, 1], 2), [null, null, 0, 0])
})

test('the MACD is the difference of two averages, and its histogram the distance from its own average', () => {
  // Of a price that rises by 1, an average of n lags by (n - 1) / 2: here by 1 and by 2.
  const rising = Array.from({ length: 12 }, (_, index) => index)
  const { line, signal, histogram } = macd(rising, { fast: 3, slow: 5, signal: 2 })
  assert.deepEqual(line, [null, null, null, null, ...Array.from({ length: 8 }, () => 1)])
  assert.deepEqual(signal, [null, null, null, null, null, ...Array.from({ length: 7 }, () => 1)])
  assert.deepEqual(histogram, [null, null, null, null, null, ...Array.from({ length: 7 }, () => 0)])
  const jump = macd([0, 0, 0, 0, 0, 0, 16], { fast: 3, slow: 7, signal: 1 })
  // The fast one moves by a half, the slow one begins with the mean.
  assert.equal(jump.line.at(-1), 8 - 16 / 7)
})
