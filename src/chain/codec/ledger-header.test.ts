import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeChain } from '../../../localnet/rpc/test-fixture.ts'
import { KNOWN_PROTOCOL } from '../../base/protocol.ts'
import { encodedHeader } from '../../../test/support/ledger-headers.ts'
import type { HeaderFields } from '../../../test/support/ledger-headers.ts'
import { protocolVectors, vectorsMissing } from '../../../test/support/protocol-vectors.ts'
import { decodeHeader, InvalidHeader, KNOWN_VALUE_FORMS } from './ledger-header.ts'
import { NewerThanKnown } from './newer-than-known.ts'
import { MalformedResponse, parseLedgers } from '../rpc/responses.ts'

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

const SECOND = 1_800_000_007
const UPGRADES = [Buffer.from([0, 0, 0, 1, 0, 0, 0, 30]), Buffer.from([1, 2, 3])]

for (const form of KNOWN_VALUE_FORMS) {
  for (const hasFlags of [false, true]) {
    for (const upgrades of [[], UPGRADES]) {
      test(`reads a header of form ${form} ${hasFlags ? 'with' : 'without'} flags and with ${upgrades.length} upgrades`, () => {
        const fields = { sequence: 4_242, protocol: 29, previousHash: 'ab'.repeat(32), closeSec: SECOND }
        const closeMs = SECOND * 1_000 + 999
        const { xdr, hash } = encodedHeader({ ...fields, closeMs, form, hasFlags, upgrades })
        assert.deepEqual(decodeHeader(xdr), { ...fields, hash, closeMs: form >= 3 ? closeMs : null, newer: null })
      })
    }
  }
}

/** Headers that a later protocol may have. */
const NEWER: readonly [what: string, fields: HeaderFields][] = [
  ['ledger value type 5', { sequence: 77, form: 5, value: Buffer.alloc(52, 9) }],
  ['ledger value type 5', { sequence: 77, form: 5, value: Buffer.alloc(0), hasFlags: true, upgrades: UPGRADES }],
  [`protocol ${KNOWN_PROTOCOL + 1}`, { sequence: 77, form: 3, protocol: KNOWN_PROTOCOL + 1 }],
]

for (const [what, fields] of NEWER) {
  test(`names a header with ${what}${fields.hasFlags === true ? ' and flags' : ''}, and counts its sequence from the end`, () => {
    const { xdr, hash } = encodedHeader(fields)
    const { sequence, hash: read, newer } = decodeHeader(xdr)
    assert.deepEqual([sequence, read, newer], [77, hash, { what, xdr }])
  })
}

test('a header of a later protocol whose sequence cannot be found is newer than the gateway, of a known one malformed', () => {
  const tail = Buffer.alloc(252, 5)
  const { xdr } = encodedHeader({ sequence: 0, form: 3, protocol: KNOWN_PROTOCOL + 1, tail })
  assert.throws(() => decodeHeader(xdr), (error) => error instanceof NewerThanKnown && error.xdr === xdr && error.what === 'ledger header of protocol 31')
  assert.throws(() => decodeHeader(encodedHeader({ sequence: 0, form: 5, value: Buffer.alloc(8), tail }).xdr), NewerThanKnown)
  assert.throws(() => decodeHeader(encodedHeader({ sequence: 0, form: 3, tail }).xdr), InvalidHeader)
})

test('a newer header does not excuse a wrong hash, or two close times that differ', () => {
  const { xdr } = encodedHeader({ sequence: 77, form: 5, value: Buffer.alloc(52, 9) })
  const altered = Buffer.from(xdr, 'base64')
  altered[100] = 1
  assert.throws(() => decodeHeader(altered.toString('base64')), InvalidHeader)
  assert.throws(() => decodeHeader(encodedHeader({ sequence: 77, form: 3, closeSec: SECOND, closeMs: SECOND * 1_000 + 1_000 }).xdr), InvalidHeader)
  assert.throws(() => decodeHeader(encodedHeader({ sequence: 77, form: 3, closeSec: Number.MAX_SAFE_INTEGER + 1 }).xdr), InvalidHeader)
})

test('a protocol that no database column takes is the fault of its node, whatever the form', () => {
  for (const form of [{ form: 3 }, { form: 5, value: Buffer.alloc(8) }]) {
    const headerOf = (protocol: number): string => encodedHeader({ sequence: 7, protocol, ...form }).xdr
    assert.equal(decodeHeader(headerOf(2 ** 31 - 1)).protocol, 2 ** 31 - 1)
    for (const protocol of [2 ** 31, 2 ** 32 - 1]) {
      assert.throws(() => decodeHeader(headerOf(protocol)), new InvalidHeader('the protocol of a ledger is out of range'))
    }
  }
})

test('reads the published vectors of every form', { skip: vectorsMissing }, () => {
  const vectors = protocolVectors('LedgerHeaderHistoryEntry')
  assert.equal(vectors.length, 8)
  for (const { name, xdr, expect: { arm: _arm, ...expected } } of vectors) {
    const { sequence, hash, previousHash, closeSec, closeMs, protocol, newer } = decodeHeader(xdr)
    assert.equal(newer, null, name)
    assert.deepEqual({ sequence, hash, previousHash, closeTime: closeSec, closeTimeMs: closeMs, ledgerVersion: protocol }, expected, name)
  }
})
