// Public data from the stream: prices of all markets and the log's head, each with the time it arrived. The stream does not use up the API rate limit.

import { signal } from '@preact/signals'
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { Client, Stream } from '../client/src/index.ts'
import { every, nowMs } from './clock.ts'
import { connectionOf } from './freshness.ts'
import type { Connection, ReceivedHead, ReceivedPrice } from './freshness.ts'

export interface Feed {
  readonly stream: Stream
  /** Time by this browser, updated every second. Use differences only. */
  readonly now: ReadonlySignal<number>
  /** A component that reads it renders again with the next price. */
  price(asset: string): ReceivedPrice | undefined
  head(): ReceivedHead | null
  /** Unix time by the gateway's clock, seconds; by this browser's before the first heartbeat. */
  serverTimeSec(): number
  readonly connection: ReadonlySignal<Connection>
  /** Counts reconnects: what was read before the last one may have missed something. */
  readonly returns: ReadonlySignal<number>
  /** The markets whose prices are subscribed to. */
  assets(): readonly string[]
  /** Subscribes to the prices of these markets. */
  subscribe(assets: readonly string[]): void
  /** Calls `listener` every second, so that it can check what has become stale. Returns a function that removes it. */
  onSecond(listener: () => void): () => void
}

const SECOND_MS = 1_000
const CONNECTION_CHECK_MS = 250
/** With the client's delays of at most five seconds, the page is live within ten seconds of the gateway's return. */
export const STREAM_OPTIONS = { silenceMs: 4_000 }

export function createFeed(client: Client): Feed {
  const stream = client.stream(STREAM_OPTIONS)
  const now = signal(nowMs())
  const prices = new Map<string, Signal<ReceivedPrice | undefined>>()
  const assets = new Set<string>()
  const secondListeners = new Set<() => void>()
  const connection = signal<Connection>('connecting')
  const returns = signal(0)
  let head: ReceivedHead | null = null
  let wasDisconnected = false
  let clockOffsetMs = 0

  function checkConnection(): void {
    connection.value = connectionOf(head, nowMs())
  }

  stream.on('heartbeat', ({ data }) => {
    const ageSec = data.ledgerCloseTs === null ? null : Math.max(0, data.ts / 1000 - data.ledgerCloseTs)
    clockOffsetMs = data.ts - nowMs()
    head = { seq: data.head, ledger: data.ledger, ageSec, receivedMs: nowMs() }
    // After a silence on the same connection nothing is missing.
    if (wasDisconnected) returns.value += 1
    wasDisconnected = false
    checkConnection()
  })
  stream.onProblem(({ kind }) => {
    if (kind === 'disconnected') wasDisconnected = true
  })
  every(CONNECTION_CHECK_MS, checkConnection)
  every(SECOND_MS, () => {
    now.value = nowMs()
    for (const listener of secondListeners) listener()
  })

  function priceOf(asset: string): Signal<ReceivedPrice | undefined> {
    const known = prices.get(asset) ?? signal(undefined)
    prices.set(asset, known)
    return known
  }

  function subscribe(asset: string): void {
    if (assets.has(asset)) return
    assets.add(asset)
    const receive = (received: ReceivedPrice): void => {
      priceOf(asset).value = received
    }
    // The price as soon as it changes, and every three seconds, so that silence is a sign.
    stream.on(`prices.${asset}`, ({ data: { price, priceFloat, ageSec } }) => receive({ price, priceFloat, ageSec, receivedMs: nowMs() }))
    stream.on(`ticker.${asset}`, ({ data }) => {
      receive({ price: data.price, priceFloat: data.priceFloat, ageSec: Math.max(0, data.ts / 1000 - data.timestamp), receivedMs: nowMs() })
    })
  }

  return {
    stream,
    now,
    price: (asset) => priceOf(asset).value,
    head: () => head,
    serverTimeSec: () => Math.floor((nowMs() + clockOffsetMs) / 1000),
    connection, returns,
    assets: () => [...assets],
    subscribe(wanted) {
      for (const asset of wanted) subscribe(asset)
    },
    onSecond(listener) {
      secondListeners.add(listener)
      return () => void secondListeners.delete(listener)
    },
  }
}
