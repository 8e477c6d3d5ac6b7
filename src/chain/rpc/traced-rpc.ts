// Records a tracing span for each RPC call.

import type { Tracer } from '../../base/tracer.ts'
import type { Rpc, RpcClient } from './rpc.ts'

/** Wraps a client so that each call, with all its attempts, is one span. */
export function tracedRpc(rpc: RpcClient, tracer: Tracer): RpcClient {
  return { ...rpc, ...tracedMethods(rpc, tracer), session: () => tracedMethods(rpc.session(), tracer) }
}

function tracedMethods(rpc: Rpc, tracer: Tracer): Rpc {
  const call = <T>(method: string, work: () => Promise<T>): Promise<T> =>
    tracer.span(`rpc ${method}`, { 'rpc.system.name': 'jsonrpc', 'rpc.method': method }, work)
  return {
    endpoints: rpc.endpoints,
    ...(rpc.reportFault === undefined ? {} : { reportFault: rpc.reportFault }),
    ...(rpc.others === undefined ? {} : { others: rpc.others }),
    getHealth: (options) => call('getHealth', () => rpc.getHealth(options)),
    getNetwork: (options) => call('getNetwork', () => rpc.getNetwork(options)),
    getEvents: (request, options) => call('getEvents', () => rpc.getEvents(request, options)),
    getLedgers: (request, options) => call('getLedgers', () => rpc.getLedgers(request, options)),
    getLatestLedger: (options) => call('getLatestLedger', () => rpc.getLatestLedger(options)),
    getLedgerEntries: (keys, options) => call('getLedgerEntries', () => rpc.getLedgerEntries(keys, options)),
    simulateTransaction: (envelope, options) => call('simulateTransaction', () => rpc.simulateTransaction(envelope, options)),
    sendTransaction: (envelope, options) => call('sendTransaction', () => rpc.sendTransaction(envelope, options)),
    getTransaction: (hash, options) => call('getTransaction', () => rpc.getTransaction(hash, options)),
    getTransactions: (request, options) => call('getTransactions', () => rpc.getTransactions(request, options)),
  }
}
