// The arithmetic of shares (contracts, "Trader vaults"). All divisions truncate toward zero, in the vault's favour.

import { ONE_E7 } from '../../../../src/base/fixed-point.ts'
import { BPS_DENOMINATOR, bpsOf, checked, fail, mulDiv } from '../values.ts'
import { ERRORS } from './vaults.ts'
import type { Vault } from './vaults.ts'

type Totals = Pick<Vault, 'total_usdc' | 'circulating_shares'>

const LEADER_MINIMUM_BPS = 500n

/** The value of one share, 7 decimals; 1 without shares. Fails with 14 for a negative total. */
export function navOf({ total_usdc, circulating_shares }: Totals): bigint {
  if (circulating_shares <= 0n) return ONE_E7
  if (total_usdc < 0n) fail(ERRORS.NavCalculationFailed)
  return mulDiv(total_usdc, ONE_E7, circulating_shares, ERRORS.Overflow)
}

/** Shares for a deposit; 1 to 1 into a vault without shares or without USDC. */
export function sharesFor({ total_usdc, circulating_shares }: Totals, amount: bigint): bigint {
  if (total_usdc < 0n || circulating_shares < 0n) fail(ERRORS.NavCalculationFailed)
  if (circulating_shares === 0n || total_usdc === 0n) return amount
  return mulDiv(amount, circulating_shares, total_usdc, ERRORS.Overflow)
}

/** USDC for shares; 0 if the vault has no USDC. */
export function usdcFor({ total_usdc, circulating_shares }: Totals, shares: bigint): bigint {
  return total_usdc <= 0n ? 0n : mulDiv(shares, total_usdc, circulating_shares, ERRORS.Overflow)
}

/** The leader's share of the gain above the high-water mark; 0 at or below it. */
export function feesOwed(vault: Vault): bigint {
  const gain = navOf(vault) - vault.hwm_nav
  if (gain <= 0n) return 0n
  return bpsOf(mulDiv(gain, vault.circulating_shares, ONE_E7, ERRORS.Overflow), vault.profit_share_bps, ERRORS.Overflow)
}

/** Fails with 11 unless the leader holds at least 5 % of the shares. */
export function requireLeaderMinimum({ leader_shares, circulating_shares }: Vault): void {
  const held = checked(leader_shares * BPS_DENOMINATOR, ERRORS.Overflow)
  const minimum = checked(circulating_shares * LEADER_MINIMUM_BPS, ERRORS.Overflow)
  if (held < minimum) fail(ERRORS.LeaderMinimumViolated)
}
