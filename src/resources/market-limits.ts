import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, amountOrNull, integerOrNull } from './fields.ts'

const bounds = (description: string, max: number) =>
  Type.Object({ min: Type.Integer({ examples: [1] }), max: Type.Integer({ examples: [max] }) }, { description })

/** Beyond the specification: what a market takes. */
export const MarketLimits = Type.Object(
  {
    asset: Type.String({ examples: ['BTC'] }),
    ledger: Type.Integer({ description: 'The ledger that it was read from', examples: [1_234_567] }),
    minLeverage: Type.Integer({ examples: [1] }),
    maxLeverage: integerOrNull({ description: 'Times the collateral', examples: [10] }),
    minCollateral: amountOrNull('7-decimal USDC', '100000000'),
    maxPositionSize: amountOrNull('Collateral times leverage, 7-decimal USDC', '1000000000000'),
    maintenanceMarginBps: integerOrNull({ description: 'Below this share of its size a position is liquidated', examples: [100] }),
    maxPriceAgeSec: integerOrNull({ description: 'Opening needs a price that is no older', examples: [60] }),
    maxPriceDeviationBps: integerOrNull({ description: 'Opening needs a price no further from the last good one', examples: [100] }),
    slippageToleranceBps: bounds('As the contract takes it', 10_000),
    trailingPercentBps: bounds('As the contract takes it', 5_000),
    feeTiers: Type.Unsafe<{ minVolume: string; makerRate: string; takerRate: string }[] | null>({
      type: ['array', 'null'],
      items: Type.Object({
        minVolume: amount('Traded in fourteen days, 7-decimal USDC', '0'),
        makerRate: amount('Share of the size of an executed limit order, 7-decimal: 2000 is 0.02 %', '2000'),
        takerRate: amount('Share of the size of an open at once', '5000'),
      }),
      description: 'Fees by what was traded before',
    }),
    openInterest: Type.Object({ long: amountOrNull('7-decimal USDC', '12500000000'), short: amountOrNull('7-decimal USDC', '9000000000') }),
    assetSideCap: amountOrNull('The most that each side may be, 7-decimal USDC', '2500000000000'),
    headroom: Type.Object({ long: amountOrNull('What is left of it now', '2487500000000'), short: amountOrNull('What is left of it now', '2491000000000') }),
    tradingPaused: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'Only cancelling and liquidating go on', examples: [false] }),
  },
  { $id: 'MarketLimits', description: 'What a market takes, as data. Null: not known now' },
)

export type MarketLimits = Static<typeof MarketLimits>
