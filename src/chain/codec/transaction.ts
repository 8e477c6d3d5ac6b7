// Transactions: builds the unsigned transaction of a contract call, adds the results of its simulation, and decodes signed transactions. Nothing here signs or
// sees a private key.

import { hash } from 'node:crypto'
import { Address, StrKey, xdr } from '@stellar/stellar-sdk'

import { encodeAccount } from '../../base/strkey.ts'
import { textOfBytes } from '../../base/text.ts'
import { NewerThanKnown } from './newer-than-known.ts'
import type { SimulationResponse } from '../rpc/responses.ts'
import { MalformedResponse } from '../rpc/responses.ts'
import type { ScArgument } from './scval.ts'
import { readScAddress, toXdr } from './scval.ts'
import type { Decoded, RawXdr } from './xdr-reader.ts'
import { findNewer, readXdr } from './xdr-reader.ts'

/** The inclusion fee of a prepared transaction, in stroops: the network's minimum, which suffices in a ledger that is not full. */
export const BASE_FEE_STROOPS = 100

/** The largest fee that an envelope can hold. */
const FEE_MAX_STROOPS = 2n ** 32n - 1n

/** A contract call by its source account. */
export interface DraftCall {
  readonly source: xdr.MuxedAccount
  readonly func: xdr.HostFunction
}

/** Drafts the call of `functionName` on `contract` by the account `source` (`G…`). */
export function draftCall(call: { source: string; contract: string; functionName: string; args: readonly ScArgument[] }): DraftCall {
  return {
    source: xdr.MuxedAccount.keyTypeEd25519(StrKey.decodeEd25519PublicKey(call.source)),
    func: xdr.HostFunction.hostFunctionTypeInvokeContract(
      new xdr.InvokeContractArgs({
        contractAddress: new Address(call.contract).toScAddress(),
        functionName: call.functionName,
        args: call.args.map(toXdr),
      }),
    ),
  }
}

/** The base64 envelope to simulate. A simulation ignores sequence and time bounds, so they need not be known yet. */
export function simulationEnvelope(draft: DraftCall): string {
  return envelope(draft, { auth: [], fee: BASE_FEE_STROOPS, seqNum: 0n, maxTimeSec: 0n, ext: xdr.TransactionExt.v0() })
}

/** An assembled transaction, ready to be signed. */
export interface AssembledTransaction {
  /** Base64 envelope without signatures. */
  readonly envelopeXdr: string
  /** Stroops. The fee of the envelope is this plus BASE_FEE_STROOPS. */
  readonly resourceFee: bigint
}

/**
 * Assembles a transaction from its draft and its successful simulation: footprint, resources, resource fee and auth entries. `sequence` is the account's
 * current sequence. Throws MalformedResponse when the simulation is incomplete or does not decode.
 */
export function assembleTransaction(
  draft: DraftCall,
  parts: { readonly simulation: SimulationResponse; readonly sequence: bigint; readonly maxTimeSec: number },
): AssembledTransaction {
  const { simulation, sequence, maxTimeSec } = parts
  const [result] = simulation.results
  if (result === undefined || simulation.transactionDataXdr === null) throw new MalformedResponse('the simulation has no result or no transaction data')
  const data = decodeTransactionData(simulation.transactionDataXdr)
  const auth = result.authXdr.map((entry) =>
    decodePart(entry, 'auth', xdr.SorobanAuthorizationEntry, (base64) => xdr.SorobanAuthorizationEntry.fromXdr(base64, 'base64')))
  const { resourceFee } = data
  const fee = resourceFee + BigInt(BASE_FEE_STROOPS)
  if (resourceFee < 0n || fee > FEE_MAX_STROOPS) throw new MalformedResponse('resourceFee is out of range')
  const envelopeXdr = envelope(draft, {
    auth, fee: Number(fee), seqNum: sequence + 1n, maxTimeSec: BigInt(maxTimeSec), ext: xdr.TransactionExt.sorobanData(data),
  })
  return { envelopeXdr, resourceFee }
}

