// What the stream sends, as types: the channels and their data, as the page on the stream describes them.

/** A price, every three seconds. */
export interface TickerData {
  readonly asset: string
  readonly price: string
  readonly priceFloat: number
  /** When the price was attested, unix seconds. */
  readonly timestamp: number
  /** When it was sent, milliseconds. */
  readonly ts: number
}

/** The forming candle, and once, with `final`, the one that is over. */
export interface CandleData {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly final: boolean
}

/** A position that was opened, closed or liquidated. */
export interface TradeData {
  readonly kind: 'open' | 'close' | 'liquidation'
  readonly asset: string
  readonly positionId: number
  readonly trader: string
  readonly price: string
  readonly pnl?: string
  readonly ledger: number
  /** Close time of the ledger, milliseconds. */
  readonly ts: number
  readonly txHash: string
}

/** An event of one of the exchange's contracts. */
export interface EventData {
  readonly topic: string
  readonly ledger: number
  readonly ledgerCloseTs: number
  readonly txHash: string
  readonly trader?: string
  /** The event's own fields. */
  readonly raw: Readonly<Record<string, unknown>>
}

/** An event that concerns the account. */
export interface AccountEventData extends EventData {
  readonly owner: string
}

/** Where the log stands, every second. */
export interface HeartbeatData {
  readonly ts: number
  readonly epoch: string
  readonly head: number
  readonly ledger: number
  readonly ledgerCloseTs: number | null
}

export type CandleInterval = '1m' | '5m' | '15m' | '1h' | '4h' | '1d' | '1w'
export type LogChannel = `trades.${string}` | 'events' | `account.events.${string}`
export type Channel = `ticker.${string}` | `candles.${string}.${CandleInterval}` | 'heartbeat' | LogChannel

export type DataOf<Name extends Channel> = Name extends `ticker.${string}` ? TickerData
  : Name extends `candles.${string}` ? CandleData
    : Name extends `trades.${string}` ? TradeData
      : Name extends 'events' ? EventData
        : Name extends 'heartbeat' ? HeartbeatData : AccountEventData

/** A frame of a channel. Those of the log have a place there. */
export interface Frame<Name extends Channel> {
  readonly channel: Name
  /** Its place in the log; undefined for channels that are not of the log. */
  readonly seq?: number
  /** The place of the channel's frame before it. */
  readonly prev?: number
  readonly data: DataOf<Name>
}

/** Frames that did not come. What happened meanwhile is at `/v1/events`. */
export interface Gap {
  readonly channels: readonly string[]
  /** Behind this place something is missing. */
  readonly since: number
  /** Up to this place; null when that is not known. */
  readonly until: number | null
  /** As the gateway gives it (`epoch`, `too_far`, `ahead`, `expired`); `hole`: the frames themselves showed it, and asking again did not help. */
  readonly reason: string
}

/** What may need somebody's attention while the stream goes on. */
export type StreamProblem =
  | { readonly kind: 'gap'; readonly gap: Gap }
  /** The gateway refused these: they do not exist, or are not yours. */
  | { readonly kind: 'rejected'; readonly channels: readonly string[] }
  /** The key was not accepted, or has been revoked. */
  | { readonly kind: 'login'; readonly error: string }
  /** A handler threw. */
  | { readonly kind: 'handler'; readonly error: unknown }
  /** The connection ended; it is being made again. */
  | { readonly kind: 'disconnected'; readonly reason: string }

/** A message of the gateway, as far as it is read here. */
export interface Message {
  readonly type?: string
  readonly channel?: string
  readonly channels?: readonly string[]
  readonly heads?: Readonly<Record<string, number>>
  readonly seq?: number
  readonly prev?: number
  readonly since?: number
  readonly reason?: string
  readonly epoch?: string
  readonly ok?: boolean
  readonly error?: string
  readonly id?: string | number
  readonly data?: unknown
}

export function isLog(channel: string): channel is LogChannel {
  return channel === 'events' || channel.startsWith('trades.') || channel.startsWith('account.events.')
}
