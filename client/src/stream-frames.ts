// Types of the stream's channels and frames, as docs/websocket.md describes them.

import type { components } from './generated/openapi.ts'

/** A price, sent every three seconds. */
export interface TickerData {
  readonly asset: string
  readonly price: string
  readonly priceFloat: number
  /** Time at which the price was attested, Unix seconds. */
  readonly timestamp: number
  /** Time at which the frame was sent, Unix milliseconds. */
  readonly ts: number
}

/** A price that has just changed, as `GET /v1/markets/{asset}/price`. */
export type PriceData = components['schemas']['Price']

/** The forming candle; `final` marks its last update. A later correction has a `revision`. The same row as that of REST. */
export type CandleData = components['schemas']['Candle']

/** A change of a position at a price. */
export interface TradeData {
  /** `reduce` and `partial_liquidation` close a part. `adl` comes besides the `close` that it caused. */
  readonly kind: 'open' | 'close' | 'reduce' | 'liquidation' | 'partial_liquidation' | 'adl'
  readonly asset: string
  readonly positionId: number
  readonly trader: string
  readonly price: string
  readonly pnl?: string
  readonly ledger: number
  /** Close time of the ledger, unix milliseconds. */
  readonly ts: number
  readonly txHash: string
  /** Of what was opened or closed. */
  readonly size: string
  /** 0 is long, 1 is short; null: unknown, because the position was opened before the index begins. */
  readonly direction: number | null
  /** As in `/v1/trades` and `/v1/events`. */
  readonly eventId: string
  /** The order whose execution caused it. */
  readonly orderId?: number
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
  /** As in `/v1/events`. */
  readonly eventId: string
  readonly contractId: string
  /** The same as `raw`, by the name that REST has for it. */
  readonly payload: Readonly<Record<string, unknown>>
}

/** A difference between the index and the ledger that was corrected, as in `/v1/corrections`. */
export type CorrectionData = components['schemas']['Correction']

/** An event of the account. */
export interface AccountEventData extends EventData {
  readonly owner: string
}

/** A change of a submission, an order or a position of the account, with the row that REST serves. */
export type OrderChangeData =
  /** As `GET /v1/tx/{hash}`. */
  | { readonly kind: 'submission'; readonly row: components['schemas']['Transaction'] }
  /** As `GET /v1/orders/{orderId}`, after this event. `again`: sent before, with members that were still null. */
  | { readonly kind: 'order'; readonly row: components['schemas']['Order']; readonly again?: true }
  /** As `GET /v1/account/me/fills`. `again`: sent before, with members that were still null. */
  | { readonly kind: 'fill'; readonly row: components['schemas']['Fill']; readonly again?: true }

/** The checkpoint of the log of pages, after each page that is indexed and its frames. */
export interface CheckpointData {
  readonly size: number
  /** Base64. */
  readonly root: string
  /** The signed note; null without a signing key. */
  readonly note: string | null
  readonly epoch: string
  readonly ledger: number | null
  /** Frames up to this position are covered. */
  readonly seq: number
}

/** The head of the log, sent every second. Epoch and ledger are null while nothing is indexed. */
export interface HeartbeatData {
  readonly ts: number
  readonly epoch: string | null
  readonly head: number
  readonly ledger: number | null
  readonly ledgerCloseTs: number | null
}

export type CandleInterval = '1m' | '5m' | '15m' | '1h' | '4h' | '1d' | '1w'
export type LogChannel = `trades.${string}` | 'events' | 'corrections' | `account.events.${string}` | `account.orders.${string}`
export type Channel = `ticker.${string}` | `prices.${string}` | `candles.${string}.${CandleInterval}` | 'heartbeat' | 'checkpoints' | LogChannel

export type DataOf<Name extends Channel> = Name extends `ticker.${string}` ? TickerData
  : Name extends `prices.${string}` ? PriceData
    : Name extends `candles.${string}` ? CandleData
      : Name extends `trades.${string}` ? TradeData
        : Name extends 'events' ? EventData
          : Name extends 'corrections' ? CorrectionData
            : Name extends `account.orders.${string}` ? OrderChangeData
              : Name extends 'heartbeat' ? HeartbeatData
                : Name extends 'checkpoints' ? CheckpointData : AccountEventData

/** A frame of a channel. */
export interface Frame<Name extends Channel> {
  readonly channel: Name
  /** Its position in the log; undefined for channels outside the log. */
  readonly seq?: number
  /** The position of the channel's previous frame. */
  readonly prev?: number
  /** The number of frames that follow with the same `seq`. Resume after a frame that has none. */
  readonly more?: number
  readonly data: DataOf<Name>
}

/** A contract was upgraded in place. */
export interface Upgrade {
  /** The contract, as in `/v1/health`. */
  readonly contract: string
  /** Generation of the new code; null: the gateway does not recognise it. */
  readonly generation: string | null
  /** Null: the new code is unknown. */
  readonly wasmHash: string | null
  /** `entries`: no event reported the upgrade, and it was found by reading the ledger. */
  readonly source: 'event' | 'entries'
  /** With the source `entries`: the first ledger at which the new code is certain. */
  readonly ledger: number
  /** With the source `entries`: the last ledger with the code before. Null: unknown, or an event reported the upgrade. */
  readonly afterLedger: number | null
  /** Frames with a lower `seq` are from the old code. */
  readonly seq: number
}

/** Missing frames. `/v1/events` lists what happened. */
export interface Gap {
  readonly channels: readonly string[]
  /** Frames after this position are missing. */
  readonly since: number
  /** Frames up to this position are missing; null when unknown. */
  readonly until: number | null
  /** The gateway's reason (`epoch`, `too_far`, `ahead`), or `hole`: the client found frames missing, and a new connection did not bring them. */
  readonly reason: string
}

/** A problem that may need attention. The stream continues. */
export type StreamProblem =
  | { readonly kind: 'gap'; readonly gap: Gap }
  /** The gateway rejected these channels: they do not exist, or belong to another account. */
  | { readonly kind: 'rejected'; readonly channels: readonly string[] }
  /** The key was not accepted, was revoked or has expired. */
  | { readonly kind: 'login'; readonly error: string }
  /** The key has a new secret, and the one in use ends at this time, Unix milliseconds. Pass the new one to `useKey`: account channels then continue. */
  | { readonly kind: 'key_expiring'; readonly at: number }
  /** A handler threw. */
  | { readonly kind: 'handler'; readonly error: unknown }
  /** A frame is not proven, or no checkpoint came: a stream with `verified` has ended. `error` is a ProofFailure for the former. */
  | { readonly kind: 'unproven'; readonly error: unknown }
  /** The connection was lost; the stream is reconnecting. */
  | { readonly kind: 'disconnected'; readonly reason: string }

/** The fields of the gateway's messages that the client reads. */
export interface Message {
  readonly type?: string
  readonly channel?: string
  readonly channels?: readonly string[]
  readonly heads?: Readonly<Record<string, number>>
  readonly seq?: number
  readonly prev?: number
  readonly more?: number
  readonly since?: number
  readonly reason?: string
  readonly epoch?: string
  readonly ok?: boolean
  readonly error?: string
  readonly at?: number
  readonly id?: string | number
  readonly data?: unknown
  readonly contract?: string
  readonly generation?: string | null
  readonly wasmHash?: string | null
  readonly source?: 'event' | 'entries'
  readonly ledger?: number
  readonly afterLedger?: number | null
}

export function isLog(channel: string): channel is LogChannel {
  return channel === 'events' || channel === 'corrections' || channel.startsWith('trades.') || channel.startsWith('account.')
}
