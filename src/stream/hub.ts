// Delivers frames to subscribers. Subscribers with the same set of channels and the same encoding form a group. The frames for a group are encoded once and
// written to each member with one call.

import type { Writable } from 'node:stream'
import { isLogChannelName, LOG_NOTICE } from './channels.ts'
import type { Encoding } from './encoding.ts'
import type { Frame } from './frames.ts'
import { drained, writeToAll } from './output.ts'
import type { Output } from './output.ts'

interface Group {
  readonly encoding: Encoding
  readonly channels: ReadonlySet<string>
  readonly members: Map<Output, Writable>
}

export interface Hub {
  /** The subscriber's live channels. */
  channelsOf(subscriber: Output): ReadonlySet<string>
  add(subscriber: Output, channels: Iterable<string>): void
  remove(subscriber: Output, channels: Iterable<string>): void
  /** Removes the subscriber from all channels. */
  drop(subscriber: Output): void
  /** The number of subscribers with at least one channel. */
  subscribers(): number
  hasSubscribers(channel: string): boolean
  /** Delivers frames to the subscribers of their channels, in this order. */
  publish(frames: readonly Frame[]): void
  /** Resolves when all subscribers of the channels accept more data, at the latest when the signal aborts. */
  drained(channels: readonly string[], signal: AbortSignal): Promise<void>
}

const NO_CHANNELS: ReadonlySet<string> = new Set()

/** At most `waitingBytes` wait for each subscriber. */
export function createHub(waitingBytes: number): Hub {
  const groups = new Map<string, Group>()
  const groupOf = new Map<Output, Group>()
  const groupsByChannel = new Map<string, Set<Group>>()

  function leave(subscriber: Output): void {
    const group = groupOf.get(subscriber)
    if (group === undefined) return
    groupOf.delete(subscriber)
    group.members.delete(subscriber)
    if (group.members.size > 0) return
    groups.delete(keyOf(group))
    for (const channel of group.channels) {
      const channelGroups = groupsByChannel.get(channel)
      channelGroups?.delete(group)
      if (channelGroups?.size === 0) groupsByChannel.delete(channel)
    }
  }

  function join(subscriber: Output, channels: ReadonlySet<string>): void {
    if (channels.size === 0) return
    const { encoding } = subscriber
    const key = keyOf({ encoding, channels })
    let group = groups.get(key)
    if (group === undefined) {
      group = { encoding, channels, members: new Map() }
      groups.set(key, group)
      for (const channel of channels) {
        const channelGroups = groupsByChannel.get(channel) ?? new Set()
        groupsByChannel.set(channel, channelGroups.add(group))
      }
    }
    group.members.set(subscriber, subscriber.stream)
    groupOf.set(subscriber, group)
  }

  function channelsOf(subscriber: Output): ReadonlySet<string> {
    return groupOf.get(subscriber)?.channels ?? NO_CHANNELS
  }

  /** The groups that a frame is for. */
  function groupsFor({ channel }: Frame): Iterable<Group> {
    if (channel === LOG_NOTICE) return [...groups.values()].filter((group) => [...group.channels].some(isLogChannelName))
    return groupsByChannel.get(channel) ?? []
  }

  return {
    channelsOf,
    add(subscriber, channels) {
      const next = new Set([...channelsOf(subscriber), ...channels])
      leave(subscriber)
      join(subscriber, next)
    },
    remove(subscriber, channels) {
      const removed = new Set(channels)
      const next = new Set([...channelsOf(subscriber)].filter((channel) => !removed.has(channel)))
      leave(subscriber)
      join(subscriber, next)
    },
    drop: leave,
    subscribers: () => groupOf.size,
    hasSubscribers: (channel) => groupsByChannel.has(channel),
    publish(frames) {
      const parts = new Map<Group, Frame[]>()
      for (const frame of frames) {
        for (const group of groupsFor(frame)) {
          const part = parts.get(group)
          if (part === undefined) parts.set(group, [frame])
          else part.push(frame)
        }
      }
      for (const [group, part] of parts) {
        // NOTE: a write may close a slow member, which then leaves the group: the map may shrink during the writes.
        writeToAll(group.members, group.encoding.frames(part), waitingBytes)
      }
    },
    async drained(channels, signal) {
      const waiting = new Set(channels.flatMap((channel) => [...groupsByChannel.get(channel) ?? []]))
      const outputs = [...waiting].flatMap(({ members }) => [...members.keys()].filter(({ stream }) => stream.writableNeedDrain))
      await Promise.all(outputs.map((output) => drained(output, signal)))
    },
  }
}

function keyOf({ encoding, channels }: Pick<Group, 'encoding' | 'channels'>): string {
  return [encoding.name, ...[...channels].sort()].join(' ')
}
