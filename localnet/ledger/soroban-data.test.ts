import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { fc } from '../../test/support/fuzz.ts'
import { encodeSorobanData, withInstructionsMargin, withRefundableMargin, withSizeMargin } from './soroban-data.ts'
import { anyEntry } from './test-values.ts'
import { keyOf } from './keys.ts'

test('margins are a percentage with a minimum', () => {
  assert.deepEqual([100_000, 10_000_000].map((used) => withInstructionsMargin(used, 0)), [150_000, 10_400_000])
  assert.equal(withInstructionsMargin(10_000_000, 7), 10_400_007)
  assert.deepEqual([400, 20_000].map(withSizeMargin), [900, 22_000])
  assert.deepEqual([0n, 1n, 100n, 1_000n].map(withRefundableMargin), [0n, 2n, 115n, 1_150n])
})

test('the SDK decodes the encoded SorobanTransactionData', () => {
  const keys = fc.array(anyEntry.map(keyOf), { maxLength: 3 })
  const numbers = fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat())
  fc.assert(
    fc.property(keys, keys, numbers, fc.boolean(), (readOnly, readWrite, [instructions, diskReadBytes, writeBytes, fee], hasArchived) => {
      const archived = hasArchived ? readWrite.map((_, index) => index) : []
      const bytes = encodeSorobanData({
        footprint: { readOnly, readWrite }, instructions, diskReadBytes, writeBytes, resourceFee: BigInt(fee), archived,
      })
      const { ext, resources, resourceFee } = xdr.SorobanTransactionData.fromXdr(bytes)
      assert.deepEqual(resources.footprint.readOnly.map((key) => key.toXdr('base64')), readOnly)
      assert.deepEqual(resources.footprint.readWrite.map((key) => key.toXdr('base64')), readWrite)
      assert.deepEqual([resources.instructions, resources.diskReadBytes, resources.writeBytes], [instructions, diskReadBytes, writeBytes])
      assert.equal(resourceFee, BigInt(fee))
      assert.deepEqual(ext.type === 'resourceExt' ? ext.resourceExt.archivedSorobanEntries : [], archived)
    }),
  )
})
