// Checks that a node's record of a transaction is of the requested one, and that its parts agree with each other. A node can send any record for a hash: only
// the envelope is bound to it. The result has no signature, so other nodes must confirm it (agreed-transaction.ts).

import { hash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { META_MAX_LENGTH } from '../codec/entry-changes.ts'
import { NewerThanKnown } from '../codec/newer-than-known.ts'
import type { TransactionResponse } from './responses.ts'
import type { TransactionHashes } from '../codec/transaction.ts'
import { MalformedEnvelope, readHashes } from '../codec/transaction.ts'
import type { Decoded } from '../codec/xdr-reader.ts'
import { MalformedXdr, readXdr } from '../codec/xdr-reader.ts'

/** Codes of TransactionResult. */
const TX = { success: 0, feeBumpInnerSuccess: 1, feeBumpInnerFailed: -13 } as const
const SUCCESSES: ReadonlySet<number> = new Set([TX.success, TX.feeBumpInnerSuccess])
const FEE_BUMPS: ReadonlySet<number> = new Set([TX.feeBumpInnerSuccess, TX.feeBumpInnerFailed])
/** Offsets in a TransactionResult: after the fee its code; in a fee bump then the inner hash. */
const CODE_AT = 8
const INNER_HASH_AT = 12
const HASH_BYTES = 32
/** The start of the results of a single contract call that succeeded: one result, opINNER, INVOKE_HOST_FUNCTION, success. Then follows a hash. */
const CALL_RESULT = Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 0])

type Meta = Decoded<typeof xdr.TransactionMeta>
type ContractEvent = Decoded<typeof xdr.ContractEvent>

/**
 * Finds why a response of getTransaction cannot be of the transaction with this hash (64 hex digits, the outer or the inner one of a fee bump); null: it fits.
 * `networkId` is the SHA-256 of the passphrase. A part with a form of a later protocol is not compared.
 */
export function findMismatch(response: TransactionResponse, txHash: string, networkId: Uint8Array): string | null {
  if (response.status === 'NOT_FOUND') return null
  const { status, ledger, latestLedger, oldestLedger, envelopeXdr, resultXdr, metaXdr } = response
  if (ledger > latestLedger || (oldestLedger !== null && ledger < oldestLedger)) return 'its ledger is outside the range of the node'
  if (envelopeXdr === undefined || resultXdr === undefined) return 'it lacks the envelope or the result'
  const hashes = hashesOf(envelopeXdr, networkId)
  if (hashes === 'malformed') return 'its envelope is not XDR'
  if (hashes !== 'newer' && hashes.hash !== txHash && hashes.innerHash !== txHash) return 'its envelope is of another transaction'
  return mismatchOfResult(resultXdr, { isSuccess: status === 'SUCCESS', hashes }) ?? (metaXdr === undefined ? null : mismatchOfMeta(metaXdr, resultXdr, status))
}

function hashesOf(envelopeXdr: string, networkId: Uint8Array): TransactionHashes | 'newer' | 'malformed' {
  try {
    return readHashes(envelopeXdr, networkId)
  } catch (error) {
    if (error instanceof NewerThanKnown) return 'newer'
    if (error instanceof MalformedEnvelope) return 'malformed'
    throw error
  }
}

/** Reads the code only: what follows may be of a later protocol. */
function mismatchOfResult(
  resultXdr: string, { isSuccess, hashes }: { readonly isSuccess: boolean; readonly hashes: TransactionHashes | 'newer' },
): string | null {
  const bytes = Buffer.from(resultXdr, 'base64')
  if (bytes.length < CODE_AT + 4) return 'its result is not XDR'
  const code = bytes.readInt32BE(CODE_AT)
  if (SUCCESSES.has(code) !== isSuccess) return 'its result contradicts its status'
  if (hashes === 'newer') return null
  if (FEE_BUMPS.has(code) && hashes.innerHash === null) return 'its result is that of a fee bump'
  // A fee bump that fails before its inner transaction has a code of its own.
  if (code === TX.success && hashes.innerHash !== null) return 'its result is not that of a fee bump'
  if (!FEE_BUMPS.has(code)) return null
  const innerHash = bytes.subarray(INNER_HASH_AT, INNER_HASH_AT + HASH_BYTES).toString('hex')
  return innerHash === hashes.innerHash ? null : 'its result is of another inner transaction'
}

/** The result of a call contains the hash of its return value and events, and a failed transaction changes and emits nothing. */
function mismatchOfMeta(metaXdr: string, resultXdr: string, status: 'SUCCESS' | 'FAILED'): string | null {
  if (metaXdr.length > META_MAX_LENGTH) return null
  let meta: Meta
  try {
    meta = readXdr(xdr.TransactionMeta, metaXdr)
  } catch (error) {
    if (error instanceof NewerThanKnown) return null
    if (error instanceof MalformedXdr) return 'its meta is not XDR'
    throw error
  }
  const effects = effectsIn(meta)
  if (effects === null) return null
  if (status === 'FAILED') return effects.hasChanges || effects.events.length > 0 ? 'it failed, and its meta has effects' : null
  const bytes = Buffer.from(resultXdr, 'base64')
  const at = bytes.readInt32BE(CODE_AT) === TX.success ? INNER_HASH_AT : INNER_HASH_AT + HASH_BYTES + CODE_AT + 4
  const isCall = bytes.subarray(at, at + CALL_RESULT.length).equals(CALL_RESULT)
  if (!isCall || effects.returnValue === null) return null
  const expected = bytes.subarray(at + CALL_RESULT.length, at + CALL_RESULT.length + HASH_BYTES)
  const found = hash('sha256', Buffer.concat([effects.returnValue, uint32(effects.events.length), ...effects.events.map(encodeEvent)]), 'buffer')
  return expected.equals(found) ? null : 'its result is not that of its meta'
}

interface Effects {
  readonly hasChanges: boolean
  readonly events: readonly ContractEvent[]
  readonly returnValue: Buffer | null
}

/** Null for meta from before contracts. */
function effectsIn(meta: Meta): Effects | null {
  if (meta.v !== 3 && meta.v !== 4) return null
  const { operations, sorobanMeta } = meta.v === 3 ? meta.v3 : meta.v4
  const events = meta.v === 3 ? meta.v3.sorobanMeta?.events ?? [] : meta.v4.operations.flatMap((operation) => operation.events)
  return { hasChanges: operations.some(({ changes }) => changes.length > 0), events, returnValue: sorobanMeta?.returnValue?.raw ?? null }
}

function encodeEvent({ contractId, type, body }: ContractEvent): Buffer {
  const { topics, data } = body.v0
  const contract = contractId === null ? [uint32(0)] : [uint32(1), contractId]
  return Buffer.concat([uint32(0), ...contract, uint32(type), uint32(0), uint32(topics.length), ...topics.map(({ raw }) => raw), data.raw])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
