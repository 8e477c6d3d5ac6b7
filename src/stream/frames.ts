// Rows of the log as frames of channels. A row's text is made once, however many channels carry it, and a frame's bytes once, however many clients get it.

import type { LogEvent, LogRow } from '../projections/stream-log.ts'
import { EVENTS_CHANNEL, accountChannel, tradesChannel } from './channels.ts'
import { textFrame } from './wire.ts'

/** A frame of a channel; its bytes are made when first asked for. */
export interface Frame {
  readonly channel: string
  /** Its place in the log; undefined for channels that are not of the log. */
  readonly seq: number | undefined
  bytes(): Buffer
}

/** A frame of a channel that has no place in the log. `data` is JSON. */
export function plainFrame(channel: string, data: string): Frame {
  return lazyFrame(channel, undefined, () => `{"channel":${JSON.stringify(channel)},"data":${data}}`)
}

/** A frame of a log channel. `prev` is the seq of the channel's frame before it. */
export function logFrame(channel: string, place: { readonly seq: number; readonly prev: number }, data: () => string): Frame {
  const { seq, prev } = place
  return lazyFrame(channel, seq, () => `{"channel":${JSON.stringify(channel)},"seq":${seq},"prev":${prev},"data":${data()}}`)
}

function lazyFrame(channel: string, seq: number | undefined, text: () => string): Frame {
  let bytes: Buffer | undefined
  return { channel, seq, bytes: () => (bytes ??= textFrame(text())) }
}

/** A channel that carries a row, and how the row looks there. */
export interface ChannelEntry {
  readonly channel: string
  /** JSON. */
  readonly data: () => string
}

/** Where a row belongs. */
export interface RowChannels {
  /** All events, and its asset's trades when it is a print. */
  readonly shared: readonly ChannelEntry[]
  /** The channel of each account that it concerns. */
  readonly personal: readonly (ChannelEntry & { readonly account: string })[]
}

/** Every channel that carries the row. */
export function channelsOfRow(row: LogRow): RowChannels {
  const eventText = lazyText(row)
  const print = toPrint(row)
  const events = { channel: EVENTS_CHANNEL, data: eventText }
  return {
    shared: print === undefined ? [events] : [events, { channel: tradesChannel(print.asset), data: () => JSON.stringify(print) }],
    personal: [
      ...row.accounts.map((account) => personalEntry(account, eventText)),
      ...row.learned.map((event) => personalEntry(event.account, lazyText(event))),
    ],
  }
}

function personalEntry(account: string, eventText: () => string): RowChannels['personal'][number] {
  return { account, channel: accountChannel(account), data: () => `${eventText().slice(0, -1)},"owner":${JSON.stringify(account)}}` }
}

function lazyText(event: LogEvent): () => string {
  let text: string | undefined
  return () => (text ??= JSON.stringify(eventData(event)))
}

/** An event as the stream shows it: the payload without its topic, which stands beside it. */
function eventData(event: LogEvent): object {
  const { topic, ledger, ledgerCloseTs, txHash, payload } = event
  const { topic: _topic, ...raw } = payload ?? { topic, topicsXdr: event.topicsXdr, valueXdr: event.valueXdr }
  const trader = payload?.['trader']
  return { topic, ledger, ledgerCloseTs, txHash, ...(typeof trader === 'string' ? { trader } : {}), raw }
}

const PRINT_KINDS: Readonly<Record<string, 'open' | 'close' | 'liquidation'>> = {
  position_opened: 'open',
  position_closed: 'close',
  position_liquidated: 'liquidation',
}

interface Print {
  readonly kind: 'open' | 'close' | 'liquidation'
  readonly asset: string
}

/** A trade print; undefined for every other event. `price` is where it closed, or the entry price of an open. */
function toPrint(row: LogRow): Print | undefined {
  const { payload } = row
  const kind = PRINT_KINDS[row.topic]
  if (kind === undefined || payload === null) return undefined
  const { asset, positionId, trader, pnl } = payload
  if (typeof asset !== 'string' || typeof positionId !== 'number') return undefined
  const price = kind === 'open' ? payload['entryPrice'] : payload['closePrice']
  const print = { kind, asset, positionId, trader, price, ...(pnl === undefined ? {} : { pnl }) }
  return { ...print, ledger: row.ledger, ts: row.ledgerCloseTs * 1000, txHash: row.txHash } as Print
}
