import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createDayRanges, DAY_HISTORY_INTERVAL_MS, DAY_HISTORY_RETRY_MS, DAY_HISTORY_WAIT_MS, DAY_RANGE_INTERVAL_MS, dayRangeOf } from './day-range.ts'
import type { DayHistory } from './day-range.ts'

const listed = (): readonly string[] => ['BTC', 'HYPE', 'ADA']
const FIGURES = { reference: 100_0000000n, high: 110_0000000n, low: 95_0000000n }

test('reads the candles once per interval, whatever the number of requests', async () => {
  const clock = createVirtualClock(0)
  const none = new Map<string, typeof FIGURES>()
  let reads = 0
  let fails = false
  const ranges = createDayRanges({
    clock, log: silentLog, listed,
    readHistory: async () => ({ figures: none, isComplete: true }),
    readFigures: async (assets) => {
      assert.deepEqual(assets, listed())
      reads += 1
      if (fails) throw new Error('connection lost')
      return new Map([['BTC', FIGURES]])
    },
  })
  assert.equal(ranges.cached(), undefined)
  const found = await ranges.read()
  assert.deepEqual([...found], [['BTC', FIGURES]])
  for (let request = 0; request < 10; request++) assert.equal(ranges.cached(), found)
  assert.equal(reads, 1)
  clock.advance(DAY_RANGE_INTERVAL_MS)
  assert.equal(ranges.cached(), undefined)
  fails = true
  assert.equal(await ranges.read(), found, 'the last figures while the next are read, and after a failure')
  for (let request = 0; request < 10; request++) assert.equal(await ranges.read(), found)
  assert.equal(reads, 2)
})

test('includes the current price, and is unknown without a price of 24 hours ago', () => {
  assert.deepEqual(dayRangeOf(FIGURES, 101_2500000n), { change24h: 1.25, high24h: '1100000000', low24h: '950000000' })
  assert.deepEqual(dayRangeOf(FIGURES, 90_0000001n), { change24h: -9.9999, high24h: '1100000000', low24h: '900000001' })
  assert.deepEqual(dayRangeOf(FIGURES, 120_0000000n), { change24h: 20, high24h: '1200000000', low24h: '950000000' })
  assert.deepEqual(dayRangeOf(FIGURES, null), { change24h: null, high24h: '1100000000', low24h: '950000000' })
  assert.equal(dayRangeOf({ ...FIGURES, reference: 0n }, 5n).change24h, null)
  assert.deepEqual(dayRangeOf(undefined, 5n), { change24h: null, high24h: null, low24h: null })
})

test('takes figures of assets with a short history from elsewhere, without waiting long for it', async () => {
  const clock = createVirtualClock(0)
  let slow = Promise.withResolvers<DayHistory>()
  const asked: string[][] = []
  const ranges = createDayRanges({
    clock, log: silentLog, listed,
    readFigures: async () => new Map([['BTC', FIGURES]]),
    async readHistory(assets) {
      asked.push([...assets])
      return await slow.promise
    },
  })
  const first = ranges.read()
  await new Promise((resolve) => void setImmediate(resolve))
  clock.advance(DAY_HISTORY_WAIT_MS)
  assert.deepEqual([...(await first).keys()], ['BTC'], 'external history that does not arrive delays no response')
  assert.deepEqual([...(await ranges.read()).keys()], ['BTC'])
  slow.resolve({ figures: new Map([['BTC', { ...FIGURES, high: 1n }], ['HYPE', FIGURES]]), isComplete: true })
  await new Promise((resolve) => void setImmediate(resolve))
  const both = ranges.cached()
  assert.deepEqual([both?.get('BTC'), both?.get('HYPE')], [FIGURES, FIGURES], 'stored candles take precedence')
  assert.equal(ranges.cached(), both)
  clock.advance(DAY_HISTORY_INTERVAL_MS - 1)
  await ranges.read()
  assert.deepEqual(asked, [['HYPE', 'ADA']], 'other history is read once per interval, of assets without figures of their own')
  slow = Promise.withResolvers()
  slow.reject(new Error('connection lost'))
  clock.advance(DAY_HISTORY_INTERVAL_MS)
  assert.deepEqual([...(await ranges.read()).keys()].toSorted(), ['BTC', 'HYPE'], 'the last figures, after a failure')
  assert.equal(asked.length, 2)
})

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('reads other history again soon while that of an asset cannot be read', async () => {
  const clock = createVirtualClock(0)
  let found: DayHistory = { figures: new Map(), isComplete: false }
  let reads = 0
  const ranges = createDayRanges({
    clock, log: silentLog, listed,
    readFigures: async () => new Map(),
    async readHistory() {
      reads += 1
      return found
    },
  })
  assert.deepEqual([...(await ranges.read()).keys()], [])
  found = { figures: new Map([['BTC', FIGURES]]), isComplete: true }
  clock.advance(DAY_HISTORY_RETRY_MS)
  assert.equal(ranges.cached(), undefined)
  await ranges.read()
  await settled()
  assert.deepEqual([...(await ranges.read()).keys()], ['BTC'], 'a second after it failed')
  found = { figures: found.figures, isComplete: false }
  const times: number[] = []
  for (let second = 0; second < 60; second++) {
    clock.advance(1_000)
    const before = reads
    await ranges.read()
    await settled()
    if (reads > before) times.push(second)
  }
  assert.deepEqual(times.map((time, index) => time - (times[index - 1] ?? time)), [0, 1, 2, 4, 8, 15, 15], 'less and less often')
})
