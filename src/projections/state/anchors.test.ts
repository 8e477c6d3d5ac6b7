import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DENSE_ANCHORS, surplusAnchors } from './anchors.ts'

/** The anchors that are left after a chain has grown ledger by ledger. */
function anchorsAfter(ledgers: number): number[] {
  let anchors: number[] = []
  for (let ledger = 1; ledger <= ledgers; ledger++) {
    anchors.push(ledger)
    if (ledger % 64 !== 0) continue
    const surplus = new Set(surplusAnchors(anchors, ledger))
    anchors = anchors.filter((anchor) => !surplus.has(anchor))
  }
  return anchors
}

test('keeps every recent anchor, and older ones at a distance that grows with their age', () => {
  const ledgers = 100_000
  const anchors = anchorsAfter(ledgers)
  assert.ok(anchors.length < 1_500, `${anchors.length} anchors`)
  assert.equal(anchors[0], 1, 'the oldest')
  assert.deepEqual(anchors.slice(-DENSE_ANCHORS), Array.from({ length: DENSE_ANCHORS }, (_, index) => ledgers - DENSE_ANCHORS + 1 + index))
  for (const [index, anchor] of anchors.entries()) {
    const distance = anchor - (anchors[index - 1] ?? anchor)
    assert.ok(distance <= 1 + (ledgers - anchor + distance) / 32, `${distance} ledgers before ${anchor}`)
  }
})
