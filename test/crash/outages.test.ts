// Database outages without data loss: a full disk, and a table that stays locked past the time limit. Requests get 503 during the outage, and the gateway
// recovers without a restart.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { openEmbedded, openStore } from '../../src/store/open.ts'
import { createServerStore } from '../../src/store/server/server-store.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { createBareGateway, UNLIMITED_RATES } from '../support/bare-gateway.ts'
import type { LocalGeneration } from '../../localnet/setup.ts'
import { openCrashFixture } from './crash-fixture.ts'
import type { CrashDatabase } from './crash-fixture.ts'
import { CHOSEN_GENERATION } from '../support/generation.ts'
import { call, createWallet, obtainKey } from '../support/keys.ts'
import { WITHOUT_OWN_POSTGRES, startPostgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const DISK_MB = 150
const CANNOT_MOUNT = process.getuid?.() === 0 && existsSync('/usr/bin/mount') && canMount() ? false : 'needs root privileges to mount a small file system'
const options = { clock: createSystemClock({ keepAlive: false }), log: silentLog }

function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

interface SmallDisk extends AsyncDisposable {
  readonly path: string
  /** Writes until the disk is full. */
  fill(): Promise<void>
  free(): Promise<void>
}

async function mountSmallDisk(): Promise<SmallDisk> {
  const folder = await temporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=755`, 'tmpfs', folder.path])
  const filler = join(folder.path, 'filler')
  return {
    path: folder.path,
    async fill() {
      const { bavail, bsize } = await statfs(folder.path)
      await writeFile(filler, Buffer.alloc(bavail * bsize + 1)).catch((error: unknown) => assert.match(String(error), /ENOSPC/))
    },
    free: () => rm(filler),
    async [Symbol.asyncDispose]() {
      execFileSync('umount', ['--lazy', folder.path])
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Fills the disk while a client trades, frees it, and verifies everything. */
async function fillUp(disk: SmallDisk, database: CrashDatabase, byDefault: LocalGeneration, recover: () => Promise<void>): Promise<string> {
  await using fixture = await openCrashFixture('full disk', database, CHOSEN_GENERATION ?? byDefault)
  const { holder, clock } = fixture
  const run = await fixture.start()
  let isDone = false
  const trading = fixture.trade(run, () => isDone)
  const waitForKeys = async (more: number): Promise<void> => {
    const target = holder.keys.length + more
    while (holder.keys.length < target) await clock.sleep(20)
  }
  await waitForKeys(2)
  await disk.fill()
  // An unconfirmed claim shows that a write has failed.
  const unconfirmed = holder.unconfirmedClaims()
  while (holder.unconfirmedClaims() <= unconfirmed) await clock.sleep(20)
  await disk.free()
  await recover()
  await waitForKeys(2)
  isDone = true
  await trading
  fixture.check()
  fixture.expectSuccess()
  return JSON.stringify(await fixture.verify(run))
}

test('recovers from a full disk under the embedded database', { skip: CANNOT_MOUNT, timeout: 300_000 }, async (t) => {
  await using disk = await mountSmallDisk()
  const folder = join(disk.path, 'data')
  await mkdir(folder)
  t.diagnostic(await fillUp(disk, ['folder', folder], '2', async () => {}))
})

test('an embedded database without space gives no wrong answer, says why, and recovers when there is space', { skip: CANNOT_MOUNT }, async () => {
  await using disk = await mountSmallDisk()
  await using store = await openEmbedded({ dataDir: join(disk.path, 'data'), ...options })
  const limits = { rateLimits: UNLIMITED_RATES, addressCeiling: UNLIMITED_RATES.public }
  await using bare = await createBareGateway({ store, clock: createSystemClock({ keepAlive: false }), random: createSystemRandom(), ...limits })
  const { app } = bare.gateway
  const keys = [await obtainKey(app, createWallet('known')), await obtainKey(app, createWallet('known, too'))] as const
  /** Statuses that say nothing wrong. An answer is right, or there is none. */
  const check = async (): Promise<ReadonlySet<number>> => {
    const answers = await Promise.all([call(app, '/v1/trades'), call(app, '/v1/keys', { key: keys[0] }), call(app, '/v1/keys', { key: keys[1] })])
    for (const { status, body } of answers) {
      assert.ok(status === 200 || status === 503, `status ${status}`)
      if (status === 200 && 'keys' in body) assert.equal((body['keys'] as unknown[]).length, 1)
    }
    return new Set(answers.map(({ status }) => status))
  }
  assert.deepEqual([...(await check())], [200])
  await disk.fill()
  // A checkpoint without space ends the engine. Its restart needs none.
  await assert.rejects(store.bulkWriter.query('checkpoint'), (error) => error instanceof StoreUnavailable && error.problem === 'full')
  await check()
  const health = (await call(app, '/v1/health')).body
  assert.deepEqual([health['status'], health['warnings']], ['degraded', ['database_full']])
  // A restart with a used-up log does.
  const useLog = async (): Promise<void> => {
    for (;;) await store.write.query("select pg_logical_emit_message(true, 'test', repeat('x', 1000000))")
  }
  await assert.rejects(useLog(), StoreUnavailable)
  await until(async () => !(await check()).has(200), 'answers of 503')
  const ready = await call(app, '/readyz')
  assert.equal(ready.status, 503)
  assert.ok((ready.body['reasons'] as string[]).includes('database'))
  assert.deepEqual(ready.body['warnings'], ['database_full'])
  await disk.free()
  await until(async () => !(await check()).has(503), 'answers of 200')
  await obtainKey(app, createWallet('new'))
})

test('recovers from a full disk under PostgreSQL', { skip: CANNOT_MOUNT === false ? WITHOUT_OWN_POSTGRES : CANNOT_MOUNT, timeout: 300_000 }, async (t) => {
  await using disk = await mountSmallDisk()
  await using server = await startPostgres(disk.path)
  // PostgreSQL may exit when it cannot write its log; an operator restarts it.
  t.diagnostic(await fillUp(disk, ['server', server.url], '1', () => server.startIfEnded()))
})

test('returns 503 within the statement time limit while tables are locked, and recovers', { skip: WITHOUT_OWN_POSTGRES }, async () => {
  await using folder = await temporaryFolder()
  await using server = await startPostgres(folder.path)
  // Long enough that a busy machine answers unlocked reads in time.
  const readTimeoutMs = 2_000
  await using store = await openStore({ databaseUrl: server.url, dataDir: null, readTimeoutMs, ...options })
  await using lockingStore = createServerStore({ databaseUrl: server.url, readUrl: null, readTimeoutMs, ...options })
  await using bare = await createBareGateway({ store, clock: createSystemClock({ keepAlive: false }), random: createSystemRandom() })
  const { app } = bare.gateway
  const key = await obtainKey(app, createWallet('locked out'))
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const locking = lockingStore.write.transaction(async (tx) => {
    await tx.query('lock table idx.trades, keys.api_keys in access exclusive mode')
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const [trades, account] = await Promise.all([call(app, '/v1/trades'), call(app, '/v1/account/me', { key })])
  assert.deepEqual([trades.status, account.status], [503, 503])
  assert.doesNotMatch(trades.text + account.text, /lock|statement|idx|timeout/i)
  released.resolve()
  await locking
  assert.equal((await call(app, '/v1/trades')).status, 200)
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
})
