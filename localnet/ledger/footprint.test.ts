import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { findUndeclaredEntry } from '../../src/chain/codec/applied-call.ts'
import { HostFailure, symbol, u32, u64, vec } from '../contracts/shared/host.ts'
import { createEnforcingFootprint, createRecordingFootprint, type Footprint } from './footprint.ts'
import { accountKey, contractDataKey, type LedgerKey } from './keys.ts'
import { ALICE, BOB, COUNTER, startTestChain } from './test-chain.ts'

const item = (number: bigint, contract = COUNTER): LedgerKey => contractDataKey(contract, 'persistent', vec(symbol('Item'), u64(number)))
const COUNTER_KEY = contractDataKey(COUNTER, 'persistent', vec(symbol('Counter')))

function assertRejected(access: () => void): void {
  assert.throws(access, (error: unknown) => error instanceof HostFailure && error.errorType === 'Storage' && error.errorCode === 'ExceededLimit')
}

const enforcing = (readOnly: readonly LedgerKey[], readWrite: readonly LedgerKey[]): Footprint => createEnforcingFootprint({ readOnly, readWrite })

test('records each key once, as read-write when written, sorted by bytes', () => {
  const keys = Array.from({ length: 256 }, (_, number) => contractDataKey(COUNTER, 'persistent', u32(number)))
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...keys), fc.boolean())), (accesses) => {
      const footprint = createRecordingFootprint()
      for (const [key, write] of accesses) footprint[write ? 'write' : 'read'](key)
      const { readOnly, readWrite } = footprint.keys()
      const written = new Set(accesses.filter(([, write]) => write).map(([key]) => key))
      assert.deepEqual(new Set(readWrite), written)
      assert.deepEqual(new Set(readOnly), new Set(accesses.map(([key]) => key).filter((key) => !written.has(key))))
      for (const list of [readOnly, readWrite]) {
        assert.deepEqual(list, list.toSorted((a, b) => Buffer.compare(Buffer.from(a, 'base64'), Buffer.from(b, 'base64'))))
      }
    }),
  )
})

test('allows reads of declared keys and writes of read-write keys', () => {
  const [alice, bob] = [accountKey(ALICE.publicKey()), accountKey(BOB.publicKey())]
  const footprint = enforcing([alice], [bob])
  footprint.read(alice)
  footprint.read(bob)
  footprint.write(bob)
  assertRejected(() => footprint.write(alice))
  assertRejected(() => footprint.read(COUNTER_KEY))
})

test('rejects another number than the declared one, which another call may use first', () => {
  assertRejected(() => enforcing([], [item(7n)]).write(item(8n)))
  assertRejected(() => enforcing([], [item(7n)]).read(item(8n)))
})

test('the second of two calls that were simulated with the same number fails, unless it declares the next number too', () => {
  using testChain = startTestChain()
  const [first, second] = [ALICE, BOB].map((source) => testChain.prepare(COUNTER, 'add_item', [], { source }))
  for (const call of [first, second]) testChain.send(call ?? assert.fail())
  testChain.close()
  assert.deepEqual([first, second].map((call) => testChain.recordOf(call ?? assert.fail()).status), ['SUCCESS', 'FAILED'])
  assert.equal(testChain.chain.entries([item(1n), item(2n), item(3n)]).length, 1)
  assert.equal(findUndeclaredEntry(testChain.recordOf(second ?? assert.fail()).diagnosticEventsXdr), item(2n), 'the diagnostic event names the entry')
})
