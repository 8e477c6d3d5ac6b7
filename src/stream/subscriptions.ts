// The channels that one client receives: live through the hub, or replayed until they catch up with the hub.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Queryable } from '../store/store.ts'
import { isPersonal, parseChannel } from './channels.ts'
import type { Channel, LogChannel, PersonalChannel } from './channels.ts'
import { CLOSE } from './connection.ts'
import type { Connection } from './connection.ts'
import type { Hub } from './hub.ts'
import { runReplay } from './replay.ts'
import type { Replay } from './replay.ts'
import type { ReplayBudget } from './replay-budget.ts'
import type { Tail } from './tail.ts'

export interface SubscriptionsParts {
  readonly connection: Connection
  readonly hub: Hub
  readonly tail: Tail
  readonly db: Queryable
  readonly clock: Clock
  readonly budget: ReplayBudget
  /** Bytes that may wait for the client. */
  readonly waitingBytes: number
  readonly log: Log
}

/** The log channels to deliver, and the position at which delivery starts. */
export interface ReplayStart {
  readonly channels: ReadonlyMap<string, LogChannel>
  /** Delivery starts with the first frame after this seq. */
  readonly afterSeq: number
}

export interface Subscriptions {
  /** All subscribed channels, live and replaying. */
  names(): ReadonlySet<string>
  /** The number of running replays. */
  replays(): number
  /** Delivers new frames of these channels from now on. */
  addLive(names: Iterable<string>): void
  /** Replays the channels, then delivers them live. Replaces an earlier subscription to them. */
  replay(start: ReplayStart): void
  /** Ends the subscription to these channels. */
  remove(names: readonly string[]): void
  /** Starts tracking the heads of personal channels. Rejects when the database cannot be read. */
  watch(channels: ReadonlyMap<string, Channel>): Promise<void>
  /** Ends all subscriptions. */
  close(): void
}

export function createSubscriptions({ connection, hub, tail, db, clock, budget, waitingBytes, log }: SubscriptionsParts): Subscriptions {
  const subscriber = connection.output
  const replays = new Set<Replay>()
  /** By name. */
  const watched = new Map<string, PersonalChannel>()

  /** Stops live delivery and running replays, but keeps tracking account channels so that delivery can start again. */
  function pause(names: readonly string[]): void {
    hub.remove(subscriber, names)
    for (const { channels } of replays) for (const name of names) channels.delete(name)
  }

  function run(replay: Replay): void {
    replays.add(replay)
    runReplay({ db, tail, clock }, replay)
      .catch((error: unknown) => {
        if (connection.closed.aborted) return
        log.warn({ err: error }, 'replay failed: closing the connection so that the client reconnects and resumes')
        connection.close(CLOSE.unexpected, 'unavailable')
      })
      .finally(() => replays.delete(replay))
  }

  return {
    names: () => new Set([...hub.channelsOf(subscriber), ...[...replays].flatMap(({ channels }) => [...channels.keys()])]),
    replays: () => replays.size,
    addLive: (names) => hub.add(subscriber, names),
    replay({ channels, afterSeq }) {
      pause([...channels.keys()])
      run({
        channels: new Map(channels),
        afterSeq,
        signal: connection.closed,
        budget,
        waitingBytes,
        encoding: subscriber.encoding,
        write: connection.write,
        drained: connection.drained,
        goLive: (names) => hub.add(subscriber, names),
      })
    },
    remove(names) {
      pause(names)
      for (const name of names) {
        const channel = parseChannel(name)
        if (channel !== undefined && isPersonal(channel) && watched.delete(name)) tail.release(channel)
      }
    },
    async watch(channels) {
      for (const [name, channel] of channels) {
        if (!isPersonal(channel) || watched.has(name)) continue
        await tail.watch(channel)
        // `close` has already released the channels of a connection that closed during the read.
        if (connection.closed.aborted) tail.release(channel)
        else watched.set(name, channel)
      }
    },
    close() {
      hub.drop(subscriber)
      for (const { channels } of replays) channels.clear()
      for (const channel of watched.values()) tail.release(channel)
      watched.clear()
    },
  }
}
