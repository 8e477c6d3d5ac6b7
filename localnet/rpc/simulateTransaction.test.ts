import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChainFixture, rejectsWith } from './test-fixture.ts'

test('passes the params to the ledger and returns its result unchanged', async () => {
  const fake = createChainFixture()
  let seen: unknown
  fake.chain.simulate = (params) => {
    seen = params
    return { error: 'HostError: Error(Contract, #1)', latestLedger: 1 }
  }
  const params = { transaction: 'x', authMode: 'record', useUpgradedAuth: true, resourceConfig: { instructionLeeway: 5 }, more: 1 }
  assert.deepEqual(await fake.call('simulateTransaction', params), { error: 'HostError: Error(Contract, #1)', latestLedger: 1 })
  assert.deepEqual(seen, params)
})

test('only a parameter of the wrong type is a JSON-RPC error', async () => {
  const fake = createChainFixture()
  const wrong = [
    { transaction: 1 }, { authMode: 1 }, { useUpgradedAuth: 'yes' }, { resourceConfig: 1 }, { resourceConfig: { instructionLeeway: -1 } },
    { resourceConfig: { instructionLeeway: '5' } },
  ]
  for (const params of wrong) await rejectsWith(fake.rpc.call('simulateTransaction', params), -32602, /^invalid parameters: /)
  assert.equal((await fake.call('simulateTransaction', { transaction: null, resourceConfig: null }))['latestLedger'], 1)
})
