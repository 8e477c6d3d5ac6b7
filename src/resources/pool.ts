import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, amountOrNull, integerOrNull, seconds } from './fields.ts'
import { bindingLimitOrNull } from './market-stats.ts'

const MAX_POSITION = 'maxPosition only where each asset has its own maximum size. Null if unknown.'

const headroom = {
  long: amountOrNull('Position size that can still be opened long, in USDC, 7-decimal.', '250000000000'),
  short: amountOrNull('Position size that can still be opened short, in USDC, 7-decimal.', '250000000000'),
  bindingLong: bindingLimitOrNull(`Limit that determines the headroom for longs. ${MAX_POSITION}`),
  bindingShort: bindingLimitOrNull(`Limit that determines the headroom for shorts. ${MAX_POSITION}`),
}

export const SideHeadroom = Type.Object(headroom)

export type SideHeadroom = Static<typeof SideHeadroom>

/** Not in the specification. */
export const PoolState = Type.Object(
  {
    ledger: Type.Integer({ description: 'Ledger that the values were read from.', examples: [1_234_567] }),
    aum: amountOrNull('Assets under management of the pool in USDC, 7-decimal.', '1000000000000'),
    lpPrice: amountOrNull('Price of one LP token in USDC, 7-decimal.', '10000000'),
    lpSupply: amountOrNull('LP tokens in circulation, 7-decimal.', '1000000000000'),
    totalUsdc: amountOrNull('USDC recorded by the pool contract, 7-decimal.', '1000000000000'),
    usdcBalance: amountOrNull('USDC token balance of the pool contract, 7-decimal.', '1000000000000'),
    totalFees: amountOrNull('Total deposit and withdrawal fees collected, in USDC, 7-decimal.', '0'),
    unrealizedPnl: amountOrNull('Unrealised profit of all traders as last reported to the pool, in USDC, 7-decimal. The pool owes it when positive.', '0'),
    reservedPayout: amountOrNull('USDC reserved for payouts of open positions, 7-decimal.', '0'),
    shortfall: amountOrNull('Profits that the pool could not pay, in USDC, 7-decimal.', '0'),
    bufferBalance: amountOrNull('Insurance buffer in USDC, 7-decimal. Not part of aum. Null on contracts of generation 1.', '0'),
    shortfallReserve: amountOrNull(
      'USDC set aside for profits that could not be paid, 7-decimal. Not part of aum. Null on contracts of generation 1.', '0',
    ),
    depositFeeBps: integerOrNull({ description: 'Deposit fee, basis points.', examples: [30] }),
    withdrawFeeBps: integerOrNull({ description: 'Withdrawal fee, basis points.', examples: [30] }),
    paused: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'True while deposits and withdrawals are paused.', examples: [false] }),
    caps: Type.Object({
      reservedBps: integerOrNull({ description: 'Maximum reserved payouts as a share of aum, basis points.', examples: [7000] }),
      assetSideBps: integerOrNull({
        description: 'Maximum open interest of one side of an asset as a share of aum, basis points: the lowest of all assets.', examples: [2500],
      }),
    }),
    headroom: Type.Object({
      total: amountOrNull('Total position size that can still be opened, in USDC, 7-decimal.', '700000000000'),
      assets: Type.Array(Type.Object({ asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }), ...headroom }), {
        description: 'Headroom by asset and side.',
      }),
    }),
  },
  { $id: 'PoolState', description: 'State of the liquidity vault and the remaining headroom. Values that could not be read are null.' },
)

export type PoolState = Static<typeof PoolState>

/** Not in the specification. */
export const PoolSample = Type.Object(
  {
    time: seconds('Start of the five-minute interval, Unix seconds.'),
    ledger: Type.Integer({ description: 'Ledger that was sampled.', examples: [1_234_567] }),
    aum: amount('Assets under management in USDC, 7-decimal.', '1000000000000'),
    lpPrice: amount('Price of one LP token in USDC, 7-decimal.'),
    lpSupply: amount('LP tokens in circulation, 7-decimal.', '1000000000000'),
    reservedPayout: amountOrNull('USDC reserved for payouts of open positions, 7-decimal.', '0'),
    unrealizedPnl: amountOrNull('Unrealised profit of all traders in USDC, 7-decimal.', '0'),
    deposits: amount('USDC deposited in this interval, and in intervals without a sample before it, 7-decimal.', '50000000000'),
    withdrawals: amount('USDC withdrawn in the same intervals, without the fee, 7-decimal.', '0'),
  },
  { $id: 'PoolSample', description: 'A historical sample of the liquidity vault.' },
)

export type PoolSample = Static<typeof PoolSample>
