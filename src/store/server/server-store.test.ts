// Failures of a server: it closes connections, has none left, or is gone. The embedded engine has none of these.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createSystemClock, createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import type { Log } from '../../base/log.ts'
import { administer, databaseUrl, openTestStore, testServerUrl, WITHOUT_SERVER } from '../../../test/support/database.ts'
import { createTcpProxy } from '../../../test/support/tcp-proxy.ts'
import { LARGE_READS_MAX, READ_POOL_SIZE } from '../bounds.ts'
import { openStore } from '../open.ts'
import { sql } from '../sql.ts'
import { StatementFailed, StatementTimeout, StoreUnavailable } from '../store.ts'
import type { Store } from '../store.ts'
import { createServerStore } from './server-store.ts'
import { tryWriterLock } from './writer-lock.ts'

const skip = WITHOUT_SERVER
const clock = createSystemClock({ keepAlive: false })

/** The URL of a fresh database, and a separate store on it for the test's own statements. */
async function freshDatabase(): Promise<AsyncDisposable & { url: string; direct: Store }> {
  const direct = await openTestStore({ newEngine: true })
  const [row] = await direct.read.query<{ name: string }>('select current_database() as name')
  const url = databaseUrl(testServerUrl() ?? '', row?.name ?? '')
  return { url, direct, [Symbol.asyncDispose]: () => direct[Symbol.asyncDispose]() }
}

function openOn(url: string, readTimeoutMs = 5_000, log: Log = silentLog): Store {
  return createServerStore({ databaseUrl: url, readUrl: null, readTimeoutMs, clock, log })
}

/** Terminates the backends whose application name has this prefix, as an operator or a failover does. */
function terminate(direct: Store, role: string): Promise<object[]> {
  return direct.write.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like $1 and pid <> pg_backend_pid()',
    [`gateway ${role}%`],
  )
}

test('a lost connection loses the lock: its holder learns of it and cannot write, and another process can take it', { skip }, async () => {
  await using database = await freshDatabase()
  await using first = openOn(database.url)
  await using second = openOn(database.url)
  await first.write.query('create table note (id int primary key)')
  const lock = await first.tryLock('indexer')
  assert.ok(lock !== undefined)
  assert.equal(await second.tryLock('indexer'), undefined, 'another process cannot take it')
  const lost = new Promise((resolve) => lock.lost.addEventListener('abort', resolve))
  await terminate(database.direct, 'lock')
  await lost
  await assert.rejects(lock.db.query('insert into note values (1)'), StoreUnavailable)
  await assert.rejects(lock.db.transaction((tx) => tx.query('insert into note values (1)')), StoreUnavailable)
  await using taken = await second.tryLock('indexer')
  assert.ok(taken !== undefined)
  assert.deepEqual(await first.read.query('select id from note'), [])
  await lock[Symbol.asyncDispose]()
})

test('a connection that breaks within a transaction loses the lock, and the transaction is rolled back', { skip }, async () => {
  await using database = await freshDatabase()
  const wire = await createTcpProxy(database.url)
  await using store = openOn(wire.url)
  await database.direct.write.query('create table note (id int primary key)')
  const lock = await store.tryLock('indexer')
  assert.ok(lock !== undefined)
  const work = lock.db.transaction(async (tx) => {
    await tx.query('insert into note values (1)')
    wire.cut()
    await tx.query('insert into note values (2)')
  })
  await assert.rejects(work, StoreUnavailable)
  assert.equal(lock.lost.aborted, true)
  wire.restore()
  assert.deepEqual(await store.read.query('select id from note'), [])
  await lock[Symbol.asyncDispose]()
  await wire[Symbol.asyncDispose]()
})

