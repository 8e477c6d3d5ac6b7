// Reads pages of events. While the index is far behind, pages are joined, so that one transaction writes several of them, and the next ones are requested
// while they are written (docs/decisions/catch-up.md).

import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { EventsRequest, Rpc } from '../../chain/rpc/rpc.ts'
import { EVENTS_PAGE_LIMIT } from '../../limits.ts'
import { xdrLength } from './decode.ts'
import { BadPage, readEventsPage } from './events-page.ts'
import type { CheckedPage, EventsPosition } from './events-page.ts'

/** The most pages in one transaction. */
const JOINED_PAGES_MAX = 8
/** No page is added to one that has this much XDR, in characters of base64: ordinary events have a third of it. */
const JOINED_XDR_MAX_LENGTH = 16 * 1024 * 1024
/** A page with at least this many events is one of a dense history. */
const DENSE_EVENTS = EVENTS_PAGE_LIMIT / 2
/** The embedded engine's reads wait for a transaction. Above this duration fewer pages are joined, below half of it more. */
const WRITE_MAX_MS = 1_000
/** Maximum growth of the number of pages after one fast write, as a factor. */
const GROWTH_MAX = 4

type PageRequest = Omit<EventsRequest, 'from'>

export interface PageReader {
  /** Reads the page after a position, and those after it while the index is far behind. Throws RpcFailure or BadPage. */
  read(node: Rpc, from: EventsPosition, request: PageRequest, call: CallOptions): Promise<CheckedPage>
  /** Begins to read what follows this page, if the index is far behind. The next `read` of the same returns it. */
  readAhead(node: Rpc, page: CheckedPage, request: PageRequest, call: CallOptions): void
  /** Reports how long the last page took to write. */
  onWritten(durationMs: number): void
  /** Abandons what was read ahead. */
  close(): Promise<void>
}

interface Ahead {
  readonly node: Rpc
  readonly key: string
  readonly page: Promise<CheckedPage>
}

/** `onAhead` prepares a page that was read ahead; it must not throw. */
export function createPageReader(onAhead: (page: CheckedPage) => Promise<void> = async () => {}): PageReader {
  let joinedPages = 1
  let ahead: Ahead | undefined
  const closing = new AbortController()

  async function readJoined(node: Rpc, from: EventsPosition, request: PageRequest, call: CallOptions): Promise<CheckedPage> {
    let page = await readEventsPage(node, from, { ...call, ...request })
    for (let pages = 1; pages < joinedPages && isFarBehind(page) && !isLong(page); pages++) {
      const next = await readNext(node, page, request, call)
      if (next === undefined) break
      page = { ...next, events: [...page.events, ...next.events] }
    }
    return page
  }

  async function readPrepared(...position: Parameters<typeof readJoined>): Promise<CheckedPage> {
    const page = await readJoined(...position)
    await onAhead(page)
    return page
  }

  return {
    async read(node, from, request, call) {
      const prepared = ahead
      ahead = undefined
      const isPrepared = prepared?.node === node && prepared.key === keyOf(from, request)
      return await (isPrepared ? prepared.page : readJoined(node, from, request, call))
    },
    readAhead(node, page, request, call) {
      if (!isFarBehind(page)) return
      const from = { cursor: page.cursor, startLedger: page.oldestLedger }
      const signal = AbortSignal.any([closing.signal, ...(call.signal === undefined ? [] : [call.signal])])
      ahead = { node, key: keyOf(from, request), page: readPrepared(node, from, request, { ...call, signal }) }
      // A failure is reported by the read that asks for this page.
      ahead.page.catch(() => {})
    },
    onWritten(durationMs) {
      if (durationMs > WRITE_MAX_MS) joinedPages = Math.max(1, Math.floor(joinedPages / 2))
      else if (durationMs < WRITE_MAX_MS / 2) {
        const growth = Math.min(GROWTH_MAX, WRITE_MAX_MS / 2 / Math.max(1, durationMs))
        joinedPages = Math.min(JOINED_PAGES_MAX, Math.round(joinedPages * growth))
      }
    },
    async close() {
      closing.abort()
      await ahead?.page.catch(() => {})
      ahead = undefined
    },
  }
}

function isFarBehind({ events, through, latestLedger }: CheckedPage): boolean {
  return events.length >= DENSE_EVENTS && through !== null && through.ledger < latestLedger
}

function isLong({ events }: CheckedPage): boolean {
  return events.reduce((sum, event) => sum + xdrLength(event), 0) >= JOINED_XDR_MAX_LENGTH
}

/** The page after this one; undefined when it cannot be read now, or ends inside its first ledger. */
async function readNext(node: Rpc, { cursor, oldestLedger }: CheckedPage, request: PageRequest, call: CallOptions): Promise<CheckedPage | undefined> {
  try {
    const next = await readEventsPage(node, { cursor, startLedger: oldestLedger }, { ...call, ...request })
    return next.through === null ? undefined : next
  } catch (error) {
    // The next step reads it again, and reports the failure if there is one.
    if (error instanceof RpcFailure || error instanceof BadPage) return undefined
    throw error
  }
}

/** A page that is read with a cursor does not depend on the first ledger. */
function keyOf({ cursor, startLedger }: EventsPosition, { limit: _limit, ...request }: PageRequest): string {
  return JSON.stringify([cursor ?? startLedger, request])
}
