import { Type } from 'typebox'
import type { Static, TUnsafe } from 'typebox'
import { address, amount, amountOrNull, EXAMPLE_TRADER, integerOrNull, ref, seconds } from './fields.ts'
import { EXAMPLE_OPEN_ORDER, OpenOrder } from './open-order.ts'

const marginMode: TUnsafe<'isolated' | 'cross'> = Type.Unsafe({
  type: 'string',
  enum: ['isolated', 'cross'],
  description: 'Whose collateral is at risk: the position\'s own, or the whole cross account',
  examples: ['isolated'],
})

const AccountPosition = Type.Object({
  positionId: Type.Integer({ description: 'On-chain position id', examples: [42] }),
  asset: Type.String({ description: 'Asset symbol', examples: ['BTC'] }),
  direction: Type.Integer({ description: '0 long, 1 short', examples: [0] }),
  marginMode,
  size: amount('Notional, 7-decimal USDC', '500000000'),
  collateral: amount('Net of the fee for opening, 7-decimal USDC', '99750000'),
  leverage: Type.Integer({ examples: [5] }),
  entryPrice: amount('7-decimal', '1084215000000'),
  openedAt: seconds('Close time of the opening ledger, unix seconds'),
  price: amountOrNull('What the shim says at this ledger, 7-decimal', '1090000000000'),
  priceTimestamp: integerOrNull({ description: 'When that price was attested, unix seconds', examples: [1_783_339_200] }),
  unrealizedPnl: amountOrNull('By price alone, as position_closed would state it, 7-decimal USDC', '2667828'),
  accruedFunding: amountOrNull('Run up since the open: positive is owed by the trader, 7-decimal USDC', '12500'),
  closeValue: amountOrNull('What closing at this price would bring, to the wallet or to the cross pool, if the vault can pay profits whole', '102405328'),
  liquidationPrice: amountOrNull('The first price at which a keeper may liquidate, funding and fees counted; null under cross margin', '880000000000'),
})

const CrossMargin = Type.Object({
  pool: amountOrNull('Idle collateral, 7-decimal USDC', '0'),
  equity: amountOrNull('Pool, collateral and PnL of every cross position, less funding', '0'),
  usedMargin: amountOrNull('Size over leverage, of every cross position', '0'),
  maintenanceMargin: amountOrNull('Below this equity the account can be liquidated', '0'),
  freeMargin: amountOrNull('Equity less used margin; may be negative', '0'),
  withdrawable: amountOrNull('What withdraw_cross_margin would pay now', '0'),
  liquidatable: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'A keeper may liquidate the account now', examples: [false] }),
})

/** What an account has and is worth, all of it out of one ledger. */
export const AccountState = Type.Object(
  {
    owner: address('The account'),
    ledger: Type.Integer({ description: 'The ledger that everything was read from', examples: [1_234_567] }),
    ledgerCloseTs: integerOrNull({ description: 'When it closed, unix seconds', examples: [1_783_339_200] }),
    positions: Type.Unsafe<Static<typeof AccountPosition>[] | null>({
      type: ['array', 'null'], items: AccountPosition, description: 'Open positions, newest first; null when they could not be read whole',
    }),
    orders: Type.Unsafe<OpenOrder[] | null>({
      type: ['array', 'null'], items: ref(OpenOrder), description: 'Resting orders, newest first; null when they could not be read whole',
    }),
    balances: Type.Object({
      usdc: amountOrNull('7-decimal', '1000000000'),
      lp: amountOrNull('Tokens of the liquidity vault, 7-decimal', '0'),
      xlm: amountOrNull('For the network\'s fees, 7-decimal', '100000000000'),
    }),
    cross: CrossMargin,
    fees: Type.Object({
      volume: amountOrNull('The market\'s own record that tiers go by, 7-decimal USDC', '20000000000'),
      tier: integerOrNull({ description: 'Place in the market\'s list of tiers, from 0', examples: [0] }),
      makerRate: amountOrNull('Share of the size of an executed limit order, 7-decimal: 2000 is 0.02 %', '2000'),
      takerRate: amountOrNull('Share of the size of an open at once', '5000'),
      nextTierVolume: amountOrNull('Where the next tier begins; null at the last', '200000000000'),
    }),
    limits: Type.Object({
      minCollateral: amountOrNull('7-decimal USDC', '100000000'),
      maxPositionSize: amountOrNull('7-decimal USDC', '1000000000000'),
      maxLeverage: integerOrNull({ description: 'The least is 1', examples: [10] }),
      maxPriceAgeSec: integerOrNull({ description: 'Opening needs a price that is no older', examples: [60] }),
      maxPriceDeviationBps: integerOrNull({ description: 'Opening needs a price no further from the last good one', examples: [100] }),
      tradingPaused: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'Only cancelling and liquidating go on', examples: [false] }),
    }),
    unknown: Type.Array(
      Type.Object({
        part: Type.String({ description: 'JSON pointer into this answer', examples: ['/positions/0/unrealizedPnl'] }),
        reason: Type.String({
          description:
            'no_account, no_trustline, token_unreadable, entry_unreadable, price_unreadable, price_of_another_ledger, cross_margin, never, or not_told',
          examples: ['price_unreadable'],
        }),
      }),
      { description: 'Why figures are null. What hangs on one of these is null as well' },
    ),
  },
  { $id: 'AccountState', description: 'What an account has and is worth at one ledger' },
)

export type AccountPosition = Static<typeof AccountPosition>
export type CrossMargin = Static<typeof CrossMargin>
export type AccountState = Static<typeof AccountState>

export const EXAMPLE_ACCOUNT_STATE: AccountState = {
  owner: EXAMPLE_TRADER,
  ledger: 1_234_567,
  ledgerCloseTs: 1_783_339_200,
  positions: [
    {
      positionId: 42, asset: 'BTC', direction: 0, marginMode: 'isolated', size: '500000000', collateral: '99750000', leverage: 5,
      entryPrice: '1084215000000', openedAt: 1_783_335_600, price: '1090000000000', priceTimestamp: 1_783_339_190, unrealizedPnl: '2667828',
      accruedFunding: '12500', closeValue: '102405328', liquidationPrice: '880000000000',
    },
  ],
  orders: [EXAMPLE_OPEN_ORDER],
  balances: { usdc: '1000000000', lp: null, xlm: '100000000000' },
  cross: { pool: '0', equity: '0', usedMargin: '0', maintenanceMargin: '0', freeMargin: '0', withdrawable: '0', liquidatable: false },
  fees: { volume: '500000000', tier: 0, makerRate: '2000', takerRate: '5000', nextTierVolume: '200000000000' },
  limits: {
    minCollateral: '100000000', maxPositionSize: '1000000000000', maxLeverage: 10, maxPriceAgeSec: 60, maxPriceDeviationBps: 100, tradingPaused: false,
  },
  unknown: [{ part: '/balances/lp', reason: 'no_trustline' }],
}
