import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, amountOrNull, integerOrNull } from './fields.ts'

const bounds = (description: string, max: number) =>
  Type.Object({ min: Type.Integer({ examples: [1] }), max: Type.Integer({ examples: [max] }) }, { description })

/** Not in the specification. */
export const MarketLimits = Type.Object(
  {
    asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
    ledger: Type.Integer({ description: 'Ledger that the values were read from.', examples: [1_234_567] }),
    minLeverage: Type.Integer({ description: 'Minimum leverage.', examples: [1] }),
    maxLeverage: integerOrNull({ description: 'Maximum leverage.', examples: [10] }),
    minCollateral: amountOrNull('Minimum collateral of a position in USDC, 7-decimal.', '100000000'),
    maxPositionSize: amountOrNull('Maximum position size (collateral times leverage) in USDC, 7-decimal.', '1000000000000'),
    maintenanceMarginBps: integerOrNull({ description: 'Maintenance margin as a share of the position size, basis points.', examples: [100] }),
    maxPriceAgeSec: integerOrNull({ description: 'Maximum age of the price for opening a position, seconds.', examples: [60] }),
    maxPriceDeviationBps: integerOrNull({ description: 'Maximum deviation from the last valid price for opening a position, basis points.', examples: [100] }),
    slippageToleranceBps: bounds('Slippage tolerance accepted by the contract, basis points.', 10_000),
    trailingPercentBps: bounds('Trailing distance accepted by the contract, basis points.', 5_000),
    feeTiers: Type.Unsafe<{ minVolume: string; makerRate: string; takerRate: string }[] | null>({
      type: ['array', 'null'],
      items: Type.Object({
        minVolume: amount('14-day volume at which the tier starts, in USDC, 7-decimal.', '0'),
        makerRate: amount('Fee for executed limit orders as a share of the size, 7-decimal: 2000 is 0.02 %.', '2000'),
        takerRate: amount('Fee for market orders as a share of the size, 7-decimal: 5000 is 0.05 %.', '5000'),
      }),
      description: 'Fee tiers by 14-day volume.',
    }),
    openInterest: Type.Object({
      long: amountOrNull('Open interest of longs in USDC, 7-decimal.', '12500000000'),
      short: amountOrNull('Open interest of shorts in USDC, 7-decimal.', '9000000000'),
    }),
    assetSideCap: amountOrNull('Maximum open interest of each side in USDC, 7-decimal.', '2500000000000'),
    headroom: Type.Object({
      long: amountOrNull('Remaining open interest for longs in USDC, 7-decimal.', '2487500000000'),
      short: amountOrNull('Remaining open interest for shorts in USDC, 7-decimal.', '2491000000000'),
    }),
    tradingPaused: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'], description: 'True while trading is paused: only cancellations and liquidations succeed.', examples: [false],
    }),
  },
  { $id: 'MarketLimits', description: 'Trading limits of a market. Values that could not be read are null.' },
)

export type MarketLimits = Static<typeof MarketLimits>