interface EnvelopeParts {
  readonly auth: xdr.SorobanAuthorizationEntry[]
  readonly fee: number
  readonly seqNum: bigint
  /** 0: no limit. */
  readonly maxTimeSec: bigint
  readonly ext: xdr.TransactionExt
}

function envelope({ source, func }: DraftCall, { auth, fee, seqNum, maxTimeSec, ext }: EnvelopeParts): string {
  const invocation = new xdr.InvokeHostFunctionOp({ hostFunction: func, auth })
  const tx = new xdr.Transaction({
    sourceAccount: source,
    fee,
    seqNum,
    cond: xdr.Preconditions.precondTime(new xdr.TimeBounds({ minTime: 0n, maxTime: maxTimeSec })),
    memo: xdr.Memo.memoNone(),
    operations: [new xdr.Operation({ sourceAccount: null, body: xdr.OperationBody.invokeHostFunction(invocation) })],
    ext,
  })
  return xdr.TransactionEnvelope.envelopeTypeTx(new xdr.TransactionV1Envelope({ tx, signatures: [] })).toXdr('base64')
}

/** Reads a part of a response with the SDK. Throws MalformedResponse, and NewerThanKnown for what a later protocol added. */
function decodePart<Value>(base64: string, what: string, type: { readonly schema: xdr.XdrType<unknown> }, decode: (base64: string) => Value): Value {
  try {
    return decode(base64)
  } catch {
    throw findNewer(type, base64) ?? new MalformedResponse(`${what} does not decode`)
  }
}

/** Reads SorobanTransactionData (base64); throws MalformedResponse and NewerThanKnown. */
export function decodeTransactionData(transactionDataXdr: string): xdr.SorobanTransactionData {
  return decodePart(transactionDataXdr, 'transactionData', xdr.SorobanTransactionData, (base64) => xdr.SorobanTransactionData.fromXdr(base64, 'base64'))
}

/** The base64 LedgerKey of an account (`G…`). */
export function accountKey(address: string): string {
  const accountId = xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(address))
  return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })).toXdr('base64')
}

/** The sequence number of an account's entry. Throws MalformedResponse for anything that is not an account. */
export function readAccountSequence(dataXdr: string): bigint {
  const data = decodePart(dataXdr, 'the account entry', xdr.LedgerEntryData, (base64) => xdr.LedgerEntryData.fromXdr(base64, 'base64'))
  if (data.type !== 'account') throw new MalformedResponse('the entry is not an account')
  return data.account.seqNum
}

/** Raised for an envelope that does not decode. */
export class MalformedEnvelope extends Error {
  override readonly name = 'MalformedEnvelope'
}

/** The properties of a signed transaction that the relay needs. */
export interface SignedTransaction {
  /** Lower-case hex, for this network; the outer hash of a fee bump. */
  readonly hash: string
  /** Base64. */
  readonly envelopeXdr: string
  /** The account whose sequence it consumes (`G…`), the inner one of a fee bump. */
  readonly source: string
  /** The sequence number that it consumes. */
  readonly sequence: bigint
  /** The upper time bound in Unix seconds; null when it never expires. */
  readonly expiresAt: number | null
  /** The contract that it calls (`C…`); null when it calls none. */
  readonly contract: string | null
  /** The function that it calls; null when it calls none. */
  readonly functionName: string | null
  /** The hash of the inner transaction of a fee bump; null for another transaction. */
  readonly innerHash: string | null
}

/** The sha256 of a network's passphrase, which is part of every signed payload. */
export function networkIdOf(passphrase: string): Uint8Array {
  return hash('sha256', passphrase, 'buffer')
}

/** A signed payload begins with the envelope type. V0 transactions are signed as if they were V1. */
const SIGNED_AS_TRANSACTION = Uint8Array.of(0, 0, 0, 2)
const KEY_TYPE_ED25519 = Uint8Array.of(0, 0, 0, 0)
const DISCRIMINANT_BYTES = 4
/** Of accounts, with their discriminant. */
const ED25519_BYTES = 36
const MUXED_BYTES = 44
const FEE_BYTES = 8

