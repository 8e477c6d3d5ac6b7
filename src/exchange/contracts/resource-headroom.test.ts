// Resources, fees and price bounds of prepared transactions, worked by hand from the network's rates.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptablePrice } from '../price-bound.ts'
import { TEST_NETWORK_SETTINGS, withHeadroom } from './resource-headroom.ts'
import type { AddedEntries, DeclaredResources } from './resource-headroom.ts'
import type { TradeEffects } from '../settlement/trade-effects.ts'

const SIMULATED: DeclaredResources = { instructions: 1_000_000, diskReadBytes: 400, writeBytes: 1_000, resourceFee: 5_000n }
const NOTHING: AddedEntries = { entries: 0, writes: 0, nextIds: 0, created: 0, diskReads: 0, bytes: 0 }

test('declares a quarter more than simulated, room for longer lists, and the fee for it', () => {
  const { resourceFee, ...resources } = withHeadroom(SIMULATED, NOTHING, TEST_NETWORK_SETTINGS)
  assert.deepEqual(resources, { instructions: 1_250_000, diskReadBytes: 400 + 100 + 256, writeBytes: 1_000 + 250 + 1_536 })
  // Instructions 625, disk reads 621 (356 bytes), writes 6,105 (1,786 bytes), events 10,000, rent of one entry 373,334.
  assert.equal(resourceFee, 5_000n + 625n + 621n + 6_105n + 10_000n + 373_334n)
})

test('charges every added entry by what it may need', () => {
  const withEntries = (added: Partial<AddedEntries>): DeclaredResources => withHeadroom(SIMULATED, { ...NOTHING, ...added }, TEST_NETWORK_SETTINGS)
  const none = withEntries({})
  const more = (added: Partial<AddedEntries>): unknown => {
    const { instructions, diskReadBytes, writeBytes, resourceFee } = withEntries(added)
    return [instructions - none.instructions, diskReadBytes - none.diskReadBytes, writeBytes - none.writeBytes, resourceFee - none.resourceFee]
  }
  assert.deepEqual(more({ entries: 3 }), [60_000, 0, 0, 150n])
  assert.deepEqual(more({ writes: 2 }), [0, 0, 512, 20_000n + 1_750n])
  assert.deepEqual(more({ writes: 3, nextIds: 2 }), [0, 0, 256, 30_000n + 875n], 'at most one of the next ids is used')
  assert.deepEqual(more({ created: 1 }), [0, 0, 0, 373_334n])
  assert.deepEqual(more({ diskReads: 2 }), [0, 512, 0, 12_500n + 893n])
  assert.deepEqual(more({ bytes: 100 }), [0, 0, 0, 159n + 1_586n])
  assert.equal(withHeadroom(SIMULATED, NOTHING, TEST_NETWORK_SETTINGS, 100).instructions, 2_000_000)
})

test('declares no more than the network allows, and never less than simulated', () => {
  const { limits } = TEST_NETWORK_SETTINGS
  const large = withHeadroom({ ...SIMULATED, instructions: 350_000_000, writeBytes: 132_000, diskReadBytes: 199_999 }, NOTHING, TEST_NETWORK_SETTINGS)
  assert.deepEqual([large.instructions, large.writeBytes, large.diskReadBytes], [limits.instructions, limits.writeBytes, limits.diskReadBytes])
  const above = withHeadroom({ ...SIMULATED, instructions: 400_000_001, writeBytes: 132_097, diskReadBytes: 200_001 }, NOTHING, TEST_NETWORK_SETTINGS)
  assert.deepEqual([above.instructions, above.writeBytes, above.diskReadBytes], [400_000_001, 132_097, 200_001])
})

test('a tolerance bounds the price of a buy from above and of a sale from below, rounded toward the price', () => {
  const bound = (direction: number, closes: boolean, price: bigint | null = 100_001n): bigint | null => {
    const position = { direction } as unknown as TradeEffects['position']
    return acceptablePrice({ price, position: closes ? null : position, previous: closes ? position : null } as unknown as TradeEffects, 50)
  }
  // Half a percent of 100,001 is 500.005.
  assert.deepEqual([bound(0, false), bound(1, true)], [100_501n, 100_501n], 'opening a long and closing a short buy')
  assert.deepEqual([bound(1, false), bound(0, true)], [99_501n, 99_501n], 'opening a short and closing a long sell')
  assert.deepEqual([bound(0, false, 200_000n), bound(1, false, 200_000n)], [201_000n, 199_000n])
  assert.equal(bound(0, false, null), null)
  assert.equal(acceptablePrice({ price: 1n, position: null, previous: null } as unknown as TradeEffects, 50), null)
})
