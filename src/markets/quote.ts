// The effect of an open, in the market's own integer arithmetic: division truncates toward zero, like bigint's. Pure.

import { closeValue, feeRates, fundingOwed, poolAfter } from '../accounts/margin-math.ts'
import { amountText, maxAmount, minAmount, ONE_E7 } from '../base/fixed-point.ts'
import type { StoredPosition, VolumeDays } from '../chain/views/market-entries.ts'
import type { MarketSummary } from '../chain/views/market-summary.ts'
import type { ShimPrice } from '../chain/views/prices.ts'
import { isAtLeast } from '../exchange/contracts/generations.ts'
import type { Generation } from '../exchange/contracts/generations.ts'
import { pricePnl } from '../exchange/settlement/position-pnl.ts'
import type { TradeQuote } from '../resources/trade-quote.ts'
import { maxPositionSize, roomsOf } from './capacity.ts'
import type { VenueSnapshot } from './capacity.ts'

export type MarginMode = 'isolated' | 'cross'

export interface QuoteTerms {
  readonly asset: string
  /** 0 is long, 1 is short. */
  readonly direction: number
  readonly collateral: bigint
  readonly leverage: number
  readonly marginMode: MarginMode
}

/** The exchange at one ledger. */
export interface QuotedVenue {
  readonly generation: Generation
  readonly snapshot: VenueSnapshot
  readonly price: ShimPrice
  /** The ledger's close time. Null: unknown, or not needed because nothing is closed. */
  readonly closeSec: number | null
}

/** A trader at the same ledger. */
export interface QuotedTrader {
  /** Undefined: cannot be read. */
  readonly volume: VolumeDays | undefined
  /** Isolated and cross. Undefined: cannot be read. */
  readonly positions: readonly StoredPosition[] | undefined
  /** The balance of the cross margin pool. Undefined: cannot be read. */
  readonly crossPool: bigint | undefined
}

/** The position that the exchange would open after it closed the positions in the other direction. Null: unknown. */
export interface SizedOpen {
  readonly collateral: bigint
  readonly size: bigint
  readonly closed: readonly StoredPosition[]
  /** The fee before the discount of a referral. */
  readonly grossFee: bigint | null
}

const BPS = 10_000n
const LONG = 0
const STORED_MODES: Readonly<Record<MarginMode, number>> = { isolated: 0, cross: 1 }
const NETTED_POSITIONS_MAX = 4
const VOLUME_DAYS = 14
const DAY_SEC = 86_400

/** The size and fee of an open. Null when the exchange would not open it, or when the trader's positions cannot be read. */
export function sizeOpen(terms: QuoteTerms, venue: QuotedVenue, trader: QuotedTrader | null): SizedOpen | null {
  const { collateral, leverage, marginMode } = terms
  const gross = collateral * BigInt(leverage)
  const opposite = oppositePositions(terms, venue.generation, trader)
  if (opposite === undefined) return null
  const netted = sum(opposite.map((position) => position.size))
  if (opposite.length > NETTED_POSITIONS_MAX || (opposite.length > 0 && netted >= gross)) return null
  const size = gross - netted
  const { config } = venue.snapshot.market
  const rest = opposite.length === 0 ? collateral : (collateral * size) / gross
  if (opposite.length > 0 && (config === null || rest < config.min_collateral)) return null
  // Cross positions that are closed on the way add nothing to the volume.
  const traded = marginMode === 'isolated' ? netted : 0n
  return { collateral: rest, size, closed: opposite, grossFee: grossFeeOf(size, traded, venue, trader) }
}

/** From generation 2 on, an open first closes the trader's positions of its margin mode in the other direction. Undefined: unknown. */
export function oppositePositions(
  { asset, direction, marginMode }: QuoteTerms, generation: Generation, trader: QuotedTrader | null,
): readonly StoredPosition[] | undefined {
  if (trader === null || !isAtLeast(generation, '2.0')) return []
  return trader.positions?.filter((position) =>
    position.asset === asset && position.direction !== direction && position.margin_mode === STORED_MODES[marginMode])
}

function grossFeeOf(size: bigint, closed: bigint, { snapshot, closeSec }: QuotedVenue, trader: QuotedTrader | null): bigint | null {
  const { config, feeTiers } = snapshot.market
  const volume = trader === null ? 0n : volumeAfter(trader.volume, closed, closeSec)
  if (config === null || feeTiers === null || volume === null) return null
  return (size * feeRates(volume, feeTiers, config).takerRate) / ONE_E7
}

/** The volume that decides about the fee: closing positions adds theirs, and clears the days that have passed. */
function volumeAfter(volume: VolumeDays | undefined, closed: bigint, closeSec: number | null): bigint | null {
  if (volume === undefined) return null
  if (closed === 0n) return sum(volume.slots)
  if (closeSec === null) return null
  const today = Math.floor(closeSec / DAY_SEC)
  const kept = volume.slots.filter((_, index) => !isCleared(index, volume.lastDay, today))
  return sum(kept) + closed
}

