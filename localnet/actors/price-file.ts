// Prices from a file instead of a random walk: lines of `offset in seconds,asset,price`, such as `90,BTC,92500.5`. Empty lines, lines that start with #, and a
// first line of column names are skipped.

import { parseDecimal } from '../../src/base/fixed-point.ts'
import { PRICED_SYMBOLS } from '../assets.ts'
import type { PriceSource } from './price-walk.ts'

/** A price from `offsetSec` until the asset's next line. */
export interface PriceLine {
  readonly offsetSec: number
  readonly asset: string
  readonly price: bigint
}

/** All lines are kept in memory. */
const MAX_LINES = 1_000_000

/** Parses a price file. Throws RangeError that names the invalid line. */
export function parsePriceFile(text: string): readonly PriceLine[] {
  const lines: PriceLine[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (index >= MAX_LINES) throw new RangeError(`the price file has more than ${MAX_LINES} lines`)
    const trimmed = line.trim()
    const isHeading = index === 0 && /^[a-z]/i.test(trimmed)
    if (trimmed === '' || trimmed.startsWith('#') || isHeading) continue
    lines.push(parseLine(trimmed, index + 1))
  }
  return lines.toSorted((a, b) => a.offsetSec - b.offsetSec)
}

function parseLine(line: string, number: number): PriceLine {
  const [offset = '', asset = '', price = '', ...rest] = line.split(',').map((part) => part.trim())
  if (rest.length > 0 || price === '') throw new RangeError(`price file, line ${number}: expected "offset,asset,price", got: ${line}`)
  if (!/^\d+(\.\d+)?$/.test(offset)) throw new RangeError(`price file, line ${number}: the offset is not a number of seconds: ${offset}`)
  if (!PRICED_SYMBOLS.includes(asset)) throw new RangeError(`price file, line ${number}: unknown asset ${asset}`)
  let value: bigint
  try {
    value = parseDecimal(price)
  } catch (cause) {
    throw new RangeError(`price file, line ${number}: not a price with at most 7 decimals: ${price}`, { cause })
  }
  if (value <= 0n) throw new RangeError(`price file, line ${number}: the price must be positive: ${price}`)
  return { offsetSec: Number(offset), asset, price: value }
}

/**
 * Replays prices from the moment that it is built. `fallback` provides the prices of an asset before its first line, and of assets without lines. After its
 * last line an asset's price is constant.
 */
export function createPriceReplay(lines: readonly PriceLine[], fallback: PriceSource): PriceSource {
  const current = new Map<string, bigint>()
  let elapsedSec = 0
  let next = 0

  function applyDueLines(): void {
    for (let line = lines[next]; line !== undefined && line.offsetSec <= elapsedSec; line = lines[++next]) current.set(line.asset, line.price)
  }

  applyDueLines()
  return {
    advance(seconds) {
      elapsedSec += Math.max(0, seconds)
      fallback.advance(seconds)
      applyDueLines()
    },
    price: (asset) => current.get(asset) ?? fallback.price(asset),
    setPrices: (prices) => fallback.setPrices(prices),
  }
}
