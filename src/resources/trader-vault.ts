import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, CHAIN_TEXT, seconds } from './fields.ts'

export type ApyKind = 'annualized' | 'inception'

/** Specification, "Trader vault". */
export const TraderVault = Type.Object(
  {
    id: Type.Integer({ description: 'Vault id.', examples: [0] }),
    leader: address('Account that trades for the vault.'),
    name: Type.String({ description: `Vault name. ${CHAIN_TEXT}`, examples: ['North star'] }),
    createdAt: seconds('Time the vault was created, Unix seconds.'),
    totalUsdc: amount('USDC in the vault outside its positions, as recorded by the factory, 7-decimal.', '182672426343'),
    circulatingShares: amount('Shares outstanding, 7-decimal.', '181460734000'),
    hwmNav: amount('High-water mark: the highest share value at which profit share was paid, 7-decimal.'),
    realizedPnl: amount('Profit share paid to the leader so far, in USDC, 7-decimal.', '0'),
    leaderShares: amount('Shares held by the leader, 7-decimal.', '18146073400'),
    profitShareBps: Type.Integer({ description: 'Profit share of the leader, basis points.', examples: [1000] }),
    paused: Type.Boolean({ description: 'True while deposits, withdrawals and trades are paused.', examples: [false] }),
    updatedAt: Type.Integer({ description: 'Time of the last event that changed the vault, Unix milliseconds.', examples: [1_783_339_200_000] }),
    depositorCount: Type.Integer({ description: 'Number of accounts that have ever deposited.', examples: [4] }),
    openPositions: Type.Integer({ description: 'Number of open positions.', examples: [1] }),
    tradeCount: Type.Integer({ description: 'Number of positions ever opened.', examples: [12] }),
    drawdownBps: Type.Integer({ description: 'Drawdown of the share value from hwmNav, basis points.', examples: [0] }),
    apyBps: Type.Integer({ description: 'Annualised closedTradePnl relative to totalUsdc, basis points. 0 without a profit.', examples: [617] }),
    apyKind: Type.Unsafe<ApyKind>({
      type: 'string', enum: ['annualized', 'inception'],
      description:
        'How apyBps was computed. inception: closedTradePnl relative to totalUsdc, not annualised. Only on deployments of generation 2, where a vault of ' +
        'less than seven days is not annualised and a loss makes apyBps negative.',
      examples: ['annualized'],
    }),
    closedTradePnl: amount('Total profit or loss of closed positions in USDC, 7-decimal.', '1211692361'),
  },
  { $id: 'TraderVault', description: 'A vault whose leader trades with the funds of its depositors.' },
)

export type TraderVault = Static<typeof TraderVault>
