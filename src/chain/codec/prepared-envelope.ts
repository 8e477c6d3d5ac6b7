// Reads an assembled transaction back from its bytes, so that what the gateway says about it is what will be signed.

import { hash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'

import { MalformedResponse } from '../rpc/responses.ts'
import type { ScValue } from './scval.ts'
import { MalformedScVal, readScVal } from './scval.ts'
import type { InvokedCall, Operations } from './transaction.ts'
import { callOf, ENVELOPE, PRECONDITIONS } from './transaction.ts'
import type { Decoded, RawXdr } from './xdr-reader.ts'
import { readXdr } from './xdr-reader.ts'

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
  const { tx } = unsignedTransaction(readXdr(xdr.TransactionEnvelope, bytes))
  const { cond } = tx
  const invocation = readInvocation(tx.operations)
  if (invocation === undefined || cond.type !== PRECONDITIONS.time) throw new MalformedResponse('the transaction is not a contract call')
  return {
    hash: hash('sha256', Buffer.concat([networkId, bytes.subarray(0, bytes.length - NO_SIGNATURES_BYTES)]), 'hex'),
    maxTimeSec: Number(cond.timeBounds.maxTime),
    invocation,
  }
}

/** The contract call of a transaction; undefined when its first operation is none. */
export function readInvocation([operation]: Operations): Invocation | undefined {
  const call = operation === undefined ? null : callOf(operation)
  return call === null ? undefined : { ...call, args: readArguments(call) }
}

/** The arguments of a call. What cannot be read is of type `other`. */
export function readArguments({ args }: Pick<InvokedCall, 'args'>): readonly ScValue[] {
  return args.map(decodeArgument)
}

function unsignedTransaction(envelope: Decoded<typeof xdr.TransactionEnvelope>) {
  if (envelope.type !== ENVELOPE.tx || envelope.v1.signatures.length > 0) throw new MalformedResponse('the transaction is not an unsigned V1 envelope')
  return envelope.v1
}

function decodeArgument(value: RawXdr): ScValue {
  try {
    return readScVal(value)
  } catch (error) {
    if (error instanceof MalformedScVal) return { type: 'other', xdrType: 'nested too deeply' }
    throw error
  }
}
