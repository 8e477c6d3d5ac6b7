// The stream: reconnects, resumes each channel where it stopped, and proves by each frame's `prev` that no frame is missing.

import type { Clock } from './clock.ts'
import { createFrameGate } from './frame-gate.ts'
import type { FrameVerifier } from './frame-gate.ts'
import { createFrameQueue } from './frame-queue.ts'
import type { Key } from './http.ts'
import type { WebSocketConstructor } from './platform.ts'
import { createConnection } from './stream-connection.ts'
import type { StreamConnection } from './stream-connection.ts'
import { isLog } from './stream-frames.ts'
import type { Channel, CheckpointData, Frame, Gap, Message, StreamProblem, Upgrade } from './stream-frames.ts'
import { createSubscriptions } from './stream-subscriptions.ts'
import type { FrameHandler, Subscriptions } from './stream-subscriptions.ts'

/** The beginning of a channel. */
export interface Beginning {
  /** Sends every frame after this position first. Only the channel's first reader can set it. */
  readonly since?: number
}

export interface FramesOptions extends Beginning {
  /** Ends the loop. */
  readonly signal?: AbortSignal
  /** Maximum number of frames that wait for the loop; 10,000 by default. */
  readonly limit?: number
}

export interface Stream {
  /**
   * Calls `handler` with each frame of the channel, in order, without duplicates. Returns a function that removes the handler. Trades, events and account
   * events begin with the next frame, or after `since`. An account channel needs a key of that account.
   */
  on<Name extends Channel>(channel: Name, handler: (frame: Frame<Name>) => void, beginning?: Beginning): () => void
  /** The same as an async iterator. Rejects with SlowReader when the loop is too slow. */
  frames<Name extends Channel>(channel: Name, options?: FramesOptions): AsyncIterableIterator<Frame<Name>>
  /** Calls `handler` with problems that may need attention, such as gaps. Returns a function that removes the handler. */
  onProblem(handler: (problem: StreamProblem) => void): () => void
  /**
   * Calls `handler` with each upgrade of a contract, in order with the frames of channels with positions; such a channel must be in use. Returns a function
   * that removes the handler.
   */
  onUpgrade(handler: (upgrade: Upgrade) => void): () => void
  /** Closes the connection and ends every loop. */
  close(): void
}

export interface StreamOptions {
  /** The gateway's address, `http…`. */
  readonly url: string
  readonly key: () => Key | null
  readonly WebSocket: WebSocketConstructor
  readonly clock: Clock
  /** The connection counts as lost after this long without a message; the gateway sends one every second. */
  readonly silenceMs: number
  /** Holds each frame until it has checked it. */
  readonly verifier?: FrameVerifier
}

/** Channels in one message: names are short, and a message may have 64 KiB. */
const CHANNELS_PER_MESSAGE = 200
const QUEUED_FRAMES_MAX = 10_000
const HEARTBEAT = 'heartbeat'
const CHECKPOINTS = 'checkpoints'
/** The close code of a key that was revoked. */
const KEY_REVOKED = '4401'

