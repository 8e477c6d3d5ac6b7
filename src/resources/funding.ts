import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, amountOrNull, integerOrNull, seconds, txHash } from './fields.ts'

const AssetFunding = Type.Object({
  asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
  rate: amountOrNull('Funding rate per hour, 7-decimal. Positive when longs pay shorts.', '1250'),
  cumulative: amountOrNull('Cumulative funding rate, 7-decimal. A position owes the change since it was opened.', '95000'),
  lastTs: integerOrNull({ description: 'Time funding was last applied, Unix seconds.', examples: [1_783_339_200] }),
  nextTs: integerOrNull({ description: 'Earliest time of the next application, Unix seconds.', examples: [1_783_342_800] }),
  predictedRate: amountOrNull(
    'Rate per hour of the next application if it happens as early as possible and the open interest stays as it is, 7-decimal.', '1400',
  ),
})

export type AssetFunding = Static<typeof AssetFunding>

/** Not in the specification. */
export const CurrentFunding = Type.Object(
  {
    ledger: Type.Integer({ description: 'Ledger that the values were read from.', examples: [1_234_567] }),
    rate: amountOrNull('Rate per hour that all assets share, 7-decimal. Null on contracts of generation 2, where each asset has its own.', '1250'),
    cumulative: amountOrNull('Cumulative rate that all assets share, 7-decimal. Null on contracts of generation 2.', '95000'),
    lastAppliedAt: integerOrNull({
      description: 'Time the shared funding was last applied, Unix seconds. Null on contracts of generation 2.', examples: [1_783_339_200],
    }),
    nextTs: integerOrNull({
      description: 'Earliest time of the next application of the shared funding, Unix seconds. Null on contracts of generation 2.', examples: [1_783_342_800],
    }),
    predictedRate: amountOrNull(
      'Shared rate per hour of the next application if the open interest stays as it is, 7-decimal. Null on contracts of generation 2.', '1400',
    ),
    openInterestLong: amountOrNull('Open interest of all longs, in USDC, 7-decimal.', '12500000000'),
    openInterestShort: amountOrNull('Open interest of all shorts, in USDC, 7-decimal.', '9000000000'),
    assets: Type.Array(AssetFunding, { description: 'Funding of each asset. On contracts of generation 1 all have the shared rate.' }),
  },
  { $id: 'CurrentFunding', description: 'Current funding. Values that could not be read are null.' },
)

export type CurrentFunding = Static<typeof CurrentFunding>

/** Not in the specification. */
export const FundingRow = Type.Object(
  {
    asset: Type.Unsafe<string | null>({
      type: ['string', 'null'], description: 'Asset symbol. Null on contracts of generation 1: the funding applies to all assets.', examples: ['BTC'],
    }),
    fundingRate: amount('Funding rate per hour, 7-decimal. Positive when longs pay shorts.', '1250'),
    hoursElapsed: Type.String({ description: 'Number of hours covered.', examples: ['1'] }),
    ledger: Type.Integer({ description: 'Ledger in which funding was applied.', examples: [1_234_567] }),
    ts: seconds('Close time of that ledger, Unix seconds.'),
    txHash: txHash('Transaction that applied the funding.'),
  },
  { $id: 'FundingRow', description: 'One application of funding.' },
)

export type FundingRow = Static<typeof FundingRow>
