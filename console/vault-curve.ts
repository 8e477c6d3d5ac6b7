// A vault's realised profit and loss over time, out of its trades.

import type { VaultTrade } from '../client/src/index.ts'

export interface Point {
  /** Unix seconds. */
  readonly time: number
  /** USDC. */
  readonly value: number
}

/**
 * The sum of what closes have brought, after each of them, oldest first; several in one second are one point. `trades` are the newest, newest first: with the
 * vault's own sum `total` the curve ends there, also where older closes are not among them.
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
