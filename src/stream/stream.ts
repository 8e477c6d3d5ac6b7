// The stream as a whole: connections, timed broadcasts, and an orderly shutdown. It reads committed rows only, never the indexer's memory.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import type { Clock } from '../base/clock.ts'
import { createFailureLog } from '../base/failure-log.ts'
import type { Log } from '../base/log.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { HEARTBEAT_MS, TICKER_BROADCAST_MS } from '../limits.ts'
import type { StreamLimits } from '../limits.ts'
import type { Price } from '../resources/price.ts'
import type { Store } from '../store/store.ts'
import { createCandleBroadcast } from './candle-broadcast.ts'
import { createClients } from './clients.ts'
import type { Client, ClientOrigin, Clients, Rejection } from './clients.ts'
import { CLOSE, closeWithGrace, createConnection } from './connection.ts'
import type { Connection, ConnectionParts } from './connection.ts'
import { createEventConnection } from './event-connection.ts'
import { createHub } from './hub.ts'
import { createReplayBudgets } from './replay-budget.ts'
import type { SubscribeRequest } from './requests.ts'
import { createSession, sortChannels } from './session.ts'
import type { StreamServices } from './session.ts'
import { createTail } from './tail.ts'
import { createTicks } from './ticks.ts'

/** Failed requests with a line of their own, per kind of error and minute. */
const INDIVIDUAL_LINES = 5
/** Connections of a revoked key are closed at most this much later. */
const KEY_CHECK_MS = 500

/** What a client of server-sent events asks for. */
export type EventsRequest = Pick<SubscribeRequest, 'channels' | 'since' | 'epoch'>

/** The HTTP request behind a connection. */
export interface UpgradeContext {
  readonly requestId: string
  readonly origin: ClientOrigin
}

export interface Stream {
  /** Accepts an upgrade that has passed the checks of every other request. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, context: UpgradeContext): void
  /** Resolves when the position in the log is known, or cannot be read. */
  ready(): Promise<void>
  /** Why a client of server-sent events is rejected; undefined when it is accepted. */
  eventsRejection(channels: readonly string[], origin: ClientOrigin): 'invalid_channels' | Rejection['reason'] | undefined
  /** Sends these channels as server-sent events on a response with a written head, once `eventsRejection` has returned undefined. */
  sendEvents(response: ServerResponse, request: EventsRequest, context: UpgradeContext): void
  /** The number of connected clients. */
  connections(): number
  /** Sends candles that changed: new prices were stored. Never throws. */
  candlesChanged(): void
  /** Close time of the last indexed ledger, Unix seconds; null while it is unknown. */
  ledgerCloseSec(): number | null
  /** Broadcasts prices and candles once. Only for tests; `start` does it by the clock. */
  tick(): Promise<void>
  /** Publishes what is committed. Only for tests. */
  publishCommitted(): Promise<void>
  /** Broadcasts a heartbeat. Only for tests. */
  heartbeat(): void
  /** Pings every connection, and closes those that have not responded to the previous ping. Only for tests. */
  ping(): void
  /** Everything held per client. All of it is bounded by the number of connections. */
  stats(): StreamStats
  /** Starts following the log and the clock until `drain`. */
  start(): void
  /** Announces the shutdown, keeps delivering for `drainMs`, then closes every connection and stops. */
  drain(): Promise<void>
}

/** Counts of what is held for clients. */
export interface StreamStats {
  readonly connections: number
  /** Distinct client addresses. */
  readonly addresses: number
  /** Clients with at least one channel. */
  readonly subscribers: number
  /** Of the slowest client. A client above the limit is disconnected. */
  readonly bufferedBytesMax: number
  /** Channels of accounts that are tracked. */
  readonly accounts: number
  /** Running replays. */
  readonly replays: number
}

