// A market's candles: the newest over REST, each change from the stream, and older ones when they are wanted.

import { useSignal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Candle, CandleInterval } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import type { Resource } from '../state/resource.ts'
import { useResource } from '../state/use-resource.ts'

export interface CandleSeries {
  /** Oldest first. */
  readonly candles: ReadonlySignal<readonly Candle[]>
  /** Counts replacements of the whole series and additions at its start: the chart then draws all of it. */
  readonly version: ReadonlySignal<number>
  /** Name of what the candles belong to. */
  readonly name: ReadonlySignal<string>
  readonly resource: Resource<unknown>
  /** Reads the candles before the first. Does nothing while it reads, and when there are none or enough. */
  loadOlder(): void
}

const PAGE_CANDLES = 500
const CANDLES_MAX = 5_000

export function useCandles(asset: string, interval: CandleInterval, onUpdate: (candle: Candle) => void): CandleSeries {
  const { feed, session } = useParts()
  const candles = useSignal<readonly Candle[]>([])
  const version = useSignal(0)
  const name = useSignal('')
  const older = useRef({ isReading: false, isOver: false })
  const update = useRef(onUpdate)
  update.current = onUpdate
  const resource = useResource('Candles', (client) => client.listCandles({ asset, interval, limit: PAGE_CANDLES }), [asset, interval], {
    isManual: true, isIncomplete: (page) => page.candles.length === 0,
  })
  const body = resource.answer.value?.body ?? null

  useEffect(() => {
    older.current = { isReading: false, isOver: body?.hasMore === false }
    candles.value = body?.candles ?? []
    name.value = `${asset} ${interval}`
    version.value += 1
  }, [body])
  useEffect(() => feed.stream.on(`candles.${asset}.${interval}`, ({ data: candle }) => {
    const last = candles.value.at(-1)
    if (last === undefined || candle.time < last.time) return
    candles.value = candle.time === last.time ? [...candles.value.slice(0, -1), candle] : [...candles.value, candle]
    update.current(candle)
    if (candles.value.length <= CANDLES_MAX) return
    // The chart cannot remove candles, so it draws the others again, without a whole page of the oldest.
    candles.value = candles.value.slice(PAGE_CANDLES)
    version.value += 1
  }), [asset, interval])

  async function loadOlder(): Promise<void> {
    const reading = older.current
    const first = candles.peek()[0]
    if (reading.isReading || reading.isOver || first === undefined || candles.peek().length >= CANDLES_MAX) return
    reading.isReading = true
    try {
      const { body: page } = await session.client().listCandles({ asset, interval, limit: PAGE_CANDLES, to: first.time })
      // Another market or interval may have been chosen.
      if (older.current !== reading) return
      reading.isOver = !page.hasMore || page.candles.length === 0
      candles.value = [...page.candles, ...candles.peek()].slice(-CANDLES_MAX)
      version.value += 1
    } catch {
      // The user scrolls again.
    } finally {
      reading.isReading = false
    }
  }

  return { candles, version, name, resource, loadOlder: () => void loadOlder() }
}
