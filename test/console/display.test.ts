// The display of each page in a browser test.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDisplayRotation, DISPLAY_NAMES, displayOf, selectedDisplay } from './display.ts'

test('six pages in a row get the six displays, from the named one on', () => {
  const next = createDisplayRotation('1024-light', null)
  const names = Array.from({ length: 7 }, () => next().name)
  assert.deepEqual([names[0], names[6], names.slice(0, 6).toSorted()], ['1024-light', '1024-light', DISPLAY_NAMES.toSorted()])
  assert.deepEqual(displayOf('390-light'), { name: '390-light', viewport: { width: 390, height: 844 }, colorScheme: 'light' })
})

test('TEST_DISPLAY selects one display for every page, and must name one of the six', () => {
  const next = createDisplayRotation('1024-light', selectedDisplay('390-dark'))
  assert.deepEqual([next().name, next().name], ['390-dark', '390-dark'])
  assert.deepEqual([selectedDisplay(''), selectedDisplay('1440-light')], [null, '1440-light'])
  assert.throws(() => selectedDisplay('1280-light'), /^AssertionError.*: TEST_DISPLAY must be one of 390-dark, 390-light, .*, not 1280-light$/)
})
