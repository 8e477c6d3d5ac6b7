// The symbols that the market is compiled with.

import { PRICE_BANDS_2 } from '../../shared/price-bands.ts'

/** The assets that market and shim know, in the order in which funding is applied. Only those with risk parameters can be traded. */
export const SYMBOLS: readonly string[] = [...PRICE_BANDS_2.keys()]
