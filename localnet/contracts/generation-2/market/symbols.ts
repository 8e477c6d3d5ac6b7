// The symbols that the market is compiled with.

import { ALL_PRICE_BANDS } from '../../shared/price-bands.ts'

/** The assets that market and shim know, in the order in which funding is applied. Only those with risk parameters can be traded. */
export const SYMBOLS: readonly string[] = [...ALL_PRICE_BANDS.keys()]
