// Ledgers whose archived events the record of a transaction contradicts, until they are verified.

import { createCache } from '../../base/cache.ts'
import type { Clock } from '../../base/clock.ts'
import type { Contradiction } from '../pages/transaction-effects.ts'

/** More are dropped: records are read again later. */
const WAITING_MAX = 256
/** A node that lies about a record must not have its ledger verified again and again. */
const VERIFIED_AGAIN_AFTER_MS = 60 * 60_000
const VERIFIED_MAX = 1_000

export interface Suspects {
  add(contradiction: Contradiction): void
  isEmpty(): boolean
  /** The next one to verify. */
  take(): Contradiction | undefined
}

export function createSuspects(clock: Clock): Suspects {
  const waiting = new Map<string, Contradiction>()
  const taken = createCache<string, true>(VERIFIED_MAX, { clock, ttlMs: VERIFIED_AGAIN_AFTER_MS })
  const keyOf = ({ chain, ledger }: Contradiction): string => `${chain} ${ledger}`

  return {
    isEmpty: () => waiting.size === 0,
    add(contradiction) {
      const key = keyOf(contradiction)
      if (!taken.has(key) && waiting.size < WAITING_MAX) waiting.set(key, contradiction)
    },
    take() {
      const [first] = waiting
      if (first === undefined) return undefined
      const [key, contradiction] = first
      waiting.delete(key)
      taken.set(key, true)
      return contradiction
    },
  }
}
