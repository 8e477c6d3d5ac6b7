// From entries and prices to what is served. Pure. What could not be told is null, and says why.

import type { StoredConfig, StoredOrder, StoredPosition } from '../chain/market-entries.ts'
import { ORDER_TYPES } from '../chain/market-entries.ts'
import type { AccountPosition, AccountState, CrossMargin } from '../resources/account-state.ts'
import type { OpenOrder } from '../resources/open-order.ts'
import type { AccountEntries } from './entries.ts'
import type { CrossLeg } from './margin-math.ts'
import { closeValue, crossMarginTotals, crossRequirements, feeRates, fundingOwed, liquidationPrice, pricePnl, referencePrice } from './margin-math.ts'

/** The price of an asset at the entries' ledger, or why there is none. */
export type Quote = { readonly price: bigint; readonly timestampSec: number } | { readonly reason: 'price_unreadable' | 'price_of_another_ledger' }

type Note = (part: string, reason: string) => void

/** Low byte of time_in_force, and the flag beside it. */
const MODES = ['gtc', 'ioc', 'post_only'] as const
const REDUCE_ONLY_FLAG = 0x100
const PHASES = ['waiting_for_stop', 'limit_active'] as const
const CROSS = 1

/** The whole account. */
export function buildState(
  owner: string,
  entries: AccountEntries,
  quotes: ReadonlyMap<string, Quote>,
  closeSec: number | null,
): AccountState {
  const unknown: AccountState['unknown'] = []
  const note: Note = (part, reason) => void unknown.push({ part, reason })
  if (closeSec === null) note('/ledgerCloseTs', 'not_told')
  const { positions, config } = entries
  if (positions === undefined) note('/positions', 'entry_unreadable')
  if (entries.orders === undefined) note('/orders', 'entry_unreadable')
  return {
    owner,
    ledger: entries.ledger,
    ledgerCloseTs: closeSec,
    positions: positions?.map((position, index) => buildPosition(position, `/positions/${index}`, { entries, quotes, note })) ?? null,
    orders: openOrders(entries),
    balances: buildBalances(entries, note),
    cross: buildCross(entries, quotes, note),
    fees: buildFees(entries, note),
    limits: buildLimits(config, entries.paused, note),
    unknown,
  }
}

/** Resting orders as they are served; null when they could not be read whole. */
export function openOrders({ orders, peaks }: AccountEntries): OpenOrder[] | null {
  return orders?.map((order) => buildOrder(order, peaks.get(order.id))) ?? null
}

function buildPosition(
  position: StoredPosition,
  part: string,
  { entries, quotes, note }: { readonly entries: AccountEntries; readonly quotes: ReadonlyMap<string, Quote>; readonly note: Note },
): AccountPosition {
  const quote = quotes.get(position.asset) ?? { reason: 'price_unreadable' }
  const known = 'price' in quote ? quote : undefined
  if ('reason' in quote) note(`${part}/price`, quote.reason)
  const { cumulativeFunding, config } = entries
  const funding = cumulativeFunding === undefined ? undefined : fundingOwed(position, cumulativeFunding)
  if (funding === undefined) note(`${part}/accruedFunding`, 'entry_unreadable')
  const pnl = known === undefined ? undefined : pricePnl(position, known.price)
  const value = pnl === undefined || funding === undefined ? undefined : closeValue(position, pnl, funding)
  const isCross = position.margin_mode === CROSS
  const liquidation = isCross || funding === undefined || config === undefined ? undefined : liquidationPrice(position, funding, config)
  if (isCross) note(`${part}/liquidationPrice`, 'cross_margin')
  else if (liquidation === null) note(`${part}/liquidationPrice`, 'never')
  return {
    positionId: position.id,
    asset: position.asset,
    direction: position.direction,
    marginMode: isCross ? 'cross' : 'isolated',
    size: String(position.size),
    collateral: String(position.collateral),
    leverage: position.leverage,
    entryPrice: String(position.entry_price),
    openedAt: position.timestamp,
    price: text(known?.price),
    priceTimestamp: known?.timestampSec ?? null,
    unrealizedPnl: text(pnl),
    accruedFunding: text(funding),
    closeValue: text(value),
    liquidationPrice: text(liquidation),
  }
}

