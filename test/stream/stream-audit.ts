// Compares what a stream client received with the log: from each start of delivery, the channel's frames in order, without gaps or duplicates. Reads the log
// without the gateway's queries.

import assert from 'node:assert/strict'
import type { Queryable } from '../../src/store/store.ts'
import type { StreamFrame } from '../support/stream-client.ts'

/** A subscribe request. */
export interface SubscribeRequest {
  readonly channels: readonly string[]
  readonly since?: number | undefined
  readonly snapshot?: boolean
}

/** One uninterrupted delivery on a channel. */
export interface Delivery {
  readonly channel: string
  /** Frames after this seq are due. */
  after: number
  readonly frames: StreamFrame[]
  /** True if the last 50 trades before `after` are due too. */
  readonly includesTrades: boolean
  /** Begun by a request with `since`. */
  readonly isResumed: boolean
}

interface LogFrame {
  readonly seq: number
  readonly data: object
}

/** A channel's frames, oldest first. */
export type ChannelLog = ReadonlyMap<string, readonly LogFrame[]>

interface Row {
  readonly seq: number
  readonly topic: string
  readonly ledger: number
  readonly ts: number
  readonly tx: string
  readonly payload: Readonly<Record<string, unknown>> | null
  readonly topics: string
  readonly value: string
  readonly eventId: string
  readonly contractId: string
  readonly contractEpoch: number
}

/** The events that are prints. */
const KINDS: Readonly<Record<string, string>> = {
  position_opened: 'open', position_closed: 'close', position_reduced: 'reduce', position_liquidated: 'liquidation',
  position_partial_liq: 'partial_liquidation', adl_executed: 'adl',
}

/** All log channels, derived from the archive. */
export async function readChannelLog(db: Queryable): Promise<ChannelLog> {
  const rows = await db.query<Row>(
    `select seq, topic, ledger, ledger_close_ts as ts, tx_hash as tx, payload, topics_xdr as topics, value_xdr as value,
       event_id as "eventId", contract_id as "contractId", (select p.contract_epoch from idx.epochs p where p.number = e.epoch) as "contractEpoch"
     from idx.events e where not is_transfer order by seq`,
  )
  const owned = await db.query<{ account: string; position: number; seq: number }>(
    `select a.account, coalesce(l.shown_seq, a.seq) as position, a.seq from idx.account_events a
       left join idx.learned_events l on l.account = a.account and l.seq = a.seq
     where l.seq is null or l.shown_seq is not null order by 2`,
  )
  const log = new Map<string, LogFrame[]>()
  const add = (channel: string, frame: LogFrame): unknown => log.set(channel, [...(log.get(channel) ?? []), frame])
  const bySeq = new Map(rows.map((row) => [row.seq, row]))
  const [orders, directions] = [ordersOf(rows), new Map<string, unknown>()]
  for (const row of rows) {
    add('events', { seq: row.seq, data: eventOf(row) })
    const kind = KINDS[row.topic]
    if (kind === undefined || row.payload === null) continue
    const position = `${row.contractEpoch}/${String(row.payload['positionId'])}`
    if (kind === 'open') directions.set(position, row.payload['direction'])
    // The event of a reduction does not name the direction.
    const known = { direction: directions.get(position) ?? null, ...row.payload, orderId: orders.get(row.seq) }
    add(`trades.${String(row.payload['asset'])}`, { seq: row.seq, data: tradeOf(kind, row, known) })
  }
  for (const { account, position, seq } of owned) {
    const row = bySeq.get(seq)
    assert.ok(row !== undefined)
    add(`account.events.${account}`, { seq: position, data: { ...eventOf(row), owner: account } })
  }
  return log
}

/** The orders whose executions opened or closed positions, by the seq of the position's event: the execution is reported after it. */
function ordersOf(rows: readonly Row[]): ReadonlyMap<number, unknown> {
  const orders = new Map<number, unknown>()
  let execution: Row | undefined
  for (const row of rows.toReversed()) {
    if (row.topic === 'order_executed') execution = row
    if (KINDS[row.topic] === undefined) continue
    if (execution?.tx === row.tx) orders.set(row.seq, execution.payload?.['orderId'])
    execution = undefined
  }
  return orders
}

function eventOf({ topic, ledger, ts, tx, payload, topics, value, eventId, contractId }: Row): object {
  const raw = payload ?? { topic, topicsXdr: topics === '' ? [] : topics.split(' '), valueXdr: value }
  const trader = payload?.['trader']
  return { topic, ledger, ledgerCloseTs: ts, txHash: tx, ...(typeof trader === 'string' ? { trader } : {}), raw, payload: raw, eventId, contractId }
}

function tradeOf(kind: string, { ledger, ts, tx, eventId }: Row, payload: Readonly<Record<string, unknown>>): object {
  const { asset, positionId, trader, entryPrice, pnl, closedSize, direction, orderId } = payload
  const { size = closedSize, closePrice = payload['price'] } = payload
  const price = kind === 'open' ? entryPrice : closePrice
  const known = { ...(pnl === undefined ? {} : { pnl }), ...(orderId === undefined ? {} : { orderId }) }
  return { kind, asset, positionId, trader, price, ...known, ledger, ts: ts * 1000, txHash: tx, size, direction, eventId }
}

