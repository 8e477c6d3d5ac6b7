import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { plain } from '../test-network.ts'
import { createAdjustments } from './adjustments.ts'
import { CROSS_MARGIN } from './stored-entries.ts'
import type { StoredPosition } from './stored-entries.ts'

const HELD_SEC = 1_000
const POSITION: StoredPosition = {
  id: 1n, trader: 'G', asset: 'BTC', direction: 0, marginMode: 0, collateral: 100n * ONE_E7, size: 400n * ONE_E7, leverage: 4, entryPrice: 100n * ONE_E7,
  entryCumulativeFunding: 0n, liquidationPrice: 76n * ONE_E7, openedAtSec: 0,
}

/** The adjustments of 200 such positions until their planned close, with the seconds at which they were due. */
function adjustmentsOf(position: Partial<StoredPosition> = {}): readonly (readonly [number, string, unknown])[] {
  const adjustments = createAdjustments(createSeededRandom('adjustments'))
  const positions = Array.from({ length: 200 }, (_value, index) => ({ ...POSITION, ...position, id: BigInt(index + 1) }))
  const calls: (readonly [number, string, unknown])[] = []
  for (let second = 0; second < HELD_SEC; second++) {
    adjustments.update(positions, () => HELD_SEC)
    for (let call = adjustments.takeDue(positions, second); call !== undefined; call = adjustments.takeDue(positions, second)) {
      const [, amount] = call.args.map(plain)
      calls.push([second, call.functionName, amount])
    }
  }
  return calls
}

test('adjusts some positions once each, within the middle of their time, by amounts that the market accepts', () => {
  const calls = adjustmentsOf()
  const byName = Map.groupBy(calls, ([, name, amount]) => `${name} ${String(amount)}`)
  assert.deepEqual([...byName.keys()].sort(), [
    `add_collateral ${5n * ONE_E7}`, `close_position_partial ${200n * ONE_E7}`, `remove_collateral ${5n * ONE_E7}`,
  ])
  assert.ok(calls.length > 60 && calls.length < 140, `${calls.length} of 200`)
  for (const [second] of calls) assert.ok(second >= 200 && second <= 800, `at ${second}`)
})

test('leaves cross positions alone, small ones whole, and the collateral of large leverage in place', () => {
  assert.deepEqual(adjustmentsOf({ marginMode: CROSS_MARGIN }), [])
  assert.ok(adjustmentsOf({ collateral: 15n * ONE_E7 }).every(([, name]) => name !== 'close_position_partial'))
  assert.ok(adjustmentsOf({ leverage: 10 }).every(([, name]) => name !== 'remove_collateral'))
})

test('gives some trades a bound against the trader, and leaves the others without one', () => {
  const adjustments = createAdjustments(createSeededRandom('bounds'))
  const call = { functionName: 'close_position', args: [] }
  const boundsOf = (buys: boolean): readonly bigint[] => Array.from({ length: 100 }, () => adjustments.withBound(call, { buys, price: 10_000n }))
    .flatMap(({ args }) => args.map((arg) => BigInt(String(plain(arg)))))
  const [above, below] = [boundsOf(true), boundsOf(false)]
  assert.ok(above.length > 10 && above.length < 60 && above.every((bound) => bound >= 10_050n && bound <= 10_300n), String(above))
  assert.ok(below.length > 10 && below.length < 60 && below.every((bound) => bound >= 9_700n && bound <= 9_950n), String(below))
})
