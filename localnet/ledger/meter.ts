// Nominal metering: what a run costs is counted, not measured, so that the same call on the same state costs the same everywhere.

import type { HostFailure } from '../contracts/host.ts'
import { hostFailure } from './failure.ts'

/** A transaction costs this much before anything runs: fetching and setting up the contracts. */
const BASE_INSTRUCTIONS = 4_000_000

/**
 * What the host charges for, in instructions. All but the signature, which is known beforehand, are small beside the start: a call that
 * finds other prices than its simulation did may take another way through its contracts, and the margin that a simulation adds covers it.
 */
const INSTRUCTIONS_BY_COST_TYPE = {
  call: 30_000,
  read: 2_500,
  write: 4_000,
  auth: 6_000,
  signature: 380_000,
  event: 2_000,
} as const

export type CostType = keyof typeof INSTRUCTIONS_BY_COST_TYPE

/** The counters of one run. */
export interface Meter {
  /** Throws Budget/ExceededLimit when the run has used up what it may, and from then on at every charge. */
  charge(what: CostType): void
  readonly instructions: number
  /** Set once the limit was passed: no contract can go on after that, whether or not it let the failure through. */
  readonly exhausted: HostFailure | null
  count(what: CostType): number
}

/** A meter at its start; it stops the run that passes `limit` instructions. */
export function createMeter(limit: number): Meter {
  const counts: Record<CostType, number> = { call: 0, read: 0, write: 0, auth: 0, signature: 0, event: 0 }
  let instructions = BASE_INSTRUCTIONS
  let exhausted: HostFailure | null = null
  return {
    charge(what) {
      counts[what] += 1
      instructions += INSTRUCTIONS_BY_COST_TYPE[what]
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
    count: (what) => counts[what],
  }
}
