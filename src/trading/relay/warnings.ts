// What to check before signing: about the transaction's own effects, at the state of the market (docs/trading.md, "Warnings").

import { formatDecimal } from '../../base/fixed-point.ts'
import { ORDER_TYPES } from '../../chain/views/market-entries.ts'
import type { OrderEntry } from '../../exchange/contracts/entry-changes.ts'
import type { TradeEffects } from '../../exchange/settlement/trade-effects.ts'
import type { Warning } from '../../resources/prepared-transaction.ts'
import { FEE_MAX_STROOPS } from './usual-fees.ts'

/** The state of the market, at most a few seconds old. Null: unknown. */
export interface MarketConditions {
  price(asset: string): { readonly price: bigint; readonly timestampSec: number } | null
  readonly maxPriceAgeSec: number | null
  /** Time at which funding of the asset was last applied, Unix seconds. */
  fundingAppliedSec(asset: string): number | null
  /** Size that can still be opened, 7-decimal USD. 0 is long, 1 is short. */
  headroom(asset: string, direction: number): bigint | null
}

/** Never rejects, and waits for a limited time. Null while the market cannot be read. */
export type ReadConditions = () => Promise<MarketConditions | null>

/** A position this close to its liquidation price is near liquidation. */
const NEAR_LIQUIDATION_BPS = 500n
const FUNDING_INTERVAL_SEC = 3_600
const BPS = 10_000n
const ABOVE = 0
const ISOLATED = 0
const REDUCE_ONLY_FLAG = 0x100

export interface WarnedCall {
  readonly op: string
  readonly nowSec: number
  /** That of the price that the call read. */
  readonly priceTimestamp: number | null
}

export function findWarnings(trade: TradeEffects, conditions: MarketConditions | null, call: WarnedCall): Warning[] {
  const margin = wrongMarginMode(call.op, trade)
  return [...(margin === null ? [] : [margin]), ...(conditions === null ? [] : marketWarnings(trade, conditions, call))]
}

function marketWarnings(trade: TradeEffects, conditions: MarketConditions, { nowSec, priceTimestamp }: WarnedCall): Warning[] {
  const { asset } = trade
  if (asset === null) return []
  const latest = conditions.price(asset)
  const found = [
    trade.order === null || latest === null ? null : triggersAtOnce(asset, trade.order, latest.price),
    nearLiquidation(asset, trade, trade.price ?? latest?.price ?? null),
    priceStale(asset, trade, { ageSec: ageOf(priceTimestamp ?? latest?.timestampSec ?? null, nowSec), maxAgeSec: conditions.maxPriceAgeSec }),
    trade.order === null ? null : aboveHeadroom(asset, trade.order, conditions.headroom(asset, trade.order.direction)),
    trade.price === null ? null : fundingDue(asset, conditions.fundingAppliedSec(asset), nowSec),
  ]
  return found.filter((warning) => warning !== null)
}

/** `isDisputed`: another node simulates another fee. `usualStroops` null: too few were prepared to know it. */
export function feeUnusual(
  op: string,
  { feeStroops, usualStroops, isDisputed }: { readonly feeStroops: bigint; readonly usualStroops: bigint | null; readonly isDisputed: boolean },
): Warning {
  const usual = usualStroops === null ? `at most ${xlm(FEE_MAX_STROOPS)}` : xlm(usualStroops)
  return {
    code: 'fee_unusual',
    message: `The fee is ${xlm(feeStroops)}. The usual fee of ${op} is ${usual}.${isDisputed ? ' Another node simulates another fee.' : ''} `
      + 'Do not sign it: prepare the transaction again later. If the fee stays, compare it with another node of the network.',
    usualFee: (usualStroops ?? FEE_MAX_STROOPS).toString(),
  }
}

function xlm(stroops: bigint): string {
  return `${formatDecimal(stroops)} XLM`
}

/** Contracts of generation 2 close a cross position as an isolated one. */
function wrongMarginMode(op: string, { previous }: TradeEffects): Warning | null {
  if (op !== 'close_position' || previous === null || previous.margin_mode === ISOLATED) return null
  return {
    code: 'wrong_margin_mode',
    message: `Position ${previous.id} is in cross margin. close_position treats it as isolated and pays it out to your wallet, not to your cross `
      + 'balance. Use close_position_cross.',
  }
}

function triggersAtOnce(asset: string, order: OrderEntry, price: bigint): Warning | null {
  const type = ORDER_TYPES[order.order_type]
  if (type === 'trailing_stop') return null
  const reference = type === 'take_profit' && order.limit_price > 0n ? order.limit_price : order.trigger_price
  const isReached = order.trigger_condition === ABOVE ? price >= reference : price <= reference
  if (!isReached) return null
  const side = order.trigger_condition === ABOVE ? 'at or above' : 'at or below'
  return {
    code: 'triggers_at_once',
    message: `The price of ${asset} is ${formatDecimal(price)}, already ${side} the trigger of ${formatDecimal(reference)}. `
      + 'Keepers can execute the order at once. Check the trigger price and its condition.',
  }
}

function nearLiquidation(asset: string, { position, liquidationPrice }: TradeEffects, price: bigint | null): Warning | null {
  if (position === null || liquidationPrice === null || price === null || price <= 0n) return null
  const distance = position.direction === 0 ? price - liquidationPrice : liquidationPrice - price
  if (distance * BPS >= price * NEAR_LIQUIDATION_BPS) return null
  return {
    code: 'near_liquidation',
    message: `The position would be liquidated at ${formatDecimal(liquidationPrice)}, less than 5 % from the price of ${asset}, ${formatDecimal(price)}. `
      + 'Use less leverage or more collateral.',
  }
}

function ageOf(timestampSec: number | null, nowSec: number): number | null {
  return timestampSec === null ? null : nowSec - timestampSec
}

function priceStale(
  asset: string, { price, order }: TradeEffects, { ageSec, maxAgeSec }: { readonly ageSec: number | null; readonly maxAgeSec: number | null },
): Warning | null {
  if ((price === null && order === null) || ageSec === null || maxAgeSec === null || ageSec <= maxAgeSec) return null
  return {
    code: 'price_stale',
    message: `The price of ${asset} is ${ageSec} seconds old. The exchange accepts ${maxAgeSec} seconds when it opens positions, but closes at any age. `
      + 'Compare it with other markets, or wait for a new price.',
  }
}

function aboveHeadroom(asset: string, order: OrderEntry, headroom: bigint | null): Warning | null {
  const isReduceOnly = (order.time_in_force & REDUCE_ONLY_FLAG) !== 0
  const size = order.collateral * BigInt(order.leverage)
  if (order.has_position || isReduceOnly || headroom === null || size <= headroom) return null
  return {
    code: 'above_headroom',
    message: `The order opens ${formatDecimal(size)} USD of ${asset}, but only ${formatDecimal(headroom)} USD can be opened in this direction now. `
      + 'It cannot be executed until others close. Use a smaller size.',
  }
}

function fundingDue(asset: string, appliedSec: number | null, nowSec: number): Warning | null {
  if (appliedSec === null || nowSec < appliedSec + FUNDING_INTERVAL_SEC) return null
  return {
    code: 'funding_due',
    message: `Funding of ${asset} is due and can be applied before or after this transaction, for a full hour. `
      + 'The amounts of the preview do not include it.',
  }
}
