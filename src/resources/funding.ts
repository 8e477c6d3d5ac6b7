import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, amountOrNull, integerOrNull, seconds, txHash } from './fields.ts'

/** Not in the specification. */
export const CurrentFunding = Type.Object(
  {
    ledger: Type.Integer({ description: 'Ledger that the values were read from.', examples: [1_234_567] }),
    rate: amountOrNull('Funding rate per hour, 7-decimal. Positive when longs pay shorts.', '1250'),
    cumulative: amountOrNull('Cumulative funding rate, 7-decimal. A position owes the change since it was opened.', '95000'),
    lastAppliedAt: integerOrNull({ description: 'Time funding was last applied, Unix seconds.', examples: [1_783_339_200] }),
    openInterestLong: amountOrNull('Open interest of all longs, in USDC, 7-decimal.', '12500000000'),
    openInterestShort: amountOrNull('Open interest of all shorts, in USDC, 7-decimal.', '9000000000'),
  },
  { $id: 'CurrentFunding', description: 'Current funding. Values that could not be read are null.' },
)

export type CurrentFunding = Static<typeof CurrentFunding>

/** Not in the specification. */
export const FundingRow = Type.Object(
  {
    fundingRate: amount('Funding rate per hour, 7-decimal. Positive when longs pay shorts.', '1250'),
    hoursElapsed: Type.String({ description: 'Number of hours covered.', examples: ['1'] }),
    ledger: Type.Integer({ description: 'Ledger in which funding was applied.', examples: [1_234_567] }),
    ts: seconds('Close time of that ledger, Unix seconds.'),
    txHash: txHash('Transaction that applied the funding.'),
  },
  { $id: 'FundingRow', description: 'One application of funding.' },
)

export type FundingRow = Static<typeof FundingRow>
