// What the stream sends besides the log: prices and candles every three seconds, prices as soon as they change, and a heartbeat every second.

import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { SeriesCandle } from '../projections/candles.ts'
import { bucketEnd, readNewestCandles } from '../projections/candles.ts'
import { CANDLE_INTERVALS } from '../resources/candle.ts'
import type { CandleInterval } from '../resources/candle.ts'
import type { Price } from '../resources/price.ts'
import type { Queryable } from '../store/store.ts'
import { candlesChannel, HEARTBEAT_CHANNEL, parseChannel, pricesChannel, tickerChannel } from './channels.ts'
import { plainFrame } from './frames.ts'
import type { Frame } from './frames.ts'
import type { Hub } from './hub.ts'
import type { Tail } from './tail.ts'

export interface Ticks {
  /** The last frame of a ticker channel, and the current row of a prices channel. */
  last(channel: string): Frame | undefined
  /** Broadcasts the prices. Does not reject when prices cannot be read. */
  broadcastPrices(): Promise<void>
  /** Broadcasts prices that have just changed. */
  publishPrices(changed: readonly Price[]): void
  /** Broadcasts the current candles of subscribed channels. Rejects when the database cannot be read. */
  broadcastCandles(): Promise<void>
  broadcastHeartbeat(): void
}

export interface TicksOptions {
  readonly hub: Hub
  readonly tail: Tail
  readonly db: Queryable
  readonly clock: Clock
  readonly deployment: CurrentDeployment
  /** The prices that could be read; other assets are missing. Never rejects. */
  readPrices(): Promise<readonly Price[]>
  /** The last price of an asset, without a read. */
  currentPrice(asset: string): Price | undefined
}

export function createTicks({ hub, tail, db, clock, deployment, readPrices, currentPrice }: TicksOptions): Ticks {
  const lastTicks = new Map<string, Frame>()
  /** The start of the open bucket that was last sent on each channel. */
  const openBuckets = new Map<string, number>()

  /** Frames for the candle that has just closed and for the open one. */
  function candleFrames(channel: string, interval: CandleInterval, candles: readonly SeriesCandle[]): readonly Frame[] {
    const frames: Frame[] = []
    const sentOpen = openBuckets.get(channel)
    for (const { time, open, high, low, close } of candles) {
      const final = bucketEnd(time, interval) <= nowSec(clock)
      // A closed bucket is sent once, and only to subscribers that received it while it was open.
      if (final && time !== sentOpen) continue
      if (final) openBuckets.delete(channel)
      else openBuckets.set(channel, time)
      frames.push(plainFrame(channel, JSON.stringify({ time, open, high, low, close, final })))
    }
    return frames
  }

  return {
    last(name) {
      const channel = parseChannel(name)
      if (channel?.kind !== 'prices') return lastTicks.get(name)
      const price = currentPrice(channel.asset)
      return price === undefined ? undefined : priceFrame(price)
    },
    publishPrices(changed) {
      const subscribed = changed.filter(({ asset }) => hub.hasSubscribers(pricesChannel(asset)))
      if (subscribed.length > 0) hub.publish(subscribed.map(priceFrame))
    },
    async broadcastPrices() {
      const prices = await readPrices()
      const ts = clock.nowMs()
      const frames = prices.map(({ asset, price, priceFloat, timestamp }) =>
        plainFrame(tickerChannel(asset), JSON.stringify({ asset, price, priceFloat, timestamp, ts })))
      for (const frame of frames) lastTicks.set(frame.channel, frame)
      hub.publish(frames)
    },
    async broadcastCandles() {
      const pairs = deployment.current.assets.symbols.flatMap((asset) => CANDLE_INTERVALS.map((interval) => ({ asset, interval })))
      const subscribed = pairs.filter(({ asset, interval }) => hub.hasSubscribers(candlesChannel(asset, interval)))
      if (subscribed.length === 0) return
      const candles = Map.groupBy(await readNewestCandles(db, subscribed), ({ asset, interval }) => candlesChannel(asset, interval))
      hub.publish(subscribed.flatMap(({ asset, interval }) => {
        const channel = candlesChannel(asset, interval)
        return candleFrames(channel, interval, candles.get(channel) ?? [])
      }))
    },
    broadcastHeartbeat() {
      const { epoch = null, ledger = null, ledgerCloseTs = null } = tail.head() ?? {}
      const data = { ts: clock.nowMs(), epoch, head: tail.position(), ledger, ledgerCloseTs }
      hub.publish([plainFrame(HEARTBEAT_CHANNEL, JSON.stringify(data))])
    },
  }
}

function priceFrame(price: Price): Frame {
  return plainFrame(pricesChannel(price.asset), JSON.stringify(price))
}
