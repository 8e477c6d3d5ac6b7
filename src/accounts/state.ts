// Builds the account resource from entries and prices. Pure. What cannot be read is null, with the reason in `unknown`.

import { amountText } from '../base/fixed-point.ts'
import type { StoredPosition } from '../chain/views/market-entries.ts'
import { orderTerms } from '../chain/views/order-terms.ts'
import { isAtLeast } from '../exchange/contracts/generations.ts'
import { pricePnl } from '../exchange/settlement/position-pnl.ts'
import type { AccountPosition, AccountState, CrossMargin } from '../resources/account-state.ts'
import type { OpenOrder } from '../resources/open-order.ts'
import type { AccountEntries, Readable } from './entries.ts'
import type { CrossLeg } from './margin-math.ts'
import {
  closeValue, crossMarginTotals, crossRequirements, feeRates, fundingOwed, liquidationPrice, settlementPrice,
} from './margin-math.ts'

/** The price of an asset at the entries' ledger, or why there is none. */
export type Quote = { readonly price: bigint; readonly timestampSec: number } | { readonly reason: 'price_unreadable' | 'price_of_another_ledger' }

/** Records why a part is null. `part` is a JSON pointer. */
type ReportUnknown = (part: string, reason: string) => void

const CROSS = 1

/** Data from which an account's figures are computed. */
export interface AccountView {
  readonly entries: AccountEntries
  readonly quotes: ReadonlyMap<string, Quote>
  readonly closeSec: number | null
}

export function buildState(owner: string, view: AccountView): AccountState {
  const { entries, closeSec } = view
  const unknown: AccountState['unknown'] = []
  const report: ReportUnknown = (part, reason) => void unknown.push({ part, reason })
  if (closeSec === null) report('/ledgerCloseTs', 'not_told')
  const { positions } = entries
  if (positions === undefined) report('/positions', 'entry_unreadable')
  if (entries.orders === undefined) report('/orders', 'entry_unreadable')
  return {
    owner,
    ledger: entries.ledger,
    ledgerCloseTs: closeSec,
    positions: positions?.map((position, index) => buildPosition(position, `/positions/${index}`, { ...view, report })) ?? null,
    orders: openOrders(entries),
    balances: buildBalances(entries, report),
    cross: buildCross(view, report),
    fees: buildFees(entries, report),
    limits: buildLimits(entries, report),
    unknown,
  }
}

/** The resting orders; null when some cannot be read. */
export function openOrders({ orders, peaks }: AccountEntries): OpenOrder[] | null {
  return orders?.map((order) => orderTerms(order, peaks.get(order.id))) ?? null
}

