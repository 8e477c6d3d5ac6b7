// Builds the account resource from entries and prices. Pure. What cannot be read is null, with the reason in `unknown`.

import { amountText } from '../base/fixed-point.ts'
import type { StoredConfig, StoredOrder, StoredPosition } from '../chain/market-entries.ts'
import { ORDER_TYPES } from '../chain/market-entries.ts'
import { pricePnl } from '../exchange/position-pnl.ts'
import type { AccountPosition, AccountState, CrossMargin } from '../resources/account-state.ts'
import type { OpenOrder } from '../resources/open-order.ts'
import type { AccountEntries } from './entries.ts'
import type { CrossLeg } from './margin-math.ts'
import { closeValue, crossMarginTotals, crossRequirements, feeRates, fundingOwed, liquidationPrice, referencePrice } from './margin-math.ts'

/** The price of an asset at the entries' ledger, or why there is none. */
export type Quote = { readonly price: bigint; readonly timestampSec: number } | { readonly reason: 'price_unreadable' | 'price_of_another_ledger' }

/** Records why a part is null. `part` is a JSON pointer. */
type ReportUnknown = (part: string, reason: string) => void

/** By the low byte of time_in_force; a flag is beside it. */
const MODES = ['gtc', 'ioc', 'post_only'] as const
const REDUCE_ONLY_FLAG = 0x100
const PHASES = ['waiting_for_stop', 'limit_active'] as const
const CROSS = 1

export function buildState(
  owner: string,
  entries: AccountEntries,
  quotes: ReadonlyMap<string, Quote>,
  closeSec: number | null,
): AccountState {
  const unknown: AccountState['unknown'] = []
  const report: ReportUnknown = (part, reason) => void unknown.push({ part, reason })
  if (closeSec === null) report('/ledgerCloseTs', 'not_told')
  const { positions, config } = entries
  if (positions === undefined) report('/positions', 'entry_unreadable')
  if (entries.orders === undefined) report('/orders', 'entry_unreadable')
  return {
    owner,
    ledger: entries.ledger,
    ledgerCloseTs: closeSec,
    positions: positions?.map((position, index) => buildPosition(position, `/positions/${index}`, { entries, quotes, report })) ?? null,
    orders: openOrders(entries),
    balances: buildBalances(entries, report),
    cross: buildCross(entries, quotes, report),
    fees: buildFees(entries, report),
    limits: buildLimits(config, entries.paused, report),
    unknown,
  }
}

/** The resting orders; null when some cannot be read. */
export function openOrders({ orders, peaks }: AccountEntries): OpenOrder[] | null {
  return orders?.map((order) => buildOrder(order, peaks.get(order.id))) ?? null
}

function buildPosition(
  position: StoredPosition,
  part: string,
  { entries, quotes, report }: { readonly entries: AccountEntries; readonly quotes: ReadonlyMap<string, Quote>; readonly report: ReportUnknown },
): AccountPosition {
  const quote = quotes.get(position.asset) ?? { reason: 'price_unreadable' }
  const priced = 'price' in quote ? quote : undefined
  if ('reason' in quote) report(`${part}/price`, quote.reason)
  const { cumulativeFunding, config } = entries
  const funding = cumulativeFunding === undefined ? undefined : fundingOwed(position, cumulativeFunding)
  if (funding === undefined) report(`${part}/accruedFunding`, 'entry_unreadable')
  const pnl = priced === undefined ? undefined : pricePnl(position, priced.price)
  const value = pnl === undefined || funding === undefined ? undefined : closeValue(position, pnl, funding)
  const isCross = position.margin_mode === CROSS
  const liquidation = isCross || funding === undefined || config === undefined ? undefined : liquidationPrice(position, funding, config)
  if (isCross) report(`${part}/liquidationPrice`, 'cross_margin')
  else if (liquidation === null) report(`${part}/liquidationPrice`, 'never')
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
    price: amountText(priced?.price),
    priceTimestamp: priced?.timestampSec ?? null,
    unrealizedPnl: amountText(pnl),
    accruedFunding: amountText(funding),
    closeValue: amountText(value),
    liquidationPrice: amountText(liquidation),
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
    peakPrice: isTrailing ? amountText(peak) : null,
    referencePrice: amountText(referencePrice(order, peak)),
    slippageToleranceBps: order.slippage_tolerance_bps,
    timeInForce: MODES[order.time_in_force & 0xff] ?? 'gtc',
    reduceOnly: isEntry && (order.time_in_force & REDUCE_ONLY_FLAG) !== 0,
    createdAt: order.created_at,
  }
}

