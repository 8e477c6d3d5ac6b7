// Transaction envelopes: reading a prepared one, hashing it, and adding a signature.

import { concat, fromBase64, toBase64, toHex } from './bytes.ts'
import { sha256 } from './platform.ts'
import { decodeStrKey } from './strkey.ts'
import { createReader, MalformedXdr, readAccount, readAddress, readAuthorization, readCall, readValue, unsupported } from './xdr.ts'
import type { Authorization, ContractCall, Reader } from './xdr.ts'

/** The passphrase of Stellar's test network, which local networks use as well. */
export const TESTNET_PASSPHRASE = 'Test SDF Network ; September 2015'

/** An unsigned transaction with one contract call. */
export interface CallTransaction {
  /** The bytes that are hashed, signed and sent. */
  readonly bytes: Uint8Array
  /** The account that pays the fee and whose sequence number is used. */
  readonly source: string
  /** Stroops, including the resource fee. */
  readonly feeStroops: number
  readonly sequence: bigint
  /** Unix seconds; 0 means no bound. */
  readonly minTime: bigint
  readonly maxTime: bigint
  readonly call: ContractCall
  readonly authorizations: readonly Authorization[]
}

const ENVELOPE_TX = 2
const UNSIGNED = Uint8Array.of(0, 0, 0, 0)
const TX_AT = 4

/**
 * Reads an unsigned envelope with one contract call and nothing else: no memo, no preconditions except time bounds, no other operation, no authorization except
 * by its source account. Reads every byte. Throws MalformedXdr with the reason.
 */
export function readCallTransaction(envelopeXdr: string): CallTransaction {
  const data = decode(envelopeXdr)
  const reader = createReader(data)
  expectValue(reader.u32(), ENVELOPE_TX, 'envelope type')
  const source = readAccount(reader)
  const feeStroops = reader.u32()
  const sequence = BigInt.asIntN(64, reader.u64())
  expectValue(reader.u32(), 1, 'precondition type')
  const minTime = reader.u64()
  const maxTime = reader.u64()
  expectValue(reader.u32(), 0, 'memo type')
  expectValue(reader.u32(), 1, 'operation count')
  const operationSource = reader.optional(() => readAccount(reader))
  if (operationSource !== null && operationSource !== source) throw new MalformedXdr(`operation source is ${operationSource}`)
  expectValue(reader.u32(), 24, 'operation type')
  expectValue(reader.u32(), 0, 'host function type')
  const call = readCall(reader)
  const authorizations = reader.list(() => {
    expectSourceCredentials(reader.u32())
    return readAuthorization(reader)
  })
  expectValue(reader.u32(), 1, 'resource extension')
  readResources(reader)
  const bytes = data.subarray(TX_AT, reader.offset())
  expectValue(reader.u32(), 0, 'signature count')
  if (reader.remaining() !== 0) throw new MalformedXdr('trailing bytes')
  return { bytes, source, feeStroops, sequence, minTime, maxTime, call, authorizations }
}

function decode(envelopeXdr: string): Uint8Array {
  try {
    return fromBase64(envelopeXdr)
  } catch {
    throw new MalformedXdr('not base64')
  }
}

function expectValue(found: number, expected: number, what: string, because = ''): void {
  if (found !== expected) throw new MalformedXdr(`${what} is ${found}, expected ${expected}${because}`)
}

/** The newest type of credentials that this client can name. */
const CREDENTIALS_NEWEST = 3

/** Types 1 to 3 carry signatures of their own, with or without delegates. What they authorize can be submitted by anyone, so this client signs none of it. */
function expectSourceCredentials(kind: number): void {
  if (kind > CREDENTIALS_NEWEST) throw unsupported('authorization credential type', kind, CREDENTIALS_NEWEST)
  expectValue(kind, 0, 'authorization credential type', ' (the source account): this client signs transactions, not authorization entries')
}

/** The newest type of ledger keys. A call's footprint has accounts, trustlines, data and code of contracts. */
const LEDGER_KEY_NEWEST = 9

/** The resources of the call. They affect only the fee, which the transaction's own fee bounds. */
function readResources(reader: Reader): void {
  if (reader.u32() === 1) reader.list(() => reader.u32())
  // The read-only and the read-write footprint.
  for (let list = 0; list < 2; list++) reader.list(() => readLedgerKey(reader))
  // Instructions, bytes read, bytes written; then the resource fee.
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
  else throw unsupported('ledger key type', kind, LEDGER_KEY_NEWEST)
  return null
}

function readTrustline(reader: Reader): void {
  readAccount(reader)
  const asset = reader.u32()
  if (asset === 3) {
    reader.skip(32)
    return
  }
  if (asset !== 1 && asset !== 2) throw new MalformedXdr(`unsupported trustline asset type ${asset}`)
  reader.skip(asset === 1 ? 4 : 12)
  readAccount(reader)
}

/** The hash that is signed: of the network id, the envelope type and the transaction's bytes. */
export async function transactionHash(tx: Uint8Array, networkPassphrase: string): Promise<Uint8Array> {
  const networkId = await sha256(new TextEncoder().encode(networkPassphrase))
  return sha256(concat(networkId, Uint8Array.of(0, 0, 0, ENVELOPE_TX), tx))
}

const SIGNATURE_BYTES = 64

/** The envelope with one signature by `address`, base64. */
export function signedEnvelope(tx: Uint8Array, address: string, signature: Uint8Array): string {
  if (signature.length !== SIGNATURE_BYTES) throw new TypeError(`A signature has ${SIGNATURE_BYTES} bytes, not ${signature.length}.`)
  const hint = decodeStrKey('account', address).subarray(-4)
  return toBase64(concat(Uint8Array.of(0, 0, 0, ENVELOPE_TX, ...tx), Uint8Array.of(0, 0, 0, 1, ...hint), u32(SIGNATURE_BYTES), signature))
}

/** The envelope without a signature. */
export function unsignedEnvelope(tx: Uint8Array): string {
  return toBase64(concat(Uint8Array.of(0, 0, 0, ENVELOPE_TX), tx, UNSIGNED))
}

/** True if the envelope holds exactly this transaction. */
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
 * The transaction that a wallet signs to prove that it owns `address`. It writes the challenge into the account's data. No ledger accepts it, because its
 * sequence number is 0.
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
