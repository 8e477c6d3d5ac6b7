// Sends what is not in the log: prices every three seconds, prices as soon as they change or when they become stale, and a heartbeat every second.

import type { Clock } from '../base/clock.ts'
import type { Price } from '../resources/price.ts'
import { HEARTBEAT_CHANNEL, parseChannel, pricesChannel, tickerChannel } from './channels.ts'
import { plainFrame } from './frames.ts'
import type { Frame } from './frames.ts'
import type { Hub } from './hub.ts'
import type { Tail } from './tail.ts'

export interface Ticks {
  /** The last frame of a ticker channel, and the current row of a prices channel. */
  last(channel: string): Frame | undefined
  /** Broadcasts the prices, and the rows of those that have become stale or are no longer. Does not reject when prices cannot be read. */
  broadcastPrices(): Promise<void>
  /** Broadcasts prices that have just changed. */
  publishPrices(changed: readonly Price[]): void
  broadcastHeartbeat(): void
}

export interface TicksOptions {
  readonly hub: Hub
  readonly tail: Tail
  readonly clock: Clock
  /** The prices that could be read; other assets are missing. Never rejects. */
  readPrices(): Promise<readonly Price[]>
  /** The last price of an asset, without a read. */
  currentPrice(asset: string): Price | undefined
}

export function createTicks({ hub, tail, clock, readPrices, currentPrice }: TicksOptions): Ticks {
  const lastTicks = new Map<string, Frame>()
  /** True when the last row of an asset said that its price is stale. */
  const wasStale = new Map<string, boolean | null>()

  function publishPrices(changed: readonly Price[]): void {
    for (const { asset, stale } of changed) wasStale.set(asset, stale)
    const subscribed = changed.filter(({ asset }) => hub.hasSubscribers(pricesChannel(asset)))
    if (subscribed.length > 0) hub.publish(subscribed.map(priceFrame))
  }

  return {
    last(name) {
      const channel = parseChannel(name)
      if (channel?.kind !== 'prices') return lastTicks.get(name)
      const price = currentPrice(channel.asset)
      return price === undefined ? undefined : priceFrame(price)
    },
    publishPrices,
    async broadcastPrices() {
      const prices = await readPrices()
      // A price becomes stale without being read again. A client that knows only the row from before would go on trading at it.
      publishPrices(prices.filter(({ asset, stale }) => wasStale.has(asset) && wasStale.get(asset) !== stale))
      const ts = clock.nowMs()
      const frames = prices.map(({ asset, price, priceFloat, timestamp }) =>
        plainFrame(tickerChannel(asset), JSON.stringify({ asset, price, priceFloat, timestamp, ts })))
      for (const frame of frames) lastTicks.set(frame.channel, frame)
      for (const { asset, stale } of prices) wasStale.set(asset, stale)
      hub.publish(frames)
    },
    broadcastHeartbeat() {
      const { ledger = null, ledgerCloseTs = null } = tail.head() ?? {}
      const data = { ts: clock.nowMs(), epoch: tail.epoch() ?? null, head: tail.position(), ledger, ledgerCloseTs }
      hub.publish([plainFrame(HEARTBEAT_CHANNEL, JSON.stringify(data))])
    },
  }
}

function priceFrame(price: Price): Frame {
  return plainFrame(pricesChannel(price.asset), JSON.stringify(price))
}
