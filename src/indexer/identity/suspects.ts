// Ledgers whose archived events the record of a transaction contradicts, until they are verified.

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
  const takenAtMs = new Map<string, number>()
  const keyOf = ({ chain, ledger }: Contradiction): string => `${chain} ${ledger}`

  return {
    isEmpty: () => waiting.size === 0,
    add(contradiction) {
      const key = keyOf(contradiction)
      const sinceMs = clock.elapsedMs() - (takenAtMs.get(key) ?? Number.NEGATIVE_INFINITY)
      if (sinceMs >= VERIFIED_AGAIN_AFTER_MS && waiting.size < WAITING_MAX) waiting.set(key, contradiction)
    },
    take() {
      const [first] = waiting
      if (first === undefined) return undefined
      const [key, contradiction] = first
      waiting.delete(key)
      const [oldest] = takenAtMs.keys()
      if (takenAtMs.size >= VERIFIED_MAX && oldest !== undefined) takenAtMs.delete(oldest)
      takenAtMs.set(key, clock.elapsedMs())
      return contradiction
    },
  }
}