function buildOrder(order: StoredOrder, peak: bigint | undefined): OpenOrder {
  const type = ORDER_TYPES[order.order_type] ?? 'limit'
  const [isTrailing, isEntry] = [type === 'trailing_stop', !order.has_position]
  return {
    orderId: order.id,
    trader: order.trader,
    orderType: type,
    asset: order.asset,
    direction: order.direction,
    positionId: isEntry ? null : order.position_id,
    collateral: isEntry ? String(order.collateral) : null,
    leverage: order.leverage,
    size: isEntry ? String(order.collateral * BigInt(order.leverage)) : null,
    triggerPrice: isTrailing ? null : String(order.trigger_price),
    triggerCondition: order.trigger_condition === 0 ? 'Above' : 'Below',
    limitPrice: order.limit_price > 0n ? String(order.limit_price) : null,
    stopLimitPhase: type === 'stop_limit' ? PHASES[order.stop_limit_phase] ?? null : null,
    trailingPercentBps: isTrailing ? order.trailing_percent_bps : null,
    peakPrice: isTrailing ? text(peak) : null,
    referencePrice: text(referencePrice(order, peak)),
    slippageToleranceBps: order.slippage_tolerance_bps,
    timeInForce: MODES[order.time_in_force & 0xff] ?? 'gtc',
    reduceOnly: isEntry && (order.time_in_force & REDUCE_ONLY_FLAG) !== 0,
    createdAt: order.created_at,
  }
}

function buildBalances({ xlm, usdc, lp }: AccountEntries, note: Note): AccountState['balances'] {
  if (xlm === undefined) note('/balances/xlm', 'entry_unreadable')
  if (xlm === null) note('/balances/xlm', 'no_account')
  for (const [name, balance] of Object.entries({ usdc, lp })) {
    if (balance === undefined) note(`/balances/${name}`, 'token_unreadable')
    if (balance === null) note(`/balances/${name}`, xlm === null ? 'no_account' : 'no_trustline')
  }
  return { usdc: text(usdc), lp: text(lp), xlm: text(xlm) }
}

function buildCross(entries: AccountEntries, quotes: ReadonlyMap<string, Quote>, note: Note): CrossMargin {
  const { crossPool: pool, config, cumulativeFunding } = entries
  const positions = entries.positions?.filter((position) => position.margin_mode === CROSS)
  if (pool === undefined) note('/cross/pool', 'entry_unreadable')
  const margins = positions === undefined || config === undefined ? undefined : crossRequirements(positions, config)
  const legs = positions === undefined || cumulativeFunding === undefined ? undefined : legsOf(positions, quotes, cumulativeFunding)
  const figures = pool === undefined || margins === undefined || legs === undefined ? undefined : crossMarginTotals(pool, legs, margins)
  return {
    pool: text(pool),
    equity: text(figures?.equity),
    usedMargin: text(margins?.used),
    maintenanceMargin: text(margins?.maintenance),
    freeMargin: text(figures?.freeMargin),
    withdrawable: text(figures?.withdrawable),
    liquidatable: figures?.liquidatable ?? null,
  }
}

/** Every cross position at its price; undefined when a price is missing, since one leg can hide the state of all. */
function legsOf(positions: readonly StoredPosition[], quotes: ReadonlyMap<string, Quote>, cumulativeFunding: bigint): readonly CrossLeg[] | undefined {
  const legs: CrossLeg[] = []
  for (const position of positions) {
    const quote = quotes.get(position.asset)
    if (quote === undefined || 'reason' in quote) return undefined
    legs.push({ position, pnl: pricePnl(position, quote.price), funding: fundingOwed(position, cumulativeFunding) })
  }
  return legs
}

function buildFees({ volume, feeTiers, config }: AccountEntries, note: Note): AccountState['fees'] {
  if (volume === undefined) note('/fees/volume', 'entry_unreadable')
  const figures = volume === undefined || feeTiers === undefined || config === undefined ? undefined : feeRates(volume, feeTiers, config)
  if (figures === undefined) note('/fees/tier', 'entry_unreadable')
  return {
    volume: text(volume),
    tier: figures?.tier ?? null,
    makerRate: text(figures?.makerRate),
    takerRate: text(figures?.takerRate),
    nextTierVolume: text(figures?.nextTierVolume),
  }
}

function buildLimits(config: StoredConfig | undefined, paused: boolean | undefined, note: Note): AccountState['limits'] {
  if (config === undefined) note('/limits', 'entry_unreadable')
  return {
    minCollateral: text(config?.min_collateral),
    maxPositionSize: text(config?.max_position_size),
    maxLeverage: config?.max_leverage ?? null,
    maxPriceAgeSec: config?.max_price_staleness ?? null,
    maxPriceDeviationBps: config?.max_oracle_deviation_bps ?? null,
    tradingPaused: paused ?? null,
  }
}

function text(amount: bigint | null | undefined): string | null {
  return amount === null || amount === undefined ? null : String(amount)
}