/** The hashes of an envelope for one network, lower-case hex. */
export interface TransactionHashes {
  /** The outer one of a fee bump. */
  readonly hash: string
  /** Null unless it is a fee bump. */
  readonly innerHash: string | null
}

/**
 * Decodes a signed transaction: V0, V1 or a fee bump. Hashes the received bytes without encoding them again. Throws MalformedEnvelope, and NewerThanKnown for
 * what a later protocol added. Cannot detect an envelope that was signed for another network; only its signature would be invalid.
 */
export function decodeEnvelope(envelopeXdr: string, networkId: Uint8Array): SignedTransaction {
  return readEnvelopeBytes(envelopeXdr, (bytes, decoded) => {
    const { tx } = unwrapEnvelope(decoded)
    const call = tx.operations.map(callOf).find((each) => each !== null)
    return {
      hash: outerHash(bytes, decoded, networkId), innerHash: innerHash(bytes, decoded, networkId), envelopeXdr,
      source: sourceOf(tx), sequence: tx.seqNum, expiresAt: upperTimeBound(tx),
      contract: call?.contract ?? null, functionName: call?.functionName ?? null,
    }
  })
}

/** Hashes an envelope. Throws as decodeEnvelope does. */
export function readHashes(envelopeXdr: string, networkId: Uint8Array): TransactionHashes {
  return readEnvelopeBytes(envelopeXdr, (bytes, decoded) => ({ hash: outerHash(bytes, decoded, networkId), innerHash: innerHash(bytes, decoded, networkId) }))
}

/**
 * The contract call of a transaction that has one operation, by its source account; null for any other transaction. Reads the inner one of a fee bump. Throws
 * as decodeEnvelope does.
 */
export function readSingleCall(envelopeXdr: string): (InvokedCall & { readonly source: string }) | null {
  return readEnvelopeBytes(envelopeXdr, (_bytes, decoded) => {
    const { tx } = unwrapEnvelope(decoded)
    const [operation, ...more] = tx.operations
    if (operation === undefined || more.length > 0) return null
    const source = sourceOf(tx)
    const call = operation.sourceAccount === null || accountOf(operation.sourceAccount) === source ? callOf(operation) : null
    return call === null ? null : { ...call, source }
  })
}

function readEnvelopeBytes<Result>(envelopeXdr: string, read: (bytes: Buffer, decoded: DecodedEnvelope) => Result): Result {
  const bytes = Buffer.from(envelopeXdr, 'base64')
  if (bytes.toString('base64') !== envelopeXdr) throw new MalformedEnvelope('not base64')
  try {
    return read(bytes, readXdr(xdr.TransactionEnvelope, bytes))
  } catch (cause) {
    if (cause instanceof NewerThanKnown) throw cause
    throw new MalformedEnvelope('not the XDR of a transaction envelope', { cause })
  }
}

function outerHash(bytes: Buffer, decoded: DecodedEnvelope, networkId: Uint8Array): string {
  const { signed, prefix } = unwrapEnvelope(decoded)
  const body = bytes.subarray(prefix.length === 0 ? 0 : DISCRIMINANT_BYTES, bytes.length - signaturesLength(signed))
  return hash('sha256', Buffer.concat([networkId, ...prefix, body]), 'hex')
}

/** The inner transaction of a fee bump is an envelope inside it, after the source and the fee, and before an extension point and the outer signatures. */
function innerHash(bytes: Buffer, decoded: DecodedEnvelope, networkId: Uint8Array): string | null {
  if (decoded.type !== ENVELOPE.feeBump) return null
  const { tx, signatures } = decoded.feeBump
  const start = DISCRIMINANT_BYTES + (tx.feeSource.type === KEY.ed25519 ? ED25519_BYTES : MUXED_BYTES) + FEE_BYTES
  const end = bytes.length - signaturesLength(signatures) - DISCRIMINANT_BYTES - signaturesLength(tx.innerTx.v1.signatures)
  return hash('sha256', Buffer.concat([networkId, bytes.subarray(start, end)]), 'hex')
}