export function createStream(options: StreamOptions): Stream {
  const problemHandlers = new Set<(problem: StreamProblem) => void>()
  const upgradeHandlers = new Set<(upgrade: Upgrade) => void>()
  const openLoops = new Set<(reason?: unknown) => void>()
  let isClosed = false

  function report(problem: StreamProblem): void {
    for (const handler of problemHandlers) handler(problem)
  }

  function onUpgrade(upgrade: Upgrade): void {
    for (const handler of upgradeHandlers) {
      try {
        handler(upgrade)
      } catch (error) {
        report({ kind: 'handler', error })
      }
    }
  }

  const subscriptions = createSubscriptions({
    onGap: reportGap,
    onHandlerError: (error) => report({ kind: 'handler', error }),
  })
  const connection: StreamConnection = createConnection({
    ...options,
    onMessage: (message) => session.receive(message),
    onLost(reason) {
      session.reset()
      if (reason.startsWith(KEY_REVOKED)) report({ kind: 'login', error: 'key_revoked' })
      report({ kind: 'disconnected', reason })
    },
  })
  const session = createSession({ connection, subscriptions, key: options.key, report, onGap: reportGap, onUpgrade })
  const gate = options.verifier === undefined ? null : createFrameGate({
    verifier: options.verifier, limit: QUEUED_FRAMES_MAX,
    onHandlerError: (error) => report({ kind: 'handler', error }),
    onFailure(error) {
      report({ kind: 'unproven', error })
      close(error)
    },
  })

  function reportGap(gap: Gap): void {
    options.verifier?.onGap()
    report({ kind: 'gap', gap })
  }

  function close(reason?: unknown): void {
    isClosed = true
    for (const end of openLoops) end(reason)
    gate?.close()
    connection.close()
    subscriptions.clear()
  }

  function subscribe(channel: string, handler: FrameHandler, beginning: Beginning): () => void {
    if (isClosed) throw new Error('The stream is closed.')
    if (gate === null || !isLog(channel)) return read(channel, handler, beginning)
    if (!subscriptions.channels().includes(CHECKPOINTS)) read(CHECKPOINTS, ({ data }) => gate.onCheckpoint(data as CheckpointData), {})
    return read(channel, (frame) => gate.hold(frame, handler), beginning)
  }

  function read(channel: string, handler: FrameHandler, { since }: Beginning): () => void {
    if (subscriptions.add(channel, handler, since)) {
      if (connection.isReady()) session.subscribe([channel])
      else connection.start()
    }
    return () => {
      const isLast = subscriptions.remove(channel, handler)
      if (isLast && connection.isReady() && channel !== HEARTBEAT) connection.send({ op: 'unsubscribe', channels: [channel] })
    }
  }

  return {
    on: (channel, handler, beginning = {}) => subscribe(channel, handler as unknown as FrameHandler, beginning),
    async *frames<Name extends Channel>(channel: Name, { limit = QUEUED_FRAMES_MAX, signal, ...beginning }: FramesOptions = {}) {
      const queue = createFrameQueue<Frame<Name>>(limit)
      const abort = (): void => queue.end(signal?.reason ?? new Error('aborted'))
      const unsubscribe = subscribe(channel, queue.push as unknown as FrameHandler, beginning)
      openLoops.add(queue.end)
      if (signal?.aborted === true) abort()
      signal?.addEventListener('abort', abort, { once: true })
      try {
        for (let frame = await queue.next(); frame !== undefined; frame = await queue.next()) yield frame
      } finally {
        unsubscribe()
        openLoops.delete(queue.end)
        signal?.removeEventListener('abort', abort)
      }
    },
    onUpgrade(handler) {
      upgradeHandlers.add(handler)
      return () => void upgradeHandlers.delete(handler)
    },
    onProblem(handler) {
      problemHandlers.add(handler)
      return () => void problemHandlers.delete(handler)
    },
    close: () => close(),
  }
}

interface Session {
  /** Handles a message of the gateway. */
  receive(message: Message): void
  /** Subscribes to channels, from their positions where they have one. */
  subscribe(channels: readonly string[]): void
  /** Drops the state of the lost connection. */
  reset(): void
}

interface SessionOptions {
  readonly connection: StreamConnection
  readonly subscriptions: Subscriptions
  readonly key: () => Key | null
  report(problem: StreamProblem): void
  onGap(gap: Gap): void
  onUpgrade(upgrade: Upgrade): void
}

