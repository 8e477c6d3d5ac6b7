// Fills candles that are missing because no price was read when they formed: at the start those of the downtime, later those of outages.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { ArchiveHead, FillPage, FillRange } from '../projections/candles/candle-fill.ts'

/** Pause between two rounds. */
export const FILL_INTERVAL_MS = 60_000
/** The ticker has written all prices of a minute after this time. */
export const FILL_DELAY_SEC = 300
/** Age up to which candles are filled: several times as long as nodes retain events. */
export const FILL_WINDOW_SEC = 30 * 86_400
/** Trades per page, and pages per round: the work of a start is bounded, newest trades first. */
export const FILL_PAGE_LIMIT = 500
export const FILL_PAGES_MAX = 200
/** Pause between two pages, so that a round does not delay other writers. */
const PAGE_PAUSE_MS = 50

export interface CandleFillerOptions {
  readonly assets: () => readonly string[]
  readonly readHead: () => Promise<ArchiveHead>
  /** Fills one page. Repeating it changes nothing. */
  readonly fillPage: (range: FillRange) => Promise<FillPage>
  readonly clock: Clock
  readonly log: Log
}

export interface CandleFiller {
  /** Runs one round and returns the number of trades whose prices were used. Rejects when the database cannot be used; the next round repeats it. */
  step(signal?: AbortSignal): Promise<number>
  /** Runs rounds until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export function createCandleFiller({ assets, readHead, fillPage, clock, log }: CandleFillerOptions): CandleFiller {
  /** Everything up to this seq of this epoch is done. */
  let done: ArchiveHead = { epoch: null, lastSeq: 0 }
  let isWorking = true

  async function step(signal?: AbortSignal): Promise<number> {
    const head = await readHead()
    const nowSec = Math.floor(clock.nowMs() / 1000)
    const span = { assets: assets(), fromSec: nowSec - FILL_WINDOW_SEC, toSec: nowSec - FILL_DELAY_SEC, limit: FILL_PAGE_LIMIT }
    const afterSeq = head.epoch === done.epoch ? done.lastSeq : 0
    let beforeSeq: number | null = head.lastSeq + 1
    let lastSeq = head.lastSeq
    let filled = 0
    for (let pages = 0; beforeSeq !== null && pages < FILL_PAGES_MAX; pages++) {
      if (pages > 0) await clock.sleep(PAGE_PAUSE_MS, signal)
      if (signal?.aborted === true) return filled
      const page: FillPage = await fillPage({ ...span, afterSeq, beforeSeq })
      filled += page.filled
      if (page.tooNewSeq !== null) lastSeq = Math.min(lastSeq, page.tooNewSeq - 1)
      beforeSeq = page.beforeSeq
    }
    done = { epoch: head.epoch, lastSeq }
    if (filled > 0) log.info({ trades: filled }, 'candles of minutes without an oracle price were filled with prices of trades')
    return filled
  }

  return {
    step,
    async run(signal) {
      while (!signal.aborted) {
        try {
          await step(signal)
          isWorking = true
        } catch (error) {
          if (isWorking) log.warn({ err: error }, 'candles could not be filled')
          isWorking = false
        }
        await clock.sleep(FILL_INTERVAL_MS, signal)
      }
    },
  }
}
