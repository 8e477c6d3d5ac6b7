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
