// Counts per caller in bounded memory. When the table is full, the callers that were counted longest ago are forgotten, half of the table at a time: a flood of
// callers delays nobody else, and who has enough addresses to be forgotten may send more than a process can answer (docs/decisions/fair-rate-limits.md).

import { COUNTED_CALLERS_MAX } from '../limits.ts'

export interface Counts {
  /** The number counted for a caller. */
  get(caller: string): number
  /** Raises the count of a caller to at least `count`. */
  raise(caller: string, count: number): void
}

export function createCounts(maxCallers = COUNTED_CALLERS_MAX): Counts {
  let newer = new Map<string, number>()
  let older = new Map<string, number>()
  const get = (caller: string): number => newer.get(caller) ?? older.get(caller) ?? 0
  return {
    get,
    raise(caller, count) {
      const raised = Math.max(get(caller), count)
      if (newer.size >= maxCallers / 2 && !newer.has(caller)) {
        older = newer
        newer = new Map()
      }
      newer.set(caller, raised)
    },
  }
}
