// Accounts read from the ledger on request. Entries and prices are of the same ledger, so that all amounts agree. Concurrent requests for one account share
// a read.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createCache } from '../base/cache.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import type { TtlCache } from '../base/ttl-cache.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import type { LedgerWatermarks } from '../chain/rpc/ledger-watermarks.ts'
import type { CallOptions } from '../chain/rpc/rpc-request.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { withTimeout } from '../chain/rpc/with-timeout.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { ACCOUNT_CACHE_MS, ACCOUNT_READ_TIMEOUT_MS } from '../limits.ts'
import type { AccountState } from '../resources/account-state.ts'
import type { OpenOrder, OpenOrders } from '../resources/open-order.ts'
import type { AccountEntries, AccountIds, TokenAssets } from './entries.ts'
import { NO_IDS, readAccount } from './entries.ts'
import { createHoldingsReader } from './holdings.ts'
import type { ReadHoldings } from './holdings.ts'
import { createOrderSources } from './order-discovery.ts'
import type { ListOrderIds } from './order-discovery.ts'
import { createQuoteReader, readCloseSec } from './quotes.ts'
import type { AccountCall } from './quotes.ts'
import { buildState, openOrders } from './state.ts'
import { createTokenAssetReader } from './token-assets.ts'

/** All reject with RpcFailure when the ledger cannot be read. Orders and state are never older than before. */
export interface Accounts {
  openOrders(request: AccountRequest): Promise<OpenOrders>
  state(request: AccountRequest): Promise<AccountState>
  readonly holdings: ReadHoldings
}

export interface AccountRequest {
  readonly owner: string
  /** Reads at this ledger or a later one: rejects when no node has reached it. */
  readonly fromLedger?: number
  /** The address of the client: addresses take turns at the nodes. */
  readonly requester: string
}

/** Reads until the entries, or entries and prices, are of one ledger: a ledger may close between two calls. */
const MAX_READS = 4
/** Reads until the entries of all ids were read: an account's ids lead to its assets and orders. */
const MAX_ENTRY_READS = 8
/** For reads that do not need balances. */
const NO_TOKENS: TokenAssets = { usdc: null, lp: null }
/** Accounts whose ids and responses are cached. */
const MAX_CACHED_ACCOUNTS = 1_000

interface AccountsParts {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly log: Log
  readonly ledgerWatermarks: LedgerWatermarks
  readonly listOrderIds: ListOrderIds
  /** Adds the warnings of resting orders. Never rejects. */
  readonly warnOrders: (orders: readonly OpenOrder[]) => Promise<OpenOrder[]>
}

export function createAccounts(parts: AccountsParts): Accounts {
  const { rpc, deployment, clock, ledgerWatermarks } = parts
  const readEntries = createEntriesReader(parts)
  const readTokenAssets = createTokenAssetReader(parts)
  const readQuotes = createQuoteReader({ rpc, deployment, clock })
  const cached = { clock, ttlMs: ACCOUNT_CACHE_MS, maxEntries: MAX_CACHED_ACCOUNTS }
  const orders = createTtlCache<OpenOrders>(cached)
  const states = createTtlCache<AccountState>(cached)

  async function readState(owner: string, call: AccountCall): Promise<AccountState> {
    const tokens = await readTokenAssets(call.signal)
    for (let reads = 1; ; reads++) {
      const entries = await readEntries(owner, tokens, call)
      const assets = [...new Set(entries.positions?.map(({ asset }) => asset))]
      const [quotes, closeSec] = await Promise.all([
        readQuotes(assets, entries.ledger, call),
        readCloseSec(rpc, entries.ledger, call),
      ])
      const isTorn = [...quotes.values()].some((quote) => 'reason' in quote && quote.reason === 'price_of_another_ledger')
      if (!isTorn || reads === MAX_READS) {
        const state = buildState(owner, { entries, quotes, closeSec })
        return state.orders === null ? state : { ...state, orders: await parts.warnOrders(state.orders) }
      }
    }
  }

  async function readOrders(owner: string, call: AccountCall): Promise<OpenOrders> {
    const entries = await readEntries(owner, NO_TOKENS, call)
    const rows = openOrders(entries)
    if (rows === null) throw new RpcFailure({ method: 'getLedgerEntries', kind: 'malformed', retryable: true, detail: 'some orders cannot be read' })
    return { orders: await parts.warnOrders(rows), ledger: entries.ledger, ledgerCloseTs: await readCloseSec(rpc, entries.ledger, call) }
  }

  /** The same account has another state in another deployment. */
  function cacheKeyOf(owner: string): string {
    return `${deployment.current.contracts.market} ${owner}`
  }

  /** Reads without the signals of the callers, because they share the read. The time-out ends it. */
  function readShared<T>(read: (call: AccountCall) => Promise<T>, options: { readonly minLedger: number; readonly requester: string }): Promise<T> {
    return withTimeout(clock, { limitMs: ACCOUNT_READ_TIMEOUT_MS, method: 'getLedgerEntries' }, (signal) => read({ ...options, signal }))
  }

  /** Returns the cached value, unless the account has been seen in a later ledger. Tries twice, because a read in flight may have begun before that. */
  async function atLeast<T extends { readonly ledger: number }>(
    cache: TtlCache<T>,
    { owner, fromLedger = 0, requester }: AccountRequest,
    read: (call: AccountCall) => Promise<T>,
  ): Promise<T> {
    const minLedger = Math.max(fromLedger, ledgerWatermarks.get(owner))
    for (let tries = 0; tries < 2; tries++) {
      const key = cacheKeyOf(owner)
      const found = await cache.get(key, () => readShared(read, { minLedger, requester }))
      if (found.ledger >= minLedger) return found
      if (tries === 0) cache.delete(key)
    }
    throw new RpcFailure({ method: 'getLedgerEntries', kind: 'behind', retryable: true, detail: `no node has reached ledger ${minLedger}` })
  }

  return {
    openOrders: (request) => atLeast(orders, request, (call) => readOrders(request.owner, call)),
    holdings: createHoldingsReader(parts),
    state: (request) => atLeast(states, request, (call) => readState(request.owner, call)),
  }
}

/** Reads an account's entries at one ledger, and caches its ids, so that the next read needs one call. */
function createEntriesReader(parts: AccountsParts) {
  const { rpc, deployment, ledgerWatermarks } = parts
  const orderSources = createOrderSources(parts)
  /** By market and owner. */
  const idsByOwner = createCache<string, AccountIds>(MAX_CACHED_ACCOUNTS)

  return async (owner: string, tokens: TokenAssets, call: CallOptions): Promise<AccountEntries> => {
    const { contracts } = deployment.current
    const generation = deployment.current.targetOf('market').generation
    const key = `${contracts.market} ${owner}`
    const sources = [...orderSources]
    for (let reads = 0; reads < MAX_ENTRY_READS; reads++) {
      const expected = idsByOwner.get(key) ?? NO_IDS
      const { found, entries, ordersMissing } = await readAccount(rpc, owner, { contracts, generation, tokens }, { expected, call })
      const findOrders = ordersMissing ? sources.shift() : undefined
      idsByOwner.set(key, findOrders === undefined ? found : { ...found, orders: [...found.orders, ...await findOrders(owner, call)] })
      if (entries === undefined || findOrders !== undefined) continue
      ledgerWatermarks.record(owner, entries.ledger)
      return entries
    }
    throw new RpcFailure({ method: 'getLedgerEntries', kind: 'malformed', retryable: true, detail: 'the account changed during every read' })
  }
}
