// The stream: one connection that comes back by itself, goes on where it was cut off, and proves by each frame's `prev` that nothing is missing.

import { backoffMs } from './clock.ts'
import type { Clock } from './clock.ts'
import { createFrameQueue } from './frame-queue.ts'
import type { Key } from './http.ts'
import { createChannelPositions } from './channel-positions.ts'
import type { WebSocketConstructor, WebSocketLike } from './platform.ts'
import { isLog } from './stream-frames.ts'
import type { Channel, Frame, Gap, Message, StreamProblem } from './stream-frames.ts'

/** Where a channel begins. */
export interface Beginning {
  /** Everything behind this place first, when this is the channel's first reader. */
  readonly since?: number
}

export interface FramesOptions extends Beginning {
  /** Ends the loop. */
  readonly signal?: AbortSignal
  /** How many frames may wait for the loop; 10,000 by default. */
  readonly limit?: number
}

export interface Stream {
  /**
   * Calls `handler` with each frame of the channel, in order, none twice. The function that it returns takes that back. Trades, events and account events
   * begin with the next one, or behind `since`; an account's need a key of that account.
   */
  on<Name extends Channel>(channel: Name, handler: (frame: Frame<Name>) => void, beginning?: Beginning): () => void
  /** The same for a loop. Rejects with SlowReader when the loop is too slow. */
  frames<Name extends Channel>(channel: Name, options?: FramesOptions): AsyncIterableIterator<Frame<Name>>
  /** Calls `handler` with what may need attention: gaps above all. */
  onProblem(handler: (problem: StreamProblem) => void): () => void
  /** Ends the connection and every loop. */
  close(): void
}

export interface StreamParts {
  /** The gateway's address, `http…`. */
  readonly url: string
  readonly key: () => Key | null
  readonly WebSocket: WebSocketConstructor
  readonly clock: Clock
  /** The connection is taken for dead when nothing comes for so long; the gateway says something every second. */
  readonly silenceMs: number
}

type Handler = (frame: Frame<Channel>) => void
const BACKOFF = { firstMs: 500, mostMs: 15_000 }
const CHANNELS_MAX = 500
/** Channels in one message: names are short, and a message may have 64 KiB. */
const CHANNELS_PER_MESSAGE = 200
const WAITING_MAX = 10_000
const HEARTBEAT = 'heartbeat'

