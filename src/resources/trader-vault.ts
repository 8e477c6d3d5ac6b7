import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, seconds } from './fields.ts'

/** Specification, "Trader vault". */
export const TraderVault = Type.Object(
  {
    id: Type.Integer({ description: 'Vault id', examples: [0] }),
    leader: address('Who trades for the vault'),
    name: Type.String({ examples: ['North star'] }),
    createdAt: seconds('Unix seconds'),
    totalUsdc: amount('What the vault holds outside of positions, as the factory counts it, 7-decimal USDC', '182672426343'),
    circulatingShares: amount('Shares outstanding, 7-decimal', '181460734000'),
    hwmNav: amount('The highest value of a share that profit was taken at: 10000000 is 1.0'),
    realizedPnl: amount('The leader\'s profit share paid out so far, 7-decimal USDC', '0'),
    leaderShares: amount('Shares that the leader holds', '18146073400'),
    profitShareBps: Type.Integer({ description: 'The leader\'s share of profits: 1000 is 10 %', examples: [1000] }),
    paused: Type.Boolean({ description: 'No deposits, withdrawals or trades', examples: [false] }),
    updatedAt: Type.Integer({ description: 'Of the last event that changed it, milliseconds', examples: [1_783_339_200_000] }),
    depositorCount: Type.Integer({ description: 'Who has ever deposited', examples: [4] }),
    openPositions: Type.Integer({ description: 'Open positions of the vault', examples: [1] }),
    tradeCount: Type.Integer({ description: 'Positions that were opened for it, ever', examples: [12] }),
    drawdownBps: Type.Integer({ description: 'How far a share\'s value is below hwmNav, in basis points of it', examples: [0] }),
    apyBps: Type.Integer({ description: 'closedTradePnl as a share of totalUsdc by the year, in basis points; 0 without a profit', examples: [617] }),
    closedTradePnl: amount('Profit and loss of all closed positions, 7-decimal USDC', '1211692361'),
  },
  { $id: 'TraderVault', description: 'A vault whose leader trades with its depositors\' funds' },
)

export type TraderVault = Static<typeof TraderVault>
