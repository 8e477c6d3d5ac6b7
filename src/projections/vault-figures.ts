// The figures of a vault that nothing on chain states: drawdown and yield.

import { ONE_E7 } from '../base/fixed-point.ts'
import type { TraderVault } from '../resources/trader-vault.ts'

/** A vault as it is stored, with what its derived figures are made of. */
export type RawVault = Omit<TraderVault, 'drawdownBps' | 'apyBps'>

const BPS = 10_000n
const DAY_SEC = 86_400
const YEAR_DAYS = 365n

/** The vault as it is served; `nowSec` is what its yield is annualised up to. */
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

/** How far the value of a share is below its highest, in basis points of that; 0 when it is not. Amounts in 7 decimals. */
export function drawdownBps({ total, shares, hwm }: { total: bigint; shares: bigint; hwm: bigint }): number {
  const nav = shares <= 0n ? ONE_E7 : (total * ONE_E7) / shares
  return hwm > nav && hwm > 0n ? Number(((hwm - nav) * BPS) / hwm) : 0
}

/**
 * What closed trades have brought, as a share of what the vault holds, by the year: 0 without a gain or without money. The first day counts whole. The share
 * is cut to whole basis points before it is annualised, and the result is rounded.
 */
export function apyBps({ total, pnl, ageSec }: { total: bigint; pnl: bigint; ageSec: number }): number {
  if (total <= 0n || pnl <= 0n) return 0
  const life = (pnl * BPS) / total
  const age = BigInt(Math.max(DAY_SEC, ageSec))
  const perYear = life * YEAR_DAYS * BigInt(DAY_SEC)
  return Number((2n * perYear + age) / (2n * age))
}
