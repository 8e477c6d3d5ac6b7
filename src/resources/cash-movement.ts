import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amountOrNull, integerOrNull, seconds, txHash } from './fields.ts'

export const CASH_KINDS = [
  'open', 'close', 'liquidation', 'order_escrow', 'order_refund', 'keeper_reward', 'cross_deposit', 'cross_withdraw', 'lp_deposit', 'lp_withdraw',
  'vault_deposit', 'vault_withdraw', 'fees_claimed', 'referral_claim', 'other',
] as const

export type CashKind = (typeof CASH_KINDS)[number]

const MONEY = 'in USDC, 7-decimal. Null if it does not apply or is not known.'

/** Not in the specification. */
export const CashMovement = Type.Object(
  {
    seq: Type.Integer({ description: 'Position in the event log. Between wallet and cross balance there are two rows with the same seq.', examples: [4217] }),
    kind: Type.Unsafe<CashKind>({
      type: 'string',
      enum: [...CASH_KINDS],
      description:
        'What the movement was for. order_escrow: collateral of a resting order; order_refund: its return. other: anything else, and what is not known yet.',
      examples: ['close'],
    }),
    amount: amountOrNull(
      'USDC that the balance gained, negative if it lost, 7-decimal. Null: the cross balance may have changed, and by how much is not known.', '52667828',
    ),
    balanceOf: Type.Unsafe<'wallet' | 'cross'>({
      type: 'string', enum: ['wallet', 'cross'], description: 'Balance that changed: of the USDC token, or of the cross margin account.', examples: ['wallet'],
    }),
    positionId: integerOrNull({ description: 'Position that the movement belongs to.', examples: [42] }),
    orderId: integerOrNull({ description: 'Order that the movement belongs to.', examples: [null] }),
    vaultId: integerOrNull({ description: 'Trader vault that the movement belongs to.', examples: [null] }),
    fee: amountOrNull(`Trading fee that is part of the amount, ${MONEY}`, '0'),
    funding: amountOrNull(`Funding that is part of the amount, positive if paid, ${MONEY}`, '-1200'),
    pnl: amountOrNull(`Profit or loss by price that is part of the amount, ${MONEY}`, '2667828'),
    ledger: Type.Integer({ description: 'Ledger of the movement.', examples: [1_234_567] }),
    ts: seconds('Close time of that ledger, Unix seconds.'),
    txHash: txHash('Transaction of the movement.'),
  },
  { $id: 'CashMovement', description: 'A movement of USDC between an account and the exchange.' },
)

export type CashMovement = Static<typeof CashMovement>
