import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, amountOrNull } from './fields.ts'

/** Specification, "GET /v1/leaderboard". */
export const LEADERBOARD_SORTS = ['pnl', 'volume'] as const

export type LeaderboardSort = (typeof LEADERBOARD_SORTS)[number]

/** Seconds up to the last indexed ledger whose results are ranked, by their names. Not in the specification. */
export const LEADERBOARD_PERIODS_SEC = { day: 86_400, week: 604_800, month: 2_592_000 } as const

export type LeaderboardPeriod = keyof typeof LEADERBOARD_PERIODS_SEC

/** Of which network the ranking is requested. */
export const LEADERBOARD_SCOPES = ['testnet', 'mainnet'] as const

export type LeaderboardScope = (typeof LEADERBOARD_SCOPES)[number]

/** Specification, "Leaderboard entry". */
export const LeaderboardEntry = Type.Object(
  {
    rank: Type.Integer({ description: 'Place in the ranking, from 1.', examples: [1] }),
    trader: address('Account (G…) or contract (C…).'),
    pnl: amount('Lifetime realised profit or loss in USDC, 7-decimal; of the period, if one is requested.', '-1500000'),
    volume: amount('Lifetime traded notional of opens and matched closes, excluding liquidations, in USDC, 7-decimal.', '20000000000'),
    trades: Type.Integer({ description: 'Number of opens, closes, reductions and liquidations.', examples: [12] }),
    liqCount: Type.Integer({ description: 'Number of liquidations, partial ones included.', examples: [0] }),
    margin: Type.Optional(amountOrNull(
      'Only with a period: collateral of the positions that were opened in it, from the hour in which it begins, in USDC, 7-decimal. The capital of a ' +
      'return. Null: unknown.', '4000000000',
    )),
  },
  { $id: 'LeaderboardEntry', description: 'Results of one trader, of the whole history or of a period.' },
)

export type LeaderboardEntry = Static<typeof LeaderboardEntry>
