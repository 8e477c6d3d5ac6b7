// Applies the node's faults to a call. Each fault wraps the method and may change the request or the response.

import type { TriggeredFault } from '../faults.ts'
import { RESPONSE_EFFECTS } from './response-faults.ts'
import type { Call, Effect, FaultState, Next } from './fault-effect.ts'
import { fieldsOf, envelopeHashOf, latestLedgerFields, withHistory, withParams } from './fault-effect.ts'
import { recentHistory, laggingHistory, delayedTransactions } from './history-views.ts'
import { RPC_CODES, RpcError } from './rpc-error.ts'

const NODE_TEXTS: Readonly<Record<number, (method: string) => string>> = {
  [-32001]: () => 'request exceeded processing limit threshold',
  [RPC_CODES.panic]: () => 'panic in the method',
  [-32098]: (method) => `rpc queue for ${method} surpassed queue limit of 1000 requests`,
}

const EFFECTS: Readonly<Record<string, Effect>> = {
  ...RESPONSE_EFFECTS,
  rpc_error(call, next, values) {
    if (values['executed'] === true) next(call)
    const code = Number(values['code'])
    throw new RpcError(code, String(values['message']) || (NODE_TEXTS[code]?.(call.method) ?? 'internal error'))
  },
  lagging(call, next, values) {
    const history = laggingHistory(call.context.history, Number(values['ledgers']))
    return asOfLedger(next(withHistory(call, history)), history.latest().sequence)
  },
  retention_cut: (call, next, values) => next(withHistory(call, recentHistory(call.context.history, Number(values['ledgers'])))),
  not_found: (call, next, values) => next(withHistory(call, delayedTransactions(call.context.history, Number(values['ledgers'])))),
  repeated_page: (call, next, _values, memory) => memory.lastEventsPage ?? next(call),
  cut_page(call, next, values) {
    const pagination = fieldsOf(call.params['pagination'])
    const requested = Number(pagination['limit'] ?? 0)
    const max = Number(values['events'])
    return next(withParams(call, { ...call.params, pagination: { ...pagination, limit: requested > 0 ? Math.min(requested, max) : max } }))
  },
  cursor_ignored(call, next) {
    const pagination = fieldsOf(call.params['pagination'])
    if (pagination['cursor'] === undefined || pagination['cursor'] === null) return next(call)
    const startLedger = call.context.history.oldest().sequence
    return next(withParams(call, { ...call.params, startLedger, pagination: { ...pagination, cursor: null } }))
  },
  get_transactions_cursor_zero(call, next) {
    const page = fieldsOf(next(call))
    return Array.isArray(page['transactions']) && page['transactions'].length === 0 ? { ...page, cursor: '0' } : page
  },
  preflight_queue_full: (call) => simulationFailure(call, 'preflight queue full'),
  resource_limit_exceeded: (call) => simulationFailure(call, 'HostError: Error(Budget, ExceededLimit)\n\nDebugInfo not available\n'),
  try_again_later(call, next, values) {
    const hash = values['executed'] === true ? fieldsOf(next(call))['hash'] : envelopeHashOf(call)
    return hash === undefined ? next(call) : { status: 'TRY_AGAIN_LATER', hash, ...latestLedgerFields(call) }
  },
  duplicate(call, next) {
    const response = fieldsOf(next(call))
    return response['status'] === 'PENDING' ? { ...response, status: 'DUPLICATE' } : response
  },
  invalid_status() {
    throw new RpcError(RPC_CODES.internalError, 'invalid status from stellar-core')
  },
  submission_lost(call, next, values) {
    if (values['executed'] === true) next(call)
    throw new RpcError(RPC_CODES.internalError, 'could not submit transaction to stellar-core')
  },
}

/** True for a fault that responds in JSON-RPC. */
export function isCallFault(fault: TriggeredFault): boolean {
  return EFFECTS[fault.name] !== undefined
}

/** Runs a call with the faults that affect it, the first armed outermost. Throws RpcError. */
export function callWithFaults(triggered: readonly TriggeredFault[], call: Call, memory: FaultState, run: Next): unknown {
  const [fault, ...rest] = triggered
  if (fault === undefined) {
    const response = run(call)
    if (call.method === 'getEvents') memory.lastEventsPage = response
    return response
  }
  const next: Next = (changed) => callWithFaults(rest, changed, memory, run)
  const effect = EFFECTS[fault.name]
  return effect === undefined ? next(call) : effect(call, next, fault.values, memory)
}

/** Methods that read the chain directly return the latest state. Their response must still report the ledger of the lagging node. */
function asOfLedger(response: unknown, latestLedger: number): unknown {
  const fields = fieldsOf(response)
  return Number(fields['latestLedger']) > latestLedger ? { ...fields, latestLedger } : response
}

function simulationFailure({ context }: Call, error: string): unknown {
  return { error, latestLedger: context.history.latest().sequence }
}

