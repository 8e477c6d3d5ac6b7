// Randomness of a simulation. Each choice depends on its name and occurrence and not on a shared stream of numbers: an additional choice in the code does not
// change all others. Every fault is recorded, so that a failure can be replayed even after the generator has changed.

import { createHash } from 'node:crypto'

/** A fault at an injection point (`door`). */
export interface Decision {
  /** `rpc getEvents`, `store commit`, `driver` and the like. */
  readonly door: string
  /** The n-th occurrence, from 1. */
  readonly nth: number
  readonly choice: Choice
}

export type Choice = Readonly<Record<string, string | number | boolean>> & { readonly name: string }

/** A fault and its probability. Otherwise nothing happens. */
export interface Option {
  readonly chance: number
  readonly choice: (roll: Roll) => Choice
}

/** Random numbers for the details of one choice. */
export interface Roll {
  /** An integer from `min` to `max`. */
  integer(min: number, max: number): number
}

export interface Decisions {
  /** The fault to inject now, if any. */
  decide(door: string, options: readonly Option[]): Choice | undefined
  /** Stops all faults. */
  calm(): void
  /** The faults so far. */
  readonly record: readonly Decision[]
}

/** Decides by a seed. */
export function decisionsOfSeed(seed: string): Decisions {
  return createDecisions((door, nth, options) => {
    let left = fraction(`${seed}/${door}/${nth}`)
    const option = options.find(({ chance }) => {
      left -= chance
      return left < 0
    })
    let detail = 0
    return option?.choice({ integer: (min, max) => min + Math.floor(fraction(`${seed}/${door}/${nth}/${detail++}`) * (max - min + 1)) })
  })
}

/** Replays recorded faults and injects no others. */
export function decisionsOfRecord(recorded: readonly Decision[]): Decisions {
  return createDecisions((door, nth) => recorded.find((decision) => decision.door === door && decision.nth === nth)?.choice)
}

function createDecisions(choose: (door: string, nth: number, options: readonly Option[]) => Choice | undefined): Decisions {
  const counts = new Map<string, number>()
  const record: Decision[] = []
  let isCalm = false
  return {
    record,
    calm: () => void (isCalm = true),
    decide(door, options) {
      const nth = (counts.get(door) ?? 0) + 1
      counts.set(door, nth)
      const choice = isCalm ? undefined : choose(door, nth, options)
      if (choice !== undefined) record.push({ door, nth, choice })
      return choice
    },
  }
}

/** A number in [0, 1) that depends on the text only. */
export function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48
}
