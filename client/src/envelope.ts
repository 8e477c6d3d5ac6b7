// Transactions: reading the one that was prepared, its hash, and the envelope with a signature.

import { concat, fromBase64, toBase64, toHex } from './bytes.ts'
import { sha256 } from './platform.ts'
import { decodeStrKey } from './strkey.ts'
import { createReader, MalformedXdr, readAccount, readAddress, readAuthorization, readCall, readValue } from './xdr.ts'
import type { Authorization, ContractCall, Reader } from './xdr.ts'

/** The passphrase of Stellar's test network, which local networks use as well. */
export const TESTNET_PASSPHRASE = 'Test SDF Network ; September 2015'

/** An unsigned transaction that makes one contract call, as it was read. */
export interface CallTransaction {
  /** The bytes that are signed and sent. */
  readonly bytes: Uint8Array
  /** The account whose sequence number it uses and whose money pays. */
  readonly source: string
  /** Stroops, resources included. */
  readonly feeStroops: number
  readonly sequence: bigint
  /** Unix seconds; 0: no bound. */
  readonly minTime: bigint
  readonly maxTime: bigint
  readonly call: ContractCall
  readonly authorizations: readonly Authorization[]
}

const ENVELOPE_TX = 2
const UNSIGNED = Uint8Array.of(0, 0, 0, 0)
const TX_AT = 4

/**
 * Reads an unsigned envelope that holds one contract call and nothing else: no memo, no conditions but time bounds, no other operation, no authority but
 * that of its own source. Every byte is read. Throws MalformedXdr with what is in the way.
 */
export function readCallTransaction(envelopeXdr: string): CallTransaction {
  const data = decode(envelopeXdr)
  const reader = createReader(data)
  expectValue(reader.u32(), ENVELOPE_TX, 'the kind of envelope')
  const source = readAccount(reader)
  const feeStroops = reader.u32()
  const sequence = BigInt.asIntN(64, reader.u64())
  expectValue(reader.u32(), 1, 'the kind of its conditions')
  const minTime = reader.u64()
  const maxTime = reader.u64()
  expectValue(reader.u32(), 0, 'the kind of its memo')
  expectValue(reader.u32(), 1, 'how many operations it has')
  const operationSource = reader.optional(() => readAccount(reader))
  if (operationSource !== null && operationSource !== source) throw new MalformedXdr(`its operation is by ${operationSource}`)
  expectValue(reader.u32(), 24, 'the kind of its operation')
  expectValue(reader.u32(), 0, 'what its operation does')
  const call = readCall(reader)
  const authorizations = reader.list(() => {
    expectValue(reader.u32(), 0, 'whose authority it carries')
    return readAuthorization(reader)
  })
  expectValue(reader.u32(), 1, 'whether it has resources')
  readResources(reader)
  const bytes = data.subarray(TX_AT, reader.offset())
  expectValue(reader.u32(), 0, 'how many signatures it has')
  if (reader.remaining() !== 0) throw new MalformedXdr('something stands behind its end')
  return { bytes, source, feeStroops, sequence, minTime, maxTime, call, authorizations }
}

function decode(envelopeXdr: string): Uint8Array {
  try {
    return fromBase64(envelopeXdr)
  } catch {
    throw new MalformedXdr('it is not base64')
  }
}

function expectValue(found: number, expected: number, what: string): void {
  if (found !== expected) throw new MalformedXdr(`${what} is ${found}, not ${expected}`)
}

/** What the call reads, writes and may use up. It decides about nothing but the fee, and that is bounded by the transaction's own. */
function readResources(reader: Reader): void {
  if (reader.u32() === 1) reader.list(() => reader.u32())
  // What is read, and what is written.
  for (let list = 0; list < 2; list++) reader.list(() => readLedgerKey(reader))
  // Instructions, bytes read and bytes written; then the fee.
  for (let limit = 0; limit < 3; limit++) reader.u32()
  reader.u64()
}

function readLedgerKey(reader: Reader): null {
  const kind = reader.u32()
  if (kind === 0) readAccount(reader)
  else if (kind === 1) readTrustline(reader)
  else if (kind === 6) {
    readAddress(reader)
    readValue(reader)
    reader.u32()
  } else if (kind === 7) reader.skip(32)
  else throw new MalformedXdr(`a ledger key of kind ${kind}`)
  return null
}

function readTrustline(reader: Reader): void {
  readAccount(reader)
  const asset = reader.u32()
  if (asset === 3) {
    reader.skip(32)
    return
  }
  if (asset !== 1 && asset !== 2) throw new MalformedXdr(`a trustline of kind ${asset}`)
  reader.skip(asset === 1 ? 4 : 12)
  readAccount(reader)
}

/** What is signed: the hash of the network's name, the kind of envelope and the transaction's bytes. */
export async function transactionHash(tx: Uint8Array, networkPassphrase: string): Promise<Uint8Array> {
  const networkId = await sha256(new TextEncoder().encode(networkPassphrase))
  return sha256(concat(networkId, Uint8Array.of(0, 0, 0, ENVELOPE_TX), tx))
}

const SIGNATURE_BYTES = 64

/** The envelope with one signature by `address`, base64. */
export function signedEnvelope(tx: Uint8Array, address: string, signature: Uint8Array): string {
  if (signature.length !== SIGNATURE_BYTES) throw new TypeError(`a signature has ${SIGNATURE_BYTES} bytes, not ${signature.length}`)
  const hint = decodeStrKey('account', address).subarray(-4)
  return toBase64(concat(Uint8Array.of(0, 0, 0, ENVELOPE_TX, ...tx), Uint8Array.of(0, 0, 0, 1, ...hint), u32(SIGNATURE_BYTES), signature))
}

/** The same without a signature. */
export function unsignedEnvelope(tx: Uint8Array): string {
  return toBase64(concat(Uint8Array.of(0, 0, 0, ENVELOPE_TX), tx, UNSIGNED))
}

/** True when `envelopeXdr` is of the kind that was signed here, around exactly these bytes. */
export function containsTransaction(envelopeXdr: string, tx: Uint8Array): boolean {
  const head = toHex(concat(Uint8Array.of(0, 0, 0, ENVELOPE_TX), tx))
  try {
    return toHex(fromBase64(envelopeXdr)).startsWith(head)
  } catch {
    return false
  }
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

const CHALLENGE_NAME = new TextEncoder().encode('key ')
const CHALLENGE_NAME_LENGTH = 3

/**
 * The transaction that a wallet signs to prove that it is `address`: it writes the challenge into the account's data, and no ledger would ever take it,
 * because its sequence number is 0.
 */
export function challengeTransaction(address: string, challenge: Uint8Array): Uint8Array {
  const account = concat(u32(0), decodeStrKey('account', address))
  const name = CHALLENGE_NAME.slice()
  name[CHALLENGE_NAME_LENGTH] = 0
  return concat(
    account, u32(0), new Uint8Array(8), u32(1), new Uint8Array(16), u32(0),
    u32(1), u32(1), account, u32(10), u32(CHALLENGE_NAME_LENGTH), name, u32(1), u32(challenge.length), challenge,
    u32(0),
  )
}
