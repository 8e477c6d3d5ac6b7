// The price model of each market: start price, volatility, correlation and price band.

import { defined } from '../../src/base/assert.ts'
import { parseDecimal } from '../../src/base/fixed-point.ts'
import { ALL_PRICE_BANDS } from '../contracts/shared/price-bands.ts'

/** The price model of a market. */
export interface MarketModel {
  /** The start of the random walk and the price that it reverts to, 7-decimal fixed point. */
  readonly startPrice: bigint
  /** The standard deviation of yearly log returns. */
  readonly yearlyVolatility: number
  /** Correlation with all markets, 0 to 1. */
  readonly marketCorrelation: number
  /** The router's price band. The random walk stays within it. */
  readonly lowest: bigint
  readonly highest: bigint
}

/** True for markets with squeezes, in which gamblers trade. */
export function isVolatile({ yearlyVolatility }: MarketModel): boolean {
  return yearlyVolatility >= 0.85
}

type ModelParameters = readonly [startPrice: string, yearlyVolatility: number, marketCorrelation: number]

const MODEL_PARAMETERS: Readonly<Record<string, ModelParameters>> = {
  BTC: ['92400', 0.48, 0.92],
  ETH: ['3120', 0.68, 0.88],
  XLM: ['0.2685', 0.85, 0.7],
  SOL: ['141.5', 0.82, 0.8],
  XRP: ['2.184', 0.8, 0.72],
  ADA: ['0.4712', 0.88, 0.78],
  BNB: ['884', 0.55, 0.74],
  TRX: ['0.2796', 0.42, 0.45],
  HYPE: ['31.45', 1.1, 0.6],
  DOGE: ['0.1548', 0.98, 0.76],
  ZEC: ['428', 1.25, 0.4],
  LINK: ['13.62', 0.86, 0.8],
  BCH: ['541', 0.78, 0.66],
  LTC: ['87.9', 0.72, 0.74],
  PUMP: ['0.0031', 1.2, 0.55],
  UNI: ['6.85', 0.84, 0.78],
  PAXG: ['4085', 0.16, 0.1],
  XAUT: ['4079', 0.16, 0.1],
}

export const MARKETS: Readonly<Record<string, MarketModel>> = Object.fromEntries(
  Object.entries(MODEL_PARAMETERS).map(([asset, [start, yearlyVolatility, marketCorrelation]]) => {
    const band = defined(ALL_PRICE_BANDS.get(asset), `the price band of ${asset}`)
    return [asset, { startPrice: parseDecimal(start), yearlyVolatility, marketCorrelation, ...band }]
  }),
)
