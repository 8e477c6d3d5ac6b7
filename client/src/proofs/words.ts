// The records of the log read as what they say of each ledger: ranges and places adjoin, and corrections replace what was said before.

import { ProofFailure } from '../errors.ts'
import type { PlacedRecord } from './log.ts'
import type { LogRecord } from './record.ts'

/** The newest word on some ledgers: a record, or what a correction has left of one. */
export interface Word extends PlacedRecord {
  /** Counts the epochs of the log. Ledgers of different parts may have the same numbers. */
  readonly part: number
  readonly from: number
  readonly to: number
  /** The number of events that the word still has. */
  readonly events: number
}

/** Reads the words of a log, in the order of parts and ledgers. Throws ProofFailure at the first record that does not follow from those before it. */
export function readWords(records: readonly PlacedRecord[]): readonly Word[] {
  const words: Word[] = []
  let part = -1
  let total = 0
  let next: number | undefined
  for (const placed of records) {
    const { record, leafIndex } = placed
    const { kind, fromLedger: from, toLedger: to, events, seqFirst, replaces, endsInside } = record
    const check = (holds: boolean, what: string): void => {
      if (!holds) throw new ProofFailure('different', `Record ${leafIndex} (${describe(record)}): ${what}.`)
    }
    if (kind === 'correction') {
      const found = findCorrected(words, placed)
      check(found !== null, 'it corrects nothing that the log says')
      if (found !== null) words.splice(found.first, found.count, ...found.replacement)
      total += events - replaces
      continue
    }
    check(seqFirst === total + 1, `its place is ${seqFirst}, not ${total + 1}`)
    check(replaces === 0, 'it replaces events, and is not a correction')
    if (kind === 'epoch') {
      check(to === from - 1 && events === 0, 'an epoch has no ledgers')
      part += 1
      next = from
      continue
    }
    check(from === next, `it does not adjoin the record before, which ends before ledger ${next ?? '(none)'}`)
    check(to >= from && (kind === 'page' || events === 0), 'its range or number of events is wrong')
    words.push({ ...placed, part, from, to, events })
    total += events
    next = endsInside ? to : to + 1
  }
  return words
}

interface Correction {
  readonly first: number
  readonly count: number
  readonly replacement: readonly Word[]
}

/** The words that a correction replaces, by its range, place and number of events; null when there are none. */
function findCorrected(words: readonly Word[], placed: PlacedRecord): Correction | null {
  const { fromLedger: from, toLedger: to, events, seqFirst, replaces } = placed.record
  for (let part = words.at(-1)?.part ?? -1; part >= 0; part--) {
    const isConcerned = (word: Word): boolean => word.part === part && word.to >= from && word.from <= to
    const first = words.findIndex(isConcerned)
    if (first === -1) continue
    const concerned = words.slice(first).filter(isConcerned)
    const place = words.slice(0, first).reduce((sum, word) => sum + word.events, 1)
    const replaced = concerned.filter((word) => word.to <= to).reduce((sum, word) => sum + word.events, 0)
    // Only gaps may be corrected in parts: what remains of another record would have lost its events.
    const isWhole = concerned.every((word) => word.to <= to || word.record.kind === 'gap')
    if (place !== seqFirst || replaced !== replaces || !isWhole) continue
    const before = concerned.filter((word) => word.from < from).map((word) => ({ ...word, to: from - 1, events: 0 }))
    const after = concerned.filter((word) => word.to > to).map((word) => ({ ...word, from: to + 1 }))
    if (before.some((word) => word.record.kind !== 'gap' && word.record.events > 0)) continue
    return { first, count: concerned.length, replacement: [...before, { ...placed, part, from, to, events }, ...after] }
  }
  return null
}

export function describe({ kind, fromLedger, toLedger }: LogRecord): string {
  return `${kind} of ledgers ${fromLedger} to ${toLedger}`
}