test('a lock whose connection is silent is lost, although the server may still hold it', { skip }, async () => {
  await using database = await freshDatabase()
  const wire = await createTcpProxy(database.url)
  const lock = await tryWriterLock(wire.url, 'indexer', clock, { limitMs: 100 })
  assert.ok(lock !== undefined)
  wire.block()
  await assert.rejects(lock.db.query('select 1'), StoreUnavailable)
  assert.equal(lock.lost.aborted, true)
  wire.restore()
  await lock[Symbol.asyncDispose]()
  await wire[Symbol.asyncDispose]()
})

test('the holder of the lock sends heartbeats, and the server’s timeouts are short', { skip }, async () => {
  await using database = await freshDatabase()
  await using lock = await tryWriterLock(database.url, 'indexer', clock)
  assert.ok(lock !== undefined)
  const [row] = await lock.db.query(`
    select current_setting('idle_session_timeout') as idle, current_setting('idle_in_transaction_session_timeout') as inside,
      current_setting('tcp_keepalives_idle') as silent, current_setting('tcp_keepalives_interval') as again,
      current_setting('tcp_keepalives_count') as times, current_setting('tcp_user_timeout') as sent,
      current_setting('client_connection_check_interval') as busy`)
  assert.deepEqual(row, { idle: '6s', inside: '6s', silent: '1', again: '1', times: '4', sent: '5000', busy: '1s' })
  const lastQuery = 'select query_start as at from pg_stat_activity where datname = current_database() and application_name = $1'
  const lastHeartbeat = async (): Promise<unknown> => (await database.direct.write.query<{ at: string }>(lastQuery, ['gateway lock indexer']))[0]?.at
  const first = await lastHeartbeat()
  for (let last = first; last === first;) last = await lastHeartbeat()
  assert.equal(lock.lost.aborted, false)
})

test('a holder that is silent for seconds loses the lock, inside and outside a transaction', { skip }, async () => {
  await using database = await freshDatabase()
  // This clock never advances, so no heartbeat is sent, as in a suspended process.
  const stopped = createVirtualClock(0)
  await Promise.all(['outside', 'inside'].map(async (where) => {
    const lock = await tryWriterLock(database.url, where, stopped)
    assert.ok(lock !== undefined)
    const lost = new Promise((resolve) => lock.lost.addEventListener('abort', resolve))
    const inside = where === 'inside' ? lock.db.transaction((tx) => tx.query('select 1').then(() => lost).then(() => tx.query('select 1'))) : undefined
    const refused = inside === undefined ? undefined : assert.rejects(inside, StoreUnavailable)
    await lost
    await refused
    await assert.rejects(lock.db.query('select 1'), StoreUnavailable)
    await using taken = await tryWriterLock(database.url, where, clock)
    assert.ok(taken !== undefined)
    await lock[Symbol.asyncDispose]()
  }))
})

test('after every connection was closed, the next statements succeed', { skip }, async () => {
  await using database = await freshDatabase()
  const noticed = Promise.withResolvers<void>()
  let idle = 3
  const log: Log = { ...silentLog, warn: () => --idle === 0 && noticed.resolve() }
  await using store = openOn(database.url, 5_000, log)
  await store.write.query('create table note (id int primary key)')
  await Promise.all([1, 2, 3].map(() => store.read.query('select 1')))
  const running = assert.rejects(store.read.query('select count(*) from generate_series(1, 1000000000000)'), StoreUnavailable)
  await untilActive(database.direct, 1)
  await terminate(database.direct, '')
  await running
  await noticed.promise
  await store.write.query('insert into note values (1)')
  assert.deepEqual(await store.read.query('select id from note'), [{ id: 1 }])
})

test('notifications arrive again after their connection was lost', { skip }, async () => {
  await using database = await freshDatabase()
  const [received, reconnected] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
  const log: Log = { ...silentLog, info: (_fields, message) => message.includes('receiving notifications again') && reconnected.resolve() }
  await using store = openOn(database.url, 5_000, log)
  await store.listen('prices', (payload) => received.resolve(payload))
  await terminate(database.direct, 'notifications')
  await reconnected.promise
  await database.direct.write.query("notify prices, 'changed'")
  assert.equal(await received.promise, 'changed')
})

