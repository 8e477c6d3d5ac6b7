// Counts per caller in bounded memory. The first callers are counted exactly. When the table is full, further callers are counted approximately, in a count-min
// sketch: each caller has one counter per row, chosen by a hash, and its count is the smallest of them. Callers share counters, but hardly ever all of theirs,
// so a flood of callers neither displaces known ones nor uses up the limit of new ones (docs/decisions/fair-rate-limits.md).

import type { KeyedHash } from '../base/keyed-hash.ts'
import { COUNTED_CALLERS_MAX, SKETCH_COLUMNS, SKETCH_ROWS } from '../limits.ts'

export interface Counts {
  /** The number counted for a caller. Never too low. */
  get(caller: string): number
  /** Raises the count of a caller to at least `count`. */
  raise(caller: string, count: number): void
  /** True if the table is full and the caller is not in it, so that it is counted approximately. */
  isApproximate(caller: string): boolean
  /** Number of callers counted exactly. */
  readonly size: number
}

/** The key of `hash` must be secret: who knows it can find callers that share all counters with a victim. */
export function createCounts({ hash, maxExact = COUNTED_CALLERS_MAX }: { readonly hash: KeyedHash; readonly maxExact?: number }): Counts {
  const exact = new Map<string, number>()
  let sketch: Uint32Array | undefined
  const halves = new Uint32Array(2)
  const cells = new Uint32Array(SKETCH_ROWS)

  /** Sets `cells` to the counters of a caller, which two hashes determine. */
  function locate(caller: string): void {
    hash(caller, halves)
    const [first = 0, second = 0] = halves
    for (let row = 0; row < SKETCH_ROWS; row++) cells[row] = row * SKETCH_COLUMNS + ((first + Math.imul(row, second)) >>> 0) % SKETCH_COLUMNS
  }

  function isApproximate(caller: string): boolean {
    return exact.size >= maxExact && !exact.has(caller)
  }

  return {
    isApproximate,
    get size() {
      return exact.size
    },
    get(caller) {
      const known = exact.get(caller)
      if (known !== undefined) return known
      if (sketch === undefined || exact.size < maxExact) return 0
      locate(caller)
      let least = Number.MAX_SAFE_INTEGER
      for (const cell of cells) least = Math.min(least, sketch[cell] ?? 0)
      return least
    },
    raise(caller, count) {
      if (!isApproximate(caller)) {
        exact.set(caller, Math.max(exact.get(caller) ?? 0, count))
        return
      }
      sketch ??= new Uint32Array(SKETCH_ROWS * SKETCH_COLUMNS)
      locate(caller)
      // Only counters below the new count rise, so that callers that share one disturb each other as little as possible.
      for (const cell of cells) if ((sketch[cell] ?? 0) < count) sketch[cell] = count
    },
  }
}