export function createStream(parts: StreamParts): Stream {
  const { clock } = parts
  const readers = new Map<string, Set<Handler>>()
  const places = createChannelPositions()
  const problems = new Set<(problem: StreamProblem) => void>()
  const ends = new Set<() => void>()
  /** The gap that was asked about again already, by its channel. */
  const asked = new Map<string, number>()
  let socket: WebSocketLike | null = null
  let isOpen = false
  let isClosed = false
  let failures = 0
  /** The log's epoch that the places belong to. */
  let epoch: string | null = null
  let heads: Readonly<Record<string, number>> = {}
  let requests = 0
  const resumes = new Set<string | number>()
  let cancelSilence = (): void => {}
  let cancelRetry = (): void => {}

  function report(problem: StreamProblem): void {
    for (const handler of problems) handler(problem)
  }

  function reportGap(gap: Gap): void {
    report({ kind: 'gap', gap })
  }

  function send(message: object): void {
    socket?.send(JSON.stringify(message))
  }

  function connect(): void {
    cancelRetry()
    isOpen = false
    const mine = new parts.WebSocket(`${parts.url.replace(/^http/, 'ws').replace(/\/+$/, '')}/v1/ws`)
    socket = mine
    watch()
    mine.addEventListener('message', (event: { readonly data: unknown }) => {
      if (socket === mine) heard(String(event.data))
    })
    mine.addEventListener('close', (event: { readonly code?: number; readonly reason?: string }) => {
      if (socket === mine) lost(`${event.code ?? ''} ${event.reason ?? ''}`.trim())
    })
    // What ends a connection is told by its close.
    mine.addEventListener('error', () => {})
  }

  function watch(): void {
    cancelSilence()
    cancelSilence = clock.later(parts.silenceMs, () => leave('silence'))
  }

  /** Gives the connection up, whatever it says from now on. */
  function leave(reason: string): void {
    const old = socket
    lost(reason)
    try {
      old?.close()
    } catch {
      // It was not even open: nothing is left to be closed.
    }
  }

  function lost(reason: string): void {
    socket = null
    isOpen = false
    resumes.clear()
    cancelSilence()
    if (isClosed) return
    failures += 1
    if (reason.startsWith('4401')) report({ kind: 'login', error: 'key_revoked' })
    report({ kind: 'disconnected', reason })
    cancelRetry = clock.later(backoffMs(failures, BACKOFF), connect)
  }

  function heard(text: string): void {
    watch()
    const message = parse(text)
    if (message === undefined) return leave('a message that is not JSON')
    if (message.channel !== undefined) deliver(message, message.channel)
    else if (message.type === 'hello') greet(message)
    else if (message.type === 'subscribed') begin(message)
    else if (message.type === 'rejected') report({ kind: 'rejected', channels: message.channels ?? [] })
    else if (message.type === 'gap') admit(message)
    else if (message.type === 'draining') leave('draining')
    else if (message.type === 'login' && message.ok !== true) {
      report({ kind: 'login', error: message.error ?? '' })
      if (message.error === 'unavailable') leave('login unavailable')
    }
  }

  function greet(hello: Message): void {
    isOpen = true
    failures = 0
    const key = parts.key()
    if (key !== null) send({ op: 'login', ...key })
    const wanted = [...readers.keys()]
    const resumed = wanted.filter((channel) => places.of(channel) !== undefined)
    subscribe([HEARTBEAT, ...wanted.filter((channel) => places.of(channel) === undefined && channel !== HEARTBEAT)])
    for (let at = 0; at < resumed.length; at += CHANNELS_PER_MESSAGE) resume(resumed.slice(at, at + CHANNELS_PER_MESSAGE))
    epoch = hello.epoch ?? null
  }

  function subscribe(channels: readonly string[]): void {
    for (let at = 0; at < channels.length; at += CHANNELS_PER_MESSAGE) send({ op: 'subscribe', channels: channels.slice(at, at + CHANNELS_PER_MESSAGE) })
  }

  /** Channels go on together from the least of their places: what is known already is left out again, by each channel's own place. */
  function resume(channels: readonly string[]): void {
    const id = ++requests
    resumes.add(id)
    const since = Math.min(...channels.map((channel) => places.of(channel) ?? 0))
    send({ op: 'subscribe', channels, since, id, ...(epoch === null ? {} : { epoch }) })
  }

  function begin(subscribed: Message): void {
    heads = subscribed.heads ?? {}
    for (const [channel, seq] of Object.entries(heads)) if (places.of(channel) === undefined && readers.has(channel)) places.begin(channel, seq, true)
  }

  /** The gateway says what it cannot send. After a resume its channels go on live, from where they stand now. */
  function admit(gap: Message): void {
    if (gap.epoch !== undefined) epoch = gap.epoch
    const channels = gap.channels ?? []
    const isOfResume = gap.id !== undefined && resumes.delete(gap.id)
    const reached = channels.map((channel) => heads[channel] ?? 0)
    if (isOfResume) channels.forEach((channel, index) => places.begin(channel, reached[index] ?? 0, true))
    reportGap({ channels, since: gap.since ?? 0, until: isOfResume && reached.length > 0 ? Math.max(...reached) : null, reason: gap.reason ?? '' })
  }

  function deliver(message: Message, channel: string): void {
    const { seq, prev } = message
    if (seq !== undefined && prev !== undefined) {
      const since = places.of(channel)
      const judgement = places.take(channel, seq, prev)
      if (judgement === 'known' || since === undefined && !readers.has(channel)) return
      if (judgement === 'hole' && !isAccepted(channel, since ?? 0, { seq, prev })) return
    }
    for (const handler of readers.get(channel) ?? []) {
      try {
        handler(message as unknown as Frame<Channel>)
      } catch (error) {
        report({ kind: 'handler', error })
      }
    }
  }

  /** A frame does not follow the one before it. The missing ones are asked for once, by a new connection; after that they are reported missing. */
  function isAccepted(channel: string, since: number, frame: { readonly seq: number; readonly prev: number }): boolean {
    if (asked.get(channel) !== since) {
      asked.set(channel, since)
      leave('a frame is missing')
      return false
    }
    asked.delete(channel)
    places.begin(channel, frame.seq, true)
    reportGap({ channels: [channel], since, until: frame.prev, reason: 'hole' })
    return true
  }

  function add(channel: string, handler: Handler, { since }: Beginning): () => void {
    if (isClosed) throw new Error('The stream is closed.')
    const known = readers.get(channel)
    if (known !== undefined) known.add(handler)
    else {
      if (readers.size >= CHANNELS_MAX) throw new RangeError(`More than ${CHANNELS_MAX} channels.`)
      readers.set(channel, new Set([handler]))
      if (since !== undefined && isLog(channel)) places.begin(channel, since, false)
      if (socket === null && failures === 0) connect()
      else if (isOpen) {
        if (places.of(channel) === undefined) subscribe([channel])
        else resume([channel])
      }
    }
    return () => remove(channel, handler)
  }

  function remove(channel: string, handler: Handler): void {
    const handlers = readers.get(channel)
    if (handlers?.delete(handler) !== true || handlers.size > 0) return
    readers.delete(channel)
    places.forget(channel)
    asked.delete(channel)
    if (isOpen && channel !== HEARTBEAT) send({ op: 'unsubscribe', channels: [channel] })
  }

  return {
    on: (channel, handler, beginning = {}) => add(channel, handler as unknown as Handler, beginning),
    async *frames<Name extends Channel>(channel: Name, options: FramesOptions = {}): AsyncIterableIterator<Frame<Name>> {
      const queue = createFrameQueue<Frame<Name>>(options.limit ?? WAITING_MAX)
      const stop = (): void => queue.end(options.signal?.reason ?? new Error('aborted'))
      const end = (): void => queue.end()
      const off = add(channel, queue.push as unknown as Handler, options)
      ends.add(end)
      if (options.signal?.aborted === true) stop()
      options.signal?.addEventListener('abort', stop, { once: true })
      try {
        for (let frame = await queue.next(); frame !== undefined; frame = await queue.next()) yield frame
      } finally {
        off()
        ends.delete(end)
        options.signal?.removeEventListener('abort', stop)
      }
    },
    onProblem(handler) {
      problems.add(handler)
      return () => void problems.delete(handler)
    },
    close() {
      isClosed = true
      cancelRetry()
      for (const end of ends) end()
      leave('closed')
      readers.clear()
    },
  }
}

function parse(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message
  } catch {
    return undefined
  }
}
