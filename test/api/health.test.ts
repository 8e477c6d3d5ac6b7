// GET /v1/health.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import { RATE_LIMIT_PER_WINDOW } from '../../src/limits.ts'
import type { Health } from '../../src/resources/health.ts'
import { BARE_START_MS, createBareGateway } from '../support/bare-gateway.ts'
import { until } from '../support/until.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { anyDeployment } from '../support/deployments.ts'

/** A contract whose code was not read yet. */
const UNREAD = { generation: null, wasmHash: null, sinceLedger: null, notUnderstood: [] }

let fixture: GatewayFixture

before(async () => {
  fixture = await createGatewayFixture({ gateway: { rateLimits: RATE_LIMIT_PER_WINDOW } })
})
after(() => fixture[Symbol.asyncDispose]())

test('every indexer field is null on a fresh deployment', async () => {
  const { status, body, headers } = await fixture.get<Health>('/v1/health')
  assert.equal(status, 200)
  assert.deepEqual(Object.values(body.indexer), Array.from({ length: 13 }, () => null))
  assert.deepEqual([headers['x-ledger'], headers['x-seq']], ['0', '0'])
})

test('reports version, network and the eight contracts with their source, also under the names of the deployed service', async () => {
  const { body } = await fixture.get<Health>('/v1/health')
  assert.equal(body.status, 'ok')
  assert.equal(body.network, 'testnet')
  assert.match(body.version, /^\d+\.\d+\.\d+$/)
  assert.equal(body.uptime, 0)
  assert.deepEqual(Object.keys(body.contracts), [...CONTRACT_KEYS, 'noeracleShim', 'noetherRouter', 'noeToken'])
  for (const key of CONTRACT_KEYS) assert.deepEqual(body.contracts[key], { address: fixture.network.contracts[key], source: 'manifest', ...UNREAD })
  const { contracts: { oracleShim, router, lpToken, noeracleShim, noetherRouter, noeToken } } = body
  assert.deepEqual([noeracleShim, noetherRouter, noeToken], [oracleShim, router, lpToken])
})

test('reports the last ledger and its age, also while ledgers have no events', async () => {
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  const first = await fixture.get<Health>('/v1/health')
  assert.equal(first.body.indexer.lastLedger, fixture.network.chain.history.latest().sequence)
  assert.equal(first.body.indexer.lastUpdatedAt, fixture.clock.nowMs())
  assert.deepEqual([first.body.indexer.ledgerAgeSeconds, first.body.indexer.unknownEvents, first.body.indexer.gaps], [0, 0, 0])
  fixture.clock.advance(90_000)
  const later = await fixture.get<Health>('/v1/health')
  assert.equal(later.body.indexer.ledgerAgeSeconds, 90)
  assert.equal(later.body.uptime, 93)

  await fixture.control('local_actors', { publisher: false, keeper: false, traders: false })
  await fixture.closeLedgers(2)
  const lastLedger = first.body.indexer.lastLedger ?? 0
  await fixture.catchUp()
  const quiet = await fixture.get<Health>('/v1/health')
  assert.ok((quiet.body.indexer.lastLedger ?? 0) > lastLedger, 'the cursor moves without events')
  assert.equal(quiet.body.indexer.ledgerAgeSeconds, 0)
})

test('the ledger age grows while the chain is unreachable and drops after it recovers', async () => {
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  const reachable = (await fixture.get<Health>('/v1/health')).body.indexer
  fixture.rpc.isDown = true
  await fixture.closeLedgers(40)
  assert.equal((await fixture.indexer.step()).kind, 'unreachable')
  const unreachable = (await fixture.get<Health>('/v1/health')).body.indexer
  assert.deepEqual([unreachable.lastLedger, unreachable.lastUpdatedAt, unreachable.ledgerAgeSeconds], [reachable.lastLedger, reachable.lastUpdatedAt, 40])
  fixture.rpc.isDown = false
  await fixture.catchUp()
  fixture.clock.advance(1_000)
  const recovered = (await fixture.get<Health>('/v1/health')).body.indexer
  assert.deepEqual([recovered.lastLedger, recovered.ledgerAgeSeconds], [(reachable.lastLedger ?? 0) + 40, 1])
})

test('reports the environment as the source of an overridden contract address', async () => {
  const router = `C${'A'.repeat(55)}`
  const deployment = anyDeployment({ router: { address: router, source: 'env' } })
  await using bare = await createBareGateway({ deployment, store: emptyStore() })
  const { contracts } = (await bare.gateway.app.inject('/v1/health')).json<Health>()
  assert.deepEqual([contracts.router, contracts.market.source], [{ address: router, source: 'env', ...UNREAD }, 'manifest'])
})

function emptyStore(): never {
  const db = { query: async () => [] }
  return { engine: 'embedded', read: db, write: db, writeProblem: async () => null } as never
}

test('is exempt from the rate limit, with or without a query', async () => {
  for (let call = 0; call < RATE_LIMIT_PER_WINDOW.public + 5; call++) {
    const { status, headers } = await fixture.get(call % 2 === 0 ? '/v1/health' : '/v1/health?probe=1')
    assert.equal(status, 200)
    assert.equal(headers['x-ratelimit-remaining'], undefined)
    assert.equal(headers['cache-control'], 'no-store')
  }
})

test('responds 200 while the database fails or hangs, without revealing internals', async () => {
  const broken = { query: async () => { throw new Error('connection lost to db.internal') } }
  await using bare = await createBareGateway({ store: { engine: 'embedded', read: broken, write: broken, writeProblem: async () => null } as never })
  const response = await bare.gateway.app.inject('/v1/health')
  assert.equal(response.statusCode, 200)
  assert.equal(response.json<Health>().indexer.lastLedger, null)
  assert.doesNotMatch(response.body, /db\.internal/)

  const hanging = { query: () => new Promise(() => {}) }
  await using other = await createBareGateway({ store: { engine: 'embedded', read: hanging, write: hanging, writeProblem: async () => null } as never })
  const waiting = other.gateway.app.inject('/v1/health')
  await until(() => other.clock.pendingTimers() > 0, 'the wait for the database')
  other.clock.advance(1_000)
  assert.equal((await waiting).statusCode, 200)
  assert.equal(other.clock.nowMs(), BARE_START_MS + 1_000)
})
