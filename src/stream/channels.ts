// The stream's channels and their names.

import { CANDLE_INTERVALS } from '../resources/candle.ts'
import type { CandleInterval } from '../resources/candle.ts'

export type Channel =
  | { readonly kind: 'ticker'; readonly asset: string }
  | { readonly kind: 'prices'; readonly asset: string }
  | { readonly kind: 'trades'; readonly asset: string }
  | { readonly kind: 'events' }
  | { readonly kind: 'corrections' }
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'orders'; readonly account: string }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'checkpoints' }
  | { readonly kind: 'candles'; readonly asset: string; readonly interval: CandleInterval }

/** Channels whose frames have a position in the log: they carry `seq` and `prev`, and can be resumed. */
export type LogChannel = Extract<Channel, { readonly kind: 'trades' | 'events' | 'corrections' | 'account' | 'orders' }>

/** Channels that need the login of their account. */
export type PersonalChannel = Extract<Channel, { readonly account: string }>

export const EVENTS_CHANNEL = 'events'
export const CORRECTIONS_CHANNEL = 'corrections'
/** Frames for every client with a log channel, which no client subscribes to. */
export const LOG_NOTICE = ''
export const HEARTBEAT_CHANNEL = 'heartbeat'
export const CHECKPOINTS_CHANNEL = 'checkpoints'

export function tradesChannel(asset: string): string {
  return `trades.${asset}`
}

export function tickerChannel(asset: string): string {
  return `ticker.${asset}`
}

export function pricesChannel(asset: string): string {
  return `prices.${asset}`
}

export function candlesChannel(asset: string, interval: CandleInterval): string {
  return `candles.${asset}.${interval}`
}

const ACCOUNT_NAME = /^account\.(events|orders)\.(G[A-Z2-7]{55})$/

export function accountChannel(account: string): string {
  return `account.events.${account}`
}

export function ordersChannel(account: string): string {
  return `account.orders.${account}`
}

const MARKET_NAME = /^(?:(ticker|prices|trades)\.([A-Z0-9]{1,32})|candles\.([A-Z0-9]{1,32})\.([0-9a-z]{1,8}))$/

/** True for the names of accounts' channels. */
export function isPersonalName(name: string): boolean {
  return name.startsWith('account.')
}

/** The channel with this name, or undefined. Names are case-sensitive: symbols in upper case. Whether the exchange lists the asset is not checked here. */
export function parseChannel(name: string): Channel | undefined {
  if (name === EVENTS_CHANNEL) return { kind: 'events' }
  if (name === CORRECTIONS_CHANNEL) return { kind: 'corrections' }
  if (name === HEARTBEAT_CHANNEL) return { kind: 'heartbeat' }
  if (name === CHECKPOINTS_CHANNEL) return { kind: 'checkpoints' }
  const [, kind, account] = ACCOUNT_NAME.exec(name) ?? []
  return account === undefined ? parseMarketChannel(name) : { kind: kind === 'orders' ? 'orders' : 'account', account }
}

function parseMarketChannel(name: string): Channel | undefined {
  const [, kind, asset, candleAsset, width] = MARKET_NAME.exec(name) ?? []
  if (asset !== undefined) return { kind: kind === 'ticker' || kind === 'prices' ? kind : 'trades', asset }
  const interval = CANDLE_INTERVALS.find((each) => each === width)
  return candleAsset === undefined || interval === undefined ? undefined : { kind: 'candles', asset: candleAsset, interval }
}

/** True when a channel with this name is a log channel. */
export function isLogChannelName(name: string): boolean {
  const channel = parseChannel(name)
  return channel !== undefined && isLogChannel(channel)
}

export function isLogChannel(channel: Channel): channel is LogChannel {
  return channel.kind === 'trades' || channel.kind === 'events' || channel.kind === 'corrections' || isPersonal(channel)
}

export function isPersonal(channel: Channel): channel is PersonalChannel {
  return channel.kind === 'account' || channel.kind === 'orders'
}
