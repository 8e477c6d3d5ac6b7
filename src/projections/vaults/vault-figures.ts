// Derived figures of a vault that the chain does not store: drawdown and APY.

import { ONE_E7 } from '../../base/fixed-point.ts'
import type { ApyKind, TraderVault } from '../../resources/trader-vault.ts'

/** A vault as it is stored, without derived figures. */
export type RawVault = Omit<TraderVault, 'drawdownBps' | 'apyBps' | 'apyKind'>

const BPS = 10_000n
const DAY_SEC = 86_400
const YEAR_DAYS = 365n
const ANNUALIZED_FROM_SEC = 7 * DAY_SEC

/** The inputs of the derived figures besides the vault. */
export interface ApyTerms {
  /** The end of the period that APYs annualise, unix seconds. */
  readonly nowSec: number
  /** The rule of generation 2: losses count, and young vaults are not annualised. */
  readonly signedApy?: boolean
}

/** The vault of a response. */
export function toTraderVault(raw: RawVault, { nowSec, signedApy = false }: ApyTerms): TraderVault {
  const {
    id, leader, name, createdAt, totalUsdc, circulatingShares, hwmNav, realizedPnl, leaderShares, profitShareBps, paused, updatedAt, depositorCount,
    openPositions, tradeCount, closedTradePnl,
  } = raw
  return {
    id, leader, name, createdAt, totalUsdc, circulatingShares, hwmNav, realizedPnl, leaderShares, profitShareBps, paused, updatedAt, depositorCount,
    openPositions, tradeCount,
    drawdownBps: drawdownBps({ total: BigInt(totalUsdc), shares: BigInt(circulatingShares), hwm: BigInt(hwmNav) }),
    ...apyOf({ total: BigInt(totalUsdc), pnl: BigInt(closedTradePnl), ageSec: nowSec - createdAt }, signedApy),
    closedTradePnl,
  }
}

/** Distance of the share value below its high-water mark, in basis points of the mark; 0 at or above it. Amounts have 7 decimals. */
export function drawdownBps({ total, shares, hwm }: { total: bigint; shares: bigint; hwm: bigint }): number {
  const nav = shares <= 0n ? ONE_E7 : (total * ONE_E7) / shares
  return hwm > nav && hwm > 0n ? Number(((hwm - nav) * BPS) / hwm) : 0
}

interface ApyInput {
  readonly total: bigint
  readonly pnl: bigint
  readonly ageSec: number
}

function apyOf(input: ApyInput, signed: boolean): { readonly apyBps: number; readonly apyKind: ApyKind } {
  if (!signed) return { apyBps: apyBps(input), apyKind: 'annualized' }
  const { total, pnl, ageSec } = input
  const lifetimeBps = total === 0n ? 0n : (pnl * BPS) / total
  if (ageSec < ANNUALIZED_FROM_SEC) return { apyBps: Number(lifetimeBps), apyKind: 'inception' }
  return { apyBps: annualized(lifetimeBps, BigInt(ageSec)), apyKind: 'annualized' }
}

/** Rounds half away from zero. */
function annualized(lifetimeBps: bigint, ageSec: bigint): number {
  const perYear = (lifetimeBps < 0n ? -lifetimeBps : lifetimeBps) * YEAR_DAYS * BigInt(DAY_SEC)
  const rounded = Number((2n * perYear + ageSec) / (2n * ageSec))
  return lifetimeBps < 0n ? -rounded : rounded
}

/**
 * Annualised PnL of closed trades relative to the vault's holdings, in basis points; 0 without a gain or without holdings. An age below one day counts as one
 * day. The ratio is truncated to whole basis points before it is annualised; the result is rounded.
 */
export function apyBps({ total, pnl, ageSec }: ApyInput): number {
  if (total <= 0n || pnl <= 0n) return 0
  return annualized((pnl * BPS) / total, BigInt(Math.max(DAY_SEC, ageSec)))
}
