// Reads an assembled transaction back from its bytes, so that what the gateway says about it is what will be signed.

import { hash } from 'node:crypto'
import { Address, xdr } from '@stellar/stellar-sdk'

import { MalformedResponse } from './responses.ts'
import type { ScValue } from './scval.ts'
import { fromScVal, MalformedScVal } from './scval.ts'

export interface Invocation {
  /** `C…` */
  readonly contract: string
  readonly functionName: string
  readonly args: readonly ScValue[]
}

export interface PreparedEnvelope {
  /** Lower-case hex. */
  readonly hash: string
  /** Unix seconds; 0 without a limit. */
  readonly maxTimeSec: number
  readonly invocation: Invocation
}

/** Without signatures, an envelope ends with their count: four zero bytes. */
const NO_SIGNATURES_BYTES = 4

/** Reads an unsigned V1 envelope of one contract call. Throws MalformedResponse for anything else. */
export function readPreparedEnvelope(envelopeXdr: string, networkId: Uint8Array): PreparedEnvelope {
  const bytes = Buffer.from(envelopeXdr, 'base64')
  const { tx } = unsignedTransaction(bytes)
  const { cond } = tx
  const invocation = readInvocation(tx.operations)
  if (invocation === undefined || cond.type !== 'precondTime') throw new MalformedResponse('the transaction is not a contract call')
  return {
    hash: hash('sha256', Buffer.concat([networkId, bytes.subarray(0, bytes.length - NO_SIGNATURES_BYTES)]), 'hex'),
    maxTimeSec: Number(cond.timeBounds.maxTime),
    invocation,
  }
}

/** The contract call of a transaction; undefined when its first operation is none. */
export function readInvocation([operation]: readonly xdr.Operation[]): Invocation | undefined {
  if (operation?.body.type !== 'invokeHostFunction') return undefined
  const { hostFunction } = operation.body.invokeHostFunctionOp
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract') return undefined
  const { contractAddress, functionName, args } = hostFunction.invokeContract
  return { contract: Address.fromScAddress(contractAddress).toString(), functionName: functionName.toString(), args: args.map(decodeArgument) }
}

function unsignedTransaction(bytes: Uint8Array): xdr.TransactionV1Envelope {
  const envelope = xdr.TransactionEnvelope.fromXdr(bytes)
  if (envelope.type !== 'envelopeTypeTx' || envelope.v1.signatures.length > 0) throw new MalformedResponse('the transaction is not an unsigned V1 envelope')
  return envelope.v1
}

function decodeArgument(value: xdr.ScVal): ScValue {
  try {
    return fromScVal(value)
  } catch (error) {
    if (error instanceof MalformedScVal) return { type: 'other', xdrType: value.type }
    throw error
  }
}
