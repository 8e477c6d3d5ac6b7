// The slippage tolerance of market opens and closes, in this browser.

import { signal } from '@preact/signals'
import { createStoredString } from '../storage.ts'

const DEFAULT_BPS = 50
/** The widest tolerance that the gateway accepts for a market trade. */
export const MARKET_SLIPPAGE_MAX_BPS = 5_000

const stored = createStoredString(() => localStorage, 'console-slippage')

/** Basis points. */
export const marketSlippage = signal<number>(restore(Number(stored.read() ?? DEFAULT_BPS)))

export function setMarketSlippage(bps: number): void {
  marketSlippage.value = bps
  stored.write(String(bps))
}

function restore(bps: number): number {
  return Number.isInteger(bps) && bps >= 1 && bps <= MARKET_SLIPPAGE_MAX_BPS ? bps : DEFAULT_BPS
}
