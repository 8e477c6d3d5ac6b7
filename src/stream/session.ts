// What a client asks of the stream: channels, a login, a place to resume from (docs/websocket.md).

import type { Semaphore } from '../base/semaphore.ts'
import type { Log } from '../base/log.ts'
import type { StreamLimits } from '../limits.ts'
import { PRINTS_IN_SNAPSHOT } from '../limits.ts'
import { countFrames, readChannelHeads, readLastPrints } from '../projections/stream-log.ts'
import type { Queryable } from '../store/store.ts'
import { isLogChannel, parseChannel, tradesChannel } from './channels.ts'
import type { Channel, LogChannel } from './channels.ts'
import { CLOSE } from './connection.ts'
import type { Connection } from './connection.ts'
import { runReplay, toLogSelection } from './replay.ts'
import type { Replay } from './replay.ts'
import { channelsOfRow, logFrame } from './frames.ts'
import type { Frame } from './frames.ts'
import type { Hub, Subscriber } from './hub.ts'
import type { ClientRequest, SubscribeRequest } from './requests.ts'
import type { EpochChange, Tail } from './tail.ts'
import { textFrame } from './wire.ts'

/** Whose connection it is, after a login. */
export interface StreamLogin {
  readonly keyId: string
  readonly owner: string
  readonly tier: string
}

/** An account as of a place in the log: what a snapshot of its channel holds. */
export interface AccountSnapshot {
  readonly seq: number
  readonly positions: readonly object[]
  /** Null when the resting orders cannot be read from the chain right now. */
  readonly orders: readonly object[] | null
}

/** What the stream needs of the rest of the gateway. */
export interface StreamServices {
  /** `unknown` when the database does not tell. Never rejects. */
  login(keyId: string, secret: string): Promise<StreamLogin | 'invalid_credentials' | 'unknown'>
  readAccount(owner: string): Promise<AccountSnapshot>
}

export interface SessionParts {
  readonly connection: Connection
  readonly hub: Hub
  readonly tail: Tail
  readonly db: Queryable
  readonly readSemaphore: Semaphore
  readonly limits: StreamLimits
  readonly services: StreamServices
  /** The last frame of a ticker or candle channel, when there is one. */
  lastTick(channel: string): Frame | undefined
  nowMs(): number
  readonly log: Log
}

export interface Session {
  /** Null before a login. */
  login(): StreamLogin | null
  /** Under way. */
  replays(): number
  handle(request: ClientRequest): void | Promise<void>
  /** Tells the client that a new epoch begins, when it follows channels of the log. */
  announceEpoch(border: EpochChange): void
  /** Takes the client out of everything. */
  close(): void
}