function isCleared(slot: number, lastDay: number, today: number): boolean {
  const passed = Math.min(today - lastDay, VOLUME_DAYS)
  for (let day = lastDay + 1; day <= lastDay + passed; day++) if (day % VOLUME_DAYS === slot) return true
  return false
}

/** The trader's figures besides the terms. */
export interface QuotedFigures {
  /** Null when nothing would be opened, or what would be is unknown. */
  readonly open: SizedOpen | null
  /** Of a referral; null when it is unknown. */
  readonly discount: bigint | null
  /** Of the cross margin; null when it is unknown. */
  readonly pool: bigint | null
}

export function describeQuote(terms: QuoteTerms, venue: QuotedVenue, { open, discount, pool }: QuotedFigures): TradeQuote {
  const { snapshot, price: { price, timestampSec, ledger } } = venue
  const { market } = snapshot
  const rooms = roomsOf(terms.asset, snapshot, maxPositionSize(terms.asset, market))
  const room = terms.direction === LONG ? rooms?.long : rooms?.short
  // The market ignores a discount below zero.
  const fee = open === null || open.grossFee === null || discount === null ? null : open.grossFee - minAmount(maxAmount(discount, 0n), open.grossFee)
  const net = open === null || fee === null ? null : open.collateral - fee
  const opens = open !== null && price > 0n
  return {
    positionId: opens && market.lastPositionId !== null ? market.lastPositionId + 1 : null,
    orderId: null,
    entryPrice: opens ? String(price) : null,
    size: opens ? String(open.size) : null,
    // The exchange opens nothing when the fee takes all of it.
    collateral: net === null || net <= 0n ? null : String(net),
    fee: amountText(fee),
    keeperReward: null,
    liquidationPrice: opens && terms.marginMode === 'isolated' ? amountText(liquidationPriceOf(terms, venue)) : null,
    ...resultOf(open, venue, terms.marginMode === 'isolated' ? null : { pool }),
    price: String(price),
    priceTimestamp: timestampSec,
    ledger,
    headroom: amountText(room?.room),
    bindingLimit: room?.limit ?? null,
  }
}

/** Of the positions that are closed. The payout is unknown when the pool may not pay it in full. `cross` is null of isolated positions. */
function resultOf(
  open: SizedOpen | null, { generation, snapshot: { market, pool }, price: { price } }: QuotedVenue, cross: { readonly pool: bigint | null } | null,
): Pick<TradeQuote, 'pnl' | 'payout'> {
  if (open === null || open.closed.length === 0) return { pnl: null, payout: null }
  const cumulative = market.assets.get(open.closed[0]?.asset ?? '')?.funding
  const pnls = open.closed.map((position) => pricePnl(position, price))
  const pnl = String(sum(pnls))
  if (cumulative === null) return { pnl, payout: null }
  // Undefined: funding was never applied.
  const closes = open.closed.map((position, index) => ({ position, pnl: pnls[index] ?? 0n, funding: fundingOwed(position, cumulative?.cumulative ?? 0n) }))
  const profits = sum(closes.map((close) => maxAmount(close.pnl - close.funding, 0n)))
  const isCovered = pool.usdcBalance !== null && pool.totalUsdc !== null && pool.bufferBalance !== null && pool.shortfallReserve !== null
    && profits <= minAmount(pool.usdcBalance - pool.shortfallReserve, pool.totalUsdc + pool.bufferBalance)
  if (!isCovered) return { pnl, payout: null }
  if (cross === null) return { pnl, payout: String(sum(closes.map((close) => closeValue(close.position, close, generation)))) }
  return { pnl, payout: cross.pool === null ? null : String(closes.reduce((balance, close) => poolAfter(balance, close, generation), cross.pool) - cross.pool) }
}

function liquidationPriceOf({ asset, direction, leverage }: QuoteTerms, venue: QuotedVenue): bigint | null {
  const { market } = venue.snapshot
  const maintenanceBps = maintenanceBpsOf(asset, market)
  if (maintenanceBps === null) return null
  const { price } = venue.price
  const distance = ONE_E7 / BigInt(leverage) - (ONE_E7 * BigInt(maintenanceBps)) / BPS
  const move = (price * distance) / ONE_E7
  const at = direction === LONG ? price - move : price + move
  return at > 0n ? at : null
}

/** The maintenance margin of a new position. */
function maintenanceBpsOf(asset: string, { hasAssetRisk, assets, config }: MarketSummary): number | null {
  const risk = hasAssetRisk ? assets.get(asset)?.risk : undefined
  if (risk === null) return null
  return risk?.mm_bps ?? config?.maintenance_margin_bps ?? null
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}
