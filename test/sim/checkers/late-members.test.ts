// Planted violations: only a later frame of the same fill completes an earlier one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PublishedFrame } from '../process.ts'
import { withLateMembers } from './late-members.ts'

type Row = Readonly<Record<string, unknown>>

const frame = (seq: number, row: Row, more: object = {}): PublishedFrame =>
  ({ channel: 'account.orders.G', seq, prev: 0, data: { kind: 'fill', row, ...more } })
const rowsOf = (frames: readonly PublishedFrame[], unpublished: readonly PublishedFrame[] = []): Row[] =>
  withLateMembers(frames, unpublished).map(({ data }) => (data as { readonly row: Row }).row)

const EARLY = { seq: 5, positionId: 1, funding: null, pnl: '7' }
const COMPLETE = { seq: 5, positionId: 1, funding: '0', pnl: '7' }
const AGAIN = { again: true }

test('completes unknown members of a fill from its later frame', () => {
  assert.deepEqual(rowsOf([frame(5, EARLY), frame(9, COMPLETE, AGAIN)]), [COMPLETE, COMPLETE])
  assert.deepEqual(rowsOf([frame(5, EARLY)], [frame(9, COMPLETE, AGAIN)]), [COMPLETE])
})

for (const [name, frames, first] of [
  ['no later frame', [frame(5, EARLY)], EARLY],
  ['the later frame of another position', [frame(5, EARLY), frame(9, { ...COMPLETE, positionId: 2 }, AGAIN)], EARLY],
  ['the later frame of another event', [frame(5, EARLY), frame(9, { ...COMPLETE, seq: 6 }, AGAIN)], EARLY],
  ['a frame that does not say that it repeats one', [frame(5, EARLY), frame(9, COMPLETE)], EARLY],
  ['a known value that the later frame changes', [frame(5, { ...EARLY, pnl: '8' }), frame(9, COMPLETE, AGAIN)], { ...COMPLETE, pnl: '8' }],
] as const) {
  test(`does not hide ${name}`, () => {
    assert.deepEqual(rowsOf(frames)[0], first)
  })
}
