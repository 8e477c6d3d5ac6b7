// Decodes transaction envelopes: v1, v0 and fee bumps (soroban-rpc, "Hashes").

import { xdr } from '@stellar/stellar-sdk'
import { accountAddress, sha256 } from './addresses.ts'
import type { FootprintKeys } from './footprint.ts'
import type { LedgerKey } from './keys.ts'
import type { HintedSignature } from './signatures.ts'
import { encode, putBytes, putU32, toBase64, toHex } from './xdr-writer.ts'

/** An account in an envelope; `muxed` is true when it has a multiplexed id. */
export interface MuxedAccount {
  /** `G…`. */
  readonly account: string
  readonly muxed: boolean
}

export interface Operation {
  /** The operation's source account, or the transaction's. */
  readonly source: string
  readonly muxed: boolean
  readonly body: xdr.OperationBody
}

/** Preconditions; 0 means unbounded. */
interface Preconditions {
  readonly minTimeSec: bigint
  readonly maxTimeSec: bigint
  readonly minLedger: number
  readonly maxLedger: number
  readonly minSeqNum: bigint | null
  readonly minSeqAgeSec: bigint
  readonly minSeqLedgerGap: number
  /** Addresses that must also have signed. Unsupported kinds of signers are ''. */
  readonly extraSigners: readonly string[]
}

/** SorobanTransactionData. */
export interface SorobanData {
  readonly footprint: FootprintKeys
  readonly instructions: number
  readonly diskReadBytes: number
  readonly writeBytes: number
  readonly resourceFee: bigint
  /** Indices into readWrite of entries to restore before the call. */
  readonly archivedIndices: readonly number[]
}

/** A transaction; for a fee bump, the inner one. */
export interface Transaction {
  /** Hex. */
  readonly hash: string
  /** The hash that the signatures cover. */
  readonly hashBytes: Uint8Array
  readonly source: MuxedAccount
  /** Stroops. */
  readonly fee: bigint
  readonly seqNum: bigint
  readonly preconditions: Preconditions
  readonly memo: xdr.Memo
  readonly operations: readonly Operation[]
  readonly soroban: SorobanData | null
  readonly signatures: readonly HintedSignature[]
}

interface FeeBump {
  readonly hashBytes: Uint8Array
  readonly source: MuxedAccount
  readonly fee: bigint
  readonly signatures: readonly HintedSignature[]
}

export interface Envelope {
  /** Hex; for a fee bump, the outer hash. */
  readonly hash: string
  readonly bytes: Uint8Array
  readonly transaction: Transaction
  readonly feeBump: FeeBump | null
}

/** EnvelopeType. */
const TYPE_TRANSACTION = 2
const TYPE_FEE_BUMP = 5

/** Decodes an envelope. Throws RangeError('invalid_xdr') when it does not decode. */
export function decodeEnvelope(envelopeXdr: string, networkId: Uint8Array): Envelope {
  try {
    return readEnvelope(xdr.TransactionEnvelope.fromXdr(envelopeXdr, 'base64'), networkId)
  } catch (cause) {
    throw new RangeError('invalid_xdr', { cause })
  }
}

function readEnvelope(decoded: xdr.TransactionEnvelope, networkId: Uint8Array): Envelope {
  const bytes = decoded.toXdr()
  if (decoded.type === 'envelopeTypeTxFeeBump') {
    const { tx, signatures } = decoded.feeBump
    const transaction = readTransaction(tx.innerTx.v1.tx, tx.innerTx.v1.signatures, networkId)
    const hashBytes = signedHash(networkId, TYPE_FEE_BUMP, tx.toXdr())
    const feeBump = { hashBytes, source: readMuxedAccount(tx.feeSource), fee: tx.fee, signatures: readSignatures(signatures) }
    return { hash: toHex(hashBytes), bytes, transaction, feeBump }
  }
  const v1 = decoded.type === 'envelopeTypeTx' ? decoded.v1 : upgradeV0(decoded.v0)
  const transaction = readTransaction(v1.tx, v1.signatures, networkId)
  return { hash: transaction.hash, bytes, transaction, feeBump: null }
}

/** A v0 transaction is a v1 transaction without the key type of its source account. */
function upgradeV0(v0: xdr.TransactionV0Envelope): xdr.TransactionV1Envelope {
  const bytes = encode((writer) => {
    putU32(writer, 0)
    putBytes(writer, v0.toXdr())
  })
  return xdr.TransactionV1Envelope.fromXdr(bytes)
}

function signedHash(networkId: Uint8Array, type: number, transactionXdr: Uint8Array): Uint8Array {
  return sha256(networkId, encode((writer) => putU32(writer, type)), transactionXdr)
}

