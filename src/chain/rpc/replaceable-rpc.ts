// An RPC client whose nodes can be replaced. Calls in progress end at the nodes at which they began.

import type { Rpc, RpcClient } from './rpc.ts'

export interface ReplaceableRpc extends RpcClient {
  /** All later calls go to these nodes. */
  replaceNodes(urls: readonly string[]): void
}

export function createReplaceableRpc(create: (urls: readonly string[]) => RpcClient, urls: readonly string[]): ReplaceableRpc {
  let client = create(urls)
  let replaced = new AbortController()
  // Not spread: `endpoints` is a getter.
  return Object.assign(delegating(() => client), {
    session(): Rpc {
      let of = client
      let session = of.session()
      return delegating(() => {
        if (of !== client) {
          of = client
          session = of.session()
        }
        return session
      })
    },
    async watch(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const ended = AbortSignal.any([signal, replaced.signal])
        await client.watch(ended)
      }
    },
    nodes: () => client.nodes(),
    queues: () => client.queues(),
    replaceNodes(next: readonly string[]): void {
      client = create(next)
      replaced.abort()
      replaced = new AbortController()
    },
  })
}

/** The methods of the client that `target` returns at each call. */
function delegating(target: () => Rpc): Rpc {
  return {
    get endpoints() {
      return target().endpoints
    },
    getHealth: (options) => target().getHealth(options),
    getNetwork: (options) => target().getNetwork(options),
    getEvents: (request, options) => target().getEvents(request, options),
    getLedgers: (request, options) => target().getLedgers(request, options),
    getLatestLedger: (options) => target().getLatestLedger(options),
    getLedgerEntries: (keysXdr, options) => target().getLedgerEntries(keysXdr, options),
    simulateTransaction: (envelopeXdr, options) => target().simulateTransaction(envelopeXdr, options),
    sendTransaction: (envelopeXdr, options) => target().sendTransaction(envelopeXdr, options),
    getTransaction: (hash, options) => target().getTransaction(hash, options),
    getTransactions: (request, options) => target().getTransactions(request, options),
    others: (besides) => target().others?.(besides) ?? [],
    reportFault: (fault, endpoint) => target().reportFault?.(fault, endpoint),
  }
}
