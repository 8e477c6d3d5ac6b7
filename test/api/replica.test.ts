// DATABASE_READ_URL: reads from a streaming replica whose replay the test pauses and resumes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock, createVirtualClock } from '../../src/base/clock.ts'
import { EXAMPLE_OPEN_ORDER } from '../../src/resources/open-order.ts'
import { insertCreated } from '../../src/trading/created-statements.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { issueKey } from '../../src/keys/keys.ts'
import { INDEX_WAIT_MS } from '../../src/limits.ts'
import { INDEX_CHANNEL } from '../../src/projections/state/index-state.ts'
import { openStore } from '../../src/store/open.ts'
import { createServerStore } from '../../src/store/server/server-store.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import type { Store } from '../../src/store/store.ts'
import { createIndexFixture } from '../index/fixture.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import { WITHOUT_SERVER } from '../support/database.ts'
import { call, createWallet } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { startReplicatedServer, WITHOUT_OWN_POSTGRES } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { withoutMessage } from '../support/without-message.ts'

const skip = WITHOUT_SERVER === false ? WITHOUT_OWN_POSTGRES : WITHOUT_SERVER
const clock = createSystemClock({ keepAlive: false })
const PLAIN = { dataDir: null, log: silentLog, clock }

interface Replicated extends AsyncDisposable {
  readonly url: string
  readonly replicaUrl: string
  /** A direct connection to the replica. */
  readonly replica: Store
  pause(): Promise<void>
  resume(): Promise<void>
  /** Resolves when the replica has replayed everything committed so far. */
  caughtUp(): Promise<void>
}

