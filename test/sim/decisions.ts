// Where chance enters a simulation. A choice is made by its name (which door, which occurrence), never by the next number of a shared stream: code that
// asks one question more does not change the answers to all the others. Every choice that is not the ordinary course is recorded, so that a
// failure can be repeated from the record even after the generator has changed.

import { createHash } from 'node:crypto'

/** Something out of the ordinary that happened at a door. */
export interface Decision {
  /** `rpc getEvents`, `store commit`, `driver` and the like. */
  readonly door: string
  /** The n-th time that this door was asked, from 1. */
  readonly nth: number
  readonly choice: Choice
}

export type Choice = Readonly<Record<string, string | number | boolean>> & { readonly name: string }

/** A choice with its chance; what is left to 1 is the ordinary course. */
export interface Option {
  readonly chance: number
  readonly choice: (roll: Roll) => Choice
}

/** Further numbers for the details of one choice. */
export interface Roll {
  /** An integer from `min` to `max`. */
  integer(min: number, max: number): number
}

export interface Decisions {
  /** What happens at this door now; undefined: the ordinary course. */
  decide(door: string, options: readonly Option[]): Choice | undefined
  /** From now on nothing out of the ordinary happens. */
  calm(): void
  /** What happened so far. */
  readonly record: readonly Decision[]
}

/** Decides by the seed. */
export function decisionsOfSeed(seed: string): Decisions {
  const counts = new Map<string, number>()
  const record: Decision[] = []
  let isCalm = false
  return {
    record,
    calm: () => void (isCalm = true),
    decide(door, options) {
      const nth = count(counts, door)
      if (isCalm) return undefined
      let left = fraction(`${seed}/${door}/${nth}`)
      const option = options.find(({ chance }) => {
        left -= chance
        return left < 0
      })
      if (option === undefined) return undefined
      let detail = 0
      const roll: Roll = { integer: (min, max) => min + Math.floor(fraction(`${seed}/${door}/${nth}/${detail++}`) * (max - min + 1)) }
      const choice = option.choice(roll)
      record.push({ door, nth, choice })
      return choice
    },
  }
}

/** Repeats a record, and nothing else. */
export function decisionsOfRecord(recorded: readonly Decision[]): Decisions {
  const counts = new Map<string, number>()
  const record: Decision[] = []
  let isCalm = false
  return {
    record,
    calm: () => void (isCalm = true),
    decide(door) {
      const nth = count(counts, door)
      if (isCalm) return undefined
      const known = recorded.find((one) => one.door === door && one.nth === nth)
      if (known !== undefined) record.push(known)
      return known?.choice
    },
  }
}

/** A number in [0, 1) that belongs to this text. */
export function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48
}

function count(counts: Map<string, number>, door: string): number {
  const nth = (counts.get(door) ?? 0) + 1
  counts.set(door, nth)
  return nth
}
