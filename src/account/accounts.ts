// Accounts read from the ledger when somebody asks: entries and prices of one and the same ledger, so that figures agree with each other, shared by all who
// ask for the same account within a moment.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import type { TtlCache } from '../base/ttl-cache.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import { RpcFailure } from '../chain/failure.ts'
import type { LedgerWatermarks } from '../chain/ledger-watermarks.ts'
import { assetContract } from '../chain/ledger-keys.ts'
import { readShimPrice } from '../chain/prices.ts'
import type { ShimPrice } from '../chain/prices.ts'
import type { Rpc } from '../chain/rpc.ts'
import { readView } from '../chain/views.ts'
import { withTimeout } from '../chain/with-timeout.ts'
import type { ContractAddresses } from '../exchange/contracts.ts'
import { ACCOUNT_CACHE_MS, ACCOUNT_READ_TIMEOUT_MS } from '../limits.ts'
import type { AccountState } from '../resources/account-state.ts'
import type { OpenOrders } from '../resources/open-order.ts'
import type { AccountEntries, AccountIds, TokenAssets } from './entries.ts'
import { readAccount, NO_IDS } from './entries.ts'
import { buildState, openOrders } from './state.ts'
import type { Quote } from './state.ts'

/** Both reject with RpcFailure when the ledger cannot be read. */
export interface Accounts {
  /** Of this ledger or a later one, where one is named: rejects when no node that answers has come there. Neither is older than what was told before. */
  openOrders(owner: string, fromLedger?: number): Promise<OpenOrders>
  state(owner: string): Promise<AccountState>
}

/** Looks until entries, or entries and prices, agree: the ledger may close in between. */
const LOOKS_MAX = 4
/** Where balances are not asked for. */
const NO_TOKENS: TokenAssets = { usdc: null, lp: null }
/** Accounts whose ids and answers are remembered. */
const REMEMBERED_MAX = 1_000

/** A call of one read: it ends with the read's time. */
type OwnCall = CallOptions & { readonly signal: AbortSignal }

