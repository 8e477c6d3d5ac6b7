// DATABASE_READ_URL: reads from a replica that really streams, held back and let go.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock, createVirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { issueKey } from '../../src/keys/keys.ts'
import { INDEX_WAIT_MS } from '../../src/limits.ts'
import { INDEX_CHANNEL } from '../../src/projections/index-state.ts'
import { openStore } from '../../src/store/open.ts'
import { createServerStore } from '../../src/store/server/server-store.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import type { Store } from '../../src/store/store.ts'
import { createIndexFixture } from '../index/fixture.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import { WITHOUT_SERVER } from '../support/database.ts'
import { call, createWallet } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { startReplicatedServer, WITHOUT_OWN_POSTGRES } from '../support/own-postgres.ts'
import { until } from '../support/until.ts'

const skip = WITHOUT_SERVER === false ? WITHOUT_OWN_POSTGRES : WITHOUT_SERVER
const clock = createSystemClock({ keepAlive: false })
const PLAIN = { dataDir: null, log: silentLog, clock }

interface Replicated extends AsyncDisposable {
  readonly url: string
  readonly replicaUrl: string
  /** On the replica itself. */
  readonly replica: Store
  pause(): Promise<void>
  resume(): Promise<void>
  /** Resolves when the replica has all that is committed now. */
  caughtUp(): Promise<void>
}

async function openReplicated(): Promise<Replicated> {
  await using building = new AsyncDisposableStack()
  const { url, replicaUrl } = building.use(await startReplicatedServer())
  const direct = (databaseUrl: string): Store => building.use(createServerStore({ databaseUrl, readUrl: null, readTimeoutMs: 5_000, clock, log: silentLog }))
  const [server, replica] = [direct(url), direct(replicaUrl)]
  const isTrue = async (sql: string, params: readonly string[] = []): Promise<boolean> =>
    (await replica.write.query<{ fits: boolean }>(`select ${sql} as fits`, params))[0]?.fits === true
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
      const [place] = await server.write.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn')
      for (let there = false; !there;) there = await isTrue('pg_last_wal_replay_lsn() >= $1::pg_lsn', [place?.lsn ?? ''])
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function told({ status, headers, body }: ApiResponse): unknown {
  return [status, headers['x-ledger'], (body['events'] as unknown[] | undefined)?.length ?? body]
}

test('reads come from the replica and say how far it is; who asks for a later ledger waits or is told; keys are those of the server', { skip }, async () => {
  await using servers = await openReplicated()
  const { url, replicaUrl } = servers
  await servers.pause()
  await using primary = await openStore({ ...PLAIN, databaseUrl: url })
  await assert.rejects(openStore({ ...PLAIN, databaseUrl: url, readUrl: replicaUrl }), StoreUnavailable, 'a replica that has not got the tables')
  await servers.resume()
  await servers.caughtUp()
  const storeClock = createVirtualClock(0)
  await using store = await openStore({ ...PLAIN, databaseUrl: url, readUrl: replicaUrl, clock: storeClock })
  await using world = createIndexFixture(primary)
  const trade = async (): Promise<number> => {
    world.queue(world.exchange.open(1, 10_000))
    world.closeLedger()
    await world.catchUp()
    const [row] = await primary.read.query<{ ledger: number }>('select last_ledger as ledger from idx.cursor')
    return row?.ledger ?? 0
  }
  const first = await trade()
  await servers.caughtUp()
  await using bare = await createBareGateway({ store })
  const { gateway: { app, stats: holds }, clock: gatewayClock } = bare
  const ask = (headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> => call(app, '/v1/events', { headers })
  const waits = (): Promise<void> => until(() => holds().indexWaiters === 1, 'who waits')
  assert.deepEqual(told(await ask({ 'x-min-ledger': String(first) })), [200, String(first), 1])

  await servers.pause()
  const second = await trade()
  assert.deepEqual(told(await ask()), [200, String(first), 1], 'what the replica has, said to be that old')
  const late = ask({ 'x-min-ledger': String(second) })
  await waits()
  gatewayClock.advance(INDEX_WAIT_MS)
  assert.deepEqual(told(await late), [409, undefined, { error: 'not_yet', ledger: first }])
  const key = await issueKey(store.write, { owner: createWallet('new').publicKey(), tier: 'standard', label: null, clock, random: createSystemRandom() })
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200, 'a key works at once, wherever the replica is')

  // Told of the commit before the replica has it: no clock of the gateway moves, the notification's echo is enough.
  const rung = Promise.withResolvers<void>()
  let rings = 0
  await store.listen(INDEX_CHANNEL, () => {
    rings += 1
    rung.resolve()
  })
  const third = ask({ 'x-min-ledger': String(second + 1) })
  await waits()
  await trade()
  await rung.promise
  await servers.resume()
  await servers.caughtUp()
  storeClock.advance(1_000)
  assert.deepEqual(told(await third), [200, String(second + 1), 3])
  assert.equal(rings, 4)
})

test('a read that stands in the replica’s way is told to come again', { skip }, async () => {
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
  assert.deepEqual(await store.read.query('select 1 as fine'), [{ fine: 1 }])
})
