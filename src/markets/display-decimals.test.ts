import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayDecimals } from './display-decimals.ts'

test('a price is shown with six significant digits, with 2 to 7 decimals', () => {
  const prices = [92_344.0272485, 3_115.8, 141.28, 13.5, 2.31, 0.2682726, 0.0000123]
  assert.deepEqual(prices.map(displayDecimals), [2, 2, 3, 4, 5, 6, 7])
})

test('a price that is unknown, or zero, shows all its decimals', () => {
  assert.deepEqual([displayDecimals(undefined), displayDecimals(0)], [7, 6])
})
