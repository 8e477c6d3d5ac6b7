import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount } from './fields.ts'

/** Specification, "GET /v1/leaderboard". */
export const LEADERBOARD_SORTS = ['pnl', 'volume'] as const

export type LeaderboardSort = (typeof LEADERBOARD_SORTS)[number]

/** Specification, "Leaderboard entry". */
export const LeaderboardEntry = Type.Object(
  {
    trader: address('Account (G…) or contract (C…).'),
    pnl: amount('Lifetime realised profit or loss of all closes, in USDC, 7-decimal.', '-1500000'),
    volume: amount('Lifetime traded notional of opens and matched closes, excluding liquidations, in USDC, 7-decimal.', '20000000000'),
  },
  { $id: 'LeaderboardEntry', description: 'Lifetime results of one trader.' },
)

export type LeaderboardEntry = Static<typeof LeaderboardEntry>