/** The protocol on one connection: login, subscriptions, resuming, gaps. */
function createSession({ connection, subscriptions, key, report, onGap: reportGap, onUpgrade }: SessionOptions): Session {
  /** The log's epoch that the positions belong to. It outlives the connection. */
  let epoch: string | null = null
  let heads: Readonly<Record<string, number>> = {}
  let lastRequestId = 0
  /** Of the login of this connection. */
  let usedSecret: string | null = null
  let lastUpgradeSeq = 0
  const pendingResumes = new Set<string | number>()

  /** Logs in with the key in use, unless this connection has. Returns false if it has. */
  function logIn(): boolean {
    const credentials = key()
    if (credentials === null || credentials.secret === usedSecret) return false
    usedSecret = credentials.secret
    connection.send({ op: 'login', ...credentials })
    return true
  }

  function onHello(hello: Message): void {
    connection.confirm()
    usedSecret = null
    logIn()
    subscribe([HEARTBEAT, ...subscriptions.channels().filter((channel) => channel !== HEARTBEAT)])
    epoch = hello.epoch ?? null
  }

  function subscribe(channels: readonly string[]): void {
    for (const batch of batches(channels.filter((channel) => !subscriptions.isResumable(channel)))) connection.send({ op: 'subscribe', channels: batch })
    for (const batch of batches(channels.filter(subscriptions.isResumable))) {
      const id = ++lastRequestId
      pendingResumes.add(id)
      // One request resumes all its channels from the earliest position. Each channel drops the frames that it already has.
      const since = subscriptions.earliestPosition(batch)
      connection.send({ op: 'subscribe', channels: batch, since, id, ...(epoch === null ? {} : { epoch }) })
    }
  }

  function onSubscribed(message: Message): void {
    heads = message.heads ?? {}
    subscriptions.startAt(heads)
  }

  /** The gateway cannot send some frames. Resumed channels then continue live from the head of the log. */
  function onGap({ id, channels = [], since = 0, reason = '', epoch: newEpoch }: Message): void {
    epoch = newEpoch ?? epoch
    const isResume = id !== undefined && pendingResumes.delete(id)
    const until = isResume ? subscriptions.skipTo(channels, heads) : null
    reportGap({ channels, since, until, reason })
  }

  /** A resume repeats upgrades; each is reported once. */
  function receiveUpgrade(message: Message): void {
    const { contract = '', generation = null, wasmHash = null, source = 'event', ledger = 0, afterLedger = null, seq = 0 } = message
    if (seq <= lastUpgradeSeq) return
    lastUpgradeSeq = seq
    onUpgrade({ contract, generation, wasmHash, source, ledger, afterLedger, seq })
  }

  function onKeyExpiring({ at = 0 }: Message): void {
    if (!logIn()) report({ kind: 'key_expiring', at })
  }

  /** The gateway ended channels. With another secret in use by now, they continue from their positions. The close that follows reports a revoked key. */
  function onUnsubscribed({ channels = [], reason }: Message): void {
    if (reason !== 'key_expired') return
    if (logIn()) subscribe(channels)
    else report({ kind: 'login', error: reason })
  }

  function onLogin({ ok, error = '' }: Message): void {
    if (ok === true) return
    report({ kind: 'login', error })
    if (error === 'unavailable') connection.drop('login unavailable')
  }

  return {
    subscribe,
    reset: () => pendingResumes.clear(),
    receive(message) {
      if (message.channel !== undefined) {
        if (!subscriptions.deliver(message.channel, message)) connection.drop('missing frame')
        return
      }
      switch (message.type) {
        case 'hello':
          return onHello(message)
        case 'subscribed':
          return onSubscribed(message)
        case 'rejected':
          return report({ kind: 'rejected', channels: message.channels ?? [] })
        case 'gap':
          return onGap(message)
        case 'upgrade':
          return receiveUpgrade(message)
        case 'draining':
          return connection.drop('draining')
        case 'login':
          return onLogin(message)
        case 'key_expiring':
          return onKeyExpiring(message)
        case 'unsubscribed':
          return onUnsubscribed(message)
        default:
      }
    },
  }
}

function* batches(channels: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < channels.length; start += CHANNELS_PER_MESSAGE) yield channels.slice(start, start + CHANNELS_PER_MESSAGE)
}
