import { Type } from 'typebox'
import type { Static, TUnsafe } from 'typebox'
import { address, amount, amountOrNull, EXAMPLE_TRADER, integerOrNull, ref, seconds } from './fields.ts'
import { EXAMPLE_OPEN_ORDER, OpenOrder } from './open-order.ts'

const marginMode: TUnsafe<'isolated' | 'cross'> = Type.Unsafe({
  type: 'string',
  enum: ['isolated', 'cross'],
  description: 'Margin mode. isolated: only the collateral of this position is at risk. cross: the whole cross margin account is at risk.',
  examples: ['isolated'],
})

const AccountPosition = Type.Object({
  positionId: Type.Integer({ description: 'On-chain position id.', examples: [42] }),
  asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
  direction: Type.Integer({ description: '0 is long, 1 is short.', examples: [0] }),
  marginMode,
  size: amount('Notional value in USDC, 7-decimal.', '500000000'),
  collateral: amount('Collateral after the opening fee, in USDC, 7-decimal.', '99750000'),
  leverage: Type.Integer({ description: 'Position size divided by collateral.', examples: [5] }),
  entryPrice: amount('Entry price in USD, 7-decimal.', '1084215000000'),
  openedAt: seconds('Close time of the ledger that opened the position, Unix seconds.'),
  price: amountOrNull('Oracle price at this ledger in USD, 7-decimal.', '1090000000000'),
  priceTimestamp: integerOrNull({ description: 'Attestation time of the price, Unix seconds.', examples: [1_783_339_200] }),
  unrealizedPnl: amountOrNull('Unrealised profit or loss from price movement alone, in USDC, 7-decimal. Funding is excluded.', '2667828'),
  accruedFunding: amountOrNull('Funding accrued since the position opened, in USDC, 7-decimal. Positive when the trader owes it.', '12500'),
  closeValue: amountOrNull(
    'Payout in USDC, 7-decimal, if the position closed at this price: to the wallet, or to the cross margin pool. Assumes that the liquidity vault can ' +
    'pay the full profit. From generation 2 on, a close settles at most a few percent away from the last good price while that is recent.',
    '102405328',
  ),
  liquidationPrice: amountOrNull(
    'First price at which a keeper can liquidate the position, including funding and fees. Null under cross margin. From generation 2 on, a liquidation ' +
    'also needs the average of the last prices to allow it.', '880000000000',
  ),
})

const CrossMargin = Type.Object({
  pool: amountOrNull('Idle collateral in USDC, 7-decimal.', '0'),
  equity: amountOrNull('Pool plus the collateral and PnL of every cross position, minus funding, in USDC, 7-decimal.', '0'),
  usedMargin: amountOrNull('Sum of size divided by leverage over all cross positions, in USDC, 7-decimal.', '0'),
  maintenanceMargin: amountOrNull('Equity below which the account can be liquidated, in USDC, 7-decimal.', '0'),
  freeMargin: amountOrNull('Equity minus used margin, in USDC, 7-decimal. Can be negative.', '0'),
  withdrawable: amountOrNull('Largest amount that withdraw_cross_margin can pay now, in USDC, 7-decimal.', '0'),
  liquidatable: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'], description: 'True if the equity is below the maintenance margin, so that a keeper can liquidate the account.',
    examples: [false],
  }),
})

/** Positions, orders, balances and margin of an account, all read from one ledger. */
export const AccountState = Type.Object(
  {
    owner: address('The account.'),
    ledger: Type.Integer({ description: 'Ledger that all values were read from.', examples: [1_234_567] }),
    ledgerCloseTs: integerOrNull({ description: 'Close time of that ledger, Unix seconds.', examples: [1_783_339_200] }),
    positions: Type.Unsafe<Static<typeof AccountPosition>[] | null>({
      type: ['array', 'null'], items: AccountPosition, description: 'Open positions, newest first. Null if not all of them could be read.',
    }),
    orders: Type.Unsafe<OpenOrder[] | null>({
      type: ['array', 'null'], items: ref(OpenOrder), description: 'Open orders, newest first. Null if not all of them could be read.',
    }),
    balances: Type.Object({
      usdc: amountOrNull('USDC balance, 7-decimal.', '1000000000'),
      lp: amountOrNull('LP token balance, 7-decimal.', '0'),
      xlm: amountOrNull('XLM balance, which pays network fees, 7-decimal.', '100000000000'),
    }),
    cross: CrossMargin,
    fees: Type.Object({
      volume: amountOrNull('14-day trading volume recorded by the market contract, which determines the fee tier, in USDC, 7-decimal.', '20000000000'),
      tier: integerOrNull({ description: 'Index of the fee tier, starting at 0.', examples: [0] }),
      makerRate: amountOrNull('Fee for executed limit orders as a share of the size, 7-decimal: 2000 is 0.02 %.', '2000'),
      takerRate: amountOrNull('Fee for market orders as a share of the size, 7-decimal: 5000 is 0.05 %.', '5000'),
      nextTierVolume: amountOrNull('Volume at which the next tier starts, in USDC, 7-decimal. Null in the last tier.', '200000000000'),
    }),
    limits: Type.Object({
      minCollateral: amountOrNull('Minimum collateral of a position in USDC, 7-decimal.', '100000000'),
      maxPositionSize: amountOrNull('Maximum position size in USDC, 7-decimal. Null where each asset has its own.', '1000000000000'),
      maxLeverage: integerOrNull({ description: 'Maximum leverage. The minimum is 1. Null where each asset has its own.', examples: [10] }),
      maxPriceAgeSec: integerOrNull({ description: 'Maximum age of the price for opening a position, seconds.', examples: [60] }),
      maxPriceDeviationBps: integerOrNull({
        description: 'Maximum deviation from the last valid price for opening a position, basis points.', examples: [100],
      }),
      tradingPaused: Type.Unsafe<boolean | null>({
        type: ['boolean', 'null'], description: 'True while no position can be opened because the market is paused.', examples: [false],
      }),
    }),
    unknown: Type.Array(
      Type.Object({
        part: Type.String({ description: 'JSON pointer to the null value in this response.', examples: ['/positions/0/unrealizedPnl'] }),
        reason: Type.String({
          description:
            'Why the value is null: no_account, no_trustline, token_unreadable, entry_unreadable, price_unreadable, price_of_another_ledger, cross_margin, ' +
            'never, per_asset (see the limits of the market), or not_told.',
          examples: ['price_unreadable'],
        }),
      }),
      { description: 'Reasons for null values. A value that depends on one of these is null too.' },
    ),
  },
  { $id: 'AccountState', description: 'Positions, orders, balances and margin of an account at one ledger.' },
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
