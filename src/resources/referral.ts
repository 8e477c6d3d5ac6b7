import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, amountOrNull, CHAIN_TEXT, seconds, txHash } from './fields.ts'

const code = Type.Unsafe<string>({ type: 'string', description: `Referral code, 3 to 16 characters, case-sensitive. ${CHAIN_TEXT}`, examples: ['STAR'] })
const id = Type.Integer({ description: 'Sequence number of the event in the log.', examples: [4217] })
const ledger = Type.Integer({ description: 'Ledger of the event.', examples: [1234567] })
const updatedAt = Type.Integer({ description: 'Time of the last event that changed this row, Unix milliseconds.', examples: [1_783_339_200_000] })

/** Specification, "Referrer row". */
export const Referrer = Type.Object(
  {
    referrer: address('Owner of the code.'),
    code,
    createdAt: seconds('Time the code was registered, Unix seconds.'),
    referredCount: Type.Integer({ description: 'Number of referred accounts.', examples: [3] }),
    totalVolumeGenerated: amount('Total fees of referred trades in USDC, 7-decimal. Contracts that report the notional of a trade count that instead.', '0'),
    totalEarned: amount('Total earnings of the referrer in USDC, 7-decimal.', '0'),
    claimable: amount('Earnings that can be claimed now, in USDC, 7-decimal.', '0'),
    updatedAt,
  },
  { $id: 'Referrer', description: 'The owner of a referral code. Amounts are 0 until the exchange pays referral rewards.' },
)

export type Referrer = Static<typeof Referrer>

/** Specification, "Binding row". */
export const ReferralBinding = Type.Object(
  {
    referee: address('Referred account.'),
    referrer: address('Account that referred it.'),
    code,
    boundAt: seconds('Time of the referral, Unix seconds. A referrer cannot be changed.'),
    txHash: txHash('Transaction that set the referrer.'),
  },
  { $id: 'ReferralBinding', description: 'An account and its referrer.' },
)

export type ReferralBinding = Static<typeof ReferralBinding>

/** Specification, "Referral trade row". */
export const ReferralTrade = Type.Object(
  {
    id,
    referee: address('Account that traded.'),
    referrer: address('Account that referred the trader.'),
    originalFee: amount('Trading fee before the discount, in USDC, 7-decimal.', '5000000'),
    discount: amount('Discount for the referred account in USDC, 7-decimal.', '200000'),
    payout: amount('Reward of the referrer in USDC, 7-decimal.', '500000'),
    volume: amountOrNull('Notional of the trade in USDC, 7-decimal. Null where the contract does not report it.', '10000000000'),
    ledger,
    ts: seconds('Close time of that ledger, unix seconds'),
    txHash: txHash('Transaction of the trade.'),
  },
  { $id: 'ReferralTrade', description: 'A trade that earned a referral reward.' },
)

export type ReferralTrade = Static<typeof ReferralTrade>

/** Specification, "Referral trade row": claims. */
export const ReferralClaim = Type.Object(
  {
    id,
    referrer: address('Account that claimed.'),
    amount: amount('Claimed amount in USDC, 7-decimal.', '500000'),
    ledger,
    ts: seconds('Close time of that ledger, unix seconds'),
    txHash: txHash('Transaction of the claim.'),
  },
  { $id: 'ReferralClaim', description: 'A claim of referral rewards.' },
)

export type ReferralClaim = Static<typeof ReferralClaim>