for (const from of ['the server', 'a replica'] as const) {
  test(`a listener of a store that reads from ${from} is connected at once, and hears nothing after it stops`, { skip }, async () => {
    await using database = await freshDatabase()
    const readUrl = from === 'a replica' ? database.url : null
    await using store = createServerStore({ databaseUrl: database.url, readUrl, readTimeoutMs: 5_000, clock, log: silentLog })
    const received: string[] = []
    const connected: boolean[] = []
    const arrived = Promise.withResolvers<void>()
    const stop = await store.listen('prices', (payload) => (received.push(payload), arrived.resolve()), { onConnected: (now) => connected.push(now) })
    assert.deepEqual(new Set(connected), new Set([true]))
    await database.direct.write.query("notify prices, 'before'")
    await arrived.promise
    await stop()
    const end = Promise.withResolvers<string>()
    await store.listen('end', end.resolve)
    await database.direct.write.query("notify prices, 'after'")
    await database.direct.write.query("notify \"end\", 'of the test'")
    await end.promise
    assert.ok(!received.includes('after'), received.join())
  })
}

test('when all connections for reads are busy, reads wait for a limited time and writers do not wait', { skip }, async () => {
  await using database = await freshDatabase()
  await using store = openOn(database.url, 1_000)
  await store.write.query('create table note (id int primary key)')
  const slow = Array.from({ length: READ_POOL_SIZE * 2 }, () => store.read.query('select count(*) from note, generate_series(1, 1000000000000)'))
  const outcomes = Promise.allSettled(slow)
  await untilActive(database.direct, READ_POOL_SIZE)
  await store.write.transaction((tx) => tx.query('insert into note values (1)'))
  for (const outcome of await outcomes) assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StatementTimeout)
  assert.deepEqual(await store.read.query('select id from note'), [{ id: 1 }])
})

test('a server that never responds to a read fails it, and later statements reconnect', { skip }, async () => {
  await using database = await freshDatabase()
  const wire = await createTcpProxy(database.url)
  await using store = openOn(wire.url, 100)
  await store.read.query('select 1')
  wire.block()
  await assert.rejects(store.read.query('select 1'), StoreUnavailable)
  wire.restore()
  assert.deepEqual(await store.read.query('select 1 as fine'), [{ fine: 1 }])
  await wire[Symbol.asyncDispose]()
})

test('a prepared read whose table changed fails once with StoreUnavailable, then succeeds', { skip }, async () => {
  await using database = await freshDatabase()
  await using store = openOn(database.url)
  await store.write.query('create table note (id int primary key, text text not null)')
  await store.write.query('insert into note values (1, $1)', ['7'])
  const read = () => store.read.query('select text from note where id = $1', [1])
  for (let times = 0; times < 10; times++) assert.deepEqual(await read(), [{ text: '7' }])
  await store.write.query('alter table note alter column text type int using text::int')
  await assert.rejects(read(), StoreUnavailable)
  assert.deepEqual(await read(), [{ text: 7 }])
})

test('settings in the URL cannot override those of a read', { skip }, async () => {
  await using database = await freshDatabase()
  const options = encodeURIComponent('-c statement_timeout=0 -c default_transaction_read_only=off -c timezone=Asia/Tokyo -c search_path=nowhere -c jit=on')
  await using store = openOn(`${database.url}?options=${options}`, 2_000)
  const [row] = await store.read.query(`
    select current_setting('statement_timeout') as limit, current_setting('default_transaction_read_only') as readonly,
      current_setting('timezone') as timezone, current_setting('search_path') as path, current_setting('jit') as jit`)
  assert.deepEqual(row, { limit: '2s', readonly: 'on', timezone: 'UTC', path: 'public', jit: 'off' })
  await assert.rejects(store.read.query('create table note (id int)'), (error) => error instanceof StatementFailed && error.code === '25006')
  await using lock = await store.tryLock('indexer')
  const held = await lock?.db.query("select current_setting('timezone') as timezone, current_setting('search_path') as path, current_setting('jit') as jit")
  assert.deepEqual(held, [{ timezone: 'UTC', path: 'public', jit: 'off' }])
})

