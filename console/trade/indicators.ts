// Technical indicators of closing prices. Pure. Each result has one value per price; null until enough prices are known.

type Values = readonly (number | null)[]

/** The mean of the last `length` prices. */
export function simpleAverage(prices: readonly number[], length: number): Values {
  return prices.map((_, index) => {
    if (index + 1 < length) return null
    // Added from scratch each time: a running sum would collect rounding errors.
    return prices.slice(index + 1 - length, index + 1).reduce((sum, price) => sum + price, 0) / length
  })
}

/** The exponential average with the weight 2 / (length + 1). It begins with the mean of the first `length` values; nulls before them do not count. */
export function exponentialAverage(values: Values, length: number): Values {
  const weight = 2 / (length + 1)
  let sum = 0
  let count = 0
  let average: number | null = null
  return values.map((value) => {
    if (value === null) return null
    count += 1
    sum += value
    if (count === length) average = sum / length
    else if (average !== null) average += weight * (value - average)
    return average
  })
}

/** Wilder's relative strength index, 0 to 100: the part of the gains in all movements, smoothed over `length` changes. 50 without a movement. */
export function relativeStrength(prices: readonly number[], length: number): Values {
  let gain = 0
  let loss = 0
  return prices.map((price, index) => {
    const change = index === 0 ? 0 : price - (prices[index - 1] ?? price)
    const [up, down] = [Math.max(change, 0), Math.max(-change, 0)]
    if (index <= length) {
      gain += up / length
      loss += down / length
    } else {
      gain += (up - gain) / length
      loss += (down - loss) / length
    }
    if (index < length) return null
    return gain + loss === 0 ? NEUTRAL : 100 * gain / (gain + loss)
  })
}

const NEUTRAL = 50

export interface Macd {
  /** The fast average less the slow one. */
  readonly line: Values
  /** The average of the line. */
  readonly signal: Values
  /** The line less its average. */
  readonly histogram: Values
}

/** Moving average convergence/divergence, usually of 12, 26 and 9. */
export function macd(prices: readonly number[], { fast, slow, signal }: { readonly fast: number; readonly slow: number; readonly signal: number }): Macd {
  const [quick, calm] = [exponentialAverage(prices, fast), exponentialAverage(prices, slow)]
  const line = prices.map((_, index) => difference(quick[index], calm[index]))
  const smoothed = exponentialAverage(line, signal)
  return { line, signal: smoothed, histogram: line.map((value, index) => difference(value, smoothed[index])) }
}

function difference(a: number | null | undefined, b: number | null | undefined): number | null {
  return a === null || a === undefined || b === null || b === undefined ? null : a - b
}