export function createAccounts(options: {
  readonly rpc: Rpc
  readonly contracts: ContractAddresses
  readonly networkPassphrase: string
  readonly clock: Clock
  readonly log: Log
  readonly ledgerWatermarks: LedgerWatermarks
}): Accounts {
  const { rpc, contracts, networkPassphrase, clock, log, ledgerWatermarks } = options
  const expected = new Map<string, AccountIds>()
  const assets = new Map<string, string>()
  const orders = createTtlCache<OpenOrders>({ clock, ttlMs: ACCOUNT_CACHE_MS, maxEntries: REMEMBERED_MAX })
  const states = createTtlCache<AccountState>({ clock, ttlMs: ACCOUNT_CACHE_MS, maxEntries: REMEMBERED_MAX })
  const quotes = createTtlCache<ShimPrice>({ clock, ttlMs: ACCOUNT_CACHE_MS, maxEntries: REMEMBERED_MAX })

  /** The classic asset of a token, by its own name, which is believed only if this contract is that asset's. Null when it cannot be told now. */
  async function assetOf(token: string, signal: AbortSignal): Promise<string | null> {
    const known = assets.get(token)
    if (known !== undefined) return known
    try {
      const { value } = await readView(rpc, { contract: token, functionName: 'name', args: [] }, { signal })
      if (value.type !== 'string' || value.value === null || assetContract(value.value, networkPassphrase) !== token) return null
      assets.set(token, value.value)
      return value.value
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
      log.debug({ err: error, token }, 'the asset of a token could not be read')
      return null
    }
  }

  async function tokens(signal: AbortSignal): Promise<TokenAssets> {
    const [usdc, lp] = await Promise.all([assetOf(contracts.usdcToken, signal), assetOf(contracts.lpToken, signal)])
    return { usdc, lp }
  }

  function remember(owner: string, ids: AccountIds): void {
    expected.delete(owner)
    const oldest = expected.keys().next()
    if (expected.size >= REMEMBERED_MAX && oldest.done !== true) expected.delete(oldest.value)
    expected.set(owner, ids)
  }

  async function readEntries(owner: string, tokenAssets: TokenAssets, call: CallOptions): Promise<AccountEntries> {
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      const look = await readAccount(rpc, owner, { contracts, tokens: tokenAssets, expected: expected.get(owner) ?? NO_IDS, call })
      remember(owner, look.found)
      if (look.entries === undefined) continue
      ledgerWatermarks.record(owner, look.entries.ledger)
      return look.entries
    }
    throw new RpcFailure({ method: 'getLedgerEntries', kind: 'malformed', retryable: true, detail: 'the account changed between looks' })
  }

  async function readCloseSec(ledger: number, signal: AbortSignal): Promise<number | null> {
    try {
      const health = await rpc.getHealth({ signal })
      if (health.latestLedger === ledger && health.latestLedgerCloseSec !== null) return health.latestLedgerCloseSec
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
    }
    try {
      const { ledgers: [found] } = await rpc.getLedgers({ startLedger: ledger, limit: 1 }, { signal })
      return found?.sequence === ledger ? found.closeSec : null
    } catch (error) {
      if (error instanceof RpcFailure) return null
      throw error
    }
  }

  async function quote(asset: string, ledger: number, signal: AbortSignal): Promise<ShimPrice | 'price_unreadable'> {
    const read = (): Promise<ShimPrice> => readShimPrice(rpc, { shim: contracts.oracleShim, asset, networkPassphrase, signal, minLedger: ledger })
    try {
      const shared = await quotes.get(asset, read)
      return shared.ledger === ledger ? shared : await read()
    } catch (error) {
      if (error instanceof RpcFailure) return 'price_unreadable'
      throw error
    }
  }

  async function quotesAt(assetNames: readonly string[], ledger: number, signal: AbortSignal): Promise<ReadonlyMap<string, Quote>> {
    const read = await Promise.all(assetNames.map(async (asset): Promise<[string, Quote]> => {
      const found = await quote(asset, ledger, signal)
      if (found === 'price_unreadable' || found.price <= 0n) return [asset, { reason: 'price_unreadable' }]
      return [asset, found.ledger === ledger ? found : { reason: 'price_of_another_ledger' }]
    }))
    return new Map(read)
  }

  async function readState(owner: string, call: OwnCall): Promise<AccountState> {
    const { signal } = call
    const tokenAssets = await tokens(signal)
    for (let looks = 1; ; looks++) {
      const entries = await readEntries(owner, tokenAssets, call)
      const names = [...new Set(entries.positions?.map(({ asset }) => asset))]
      const [prices, closeSec] = await Promise.all([quotesAt(names, entries.ledger, signal), readCloseSec(entries.ledger, signal)])
      const moved = [...prices.values()].some((found) => 'reason' in found && found.reason === 'price_of_another_ledger')
      if (!moved || looks === LOOKS_MAX) return buildState(owner, entries, prices, closeSec)
    }
  }

  /** One read may be many callers': none of them ends it, time does. */
  function withinLimit<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withTimeout(clock, { limitMs: ACCOUNT_READ_TIMEOUT_MS, method: 'getLedgerEntries' }, work)
  }

  function readOrders(owner: string, minLedger: number): Promise<OpenOrders> {
    return withinLimit(async (signal) => {
      const entries = await readEntries(owner, NO_TOKENS, { signal, minLedger })
      const rows = openOrders(entries)
      if (rows === null) throw new RpcFailure({ method: 'getLedgerEntries', kind: 'malformed', retryable: true, detail: 'orders cannot be read whole' })
      return { orders: rows, ledger: entries.ledger, ledgerCloseTs: await readCloseSec(entries.ledger, signal) }
    })
  }

  /** What is kept, unless more has been seen of the account since. A read that was under way may be from before that, so it is looked twice. */
  async function notOlder<T extends { readonly ledger: number }>(
    memo: TtlCache<T>,
    owner: string,
    fromLedger: number,
    read: (minLedger: number) => Promise<T>,
  ): Promise<T> {
    const minLedger = Math.max(fromLedger, ledgerWatermarks.get(owner))
    const first = await memo.get(owner, () => read(minLedger))
    if (first.ledger >= minLedger) return first
    memo.delete(owner)
    const second = await memo.get(owner, () => read(minLedger))
    if (second.ledger >= minLedger) return second
    throw new RpcFailure({ method: 'getLedgerEntries', kind: 'behind', retryable: true, detail: `the account is wanted as of ledger ${minLedger}` })
  }

  return {
    openOrders: (owner, fromLedger = 0) => notOlder(orders, owner, fromLedger, (minLedger) => readOrders(owner, minLedger)),
    state: (owner) => notOlder(states, owner, 0, (minLedger) => withinLimit((signal) => readState(owner, { signal, minLedger }))),
  }
}