/** The discriminants of XDR unions that are read here. */
export const ENVELOPE = { v0: 0, tx: 2, feeBump: 5 } as const
const KEY = { ed25519: 0, muxed: 0x100 } as const
export const PRECONDITIONS = { time: 1, v2: 2 } as const
const INVOKE_HOST_FUNCTION = 24
const INVOKE_CONTRACT = 0

type DecodedEnvelope = Decoded<typeof xdr.TransactionEnvelope>
type Arm<Type extends number> = Extract<DecodedEnvelope, { readonly type: Type }>
export type AnyTransaction = Arm<typeof ENVELOPE.tx>['v1']['tx'] | Arm<typeof ENVELOPE.v0>['v0']['tx']
type Signatures = Arm<typeof ENVELOPE.tx>['v1']['signatures']
export type Operations = AnyTransaction['operations']

/** The transaction, the outer signatures, and the prefix of the signed payload that the envelope's own bytes lack. */
export function unwrapEnvelope(decoded: DecodedEnvelope): {
  readonly tx: AnyTransaction
  readonly signed: Signatures
  readonly prefix: readonly Uint8Array[]
} {
  if (decoded.type === ENVELOPE.tx) return { tx: decoded.v1.tx, signed: decoded.v1.signatures, prefix: [] }
  if (decoded.type === ENVELOPE.feeBump) {
    return { tx: decoded.feeBump.tx.innerTx.v1.tx, signed: decoded.feeBump.signatures, prefix: [] }
  }
  return { tx: decoded.v0.tx, signed: decoded.v0.signatures, prefix: [SIGNED_AS_TRANSACTION, KEY_TYPE_ED25519] }
}

/** The number of bytes that signatures take at an envelope's end: their count, then for each its hint, its length and its padded bytes. */
function signaturesLength(signatures: Signatures): number {
  let length = 4
  for (const { signature } of signatures) length += 4 + 4 + Math.ceil(signature.length / 4) * 4
  return length
}

/** The account (`G…`) whose sequence the transaction consumes. */
export function sourceOf(tx: AnyTransaction): string {
  if ('sourceAccountEd25519' in tx) return encodeAccount(tx.sourceAccountEd25519)
  return accountOf(tx.sourceAccount)
}

function accountOf(account: Exclude<Operations[number]['sourceAccount'], null>): string {
  return encodeAccount(account.type === KEY.ed25519 ? account.ed25519 : account.med25519.ed25519)
}

/** A bound beyond all dates counts as none. */
function upperTimeBound(tx: AnyTransaction): number | null {
  const timeBounds = 'cond' in tx ? timeBoundsOf(tx.cond) : tx.timeBounds
  const maxTime = timeBounds?.maxTime ?? 0n
  return maxTime === 0n || maxTime > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(maxTime)
}

function timeBoundsOf(cond: Extract<AnyTransaction, { cond: unknown }>['cond']): { readonly maxTime: bigint } | null {
  if (cond.type === PRECONDITIONS.time) return cond.timeBounds
  return cond.type === PRECONDITIONS.v2 ? cond.v2.timeBounds : null
}

/** A contract call as a transaction has it. */
export interface InvokedCall {
  readonly contract: string
  readonly functionName: string
  readonly args: readonly RawXdr[]
}

/** The contract call of an operation; null for other operations. */
export function callOf({ body }: Operations[number]): InvokedCall | null {
  if (body.type !== INVOKE_HOST_FUNCTION) return null
  const { hostFunction } = body.invokeHostFunctionOp
  if (hostFunction.type !== INVOKE_CONTRACT) return null
  const { contractAddress, functionName, args } = hostFunction.invokeContract
  return { contract: readScAddress(contractAddress), functionName: textOfBytes(functionName), args }
}
