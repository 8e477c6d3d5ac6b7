// Quotes: what an open would do, from figures of one ledger. Requests share the reads, so a quote costs the network little (docs/decisions/quotes.md).

import type { Clock } from '../base/clock.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { readCloseSec } from '../accounts/quotes.ts'
import { readEntrySnapshot } from '../chain/views/entry-snapshot.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import { accountEntryKey, numberedKey, readAmount, readIds, readPosition, readVolumeDays } from '../chain/views/market-entries.ts'
import type { VolumeDays } from '../chain/views/market-entries.ts'
import { readMarketSummary } from '../chain/views/market-summary.ts'
import { readPool } from '../chain/views/pool-view.ts'
import { readShimPrice } from '../chain/views/prices.ts'
import type { ShimPrice } from '../chain/views/prices.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { ScArgument } from '../chain/codec/scval.ts'
import { readField } from '../chain/codec/structs.ts'
import { simulateView } from '../chain/views/contract-views.ts'
import { withTimeout } from '../chain/rpc/with-timeout.ts'
import type { CurrentDeployment, Deployment } from '../exchange/deployment.ts'
import { isAtLeast } from '../exchange/contracts/generations.ts'
import { ACCOUNT_ENTRIES_MAX, QUOTE_CACHE_MS, QUOTED_TRADERS_MAX, VENUE_READ_TIMEOUT_MS } from '../limits.ts'
import type { TradeQuote } from '../resources/trade-quote.ts'
import type { VenueSnapshot } from './capacity.ts'
import { describeQuote, oppositePositions, sizeOpen } from './quote.ts'
import type { QuotedTrader, QuotedVenue, QuoteTerms } from './quote.ts'
import type { VaultCaps } from './vault-caps.ts'

/** Rejects with RpcFailure when the figures of one ledger cannot be read. A null `trader` has no volume, positions and discount. */
export type ReadQuote = (terms: QuoteTerms, trader: string | null) => Promise<TradeQuote>

export interface QuotesParts {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly readCaps: (exchange: Deployment, signal: AbortSignal) => Promise<VaultCaps>
}

interface Read<T> {
  readonly value: T
  readonly ledger: number
}

/** Attempts to read everything within one ledger. */
const MAX_READS = 4
/** More than the exchange has assets. */
const MAX_CACHED_PRICES = 256

export function createQuotes(parts: QuotesParts): ReadQuote {
  const { deployment, clock } = parts
  const caches = {
    shared: createTtlCache<VenueSnapshot>({ clock, ttlMs: QUOTE_CACHE_MS, maxEntries: 1 }),
    prices: createTtlCache<ShimPrice>({ clock, ttlMs: QUOTE_CACHE_MS, maxEntries: MAX_CACHED_PRICES }),
    traders: createTtlCache<Read<QuotedTrader>>({ clock, ttlMs: QUOTE_CACHE_MS, maxEntries: QUOTED_TRADERS_MAX }),
    discounts: createTtlCache<Read<bigint | null>>({ clock, ttlMs: QUOTE_CACHE_MS, maxEntries: QUOTED_TRADERS_MAX }),
  }
  const reads = createReads(parts)

  /** Undefined when the parts are of several ledgers. */
  async function attempt(terms: QuoteTerms, trader: string | null, signal: AbortSignal): Promise<TradeQuote | undefined> {
    const exchange = deployment.current
    const { market, vault } = exchange.contracts
    const generation = exchange.targetOf('market').generation
    const sharedKey = `${market} ${generation} ${vault}`
    const [snapshot, price, quoted] = await Promise.all([
      caches.shared.get(sharedKey, () => reads.shared(exchange, signal)),
      caches.prices.get(`${market} ${terms.asset}`, () => readShimPrice(parts.rpc, { shim: exchange.contracts.oracleShim, asset: terms.asset, signal })),
      trader === null ? null : caches.traders.get(`${market} ${trader}`, () => reads.trader(exchange, trader, signal)),
    ])
    const closesFirst = oppositePositions(terms, generation, quoted?.value ?? null)?.length !== 0
    const closeSec = closesFirst ? await reads.closeTime(snapshot.market.ledger, signal) : null
    const venue: QuotedVenue = { generation, snapshot, price, closeSec }
    const open = sizeOpen(terms, venue, quoted?.value ?? null)
    const { referral } = snapshot.market
    const discountKey = `${market} ${trader} ${open?.grossFee} ${open?.size}`
    const asksReferral = trader !== null && referral !== null && open !== null && open.grossFee !== null
    const discount = asksReferral
      ? await caches.discounts.get(discountKey, () => reads.discount({ referral, trader, fee: open.grossFee ?? 0n, size: open.size }, exchange, signal))
      : null
    const ledgers = [snapshot.pool.ledger, snapshot.market.ledger, price.ledger, quoted?.ledger, discount?.ledger].filter((each) => each !== undefined)
    const newest = Math.max(...ledgers)
    if (ledgers.every((ledger) => ledger === newest)) {
      return describeQuote(terms, venue, { open, discount: asksReferral ? discount?.value ?? null : 0n, pool: quoted?.value.crossPool ?? null })
    }
    if (snapshot.market.ledger < newest || snapshot.pool.ledger < newest) caches.shared.delete(sharedKey)
    if (price.ledger < newest) caches.prices.delete(`${market} ${terms.asset}`)
    if (quoted !== null && quoted.ledger < newest) caches.traders.delete(`${market} ${trader}`)
    if (discount !== null && discount.ledger < newest) caches.discounts.delete(discountKey)
    return undefined
  }

  return (terms, trader) => withTimeout(clock, { limitMs: VENUE_READ_TIMEOUT_MS, method: 'getLedgerEntries' }, async (signal) => {
    for (let tries = 0; tries < MAX_READS; tries++) {
      const quote = await attempt(terms, trader, signal)
      if (quote !== undefined) return quote
    }
    throw new RpcFailure({ method: 'getLedgerEntries', kind: 'malformed', retryable: true, detail: 'a ledger closed during every read of a quote' })
  })
}

