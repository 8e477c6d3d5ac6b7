// The stream as a whole: connections, timed broadcasts, and an orderly shutdown. It reads committed rows only, never the indexer's memory.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createOutageLog } from '../base/outage-log.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { HEARTBEAT_MS, TICKER_BROADCAST_MS } from '../limits.ts'
import type { StreamLimits } from '../limits.ts'
import type { PageLogState } from '../projections/proofs/log-reads.ts'
import type { Order } from '../resources/order.ts'
import type { Price } from '../resources/price.ts'
import { readsFor } from '../store/caller-reads.ts'
import type { Store } from '../store/store.ts'
import { createCandleBroadcast } from './candle-broadcast.ts'
import { createAdmission } from './client-admission.ts'
import type { Admission } from './client-admission.ts'
import { createClients } from './clients.ts'
import type { Clients } from './clients.ts'
import { createCheckpointBroadcast } from './checkpoints.ts'
import { CLOSE } from './connection.ts'
import { createHub } from './hub.ts'
import { createReplayBudgets } from './replay-budget.ts'
import { createSession } from './session.ts'
import type { StreamLogin, StreamServices } from './session.ts'
import { createTail } from './tail.ts'
import { createTicks } from './ticks.ts'

/** The streams of a key that has ended lose their account channels at most this much later. */
const KEY_CHECK_MS = 500

export interface Stream extends Pick<Admission, 'accept' | 'ready' | 'eventsRejection' | 'sendEvents'> {
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
interface StreamStats {
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
    /** Adds the warnings of a resting order, from what is known. */
    readonly warnOrder?: (order: Order) => Order
    /** The signed note of a checkpoint; null without a key. */
    signCheckpoint(state: PageLogState): string | null
    /** The state of a login: the end of its secret, null for the current one, or the reason why it has ended. Never rejects. */
    loginState(login: StreamLogin): LoginState | Promise<LoginState>
  }
}

export function createStream({ store, deployment, clock, log, limits, services }: StreamOptions): Stream {
  const hub = createHub(limits.waitingBytes)
  const candles = createCandleBroadcast({ hub, db: store.read, deployment, clock })
  const clients = createClients(limits)
  const tail = createTail({
    store, deployment, clock, log,
    warnOrder: services.warnOrder,
    publish: candles.publish,
    onEpoch(change) {
      for (const { session } of clients) session.announceEpoch(change)
    },
    onPublished: () => void checkpoints.broadcast().catch((error: unknown) => log.debug({ err: error }, 'a checkpoint could not be read')),
  })
  const checkpoints = createCheckpointBroadcast({ hub, db: store.read, position: tail.position, signCheckpoint: services.signCheckpoint })
  const ticks = createTicks({ hub, tail, clock, ...services })
  const budgets = createReplayBudgets({ limits, clock })
  const admission = createAdmission({
    clients, tail, deployment, clock, log, limits,
    startSession: (connection, { address: bucket, clientAddress: address }) => createSession({
      connection, hub, tail, clock, deployment, limits, services, log, client: { address, bucket },
      db: readsFor(store.read, { address: bucket, isLarge: true }), budget: budgets.open(bucket), lastTick: ticks.last,
    }),
  })
  const stopped = new AbortController()
  let loops: readonly Promise<void>[] = []
  const endPrices = services.onPrices(ticks.publishPrices)

  function ping(): void {
    for (const { connection } of clients) connection.ping()
  }

  return {
    accept: admission.accept,
    ready: admission.ready,
    eventsRejection: admission.eventsRejection,
    sendEvents: admission.sendEvents,
    connections: clients.count,
    candlesChanged: candles.notify,
    ledgerCloseSec: () => tail.head()?.ledgerCloseTs ?? null,
    tick: () => ticks.broadcastPrices().then(candles.broadcast),
    publishCommitted: () => tail.catchUp().then(checkpoints.broadcast),
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
        every(TICKER_BROADCAST_MS, ticks.broadcastPrices),
        // Thousands of candles can take seconds. Prices do not wait for them.
        every(TICKER_BROADCAST_MS, candles.broadcast),
        every(HEARTBEAT_MS, ticks.broadcastHeartbeat),
        every(KEY_CHECK_MS, () => checkLogins(clients, services.loginState)),
        every(limits.pingIntervalMs, ping),
      ]
    },
    async drain() {
      admission.announceDrain()
      if (clients.count() > 0) await clock.sleep(limits.drainMs, admission.emptied)
      admission.close()
      stopped.abort()
      endPrices()
      await Promise.all(loops).then(candles.settled)
      await checkpoints.settled()
      admission[Symbol.dispose]()
    },
  }
}

type LoginState = { readonly secretUntil: number | null } | 'key_revoked' | 'key_expired'

/**
 * Ends the logins whose key or secret has ended, and announces the end of secrets that were replaced. The connections of revoked keys are closed; others keep
 * their public channels.
 */
async function checkLogins(clients: Clients, loginState: (login: StreamLogin) => LoginState | Promise<LoginState>): Promise<void> {
  const loggedIn = [...clients].flatMap(({ connection, session }) => {
    const login = session.login()
    return login === null ? [] : [{ connection, session, login }]
  })
  const byLogin = Map.groupBy(loggedIn, ({ login: { keyId, rotation } }) => `${keyId} ${rotation}`)
  await Promise.all([...byLogin.values()].map(async (users) => {
    const [first] = users
    if (first === undefined) return
    const state = await loginState(first.login)
    for (const { connection, session, login } of users) {
      // A client may have logged in with another key during the check.
      if (session.login() !== login) continue
      if (typeof state === 'string') session.endLogin(state)
      else if (state.secretUntil !== null) session.announceExpiry(state.secretUntil)
      if (state === 'key_revoked') connection.close(CLOSE.keyRevoked, state)
    }
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
  const failures = createOutageLog({
    clock, log, level: 'warn',
    message: 'a periodic task of the stream failed: retrying in the next round', endMessage: 'a periodic task of the stream works again',
  })
  while (!signal.aborted) {
    const startedAtMs = clock.elapsedMs()
    try {
      await work()
      failures.succeeded()
    } catch (error) {
      failures.failed((error as Error).name, () => ({ err: error }))
    }
    await clock.sleep(Math.max(0, intervalMs - (clock.elapsedMs() - startedAtMs)), signal)
  }
}
