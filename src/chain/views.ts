// Contract views, read by simulating their call.

import { StrKey } from '@stellar/stellar-sdk'

import { RpcFailure } from './failure.ts'
import type { CallOptions } from './rpc-request.ts'
import type { Rpc } from './rpc.ts'
import type { ScArgument, ScValue } from './scval.ts'
import { decodeScVal, MalformedScVal } from './scval.ts'
import { draftCall, simulationEnvelope } from './transaction.ts'

/** Simulation looks at no account, so the source of a read may be one that nobody owns: the key of 32 zero bytes. */
export const NULL_ACCOUNT = StrKey.encodeEd25519PublicKey(new Uint8Array(32))

/** What a view returned, and at which ledger. */
export interface ViewResult {
  readonly value: ScValue
  readonly ledger: number
}

/**
 * Calls a view. Rejects with RpcFailure; kind `rpc` without a code means that the contract refused, and `detail` has its words.
 */
export async function readView(
  rpc: Rpc,
  view: { readonly contract: string; readonly functionName: string; readonly args: readonly ScArgument[] },
  options: CallOptions = {},
): Promise<ViewResult> {
  const answer = await rpc.simulateTransaction(simulationEnvelope(draftCall({ source: NULL_ACCOUNT, ...view })), options)
  const method = 'simulateTransaction'
  if (answer.error !== null) throw new RpcFailure({ method, kind: 'rpc', retryable: false, detail: answer.error })
  const returned = answer.results[0]?.returnValueXdr
  const value = returned === undefined ? undefined : decodeOrUndefined(returned)
  if (value === undefined) throw new RpcFailure({ method, kind: 'malformed', retryable: true, detail: `${view.functionName} returned nothing readable` })
  return { value, ledger: answer.latestLedger }
}

function decodeOrUndefined(base64: string): ScValue | undefined {
  try {
    return decodeScVal(base64)
  } catch (error) {
    if (error instanceof MalformedScVal) return undefined
    throw error
  }
}
