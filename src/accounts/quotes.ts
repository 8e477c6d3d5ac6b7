// Prices and the close time of the ledger that an account was read at.

import type { Clock } from '../base/clock.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import { readShimPrice } from '../chain/views/prices.ts'
import type { ShimPrice } from '../chain/views/prices.ts'
import type { CallOptions } from '../chain/rpc/rpc-request.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { ACCOUNT_CACHE_MS } from '../limits.ts'
import type { Quote } from './state.ts'

/** Options that the calls of one read share: its deadline and its requester. */
export type AccountCall = CallOptions & { readonly signal: AbortSignal }

/** The prices of these assets at this ledger, or why there are none. */
export type ReadQuotes = (assets: readonly string[], ledger: number, call: AccountCall) => Promise<ReadonlyMap<string, Quote>>

const MAX_CACHED_QUOTES = 1_000

/** Reads of all accounts share the latest price of each asset. */
interface QuotesParts {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly clock: Clock
}

export function createQuoteReader({ rpc, deployment, clock }: QuotesParts): ReadQuotes {
  const latest = createTtlCache<ShimPrice>({ clock, ttlMs: ACCOUNT_CACHE_MS, maxEntries: MAX_CACHED_QUOTES })

  async function priceAt(asset: string, ledger: number, call: AccountCall): Promise<ShimPrice | undefined> {
    const read = (): Promise<ShimPrice> => readShimPrice(rpc, { ...call, shim: deployment.current.contracts.oracleShim, asset, minLedger: ledger })
    try {
      const shared = await latest.get(asset, read)
      return shared.ledger === ledger ? shared : await read()
    } catch (error) {
      if (error instanceof RpcFailure) return undefined
      throw error
    }
  }

  return async (assets, ledger, call) => {
    const quotes = await Promise.all(assets.map(async (asset): Promise<[string, Quote]> => {
      const found = await priceAt(asset, ledger, call)
      if (found === undefined || found.price <= 0n) return [asset, { reason: 'price_unreadable' }]
      return [asset, found.ledger === ledger ? found : { reason: 'price_of_another_ledger' }]
    }))
    return new Map(quotes)
  }
}

/** The close time of a ledger in Unix seconds; null when the node does not report it. */
export async function readCloseSec(rpc: Rpc, ledger: number, call: AccountCall): Promise<number | null> {
  const { signal, requester } = call
  try {
    const health = await rpc.getHealth({ signal, requester })
    if (health.latestLedger === ledger && health.latestLedgerCloseSec !== null) return health.latestLedgerCloseSec
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error
  }
  try {
    const { ledgers: [found] } = await rpc.getLedgers({ startLedger: ledger, limit: 1 }, { signal, requester })
    return found?.sequence === ledger ? found.closeSec : null
  } catch (error) {
    if (error instanceof RpcFailure) return null
    throw error
  }
}
