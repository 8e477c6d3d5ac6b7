// Something that is read over REST: when it is shown, again when the log has moved on, at most every 15 s, while parts of it are not
// known yet, and when a lost connection has returned. It is stale, and says why, when it could not be read again.

import { computed, effect, signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { RateLimited, Unauthorized, Unreachable } from '../../client/src/index.ts'
import type { Answer, Client } from '../../client/src/index.ts'
import { nowMs } from '../clock.ts'
import type { Feed } from '../feed.ts'
import { timeOfDay } from '../format.ts'
import { problemOf, reasonOf, retryAfterSec } from '../problems.ts'
import type { Session } from '../session.ts'
import { isDue, READ_EVERY_MS } from './due.ts'

export interface ResourceOptions<Body> {
  readonly feed: Feed
  readonly session: Session
  /** Name of the content in messages. */
  readonly title: string
  readonly read: (client: Client) => Promise<Answer<Body>>
  /** Disables reading again when the log moves on. */
  readonly isManual?: boolean
  /** True for content with parts that the gateway does not know yet: no event reports them, so it is read again. */
  readonly isIncomplete?: (body: Body) => boolean
}

export interface Resource<Body> {
  /** The content read last; null if nothing was. */
  readonly answer: ReadonlySignal<Answer<Body> | null>
  /** True when the content may no longer be current. */
  readonly isStale: ReadonlySignal<boolean>
  /** Says why the content is missing or may not be current; empty if it is. */
  readonly note: ReadonlySignal<string>
  readonly hasProblem: ReadonlySignal<boolean>
  /** The code of the problem; null without one. */
  readonly problemCode: ReadonlySignal<string | null>
  /** Reads while shown. Returns a function that hides it. */
  show(): () => void
  /** Reads now. `reset` clears the content first because it belongs to something else. */
  read(reset?: boolean): Promise<void>
}

/** Outdated content is stale after this time. */
const STALE_AFTER_MS = 45_000
const RETRY_AFTER_MS = 15_000

interface Reading<Body> {
  readonly answer: Answer<Body> | null
  readonly readMs: number | null
  readonly isReading: boolean
  readonly problem: { readonly text: string; readonly code: string | null; readonly retryMs: number; readonly isUnreachable: boolean } | null
  /** Number of the connection's returns when it was read. */
  readonly returns: number
}

export function createResource<Body>({ feed, session, title, read: readOnce, isManual = false, isIncomplete }: ResourceOptions<Body>): Resource<Body> {
  const state = signal<Reading<Body>>({ answer: null, readMs: null, isReading: false, problem: null, returns: 0 })
  /** Number of the latest read. The results of earlier ones are dropped. */
  let latestRead = 0

  async function read(reset = false): Promise<void> {
    const thisRead = ++latestRead
    const returns = feed.returns.peek()
    state.value = reset ? { answer: null, readMs: null, isReading: true, problem: null, returns } : { ...state.peek(), isReading: true }
    try {
      const answer = await readOnce(session.client())
      if (thisRead === latestRead) state.value = { answer, readMs: nowMs(), isReading: false, problem: null, returns }
    } catch (error) {
      if (thisRead !== latestRead) return
      const retryAfter = retryAfterSec(error) ?? 0
      const { text, code } = problemTexts(error)
      const retryMs = nowMs() + (retryAfter > 0 ? retryAfter * 1000 : RETRY_AFTER_MS)
      state.value = { ...state.peek(), isReading: false, problem: { text, code, retryMs, isUnreachable: error instanceof Unreachable }, returns }
    }
  }

  function isOutdated({ answer }: Reading<Body>): boolean {
    return answer !== null && (answer.seq ?? 0) < (feed.head()?.seq ?? 0)
  }

  function isDueNow(reading: Reading<Body>, now: number): boolean {
    const { answer, readMs, problem } = reading
    return isDue({
      readMs, problem, isFromBefore: reading.returns !== feed.returns.peek(), isLive: feed.connection.peek() === 'live',
      isOutdated: !isManual && isOutdated(reading), isIncomplete: answer !== null && isIncomplete?.(answer.body) === true,
    }, now)
  }

  const isOld = computed(() => {
    const { readMs } = state.value
    // Content that is not read again is kept current by the stream.
    return readMs !== null && feed.now.value - readMs > STALE_AFTER_MS && ((!isManual && isOutdated(state.value)) || feed.connection.value !== 'live')
  })
  return {
    answer: computed(() => state.value.answer),
    isStale: computed(() => isOld.value || (state.value.problem !== null && state.value.answer !== null)),
    hasProblem: computed(() => state.value.problem !== null),
    problemCode: computed(() => state.value.problem?.code ?? null),
    note: computed(() => noteText(title, state.value, { now: feed.now.value, isOld: isOld.value })),
    show() {
      const { readMs, isReading } = state.peek()
      if (!isReading && (readMs === null || nowMs() - readMs >= READ_EVERY_MS)) void read()
      return effect(() => {
        const now = feed.now.value
        const reading = state.peek()
        if (!reading.isReading && !document.hidden && isDueNow(reading, now)) void read()
      })
    },
    read,
  }
}

/** The sentence of a rate limit already has its code. */
function problemTexts(error: unknown): { readonly text: string; readonly code: string | null } {
  if (error instanceof RateLimited || error instanceof Unauthorized) return { text: reasonOf(error), code: null }
  const { text, code } = problemOf(error)
  return { text: text.replace(/\.$/, ''), code }
}

function noteText(title: string, { answer, readMs, problem }: Reading<unknown>, { now, isOld }: { readonly now: number; readonly isOld: boolean }): string {
  const ledger = answer?.ledger ?? null
  const source = readMs === null ? '' : `${timeOfDay(readMs / 1000)}${ledger === null ? '' : `, ledger ${ledger}`}`
  if (problem !== null) {
    const seconds = Math.max(0, Math.ceil((problem.retryMs - now) / 1000))
    return `${title}: ${problem.text}. Retrying in ${seconds} s.${source === '' ? '' : ` Showing data from ${source}.`}`
  }
  if (readMs === null) return `${title}: loading…`
  return isOld ? `Stale: read at ${source}.` : ''
}