function readTransaction(tx: xdr.Transaction, signatures: readonly xdr.DecoratedSignature[], networkId: Uint8Array): Transaction {
  const hashBytes = signedHash(networkId, TYPE_TRANSACTION, tx.toXdr())
  const source = readMuxedAccount(tx.sourceAccount)
  return {
    hash: toHex(hashBytes),
    hashBytes,
    source,
    fee: BigInt(tx.fee),
    seqNum: tx.seqNum,
    preconditions: readPreconditions(tx.cond),
    memo: tx.memo,
    operations: tx.operations.map((operation) => readOperation(operation, source)),
    soroban: tx.ext.type === 'sorobanData' ? readSorobanData(tx.ext.sorobanData) : null,
    signatures: readSignatures(signatures),
  }
}

export function readMuxedAccount(muxedAccount: xdr.MuxedAccount): MuxedAccount {
  if (muxedAccount.type === 'keyTypeEd25519') return { account: accountAddress(muxedAccount.ed25519.value), muxed: false }
  return { account: accountAddress(muxedAccount.med25519.ed25519.value), muxed: true }
}

function readOperation(operation: xdr.Operation, source: MuxedAccount): Operation {
  const operationSource = operation.sourceAccount === null ? null : readMuxedAccount(operation.sourceAccount)
  return { source: (operationSource ?? source).account, muxed: operationSource?.muxed ?? false, body: operation.body }
}

function readSignatures(signatures: readonly xdr.DecoratedSignature[]): readonly HintedSignature[] {
  return signatures.map(({ hint, signature }) => ({ hint: hint.value, signature: signature.value }))
}

const UNBOUNDED: Preconditions = {
  minTimeSec: 0n, maxTimeSec: 0n, minLedger: 0, maxLedger: 0, minSeqNum: null, minSeqAgeSec: 0n, minSeqLedgerGap: 0, extraSigners: [],
}

function readPreconditions(cond: xdr.Preconditions): Preconditions {
  if (cond.type === 'precondNone') return UNBOUNDED
  if (cond.type === 'precondTime') {
    return { ...UNBOUNDED, minTimeSec: cond.timeBounds.minTime, maxTimeSec: cond.timeBounds.maxTime }
  }
  const { timeBounds, ledgerBounds, minSeqNum, minSeqAge, minSeqLedgerGap, extraSigners } = cond.v2
  return {
    minTimeSec: timeBounds?.minTime ?? 0n,
    maxTimeSec: timeBounds?.maxTime ?? 0n,
    minLedger: ledgerBounds?.minLedger ?? 0,
    maxLedger: ledgerBounds?.maxLedger ?? 0,
    minSeqNum,
    minSeqAgeSec: minSeqAge,
    minSeqLedgerGap,
    extraSigners: extraSigners.map((signer) => (signer.type === 'signerKeyTypeEd25519' ? accountAddress(signer.ed25519.value) : '')),
  }
}

function readSorobanData(data: xdr.SorobanTransactionData): SorobanData {
  const { footprint, instructions, diskReadBytes, writeBytes } = data.resources
  return {
    footprint: { readOnly: footprint.readOnly.map(ledgerKey), readWrite: footprint.readWrite.map(ledgerKey) },
    instructions,
    diskReadBytes,
    writeBytes,
    resourceFee: data.resourceFee,
    archivedIndices: data.ext.type === 'resourceExt' ? data.ext.resourceExt.archivedSorobanEntries : [],
  }
}

const ledgerKey = (key: xdr.LedgerKey): LedgerKey => toBase64(key.toXdr())

const SOROBAN_OPERATIONS = new Set(['invokeHostFunction', 'extendFootprintTtl', 'restoreFootprint'])

export const isSorobanOperation = (operation: Operation): boolean => SOROBAN_OPERATIONS.has(operation.body.type)

export const isSoroban = (envelope: Envelope): boolean => envelope.transaction.operations.some(isSorobanOperation)

/** The account that pays the fee. */
export const feeSourceOf = (envelope: Envelope): string => (envelope.feeBump?.source ?? envelope.transaction.source).account

/** The maximum fee, stroops. */
export const feeOf = (envelope: Envelope): bigint => envelope.feeBump?.fee ?? envelope.transaction.fee

/** The resource fee in stroops; 0 for a classic transaction. */
export const resourceFeeOf = (envelope: Envelope): bigint => envelope.transaction.soroban?.resourceFee ?? 0n

/** The maximum inclusion fee, stroops. */
export const inclusionFeeOf = (envelope: Envelope): bigint => feeOf(envelope) - resourceFeeOf(envelope)

/** The operations that the inclusion fee pays for. A fee bump counts as one more. */
export const chargedOperations = (envelope: Envelope): number =>
  Math.max(1, envelope.transaction.operations.length) + (envelope.feeBump === null ? 0 : 1)

