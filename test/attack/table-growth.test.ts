// Requests that lead to nothing leave nothing: every write path is flooded, and a day later each table has as many rows as before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { createLedgerWatermarks } from '../../src/chain/rpc/ledger-watermarks.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { decodeEnvelope, networkIdOf } from '../../src/chain/codec/transaction.ts'
import { createRelay } from '../../src/trading/relay/relay.ts'
import type { Queryable } from '../../src/store/store.ts'
import { createSubmissionService } from '../../src/trading/submission-service.ts'
import { BARE_START_MS, createBareGateway, UNLIMITED_RATES } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { anyDeployment } from '../support/deployments.ts'
import { call, createWallet, obtainKey } from '../support/keys.ts'
import { NO_WARNINGS } from '../support/no-warnings.ts'
import { trackCalls } from '../support/tracked-store.ts'
import { NOT_FOUND, PASSPHRASE, rejectionResponse, signedTransaction } from '../relay/responses.ts'
import { createScriptedTransport } from '../relay/scripted-node.ts'
import type { NodeResponse } from '../relay/scripted-node.ts'

const REQUESTS = 150
/** Few enough for the share of one address. */
const CONCURRENT = 50
const HOUR_MS = 3_600_000
const QUIET_TURNS = 10

async function countRows(db: Queryable): Promise<Readonly<Record<string, number>>> {
  const tables = await db.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await db.query<{ count: number }>(`select count(*) as count from ${name}`)
    counts[name] = row?.count ?? Number.NaN
  }
  return counts
}

function respond(method: string, params: Readonly<Record<string, unknown>>): NodeResponse {
  if (method === 'sendTransaction') return rejectionResponse(decodeEnvelope(String(params['transaction']), networkIdOf(PASSPHRASE)))
  return method === 'getTransaction' ? NOT_FOUND : { error: { code: -32601, message: 'method not found' } }
}

test('after a flood of every write path and a day, each table has as many rows as before', async () => {
  await using store = await openTestStore()
  const clock = createVirtualClock(BARE_START_MS)
  const calls = trackCalls(store)
  const rpc = createRpc({
    urls: ['http://node/'], clock, random: createSeededRandom('node'), log: silentLog,
    transport: createScriptedTransport((_url, method, params) => respond(method, params)),
  })
  const readDatabaseTime = async (): Promise<number> => clock.nowMs()
  await using bare = await createBareGateway({ store: calls.store, clock, rpc, readDatabaseTime, rateLimits: UNLIMITED_RATES })
  const { app, submissions } = bare.gateway
  const stop = new AbortController()
  const driving = submissions.run(stop.signal)
  async function pass(ms: number): Promise<void> {
    clock.advance(ms)
    await calls.idle(QUIET_TURNS)
  }

  const key = await obtainKey(app, createWallet('caller'))
  await pass(10_000)
  const before = await countRows(store.read)

  const deployment = anyDeployment()
  const relay = createRelay({ rpc, clock, log: silentLog, deployment, ledgerWatermarks: createLedgerWatermarks(clock), ...NO_WARNINGS })
  const { recordPrepared } = createSubmissionService({
    store: calls.store, relay, rpc, clock, random: createSeededRandom('preparing'), log: silentLog, readDatabaseTime,
  })
  const statuses = new Map<string, Set<number>>()
  const flood = async (name: string, request: (index: number) => Promise<{ readonly status: number }>): Promise<void> => {
    const found = new Set<number>()
    for (let from = 0; from < REQUESTS; from += CONCURRENT) {
      const answers = await Promise.all(Array.from({ length: CONCURRENT }, (_, index) => request(from + index)))
      for (const { status } of answers) found.add(status)
    }
    statuses.set(name, found)
  }
  const random = createSeededRandom('flood')
  const hex = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex')
  await flood('challenges', (index) => call(app, '/v1/keys/challenge', { method: 'POST', body: { address: createWallet(`w${index}`).publicKey() } }))
  await flood('refused claims', (index) => call(app, '/v1/keys', {
    method: 'POST', body: { address: createWallet(`w${index}`).publicKey(), challenge: hex(32), signature: 'AAAA' },
  }))
  await flood('unknown keys', () => call(app, '/v1/account/me', { key: { ...key, keyId: `nk_${hex(12)}` } }))
  await flood('uses of a key', () => call(app, '/v1/account/me', { key }))
  await flood('refused submissions', (index) => call(app, '/v1/tx/submit', {
    method: 'POST', key, body: { signedXdr: signedTransaction(index + 1).envelopeXdr, clientId: `id-${index}` },
  }))
  await flood('undecodable submissions', (index) => call(app, '/v1/tx/submit', { method: 'POST', key, body: { signedXdr: `AAAA${index}` } }))
  await flood('unknown transactions', () => call(app, `/v1/tx/${hex(32)}`, { key }))
  await flood('exports', (index) => call(app, `/v1/export/trades/2020-01-${String((index % 28) + 1).padStart(2, '0')}.ndjson.gz`))
  for (let index = 0; index < REQUESTS; index++) {
    await recordPrepared({ hash: hex(32), owner: key.owner, op: 'open_position', clientId: `p-${index}`, expiresAt: Math.floor(clock.nowMs() / 1_000) + 300 })
  }
  assert.deepEqual([...statuses].map(([name, found]) => [name, ...found]), [
    ['challenges', 200], ['refused claims', 401], ['unknown keys', 401], ['uses of a key', 200], ['refused submissions', 400],
    ['undecodable submissions', 400], ['unknown transactions', 404], ['exports', 404],
  ])
  await pass(10_000)
  const during = await countRows(store.read)
  assert.ok((during['tx.submissions'] ?? 0) <= 100 && during['tx.submission_changes'] === 0, 'what is refused is bounded, and not in the log')
  assert.equal(during['tx.prepared'], REQUESTS)

  for (let hour = 0; hour < 25; hour++) await pass(HOUR_MS)
  for (let second = 0; second < 120; second += 5) await pass(5_000)
  assert.deepEqual(await countRows(store.read), before)
  stop.abort()
  await pass(1)
  await driving
})