function buildPosition(position: StoredPosition, part: string, view: AccountView & { readonly report: ReportUnknown }): AccountPosition {
  const { report } = view
  const quote = view.quotes.get(position.asset) ?? { reason: 'price_unreadable' }
  const priced = 'price' in quote ? quote : undefined
  if ('reason' in quote) report(`${part}/price`, quote.reason)
  const funding = fundingOf(position, view)
  if (funding === undefined) report(`${part}/accruedFunding`, 'entry_unreadable')
  const pnl = priced === undefined ? undefined : pricePnl(position, priced.price)
  const settled = priced === undefined ? undefined : settlementPriceOf(position.asset, priced.price, view)
  if (priced !== undefined && settled === undefined) report(`${part}/closeValue`, 'entry_unreadable')
  const value = settled === undefined || funding === undefined
    ? undefined
    : closeValue(position, { pnl: pricePnl(position, settled), funding }, view.entries.generation)
  const isCross = position.margin_mode === CROSS
  const maintenanceBps = maintenanceBpsOf(position, view.entries)
  const liquidation = isCross || funding === undefined || maintenanceBps === undefined ? undefined : liquidationPrice(position, funding, maintenanceBps)
  if (isCross) report(`${part}/liquidationPrice`, 'cross_margin')
  else if (liquidation === null) report(`${part}/liquidationPrice`, 'never')
  else if (liquidation === undefined && funding !== undefined) report(`${part}/liquidationPrice`, 'entry_unreadable')
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

function fundingOf(position: StoredPosition, { entries }: AccountView): Readable<bigint> {
  const cumulative = entries.assets.get(position.asset)?.cumulativeFunding
  return cumulative === undefined ? undefined : fundingOwed(position, cumulative)
}

/** The asset's maintenance margin if the position was opened since assets have one, otherwise the configuration's. */
function maintenanceBpsOf({ asset, timestamp }: StoredPosition, { riskEpochSec, assets, config }: AccountEntries): Readable<number> {
  if (riskEpochSec === undefined) return undefined
  const risk = riskEpochSec === null || timestamp < riskEpochSec ? null : assets.get(asset)?.risk
  return risk === null ? config?.maintenance_margin_bps : risk?.mm_bps
}

/** The price that a close of this asset settles at. */
function settlementPriceOf(asset: string, price: bigint, { entries: { assets, config, generation }, closeSec }: AccountView): Readable<bigint> {
  if (!isAtLeast(generation, '2.0')) return price
  const lastGood = assets.get(asset)?.lastGoodPrice
  return lastGood === undefined || config === undefined ? undefined : settlementPrice(price, lastGood, config, closeSec)
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

function buildCross(view: AccountView, report: ReportUnknown): CrossMargin {
  const { crossPool: pool } = view.entries
  const positions = view.entries.positions?.filter((position) => position.margin_mode === CROSS)
  if (pool === undefined) report('/cross/pool', 'entry_unreadable')
  const requirements = allOf(positions, (position) => {
    const maintenanceBps = maintenanceBpsOf(position, view.entries)
    return maintenanceBps === undefined ? undefined : { position, maintenanceBps }
  })
  const margins = requirements === undefined ? undefined : crossRequirements(requirements)
  // One position can decide the state of the account.
  const legs = allOf(positions, (position) => legOf(position, view))
  const totals = pool === undefined || margins === undefined || legs === undefined ? undefined : crossMarginTotals(pool, legs, margins, view.entries.generation)
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

/** A cross position at its price; undefined when a part of it is unknown. */
function legOf(position: StoredPosition, view: AccountView): Readable<CrossLeg> {
  const quote = view.quotes.get(position.asset)
  const funding = fundingOf(position, view)
  if (quote === undefined || 'reason' in quote || funding === undefined) return undefined
  const age = priceAge(quote.timestampSec, view)
  if (age === undefined) return undefined
  // A liquidation reads every price once before it judges, so that fresh ones are not limited by earlier ones.
  const settled = age === 'stale' ? settlementPriceOf(position.asset, quote.price, view) : quote.price
  const isPriceFresh = age === 'fresh'
  if (settled === undefined) return undefined
  return { position, pnl: pricePnl(position, quote.price), settledPnl: pricePnl(position, settled), funding, isPriceFresh }
}

/** Maximum time by which a price may be in the future for a withdrawal, whatever the maximum age is. */
const FUTURE_MAX_SEC = 60

/** A withdrawal needs fresh prices; a liquidation also takes others. Generation 1 makes no difference. */
function priceAge(timestampSec: number, { entries: { config, generation }, closeSec }: AccountView): Readable<'fresh' | 'stale' | 'future'> {
  if (!isAtLeast(generation, '2.0')) return 'fresh'
  if (config === undefined || closeSec === null) return undefined
  if (closeSec - timestampSec > config.max_price_staleness) return 'stale'
  return timestampSec - closeSec > FUTURE_MAX_SEC ? 'future' : 'fresh'
}

/** All items; undefined when there is no list, or one of its items is undefined. */
function allOf<T, U>(items: readonly T[] | undefined, convert: (item: T) => U | undefined): readonly U[] | undefined {
  const converted = items?.map(convert).filter((item) => item !== undefined)
  return converted?.length === items?.length ? converted : undefined
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

function buildLimits({ config, paused, riskEpochSec }: AccountEntries, report: ReportUnknown): AccountState['limits'] {
  if (config === undefined) report('/limits', 'entry_unreadable')
  // Once assets have their own limits, those of the configuration do not apply.
  const isPerAsset = riskEpochSec !== null
  const reason = riskEpochSec === undefined ? 'entry_unreadable' : 'per_asset'
  if (isPerAsset) for (const limit of ['maxPositionSize', 'maxLeverage']) report(`/limits/${limit}`, reason)
  return {
    minCollateral: amountText(config?.min_collateral),
    maxPositionSize: isPerAsset ? null : amountText(config?.max_position_size),
    maxLeverage: isPerAsset ? null : config?.max_leverage ?? null,
    maxPriceAgeSec: config?.max_price_staleness ?? null,
    maxPriceDeviationBps: config?.max_oracle_deviation_bps ?? null,
    tradingPaused: paused ?? null,
  }
}
