// Contract views, read by simulating a call.

import { StrKey } from '@stellar/stellar-sdk'

import { newerFailure, RpcFailure } from '../rpc/failure.ts'
import { NewerThanKnown } from '../codec/newer-than-known.ts'
import type { CallOptions } from '../rpc/rpc-request.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { ScArgument, ScValue } from '../codec/scval.ts'
import { decodeScVal, MalformedScVal } from '../codec/scval.ts'
import { draftCall, simulationEnvelope } from '../codec/transaction.ts'

/** The source of simulated reads: the key of 32 zero bytes. A simulation does not check the account. */
export const NULL_ACCOUNT = StrKey.encodeEd25519PublicKey(new Uint8Array(32))

/** The value that a view returned, and the ledger at which it was read. */
export interface ViewResult {
  readonly value: ScValue
  readonly ledger: number
}

/** `error` is the contract's or the host's; `value` is null when the result cannot be read. */
export interface SimulatedView {
  readonly value: ScValue | null
  readonly error: string | null
  readonly ledger: number
  readonly transactionDataXdr: string | null
}

/** Simulates a call by no account. Rejects with RpcFailure. */
export async function simulateView(
  rpc: Rpc, view: Parameters<typeof readView>[1], options: CallOptions = {},
): Promise<SimulatedView> {
  const envelope = simulationEnvelope(draftCall({ source: NULL_ACCOUNT, ...view }))
  const { error, results, latestLedger, transactionDataXdr } = await rpc.simulateTransaction(envelope, options)
  const returned = results[0]?.returnValueXdr
  const value = returned === undefined ? null : decodeOrNull(returned)
  return { value, error, ledger: latestLedger, transactionDataXdr }
}

/** Calls a view. Rejects with RpcFailure; kind `rpc` without a code means that the contract failed, and `detail` has its error. */
export async function readView(
  rpc: Rpc,
  view: { readonly contract: string; readonly functionName: string; readonly args: readonly ScArgument[] },
  options: CallOptions = {},
): Promise<ViewResult> {
  return viewResult(await simulateView(rpc, view, options), view.functionName)
}

/** The result of a simulated view. Throws as `readView` rejects. */
export function viewResult({ value, error, ledger }: SimulatedView, functionName: string): ViewResult {
  const method = 'simulateTransaction'
  if (error !== null) throw new RpcFailure({ method, kind: 'rpc', retryable: false, detail: error })
  if (value === null) throw new RpcFailure({ method, kind: 'malformed', retryable: true, detail: `${functionName} returned no readable value` })
  return { value, ledger }
}

/** As `readView`; null when the contract fails: it has no such view, or is not initialised. */
export async function viewOrNull(rpc: Rpc, view: Parameters<typeof readView>[1], options: CallOptions = {}): Promise<ViewResult | null> {
  try {
    return await readView(rpc, view, options)
  } catch (error) {
    if (error instanceof RpcFailure && error.kind === 'rpc' && !error.retryable) return null
    throw error
  }
}

function decodeOrNull(base64: string): ScValue | null {
  try {
    return decodeScVal(base64)
  } catch (error) {
    if (error instanceof MalformedScVal) return null
    throw error instanceof NewerThanKnown ? newerFailure('simulateTransaction', error) : error
  }
}
