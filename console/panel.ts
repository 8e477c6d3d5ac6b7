// A part of a page that is read over REST: at its opening, and again when the log has moved on, never more often than every fifteen seconds. Beside it
// stands when it was read; what could not be read again is grey and says why.

import type { Answer, Client } from '../client/src/index.ts'
import { nowMs } from './clock.ts'
import { el, write } from './dom.ts'
import type { Feed } from './feed.ts'
import { timeOfDay } from './format.ts'
import { reasonOf, retryAfterSec } from './problems.ts'
import type { Session } from './session.ts'

export interface PanelOptions<Body> {
  readonly feed: Feed
  readonly session: Session
  /** What it is called in messages. */
  readonly what: string
  readonly read: (client: Client) => Promise<Answer<Body>>
  readonly render: (body: Body, answer: Answer<Body>) => void
  /** Called when there is nothing to be shown any more. */
  readonly clear?: () => void
  /** What turns grey. */
  readonly content: HTMLElement
  /** Read again only when it is told to. */
  readonly isManual?: boolean
}

export interface Panel {
  /** Says when the content was read, or why it was not. */
  readonly note: HTMLElement
  show(): void
  hide(): void
  /** Reads now; `isOther`: what is shown is of something else, and goes. */
  read(isOther?: boolean): void
}

const EVERY_MS = 15_000
/** What is known to be outdated for so long is called stale. */
const STALE_MS = 45_000
const FAILED_RETRY_MS = 15_000

export function createPanel<Body>(options: PanelOptions<Body>): Panel {
  const { feed, session, content } = options
  const note = el('p', { class: 'note' })
  let isShown = false
  /** Readings are numbered: what an earlier one brings is of no interest any more. */
  let readings = 0
  let isReading = false
  let readMs: number | null = null
  let answer: Answer<Body> | null = null
  let problem: { readonly text: string; readonly againMs: number } | null = null

  async function read(isOther = false): Promise<void> {
    const mine = ++readings
    isReading = true
    if (isOther) {
      answer = null
      readMs = null
      problem = null
      options.clear?.()
    }
    look()
    try {
      const found = await options.read(session.client())
      if (mine !== readings) return
      answer = found
      readMs = nowMs()
      problem = null
      options.render(found.body, found)
    } catch (error) {
      if (mine !== readings) return
      const waitMs = (retryAfterSec(error) ?? 0) * 1000
      problem = { text: reasonOf(error), againMs: nowMs() + Math.max(waitMs, waitMs > 0 ? 0 : FAILED_RETRY_MS) }
    }
    isReading = false
    look()
  }

  const hasMoved = (): boolean => answer !== null && (answer.seq ?? 0) < (feed.head()?.seq ?? 0)

  function look(): void {
    const now = nowMs()
    const isOld = readMs !== null && now - readMs > STALE_MS && (hasMoved() || !feed.isLive())
    content.classList.toggle('stale', isOld || (problem !== null && answer !== null))
    write(note, sentence(now, isOld))
    note.classList.toggle('problem', problem !== null)
    if (!isShown || isReading || document.hidden) return
    if (problem !== null) {
      if (now >= problem.againMs) void read()
      return
    }
    if (options.isManual !== true && readMs !== null && now - readMs >= EVERY_MS && hasMoved() && feed.isLive()) void read()
  }

  function sentence(now: number, isOld: boolean): string {
    const when = readMs === null ? '' : `read at ${timeOfDay(readMs / 1000)}${answer?.ledger === null || answer === null ? '' : `, ledger ${answer.ledger}`}`
    if (problem !== null) {
      const again = `again in ${Math.max(0, Math.ceil((problem.againMs - now) / 1000))} s`
      return `${options.what}: ${problem.text}; ${again}.${when === '' ? '' : ` What is shown was ${when}.`}`
    }
    if (readMs === null) return `${options.what}: reading…`
    return isOld ? `Stale: ${when}.` : `${when[0]?.toUpperCase()}${when.slice(1)}.`
  }

  feed.onSecond(() => {
    if (isShown) look()
  })
  return {
    note,
    show() {
      isShown = true
      if (readMs === null || nowMs() - readMs >= EVERY_MS) void read()
    },
    hide() {
      isShown = false
    },
    read: (isOther) => void read(isOther),
  }
}
