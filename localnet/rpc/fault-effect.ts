// The type of a fault's effect, which wraps a method and may change the request or the response, and its helpers.

import { TransactionBuilder } from '@stellar/stellar-sdk'
import type { FaultValues } from '../fault-kinds.ts'
import type { MethodContext } from './method.ts'
import type { Params } from './params.ts'

/** A call of a method. */
export interface Call {
  readonly method: string
  readonly context: MethodContext
  readonly params: Params
}

/** State of earlier calls that faults need. */
export interface FaultState {
  lastEventsPage: unknown
}

export type Fields = Readonly<Record<string, unknown>>
export type Next = (call: Call) => unknown
export type Effect = (call: Call, next: Next, values: FaultValues, memory: FaultState) => unknown

/** The fields of a response; none when it is not an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function withHistory(call: Call, history: MethodContext['history']): Call {
  return { ...call, context: { ...call.context, history } }
}

export function withParams(call: Call, params: Params): Call {
  return { ...call, params }
}

/** The ledger fields of a sendTransaction response. */
export function latestLedgerFields({ context }: Call): Fields {
  const latest = context.history.latest()
  return { latestLedger: latest.sequence, latestLedgerCloseTime: String(latest.closeTimeSec) }
}

/** The hash of the envelope that a call sends; undefined when it does not decode. */
export function envelopeHashOf({ context, params }: Call): string | undefined {
  try {
    const envelope = TransactionBuilder.fromXdr(String(params['transaction']), context.chain.networkPassphrase)
    return Buffer.from(envelope.hash()).toString('hex')
  } catch {
    return undefined
  }
}
