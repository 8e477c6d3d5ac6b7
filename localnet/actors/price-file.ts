// Prices from a file instead of a walk: lines of `time offset in seconds,asset,price`, such as `90,BTC,92500.5`. Empty lines and lines that
// start with # are skipped, and a first line of column names may stand on top.

import { parseDecimal } from '../../src/base/fixed-point.ts'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import type { PriceSource } from './price-walk.ts'

/** A price that holds from `offsetSec` on, until the asset's next line. */
export interface PriceLine {
  readonly offsetSec: number
  readonly asset: string
  readonly price: bigint
}

/** More lines than this are refused: every line is kept in memory. */
const MAX_LINES = 1_000_000

/** Reads a file of prices. Throws RangeError naming the line that does not fit. */
export function parsePriceFile(text: string): readonly PriceLine[] {
  const lines: PriceLine[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (index >= MAX_LINES) throw new RangeError(`the file of prices has more than ${MAX_LINES} lines`)
    const trimmed = line.trim()
    const isHeading = index === 0 && /^[a-z]/i.test(trimmed)
    if (trimmed === '' || trimmed.startsWith('#') || isHeading) continue
    lines.push(parseLine(trimmed, index + 1))
  }
  return lines.toSorted((a, b) => a.offsetSec - b.offsetSec)
}

function parseLine(line: string, number: number): PriceLine {
  const [offset = '', asset = '', price = '', ...rest] = line.split(',').map((part) => part.trim())
  if (rest.length > 0 || price === '') throw new RangeError(`line ${number} of the prices is not "offset,asset,price": ${line}`)
  if (!/^\d+(\.\d+)?$/.test(offset)) throw new RangeError(`line ${number} of the prices: the offset is not a number of seconds: ${offset}`)
  if (!ASSET_SYMBOLS.includes(asset)) throw new RangeError(`line ${number} of the prices: no such asset: ${asset}`)
  let value: bigint
  try {
    value = parseDecimal(price)
  } catch (cause) {
    throw new RangeError(`line ${number} of the prices: not a price with at most 7 decimals: ${price}`, { cause })
  }
  if (value <= 0n) throw new RangeError(`line ${number} of the prices: a price is above zero: ${price}`)
  return { offsetSec: Number(offset), asset, price: value }
}

/**
 * Prices as the lines say, from the moment that this source is built; before an asset's first line, and for assets that the file does not
 * name, `fallback` decides. After its last line an asset stands still.
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
