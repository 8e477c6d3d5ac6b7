// Snapshots of log channels: an asset's last trade prints, an account's positions and orders, and its orders with submissions and fills.

import { PRINTS_IN_SNAPSHOT } from '../limits.ts'
import { readOrdersSnapshot } from '../projections/orders/order-stream.ts'
import { readLastPrints } from '../projections/log/stream-log.ts'
import type { Queryable } from '../store/store.ts'
import { tradesChannel } from './channels.ts'
import type { LogChannel } from './channels.ts'
import { channelsOfRow, logFrame } from './frames.ts'
import type { ReplayBudget } from './replay-budget.ts'
import type { Tail } from './tail.ts'
import { textFrame } from './wire.ts'

/** An account's state as of a position in the log. */
export interface AccountSnapshot {
  readonly seq: number
  readonly positions: readonly object[]
  /** Null when the resting orders cannot be read from the chain right now. */
  readonly orders: readonly object[] | null
}

export interface ChannelSnapshot {
  readonly name: string
  readonly channel: LogChannel
  readonly frames: readonly Buffer[]
  /** The snapshot's position in the log; delivery continues after it. */
  readonly seq: number
}

export interface SnapshotParts {
  readonly db: Queryable
  readonly tail: Tail
  readonly budget: ReplayBudget
  readAccount(owner: string): Promise<AccountSnapshot>
}

/** Reads the snapshots of those channels that have one. Rejects when the database cannot be read. */
export async function readSnapshots(parts: SnapshotParts, channels: ReadonlyMap<string, LogChannel>): Promise<readonly ChannelSnapshot[]> {
  const snapshots: ChannelSnapshot[] = []
  for (const [name, channel] of channels) {
    if (channel.kind === 'trades') snapshots.push(await readPrints(parts, name, channel))
    if (channel.kind === 'account') snapshots.push(await readAccount(parts, name, channel))
    if (channel.kind === 'orders') snapshots.push(await readOrders(parts, name, channel))
  }
  return snapshots
}

async function readPrints(
  { db, tail, budget }: SnapshotParts, name: string, channel: Extract<LogChannel, { kind: 'trades' }>,
): Promise<ChannelSnapshot> {
  const seq = tail.position()
  const { rows, before } = await budget.read(() => readLastPrints(db, channel.asset, { throughSeq: seq, limit: PRINTS_IN_SNAPSHOT }))
  let prev = before
  const frames: Buffer[] = []
  for (const row of rows) {
    const data = channelsOfRow(row).find((entry) => entry.channel === tradesChannel(channel.asset))?.data
    if (data === undefined) continue
    frames.push(logFrame(name, { epoch: row.epoch, seq: row.seq, prev }, data).bytes())
    prev = row.seq
  }
  return { name, channel, frames, seq }
}

async function readAccount(parts: SnapshotParts, name: string, channel: Extract<LogChannel, { kind: 'account' }>): Promise<ChannelSnapshot> {
  const { seq, positions, orders } = await parts.readAccount(channel.account)
  const frame = textFrame(JSON.stringify({ channel: name, snapshot: true, seq, data: { positions, orders } }))
  return { name, channel, frames: [frame], seq }
}

async function readOrders({ db, tail, budget }: SnapshotParts, name: string, channel: Extract<LogChannel, { kind: 'orders' }>): Promise<ChannelSnapshot> {
  const { seq, orders, ...rest } = await budget.read(() => readOrdersSnapshot(db, channel.account))
  const data = { orders: orders.map(tail.warnOrder), ...rest }
  return { name, channel, frames: [textFrame(JSON.stringify({ channel: name, snapshot: true, seq, data }))], seq }
}
