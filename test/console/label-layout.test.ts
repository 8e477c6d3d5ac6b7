// The chart's labels: where they are when their lines and points are close to each other.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overlaps, placeLineLabels, placePointLabels } from '../../console/trade/label-layout.ts'
import type { LineLabel, Place, PointLabel, Size } from '../../console/trade/label-layout.ts'
import { fc } from '../support/fuzz.ts'

const AREA: Size = { width: 600, height: 300 }
const line = (y: number, height = 20): LineLabel => ({ y, width: 80, height })
const tops = (labels: readonly LineLabel[], area = AREA) => placeLineLabels(labels, area).map((place) => place?.top ?? null)

test('a label is centered on its line, and labels of close lines are shifted apart in the order of their lines', () => {
  assert.deepEqual(tops([line(100), line(200)]), [90, 190])
  assert.deepEqual(tops([line(100), line(100)]), [79, 101])
  assert.deepEqual(tops([line(104), line(100), line(102)]), [114, 70, 92], 'by price')
  assert.deepEqual(tops([line(100), line(110), line(200)]), [84, 106, 190], 'the distant one stays')
})

test('labels stay inside the chart', () => {
  assert.deepEqual(tops([line(2), line(4)]), [0, 22])
  assert.deepEqual(tops([line(299), line(300)]), [258, 280])
})

test('labels that do not fit in one column use several, and what does not fit at all is not shown', () => {
  const area = { width: 200, height: 64 }
  assert.deepEqual(placeLineLabels([10, 20, 30, 40].map((y) => line(y)), area).map((place) => place?.left), [4, 86, 4, 86])
  assert.deepEqual(tops(Array.from({ length: 8 }, () => line(10)), area).filter((top) => top === null).length, 2, 'three in each of two columns')
  assert.deepEqual(tops([line(10)], { width: 10, height: 300 }), [0], 'a chart narrower than a label')
  assert.deepEqual(tops([line(10)], { width: 100, height: 10 }), [null])
  assert.deepEqual(tops([]), [])
})

test('a label of a point is on its side of the point, and moves away from what is there', () => {
  const point: PointLabel = { x: 300, y: 150, width: 40, height: 20, isBelow: true }
  const entry = { left: 280, top: 160, width: 80, height: 20 }
  assert.deepEqual(placePointLabels([point], [], AREA), [{ left: 280, top: 164 }])
  assert.deepEqual(placePointLabels([{ ...point, isBelow: false }], [], AREA), [{ left: 280, top: 116 }])
  assert.deepEqual(placePointLabels([point], [entry], AREA), [{ left: 280, top: 116 }], 'on the other side')
  assert.deepEqual(placePointLabels([point, point, point], [], AREA), [{ left: 280, top: 164 }, { left: 280, top: 116 }, { left: 280, top: 186 }])
  assert.deepEqual(placePointLabels([point], [{ left: 0, top: 0, ...AREA }], AREA), [null], 'nowhere')
  assert.deepEqual(placePointLabels([{ ...point, x: 5 }, { ...point, x: 598, y: 299 }], [], AREA), [{ left: 0, top: 164 }, { left: 560, top: 265 }])
})

test('no label covers another, wherever lines and points are', () => {
  const size = { width: fc.integer({ min: 10, max: 150 }), height: fc.integer({ min: 10, max: 30 }) }
  const lines = fc.array(fc.record({ y: fc.integer({ min: 0, max: 300 }), ...size }), { maxLength: 40 })
  const point = fc.record({ x: fc.integer({ min: 0, max: 600 }), y: fc.integer({ min: 0, max: 300 }), isBelow: fc.boolean(), ...size })
  const points = fc.array(point, { maxLength: 40 })
  fc.assert(fc.property(lines, points, (lineLabels, pointLabels) => {
    const boxesOf = (labels: readonly Size[], places: readonly (Place | null)[]) =>
      places.flatMap((place, index) => (place === null ? [] : [{ ...place, width: labels[index]?.width ?? 0, height: labels[index]?.height ?? 0 }]))
    const lineBoxes = boxesOf(lineLabels, placeLineLabels(lineLabels, AREA))
    const boxes = [...lineBoxes, ...boxesOf(pointLabels, placePointLabels(pointLabels, lineBoxes, AREA))]
    for (const [index, box] of boxes.entries()) {
      assert.ok(boxes.slice(index + 1).every((other) => !overlaps(box, other)))
      assert.ok(box.top >= -1e-9 && box.top + box.height <= AREA.height + 1e-9)
    }
  }))
})
