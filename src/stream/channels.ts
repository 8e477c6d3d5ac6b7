// The stream's channels and their names.

import { ASSET_SYMBOLS } from '../exchange/assets.ts'
import { CANDLE_INTERVALS } from '../resources/candle.ts'
import type { CandleInterval } from '../resources/candle.ts'

export type Channel =
  | { readonly kind: 'ticker'; readonly asset: string }
  | { readonly kind: 'trades'; readonly asset: string }
  | { readonly kind: 'events' }
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'candles'; readonly asset: string; readonly interval: CandleInterval }

/** Channels whose frames have a position in the log: they carry `seq` and `prev`, and can be resumed. */
export type LogChannel = Extract<Channel, { readonly kind: 'trades' | 'events' | 'account' }>

export const EVENTS_CHANNEL = 'events'
export const HEARTBEAT_CHANNEL = 'heartbeat'

export function tradesChannel(asset: string): string {
  return `trades.${asset}`
}

export function tickerChannel(asset: string): string {
  return `ticker.${asset}`
}

export function candlesChannel(asset: string, interval: CandleInterval): string {
  return `candles.${asset}.${interval}`
}

const ACCOUNT_PREFIX = 'account.events.'
const ACCOUNT_NAME = /^account\.events\.(G[A-Z2-7]{55})$/

export function accountChannel(account: string): string {
  return `${ACCOUNT_PREFIX}${account}`
}

/** All public channels, by name. */
const PUBLIC_CHANNELS: ReadonlyMap<string, Channel> = new Map<string, Channel>([
  [EVENTS_CHANNEL, { kind: 'events' }],
  [HEARTBEAT_CHANNEL, { kind: 'heartbeat' }],
  ...ASSET_SYMBOLS.flatMap((asset): [string, Channel][] => [
    [tickerChannel(asset), { kind: 'ticker', asset }],
    [tradesChannel(asset), { kind: 'trades', asset }],
    ...CANDLE_INTERVALS.map((interval): [string, Channel] => [candlesChannel(asset, interval), { kind: 'candles', asset, interval }]),
  ]),
])

/** The channel with this name, or undefined. Names are case-sensitive: symbols in upper case. */
export function parseChannel(name: string): Channel | undefined {
  const known = PUBLIC_CHANNELS.get(name)
  if (known !== undefined) return known
  const account = ACCOUNT_NAME.exec(name)?.[1]
  return account === undefined ? undefined : { kind: 'account', account }
}

export function isLogChannel(channel: Channel): channel is LogChannel {
  return channel.kind === 'trades' || channel.kind === 'events' || channel.kind === 'account'
}