export interface StreamOptions {
  readonly store: Store
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly log: Log
  readonly limits: StreamLimits
  readonly services: StreamServices & {
    /** The prices that could be read; other assets are missing. Never rejects. */
    readPrices(): Promise<readonly Price[]>
    /** The last price of an asset, without a read. */
    currentPrice(asset: string): Price | undefined
    /** Calls the listener at once with prices that change. Returns a function that ends it. */
    onPrices(listener: (changed: readonly Price[]) => void): () => void
    /** True when the key is known to be revoked. Never rejects. */
    isRevoked(keyId: string): boolean | Promise<boolean>
  }
}

export function createStream({ store, deployment, clock, log, limits, services }: StreamOptions): Stream {
  const hub = createHub()
  const candles = createCandleBroadcast({ hub, db: store.read, deployment })
  const clients = createClients(limits)
  const tail = createTail({
    store, deployment, clock, log,
    publish: candles.publish,
    onEpoch(change) {
      for (const { session } of clients) session.announceEpoch(change)
    },
  })
  const ticks = createTicks({ hub, tail, clock, ...services })
  const budgets = createReplayBudgets({ limits, clock })
  const failures = createFailureLog({
    clock, log, level: 'warn', message: 'a stream request failed: closing the connection', individually: INDIVIDUAL_LINES,
  })
  const clientFailures = createFailureLog({ clock, log, level: 'info', message: 'stream connections failed because of their clients' })
  const requestIds = new WeakMap<IncomingMessage, string>()
  const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: limits.frameBytes })
  const stopped = new AbortController()
  let loops: readonly Promise<void>[] = []
  const endPrices = services.onPrices(ticks.publishPrices)
  let draining = false
  /** Aborts when the last client disconnects during the shutdown. */
  const emptied = new AbortController()
  server.on('headers', (headers, request) => headers.push(`x-request-id: ${requestIds.get(request) ?? ''}`))

  function open(webSocket: WebSocket, socket: Duplex, { requestId, origin }: UpgradeContext): void {
    const rejected = rejection(origin)
    if (rejected !== undefined) {
      webSocket.on('error', () => {})
      closeWithGrace(webSocket, clock, rejected)
      return
    }
    addClient(origin, (handlers) => createConnection({ ...handlers, webSocket, socket, limits, clock, failures, clientFailures, requestId }))
  }

  /** Adds a client and greets it. */
  function addClient<Own extends Connection>(
    origin: ClientOrigin, connect: (handlers: Pick<ConnectionParts, 'handle' | 'onClose'>) => Own,
  ): Own {
    const connection = connect({
      handle: (request) => session.handle(request),
      onClose() {
        session.close()
        clients.remove(client)
        if (draining && clients.count() === 0) emptied.abort()
      },
    })
    const session = createSession({
      connection, hub, tail, db: store.read, clock, deployment, limits, services, log,
      address: origin.address, budget: budgets.open(origin.address), lastTick: ticks.last,
    })
    const client: Client = { connection, session, origin }
    clients.add(client)
    connection.reply({ type: 'hello', ts: clock.nowMs(), ...logPosition() })
    if (draining) announceDrain(client)
    return connection
  }

  function rejection(origin: ClientOrigin): Rejection | undefined {
    return stopped.signal.aborted ? { code: CLOSE.restart, reason: 'restart' } : clients.rejection(origin)
  }

  /** Empty while the position is unknown. */
  function logPosition(): object {
    const head = tail.head()
    return head === undefined ? {} : { epoch: head.epoch, head: tail.position(), ledger: head.ledger }
  }

  function announceDrain({ connection }: Client): void {
    connection.reply({ type: 'draining', graceMs: limits.drainMs })
  }

  function ping(): void {
    for (const { connection } of clients) connection.ping()
  }

  const tick = (): Promise<void> => ticks.broadcastPrices().then(candles.broadcast)

  /** Right after the start, reads the log first: hello reports the position. An unavailable database only delays the client. */
  async function ready(): Promise<void> {
    if (!tail.ready()) await tail.catchUp().catch(() => {})
  }

  return {
    accept(request, socket, head, context) {
      requestIds.set(request, context.requestId)
      const upgrade = (): void => server.handleUpgrade(request, socket, head, (webSocket) => open(webSocket, socket, context))
      if (tail.ready()) upgrade()
      else void ready().finally(upgrade)
    },
    ready,
    eventsRejection(channels, origin) {
      const { accepted, rejected } = sortChannels(channels, null, deployment.current.assets)
      return accepted.size === 0 || rejected.length > 0 ? 'invalid_channels' : rejection(origin)?.reason
    },
    sendEvents(response, request, { requestId, origin }) {
      // The client may have disconnected while the log was read.
      if (response.destroyed) return
      const connection = addClient(origin, (handlers) =>
        createEventConnection({ ...handlers, response, limits, clock, failures, clientFailures, requestId }))
      connection.start({ ...request, op: 'subscribe', id: undefined, snapshot: false })
    },
    connections: clients.count,
    candlesChanged: candles.notify,
    ledgerCloseSec: () => tail.head()?.ledgerCloseTs ?? null,
    tick,
    publishCommitted: tail.catchUp,
    heartbeat: ticks.broadcastHeartbeat,
    ping,
    stats: () => ({
      connections: clients.count(),
      addresses: clients.addresses(),
      subscribers: hub.subscribers(),
      bufferedBytesMax: [...clients].reduce((max, { connection }) => Math.max(max, connection.bufferedBytes()), 0),
      accounts: tail.watched(),
      replays: [...clients].reduce((sum, { session }) => sum + session.replays(), 0),
    }),
    start() {
      const { signal } = stopped
      const every = (intervalMs: number, work: () => void | Promise<void>): Promise<void> => repeat({ clock, log, signal, intervalMs, work })
      loops = [
        tail.run(signal),
        every(TICKER_BROADCAST_MS, tick),
        every(HEARTBEAT_MS, ticks.broadcastHeartbeat),
        every(KEY_CHECK_MS, () => closeRevoked(clients, services.isRevoked)),
        every(limits.pingIntervalMs, ping),
      ]
    },
    async drain() {
      draining = true
      for (const client of clients) announceDrain(client)
      if (clients.count() > 0) await clock.sleep(limits.drainMs, emptied.signal)
      for (const { connection } of clients) connection.close(CLOSE.restart, 'restart')
      stopped.abort()
      endPrices()
      await Promise.all(loops).then(candles.settled)
      failures[Symbol.dispose]()
      clientFailures[Symbol.dispose]()
    },
  }
}

/** Closes the connections of revoked keys. */
async function closeRevoked(clients: Clients, isRevoked: (keyId: string) => boolean | Promise<boolean>): Promise<void> {
  const loggedIn = [...clients].filter(({ session }) => session.login() !== null)
  const byKey = Map.groupBy(loggedIn, ({ session }) => session.login()?.keyId ?? '')
  await Promise.all([...byKey].map(async ([keyId, users]) => {
    if (!(await isRevoked(keyId))) return
    // A client may have logged in with another key during the check.
    for (const { connection, session } of users) if (session.login()?.keyId === keyId) connection.close(CLOSE.keyRevoked, 'key_revoked')
  }))
}

/** Runs `work` at an interval. Logs a failure and continues with the next round. */
async function repeat(options: {
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  readonly intervalMs: number
  readonly work: () => void | Promise<void>
}): Promise<void> {
  const { clock, log, signal, intervalMs, work } = options
  while (!signal.aborted) {
    const startedAtMs = clock.elapsedMs()
    try {
      await work()
    } catch (error) {
      log.warn({ err: error }, 'a periodic task of the stream failed: retrying in the next round')
    }
    await clock.sleep(Math.max(0, intervalMs - (clock.elapsedMs() - startedAtMs)), signal)
  }
}
