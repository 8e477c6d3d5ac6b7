import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, amountOrNull, integerOrNull, seconds } from './fields.ts'
import { RealizedTrade } from './realized-trade.ts'

const LOSS = 'A liquidation counts as a loss.'

function tradeOrNull(description: string) {
  return Type.Unsafe<RealizedTrade | null>({ ...Type.Object(RealizedTrade.properties, { description }), type: ['object', 'null'] })
}

/** Not in the specification. */
export const TraderProfile = Type.Object(
  {
    address: address('The requested account (G…) or contract (C…).'),
    volume: amount('Notional of opens and matched closes over the whole history, without liquidations, in USDC, 7-decimal.', '20000000000'),
    volume24h: amount('The same over the past 86,400 seconds.', '500000000'),
    volume14d: amount('The same over the past 14 × 86,400 seconds.', '20000000000'),
    realizedPnl: amount(
      'Profit or loss by price of everything closed, in USDC, 7-decimal. Includes liquidations, which `pnl` of the leaderboard does not.', '2667828',
    ),
    trades: Type.Integer({ description: 'Number of opens, closes, reductions and liquidations.', examples: [12] }),
    liquidations: Type.Integer({ description: 'Number of liquidations, partial ones included.', examples: [0] }),
    wins: Type.Integer({ description: 'Closes and reductions with a profit by price.', examples: [4] }),
    losses: Type.Integer({ description: `Closes and reductions with a loss by price. ${LOSS}`, examples: [1] }),
    winRate: Type.Unsafe<number | null>({
      type: ['number', 'null'], description: 'Wins as a share of wins and losses, 0 to 1. Null without either.', examples: [0.8],
    }),
    openPositions: Type.Integer({ description: 'Number of open positions.', examples: [2] }),
    openInterest: amount('Sum of their sizes in USDC, 7-decimal.', '1000000000'),
    firstTradeAt: integerOrNull({ description: 'Close time of the first trade, Unix seconds. Null if there is none.', examples: [1_783_339_200] }),
    lastTradeAt: integerOrNull({ description: 'Close time of the last trade, Unix seconds. Null if there is none.', examples: [1_783_342_800] }),
    bestTrade: tradeOrNull('The trade with the highest PnL; the earliest of equal ones. Null if there is none.'),
    worstTrade: tradeOrNull('The trade with the lowest PnL; the earliest of equal ones. Null if there is none.'),
  },
  { $id: 'TraderProfile', description: 'Lifetime results of one account.' },
)

export type TraderProfile = Static<typeof TraderProfile>

const UNKNOWN = 'Null while it is not known.'

/** Not in the specification. */
export const PnlPoint = Type.Object(
  {
    ts: seconds('Start of the interval, Unix seconds. Weeks start on Monday 00:00 UTC.'),
    realizedPnl: amountOrNull(`Profit or loss by price of everything closed in the interval, in USDC, 7-decimal. ${UNKNOWN}`, '2667828'),
    fees: amountOrNull(`Trading fees paid in the interval, in USDC, 7-decimal. ${UNKNOWN}`, '250000'),
    funding: amountOrNull(`Funding paid in the interval, in USDC, 7-decimal; negative when received. ${UNKNOWN}`, '-1200'),
    cumulative: amountOrNull('Running total of realizedPnl - fees - funding since the first point. Null from the first unknown value on.', '2419028'),
  },
  { $id: 'PnlPoint', description: 'Realised results of an account in one interval.' },
)

export type PnlPoint = Static<typeof PnlPoint>
