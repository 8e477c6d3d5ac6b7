// The stream as a whole: who is connected, what is sent by the clock, and an orderly end. It reads committed rows and nothing of the indexer's memory.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import type { Clock } from '../base/clock.ts'
import { createSemaphore } from '../base/semaphore.ts'
import type { Log } from '../base/log.ts'
import { HEARTBEAT_MS, TICKER_BROADCAST_MS } from '../limits.ts'
import type { StreamLimits } from '../limits.ts'
import type { Price } from '../resources/price.ts'
import type { Store } from '../store/store.ts'
import { CLOSE, closeWithGrace, createConnection } from './connection.ts'
import type { Connection } from './connection.ts'
import { createHub } from './hub.ts'
import { createSession } from './session.ts'
import type { Session, StreamServices } from './session.ts'
import { createTail } from './tail.ts'
import { createTicks } from './ticks.ts'

/** Replays read at the same time, over all connections. */
const REPLAY_LANES = 4
/** A revoked key's connections are found at most this much later. */
const KEY_CHECK_MS = 500

/** Who asks for a connection, as the request that asked was seen. */
export interface UpgradeContext {
  readonly requestId: string
  /** What connections are counted by. */
  readonly address: string
}

export interface Stream {
  /** Answers an upgrade that has passed everything that a request passes. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, visitor: UpgradeContext): void
  /** How many are connected. */
  connections(): number
  /** One round of prices and candles, for whoever steps the clock by hand; `run` does it by itself. */
  tick(): Promise<void>
  /** Publishes what is committed by now. */
  publishCommitted(): Promise<void>
  heartbeat(): void
  /** Pings every connection, and ends those that have not answered the last one. */
  ping(): void
  /** What is kept for clients; all of it is bounded by the connections, and gone with them. */
  stats(): StreamStats
  /** Begins to follow the log and the clock; `drain` ends it. */
  start(): void
  /** Announces the end, goes on delivering for a while, closes every connection, and stops. */
  drain(): Promise<void>
}

/** How many of each are kept. */
export interface StreamStats {
  readonly connections: number
  /** That connections are counted by. */
  readonly addresses: number
  /** Clients that get at least one channel. */
  readonly subscribers: number
  /** Of the client that is furthest behind; one that passes the bound is cut off. */
  readonly bufferedBytesMax: number
  /** Accounts whose channels are followed. */
  readonly accounts: number
  /** Under way. */
  readonly replays: number
}

export interface StreamOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly limits: StreamLimits
  readonly services: StreamServices & {
    /** The prices that could be read; those of other assets are missing. Never rejects. */
    readPrices(): Promise<readonly Price[]>
    /** True when the key is known to be revoked. Never rejects. */
    isRevoked(keyId: string): boolean | Promise<boolean>
  }
}

interface Client {
  readonly connection: Connection
  readonly session: Session
}

