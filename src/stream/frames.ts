// Log rows as channel frames. A row is serialised once for all channels, and a frame is encoded once for all clients.

import type { OrderEntry } from '../projections/orders/order-stream.ts'
import { toPrint } from '../projections/trades/prints.ts'
import type { LogEvent, LogRow, LogUpgrade } from '../projections/log/stream-log.ts'
import type { Correction } from '../resources/correction.ts'
import { CORRECTIONS_CHANNEL, EVENTS_CHANNEL, LOG_NOTICE, accountChannel, ordersChannel, tradesChannel } from './channels.ts'
import { textFrame } from './wire.ts'

/** A frame of a channel, encoded on first use. */
export interface Frame {
  readonly channel: string
  /** The position in the log; undefined for channels outside of the log. */
  readonly seq: number | undefined
  /** The name of the epoch of that position. */
  readonly epoch: string | undefined
  /** As a WebSocket frame. */
  bytes(): Buffer
}

/** The position of a frame in the log. */
export interface FramePlace {
  readonly epoch: string
  readonly seq: number
  /** The seq of the channel's previous frame. */
  readonly prev: number
}

/** A frame of a channel outside of the log. `data` is JSON. */
export function plainFrame(channel: string, data: string): Frame {
  return lazyFrame(channel, NO_PLACE, () => `{"channel":${JSON.stringify(channel)},"data":${data}}`)
}

/** A frame of a log channel. */
export function logFrame(channel: string, place: FramePlace, data: () => string): Frame {
  const { seq, prev } = place
  return lazyFrame(channel, place, () => `{"channel":${JSON.stringify(channel)},"seq":${seq},"prev":${prev},"data":${data()}}`)
}

/** An upgrade of a contract, for every client with a log channel. */
function upgradeFrame({ contract, generation, wasmHash, source, afterLedger, ledger, seq, epoch }: LogUpgrade): Frame {
  return lazyFrame(LOG_NOTICE, { seq, epoch }, () => {
    return JSON.stringify({ type: 'upgrade', contract, generation, wasmHash, source, ledger, afterLedger, seq })
  })
}

/**
 * The frames of an entry on its account's channel. They share `seq` and `prev`; `more` counts those that follow. A row is sent again at a later position, so
 * that its position is its revision.
 */
function orderFrames({ seq, epoch, account, changes }: OrderEntry, prev: number): readonly Frame[] {
  const channel = ordersChannel(account)
  return changes.map((change, index) => {
    const more = changes.length - 1 - index
    const place = `"seq":${seq},"prev":${prev}${more === 0 ? '' : `,"more":${more}`}`
    return lazyFrame(channel, { seq, epoch }, () => `{"channel":${JSON.stringify(channel)},${place},"data":${JSON.stringify({ ...change, revision: seq })}}`)
  })
}

/** An entry of the log: an event, an upgrade, a correction, or what changed for an account. */
export type LogEntry = LogRow | LogUpgrade | Correction | OrderEntry

/** Entries in the order of the log. */
export function inLogOrder(rows: readonly LogRow[], ...others: readonly (readonly LogEntry[])[]): readonly LogEntry[] {
  const rest = others.flat()
  return rest.length === 0 ? rows : [...rows, ...rest].toSorted((a, b) => a.seq - b.seq)
}

function isCorrection(entry: LogEntry): entry is Correction {
  return 'correctedAt' in entry
}

function isUpgrade(entry: LogEntry): entry is LogUpgrade {
  return 'wasmHash' in entry
}

export function isOrderEntry(entry: LogEntry): entry is OrderEntry {
  return 'changes' in entry
}

const NO_PLACE = { seq: undefined, epoch: undefined } as const

function lazyFrame(channel: string, { seq, epoch }: Pick<Frame, 'seq' | 'epoch'>, text: () => string): Frame {
  let bytes: Buffer | undefined
  return { channel, seq, epoch, bytes: () => (bytes ??= textFrame(text())) }
}

/** A row on one channel. */
export interface ChannelEntry {
  readonly channel: string
  /** JSON. */
  readonly data: () => string
}

/** The row on each of its channels: all events, the asset's trades when it is a trade print, and each account that it concerns. */
export function channelsOfRow(row: LogRow): readonly ChannelEntry[] {
  const rowText = once(() => eventText(row))
  const print = toPrint(row)
  return [
    { channel: EVENTS_CHANNEL, data: rowText },
    ...(print === undefined ? [] : [{ channel: tradesChannel(print.asset), data: once(() => JSON.stringify(print)) }]),
    ...row.accounts.map((account) => personalEntry(account, rowText)),
    ...row.learned.map((event) => personalEntry(event.account, once(() => eventText(event)))),
  ]
}

/** Seq of each channel's last frame, by its name. */
export interface ChannelHeads {
  /** 0 before the first frame; undefined for a channel without a reader. */
  get(channel: string): number | undefined
  set(channel: string, seq: number): unknown
}

/** The frames of the next entry on the channels that have a head, which it moves: each frame names its channel's previous one. */
export function framesOf(entry: LogEntry, heads: ChannelHeads, channels?: readonly ChannelEntry[]): readonly Frame[] {
  const { seq, epoch } = entry
  function onChannel(channel: string, make: (prev: number) => readonly Frame[]): readonly Frame[] {
    const prev = heads.get(channel)
    if (prev === undefined) return []
    heads.set(channel, seq)
    return make(prev)
  }
  if (isUpgrade(entry)) return [upgradeFrame(entry)]
  if (isOrderEntry(entry)) return onChannel(ordersChannel(entry.account), (prev) => orderFrames(entry, prev))
  if (isCorrection(entry)) {
    return onChannel(CORRECTIONS_CHANNEL, (prev) => [logFrame(CORRECTIONS_CHANNEL, { epoch, seq, prev }, () => JSON.stringify(entry))])
  }
  return (channels ?? channelsOfRow(entry)).flatMap(({ channel, data }) => onChannel(channel, (prev) => [logFrame(channel, { epoch, seq, prev }, data)]))
}

function personalEntry(account: string, text: () => string): ChannelEntry {
  return { channel: accountChannel(account), data: () => `${text().slice(0, -1)},"owner":${JSON.stringify(account)}}` }
}

function once(make: () => string): () => string {
  let text: string | undefined
  return () => (text ??= make())
}

/** An event in the stream's format: `raw` and `payload` are the payload of GET /v1/events, its `topic` included, which is serialised once for both. */
function eventText(event: LogEvent): string {
  const { eventId, contractId, topic, ledger, ledgerCloseTs, txHash, payload } = event
  const trader = payload?.['trader']
  const head = JSON.stringify({ topic, ledger, ledgerCloseTs, txHash, ...(typeof trader === 'string' ? { trader } : {}) })
  const raw = JSON.stringify(payload ?? { topic, topicsXdr: event.topicsXdr, valueXdr: event.valueXdr })
  return `${head.slice(0, -1)},"raw":${raw},"eventId":${JSON.stringify(eventId)},"contractId":${JSON.stringify(contractId)},"payload":${raw}}`
}
