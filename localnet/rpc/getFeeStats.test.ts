import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChainFixture } from './test-fixture.ts'

const NAMES = ['max', 'min', 'mode', 'p10', 'p20', 'p30', 'p40', 'p50', 'p60', 'p70', 'p80', 'p90', 'p95', 'p99', 'transactionCount', 'ledgerCount']

test('a window without transactions is all zeros, as strings and one number', async () => {
  const fake = createChainFixture()
  const zeros = { ...Object.fromEntries(NAMES.map((name) => [name, '0'])), ledgerCount: 0 }
  assert.deepEqual(await fake.call('getFeeStats'), { sorobanInclusionFee: zeros, inclusionFee: zeros, latestLedger: 1 })
})

test('percentiles are nearest-rank, and the mode is the most frequent fee', async () => {
  const fake = createChainFixture()
  const fees = [100, 100, 100, 200, 300, 400, 500, 600, 700, 10_000]
  fake.chain.closeLedgerWith({ transactions: fees.map((inclusionFee) => ({ inclusionFee, soroban: true })) })
  const { sorobanInclusionFee } = await fake.call('getFeeStats')
  assert.deepEqual(sorobanInclusionFee, {
    max: '10000', min: '100', mode: '100', p10: '100', p20: '100', p30: '100', p40: '200', p50: '300', p60: '400', p70: '500', p80: '600', p90: '700',
    p95: '10000', p99: '10000', transactionCount: '10', ledgerCount: 2,
  })
})

test('the Soroban window is 50 ledgers, the classic one 10', async () => {
  const fake = createChainFixture()
  fake.chain.closeLedgerWith({ transactions: [{ inclusionFee: 1, soroban: true }, { inclusionFee: 1 }] })
  fake.chain.closeLedgerWith({ transactions: [{ inclusionFee: 2, soroban: true }, { inclusionFee: 2 }] })
  const counts = async (): Promise<unknown[]> => {
    const stats = (await fake.call('getFeeStats')) as Record<string, Record<string, unknown>>
    return [stats['sorobanInclusionFee']?.['transactionCount'], stats['inclusionFee']?.['transactionCount'], stats['inclusionFee']?.['min']]
  }
  while (fake.chain.history.latest().sequence < 12) fake.chain.closeLedgerWith()
  assert.deepEqual(await counts(), ['2', '1', '2'])
  while (fake.chain.history.latest().sequence < 52) fake.chain.closeLedgerWith()
  assert.deepEqual(await counts(), ['1', '0', '0'])
})
