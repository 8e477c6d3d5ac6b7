import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import type { FillPage, FillRange } from '../projections/candles/candle-fill.ts'
import { createCandleFiller, FILL_DELAY_SEC, FILL_INTERVAL_MS, FILL_PAGE_LIMIT, FILL_PAGES_MAX, FILL_WINDOW_SEC } from './candle-filler.ts'

const NOW_SEC = 1_800_000_000
const EMPTY: FillPage = { filled: 0, beforeSeq: null, tooNewSeq: null }

function build() {
  const clock = createVirtualClock(NOW_SEC * 1_000)
  const head = { epoch: 'a', lastSeq: 90 }
  const ranges: FillRange[] = []
  const pages: FillPage[] = []
  const database = { away: false }
  const filler = createCandleFiller({
    assets: () => ['BTC'], clock, log: silentLog,
    readHead: async () => {
      if (database.away) throw new Error('connection lost')
      return { ...head }
    },
    fillPage: async (range) => {
      ranges.push(range)
      return pages.shift() ?? EMPTY
    },
  })
  const read = (): (readonly [afterSeq: number, beforeSeq: number])[] => ranges.splice(0).map(({ afterSeq, beforeSeq }) => [afterSeq, beforeSeq])
  /** Runs a round and moves the clock over its pauses. */
  async function step(): Promise<number> {
    const stepping = filler.step()
    for (let turns = 0; turns < 20 * (FILL_PAGES_MAX + 1); turns++) {
      await Promise.resolve()
      if (clock.pendingTimers() > 0) clock.advance(50)
    }
    return await stepping
  }
  return { clock, head, ranges, pages, database, filler, read, step }
}

test('reads the whole window once, newest first, and afterwards only newer events', async () => {
  const { head, ranges, pages, read, step } = build()
  pages.push({ filled: 3, beforeSeq: 50, tooNewSeq: null }, { filled: 2, beforeSeq: null, tooNewSeq: null })
  assert.equal(await step(), 5)
  const [first] = ranges
  assert.deepEqual([first?.toSec, first?.limit], [NOW_SEC - FILL_DELAY_SEC, FILL_PAGE_LIMIT])
  assert.ok((first?.fromSec ?? 0) >= NOW_SEC - FILL_WINDOW_SEC)
  assert.deepEqual(read(), [[0, 91], [0, 50]])
  head.lastSeq = 120
  await step()
  assert.deepEqual(read(), [[90, 121]])
})

test('reads trades again that were too new', async () => {
  const { pages, read, step } = build()
  pages.push({ filled: 0, beforeSeq: null, tooNewSeq: 71 })
  await step()
  await step()
  assert.deepEqual(read(), [[0, 91], [70, 91]])
})

test('reads the whole window again after a gap was filled from another node', async () => {
  const { head, read, step } = build()
  await step()
  head.epoch = 'b'
  await step()
  assert.deepEqual(read(), [[0, 91], [0, 91]])
})

test('bounds the pages of a round', async () => {
  const { pages, read, step } = build()
  for (let page = 0; page < FILL_PAGES_MAX + 5; page++) pages.push({ filled: 1, beforeSeq: 50, tooNewSeq: null })
  assert.equal(await step(), FILL_PAGES_MAX)
  assert.equal(read().length, FILL_PAGES_MAX)
})

test('continues after an outage of the database', async () => {
  const { clock, database, filler, read } = build()
  database.away = true
  const stop = new AbortController()
  const running = filler.run(stop.signal)
  const nextRound = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(FILL_INTERVAL_MS)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await nextRound()
  assert.deepEqual(read(), [])
  database.away = false
  await nextRound()
  assert.deepEqual(read(), [[0, 91]])
  stop.abort()
  await running
  assert.equal(clock.pendingTimers(), 0)
})
