// Who gets which channel. Subscribers of the same channels form a group: what a group gets at one time is put together once, and written to each of its
// members with one call.

import type { Frame } from './frames.ts'

/** A client as the hub sees it. */
export interface Subscriber {
  /** Takes whole frames; must not throw, and must not wait. */
  write(bytes: Buffer): void
}

interface Group {
  readonly channels: ReadonlySet<string>
  readonly members: Set<Subscriber>
}

export interface Hub {
  /** The channels that the subscriber gets. */
  channelsOf(subscriber: Subscriber): ReadonlySet<string>
  add(subscriber: Subscriber, channels: Iterable<string>): void
  remove(subscriber: Subscriber, channels: Iterable<string>): void
  /** Forgets the subscriber. */
  drop(subscriber: Subscriber): void
  /** How many get anything. */
  subscribers(): number
  /** True when anybody gets the channel. */
  hasSubscribers(channel: string): boolean
  /** Delivers frames to their channels' subscribers, each group's in one piece and in this order. */
  publish(frames: readonly Frame[]): void
}

const NO_CHANNELS: ReadonlySet<string> = new Set()

export function createHub(): Hub {
  const groups = new Map<string, Group>()
  const groupOf = new Map<Subscriber, Group>()
  const groupsByChannel = new Map<string, Set<Group>>()

  function leave(subscriber: Subscriber): void {
    const group = groupOf.get(subscriber)
    if (group === undefined) return
    groupOf.delete(subscriber)
    group.members.delete(subscriber)
    if (group.members.size > 0) return
    groups.delete(keyOf(group.channels))
    for (const channel of group.channels) {
      const listening = groupsByChannel.get(channel)
      listening?.delete(group)
      if (listening?.size === 0) groupsByChannel.delete(channel)
    }
  }

  function join(subscriber: Subscriber, channels: ReadonlySet<string>): void {
    if (channels.size === 0) return
    const key = keyOf(channels)
    let group = groups.get(key)
    if (group === undefined) {
      group = { channels, members: new Set() }
      groups.set(key, group)
      for (const channel of channels) {
        const listening = groupsByChannel.get(channel) ?? new Set()
        groupsByChannel.set(channel, listening.add(group))
      }
    }
    group.members.add(subscriber)
    groupOf.set(subscriber, group)
  }

  function channelsOf(subscriber: Subscriber): ReadonlySet<string> {
    return groupOf.get(subscriber)?.channels ?? NO_CHANNELS
  }

  return {
    channelsOf,
    add(subscriber, channels) {
      const wanted = new Set([...channelsOf(subscriber), ...channels])
      leave(subscriber)
      join(subscriber, wanted)
    },
    remove(subscriber, channels) {
      const without = new Set(channels)
      const wanted = new Set([...channelsOf(subscriber)].filter((channel) => !without.has(channel)))
      leave(subscriber)
      join(subscriber, wanted)
    },
    drop: leave,
    subscribers: () => groupOf.size,
    hasSubscribers: (channel) => groupsByChannel.has(channel),
    publish(frames) {
      const parts = new Map<Group, Buffer[]>()
      for (const frame of frames) {
        for (const group of groupsByChannel.get(frame.channel) ?? []) {
          const part = parts.get(group)
          if (part === undefined) parts.set(group, [frame.bytes()])
          else part.push(frame.bytes())
        }
      }
      for (const [group, [first, ...more]] of parts) {
        if (first === undefined) continue
        const bytes = more.length === 0 ? first : Buffer.concat([first, ...more])
        // A member that is cut off while it is written to leaves the group: the set may shrink meanwhile.
        for (const member of group.members) member.write(bytes)
      }
    },
  }
}

function keyOf(channels: ReadonlySet<string>): string {
  return [...channels].sort().join(' ')
}
