import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SendOutcome } from '../chain.ts'
import { createChainFixture, fakeCloseTimeSec, rejectsWith } from './test-fixture.ts'

async function answerTo(outcome: SendOutcome): Promise<Record<string, unknown>> {
  const fake = createChainFixture()
  fake.chain.send = () => outcome
  return fake.call('sendTransaction', { transaction: 'x' })
}

const LEDGER = { latestLedger: 1, latestLedgerCloseTime: String(fakeCloseTimeSec(1)) }

test('only ERROR has a result and diagnostics', async () => {
  for (const status of ['PENDING', 'DUPLICATE', 'TRY_AGAIN_LATER'] as const) {
    assert.deepEqual(await answerTo({ status, hash: 'ab' }), { status, hash: 'ab', ...LEDGER })
  }
})

test('ERROR has a result, and diagnostics when there are any', async () => {
  const refusal = { status: 'ERROR', hash: 'ab', errorResultXdr: 'result' } as const
  assert.deepEqual(await answerTo({ ...refusal, diagnosticEventsXdr: [] }), { ...refusal, ...LEDGER })
  assert.deepEqual(await answerTo({ ...refusal, diagnosticEventsXdr: ['d'] }), { ...refusal, diagnosticEventsXdr: ['d'], ...LEDGER })
})

test('an envelope that does not decode or is not a string is -32602', async () => {
  const fake = createChainFixture()
  fake.chain.send = () => {
    throw new RangeError('invalid_xdr')
  }
  await rejectsWith(fake.rpc.call('sendTransaction', { transaction: 'AAAA' }), -32602, 'invalid_xdr')
  await rejectsWith(fake.rpc.call('sendTransaction', {}), -32602, 'invalid_xdr')
  await rejectsWith(fake.rpc.call('sendTransaction', { transaction: 4 }), -32602, 'invalid parameters: transaction must be a string')
})
