// Decides when a trader opens positions, and with which orders.

import type { Random } from '../../src/base/random.ts'
import { i128 } from '../contracts/shared/host.ts'
import { drawEntry, entryCall } from './order-calls.ts'
import type { Entry, EntryTerms, TraderCall } from './order-calls.ts'
import { opensPosition } from './plans.ts'
import { CROSS_MARGIN } from './stored-entries.ts'
import type { Holdings } from './stored-entries.ts'
import { drawCollateral, drawInteger } from './strategies.ts'
import type { Strategy } from './strategies.ts'
import type { Ticker } from './ticker.ts'

/** The next entry of one trader. Times are Unix seconds. */
export interface TraderEntries {
  /** Draws the time of the first entry; later calls do nothing. */
  start(nowSec: number): void
  isDue(holdings: Holdings, nowSec: number): boolean
  /** The call that opens a position, or the deposit that an entry on cross margin needs first. Undefined when the strategy stays out of the market. */
  next(holdings: Holdings, nowSec: number): TraderCall | undefined
  /** True after a deposit: the entry on cross margin that it was made for comes next. */
  readonly isCrossNext: boolean
  /** Draws another entry at this time, after one that was not sent. */
  retryAt(timeSec: number): void
  reset(): void
}

/** The first entry happens within this time, so that not all traders start in the same ledger. */
const MAX_START_DELAY_SEC = 3
/** Of the entries on cross margin with an empty pool: those that deposit first, up to this many times the collateral. */
const DEPOSIT_SHARE = 0.5
const DEPOSIT_MULTIPLE = { min: 1, max: 3 } as const

/** Builds the entries of a trader on these markets. */
export function createTraderEntries(options: {
  strategy: Strategy
  markets: readonly string[]
  ticker: Ticker
  random: Random
}): TraderEntries {
  const { strategy, markets, ticker, random } = options
  let dueSec: number | null = null
  /** Null: to be drawn. The first entry is always at the market, so that a new network soon has positions. */
  let nextEntry: Entry | null = 'market'

  function next(holdings: Holdings, nowSec: number): TraderCall | undefined {
    dueSec = nowSec + drawInteger(strategy.pauseSec, random)
    const entry = nextEntry ?? drawEntry(strategy.orders, random)
    const terms = drawTerms(entry, holdings)
    if (terms === undefined) return undefined
    if (entry === 'cross' && nextEntry === null && holdings.pool === 0n && random.float() < DEPOSIT_SHARE) {
      nextEntry = entry
      dueSec = nowSec
      return { functionName: 'deposit_cross_margin', args: [i128(terms.collateral * BigInt(drawInteger(DEPOSIT_MULTIPLE, random)))] }
    }
    nextEntry = null
    return entryCall(entry, terms, strategy.orders, random)
  }

  /** A strategy without a stop-loss adds to its cross position: same market, same direction. */
  function drawTerms(entry: Entry, holdings: Holdings): EntryTerms | undefined {
    const drawn = markets[random.integer(markets.length)] ?? 'BTC'
    const adds = entry === 'cross' && strategy.stopLoss === null
    const held = adds ? holdings.positions.find((position) => position.marginMode === CROSS_MARGIN) : undefined
    const asset = held?.asset ?? drawn
    const direction = strategy.direction(ticker.change(asset, strategy.lookbackSec), random)
    const collateral = drawCollateral(strategy.collateralUsdc, random)
    const leverage = drawInteger(strategy.leverage, random)
    if (direction === null) return undefined
    return { asset, direction: held === undefined ? direction : held.direction === 0 ? 0 : 1, collateral, leverage, price: ticker.price(asset) }
  }

  return {
    start(nowSec) {
      dueSec ??= nowSec + random.integer(MAX_START_DELAY_SEC)
    },
    isDue({ positions, orders }, nowSec) {
      return dueSec !== null && nowSec >= dueSec && positions.length + orders.filter(opensPosition).length < strategy.maxPositions
    },
    next,
    get isCrossNext() {
      return nextEntry === 'cross'
    },
    retryAt(timeSec) {
      dueSec = timeSec
      nextEntry = null
    },
    reset() {
      dueSec = null
      nextEntry = 'market'
    },
  }
}
