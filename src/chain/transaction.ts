// Transactions: builds the unsigned transaction of a contract call, adds the results of its simulation, and decodes signed transactions. Nothing here signs or
// sees a private key.

import { hash } from 'node:crypto'
import { Address, StrKey, xdr } from '@stellar/stellar-sdk'

import type { SimulationResponse } from './responses.ts'
import { MalformedResponse } from './responses.ts'
import type { ScArgument } from './scval.ts'
import { toXdr } from './scval.ts'

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
  const data = decodeOr(() => xdr.SorobanTransactionData.fromXdr(simulation.transactionDataXdr ?? '', 'base64'), 'transactionData')
  const auth = result.authXdr.map((entry) => decodeOr(() => xdr.SorobanAuthorizationEntry.fromXdr(entry, 'base64'), 'auth'))
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

function decodeOr<T>(decode: () => T, what: string): T {
  try {
    return decode()
  } catch {
    throw new MalformedResponse(`${what} does not decode`)
  }
}

/** The base64 LedgerKey of an account (`G…`). */
export function accountKey(address: string): string {
  const accountId = xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(address))
  return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })).toXdr('base64')
}

/** The sequence number of an account's entry. Throws MalformedResponse for anything that is not an account. */
export function readAccountSequence(dataXdr: string): bigint {
  const data = decodeOr(() => xdr.LedgerEntryData.fromXdr(dataXdr, 'base64'), 'the account entry')
  if (data.type !== 'account') throw new MalformedResponse('the entry is not an account')
  return data.account.seqNum
}

/** Raised for an envelope that does not decode. */
export class MalformedEnvelope extends Error {
  override readonly name = 'MalformedEnvelope'
}

/** What the relay needs to know of a signed transaction. */
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
}

/** The sha256 of a network's passphrase, which is part of every signed payload. */
export function networkIdOf(passphrase: string): Uint8Array {
  return hash('sha256', passphrase, 'buffer')
}

/** A signed payload begins with the envelope type. V0 transactions are signed as if they were V1. */
const SIGNED_AS_TRANSACTION = Uint8Array.of(0, 0, 0, 2)
const KEY_TYPE_ED25519 = Uint8Array.of(0, 0, 0, 0)
const DISCRIMINANT_BYTES = 4

/**
 * Decodes a signed transaction: V0, V1 or a fee bump. Hashes the received bytes without encoding them again. Throws MalformedEnvelope. Cannot detect an
 * envelope that was signed for another network; only its signature would be invalid.
 */
export function decodeEnvelope(envelopeXdr: string, networkId: Uint8Array): SignedTransaction {
  const bytes = Buffer.from(envelopeXdr, 'base64')
  if (bytes.toString('base64') !== envelopeXdr) throw new MalformedEnvelope('not base64')
  try {
    const { tx, signed, prefix } = unwrapEnvelope(xdr.TransactionEnvelope.fromXdr(bytes))
    const body = bytes.subarray(prefix.length === 0 ? 0 : DISCRIMINANT_BYTES, bytes.length - signaturesLength(signed))
    const digest = hash('sha256', Buffer.concat([networkId, ...prefix, body]), 'hex')
    const call = invokedCall(tx.operations)
    return {
      hash: digest, envelopeXdr, source: sourceOf(tx), sequence: tx.seqNum, expiresAt: upperTimeBound(tx),
      contract: call?.contract ?? null, functionName: call?.functionName ?? null,
    }
  } catch (cause) {
    throw new MalformedEnvelope('not the XDR of a transaction envelope', { cause })
  }
}

export type AnyTransaction = xdr.Transaction | xdr.TransactionV0

/** The transaction, the outer signatures, and the prefix of the signed payload that the envelope's own bytes lack. */
export function unwrapEnvelope(decoded: xdr.TransactionEnvelope): {
  readonly tx: AnyTransaction
  readonly signed: readonly xdr.DecoratedSignature[]
  readonly prefix: readonly Uint8Array[]
} {
  if (decoded.type === 'envelopeTypeTx') return { tx: decoded.v1.tx, signed: decoded.v1.signatures, prefix: [] }
  if (decoded.type === 'envelopeTypeTxFeeBump') {
    return { tx: decoded.feeBump.tx.innerTx.v1.tx, signed: decoded.feeBump.signatures, prefix: [] }
  }
  return { tx: decoded.v0.tx, signed: decoded.v0.signatures, prefix: [SIGNED_AS_TRANSACTION, KEY_TYPE_ED25519] }
}

/** The number of bytes that signatures take at an envelope's end: their count, then for each its hint, its length and its padded bytes. */
function signaturesLength(signatures: readonly xdr.DecoratedSignature[]): number {
  let length = 4
  for (const { signature } of signatures) length += 4 + 4 + Math.ceil(signature.value.length / 4) * 4
  return length
}

/** The account whose sequence the transaction consumes. */
export function sourceOf(tx: AnyTransaction): string {
  if ('sourceAccountEd25519' in tx) return StrKey.encodeEd25519PublicKey(tx.sourceAccountEd25519.value)
  return accountOf(tx.sourceAccount)
}

/** The account (`G…`) of a muxed account. */
export function accountOf(account: xdr.MuxedAccount): string {
  const key = account.type === 'keyTypeEd25519' ? account.ed25519 : account.med25519.ed25519
  return StrKey.encodeEd25519PublicKey(key.value)
}

/** A bound beyond all dates counts as none. */
function upperTimeBound(tx: AnyTransaction): number | null {
  const timeBounds = 'cond' in tx ? timeBoundsOf(tx.cond) : tx.timeBounds
  const maxTime = timeBounds?.maxTime ?? 0n
  return maxTime === 0n || maxTime > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(maxTime)
}

function timeBoundsOf(cond: xdr.Preconditions): xdr.TimeBounds | null {
  if (cond.type === 'precondTime') return cond.timeBounds
  return cond.type === 'precondV2' ? cond.v2.timeBounds : null
}

function invokedCall(operations: readonly xdr.Operation[]): { readonly contract: string; readonly functionName: string } | null {
  for (const { body } of operations) {
    if (body.type !== 'invokeHostFunction') continue
    const { hostFunction } = body.invokeHostFunctionOp
    if (hostFunction.type !== 'hostFunctionTypeInvokeContract') continue
    const { contractAddress, functionName } = hostFunction.invokeContract
    return { contract: Address.fromScAddress(contractAddress).toString(), functionName: functionName.toString() }
  }
  return null
}