export function createStream({ store, clock, log, limits, services }: StreamOptions): Stream {
  const hub = createHub()
  const tail = createTail({
    store, clock, log,
    publish: hub.publish,
    onEpoch: (border) => clients.forEach(({ session }) => session.announceEpoch(border)),
  })
  const ticks = createTicks({ hub, tail, db: store.read, clock, readPrices: services.readPrices })
  const lanes = createSemaphore(REPLAY_LANES)
  const clients = new Set<Client>()
  const byAddress = new Map<string, number>()
  const requestIds = new WeakMap<IncomingMessage, string>()
  const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: limits.frameBytes })
  const over = new AbortController()
  let running: readonly Promise<void>[] = []
  /** Aborts when everybody has left while the end was announced. */
  const drained = new AbortController()
  let draining = false
  server.on('headers', (headers, request) => headers.push(`x-request-id: ${requestIds.get(request) ?? ''}`))

  function refusalOf(address: string): { readonly code: number; readonly reason: string } | undefined {
    if (over.signal.aborted) return { code: CLOSE.restart, reason: 'restart' }
    if (clients.size >= limits.connections) return { code: CLOSE.tryAgain, reason: 'server_full' }
    return (byAddress.get(address) ?? 0) >= limits.connectionsPerAddress ? { code: CLOSE.tryAgain, reason: 'too_many_connections' } : undefined
  }

  function open(webSocket: WebSocket, socket: Duplex, { requestId, address }: UpgradeContext): void {
    const refusal = refusalOf(address)
    if (refusal !== undefined) {
      webSocket.on('error', () => {})
      closeWithGrace(webSocket, clock, refusal)
      return
    }
    const connection = createConnection({
      webSocket, socket, limits, clock, log, requestId,
      handle: (request) => session.handle(request),
      onClose() {
        session.close()
        clients.delete(client)
        if (draining && clients.size === 0) drained.abort()
        const left = (byAddress.get(address) ?? 1) - 1
        if (left === 0) byAddress.delete(address)
        else byAddress.set(address, left)
      },
    })
    const session = createSession({
      connection, hub, tail, db: store.read, readSemaphore: lanes, limits, services, log, lastTick: ticks.last, nowMs: () => clock.nowMs(),
    })
    const client: Client = { connection, session }
    clients.add(client)
    byAddress.set(address, (byAddress.get(address) ?? 0) + 1)
    connection.reply({ type: 'hello', ts: clock.nowMs(), ...place() })
    if (draining) announce(client)
  }

  /** Where the log stands; nothing while that is not known. */
  function place(): object {
    const head = tail.head()
    return head === undefined ? {} : { epoch: head.epoch, head: tail.position(), ledger: head.ledger }
  }

  function announce({ connection }: Client): void {
    connection.reply({ type: 'draining', graceMs: limits.drainMs })
  }

  async function closeRevoked(): Promise<void> {
    const byKey = Map.groupBy([...clients].filter(({ session }) => session.login() !== null), ({ session }) => session.login()?.keyId ?? '')
    await Promise.all([...byKey].map(async ([keyId, holders]) => {
      if (!(await services.isRevoked(keyId))) return
      for (const { connection, session } of holders) if (session.login()?.keyId === keyId) connection.close(CLOSE.keyRevoked, 'key_revoked')
    }))
  }

  function ping(): void {
    for (const { connection } of clients) connection.ping()
  }

  async function tick(): Promise<void> {
    await ticks.broadcastPrices()
    await ticks.broadcastCandles()
  }

  /** Does something again and again; what fails is told and tried again in the next round. */
  async function repeat(everyMs: number, signal: AbortSignal, work: () => void | Promise<void>): Promise<void> {
    while (!signal.aborted) {
      const startedAtMs = clock.elapsedMs()
      try {
        await work()
      } catch (error) {
        log.warn({ err: error }, 'a round of the stream failed')
      }
      await clock.sleep(Math.max(0, everyMs - (clock.elapsedMs() - startedAtMs)), signal)
    }
  }

  return {
    accept(request, socket, head, visitor) {
      requestIds.set(request, visitor.requestId)
      const upgrade = (): void => server.handleUpgrade(request, socket, head, (webSocket) => open(webSocket, socket, visitor))
      if (tail.ready()) {
        upgrade()
        return
      }
      // Right after the start: hello is to tell where the log stands. A database that is away delays it, and no more.
      void tail.catchUp().catch(() => {}).finally(upgrade)
    },
    connections: () => clients.size,
    tick,
    publishCommitted: () => tail.catchUp(),
    heartbeat: ticks.broadcastHeartbeat,
    ping,
    stats: () => ({
      connections: clients.size,
      addresses: byAddress.size,
      subscribers: hub.subscribers(),
      bufferedBytesMax: [...clients].reduce((most, { connection }) => Math.max(most, connection.bufferedBytes()), 0),
      accounts: tail.watchedAccounts(),
      replays: [...clients].reduce((sum, { session }) => sum + session.replays(), 0),
    }),
    start() {
      const { signal } = over
      running = [
        tail.run(signal),
        repeat(TICKER_BROADCAST_MS, signal, tick),
        repeat(HEARTBEAT_MS, signal, ticks.broadcastHeartbeat),
        repeat(KEY_CHECK_MS, signal, closeRevoked),
        repeat(limits.pingIntervalMs, signal, ping),
      ]
    },
    async drain() {
      draining = true
      clients.forEach(announce)
      if (clients.size > 0) await clock.sleep(limits.drainMs, drained.signal)
      for (const { connection } of clients) connection.close(CLOSE.restart, 'restart')
      over.abort()
      await Promise.all(running)
    },
  }
}
