// A vault's realised profit and loss over time, calculated from its trades.

import type { VaultTrade } from '../client/src/index.ts'

export interface Point {
  /** Unix seconds. */
  readonly time: number
  /** USDC. */
  readonly value: number
}

/**
 * The running sum of realised profit after each close, oldest first. Closes in the same second share a point. `trades` are the newest trades, newest first.
 * With the vault's own sum as `total`, the curve ends there even if older closes are missing from `trades`.
 */
export function vaultCurve(trades: readonly VaultTrade[], total: string | null): Point[] {
  const closes = trades.filter((trade) => trade.action === 'close' && trade.pnl !== null)
  let sum = total === null ? closes.reduce((all, { pnl }) => all + BigInt(pnl ?? 0), 0n) : BigInt(total)
  const points: Point[] = []
  for (const { ts, pnl } of closes) {
    if (points.at(-1)?.time !== ts) points.push({ time: ts, value: Number(sum) / 1e7 })
    sum -= BigInt(pnl ?? 0)
  }
  return points.reverse()
}
