// A server that refuses to write: somebody made the database read-only, or a failover left the gateway with a standby.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIndexFixture } from '../../../test/index/fixture.ts'
import { createBareGateway } from '../../../test/support/bare-gateway.ts'
import { administer, databaseUrl, openTestStore, testServerUrl, WITHOUT_SERVER } from '../../../test/support/database.ts'
import { call, createWallet, obtainKey, requestChallenge, signChallenge } from '../../../test/support/keys.ts'
import { samplesOf } from '../../../test/support/metrics.ts'
import { startReplicatedServer, WITHOUT_OWN_POSTGRES } from '../../../test/support/postgres.ts'
import { until } from '../../../test/support/until.ts'
import { createSystemClock, createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import type { Log } from '../../base/log.ts'
import { createSystemRandom } from '../../base/random.ts'
import { createMetrics } from '../../observability/metrics.ts'
import { createIndexSnapshotReader } from '../../projections/state/index-snapshot.ts'
import { StoreUnavailable } from '../store.ts'
import { createServerStore } from './server-store.ts'

const clock = createSystemClock({ keepAlive: false })
const isReadOnly = (error: unknown): boolean => error instanceof StoreUnavailable && error.problem === 'read_only'

test('a database that is made read-only: writes get 503, the indexer says why once, and everything recovers', { skip: WITHOUT_SERVER }, async () => {
  await using direct = await openTestStore({ newEngine: true })
  const [row] = await direct.read.query<{ name: string }>('select current_database() as name')
  const name = row?.name ?? ''
  const server = testServerUrl() ?? ''
  await using store = createServerStore({ databaseUrl: databaseUrl(server, name), readUrl: null, readTimeoutMs: 5_000, clock, log: silentLog })
  const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
    await administer(server, `alter database ${name} set default_transaction_read_only = ${value}`)
    // A failover ends all sessions.
    await administer(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`)
  }
  const errors: Record<string, unknown>[] = []
  const messages: string[] = []
  const log: Log = {
    ...silentLog, error: (fields, message) => errors.push({ ...fields, message }), info: (_fields, message) => messages.push(message),
  }
  await using index = createIndexFixture(store, { log })
  index.closeLedger()
  await index.catchUp()
  await using bare = await createBareGateway({ store, clock, random: createSystemRandom() })
  const { app } = bare.gateway
  const key = await obtainKey(app, createWallet('before'))
  const metrics = createMetrics({ clock, runtime: false })
  metrics.addSources({ index: createIndexSnapshotReader({ store, clock: createVirtualClock(0), log: silentLog }), indexer: () => index.indexer.status() })
  const stop = new AbortController()
  const running = index.indexer.run(stop.signal)

  await setReadOnly('on')
  /** Polls until the indexer is in this state. */
  const untilState = (state: string): Promise<void> => until(() => {
    index.closeLedger()
    index.clock.advance(2_000)
    return index.indexer.status().state === state
  }, `the state ${state}`)
  await untilState('unwritable')
  // The ended sessions may have been the first problem.
  await until(() => {
    index.clock.advance(2_000)
    return errors.some(({ problem }) => problem === 'read_only')
  }, 'the report of a read-only database')
  for (let poll = 0; poll < 5; poll++) {
    index.clock.advance(2_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.deepEqual(errors.filter(({ problem }) => problem === 'read_only').map(({ reason, message, err }) => [reason, message, err]), [
    ['the database is read-only: it is a standby, or default_transaction_read_only is on', 'the index could not be written; retrying', undefined],
  ])
  assert.match(index.indexer.status().problem ?? '', /read-only/)

  const wallet = createWallet('during')
  const { challengeHex } = await requestChallenge(app, wallet.publicKey())
  const body = { address: wallet.publicKey(), challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }
  const created = await call(app, '/v1/keys', { method: 'POST', body })
  assert.deepEqual([created.status, created.headers['retry-after']], [503, '1'])
  assert.equal((await call(app, '/v1/trades')).status, 200, 'reads work')
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
  const health = (await call(app, '/v1/health')).body
  assert.deepEqual([health['status'], health['warnings']], ['degraded', ['database_read_only']])
  assert.equal(samplesOf(await metrics.text()).get('gateway_index_answers'), 0)
  assert.equal(samplesOf(await metrics.text()).get('gateway_indexer_state{state="unwritable"}'), 1)

  await setReadOnly('off')
  await untilState('live')
  await until(() => messages.includes('the index is written again'), 'the line at the end')
  await obtainKey(app, wallet)
  stop.abort()
  await running
})

test('a standby is read-only for writes and for the lock, until it is promoted', { skip: WITHOUT_OWN_POSTGRES }, async () => {
  await using servers = await startReplicatedServer()
  await using store = createServerStore({ databaseUrl: servers.replicaUrl, readUrl: null, readTimeoutMs: 5_000, clock, log: silentLog })
  await assert.rejects(store.write.query('create table note (id int)'), isReadOnly)
  await assert.rejects(store.write.transaction((tx) => tx.query('create table note (id int)')), isReadOnly)
  await assert.rejects(store.tryLock('indexer'), isReadOnly)
  assert.equal(await store.writeProblem(), 'read_only')
  assert.deepEqual(await store.read.query('select 1 as one'), [{ one: 1 }])
  await store.write.query('select pg_promote()')
  await store.write.query('create table note (id int)')
  await using lock = await store.tryLock('indexer')
  await lock?.db.query('insert into note values (1)')
  assert.equal(await store.writeProblem(), null)
})
