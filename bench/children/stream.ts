// The stream on a real database, whose log grows when the parent says so: the subject of fan-out and of the stream's costs, one of several instances of the
// soak, and its writer.

import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { defined } from '../../src/base/assert.ts'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { STREAM_LIMITS } from '../../src/limits.ts'
import { applyEvents } from '../../src/projections/apply.ts'
import type { ArchivedEvent } from '../../src/projections/archived-event.ts'
import { insertEpoch } from '../../src/projections/epochs.ts'
import { appendEvents } from '../../src/projections/events.ts'
import { INDEX_CHANNEL } from '../../src/projections/index-state.ts'
import { openStore } from '../../src/store/open.ts'
import type { Queryable, Store } from '../../src/store/store.ts'
import { readChannelHeads } from '../../src/projections/stream-log.ts'
import { createStream } from '../../src/stream/stream.ts'
import type { Stream } from '../../src/stream/stream.ts'
import { archivePages, firstEpoch } from '../support/archive-rows.ts'
import { loadDeployment } from '../support/deployment.ts'
import { serveParent } from '../support/in-child.ts'
import { machineMs } from '../support/machine-clock.ts'
import type { DatabaseLocation } from '../support/databases.ts'

/** More than all rounds use up. */
const EVENTS = 20_000

const things = new AsyncDisposableStack()
const clock = createSystemClock()
const deployment = loadDeployment()
let events: readonly ArchivedEvent[] | undefined
let written = 0
let store: Store | undefined
let stream: Stream | undefined

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  things.defer(() => void server.close())
  return (server.address() as AddressInfo).port
}

serveParent(
  {
    async open(where: DatabaseLocation): Promise<void> {
      store = things.use(await openStore({ ...where, clock, log: silentLog }))
    },
    /** A log in which nothing ever happens, without an engine whose memory would drown that of the stream. */
    openNothing(): void {
      const read: Queryable = { query: () => Promise.resolve([]) }
      store = { read } as Store
    },
    /** Begins an empty log. */
    async begin(): Promise<void> {
      await defined(store, 'the store').write.transaction(async (tx) => {
        await insertEpoch(tx, firstEpoch(deployment), null, clock.nowMs())
        await tx.query('update idx.cursor set epoch = 1, start_ledger = 1, updated_at = $1', [clock.nowMs()])
      })
    },
    /** Listens and answers with the port; by itself it follows the log only when it `runs`. */
    async serve({ connections, runs }: { readonly connections: number; readonly runs: boolean }): Promise<number> {
      const served = createStream({
        store: defined(store, 'the store'), clock, log: silentLog,
        limits: { ...STREAM_LIMITS, connections, connectionsPerAddress: connections, drainMs: 0 },
        services: {
          login: () => Promise.resolve('invalid_credentials'),
          readAccount: () => Promise.reject(new Error('no accounts here')),
          readPrices: () => Promise.resolve([]),
          isRevoked: () => false,
        },
      })
      stream = served
      if (runs) served.start()
      else await served.publishCommitted()
      const server = createServer()
      server.on('upgrade', (request, socket, head) => served.accept(request, socket, head, { requestId: 'bench', address: 'bench' }))
      things.defer(() => served.drain())
      return await listen(server)
    },
    /** Listens for whoever gets this text at each ring of the index, straight from the notification, and answers with the port. */
    async echo(text: string): Promise<number> {
      const server = createServer()
      const sockets = new WebSocketServer({ server, perMessageDeflate: false })
      const stop = await defined(store, 'the store').listen(INDEX_CHANNEL, () => sockets.clients.forEach((client) => client.send(text)))
      things.defer(async () => {
        await stop()
        for (const client of sockets.clients) client.terminate()
      })
      return await listen(server)
    },
    /** Commits this many events, and publishes none. Answers with the moment before the commit, on the clock that all processes of a machine share. */
    async prepare(count: number): Promise<number> {
      events ??= archivePages(deployment, EVENTS).flat()
      const rows = events.slice(written, written + count)
      if (rows.length < count) throw new Error('the history is used up')
      written += count
      let committing = 0
      await defined(store, 'the store').write.transaction(async (tx) => {
        await appendEvents(tx, 1, rows, clock.nowMs())
        await applyEvents(tx, firstEpoch(deployment), rows)
        await tx.query('update idx.cursor set last_seq = $1, last_ledger = $2', [written, rows.at(-1)?.ledger ?? null])
        await tx.query('select pg_notify($1, $2)', [INDEX_CHANNEL, String(written)])
        committing = machineMs()
      })
      return committing
    },
    /** The last frame of these channels: of all events, and of one asset's trades. */
    async heads(asset: string): Promise<{ readonly events: number; readonly trades: number }> {
      const { events: all, assets } = await readChannelHeads(defined(store, 'the store').read, { events: true, assets: [asset], accounts: [] }, written)
      return { events: all, trades: assets.get(asset) ?? 0 }
    },
    /** Reads what was committed and sends it to everybody. */
    send: () => defined(stream, 'the stream').publishCommitted(),
  },
  () => things.disposeAsync(),
)
