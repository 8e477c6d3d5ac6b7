// A statement that exceeds its time limit ends with its engine, which restarts on the same data. Most tests use a virtual clock, so that they do not
// depend on how long a restart takes.

import { strict as assert } from 'node:assert'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { createSystemClock, createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { openTestEmbedded } from '../../../test/support/database.ts'
import { migrationsFolder, temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { WRITE_STATEMENT_TIMEOUT_MS } from '../bounds.ts'
import { openEmbedded } from '../open.ts'
import { prepareCluster } from '../prepare-cluster.ts'
import { StatementTimeout, StoreUnavailable } from '../store.ts'

const LIMIT_MS = 5_000
const NEVER_ENDING = 'select count(*) from generate_series(1, 1000000000000)'

const folder = await temporaryFolder()
const migrations = await migrationsFolder('create table note (id int primary key)')
const prepared = join(folder.path, 'prepared')
await prepareCluster(prepared, () => {}, migrations.path)

let stores = 0

/** A store on disk, and the clock that its time limits go by. */
async function open() {
  const clock = createVirtualClock(0)
  const dataDir = join(folder.path, `store-${++stores}`)
  const store = await openEmbedded({ dataDir, clock, log: silentLog, prepared, migrationsDirectory: migrations.path, readTimeoutMs: LIMIT_MS })
  return { clock, store }
}

/** Shared by the tests after which it can still be used: a start takes about a second. */
const shared = await open()
after(async () => {
  await shared.store[Symbol.asyncDispose]()
  await Promise.all([folder[Symbol.asyncDispose](), migrations[Symbol.asyncDispose]()])
})

async function emptyTable(): Promise<void> {
  await shared.store.write.query('delete from note')
}

test('a read that exceeds its limit fails; queued reads and later statements succeed on the same data', async () => {
  const { clock, store } = shared
  await emptyTable()
  await store.write.query('insert into note values (1)')
  const runaway = assert.rejects(store.read.query(NEVER_ENDING), { name: 'StatementTimeout', message: 'the statement exceeded its time limit' })
  clock.advance(LIMIT_MS - 1)
  const queued = [1, 2, 3].map(() => store.read.query('select id from note'))
  const write = store.write.query('insert into note values (2)')
  clock.advance(1)
  await runaway
  await write
  for (const rows of await Promise.all(queued)) assert.deepEqual(rows, [{ id: 1 }, { id: 2 }], 'the write went first')
  assert.deepEqual(await store.read.query('select count(*) from note'), [{ count: 2 }])
})

test('a statement that has been computing for a while ends, too', async () => {
  const dataDir = join(folder.path, 'system-clock')
  const clock = createSystemClock({ keepAlive: false })
  await using store = await openEmbedded({ dataDir, clock, log: silentLog, prepared, migrationsDirectory: migrations.path, readTimeoutMs: 500 })
  await store.write.query('insert into note values (1)')
  await assert.rejects(store.read.query(NEVER_ENDING), { name: 'StatementTimeout', message: 'the statement exceeded its time limit' })
  assert.deepEqual(await store.write.query('select id from note'), [{ id: 1 }])
})

test('reads whose limit ends while they are queued fail, and do not run', async () => {
  const { clock, store } = shared
  await emptyTable()
  const runaway = assert.rejects(store.read.query(NEVER_ENDING), StatementTimeout)
  const queued = assert.rejects(store.read.query('select 1'), { name: 'StatementTimeout', message: /waited too long for its turn/ })
  clock.advance(LIMIT_MS)
  await Promise.all([runaway, queued])
  assert.deepEqual(await store.read.query('select 1 as fine'), [{ fine: 1 }])
})

test('a transaction with a statement that exceeds its limit is rolled back, and none of its statements runs on the new engine', async () => {
  const { clock, store } = shared
  await emptyTable()
  await store.write.query('insert into note values (1)')
  const transaction = store.write.transaction(async (tx) => {
    await tx.query('insert into note values (2)')
    const runaway = assert.rejects(tx.query(NEVER_ENDING), StatementTimeout)
    // The message to the engine's thread is sent in this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(WRITE_STATEMENT_TIMEOUT_MS)
    await runaway
    await assert.rejects(tx.query('insert into note values (3)'), StoreUnavailable)
  })
  const queued = store.write.query('insert into note values (4)')
  await assert.rejects(transaction, StoreUnavailable)
  await queued
  assert.deepEqual(await store.read.query('select id from note order by id'), [{ id: 1 }, { id: 4 }])
})

test('a single write that exceeds its limit fails with StatementTimeout', async () => {
  const { clock, store } = shared
  await emptyTable()
  const runaway = assert.rejects(store.write.query(`insert into note ${NEVER_ENDING}`), StatementTimeout)
  clock.advance(WRITE_STATEMENT_TIMEOUT_MS)
  await runaway
  assert.deepEqual(await store.read.query('select id from note'), [])
})

test('after a restart listeners receive notifications again, and know that they missed some', async () => {
  const { clock, store } = shared
  await emptyTable()
  const payloads: string[] = []
  const changes: boolean[] = []
  const received = Promise.withResolvers<void>()
  const stop = await store.listen('prices', (payload) => (payloads.push(payload), received.resolve()), { onConnected: (connected) => changes.push(connected) })
  const runaway = assert.rejects(store.read.query(NEVER_ENDING), StatementTimeout)
  const queued = store.write.query("notify prices, 'the first statement after the restart'")
  clock.advance(LIMIT_MS)
  await runaway
  await queued
  await received.promise
  assert.deepEqual(payloads, ['the first statement after the restart'])
  assert.deepEqual(changes, [true, false, true])
  await stop()
})

test('the writer lock survives a restart', async () => {
  const { clock, store } = shared
  await emptyTable()
  await using lock = await store.tryLock('indexer')
  assert.ok(lock !== undefined)
  const runaway = assert.rejects(store.read.query(NEVER_ENDING), StatementTimeout)
  clock.advance(LIMIT_MS)
  await runaway
  await lock.db.transaction((tx) => tx.query('insert into note values (1)'))
  assert.deepEqual([lock.lost.aborted, await store.tryLock('indexer')], [false, undefined])
})

test('a store in memory ends with its engine', async () => {
  const clock = createVirtualClock(0)
  const store = await openTestEmbedded({ newEngine: true, clock, readTimeoutMs: LIMIT_MS })
  await using _ = store
  const lock = await store.tryLock('indexer')
  const runaway = assert.rejects(store.read.query(NEVER_ENDING), StatementTimeout)
  clock.advance(LIMIT_MS)
  await runaway
  await assert.rejects(store.read.query('select 1'), { name: 'StoreUnavailable', message: /exceeded its time limit: select count/ })
  assert.equal(lock?.lost.aborted, true)
})

test('closing does not wait for a read that never ends', async () => {
  const { store } = await open()
  const runaway = assert.rejects(store.read.query(NEVER_ENDING), { name: 'StoreUnavailable', message: 'the store is closed' })
  await store[Symbol.asyncDispose]()
  await runaway
})
