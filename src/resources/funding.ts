import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, amountOrNull, integerOrNull, seconds, txHash } from './fields.ts'

/** Beyond the specification: funding as it is now. */
export const CurrentFunding = Type.Object(
  {
    ledger: Type.Integer({ description: 'The ledger that it was read from', examples: [1_234_567] }),
    rate: amountOrNull('Per hour, 7-decimal: positive when longs pay', '1250'),
    cumulative: amountOrNull('Sum of all hours, 7-decimal: a position owes its change since it was opened', '95000'),
    lastAppliedAt: integerOrNull({ description: 'Unix seconds', examples: [1_783_339_200] }),
    openInterestLong: amountOrNull('Of all assets, 7-decimal USDC', '12500000000'),
    openInterestShort: amountOrNull('Of all assets, 7-decimal USDC', '9000000000'),
  },
  { $id: 'CurrentFunding', description: 'Funding as it is now. Null: not known' },
)

export type CurrentFunding = Static<typeof CurrentFunding>

/** Beyond the specification: funding that was applied. */
export const FundingRow = Type.Object(
  {
    fundingRate: amount('Per hour, 7-decimal: positive when longs pay', '1250'),
    hoursElapsed: Type.String({ description: 'Hours that it was applied for', examples: ['1'] }),
    ledger: Type.Integer({ examples: [1_234_567] }),
    ts: seconds('Close time of that ledger, unix seconds'),
    txHash: txHash('The transaction that applied it'),
  },
  { $id: 'FundingRow', description: 'Funding that was applied' },
)

export type FundingRow = Static<typeof FundingRow>
