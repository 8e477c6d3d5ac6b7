import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, amountOrNull, booleanOrNull, integerOrNull } from './fields.ts'
import { SideHeadroom } from './pool.ts'

const bounds = (description: string, max: number) =>
  Type.Object({ min: Type.Integer({ examples: [1] }), max: Type.Integer({ examples: [max] }) }, { description })

/** Not in the specification. */
export const MarketLimits = Type.Object(
  {
    asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
    ledger: Type.Integer({ description: 'Ledger that the values were read from.', examples: [1_234_567] }),
    minLeverage: Type.Integer({ description: 'Minimum leverage: a constant of the contracts.', examples: [1] }),
    maxLeverage: integerOrNull({ description: 'Maximum leverage. Null also for an asset that cannot be traded.', examples: [10] }),
    minCollateral: amountOrNull('Minimum collateral of a position in USDC, 7-decimal.', '100000000'),
    maxPositionSize: amountOrNull('Maximum position size (collateral times leverage) in USDC, 7-decimal.', '1000000000000'),
    initialMarginBps: integerOrNull({
      description: 'Initial margin as a share of the position size, basis points. Null on contracts without limits per asset.', examples: [400],
    }),
    maintenanceMarginBps: integerOrNull({ description: 'Maintenance margin as a share of the position size, basis points.', examples: [100] }),
    maxPriceAgeSec: integerOrNull({ description: 'Maximum age of the price for opening a position, seconds.', examples: [60] }),
    maxPriceDeviationBps: integerOrNull({ description: 'Maximum deviation from the last valid price for opening a position, basis points.', examples: [100] }),
    slippageToleranceBps: bounds('Slippage tolerance accepted by the contract, basis points: a constant of its code.', 10_000),
    trailingPercentBps: bounds('Trailing distance accepted by the contract, basis points: a constant of its code.', 5_000),
    feeTiers: Type.Unsafe<{ minVolume: string; makerRate: string; takerRate: string }[] | null>({
      type: ['array', 'null'],
      items: Type.Object({
        minVolume: amount('14-day volume at which the tier starts, in USDC, 7-decimal.', '0'),
        makerRate: amount('Fee for executed limit orders as a share of the size, 7-decimal: 2000 is 0.02 %.', '2000'),
        takerRate: amount('Fee for market orders as a share of the size, 7-decimal: 5000 is 0.05 %.', '5000'),
      }),
      description: 'Fee tiers by 14-day volume.',
    }),
    keeperFee: Type.Object(
      {
        base: amountOrNull('Fixed part in USDC, 7-decimal.', '0'),
        rate: amountOrNull('Share of the size of the order or position, 7-decimal: 1000 is 0.01 %.', '1000'),
      },
      {
        description:
          'What the keeper that executes an order is paid: an order that opens a position pays it out of its collateral, one that closes a position out ' +
          'of the proceeds. On contracts of generation 1 a constant of their code.',
      },
    ),
    openInterest: Type.Object({
      long: amountOrNull('Open interest of longs in USDC, 7-decimal.', '12500000000'),
      short: amountOrNull('Open interest of shorts in USDC, 7-decimal.', '9000000000'),
    }),
    assetSideCap: amountOrNull('Maximum open interest of each side in USDC, 7-decimal.', '2500000000000'),
    headroom: SideHeadroom,
    tradingPaused: booleanOrNull('True while no position can be opened because the market is paused.'),
    pauseMode: integerOrNull({
      description: '0: trading. 1: no position can be opened, positions can be closed. 2: frozen. Null on contracts of generation 1, which have one mode only.',
      examples: [0],
    }),
    assetHalted: booleanOrNull('True while no position in this asset can be opened. Null on contracts of generation 1.'),
    adlActive: booleanOrNull('True while positions in this asset are deleveraged and none can be opened. Null on contracts of generation 1.'),
  },
  { $id: 'MarketLimits', description: 'Trading limits of a market. Values that could not be read are null.' },
)

export type MarketLimits = Static<typeof MarketLimits>
