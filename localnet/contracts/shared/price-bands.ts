// The price range in which the router accepts an attestation (contracts, "Router price bands").

import { parseDecimal } from '../../../src/base/fixed-point.ts'

/** Lowest and highest accepted price, both inclusive, 7 decimals. */
export interface PriceBand {
  readonly lowest: bigint
  readonly highest: bigint
}

const band = (lowest: string, highest: string): PriceBand => ({ lowest: parseDecimal(lowest), highest: parseDecimal(highest) })

/** Price bands by asset symbol. The router rejects a symbol without a band. */
export const PRICE_BANDS: ReadonlyMap<string, PriceBand> = new Map([
  ['BTC', band('1000', '1000000')],
  ['ETH', band('50', '100000')],
  ['XLM', band('0.01', '100')],
  ['SOL', band('1', '100000')],
  ['XRP', band('0.01', '1000')],
  ['ADA', band('0.01', '1000')],
  ['BNB', band('10', '100000')],
  ['TRX', band('0.01', '1000')],
  ['HYPE', band('0.1', '100000')],
  ['DOGE', band('0.001', '100')],
  ['ZEC', band('1', '100000')],
  ['LINK', band('0.1', '10000')],
  ['BCH', band('1', '100000')],
  ['LTC', band('1', '100000')],
])

/** Price bands of generation 2. Shim and market know the same symbols, in this order. */
export const ALL_PRICE_BANDS: ReadonlyMap<string, PriceBand> = new Map([
  ...PRICE_BANDS,
  ['PUMP', band('0.000001', '1')],
  ['UNI', band('0.1', '10000')],
  ['PAXG', band('100', '100000')],
  ['XAUT', band('100', '100000')],
])
