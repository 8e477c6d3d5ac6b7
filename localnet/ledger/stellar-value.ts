// StellarValue: the part of a ledger's header that the validators agree on and sign. Its form depends on the protocol of the previous ledger, so the ledger
// that applies an upgrade still has the old form.

import { MILLISECONDS_SINCE } from '../../src/base/protocol.ts'
import { DROPPED_SETS_SINCE, UNRELEASED_PROTOCOL } from './protocol.ts'
import type { Validator } from './validator.ts'
import { encode, putArray, putBytes, putOpaque, putU32, putU64, type XdrWriter } from './xdr-writer.ts'

export interface LedgerValue {
  /** Of the transactions that were proposed. */
  readonly txSetHash: Uint8Array
  /** Unix milliseconds. Before protocol 30 only its seconds are written. */
  readonly closeTimeMs: number
  /** The protocol that this ledger upgrades the network to; null without an upgrade. */
  readonly upgradeTo: number | null
  /** True when the validators agreed to close the ledger without the proposed transactions. */
  readonly isSetDropped: boolean
  readonly previousHash: Uint8Array
  /** The protocol of the previous ledger. */
  readonly previousProtocol: number
}

/** The arms of StellarValue's extension. */
const ARM = { signed: 1, emptySet: 2, signedMs: 3, emptySetMs: 4, unreleased: 5 } as const

const ENVELOPE_TYPE_SCP_VALUE = 4
const UPGRADE_VERSION = 1
export const ZERO_HASH = new Uint8Array(32)
/** Bytes that the unreleased protocol adds to a value. */
const UNRELEASED_CONTENT = new Uint8Array(80).fill(0xa5)

/** StellarValue, signed by the validator. Throws RangeError for a dropped set before protocol 28. */
export function encodeValue(value: LedgerValue, validator: Validator): Uint8Array {
  const { isSetDropped, previousProtocol, txSetHash } = value
  if (isSetDropped && previousProtocol < DROPPED_SETS_SINCE) throw new RangeError(`protocol ${previousProtocol} has no dropped transaction sets`)
  const hasMs = previousProtocol >= MILLISECONDS_SINCE
  return encode((writer) => {
    putBytes(writer, isSetDropped ? ZERO_HASH : txSetHash)
    putU64(writer, closeTime(value))
    putArray(writer, upgradesOf(value))
    putU32(writer, armOf(value))
    if (hasMs) putU64(writer, BigInt(value.closeTimeMs))
    if (isSetDropped) {
      putBytes(writer, txSetHash)
      putBytes(writer, value.previousHash)
      putU32(writer, previousProtocol)
    }
    putSignature(writer, validator, signedBytes(value, validator.networkId))
    if (previousProtocol >= UNRELEASED_PROTOCOL) putBytes(writer, UNRELEASED_CONTENT)
  })
}

function armOf({ previousProtocol, isSetDropped }: LedgerValue): number {
  if (previousProtocol >= UNRELEASED_PROTOCOL) return ARM.unreleased
  if (previousProtocol >= MILLISECONDS_SINCE) return isSetDropped ? ARM.emptySetMs : ARM.signedMs
  return isSetDropped ? ARM.emptySet : ARM.signed
}

/** Unix seconds. */
function closeTime({ closeTimeMs }: LedgerValue): bigint {
  return BigInt(Math.floor(closeTimeMs / 1_000))
}

/** UpgradeType each: LedgerUpgrade as opaque bytes. */
function upgradesOf({ upgradeTo }: LedgerValue): readonly Uint8Array[] {
  return upgradeTo === null ? [] : [encode((writer) => putOpaque(writer, encodeUpgrade(upgradeTo)))]
}

/** LedgerUpgrade of the protocol version. */
function encodeUpgrade(protocol: number): Uint8Array {
  return encode((writer) => {
    putU32(writer, UPGRADE_VERSION)
    putU32(writer, protocol)
  })
}

/** The bytes that the validator signs, without hashing them: the transaction set is the proposed one, also when it was dropped. */
function signedBytes(value: LedgerValue, networkId: Uint8Array): Uint8Array {
  return encode((writer) => {
    putBytes(writer, networkId)
    putU32(writer, ENVELOPE_TYPE_SCP_VALUE)
    putBytes(writer, value.txSetHash)
    putU64(writer, closeTime(value))
    if (value.previousProtocol >= MILLISECONDS_SINCE) putU64(writer, BigInt(value.closeTimeMs))
  })
}

/** LedgerCloseValueSignature. */
function putSignature(writer: XdrWriter, { publicKey, sign }: Validator, message: Uint8Array): void {
  putU32(writer, 0)
  putBytes(writer, publicKey)
  putOpaque(writer, sign(message))
}
