// Lists in CCXT's form: filtered by `since` and `limit`, oldest first.

import type { AccountState } from '../generated/resources.ts'
import type { CandleInterval } from '../stream-frames.ts'
import { TIMEFRAMES } from './description.ts'
import { BadRequest, ExchangeError } from './errors.ts'
import { parsePosition } from './parse.ts'
import type { Position } from './types.ts'

export const PAGE_MAX = 200
/** Maximum number of pages read to find old rows. */
export const PAGES_MAX = 100

export function intervalOf(timeframe: string): CandleInterval {
  const interval = Object.values(TIMEFRAMES).find((one) => one === timeframe)
  if (interval === undefined) throw new BadRequest(`Unknown timeframe ${timeframe}. Timeframes: ${Object.keys(TIMEFRAMES).join(', ')}.`)
  return interval
}

export function positionsOf({ positions, orders }: AccountState): Position[] {
  if (positions === null) throw new ExchangeError('The positions are not available.')
  return positions.map((position) => parsePosition(position, orders ?? []))
}

/**
 * The rows that apply to an asset: its own, and those without one, like the funding of contracts of generation 1, which applies to all. Reads a limited
 * number of rows.
 */
export async function* rowsOf<Row extends { readonly asset: string | null }>(rows: AsyncIterable<Row>, id: string): AsyncGenerator<Row> {
  let read = 0
  for await (const row of rows) {
    if (row.asset === null || row.asset === id) yield row
    if (++read >= PAGES_MAX * PAGE_MAX) return
  }
}

/** From a list with the newest row first: the oldest `limit` rows since `since`, or the newest `limit` rows without `since`. Returns the oldest row first. */
export async function collectRows<Row, Parsed extends { readonly timestamp: number | undefined }>(
  rows: AsyncIterable<Row>, parse: (row: Row) => Parsed, since: number | undefined, limit: number,
): Promise<Parsed[]> {
  const found: Parsed[] = []
  for await (const row of rows) {
    const parsed = parse(row)
    if (since !== undefined && parsed.timestamp !== undefined && parsed.timestamp < since) break
    found.unshift(parsed)
    if (since === undefined ? found.length >= limit : found.length >= PAGES_MAX * PAGE_MAX) break
  }
  return found.slice(0, limit)
}