async function openReplicated(): Promise<Replicated> {
  await using building = new AsyncDisposableStack()
  const { url, replicaUrl } = building.use(await startReplicatedServer())
  const direct = (databaseUrl: string): Store => building.use(createServerStore({ databaseUrl, readUrl: null, readTimeoutMs: 5_000, clock, log: silentLog }))
  const [server, replica] = [direct(url), direct(replicaUrl)]
  const isTrue = async (sql: string, params: readonly string[] = []): Promise<boolean> =>
    (await replica.write.query<{ holds: boolean }>(`select ${sql} as holds`, params))[0]?.holds === true
  const owned = building.move()
  return {
    url, replicaUrl, replica,
    async pause() {
      await replica.write.query('select pg_wal_replay_pause()')
      for (let paused = false; !paused;) paused = await isTrue("pg_get_wal_replay_pause_state() = 'paused'")
    },
    async resume() {
      await replica.write.query('select pg_wal_replay_resume()')
    },
    async caughtUp() {
      const [row] = await server.write.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn')
      // A replica that replays a deletion may end any connection, this one too: it has not caught up yet then.
      const hasReplayed = (): Promise<boolean> => isTrue('pg_last_wal_replay_lsn() >= $1::pg_lsn', [row?.lsn ?? '']).catch((error: unknown) => {
        if (error instanceof StoreUnavailable) return false
        throw error
      })
      for (let replayed = false; !replayed;) replayed = await hasReplayed()
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Stores an order as the submission that placed it did. */
async function storeCreatedOrder(primary: Store, market: string, ledger: number): Promise<void> {
  const hash = 'ab'.repeat(32)
  await primary.write.query(
    `insert into tx.submissions (owner, hash, op, trader, sequence, status, envelopes, accepted, attempts, ledger, submitted_at, updated_at)
     values ($1, $2, 'place_limit_order', $1, 1, 'SUCCESS', '[]', true, 1, $3, 0, 0)`,
    [EXAMPLE_OPEN_ORDER.trader, hash, ledger],
  )
  const details = { ...EXAMPLE_OPEN_ORDER, orderId: 77 }
  await primary.write.transaction((tx) =>
    insertCreated(tx, { market, orders: [{ status: 'pending', details }], positions: [] }, { hash, ledger, ts: details.createdAt }, clock.nowMs()))
}

function summary({ status, headers, body }: ApiResponse): unknown {
  return [status, headers['x-ledger'], (body['events'] as unknown[] | undefined)?.length ?? body]
}

test('reads use the replica and report its position, X-Min-Ledger waits for it, and keys use the primary', { skip }, async () => {
  await using servers = await openReplicated()
  const { url, replicaUrl } = servers
  await servers.pause()
  await using primary = await openStore({ ...PLAIN, databaseUrl: url })
  await assert.rejects(openStore({ ...PLAIN, databaseUrl: url, readUrl: replicaUrl }), StoreUnavailable, 'a replica without the tables')
  await servers.resume()
  await servers.caughtUp()
  const storeClock = createVirtualClock(0)
  await using store = await openStore({ ...PLAIN, databaseUrl: url, readUrl: replicaUrl, clock: storeClock })
  await using index = createIndexFixture(primary)
  const trade = async (): Promise<number> => {
    index.queue(index.exchange.open(1, 10_000))
    index.closeLedger()
    await index.catchUp()
    const [row] = await primary.read.query<{ ledger: number }>('select last_ledger as ledger from idx.cursor')
    return row?.ledger ?? 0
  }
  const first = await trade()
  await servers.caughtUp()
  await using bare = await createBareGateway({ store })
  const { gateway: { app, stats }, clock: gatewayClock } = bare
  const getEvents = (headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> => call(app, '/v1/events', { headers })
  const untilWaiting = (): Promise<void> => until(() => stats().indexWaiters === 1, 'the waiting request')
  assert.deepEqual(summary(await getEvents({ 'x-min-ledger': String(first) })), [200, String(first), 1])

  await servers.pause()
  const second = await trade()
  assert.deepEqual(summary(await getEvents()), [200, String(first), 1], 'the replica\'s rows and ledger')
  const late = getEvents({ 'x-min-ledger': String(second) })
  await untilWaiting()
  gatewayClock.advance(INDEX_WAIT_MS)
  const { status, body } = await late
  assert.deepEqual([status, withoutMessage(body)], [409, { error: 'not_yet', ledger: first }])
  await storeCreatedOrder(primary, index.exchange.contracts.market, second)
  const placed = await call(app, '/v1/orders/77')
  assert.deepEqual([placed.status, placed.body['asset'], placed.body['status']], [200, 'BTC', 'pending'], 'what a submission created is read from the primary')
  const key = await issueKey(store.write, { owner: createWallet('new').publicKey(), tier: 'standard', label: null, clock, random: createSystemRandom() })
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200, 'a new key works regardless of the replica\'s lag')

  // The notification arrives before the replica has the commit. The store repeats it, so the gateway's clock need not advance.
  const notified = Promise.withResolvers<void>()
  let notifications = 0
  await store.listen(INDEX_CHANNEL, () => {
    notifications += 1
    notified.resolve()
  })
  const third = getEvents({ 'x-min-ledger': String(second + 1) })
  await untilWaiting()
  await trade()
  await notified.promise
  await servers.resume()
  await servers.caughtUp()
  storeClock.advance(1_000)
  assert.deepEqual(summary(await third), [200, String(second + 1), 3])
  assert.equal(notifications, 4)
})

test('a read that the replica cancels for a recovery conflict throws StoreUnavailable', { skip }, async () => {
  await using servers = await openReplicated()
  await using primary = await openStore({ ...PLAIN, databaseUrl: servers.url })
  await primary.write.query('create table note (id int); insert into note select generate_series(1, 1000)')
  await servers.caughtUp()
  await using store = await openStore({ ...PLAIN, databaseUrl: servers.url, readUrl: servers.replicaUrl })
  const cancelled = assert.rejects(store.read.query('select count(*) from note, generate_series(1, 1000000000)'), StoreUnavailable)
  const busy = "select 1 from pg_stat_activity where application_name = 'gateway reads' and state = 'active' and query like '%from note%'"
  for (let isBusy = false; !isBusy;) isBusy = (await servers.replica.write.query(busy)).length > 0
  await primary.write.query('delete from note')
  await primary.write.query('vacuum note')
  await cancelled
  assert.deepEqual(await store.read.query('select 1 as ok'), [{ ok: 1 }])
})
