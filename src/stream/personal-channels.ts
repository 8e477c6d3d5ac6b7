// The channels of accounts: their heads while at least one client is subscribed. Accounts without a subscriber cost nothing.

import { readOrderEntries, readOrderHeads } from '../projections/orders/order-stream.ts'
import { readChannelHeads } from '../projections/log/stream-log.ts'
import type { Order } from '../resources/order.ts'
import type { Queryable } from '../store/store.ts'
import { accountChannel, ordersChannel } from './channels.ts'
import type { PersonalChannel } from './channels.ts'
import type { ChannelHeads } from './frames.ts'

/** Changes of orders per read. */
const PAGE_ENTRIES = 2_000

/** The selection that a read of the log has to include. It becomes outdated when another channel is subscribed to in the meantime. */
interface PersonalSelection {
  readonly accounts: boolean
  readonly orders: readonly string[]
}

/** The heads of channels with subscribers, by name. */
export interface PersonalChannels extends ChannelHeads {
  /** Counts a subscriber, and reads the head for the first one. Rejects when it cannot be read. */
  watch(channel: PersonalChannel): Promise<void>
  /** Counts a subscriber less; the last one ends the tracking. */
  release(channel: PersonalChannel): void
  /** Seq of the last frame, 0 when there is none or nobody is subscribed. */
  head(channel: PersonalChannel): number
  /** The number of channels with subscribers. */
  count(): number
  selection(): PersonalSelection
  /** True when a read with this selection includes every channel that has subscribers now. */
  isCurrent(selection: PersonalSelection): boolean
  /** The changes of orders in (afterSeq, throughSeq], complete up to the `throughSeq` of the result. */
  readOrders(selection: PersonalSelection, range: { readonly afterSeq: number; readonly throughSeq: number }): ReturnType<typeof readOrderEntries>
}

interface Watched {
  readonly channel: PersonalChannel
  subscribers: number
  /** Seq of the last frame published since watching began. */
  publishedSeq: number | undefined
  /** The channel's head when watching began. */
  readonly initialHead: Promise<number>
  /** `initialHead` once it was read; 0 before. */
  baseSeq: number
}

/** `position` is the end of what was published. */
export function createPersonalChannels(db: Queryable, position: () => number, warnOrder: (order: Order) => Order): PersonalChannels {
  const channels = new Map<string, Watched>()
  const nameOf = ({ kind, account }: PersonalChannel): string => (kind === 'orders' ? ordersChannel(account) : accountChannel(account))

  async function readHead({ kind, account }: PersonalChannel): Promise<number> {
    const heads = kind === 'orders' ? await readOrderHeads(db, [account], position())
      : (await readChannelHeads(db, { assets: [], accounts: [account] }, position())).accounts
    return heads.get(account) ?? 0
  }

  function get(name: string): number | undefined {
    const watched = channels.get(name)
    return watched === undefined ? undefined : watched.publishedSeq ?? watched.baseSeq
  }

  function selection(): PersonalSelection {
    const all = [...channels.values()].map(({ channel }) => channel)
    return { accounts: all.some(({ kind }) => kind === 'account'), orders: all.filter(({ kind }) => kind === 'orders').map(({ account }) => account) }
  }

  return {
    async watch(channel) {
      const name = nameOf(channel)
      const watched = channels.get(name) ?? { channel, subscribers: 0, publishedSeq: undefined, baseSeq: 0, initialHead: readHead(channel) }
      channels.set(name, watched)
      watched.subscribers++
      try {
        watched.baseSeq = await watched.initialHead
      } catch (error) {
        if (channels.get(name) === watched) channels.delete(name)
        throw error
      }
    },
    release(channel) {
      const watched = channels.get(nameOf(channel))
      if (watched !== undefined && --watched.subscribers === 0) channels.delete(nameOf(channel))
    },
    head: (channel) => get(nameOf(channel)) ?? 0,
    get,
    set(name, seq) {
      const watched = channels.get(name)
      if (watched !== undefined) watched.publishedSeq = seq
    },
    count: () => channels.size,
    selection,
    isCurrent(read) {
      const { accounts, orders } = selection()
      return (read.accounts || !accounts) && orders.every((account) => read.orders.includes(account))
    },
    readOrders: (read, range) => readOrderEntries(db, read.orders, { ...range, limit: PAGE_ENTRIES, warnOrder }),
  }
}