export function createSession(parts: SessionParts): Session {
  const { connection, hub, tail, db, readSemaphore: lanes, limits, services } = parts
  const subscriber: Subscriber = { write: connection.write }
  const feeds = new Set<Replay>()
  const watched = new Set<string>()
  let login: StreamLogin | null = null

  function mayHave(channel: Channel): boolean {
    return channel.kind !== 'account' || channel.account === login?.owner
  }

  /** The channels that the client gets, those that are being replayed to it included. */
  function subscribed(): Set<string> {
    return new Set([...hub.channelsOf(subscriber), ...[...feeds].flatMap((feed) => [...feed.channels.keys()])])
  }

  /** Ends delivery of the channels, replays included: a channel that is live is taken back to the place where it is to begin. */
  function interrupt(names: readonly string[]): void {
    hub.remove(subscriber, names)
    for (const feed of feeds) for (const name of names) feed.channels.delete(name)
  }

  /** Ends delivery for good. */
  function stop(channels: Iterable<string>): void {
    const names = [...channels]
    interrupt(names)
    for (const name of names) {
      const channel = parseChannel(name)
      if (channel?.kind === 'account' && watched.delete(channel.account)) tail.releaseAccount(channel.account)
    }
  }

  async function watch(channels: readonly LogChannel[]): Promise<void> {
    for (const channel of channels) {
      if (channel.kind !== 'account' || watched.has(channel.account)) continue
      await tail.watchAccount(channel.account)
      // Who has left meanwhile has given back what it had before.
      if (connection.closed.aborted) tail.releaseAccount(channel.account)
      else watched.add(channel.account)
    }
  }

  function headOf(name: string, channel: LogChannel): number {
    return channel.kind === 'account' ? tail.accountHead(channel.account) : tail.channelHead(name)
  }

  /** Follows channels from a place on; the frames before it were sent, or are not wanted. */
  function follow(channels: ReadonlyMap<string, LogChannel>, afterSeq: number, prev: ReadonlyMap<string, number>): void {
    const feed: Replay = {
      channels: new Map(channels),
      afterSeq,
      prev: new Map(prev),
      signal: connection.closed,
      send(frames) {
        if (frames.length > 0) connection.write(Buffer.concat(frames.map((frame) => frame.bytes())))
        return connection.drained()
      },
      goLive: (names) => hub.add(subscriber, names),
    }
    feeds.add(feed)
    runReplay({ db, tail, readSemaphore: lanes }, feed)
      .catch((error: unknown) => {
        if (connection.closed.aborted) return
        parts.log.warn({ err: error }, 'a replay cannot be read; the client is sent away to come back')
        connection.close(CLOSE.unexpected, 'unavailable')
      })
      .finally(() => feeds.delete(feed))
  }

  async function subscribe(request: SubscribeRequest): Promise<void> {
    const accepted = new Map<string, Channel>()
    const rejected: string[] = []
    for (const name of request.channels) {
      const channel = parseChannel(name)
      if (channel === undefined || !mayHave(channel)) rejected.push(name)
      else accepted.set(name, channel)
    }
    const logChannels = new Map([...accepted].filter((entry): entry is [string, LogChannel] => isLogChannel(entry[1])))
    if (logChannels.size > 0) {
      if (!tail.ready()) await tail.catchUp()
      await watch([...logChannels.values()])
    }
    const resume = request.since === undefined || logChannels.size === 0 ? undefined : await planResume(request, request.since, logChannels)
    const reads = request.snapshot && resume === undefined ? await readSnapshots(logChannels) : []
    if (connection.closed.aborted) return

    // From here to the end nothing waits: the heads that are told are the places where delivery begins.
    if (accepted.size > 0) {
      const heads = Object.fromEntries([...logChannels].map(([name, channel]) => [name, headOf(name, channel)]))
      connection.reply({ type: 'subscribed', channels: [...accepted.keys()], ...(logChannels.size > 0 ? { heads } : {}) }, request.id)
    }
    if (rejected.length > 0) connection.reply({ type: 'rejected', channels: rejected }, request.id)
    const plain = [...accepted.keys()].filter((name) => !logChannels.has(name))
    if (request.snapshot) for (const name of plain) sendLastTick(name)
    hub.add(subscriber, plain)
    startLogChannels(request, logChannels, resume, reads)
  }

  function startLogChannels(
    request: SubscribeRequest,
    channels: ReadonlyMap<string, LogChannel>,
    resume: Resume | undefined,
    reads: readonly ChannelSnapshot[],
  ): void {
    if (resume?.kind === 'gap') connection.reply(resume.message, request.id)
    if (resume?.kind === 'replay') {
      interrupt([...channels.keys()])
      follow(channels, resume.since, resume.prev)
      return
    }
    for (const { name, channel, frames, seq, prev } of reads) {
      interrupt([name])
      connection.write(Buffer.concat(frames))
      follow(new Map([[name, channel]]), seq, new Map([[name, prev]]))
    }
    const live = subscribed()
    hub.add(subscriber, [...channels.keys()].filter((name) => !live.has(name)))
  }

  function sendLastTick(name: string): void {
    const frame = parts.lastTick(name)
    if (frame !== undefined) connection.write(frame.bytes())
  }

  type Resume =
    | { readonly kind: 'gap'; readonly message: Readonly<Record<string, unknown>> }
    | { readonly kind: 'replay'; readonly since: number; readonly prev: ReadonlyMap<string, number> }

  /** Whether everything behind `since` can be sent, and if not, why. */
  async function planResume(request: SubscribeRequest, since: number, channels: ReadonlyMap<string, LogChannel>): Promise<Resume> {
    const gap = (reason: string): Resume => ({
      kind: 'gap',
      message: { type: 'gap', channels: [...channels.keys()], since, oldest: oldestOf(tail), reason },
    })
    // Another instance may have published what this one has not read yet.
    if (since > tail.position()) await tail.catchUp()
    if (request.epoch !== undefined && request.epoch !== tail.head()?.epoch) return gap('epoch')
    if (since > tail.position()) return gap('ahead')
    const selection = toLogSelection(channels.values())
    const range = { afterSeq: since, throughSeq: tail.position(), atMost: limits.replayFrames + 1 }
    // The places in the log bound the frames of a channel; only a long way back is worth counting.
    const bound = (range.throughSeq - since) * channels.size
    if (bound > limits.replayFrames && (await lanes.run(() => countFrames(db, selection, range))) > limits.replayFrames) return gap('too_far')
    const heads = await lanes.run(() => readChannelHeads(db, selection, since))
    const prev = new Map<string, number>()
    for (const [name, channel] of channels) {
      if (channel.kind === 'events') prev.set(name, heads.events)
      else prev.set(name, (channel.kind === 'trades' ? heads.assets.get(channel.asset) : heads.accounts.get(channel.account)) ?? 0)
    }
    return { kind: 'replay', since, prev }
  }

  interface ChannelSnapshot {
    readonly name: string
    readonly channel: LogChannel
    readonly frames: readonly Buffer[]
    /** What the snapshot stands for, and where delivery goes on. */
    readonly seq: number
    readonly prev: number
  }

  async function readSnapshots(channels: ReadonlyMap<string, LogChannel>): Promise<readonly ChannelSnapshot[]> {
    const reads: ChannelSnapshot[] = []
    for (const [name, channel] of channels) {
      if (channel.kind === 'trades') reads.push(await readPrints(name, channel))
      if (channel.kind === 'account') reads.push(await readAccount(name, channel))
    }
    return reads
  }

  async function readPrints(name: string, channel: Extract<LogChannel, { kind: 'trades' }>): Promise<ChannelSnapshot> {
    const seq = tail.position()
    const { rows, before } = await lanes.run(() => readLastPrints(db, channel.asset, { throughSeq: seq, limit: PRINTS_IN_SNAPSHOT }))
    let prev = before
    const frames: Buffer[] = []
    for (const row of rows) {
      const data = channelsOfRow(row).shared.find((on) => on.channel === tradesChannel(channel.asset))?.data
      if (data === undefined) continue
      frames.push(logFrame(name, { seq: row.seq, prev }, data).bytes())
      prev = row.seq
    }
    return { name, channel, frames, seq, prev }
  }

  async function readAccount(name: string, channel: Extract<LogChannel, { kind: 'account' }>): Promise<ChannelSnapshot> {
    const { seq, positions, orders } = await services.readAccount(channel.account)
    const heads = await lanes.run(() => readChannelHeads(db, toLogSelection([channel]), seq))
    const frame = textFrame(JSON.stringify({ channel: name, snapshot: true, seq, data: { positions, orders } }))
    return { name, channel, frames: [frame], seq, prev: heads.accounts.get(channel.account) ?? 0 }
  }

  async function logIn(request: Extract<ClientRequest, { op: 'login' }>): Promise<void> {
    const { keyId, secret, id } = request
    if (typeof keyId !== 'string' || typeof secret !== 'string') {
      connection.reply({ type: 'login', ok: false, error: 'missing_credentials' }, id)
      return
    }
    const found = await services.login(keyId, secret)
    if (typeof found === 'string') {
      connection.reply({ type: 'login', ok: false, error: found === 'unknown' ? 'unavailable' : found }, id)
      return
    }
    if (login !== null && login.owner !== found.owner) stop([...subscribed()].filter(isPersonal))
    login = found
    connection.reply({ type: 'login', ok: true, owner: found.owner, tier: found.tier }, id)
  }

  function isPersonal(name: string): boolean {
    return parseChannel(name)?.kind === 'account'
  }

  return {
    login: () => login,
    replays: () => feeds.size,
    handle(request) {
      switch (request.op) {
        case 'subscribe':
          return subscribe(request)
        case 'unsubscribe':
          stop(request.channels)
          return connection.reply({ type: 'unsubscribed', channels: request.channels }, request.id)
        case 'login':
          return logIn(request)
        case 'ping':
          return connection.reply({ type: 'pong', ts: parts.nowMs() }, request.id)
        case 'refused':
          return connection.reply({ type: 'error', error: request.error }, request.id)
        case 'unknown':
          return connection.reply({ type: 'error', error: 'unknown_op', ...(request.detail === undefined ? {} : { detail: request.detail }) }, request.id)
      }
    },
    announceEpoch({ since, epoch }) {
      const channels = [...subscribed()].filter((name) => {
        const channel = parseChannel(name)
        return channel !== undefined && isLogChannel(channel)
      })
      if (channels.length > 0) connection.reply({ type: 'gap', channels, since, oldest: oldestOf(tail), reason: 'epoch', epoch })
    },
    close() {
      hub.drop(subscriber)
      for (const feed of feeds) feed.channels.clear()
      for (const account of watched) tail.releaseAccount(account)
      watched.clear()
    },
  }
}

/** The smallest place that can be replayed: the archive is kept whole. */
function oldestOf(tail: Tail): number {
  return Math.min(1, tail.position())
}