const isLog = (channel: string): boolean => /^(events|trades\.|account\.events\.)/.test(channel)
const isAccount = (channel: string): boolean => channel.startsWith('account.events.')

/** The deliveries of one connection, from its requests and frames. `open` has those that have not ended. */
export function readDeliveries(
  frames: readonly StreamFrame[],
  requests: ReadonlyMap<string, SubscribeRequest>,
): { readonly deliveries: readonly Delivery[]; readonly open: ReadonlyMap<string, Delivery> } {
  const deliveries: Delivery[] = []
  const open = new Map<string, Delivery>()
  /** The open deliveries before a resume, which a gap restores. */
  let before = new Map<string, Delivery>()
  const begin = (channel: string, after: number, { includesTrades = false, isResumed = false } = {}): void => {
    const delivery: Delivery = { channel, after, frames: [], includesTrades, isResumed }
    deliveries.push(delivery)
    open.set(channel, delivery)
  }
  let heads: Readonly<Record<string, number>> = {}

  function onSubscribed(frame: StreamFrame, request: SubscribeRequest | undefined): void {
    heads = (frame['heads'] ?? {}) as typeof heads
    before = new Map(open)
    for (const [name, head] of Object.entries(heads)) {
      if (request?.since !== undefined) begin(name, request.since, { isResumed: true })
      else if (request?.snapshot === true && isAccount(name)) begin(name, Infinity)
      else if (request?.snapshot === true && name !== 'events') begin(name, head, { includesTrades: true })
      else if (!open.has(name)) begin(name, head)
    }
  }

  /** A resume that is not possible: the channels continue live. */
  function onGap(channels: readonly string[]): void {
    for (const name of channels) {
      const previous = before.get(name)
      if (previous === undefined) begin(name, heads[name] ?? 0)
      else open.set(name, previous)
    }
  }

  /** The channel of another account ends with the login. */
  function onLogin(owner: string): void {
    for (const name of open.keys()) if (isAccount(name) && name !== `account.events.${owner}`) open.delete(name)
  }

  function onLogFrame(frame: StreamFrame, channel: string, seq: number): void {
    const delivery = open.get(channel)
    assert.ok(delivery !== undefined, `a frame of ${channel}, which was not subscribed`)
    if (frame['snapshot'] === true) delivery.after = seq
    else delivery.frames.push(frame)
  }

  for (const frame of frames) {
    const { type, channel, seq } = frame
    const request = requests.get(String(frame['id']))
    if (type === 'subscribed') onSubscribed(frame, request)
    else if (type === 'gap' && request !== undefined) onGap(frame['channels'] as string[])
    else if (type === 'unsubscribed') (frame['channels'] as string[]).forEach((name) => open.delete(name))
    else if (type === 'login' && frame['ok'] === true) onLogin(String(frame['owner']))
    else if (channel !== undefined && isLog(channel) && seq !== undefined) onLogFrame(frame, channel, seq)
  }
  return { deliveries, open }
}

/** Fails unless the delivery is a contiguous part of the log. */
export function checkDelivery(delivery: Delivery, log: ChannelLog): void {
  const { channel, after, frames, includesTrades } = delivery
  const whole = log.get(channel) ?? []
  const from = firstOf(delivery, whole)
  if (includesTrades && frames.length > 0) {
    const earlier = whole.filter(({ seq }) => seq <= after).length
    assert.ok(from >= 0 && from <= Math.max(0, earlier - 50), `the trades of ${channel} start at ${frames[0]?.seq}`)
  }
  const expected = whole.slice(from, from + frames.length).map(({ seq, data }, index) => ({ channel, seq, prev: whole[from + index - 1]?.seq ?? 0, data }))
  assert.deepEqual(frames, expected, `${channel} after ${after}`)
}

/** Fails unless a resumed delivery shows each upgrade between the frames before and after it. Returns the number of upgrades. */
export function checkUpgrades({ after, frames, isResumed, channel }: Delivery, received: readonly StreamFrame[], upgradeSeqs: readonly number[]): number {
  const due = isResumed ? upgradeSeqs.filter((seq) => seq > after && seq < (frames.at(-1)?.seq ?? 0)) : []
  for (const seq of due) {
    const before = frames.findLast((frame) => (frame.seq ?? 0) < seq)
    const next = frames.find((frame) => (frame.seq ?? 0) > seq)
    const end = next === undefined ? undefined : received.indexOf(next)
    const between = received.slice(before === undefined ? 0 : received.indexOf(before), end)
    assert.ok(between.some((frame) => frame.type === 'upgrade' && frame.seq === seq), `no upgrade ${seq} between the frames of ${channel}`)
  }
  return due.length
}

/** True if all due frames were delivered. */
export function isComplete(delivery: Delivery, log: ChannelLog): boolean {
  const whole = log.get(delivery.channel) ?? []
  if (delivery.includesTrades && delivery.frames.length === 0) return whole.length === 0
  return delivery.after !== Infinity && firstOf(delivery, whole) + delivery.frames.length === whole.length
}

/** The index in the log of the first due frame. */
function firstOf({ after, frames, includesTrades }: Delivery, whole: readonly LogFrame[]): number {
  if (includesTrades && frames.length > 0) return whole.findIndex(({ seq }) => seq === frames[0]?.seq)
  const found = whole.findIndex(({ seq }) => seq > after)
  return found === -1 ? whole.length : found
}
