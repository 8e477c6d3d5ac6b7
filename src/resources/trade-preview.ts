import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amountOrNull, integerOrNull } from './fields.ts'

/** The effect of a transaction, by its simulation. Not in the specification. Null: does not apply, or is not known. */
export const TradePreview = Type.Object(
  {
    positionId: integerOrNull({ description: 'Position that is opened, changed or closed; of an attached order the position it belongs to.', examples: [43] }),
    orderId: integerOrNull({ description: 'Order that is placed or cancelled.', examples: [null] }),
    entryPrice: amountOrNull('Entry price of the position in USD, 7-decimal.', '1084215000000'),
    size: amountOrNull('What is opened or closed, or what the order or position is for, in USD, 7-decimal.', '500000000'),
    collateral: amountOrNull(
      'Collateral in USDC, 7-decimal: of the position after the transaction and net of fees; of a close, the part that is settled; of an order, what it holds.',
      '99750000',
    ),
    fee: amountOrNull('Fee of the exchange after discounts, in USDC, 7-decimal.', '250000'),
    keeperReward: amountOrNull('What a keeper is paid in this transaction, in USDC, 7-decimal.', '500000'),
    liquidationPrice: amountOrNull('Stored liquidation price of the isolated position after the transaction, in USD, 7-decimal.', '878214150000'),
    pnl: amountOrNull('Realised profit or loss by price alone, in USDC, 7-decimal.', '2667828'),
    payout: amountOrNull(
      'What the account receives in USDC, 7-decimal: in its wallet, or in its cross margin pool when a cross position is closed.', '100000000',
    ),
    price: amountOrNull('Price that the transaction executes at, or that it reads, in USD, 7-decimal.', '1084215000000'),
    priceTimestamp: integerOrNull({ description: 'Attestation time of that price, Unix seconds.', examples: [1_783_339_200] }),
    ledger: Type.Integer({ description: 'Ledger that the figures are of.', examples: [1_234_567] }),
  },
  { $id: 'TradePreview', description: 'What a transaction does if nothing changes before it is applied. Members that do not apply or are not known are null.' },
)

export type TradePreview = Static<typeof TradePreview>
