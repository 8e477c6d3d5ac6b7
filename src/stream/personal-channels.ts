// The channels of accounts: their heads while a client is subscribed, and what the log adds to them. Accounts without a subscriber cost nothing.

import type { OrderEntry } from '../projections/orders/order-stream.ts'
import { readOrderEntries, readOrderHeads } from '../projections/orders/order-stream.ts'
import type { LogRow } from '../projections/log/stream-log.ts'
import { readChannelHeads } from '../projections/log/stream-log.ts'
import type { Queryable } from '../store/store.ts'
import type { PersonalChannel } from './channels.ts'
import { logFrame, orderFrames } from './frames.ts'
import type { Frame, RowChannels } from './frames.ts'
import { createWatchedAccounts } from './watched-accounts.ts'

/** Changes of orders per read. */
const PAGE_ENTRIES = 2_000

/** The selection that a read of the log has to include. It becomes outdated when another channel is subscribed to in the meantime. */
interface PersonalSelection {
  readonly accounts: boolean
  readonly orders: readonly string[]
}

export interface PersonalChannels {
  watch(channel: PersonalChannel): Promise<void>
  release(channel: PersonalChannel): void
  head(channel: PersonalChannel): number
  /** The number of channels with subscribers. */
  count(): number
  selection(): PersonalSelection
  /** True when a read with this selection includes every channel that has subscribers now. */
  isCurrent(selection: PersonalSelection): boolean
  /** The changes of orders in (afterSeq, throughSeq], complete up to the `throughSeq` of the result. */
  readOrders(selection: PersonalSelection, range: { readonly afterSeq: number; readonly throughSeq: number }): ReturnType<typeof readOrderEntries>
  /** The frames of a row for the accounts with subscribers. */
  takeRow(row: LogRow, personal: RowChannels['personal']): readonly Frame[]
  takeOrders(entry: OrderEntry): readonly Frame[]
}

/** `position` is the end of what was published. */
export function createPersonalChannels(db: Queryable, position: () => number): PersonalChannels {
  const events = createWatchedAccounts(async (account) =>
    (await readChannelHeads(db, { assets: [], accounts: [account] }, position())).accounts.get(account) ?? 0)
  const orders = createWatchedAccounts(async (account) => (await readOrderHeads(db, [account], position())).get(account) ?? 0)
  const watchedOf = ({ kind }: PersonalChannel): typeof events => (kind === 'orders' ? orders : events)

  return {
    watch: (channel) => watchedOf(channel).watch(channel.account),
    release: (channel) => watchedOf(channel).release(channel.account),
    head: (channel) => watchedOf(channel).head(channel.account),
    count: () => events.count() + orders.count(),
    selection: () => ({ accounts: events.count() > 0, orders: orders.names() }),
    isCurrent: (selection) => (selection.accounts || events.count() === 0) && orders.names().every((account) => selection.orders.includes(account)),
    readOrders: (selection, range) => readOrderEntries(db, selection.orders, { ...range, limit: PAGE_ENTRIES }),
    takeRow: ({ seq, epoch }, personal) => personal.filter(({ account }) => events.has(account)).map(({ account, channel, data }) => {
      const prev = events.head(account)
      events.advance(account, seq)
      return logFrame(channel, { epoch, seq, prev }, data)
    }),
    takeOrders(entry) {
      if (!orders.has(entry.account)) return []
      const frames = orderFrames(entry, orders.head(entry.account))
      orders.advance(entry.account, entry.seq)
      return frames
    },
  }
}
