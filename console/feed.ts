// What the stream tells everybody: prices of all markets and the log's head, kept with the time at which they came. Nothing of it costs a call.

import type { Client, Stream } from '../client/src/index.ts'
import { every, nowMs } from './clock.ts'
import { streamFreshness } from './freshness.ts'
import type { HeardHead, HeardPrice } from './freshness.ts'

export interface Feed {
  readonly stream: Stream
  price(asset: string): HeardPrice | undefined
  head(): HeardHead | null
  isLive(): boolean
  /** The markets whose prices are listened to. */
  assets(): readonly string[]
  /** Listens to the prices of these. */
  listen(assets: readonly string[]): void
  /** Called with each price. */
  onPrice(run: (asset: string, price: HeardPrice) => void): () => void
  /** Called every second, whatever comes: what is shown may have become stale. */
  onSecond(run: () => void): () => void
}

const SECOND_MS = 1_000

export function createFeed(client: Client): Feed {
  const stream = client.stream()
  const prices = new Map<string, HeardPrice>()
  const listened = new Set<string>()
  const onPrice = new Set<(asset: string, price: HeardPrice) => void>()
  const onSecond = new Set<() => void>()
  let head: HeardHead | null = null

  stream.on('heartbeat', ({ data }) => {
    const ageSec = data.ledgerCloseTs === null ? null : Math.max(0, data.ts / 1000 - data.ledgerCloseTs)
    head = { seq: data.head, ledger: data.ledger, ageSec, heardMs: nowMs() }
  })
  every(SECOND_MS, () => {
    for (const run of onSecond) run()
  })

  return {
    stream,
    price: (asset) => prices.get(asset),
    head: () => head,
    isLive: () => streamFreshness(head, nowMs()) === 'fresh',
    assets: () => [...listened],
    listen(assets) {
      for (const asset of assets) {
        if (listened.has(asset)) continue
        listened.add(asset)
        stream.on(`ticker.${asset}`, ({ data }) => {
          const heard = { price: data.price, priceFloat: data.priceFloat, ageSec: Math.max(0, data.ts / 1000 - data.timestamp), heardMs: nowMs() }
          prices.set(asset, heard)
          for (const run of onPrice) run(asset, heard)
        })
      }
    },
    onPrice: (run) => subscribed(onPrice, run),
    onSecond: (run) => subscribed(onSecond, run),
  }
}

function subscribed<Run>(runs: Set<Run>, run: Run): () => void {
  runs.add(run)
  return () => void runs.delete(run)
}
