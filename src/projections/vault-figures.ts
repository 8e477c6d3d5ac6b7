// Derived figures of a vault that the chain does not store: drawdown and APY.

import { ONE_E7 } from '../base/fixed-point.ts'
import type { TraderVault } from '../resources/trader-vault.ts'

/** A vault as it is stored, without derived figures. */
export type RawVault = Omit<TraderVault, 'drawdownBps' | 'apyBps'>

const BPS = 10_000n
const DAY_SEC = 86_400
const YEAR_DAYS = 365n

/** The vault of a response; `nowSec` is the end of the period that its APY annualises. */
export function toTraderVault(raw: RawVault, nowSec: number): TraderVault {
  const {
    id, leader, name, createdAt, totalUsdc, circulatingShares, hwmNav, realizedPnl, leaderShares, profitShareBps, paused, updatedAt, depositorCount,
    openPositions, tradeCount, closedTradePnl,
  } = raw
  return {
    id, leader, name, createdAt, totalUsdc, circulatingShares, hwmNav, realizedPnl, leaderShares, profitShareBps, paused, updatedAt, depositorCount,
    openPositions, tradeCount,
    drawdownBps: drawdownBps({ total: BigInt(totalUsdc), shares: BigInt(circulatingShares), hwm: BigInt(hwmNav) }),
    apyBps: apyBps({ total: BigInt(totalUsdc), pnl: BigInt(closedTradePnl), ageSec: nowSec - createdAt }),
    closedTradePnl,
  }
}

/** How far the share value is below its high-water mark, in basis points of the mark; 0 at or above it. Amounts have 7 decimals. */
export function drawdownBps({ total, shares, hwm }: { total: bigint; shares: bigint; hwm: bigint }): number {
  const nav = shares <= 0n ? ONE_E7 : (total * ONE_E7) / shares
  return hwm > nav && hwm > 0n ? Number(((hwm - nav) * BPS) / hwm) : 0
}

/**
 * Annualised PnL of closed trades relative to the vault's holdings, in basis points; 0 without a gain or without holdings. An age below one day counts as one
 * day. The ratio is truncated to whole basis points before it is annualised; the result is rounded.
 */
export function apyBps({ total, pnl, ageSec }: { total: bigint; pnl: bigint; ageSec: number }): number {
  if (total <= 0n || pnl <= 0n) return 0
  const lifetimeBps = (pnl * BPS) / total
  const age = BigInt(Math.max(DAY_SEC, ageSec))
  const perYear = lifetimeBps * YEAR_DAYS * BigInt(DAY_SEC)
  return Number((2n * perYear + age) / (2n * age))
}
