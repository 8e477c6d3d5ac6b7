import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount } from './fields.ts'

/** How the leaderboard can be ordered (specification, "GET /v1/leaderboard"). */
export const LEADERBOARD_SORTS = ['pnl', 'volume'] as const

export type LeaderboardSort = (typeof LEADERBOARD_SORTS)[number]

/** Specification, "Leaderboard entry". */
export const LeaderboardEntry = Type.Object(
  {
    trader: address('An account (G…) or a contract (C…)'),
    pnl: amount('Lifetime realised profit or loss: the sum over closes, 7-decimal USDC', '-1500000'),
    volume: amount('Lifetime traded notional: opens plus matched closes, liquidations excluded, 7-decimal USDC', '20000000000'),
  },
  { $id: 'LeaderboardEntry', description: 'One trader\'s lifetime results' },
)

export type LeaderboardEntry = Static<typeof LeaderboardEntry>
