// What the stream sends besides the log: prices every three seconds, prices as soon as they change, and a heartbeat every second.

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
  /** Broadcasts the prices. Does not reject when prices cannot be read. */
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
