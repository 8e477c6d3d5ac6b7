import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, seconds, txHash } from './fields.ts'

const code = Type.Unsafe<string>({ type: 'string', description: '3 to 16 characters; upper and lower case differ', examples: ['STAR'] })
const id = Type.Integer({ description: 'Position of its event in the log', examples: [4217] })
const ledger = Type.Integer({ description: 'Ledger of the event', examples: [1234567] })
const updatedAt = Type.Integer({ description: 'Of the last event that changed it, milliseconds', examples: [1_783_339_200_000] })

/** Specification, "Referrer row". */
export const Referrer = Type.Object(
  {
    referrer: address('The code\'s owner'),
    code,
    createdAt: seconds('When the code was registered, unix seconds'),
    referredCount: Type.Integer({ description: 'Wallets bound to the code', examples: [3] }),
    totalVolumeGenerated: amount('Fees of referred trades together (fees, not sizes), 7-decimal USDC', '0'),
    totalEarned: amount('The referrer\'s share of them, ever, 7-decimal USDC', '0'),
    claimable: amount('What of it can be claimed, 7-decimal USDC', '0'),
    updatedAt,
  },
  { $id: 'Referrer', description: 'The owner of a referral code. Until the exchange pays for referrals, its amounts are 0' },
)

export type Referrer = Static<typeof Referrer>

/** Specification, "Binding row". */
export const ReferralBinding = Type.Object(
  {
    referee: address('Who was referred'),
    referrer: address('By whom'),
    code,
    boundAt: seconds('When, unix seconds; once and for good'),
    txHash: txHash('The transaction that bound them'),
  },
  { $id: 'ReferralBinding', description: 'A wallet bound to a referral code' },
)

export type ReferralBinding = Static<typeof ReferralBinding>

/** Specification, "Referral trade row". */
export const ReferralTrade = Type.Object(
  {
    id,
    referee: address('Who traded'),
    referrer: address('Who referred them'),
    originalFee: amount('The trade\'s fee without discount, 7-decimal USDC', '5000000'),
    discount: amount('What the referee did not have to pay, 7-decimal USDC', '200000'),
    payout: amount('The referrer\'s share, 7-decimal USDC', '500000'),
    ledger,
    ts: seconds('Close time of that ledger, unix seconds'),
    txHash: txHash('The trade\'s transaction'),
  },
  { $id: 'ReferralTrade', description: 'A trade that a referrer was paid for' },
)

export type ReferralTrade = Static<typeof ReferralTrade>

/** Specification, "Referral trade row": claims. */
export const ReferralClaim = Type.Object(
  {
    id,
    referrer: address('Who claimed'),
    amount: amount('7-decimal USDC', '500000'),
    ledger,
    ts: seconds('Close time of that ledger, unix seconds'),
    txHash: txHash('The claim\'s transaction'),
  },
  { $id: 'ReferralClaim', description: 'A referrer\'s claim' },
)

export type ReferralClaim = Static<typeof ReferralClaim>
