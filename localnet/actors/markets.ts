// How the fourteen markets behave on the local network: where prices start, how wildly they move, and the bands they stay in.

import { parseDecimal } from '../../src/base/fixed-point.ts'

/** One market's character. */
export interface MarketCharacter {
  /** Where the walk starts and what it drifts back to, 7-decimal fixed point. */
  readonly startPrice: bigint
  /** Standard deviation of a year's log returns. */
  readonly yearlyVolatility: number
  /** Correlation with the market as a whole, 0 to 1. */
  readonly marketCorrelation: number
  /** The router's band: no price of the walk leaves it. */
  readonly lowest: bigint
  readonly highest: bigint
}

/** A market in which squeezes happen and gamblers meet. */
export function isWild({ yearlyVolatility }: MarketCharacter): boolean {
  return yearlyVolatility >= 0.85
}

const market = (start: string, yearlyVolatility: number, marketCorrelation: number, lowest: string, highest: string): MarketCharacter => ({
  startPrice: parseDecimal(start),
  yearlyVolatility,
  marketCorrelation,
  lowest: parseDecimal(lowest),
  highest: parseDecimal(highest),
})

export const MARKETS: Readonly<Record<string, MarketCharacter>> = {
  BTC: market('92400', 0.48, 0.92, '1000', '1000000'),
  ETH: market('3120', 0.68, 0.88, '50', '100000'),
  XLM: market('0.2685', 0.85, 0.7, '0.01', '100'),
  SOL: market('141.5', 0.82, 0.8, '1', '100000'),
  XRP: market('2.184', 0.8, 0.72, '0.01', '1000'),
  ADA: market('0.4712', 0.88, 0.78, '0.01', '1000'),
  BNB: market('884', 0.55, 0.74, '10', '100000'),
  TRX: market('0.2796', 0.42, 0.45, '0.01', '1000'),
  HYPE: market('31.45', 1.1, 0.6, '0.1', '100000'),
  DOGE: market('0.1548', 0.98, 0.76, '0.001', '100'),
  ZEC: market('428', 1.25, 0.4, '1', '100000'),
  LINK: market('13.62', 0.86, 0.8, '0.1', '10000'),
  BCH: market('541', 0.78, 0.66, '1', '100000'),
  LTC: market('87.9', 0.72, 0.74, '1', '100000'),
}
