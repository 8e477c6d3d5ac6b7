// The subject of fan-out: the stream on a real database in memory, whose log grows when the parent says so.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { defined } from '../../src/base/assert.ts'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { STREAM_LIMITS } from '../../src/limits.ts'
import type { ArchivedEvent } from '../../src/projections/archived-event.ts'
import { insertEpoch } from '../../src/projections/epochs.ts'
import { appendEvents } from '../../src/projections/events.ts'
import { openStore } from '../../src/store/open.ts'
import type { Writer } from '../../src/store/store.ts'
import { createStream } from '../../src/stream/stream.ts'
import type { Stream } from '../../src/stream/stream.ts'
import { archivePages, firstEpoch } from '../support/archive-rows.ts'
import { loadDeployment } from '../support/deployment.ts'
import { serveParent } from '../support/in-child.ts'

/** More than all rounds use up. */
const EVENTS = 5_000

const things = new AsyncDisposableStack()
const clock = createSystemClock()
const deployment = loadDeployment()
const events: ArchivedEvent[] = archivePages(deployment, EVENTS).flat()
let written = 0
let parts: { readonly stream: Stream; readonly db: Writer } | undefined

serveParent(
  {
    async serve(connections: number): Promise<number> {
      const store = things.use(await openStore({ databaseUrl: null, dataDir: null, clock, log: silentLog }))
      await store.write.transaction(async (tx) => {
        await insertEpoch(tx, firstEpoch(deployment), null, clock.nowMs())
        await tx.query('update idx.cursor set epoch = 1, start_ledger = 1, updated_at = $1', [clock.nowMs()])
      })
      const stream = createStream({
        store, clock, log: silentLog,
        limits: { ...STREAM_LIMITS, connections, connectionsPerAddress: connections, drainMs: 0 },
        services: {
          login: () => Promise.resolve('invalid_credentials'),
          readAccount: () => Promise.reject(new Error('no accounts here')),
          readPrices: () => Promise.resolve([]),
          isRevoked: () => false,
        },
      })
      await stream.follow()
      const server = createServer()
      server.on('upgrade', (request, socket, head) => stream.accept(request, socket, head, { requestId: 'bench', address: 'bench' }))
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
      things.defer(async () => {
        await stream.drain()
        server.close()
      })
      parts = { stream, db: store.write }
      return (server.address() as AddressInfo).port
    },
    /** Commits this many events, and publishes none. */
    async prepare(count: number): Promise<void> {
      const rows = events.slice(written, written + count)
      if (rows.length < count) throw new Error('the history is used up')
      written += count
      await defined(parts, 'what is served').db.transaction(async (tx) => {
        await appendEvents(tx, 1, rows, clock.nowMs())
        await tx.query('update idx.cursor set last_seq = $1, last_ledger = $2', [written, rows.at(-1)?.ledger ?? null])
      })
    },
    /** Reads what was committed and sends it to everybody. */
    send: () => defined(parts, 'what is served').stream.follow(),
  },
  () => things.disposeAsync(),
)
