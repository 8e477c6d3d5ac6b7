import type { SendOutcome } from '../chain.ts'
import type { MethodContext } from './method.ts'
import type { Params } from './params.ts'
import { optionalString, requireBase64 } from './params.ts'
import { invalidParams } from './rpc-error.ts'

/** sendTransaction (soroban-rpc, "sendTransaction"): the close time is a string. Only ERROR has a result and diagnostics. */
export function sendTransaction(context: MethodContext, params: Params): unknown {
  requireBase64(params)
  const { status, hash, errorResultXdr, diagnosticEventsXdr = [] } = submit(context, optionalString(params, 'transaction') ?? '')
  const latest = context.history.latest()
  return {
    ...(errorResultXdr === undefined ? {} : { errorResultXdr }),
    ...(diagnosticEventsXdr.length === 0 ? {} : { diagnosticEventsXdr }),
    status,
    hash,
    latestLedger: latest.sequence,
    latestLedgerCloseTime: String(latest.closeTimeSec),
  }
}

function submit({ chain }: MethodContext, envelopeXdr: string): SendOutcome {
  try {
    return chain.send(envelopeXdr)
  } catch (error) {
    if (error instanceof RangeError) throw invalidParams('invalid_xdr')
    throw error
  }
}
