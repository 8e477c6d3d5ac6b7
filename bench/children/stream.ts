// The stream on a real database whose log the parent extends. Fan-out and the stream's costs measure it; the soak test runs several of them, and one
// as the writer.

import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { defined } from '../../src/base/assert.ts'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { STREAM_LIMITS } from '../../src/limits.ts'
import { applyEvents } from '../../src/projections/apply.ts'
import type { ArchivedEvent } from '../../src/projections/log/archived-event.ts'
import { insertEpoch } from '../../src/projections/state/epochs.ts'
import { appendEvents } from '../../src/projections/log/events.ts'
import { INDEX_CHANNEL, notifyIndexChanged } from '../../src/projections/state/index-state.ts'
import { notifyLogPage } from '../../src/projections/log/log-notification.ts'
import { INDEXER_LOCK } from '../../src/indexer/options.ts'
import { openStore } from '../../src/store/open.ts'
import type { Queryable, Store, WriterLock } from '../../src/store/store.ts'
import { readChannelHeads } from '../../src/projections/log/stream-log.ts'
import { createStream } from '../../src/stream/stream.ts'
import { archivePages, firstEpoch } from '../support/archive-rows.ts'
import { loadDeployment } from '../support/deployment.ts'
import { serveParent } from '../support/in-child.ts'
import { machineMs } from '../support/machine-clock.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import { anyDeployment } from '../../test/support/deployments.ts'

/** More events than all rounds write. */
const EVENTS = 20_000
/** Longer than any measurement. */
const NO_PINGS_MS = 3_600_000
const BENCH_ORIGIN = { address: 'bench', clientAddress: 'bench', network: 'bench', isNetworkLimited: false, owner: null } as const

const disposables = new AsyncDisposableStack()
const clock = createSystemClock()
const deployment = loadDeployment()
let events: readonly ArchivedEvent[] | undefined
let written = 0
let store: Store | undefined
/** The indexer's. */
let lock: WriterLock | undefined
/** True if clients of `echo` get the notifications, which then carry no rows. */
let echoing = false
/** Notifications that wait for `send`. */
let held: { readonly arrived: PromiseWithResolvers<void>; readonly deliver: (() => void)[] } | undefined

/** The store with notifications that wait for `send`, so that the parent measures their delivery without the commit. */
function holdingNotifications(real: Store): Store {
  held = { arrived: Promise.withResolvers(), deliver: [] }
  return {
    ...real,
    listen: (channel, callback) => real.listen(channel, (payload) => {
      held?.deliver.push(() => callback(payload))
      held?.arrived.resolve()
    }),
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  disposables.defer(() => void server.close())
  return (server.address() as AddressInfo).port
}

serveParent(
  {
    async open(location: DatabaseLocation): Promise<void> {
      store = disposables.use(await openStore({ ...location, clock, log: silentLog }))
    },
    /** Opens an empty log without a database engine, whose memory would hide that of the stream. */
    openEmpty(): void {
      const read: Queryable = { query: () => Promise.resolve([]) }
      store = { read, listen: async () => async () => {} } as unknown as Store
    },
    /** Begins the first epoch of an empty log. */
    async begin(): Promise<void> {
      await defined(store, 'the store').write.transaction(async (tx) => {
        await insertEpoch(tx, firstEpoch(deployment), 1, clock.nowMs())
        await tx.query('update idx.cursor set epoch = 1, start_ledger = 1, updated_at = $1', [clock.nowMs()])
      })
    },
    /** Serves the stream and returns the port. Unless it follows the log, it gets the notifications of commits when the parent calls `send`. */
    async serve({ connections, followsLog }: { readonly connections: number; readonly followsLog: boolean }): Promise<number> {
      const served = defined(store, 'the store')
      const newStream = createStream({
        deployment: anyDeployment(),
        store: followsLog ? served : holdingNotifications(served), clock, log: silentLog,
        // All clients have one address, and do not answer pings.
        limits: {
          ...STREAM_LIMITS, connections, connectionsPerAddress: connections, replayBurstBytes: Number.MAX_SAFE_INTEGER, drainMs: 0, pingIntervalMs: NO_PINGS_MS,
        },
        services: {
          login: () => Promise.resolve('invalid_credentials'),
          readAccount: () => Promise.reject(new Error('The bench stream has no accounts')),
          readPrices: () => Promise.resolve([]),
          currentPrice: () => undefined,
          onPrices: () => () => {},
          signCheckpoint: () => null,
          loginState: () => ({ secretUntil: null }),
        },
      })
      newStream.start()
      await newStream.publishCommitted()
      const server = createServer()
      server.on('upgrade', (request, socket, head) =>
        newStream.accept(request, socket, head, { requestId: 'bench', origin: BENCH_ORIGIN }))
      disposables.defer(() => newStream.drain())
      return await listen(server)
    },
    /** Serves clients that receive this text for each notification of the index, without the stream. Returns the port. */
    async echo(text: string): Promise<number> {
      echoing = true
      const server = createServer()
      const sockets = new WebSocketServer({ server, perMessageDeflate: false })
      const stop = await defined(store, 'the store').listen(INDEX_CHANNEL, () => sockets.clients.forEach((client) => client.send(text)))
      disposables.defer(async () => {
        await stop()
        for (const client of sockets.clients) client.terminate()
      })
      return await listen(server)
    },
    /** Commits this many events without publishing them. Returns the time just before the commit, on the clock that all processes share. */
    async prepare(count: number): Promise<number> {
      events ??= (await archivePages(deployment, EVENTS)).flat()
      const rows = events.slice(written, written + count)
      if (rows.length < count) throw new Error('The history has no more events')
      written += count
      let commitAtMs = 0
      lock ??= disposables.use(defined(await defined(store, 'the store').tryLock(INDEXER_LOCK), 'the lock'))
      await lock.db.transaction(async (tx) => {
        await appendEvents(tx, 1, rows, clock.nowMs())
        await applyEvents(tx, firstEpoch(deployment), rows)
        await tx.query('update idx.cursor set last_seq = $1, last_ledger = $2', [written, rows.at(-1)?.ledger ?? null])
        if (echoing) await notifyIndexChanged(tx, written)
        else await notifyLogPage(tx, { afterSeq: written - count, lastSeq: written, rows: count })
        commitAtMs = machineMs()
      })
      if (held !== undefined) await held.arrived.promise
      return commitAtMs
    },
    /** The sequence numbers of the last frames in the channels of all events and of one asset's trades. */
    async heads(asset: string): Promise<{ readonly events: number; readonly trades: number }> {
      const { events: all, assets } = await readChannelHeads(defined(store, 'the store').read, { assets: [asset], accounts: [] }, written)
      return { events: all, trades: assets.get(asset) ?? 0 }
    },
    /** Delivers the notifications of the commits since the last call, which the stream then sends to all clients. */
    send(): void {
      const { deliver } = defined(held, 'the held notifications')
      held = { arrived: Promise.withResolvers(), deliver: [] }
      for (const each of deliver) each()
    },
  },
  () => disposables.disposeAsync(),
)