test('the holder of the lock prepares inserts and notifications, and plans other statements that read each time', { skip }, async () => {
  await using database = await freshDatabase()
  await using store = openOn(database.url)
  await using lock = await store.tryLock('indexer')
  assert.ok(lock !== undefined)
  await lock.db.query('create table note (id int primary key)')
  const note = { schema: 'public', name: 'note', columns: { id: 'integer' } } as const
  await lock.db.query(sql`${sql.insertInto(note)} values ($1)`, [1])
  await lock.db.query('select id from note where id = $1', [1])
  await lock.db.transaction((tx) => tx.notify('notes', 'select max(id)::text as payload from note where id <= $1', [1]))
  assert.deepEqual(await lock.db.query('select statement from pg_prepared_statements order by statement'), [
    { statement: 'insert into public.note values ($1)' },
    { statement: 'select n.payload, pg_notify($2::text, n.payload) from (select max(id)::text as payload from note where id <= $1) n' },
  ])
})

test('an unreachable server raises StoreUnavailable, from openStore and from every statement', async () => {
  const nowhere = 'postgres://nobody@127.0.0.1:1/nothing'
  await assert.rejects(openStore({ databaseUrl: nowhere, dataDir: null, clock, log: silentLog }), StoreUnavailable)
  await using store = openOn(nowhere)
  await assert.rejects(store.read.query('select 1'), StoreUnavailable)
  await assert.rejects(store.tryLock('indexer'), StoreUnavailable)
})

test('a database that does not exist raises StatementFailed, not StoreUnavailable', { skip }, async () => {
  await using store = openOn(databaseUrl(testServerUrl() ?? '', 'there_is_no_such_database'))
  await assert.rejects(store.read.query('select 1'), (error) => error instanceof StatementFailed && error.code === '3D000')
  assert.deepEqual(await administer(testServerUrl() ?? '', "select 1 as n from pg_database where datname = 'there_is_no_such_database'"), [])
})

/** Resolves when this many reads are running on the server. */
async function untilActive(direct: Store, count: number): Promise<void> {
  for (;;) {
    const rows = await direct.write.query(
      "select 1 from pg_stat_activity where datname = current_database() and application_name = 'gateway reads' and state = 'active'",
    )
    if (rows.length >= count) return
  }
}

test('large reads that hang leave connections for small ones, and callers take turns for the others', { skip }, async () => {
  await using database = await freshDatabase()
  await using store = openOn(database.url)
  await store.write.query('create table note (id int primary key)')
  const release = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const lock = database.direct.write.transaction(async (tx) => {
    await tx.query('lock table note in access exclusive mode')
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const flood = Array.from({ length: READ_POOL_SIZE * 3 }, () => store.read.query('select id from note', [], { address: '192.0.2.1', isLarge: true }))
  await untilActive(database.direct, LARGE_READS_MAX)
  assert.deepEqual(await store.read.query('select 1 as fine', [], { address: '192.0.2.1' }), [{ fine: 1 }])
  const order: string[] = []
  const other = store.read.query('select id from note', [], { address: '198.51.100.1', isLarge: true }).then(() => order.push('other'))
  const last = flood.at(-1)?.then(() => order.push('last of the flood'))
  assert.equal(store.waiting().reads, READ_POOL_SIZE * 3 - LARGE_READS_MAX + 1)
  release.resolve()
  await Promise.all([lock, other, last, ...flood])
  assert.deepEqual(order, ['other', 'last of the flood'])
})
