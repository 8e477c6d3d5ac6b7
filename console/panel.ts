// A part of a page that is read over REST: when it is shown, and again when the log has moved on, at most every 15 s. A note says when it was read. If it could
// not be read again, it turns grey and the note says why.

import type { Answer, Client } from '../client/src/index.ts'
import { nowMs } from './clock.ts'
import { el, setText } from './dom.ts'
import type { Feed } from './feed.ts'
import { timeOfDay } from './format.ts'
import { reasonOf, retryAfterSec } from './problems.ts'
import type { Session } from './session.ts'

export interface PanelOptions<Body> {
  readonly feed: Feed
  readonly session: Session
  /** Name of the content in messages. */
  readonly title: string
  readonly read: (client: Client) => Promise<Answer<Body>>
  readonly render: (body: Body, response: Answer<Body>) => void
  /** Empties the content. */
  readonly clear?: () => void
  /** Turns grey when stale. */
  readonly content: HTMLElement
  /** Disables reading again when the log moves on. */
  readonly isManual?: boolean
}

export interface Panel {
  /** Says when the content was read, or why it was not. */
  readonly note: HTMLElement
  show(): void
  hide(): void
  /** Reads now. `reset` clears the content first because it belongs to something else. */
  read(reset?: boolean): void
}

const READ_EVERY_MS = 15_000
/** Outdated content is stale after this time. */
const STALE_AFTER_MS = 45_000
const RETRY_AFTER_MS = 15_000

export function createPanel<Body>(options: PanelOptions<Body>): Panel {
  const { feed, session, content } = options
  const note = el('p', { class: 'note' })
  let isShown = false
  /** Number of the latest read. The results of earlier ones are dropped. */
  let latestRead = 0
  let isReading = false
  let readMs: number | null = null
  let response: Answer<Body> | null = null
  let problem: { readonly text: string; readonly retryMs: number } | null = null

  async function read(reset = false): Promise<void> {
    const thisRead = ++latestRead
    isReading = true
    if (reset) {
      response = null
      readMs = null
      problem = null
      options.clear?.()
    }
    update()
    try {
      const result = await options.read(session.client())
      if (thisRead !== latestRead) return
      response = result
      readMs = nowMs()
      problem = null
      options.render(result.body, result)
    } catch (error) {
      if (thisRead !== latestRead) return
      const retryAfter = retryAfterSec(error) ?? 0
      problem = { text: reasonOf(error), retryMs: nowMs() + (retryAfter > 0 ? retryAfter * 1000 : RETRY_AFTER_MS) }
    }
    isReading = false
    update()
  }

  const isOutdated = (): boolean => response !== null && (response.seq ?? 0) < (feed.head()?.seq ?? 0)

  function update(): void {
    const now = nowMs()
    const isStale = readMs !== null && now - readMs > STALE_AFTER_MS && (isOutdated() || !feed.isLive())
    content.classList.toggle('stale', isStale || (problem !== null && response !== null))
    setText(note, noteText(now, isStale))
    note.classList.toggle('problem', problem !== null)
    if (isShown && !isReading && !document.hidden && isDue(now)) void read()
  }

  function isDue(now: number): boolean {
    if (problem !== null) return now >= problem.retryMs
    return options.isManual !== true && readMs !== null && now - readMs >= READ_EVERY_MS && isOutdated() && feed.isLive()
  }

  function noteText(now: number, isStale: boolean): string {
    const ledger = response?.ledger ?? null
    const source = readMs === null ? '' : `${timeOfDay(readMs / 1000)}${ledger === null ? '' : `, ledger ${ledger}`}`
    if (problem !== null) {
      const seconds = Math.max(0, Math.ceil((problem.retryMs - now) / 1000))
      return `${options.title}: ${problem.text}. Retrying in ${seconds} s.${source === '' ? '' : ` Showing data from ${source}.`}`
    }
    if (readMs === null) return `${options.title}: loading…`
    return isStale ? `Stale: read at ${source}.` : `Read at ${source}.`
  }

  feed.onSecond(() => {
    if (isShown) update()
  })
  return {
    note,
    show() {
      isShown = true
      if (readMs === null || nowMs() - readMs >= READ_EVERY_MS) void read()
    },
    hide() {
      isShown = false
    },
    read: (reset) => void read(reset),
  }
}
