import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, amountOrNull, integerOrNull, seconds } from './fields.ts'

const headroom = {
  long: amountOrNull('Size that longs can still be opened for, 7-decimal USDC', '250000000000'),
  short: amountOrNull('The same for shorts', '250000000000'),
}

const SideHeadroom = Type.Object(headroom)

/** What can still be opened on each side of an asset. */
export type SideHeadroom = Static<typeof SideHeadroom>

/** Beyond the specification: the liquidity vault. */
export const PoolState = Type.Object(
  {
    ledger: Type.Integer({ description: 'The ledger that it was read from', examples: [1_234_567] }),
    aum: amountOrNull('What the pool is worth, 7-decimal USDC', '1000000000000'),
    lpPrice: amountOrNull('Of one LP token, 7-decimal USDC', '10000000'),
    lpSupply: amountOrNull('LP tokens in circulation, 7-decimal', '1000000000000'),
    totalUsdc: amountOrNull('The pool\'s own books, 7-decimal USDC', '1000000000000'),
    usdcBalance: amountOrNull('What it holds, 7-decimal USDC', '1000000000000'),
    totalFees: amountOrNull('Deposit and withdrawal fees so far, 7-decimal USDC', '0'),
    unrealizedPnl: amountOrNull('Of all traders, as the pool was last told: their profit is its debt', '0'),
    reservedPayout: amountOrNull('What is reserved for open positions, 7-decimal USDC', '0'),
    shortfall: amountOrNull('Profits that could not be paid, 7-decimal USDC', '0'),
    depositFeeBps: integerOrNull({ description: 'Basis points', examples: [30] }),
    withdrawFeeBps: integerOrNull({ description: 'Basis points', examples: [30] }),
    paused: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'No deposits and withdrawals', examples: [false] }),
    caps: Type.Object({
      reservedBps: Type.Integer({ description: 'Reserved payouts against aum, by default', examples: [7000] }),
      assetSideBps: Type.Integer({ description: 'Open interest of one side of an asset against aum, by default', examples: [2500] }),
    }),
    headroom: Type.Object({
      total: amountOrNull('Size that can still be opened in all, 7-decimal USDC', '700000000000'),
      assets: Type.Array(Type.Object({ asset: Type.String({ examples: ['BTC'] }), ...headroom }), { description: 'By asset and side' }),
    }),
  },
  { $id: 'PoolState', description: 'The liquidity vault, and what can still be opened against it. Null: not known now' },
)

export type PoolState = Static<typeof PoolState>

/** Beyond the specification: the pool at a time. */
export const PoolSample = Type.Object(
  {
    time: seconds('Begin of the five minutes, unix seconds'),
    ledger: Type.Integer({ description: 'The ledger that was sampled in them', examples: [1_234_567] }),
    aum: amount('7-decimal USDC', '1000000000000'),
    lpPrice: amount('7-decimal USDC'),
    lpSupply: amount('7-decimal', '1000000000000'),
    reservedPayout: amountOrNull('7-decimal USDC', '0'),
    unrealizedPnl: amountOrNull('7-decimal USDC', '0'),
  },
  { $id: 'PoolSample', description: 'The liquidity vault as it was' },
)

export type PoolSample = Static<typeof PoolSample>