function createReads({ rpc, readCaps }: QuotesParts) {
  return {
    async shared(exchange: Deployment, signal: AbortSignal): Promise<VenueSnapshot> {
      const { contracts: { market, vault }, assets: { symbols } } = exchange
      const [pool, summary, caps] = await Promise.all([
        readPool(rpc, vault, { signal }),
        readMarketSummary(rpc, { market, generation: exchange.targetOf('market').generation, assets: symbols }, { signal }),
        readCaps(exchange, signal),
      ])
      return { pool, market: summary, caps, assets: symbols }
    },
    closeTime: (ledger: number, signal: AbortSignal) => readCloseSec(rpc, ledger, { signal }),
    trader: (exchange: Deployment, trader: string, signal: AbortSignal) => readTrader(rpc, exchange, trader, signal),
    discount: (trade: ReferredTrade, exchange: Deployment, signal: AbortSignal) => readDiscount(rpc, trade, exchange, signal),
  }
}

/** Positions matter from generation 2 on. Their ids lead to their entries, so they take a second call. */
async function readTrader(rpc: Rpc, exchange: Deployment, trader: string, signal: AbortSignal): Promise<Read<QuotedTrader>> {
  const { market } = exchange.contracts
  const [volumeKey, idsKey] = [accountEntryKey(market, 'TraderVolume', trader), accountEntryKey(market, 'TraderPositions', trader)]
  const poolKey = accountEntryKey(market, 'CrossMarginBalance', trader)
  let positionIds: readonly number[] = []
  for (let reads = 0; reads < MAX_READS; reads++) {
    const keys = positionIds.map((id) => numberedKey(market, 'Position', id))
    const snapshot = await readEntrySnapshot(rpc, [volumeKey, idsKey, poolKey, ...keys], { signal })
    if (snapshot === undefined) continue
    const { ledger, entries } = snapshot
    const [volumeEntry, idsEntry, poolEntry] = [entries.get(volumeKey), entries.get(idsKey), entries.get(poolKey)]
    const crossPool = poolEntry === undefined ? 0n : readAmount(poolEntry)
    const volume = volumeEntry === undefined ? NO_VOLUME : readVolumeDays(volumeEntry)
    const ids = idsEntry === undefined || !isAtLeast(exchange.targetOf('market').generation, '2.0') ? [] : readIds(idsEntry)
    if (ids === undefined || ids.length > ACCOUNT_ENTRIES_MAX) return { ledger, value: { volume, crossPool, positions: undefined } }
    const known = new Set(positionIds)
    positionIds = ids
    if (!ids.every((id) => known.has(id))) continue
    const positions = keys.map((key) => entries.get(key)).filter((entry) => entry !== undefined).map(readPosition)
    const readable = positions.filter((position) => position !== undefined)
    return { ledger, value: { volume, crossPool, positions: readable.length === positions.length ? readable : undefined } }
  }
  throw new RpcFailure({ method: 'getLedgerEntries', kind: 'malformed', retryable: true, detail: 'a ledger closed during every read of a trader' })
}

const NO_VOLUME: VolumeDays = { slots: [], lastDay: 0 }

interface ReferredTrade {
  readonly referral: string
  readonly trader: string
  readonly fee: bigint
  readonly size: bigint
}

/** Reads the discount that the referral contract deducts from a fee, as it answers the market. Null: unknown. A contract that fails deducts nothing. */
async function readDiscount(
  rpc: Rpc, { referral, trader, fee, size }: ReferredTrade, exchange: Deployment, signal: AbortSignal,
): Promise<Read<bigint | null>> {
  const trade: ScArgument[] = [{ type: 'address', value: trader }, { type: 'i128', value: fee }]
  const args = isAtLeast(exchange.targetOf('market').generation, '2.0') ? [...trade, { type: 'i128', value: size } as const] : trade
  const { value, error, ledger } = await simulateView(rpc, { contract: referral, functionName: 'record_trade', args }, { signal })
  if (error !== null) return { ledger, value: error.startsWith('HostError: Error(Contract,') ? 0n : null }
  const [discount, payout] = value?.type === 'vec' ? value.value.map((part) => readField(part, 'i128')) : []
  if (discount === undefined || payout === undefined) return { ledger, value: null }
  return { ledger, value: discount < 0n || payout < 0n ? 0n : discount }
}
