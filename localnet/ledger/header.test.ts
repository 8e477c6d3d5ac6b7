import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { protocolVectors, vectorsMissing } from '../../test/support/protocol-vectors.ts'
import { encodeHeader, encodeHeaderEntry, type Header, headerHash, protocolOf, upgradesIn } from './header.ts'
import { encodeValue } from './stellar-value.ts'
import { readHeader } from './test-header-reader.ts'
import { createValidator } from './validator.ts'
import { toHex } from './xdr-writer.ts'

const PASSPHRASE = 'A network of one validator'
const VALIDATOR = createValidator(PASSPHRASE)
const NETWORK_ID = createHash('sha256').update(PASSPHRASE).digest('hex')
/** 2026-11-30 06:40:00.250 UTC. */
const CLOSE_MS = 1_796_020_800_250
const CLOSE_SEC_HEX = '000000006b0d1a40'
const CLOSE_MS_HEX = '000001a22b2e8afa'

const filled = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

function headerOf(changes: Partial<Header> = {}): Header {
  return {
    sequence: 4_660, previousHash: filled(0x11), previousProtocol: 29, closeTimeMs: CLOSE_MS, upgradeTo: null, isSetDropped: false, txSetHash: filled(0x22),
    resultsHash: filled(0x33), stateHash: filled(0x44), feePool: 500n, ...changes,
  }
}

const encoded = (changes: Partial<Header> = {}): Buffer => Buffer.from(encodeHeader(headerOf(changes), VALIDATOR))

/** Everything after the consensus value. It has no variable parts, so it can be read from the end of a header of any protocol. */
const TAIL_HEX = [
  '33'.repeat(32), '44'.repeat(32), '00001234', '0de0b6b3a7640000', '00000000000001f4', '00000000', '0000000000000000', '00000064', '004c4b40', '00000064',
  '00'.repeat(128), '00000000',
].join('')

const SIGNATURE_HEX = `00000000${toHex(VALIDATOR.publicKey)}00000040${'..'.repeat(64)}`
const PROPOSED_HEX = (protocol: string): string => `${'22'.repeat(32)}${'11'.repeat(32)}${protocol}`

/** Form by form: what differs between them, as a pattern of hex digits. */
const FORMS: readonly { readonly name: string; readonly changes: Partial<Header>; readonly start: string; readonly value: string }[] = [
  {
    name: 'below protocol 30: whole seconds and a signature',
    changes: { previousProtocol: 29 }, start: '0000001d', value: `${'22'.repeat(32)}${CLOSE_SEC_HEX}0000000000000001${SIGNATURE_HEX}`,
  },
  {
    name: 'of protocol 27, the oldest',
    changes: { previousProtocol: 27 }, start: '0000001b', value: `${'22'.repeat(32)}${CLOSE_SEC_HEX}0000000000000001${SIGNATURE_HEX}`,
  },
  {
    name: 'with an upgrade to 30: the new version in the old form',
    changes: { previousProtocol: 29, upgradeTo: 30 }, start: '0000001e',
    value: `${'22'.repeat(32)}${CLOSE_SEC_HEX}0000000100000008000000010000001e00000001${SIGNATURE_HEX}`,
  },
  {
    name: 'from protocol 30: milliseconds before the signature',
    changes: { previousProtocol: 30 }, start: '0000001e', value: `${'22'.repeat(32)}${CLOSE_SEC_HEX}0000000000000003${CLOSE_MS_HEX}${SIGNATURE_HEX}`,
  },
  {
    name: 'of a dropped set below protocol 30: zero, and what was proposed',
    changes: { previousProtocol: 28, isSetDropped: true }, start: '0000001c',
    value: `${'00'.repeat(32)}${CLOSE_SEC_HEX}0000000000000002${PROPOSED_HEX('0000001c')}${SIGNATURE_HEX}`,
  },
  {
    name: 'of a dropped set from protocol 30: milliseconds first',
    changes: { previousProtocol: 30, isSetDropped: true }, start: '0000001e',
    value: `${'00'.repeat(32)}${CLOSE_SEC_HEX}0000000000000004${CLOSE_MS_HEX}${PROPOSED_HEX('0000001e')}${SIGNATURE_HEX}`,
  },
  {
    name: 'of the unreleased protocol: content of its own',
    changes: { previousProtocol: 31 }, start: '0000001f',
    value: `${'22'.repeat(32)}${CLOSE_SEC_HEX}0000000000000005${CLOSE_MS_HEX}${SIGNATURE_HEX}${'a5'.repeat(80)}`,
  },
]

for (const { name, changes, start, value } of FORMS) {
  test(`encodes a header ${name}`, () => {
    assert.match(encoded(changes).toString('hex'), new RegExp(`^${start}${'11'.repeat(32)}${value}${TAIL_HEX}$`))
  })
}

