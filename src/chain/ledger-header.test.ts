import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeChain } from '../../localnet/rpc/test-fixture.ts'
import { decodeHeader, InvalidHeader } from './ledger-header.ts'
import { MalformedResponse, parseLedgers } from './responses.ts'

/** Three ledgers in a response of getLedgers. */
function responseOf(change: (ledger: Record<string, unknown>) => Record<string, unknown> = (ledger) => ledger): object {
  const chain = createFakeChain()
  const ledgers = [1, 2, 3].map(() => chain.closeLedgerWith()).map(({ sequence, hash, closeTimeSec, headerEntryXdr }) =>
    change({ sequence, hash, ledgerCloseTime: String(closeTimeSec), headerXdr: headerEntryXdr }))
  return { ledgers, latestLedger: 3, latestLedgerCloseTime: 1, oldestLedger: 1, oldestLedgerCloseTime: 1 }
}

test('reads ledgers whose headers contain each other\'s hashes', () => {
  const { ledgers } = parseLedgers(responseOf())
  assert.deepEqual(ledgers.map(({ sequence }) => sequence), [1, 2, 3])
  assert.deepEqual(ledgers.slice(1).map(({ previousHash }) => previousHash), ledgers.slice(0, 2).map(({ hash }) => hash))
})

const LIES: readonly [what: string, change: (ledger: Record<string, unknown>) => Record<string, unknown>][] = [
  ['another sequence', (ledger) => ({ ...ledger, sequence: Number(ledger['sequence']) + 2_000_000_000 })],
  ['another close time', (ledger) => ({ ...ledger, ledgerCloseTime: '1900000000' })],
  ['another hash', (ledger) => ({ ...ledger, hash: 'ab'.repeat(32) })],
  ['no header', ({ headerXdr: _omitted, ...ledger }) => ledger],
  ['a truncated header', (ledger) => ({ ...ledger, headerXdr: String(ledger['headerXdr']).slice(0, 80) })],
  ['an altered header', (ledger) => ({ ...ledger, headerXdr: `${String(ledger['headerXdr']).slice(0, 90)}AAAA${String(ledger['headerXdr']).slice(94)}` })],
]

for (const [what, change] of LIES) {
  test(`rejects ledgers with ${what} as malformed`, () => {
    assert.throws(() => parseLedgers(responseOf(change)), MalformedResponse)
  })
}

/** Ledger 63800060 of the public network. */
const PUBLIC_HEADER = [
  'Jk2aVWrfXeDBoYe5ByflyUxTwdmHO2C0eLsSUAQZ2LIAAAAb9hCYMK8IFUG1QOhLDsKzLYBiRoTbseTMmBDeWyFnVpQiEx6ayG0KP1/mJITjOgChC6E3eIAE',
  'CdaV1DqsGukOdAAAAABqckb0AAAAAAAAAAEAAAAAiuaTWwB/jwu4y5iqKMSb0ASDkHYXLtWy4k4TKjkT8HEAAABA2NyUtc4nZN4+98OHE+7NSIFKV1yfFCYm',
  'iNjvUteRAUi29onZAGDAZg7xh/3goFZ4J1zIMd5WucSr7fM+AE0gBHg5u+6rLVOVXWM96+MSBj6tVv521hgfWa4E5qJP0msaOcomIiFUSZbcceCy4aodbkLq',
  '5rTB1VB+RGvP/Dsucq0DzYL8DqIes+x5W2EAAF2k7rfImgAAARYAAAAAbl3YaQAAAGQATEtAAAAD6O04aCBklbqxnmt9s7w8hRnAuxnp5IaaCD9DPSRzxu7Z',
  '3b8gZKEosMDh4vpVG6fAYCIP7N4bPua6gTpNRkYxAcFzo4KjK6j19661qeom1GQlc4SqyX3qR7/ag2d1qyxmoHHkEEaF8aGcIscVOo3sPo13aFgSSDkp4sHo',
  'bq4ImtTsAAAAAAAAAAA=',
].join('')

test('verifies the header of a ledger of the public network, which a validator signed', () => {
  assert.deepEqual(decodeHeader(PUBLIC_HEADER), {
    hash: '264d9a556adf5de0c1a187b90727e5c94c53c1d9873b60b478bb12500419d8b2',
    previousHash: 'f6109830af081541b540e84b0ec2b32d80624684dbb1e4cc9810de5b21675694',
    sequence: 63_800_060, closeSec: 1_785_874_164, closeMs: null, protocol: 27, newer: null,
  })
  assert.throws(() => decodeHeader('AAAA'), InvalidHeader)
})
