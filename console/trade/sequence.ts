// A sequence of transactions: what is said before each signature, and when one of them fails.

import { ContractFailure, RefusedToSign, UnknownOutcome } from '../../client/src/index.ts'
import type { Traded } from '../../client/src/index.ts'
import { Declined, problemOf } from '../problems.ts'
import type { Problem } from '../problems.ts'
import type { TicketStep } from './ticket.ts'

/** State of the last ticket. */
export type Sending =
  | { readonly kind: 'idle' }
  /** `step` counts from 1. */
  | { readonly kind: 'working'; readonly text: string; readonly title: string; readonly step: number; readonly steps: number; readonly hash: string | null }
  | { readonly kind: 'done'; readonly title: string; readonly traded: Traded }
  /** `effect`: what did and did not happen. `canResume`: an earlier transaction of the sequence was applied, and the rest can be sent again. */
  | { readonly kind: 'stopped'; readonly problem: Problem; readonly effect: string; readonly canResume: boolean }
  | { readonly kind: 'refused'; readonly error: RefusedToSign; readonly effect: string }
  | { readonly kind: 'unknown'; readonly error: UnknownOutcome; readonly effect: string }

export interface Sequence {
  readonly steps: readonly TicketStep[]
  /** The index of the next transaction. */
  next: number
  /** The position that an earlier one opened. */
  opened: number | null
}

/** Returns the notes of the review besides the content of its transaction: what follows it without another review, and the notes of all of them. */
export function notesOf(steps: readonly TicketStep[], index: number): readonly string[] {
  const [, ...rest] = steps.slice(index)
  const own = steps.slice(index).flatMap(({ note }) => (note === undefined ? [] : [note]))
  const all = rest.length === 1 ? 'both' : `all ${rest.length + 1}`
  if (rest.length === 0) return own
  const [first = '', ...later] = rest.map(({ title }) => title)
  return [`Then: ${[first, ...later.map(lowerFirst)].join(', then ')}. This review covers ${all} transactions.`, ...own]
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)

/** Returns the consequence of an error for a sequence that stopped at `next`. */
export function failureOf(error: unknown, { steps, next, opened }: Readonly<Sequence>): Sending {
  const missing = next === 0 ? [] : steps.slice(next).flatMap(({ ifNotSent }) => (ifNotSent === undefined ? [] : [ifNotSent(opened)]))
  const isDeclined = error instanceof Declined
  const effect = [isDeclined ? '' : fateOf(error, steps.length > 1 ? steps[next]?.title ?? '' : ''), ...missing].filter((text) => text !== '').join(' ')
  if (error instanceof RefusedToSign) return { kind: 'refused', error, effect: missing.join(' ') }
  if (error instanceof UnknownOutcome) return { kind: 'unknown', error, effect: next + 1 < steps.length ? 'The rest of the sequence was not sent.' : '' }
  const declined: Problem = { text: next === 0 ? 'You did not sign. Nothing was sent.' : 'You did not sign.', code: null }
  return { kind: 'stopped', problem: isDeclined ? declined : problemOf(error), effect, canResume: next > 0 }
}

function fateOf(error: unknown, title: string): string {
  const name = title === '' ? '' : `${title}: `
  if (!(error instanceof ContractFailure)) return `${name}Not traded.`
  return `${name}${error.stage === 'ledger' ? 'The transaction failed in a ledger, and its fee was charged.' : 'Nothing was traded and nothing was charged.'}`
}
