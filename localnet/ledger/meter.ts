// Nominal metering: costs are counted, not measured, so the same call on the same state costs the same on every machine.

import type { HostFailure } from '../contracts/shared/host.ts'
import { hostFailure } from './failure.ts'

/** The cost of loading and setting up contracts, charged to every transaction. */
const BASE_INSTRUCTIONS = 4_000_000

/**
 * Instructions per cost type. All except the signature are small compared with the base cost. A call that finds other prices than its
 * simulation may take a different path through the contracts, and the margin that simulation adds covers the difference. The number of
 * signatures is known in advance.
 */
const INSTRUCTIONS_BY_COST_TYPE = {
  call: 30_000,
  read: 2_500,
  write: 4_000,
  auth: 6_000,
  signature: 380_000,
  event: 2_000,
} as const

type CostType = keyof typeof INSTRUCTIONS_BY_COST_TYPE

export interface Meter {
  /** Throws Budget/ExceededLimit when the limit is exceeded, and at every charge after that. */
  charge(type: CostType): void
  readonly instructions: number
  /** Set once the limit is exceeded. The run then fails, even when a contract catches the failure. */
  readonly exhausted: HostFailure | null
  count(type: CostType): number
}

/** Creates a meter that stops a run above `limit` instructions. */
export function createMeter(limit: number): Meter {
  const counts: Record<CostType, number> = { call: 0, read: 0, write: 0, auth: 0, signature: 0, event: 0 }
  let instructions = BASE_INSTRUCTIONS
  let exhausted: HostFailure | null = null
  return {
    charge(type) {
      counts[type] += 1
      instructions += INSTRUCTIONS_BY_COST_TYPE[type]
      if (instructions <= limit) return
      exhausted ??= hostFailure('Budget', 'ExceededLimit', 'the instructions of the transaction are used up')
      throw exhausted
    },
    get instructions() {
      return instructions
    },
    get exhausted() {
      return exhausted
    },
    count: (type) => counts[type],
  }
}
