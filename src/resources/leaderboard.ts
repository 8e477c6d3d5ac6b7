import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, integerOrNull, ref } from './fields.ts'
import { LEADERBOARD_SCOPES, LEADERBOARD_SORTS, LeaderboardEntry } from './leaderboard-entry.ts'
import type { LeaderboardScope, LeaderboardSort } from './leaderboard-entry.ts'
import { PAGE_MEMBERS } from './page-members.ts'

export type LeaderboardState = 'ok' | 'empty' | 'not_indexed_here'

const sort = Type.Unsafe<LeaderboardSort>({ type: 'string', enum: [...LEADERBOARD_SORTS], description: 'Ranking criterion.', examples: ['pnl'] })
const scope = Type.Unsafe<LeaderboardScope>({
  type: 'string', enum: [...LEADERBOARD_SCOPES], description: 'Network of the ranking.', examples: ['testnet'],
})
const network = Type.String({ description: 'Stellar network of this gateway.', examples: ['testnet'] })
const state = Type.Unsafe<LeaderboardState>({
  type: 'string', enum: ['ok', 'empty', 'not_indexed_here'],
  description: 'empty: nobody has traded yet. not_indexed_here: this gateway serves another network than scope.', examples: ['ok'],
})
const updatedAt = integerOrNull({ description: 'Close time of the last indexed ledger, Unix seconds.', examples: [1_783_339_200] })
const total = Type.Integer({ description: 'Number of traders in the ranking.', examples: [312] })
const snapshot = Type.String({
  description: 'State of the ranking, for the parameter snapshot of the next page.', examples: ['testnet.pnl.1234567.312'],
})

/** Specification, "GET /v1/leaderboard", with the members of the deployed service. */
export const Leaderboard = Type.Object(
  {
    sort, scope, network, state, updatedAt, total,
    limit: Type.Integer({ description: 'Maximum number of rows per page.', examples: [50] }),
    offset: Type.Integer({ description: 'Number of traders before this page.', examples: [0] }),
    snapshot,
    snapshotChanged: Type.Boolean({
      description: 'True if the ranking has changed since the given snapshot: pages may repeat or skip traders.', examples: [false],
    }),
    leaders: Type.Array(ref(LeaderboardEntry), { description: 'Traders, best first.' }),
    ...PAGE_MEMBERS,
  },
  { $id: 'Leaderboard', description: 'One page of the leaderboard.' },
)

export type Leaderboard = Static<typeof Leaderboard>

const RankedEntry = Type.Object(
  { ...LeaderboardEntry.properties, rank: integerOrNull({ description: 'Same as rank.', examples: [1] }) },
  { description: 'Results of the trader. Null without trades.' },
)

export const LeaderRank = Type.Object(
  {
    trader: address('Account (G…).'),
    sort, scope, network, state,
    rank: integerOrNull({ description: 'Place, from 1. Null if the trader has no trades, or is too far behind to be counted.', examples: [1] }),
    total, snapshot, updatedAt,
    entry: Type.Unsafe<Static<typeof RankedEntry> | null>({ ...RankedEntry, type: ['object', 'null'] }),
  },
  { $id: 'LeaderRank', description: 'Place of one trader in the leaderboard.' },
)

export type LeaderRank = Static<typeof LeaderRank>

export const LeaderTotals = Type.Object(
  {
    scope, network, state, updatedAt,
    traders: Type.Integer({ description: 'Number of traders.', examples: [312] }),
    volume: amount('Lifetime traded notional of all traders in USDC, 7-decimal.', '48000000000'),
    trades: Type.Integer({ description: 'Number of opens, closes, reductions and liquidations.', examples: [9_120] }),
  },
  { $id: 'LeaderTotals', description: 'Sums over all traders.' },
)

export type LeaderTotals = Static<typeof LeaderTotals>