function buildBalances({ xlm, usdc, lp }: AccountEntries, report: ReportUnknown): AccountState['balances'] {
  if (xlm === undefined) report('/balances/xlm', 'entry_unreadable')
  if (xlm === null) report('/balances/xlm', 'no_account')
  for (const [name, balance] of Object.entries({ usdc, lp })) {
    if (balance === undefined) report(`/balances/${name}`, 'token_unreadable')
    if (balance === null) report(`/balances/${name}`, xlm === null ? 'no_account' : 'no_trustline')
  }
  return { usdc: amountText(usdc), lp: amountText(lp), xlm: amountText(xlm) }
}

function buildCross(entries: AccountEntries, quotes: ReadonlyMap<string, Quote>, report: ReportUnknown): CrossMargin {
  const { crossPool: pool, config, cumulativeFunding } = entries
  const positions = entries.positions?.filter((position) => position.margin_mode === CROSS)
  if (pool === undefined) report('/cross/pool', 'entry_unreadable')
  const margins = positions === undefined || config === undefined ? undefined : crossRequirements(positions, config)
  const legs = positions === undefined || cumulativeFunding === undefined ? undefined : legsOf(positions, quotes, cumulativeFunding)
  const totals = pool === undefined || margins === undefined || legs === undefined ? undefined : crossMarginTotals(pool, legs, margins)
  return {
    pool: amountText(pool),
    equity: amountText(totals?.equity),
    usedMargin: amountText(margins?.used),
    maintenanceMargin: amountText(margins?.maintenance),
    freeMargin: amountText(totals?.freeMargin),
    withdrawable: amountText(totals?.withdrawable),
    liquidatable: totals?.liquidatable ?? null,
  }
}

/** All cross positions at their prices; undefined when a price is missing, because one position can decide the state of the account. */
function legsOf(positions: readonly StoredPosition[], quotes: ReadonlyMap<string, Quote>, cumulativeFunding: bigint): readonly CrossLeg[] | undefined {
  const legs: CrossLeg[] = []
  for (const position of positions) {
    const quote = quotes.get(position.asset)
    if (quote === undefined || 'reason' in quote) return undefined
    legs.push({ position, pnl: pricePnl(position, quote.price), funding: fundingOwed(position, cumulativeFunding) })
  }
  return legs
}

function buildFees({ volume, feeTiers, config }: AccountEntries, report: ReportUnknown): AccountState['fees'] {
  if (volume === undefined) report('/fees/volume', 'entry_unreadable')
  const rates = volume === undefined || feeTiers === undefined || config === undefined ? undefined : feeRates(volume, feeTiers, config)
  if (rates === undefined) report('/fees/tier', 'entry_unreadable')
  return {
    volume: amountText(volume),
    tier: rates?.tier ?? null,
    makerRate: amountText(rates?.makerRate),
    takerRate: amountText(rates?.takerRate),
    nextTierVolume: amountText(rates?.nextTierVolume),
  }
}

function buildLimits(config: StoredConfig | undefined, paused: boolean | undefined, report: ReportUnknown): AccountState['limits'] {
  if (config === undefined) report('/limits', 'entry_unreadable')
  return {
    minCollateral: amountText(config?.min_collateral),
    maxPositionSize: amountText(config?.max_position_size),
    maxLeverage: config?.max_leverage ?? null,
    maxPriceAgeSec: config?.max_price_staleness ?? null,
    maxPriceDeviationBps: config?.max_oracle_deviation_bps ?? null,
    tradingPaused: paused ?? null,
  }
}
