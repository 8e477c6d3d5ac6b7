// When a figure is stale, and what is said of it. Ages are the gateway's own statement plus the time since it came, so that a wrong clock here tells no lie.

/** The gateway says something every second. */
export const SILENCE_MAX_MS = 5_000
/** Prices come every three seconds; one that cannot be read is left out. */
export const PRICE_SILENCE_MAX_MS = 10_000
/** The exchange itself opens nothing at a price that is older. */
export const PRICE_AGE_MAX_SEC = 60
/** Ledgers close every few seconds, and are read every two. */
export const INDEX_AGE_MAX_SEC = 30

export type Freshness = 'fresh' | 'stale' | 'unknown'

/** A price as the stream told it. */
export interface HeardPrice {
  readonly price: string
  readonly priceFloat: number
  /** Its age when it was sent, seconds. */
  readonly ageSec: number
  readonly heardMs: number
}

/** The log's head as the stream told it. */
export interface HeardHead {
  readonly seq: number
  readonly ledger: number
  /** The age of the last indexed ledger when it was told, seconds; null while nothing is indexed. */
  readonly ageSec: number | null
  readonly heardMs: number
}

const since = (heardMs: number, nowMs: number): number => (nowMs - heardMs) / 1000

/** How old the attestation of a price is by now, seconds. */
export function priceAgeSec(heard: HeardPrice, nowMs: number): number {
  return heard.ageSec + since(heard.heardMs, nowMs)
}

export function priceFreshness(heard: HeardPrice | undefined, nowMs: number): Freshness {
  if (heard === undefined) return 'unknown'
  return nowMs - heard.heardMs > PRICE_SILENCE_MAX_MS || priceAgeSec(heard, nowMs) > PRICE_AGE_MAX_SEC ? 'stale' : 'fresh'
}

/** How far the index is behind by now, seconds; null when that is not known. */
export function indexAgeSec(head: HeardHead | null, nowMs: number): number | null {
  return head === null || head.ageSec === null ? null : head.ageSec + since(head.heardMs, nowMs)
}

export function indexFreshness(head: HeardHead | null, nowMs: number): Freshness {
  const age = indexAgeSec(head, nowMs)
  return age === null ? 'unknown' : age > INDEX_AGE_MAX_SEC ? 'stale' : 'fresh'
}

export function streamFreshness(head: HeardHead | null, nowMs: number): Freshness {
  if (head === null) return 'unknown'
  return nowMs - head.heardMs > SILENCE_MAX_MS ? 'stale' : 'fresh'
}
