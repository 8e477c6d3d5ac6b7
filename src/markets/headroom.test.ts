// The worked examples of the specification's "Headroom".

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { poolRooms, sideCapOf, sideRooms, smallestRoom } from './headroom.ts'
import type { AssetCaps, PoolFigures } from './headroom.ts'

const POOL: PoolFigures = { aum: 100_000n, reserved: 0n, usdcBalance: 1_000_000n, shortfallReserve: 0n, reserveBps: 7_000 }
const CAPS: AssetCaps = { sideBps: 2_500, sideAbsolute: 0n, skewBps: 1_000 }

test('a side that is past the skew cap has no room, and the other side may cross over to its own cap', () => {
  assert.deepEqual(smallestRoom(sideRooms(POOL, CAPS, { own: 18_000n, other: 6_000n })), { limit: 'skew', room: 0n })
  const short = sideRooms(POOL, CAPS, { own: 6_000n, other: 18_000n })
  assert.equal(short.find(({ limit }) => limit === 'skew')?.room, 24_000n)
  assert.deepEqual(smallestRoom(short), { limit: 'side', room: 19_000n })
})

test('reproduces the caps of the live snapshot', () => {
  const pool = { aum: 42_409_824_719_309n, reserved: 9_278_414_157_885n, usdcBalance: 42_726_688_413_650n, shortfallReserve: 0n, reserveBps: 7_000 }
  assert.equal(poolRooms(pool)[0].room, 20_408_463_145_631n)
  assert.equal(sideCapOf(pool.aum, { ...CAPS, skewBps: 1_500 }), 10_602_456_179_827n)
  assert.equal(smallestRoom(sideRooms(pool, { ...CAPS, skewBps: 1_500 }, { own: 0n, other: 0n })).room, 6_361_473_707_896n)
})

test('an absolute cap applies when it is lower, and of equal rooms the first one binds', () => {
  assert.equal(sideCapOf(100_000n, { ...CAPS, sideAbsolute: 9_000n }), 9_000n)
  assert.equal(sideCapOf(100_000n, { ...CAPS, sideAbsolute: 90_000n }), 25_000n)
  const even = { ...POOL, usdcBalance: 70_000n }
  assert.deepEqual(smallestRoom(poolRooms(even)), { limit: 'aggregate', room: 70_000n })
  assert.deepEqual(smallestRoom(poolRooms({ ...even, shortfallReserve: 1n })), { limit: 'liquidity', room: 69_999n })
  assert.deepEqual(smallestRoom(poolRooms({ ...POOL, reserved: 80_000n })), { limit: 'aggregate', room: 0n })
  const reserved = { ...POOL, usdcBalance: 30_000n, shortfallReserve: 4_000n, reserved: 20_000n }
  assert.deepEqual(smallestRoom(poolRooms(reserved)), { limit: 'liquidity', room: 6_000n })
})

test('without a skew limit only the other limits count', () => {
  const rooms = sideRooms(POOL, { ...CAPS, skewBps: null }, { own: 18_000n, other: 6_000n })
  assert.deepEqual(smallestRoom(rooms), { limit: 'side', room: 7_000n })
})
