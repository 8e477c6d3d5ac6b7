// Figures of trader vaults and the liquidity pool. Amounts are integers with seven implied decimals; divisions round down, as the contracts do.

import type { PoolState, VaultTrade } from '../../client/src/index.ts'
import type { ChartPoint } from '../chart-point.ts'

const ONE = 10_000_000n
const BPS = 10_000n
/** A leader must hold this part of the shares: 5 %. */
const LEADER_SHARE = 20n
const FLOAT_ONE = 1e7
const PERCENT = 100

/** The basis of exchanging shares: the value of all shares, and their number. */
export interface ShareBasis {
  readonly value: bigint
  readonly shares: bigint
}

/** Pools of the first generation have no insurance buffer. */
export function isSecondGeneration({ bufferBalance }: PoolState): boolean {
  return bufferBalance !== null
}

/** Shares for a deposit; one for one in an empty vault. */
export function sharesFor(sum: bigint, { value, shares }: ShareBasis): bigint {
  return shares <= 0n || value <= 0n ? sum : sum * shares / value
}

/** USDC for shares. */
export function usdcFor(count: bigint, { value, shares }: ShareBasis): bigint {
  return shares <= 0n || value <= 0n ? 0n : count * value / shares
}

/** Value of one share; one while there are none. */
export function sharePrice({ value, shares }: ShareBasis): bigint {
  return shares <= 0n ? ONE : value * ONE / shares
}

/** Returns by how much the price of a share is below its highest, basis points. */
export function drawdownBps(price: bigint, highest: bigint): number {
  return highest <= price || highest === 0n ? 0 : Number((highest - price) * BPS / highest)
}

/** Returns the amount that others than the leader can still deposit, USDC, before the leader's part of the shares becomes too small. */
export function roomForOthers(leaderShares: bigint, basis: ShareBasis): bigint {
  const shares = leaderShares * LEADER_SHARE - basis.shares
  return shares <= 0n ? 0n : usdcFor(shares, basis)
}

export function withoutFee(sum: bigint, feeBps: number): bigint {
  return sum - sum * BigInt(feeBps) / BPS
}

/** The least to accept of what is expected. */
export function leastOf(expected: bigint, toleranceBps: number): bigint {
  const least = expected * (BPS - BigInt(toleranceBps)) / BPS
  return least < 0n ? 0n : least
}

/** Returns the distance of each point from the highest before it, percent; not positive. */
export function drawdowns(points: readonly ChartPoint[]): readonly ChartPoint[] {
  let highest = 0
  return points.map(({ time, value }) => {
    highest = Math.max(highest, value)
    return { time, value: highest === 0 ? 0 : (value - highest) / highest * PERCENT }
  })
}

/**
 * The running sum of realised profit after each close, oldest first. Closes in the same second share a point. `trades` are the newest trades, newest first.
 * With the vault's own sum as `total`, the curve ends there even if older closes are missing from `trades`.
 */
export function realisedCurve(trades: readonly VaultTrade[], total: string | null): readonly ChartPoint[] {
  const closes = trades.filter((trade) => trade.action === 'close' && trade.pnl !== null)
  let sum = total === null ? closes.reduce((all, { pnl }) => all + BigInt(pnl ?? 0), 0n) : BigInt(total)
  const points: ChartPoint[] = []
  for (const { ts, pnl } of closes) {
    if (points.at(-1)?.time !== ts) points.push({ time: ts, value: Number(sum) / FLOAT_ONE })
    sum -= BigInt(pnl ?? 0)
  }
  return points.reverse()
}

/** Samples as points, oldest first. */
export function pointsOf<Sample extends { readonly time: number }>(samples: readonly Sample[], valueOf: (sample: Sample) => string): readonly ChartPoint[] {
  return samples.map((sample) => ({ time: sample.time, value: Number(valueOf(sample)) / FLOAT_ONE })).reverse()
}

/** Time left as `12:05` or `1:02:05`; empty when it is over. */
export function countdown(seconds: number): string {
  const left = Math.ceil(seconds)
  if (left <= 0) return ''
  const parts = [Math.floor(left / 3_600), Math.floor(left / 60) % 60, left % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}
