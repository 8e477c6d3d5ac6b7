// A trader vault as the indexer processes it.

/** The figures of a vault that the factory stores and that can be read from it. */
export interface VaultFigures {
  totalUsdc: bigint
  circulatingShares: bigint
  leaderShares: bigint
  hwmNav: bigint
  realizedPnl: bigint
  profitShareBps: number
  paused: boolean
}

/** A vault as the indexer processes it. */
export interface VaultState extends VaultFigures {
  readonly vaultId: number
  readonly leader: string
  readonly name: string
  readonly createdSeq: number
  readonly createdAt: number
  depositorCount: number
  openPositions: number
  tradeCount: number
  closedTradePnl: bigint
  lastLedger: number
  /** Milliseconds. */
  updatedAt: number
  isUnsettled: boolean
}

/** The columns of the figures, by their names in a row. */
export const FIGURE_COLUMNS = {
  totalUsdc: 'total_usdc', circulatingShares: 'circulating_shares', leaderShares: 'leader_shares', hwmNav: 'hwm_nav', realizedPnl: 'realized_pnl',
  profitShareBps: 'profit_share_bps', paused: 'paused',
} as const

export const FIGURE_NAMES = Object.values(FIGURE_COLUMNS)

/** The same columns of an insert. */
export const FIGURE_SOURCES = {
  total_usdc: 'totalUsdc', circulating_shares: 'circulatingShares', leader_shares: 'leaderShares', hwm_nav: 'hwmNav', realized_pnl: 'realizedPnl',
  profit_share_bps: 'profitShareBps', paused: 'paused',
} as const

type FigureRow = { readonly [Key in keyof VaultFigures]: VaultFigures[Key] extends bigint ? string : VaultFigures[Key] }

/** The figures of a row. */
export function toFigures({ totalUsdc, circulatingShares, leaderShares, hwmNav, realizedPnl, profitShareBps, paused }: FigureRow): VaultFigures {
  return {
    totalUsdc: BigInt(totalUsdc), circulatingShares: BigInt(circulatingShares), leaderShares: BigInt(leaderShares), hwmNav: BigInt(hwmNav),
    realizedPnl: BigInt(realizedPnl), profitShareBps, paused,
  }
}
