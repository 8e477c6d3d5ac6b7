import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { HostFailure, symbol, u32, u64, vec } from '../contracts/host.ts'
import { createEnforcingFootprint, createRecordingFootprint, type Footprint } from './footprint.ts'
import { accountKey, contractDataKey, type LedgerKey } from './keys.ts'
import { createLayer, type View } from './state.ts'
import { createLedgerEntry } from './ledger-entry.ts'
import { ALICE, BOB, CALLER, COUNTER, startTestChain } from './test-chain.ts'

const item = (number: bigint, contract = COUNTER): LedgerKey => contractDataKey(contract, 'persistent', vec(symbol('Item'), u64(number)))
const COUNTER_KEY = contractDataKey(COUNTER, 'persistent', vec(symbol('Counter')))

/** A view with entries at these keys. */
function viewWith(...keys: readonly LedgerKey[]): View {
  const layer = createLayer({ get: () => undefined })
  for (const key of keys) layer.put(key, createLedgerEntry({ kind: 'nonce', address: COUNTER, nonce: 1n }, 1, null))
  return layer
}

function assertRejected(access: () => void): void {
  assert.throws(access, (error: unknown) => error instanceof HostFailure && error.errorType === 'Storage' && error.errorCode === 'ExceededLimit')
}

const enforcing = (readOnly: readonly LedgerKey[], readWrite: readonly LedgerKey[], view = viewWith()): Footprint =>
  createEnforcingFootprint({ readOnly, readWrite }, view)

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

test('allows another number for each declared numbered key while the entry does not exist', () => {
  const footprint = enforcing([], [item(7n)], viewWith(item(6n)))
  footprint.write(item(9n))
  footprint.read(item(9n))
  assertRejected(() => footprint.write(item(10n)))
})

test('substitutes only new numbered keys of the same family for declared read-write keys', () => {
  assertRejected(() => enforcing([], [item(7n)], viewWith(item(8n))).write(item(8n)))
  assertRejected(() => enforcing([], [item(7n)]).write(item(8n, CALLER)))
  assertRejected(() => enforcing([], [item(7n)]).write(contractDataKey(COUNTER, 'persistent', vec(symbol('Other'), u64(8n)))))
  assertRejected(() => enforcing([], [item(7n)]).write(contractDataKey(COUNTER, 'temporary', vec(symbol('Item'), u64(8n)))))
  assertRejected(() => enforcing([item(7n)], []).read(item(8n)))
  assertRejected(() => enforcing([], [COUNTER_KEY]).write(item(8n)))
})

test('two calls simulated on the same ledger both get a number', () => {
  using testChain = startTestChain()
  const calls = [ALICE, BOB].map((source) => testChain.prepare(COUNTER, 'add_item', [], { source }))
  for (const call of calls) testChain.send(call)
  testChain.close()
  assert.deepEqual(calls.map((call) => testChain.recordOf(call).status), ['SUCCESS', 'SUCCESS'])
  assert.equal(testChain.chain.entries([item(1n), item(2n), item(3n)]).length, 2)
})
