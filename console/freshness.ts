// Decides that a value is stale. An age is what the gateway reported plus the time since it arrived, so it does not depend on the browser's time of day.

/** The gateway sends a heartbeat every second. Checked four times a second, so that a loss shows within three seconds. */
const SILENCE_MAX_MS = 2_500
/** Prices arrive every three seconds; a price that the gateway cannot read is left out. */
const PRICE_SILENCE_MAX_MS = 10_000
/** The exchange opens nothing at a price older than this. */
const PRICE_AGE_MAX_SEC = 60
/** Ledgers close every few seconds and are indexed every two. */
const INDEX_AGE_MAX_SEC = 30

export type Freshness = 'fresh' | 'stale' | 'unknown'

/** A price from the stream. */
export interface ReceivedPrice {
  readonly price: string
  readonly priceFloat: number
  /** Age when it was sent, seconds. */
  readonly ageSec: number
  readonly receivedMs: number
}

/** The log's head from the stream. */
export interface ReceivedHead {
  readonly seq: number
  readonly ledger: number | null
  /** Age of the last indexed ledger when the head was sent, seconds; null if nothing is indexed. */
  readonly ageSec: number | null
  readonly receivedMs: number
}

const secondsSince = (receivedMs: number, nowMs: number): number => (nowMs - receivedMs) / 1000

/** Current age of a price's attestation, seconds. */
export function priceAgeSec(received: ReceivedPrice, nowMs: number): number {
  return received.ageSec + secondsSince(received.receivedMs, nowMs)
}

export function priceFreshness(received: ReceivedPrice | undefined, nowMs: number): Freshness {
  if (received === undefined) return 'unknown'
  return nowMs - received.receivedMs > PRICE_SILENCE_MAX_MS || priceAgeSec(received, nowMs) > PRICE_AGE_MAX_SEC ? 'stale' : 'fresh'
}

/** Current age of the last indexed ledger, seconds; null if unknown. */
export function indexAgeSec(head: ReceivedHead | null, nowMs: number): number | null {
  return head === null || head.ageSec === null ? null : head.ageSec + secondsSince(head.receivedMs, nowMs)
}

export function indexFreshness(head: ReceivedHead | null, nowMs: number): Freshness {
  const age = indexAgeSec(head, nowMs)
  return age === null ? 'unknown' : age > INDEX_AGE_MAX_SEC ? 'stale' : 'fresh'
}

/** The stream's connection; `connecting` before the first heartbeat. */
export type Connection = 'connecting' | 'live' | 'lost'

export function connectionOf(head: ReceivedHead | null, nowMs: number): Connection {
  if (head === null) return 'connecting'
  return nowMs - head.receivedMs > SILENCE_MAX_MS ? 'lost' : 'live'
}
