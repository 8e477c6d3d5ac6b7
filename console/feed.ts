// Public data from the stream: prices of all markets and the log's head, each with the time it arrived. The stream does not use up the API rate limit.

import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { Client, Stream } from '../client/src/index.ts'
import { every, nowMs } from './clock.ts'
import { streamFreshness } from './freshness.ts'
import type { ReceivedHead, ReceivedPrice } from './freshness.ts'

type PriceListener = (asset: string, price: ReceivedPrice) => void

export interface Feed {
  readonly stream: Stream
  /** Time by this browser, updated every second. Use differences only. */
  readonly now: ReadonlySignal<number>
  price(asset: string): ReceivedPrice | undefined
  head(): ReceivedHead | null
  isLive(): boolean
  /** The markets whose prices are subscribed to. */
  assets(): readonly string[]
  /** Subscribes to the prices of these markets. */
  subscribe(assets: readonly string[]): void
  /** Calls `listener` with each price. Returns a function that removes it, as does `onSecond`. */
  onPrice(listener: PriceListener): () => void
  /** Calls `listener` every second, so that it can check what has become stale. */
  onSecond(listener: () => void): () => void
}

const SECOND_MS = 1_000

export function createFeed(client: Client): Feed {
  const stream = client.stream()
  const now = signal(nowMs())
  const prices = new Map<string, ReceivedPrice>()
  const assets = new Set<string>()
  const priceListeners = new Set<PriceListener>()
  const secondListeners = new Set<() => void>()
  let head: ReceivedHead | null = null

  stream.on('heartbeat', ({ data }) => {
    const ageSec = data.ledgerCloseTs === null ? null : Math.max(0, data.ts / 1000 - data.ledgerCloseTs)
    head = { seq: data.head, ledger: data.ledger, ageSec, receivedMs: nowMs() }
  })
  every(SECOND_MS, () => {
    now.value = nowMs()
    for (const listener of secondListeners) listener()
  })

  function subscribe(asset: string): void {
    if (assets.has(asset)) return
    assets.add(asset)
    stream.on(`ticker.${asset}`, ({ data }) => {
      const price = { price: data.price, priceFloat: data.priceFloat, ageSec: Math.max(0, data.ts / 1000 - data.timestamp), receivedMs: nowMs() }
      prices.set(asset, price)
      for (const listener of priceListeners) listener(asset, price)
    })
  }

  return {
    stream,
    now,
    price: (asset) => prices.get(asset),
    head: () => head,
    isLive: () => streamFreshness(head, nowMs()) === 'fresh',
    assets: () => [...assets],
    subscribe(wanted) {
      for (const asset of wanted) subscribe(asset)
    },
    onPrice: (listener) => addListener(priceListeners, listener),
    onSecond: (listener) => addListener(secondListeners, listener),
  }
}

function addListener<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
