import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { eventsFee, nonRefundableFee, type RentChange, rentFee, type Resources } from './fees.ts'

const NOTHING: Resources = { instructions: 0, diskReadEntries: 0, writeEntries: 0, diskReadBytes: 0, writeBytes: 0, txBytes: 0 }
/** Even an empty envelope pays for storing its result: 300 bytes at 16,235 stroops per KiB. */
const RESULT_STROOPS = 4_757n

const resources = fc.record({
  instructions: fc.nat(400_000_000), diskReadEntries: fc.nat(200), writeEntries: fc.nat(200), diskReadBytes: fc.nat(200_000),
  writeBytes: fc.nat(132_096), txBytes: fc.nat(132_096),
})

test("charges each resource at the test network's rate, rounded up separately", () => {
  const costs = (change: Partial<Resources>) => nonRefundableFee({ ...NOTHING, ...change }) - RESULT_STROOPS
  assert.equal(costs({}), 0n)
  assert.equal(costs({ instructions: 10_000 }), 25n)
  assert.equal(costs({ instructions: 10_001 }), 26n)
  assert.equal(costs({ diskReadEntries: 2 }), 12_500n)
  assert.equal(costs({ writeEntries: 3 }), 30_000n)
  assert.equal(costs({ diskReadBytes: 1_024 }), 1_786n)
  assert.equal(costs({ writeBytes: 1_025 }), 3_504n)
  // Bandwidth and history.
  assert.equal(costs({ txBytes: 1_024 }), 1_624n + 16_235n)
  assert.equal(eventsFee(1_024), 10_000n)
  assert.equal(eventsFee(1), 10n)
})

test('declaring more of any resource never costs less', () => {
  fc.assert(
    fc.property(resources, resources, (some, more) => {
      const sum = Object.fromEntries(Object.entries(some).map(([name, value]) => [name, value + (more[name as keyof Resources] ?? 0)]))
      return nonRefundableFee(sum as unknown as Resources) >= nonRefundableFee(some)
    }),
  )
})

const NEW: RentChange = { persistent: true, oldBytes: 0, newBytes: 1_024, oldLedgers: 0, newLedgers: 1_215 }

test('rent of one KiB for 1,215 ledgers equals the write fee; temporary entries get twice as long', () => {
  assert.equal(rentFee([NEW]), 3_500n)
  assert.equal(rentFee([{ ...NEW, persistent: false }]), 1_750n)
})

test('unchanged size and TTL cost no rent, and shrinking refunds none', () => {
  const old = { ...NEW, oldBytes: 1_024, oldLedgers: 1_215 }
  assert.equal(rentFee([old]), 0n)
  assert.equal(rentFee([{ ...old, newBytes: 10, newLedgers: 1 }]), 0n)
  assert.equal(rentFee([{ ...old, newBytes: 2_048 }]), 3_500n, 'the growth, for the ledgers it already had')
  assert.equal(rentFee([{ ...old, newLedgers: 2_430 }]), 3_500n, 'its whole size, for the ledgers added')
})

test('extending in two steps costs the same as in one, except for rounding', () => {
  const ledgers = fc.integer({ min: 1, max: 500_000 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 65_536 }), ledgers, ledgers, (size, first, second) => {
      const entry = { persistent: true, oldBytes: size, newBytes: size }
      const steps =
        rentFee([{ ...entry, oldLedgers: 1, newLedgers: 1 + first }]) +
        rentFee([{ ...entry, oldLedgers: 1 + first, newLedgers: 1 + first + second }])
      const once = rentFee([{ ...entry, oldLedgers: 1, newLedgers: 1 + first + second }])
      return steps - once >= 0n && steps - once <= 1n
    }),
  )
})