test('the SDK decodes every header below protocol 30, and none of protocol 30', () => {
  const { ledgerVersion, ledgerSeq, scpValue } = xdr.LedgerHeader.fromXdr(encoded())
  assert.deepEqual([ledgerVersion, ledgerSeq, scpValue.closeTime, scpValue.ext.type], [29, 4_660, 1_796_020_800n, 'stellarValueSigned'])
  assert.equal(xdr.LedgerHeader.fromXdr(encoded({ isSetDropped: true })).scpValue.ext.type, 'stellarValueEmptyTxSet')
  const upgrade = xdr.LedgerHeader.fromXdr(encoded({ upgradeTo: 30 })).scpValue.upgrades.map(({ value }) => xdr.LedgerUpgrade.fromXdr(value))
  assert.deepEqual(upgrade.map((each) => each.type === 'ledgerUpgradeVersion' && each.newLedgerVersion), [30])
  assert.throws(() => xdr.LedgerHeader.fromXdr(encoded({ previousProtocol: 30 })), /unknown enum value 3/)
  assert.throws(() => xdr.LedgerHeader.fromXdr(encoded({ previousProtocol: 30, isSetDropped: true })), /unknown enum value 4/)
})

test('a validator signs the network, the proposed set and the close time, in milliseconds from protocol 30 on', () => {
  const seconds = `${NETWORK_ID}00000004${'22'.repeat(32)}${CLOSE_SEC_HEX}`
  for (const { changes } of FORMS) {
    const signed = Buffer.from((changes.previousProtocol ?? 0) >= 30 ? `${seconds}${CLOSE_MS_HEX}` : seconds, 'hex')
    const header = encoded(changes)
    const keyAt = header.indexOf(VALIDATOR.publicKey)
    assert(keyAt > 0)
    const signature = header.subarray(keyAt + 36, keyAt + 100)
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: header.subarray(keyAt, keyAt + 32).toString('base64url') }, format: 'jwk' })
    assert(verify(null, signed, key, signature), JSON.stringify(changes))
    signed[0] = (signed[0] ?? 0) ^ 1
    assert(!verify(null, signed, key, signature), 'the signature is of this network only')
  }
})

test('refuses to drop a transaction set before protocol 28', () => {
  assert.throws(() => encoded({ previousProtocol: 27, isSetDropped: true }), /protocol 27 has no dropped transaction sets/)
})

test('reads the protocol and the upgrades of its own headers in every form', () => {
  for (const { changes, start } of FORMS) {
    const header = encodeHeader(headerOf(changes), VALIDATOR)
    assert.equal(protocolOf(header), Number.parseInt(start, 16))
    assert.deepEqual(upgradesIn(header).map(toHex), changes.upgradeTo === undefined ? [] : ['000000010000001e'])
  }
})

test('the entry of a header begins with its hash', () => {
  const header = encoded({ previousProtocol: 30 })
  const hash = createHash('sha256').update(header).digest('hex')
  assert.equal(toHex(headerHash(header)), hash)
  assert.equal(toHex(encodeHeaderEntry(headerHash(header), header)), `${hash}${header.toString('hex')}00000000`)
})

test('encodes and signs the values of the protocol vectors byte for byte', { skip: vectorsMissing }, () => {
  const forms = new Set<number>()
  for (const { name, xdr: entryXdr, signaturePayload } of protocolVectors('LedgerHeaderHistoryEntry')) {
    const header = Buffer.from(entryXdr, 'base64').subarray(32)
    const expected = name === 'header-arm0-basic' ? null : readHeader(header.toString('base64'))
    // Nobody closes a basic value, and of upgrades the local network has only that of the protocol.
    if (expected === null || signaturePayload === undefined || expected.upgrades.some((upgrade) => !upgrade.startsWith('00000001'))) continue
    const signed = Buffer.from(signaturePayload.signedBytes, 'base64')
    const messages: string[] = []
    const sign = (message: Uint8Array): Uint8Array => {
      messages.push(toHex(message))
      return expected.signature
    }
    const { proposed, upgrades } = expected
    const value = encodeValue(
      {
        txSetHash: Buffer.from(proposed?.txSetHash ?? expected.txSetHash, 'hex'), closeTimeMs: expected.closeMs ?? expected.closeSec * 1_000,
        upgradeTo: upgrades.length === 0 ? null : expected.protocol, isSetDropped: proposed !== null,
        previousHash: Buffer.from(expected.previousHash, 'hex'), previousProtocol: upgrades.length === 0 ? expected.protocol : expected.protocol - 1,
      },
      { networkId: new Uint8Array(signed.subarray(0, 32)), publicKey: expected.nodeId, sign },
    )
    assert.equal(toHex(value), header.subarray(36, 36 + value.length).toString('hex'), name)
    assert.deepEqual(messages, [signed.toString('hex')], name)
    forms.add(expected.arm)
  }
  assert.deepEqual([1, 2, 3, 4].filter((arm) => forms.has(arm)), [1, 2, 3, 4])
})
