// The reads of the deployed service besides the specification, row by row: bodies with exactly these members, in this order, on contracts of both generations.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ADL_CACHE_MS, CAPACITY_STALE_MS, KEEPER_STALE_MS, STATS_CACHE_MS } from '../../src/limits.ts'
import type { AdlQueue } from '../../src/resources/adl-queue.ts'
import type { Leaderboard, LeaderRank } from '../../src/resources/leaderboard.ts'
import type { MarketStats, PoolCapacity, Solvency } from '../../src/resources/market-stats.ts'
import type { OracleHealth } from '../../src/resources/oracle-health.ts'
import { createDeployment } from '../../localnet/genesis.ts'
import { createIdentities } from '../../localnet/identities.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { call } from '../support/keys.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { rowsOf } from '../support/pagination.ts'
import { createTrader, movePrice, ONE, sign, whileLedgersClose } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { withoutMessage } from '../support/without-message.ts'

const SECRET = 'the secret of the keeper'
const G_ADDRESS = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'
const CAPACITY = [
  'headroomLong', 'headroomShort', 'bindingLong', 'bindingShort', 'oiLong', 'oiShort', 'netSkew', 'sideCap', 'skewCap', 'assetCapBps', 'capAbs', 'skewCapBps',
  'maxPositionSize', 'maxLeverage',
]
const POOL = [
  'aum', 'reservedPayout', 'usdcBalance', 'shortfallReserve', 'reserveCapBps', 'reserveCap', 'aggregateHeadroom', 'aggregateBinding', 'asOfLedger', 'ts',
  'stale',
]
const SOLVENCY = ['cumulativeBadDebtCovered', 'cumulativeBadDebtLpAbsorbed', 'badDebtEvents']

interface Stats {
  readonly stats: readonly MarketStats[]
  readonly pool: PoolCapacity
  readonly solvency: Solvency
}

let first: GatewayFixture
let second: GatewayFixture
let trader: Trader

before(async () => {
  const gateway = { heartbeatSecret: SECRET }
  first = await createGatewayFixture({ seed: 'reads 1', traders: 6, gateway })
  second = await createGatewayFixture({ seed: 'reads 2', traders: 0, generation: '2', gateway })
  await first.closeLedgers(20)
  await second.closeLedgers(4)
  trader = await createTrader(second, 'reader')
  await fillPool()
  const open = { op: 'open_position', collateral: String(100n * ONE) } as const
  await trader.trade({ ...open, asset: 'BTC', leverage: 5, direction: 'Long' })
  await trader.trade({ ...open, asset: 'BTC', leverage: 2, direction: 'Long' })
  await trader.trade({
    op: 'place_limit_order', asset: 'ETH', direction: 'Long', collateral: String(50n * ONE), leverage: 2, triggerPrice: '10000000000',
    triggerCondition: 'Below', slippageToleranceBps: 100,
  })
  await first.catchUp()
  await second.catchUp()
})
after(async () => {
  await first[Symbol.asyncDispose]()
  await second[Symbol.asyncDispose]()
})

/** The first deposit of the pool: nothing can be opened without it. */
async function fillPool(): Promise<void> {
  const { networkPassphrase, chain } = second.network
  chain.grant(trader.address, createDeployment(networkPassphrase, createIdentities(networkPassphrase, 0)).lpAsset, 0n)
  const body = { op: 'deposit_liquidity', amount: String(30_000n * ONE) }
  // Caches the key first: its lookup takes real time, in which no ledger may close.
  assert.equal((await call(second.gateway.app, '/v1/account/me', { key: trader.key })).status, 200)
  const prepared = await whileLedgersClose(second, () => call(second.gateway.app, '/v1/actions/prepare', { method: 'POST', body, key: trader.key }))
  assert.equal(prepared.status, 200, prepared.text)
  const submitted = await trader.submit(sign(prepared.body as unknown as PreparedTransaction, trader.wallet, networkPassphrase))
  assert.equal(submitted.body['status'], 'SUCCESS', submitted.text)
}

const both = () => [first, second] as const

async function read<Body = Record<string, unknown>>(fixture: GatewayFixture, path: string, status = 200): Promise<Body> {
  const response = await fixture.get<Body>(path)
  assert.equal(response.status, status, `${path}: ${response.text}`)
  return response.body
}

const keysOf = (value: unknown): readonly string[] => Object.keys(value as object)

test('health reports the pause state where the market has one', async () => {
  const pauseOf = async (fixture: GatewayFixture) => (await read<{ market: { pauseState: object } }>(fixture, '/v1/health')).market
  assert.deepEqual(await pauseOf(first), { pauseState: { supported: false, mode: null, since: null } })
  const { pauseState } = await pauseOf(second)
  assert.deepEqual(keysOf(pauseState), ['supported', 'mode', 'since'])
  assert.deepEqual([(pauseState as { supported: boolean }).supported, (pauseState as { mode: number }).mode], [true, 0])
})

test('GET /v1/orders/open lists placements, newest first, and ends', async () => {
  const [order, ...others] = await rowsOf(second, '/v1/orders/open', 'orders')
  assert.deepEqual(keysOf(order), ['orderId', 'trader', 'triggerPrice', 'status', 'ledger', 'ts', 'txHash'])
  assert.deepEqual([order?.['trader'], order?.['status'], order?.['triggerPrice'], others.length], [trader.address, 'open', '10000000000', 0])
  await trader.trade({ op: 'cancel_order', orderId: Number(order?.['orderId']) })
  await second.catchUp()
  assert.deepEqual(await rowsOf(second, '/v1/orders/open', 'orders'), [])
  const [ended] = await rowsOf(second, `/v1/orders/open?status=all&trader=${trader.address}`, 'orders')
  assert.deepEqual(ended, { ...order, status: 'cancelled' })
  assert.deepEqual(await rowsOf(second, `/v1/orders/open?status=all&trader=${G_ADDRESS}`, 'orders'), [])
  for (const query of ['status=closed', 'limit=0', 'limit=201', 'trader=G']) await read(second, `/v1/orders/open?${query}`, 400)
})

test('GET /v1/adl/queue ranks profitable positions, and positions/open has their quintile', async () => {
  const queueOf = (fixture: GatewayFixture, query = '') => read<AdlQueue>(fixture, `/v1/adl/queue?asset=btc${query}`)
  const { rows, supported, degraded } = await queueOf(first)
  assert.deepEqual([rows, supported, degraded], [[], false, false])
  await movePrice(second, 'BTC', 110)
  await second.closeLedgers(3)
  await second.catchUp()
  second.clock.advance(ADL_CACHE_MS)
  await second.gateway.oracle.step()
  const queue = await queueOf(second)
  assert.deepEqual(keysOf(queue), ['asset', 'updatedAt', 'degraded', 'rows', 'supported'])
  assert.deepEqual(queue.rows.map((row) => [row.rank, row.quintile]), [[1, 1], [2, 3]])
  assert.deepEqual(keysOf(queue.rows[0]), ['positionId', 'trader', 'asset', 'direction', 'size', 'pnl', 'score', 'rank', 'quintile'])
  assert.ok(BigInt(queue.rows[0]?.score ?? 0) > BigInt(queue.rows[1]?.score ?? 0))
  assert.equal(queue.rows[0]?.size, String(500n * ONE), 'the higher leverage is first')
  assert.deepEqual((await queueOf(second, `&trader=${G_ADDRESS}`)).rows, [])
  const positions = await rowsOf(second, '/v1/positions/open', 'positions')
  assert.equal(keysOf(positions[0]).at(-1), 'adlQuintile')
  assert.deepEqual(positions.map((row) => row['adlQuintile']), [3, 1])
  assert.ok((await rowsOf(first, '/v1/positions/open', 'positions')).every((row) => row['adlQuintile'] === null))
  await read(second, '/v1/adl/queue', 400)
  await read(second, '/v1/adl/queue?asset=NONE', 404)
})

test('GET /v1/account/shortfall is supported where the vault records it', async () => {
  const shortfallOf = (fixture: GatewayFixture) => read(fixture, `/v1/account/shortfall?address=${G_ADDRESS}`)
  assert.deepEqual(Object.entries(await shortfallOf(first)), [['address', G_ADDRESS], ['owed', '0'], ['reserve', '0'], ['supported', false]])
  assert.deepEqual(Object.entries(await shortfallOf(second)), [['address', G_ADDRESS], ['owed', '0'], ['reserve', '0'], ['supported', true]])
  for (const address of ['', 'G', 'G'.repeat(56)]) await read(second, `/v1/account/shortfall?address=${address}`, 400)
})

test('GET /v1/oracle/health reports prices and the keeper; strict turns a problem into 503', async () => {
  const health = await read<OracleHealth>(first, '/v1/oracle/health')
  assert.deepEqual([keysOf(health), keysOf(health.onchain)], [['status', 'onchain', 'keeper'], ['staleAfterSec', 'staleCount', 'assets']])
  assert.deepEqual(keysOf(health.onchain.assets[0]), ['asset', 'priceFloat', 'ageSec', 'stale', 'error'])
  assert.equal(health.onchain.assets.length, 14)
  assert.deepEqual([health.status, health.keeper], ['degraded', { configured: true, ageMs: null, stale: true, lastReport: null }])
  assert.equal((await read<OracleHealth>(first, '/v1/oracle/health?strict=1', 503)).status, 'degraded')

  const report = (secret: string | undefined, body: string) => first.gateway.app.inject({
    method: 'POST', url: '/v1/oracle/heartbeat', body,
    headers: { 'content-type': 'application/json', ...(secret === undefined ? {} : { 'x-keeper-secret': secret }) },
  })
  for (const wrong of [undefined, '', `${SECRET} `, SECRET.slice(1)]) {
    const response = await report(wrong, '{}')
    assert.deepEqual([response.statusCode, withoutMessage(response.json())], [401, { error: 'unauthorized' }])
  }
  const sent = { round: 7, detail: { ok: true } }
  const accepted = await report(SECRET, JSON.stringify(sent))
  assert.deepEqual([accepted.statusCode, accepted.body], [204, ''])
  assert.equal((await report(SECRET, '[1]')).statusCode, 400)
  assert.equal((await report(SECRET, JSON.stringify({ text: 'x'.repeat(5_000) }))).statusCode, 413)
  await first.catchUp()
  const ok = await read<OracleHealth>(first, '/v1/oracle/health?strict=yes')
  assert.deepEqual([ok.status, ok.onchain.staleCount, ok.keeper.stale, ok.keeper.lastReport], ['ok', 0, false, sent])
  first.clock.advance(KEEPER_STALE_MS + 1)
  const late = await read<OracleHealth>(first, '/v1/oracle/health')
  assert.deepEqual([late.status, late.onchain.staleCount, late.keeper.stale], ['down', 14, true])
})

test('heartbeats are disabled without a secret', async () => {
  await second.restartGateway({ heartbeatSecret: null })
  const response = await second.gateway.app.inject({ method: 'POST', url: '/v1/oracle/heartbeat', body: {}, headers: { 'x-keeper-secret': 'x' } })
  assert.deepEqual([response.statusCode, withoutMessage(response.json())], [503, { error: 'heartbeat_disabled' }])
})

test('GET /v1/leaderboard pages by offset, and its snapshot says whether the pages agree', async () => {
  const board = await read<Leaderboard>(first, '/v1/leaderboard?limit=1')
  assert.deepEqual(keysOf(board), [
    'sort', 'scope', 'network', 'state', 'updatedAt', 'total', 'limit', 'offset', 'snapshot', 'snapshotChanged', 'leaders',
    'hasMore', 'nextCursor',
  ])
  assert.deepEqual([board.scope, board.network, board.state, board.limit, board.offset, board.snapshotChanged], ['testnet', 'testnet', 'ok', 1, 0, false])
  assert.match(board.snapshot, /^testnet\.pnl\.\d+\.\d+$/)
  assert.ok(board.total >= 2)
  const next = await read<Leaderboard>(first, `/v1/leaderboard?limit=1&offset=1&snapshot=${board.snapshot}`)
  assert.deepEqual([next.offset, next.snapshotChanged, next.leaders[0]?.rank], [1, false, 2])
  assert.deepEqual(keysOf(next.leaders[0]), ['rank', 'trader', 'pnl', 'volume', 'trades', 'liqCount'])
  assert.equal((await read<Leaderboard>(first, '/v1/leaderboard?snapshot=testnet.pnl.1.1')).snapshotChanged, true)
  assert.deepEqual((await read<Leaderboard>(first, '/v1/leaderboard?offset=99')).leaders, [])
  const other = await read<Leaderboard>(first, '/v1/leaderboard?scope=mainnet')
  assert.deepEqual([other.state, other.total, other.updatedAt, other.leaders], ['not_indexed_here', 0, null, []])
  for (const query of ['offset=-1', 'offset=10001', 'scope=local', `snapshot=${'x'.repeat(129)}`]) await read(first, `/v1/leaderboard?${query}`, 400)
})

test('GET /v1/leaderboard/rank and /totals agree with the list', async () => {
  for (const sort of ['pnl', 'volume']) {
    const { leaders, total, snapshot, updatedAt } = await read<Leaderboard>(first, `/v1/leaderboard?sort=${sort}&offset=0&snapshot=x`)
    for (const entry of leaders) {
      const ranked = await read<LeaderRank>(first, `/v1/leaderboard/rank?trader=${entry.trader}&sort=${sort}`)
      assert.deepEqual(Object.entries(ranked), Object.entries({
        trader: entry.trader, sort, scope: 'testnet', network: 'testnet', state: 'ok', rank: entry.rank, total, snapshot, updatedAt, entry,
      }))
    }
    const sums = (await read<Record<string, unknown>>(first, '/v1/leaderboard/totals'))
    assert.deepEqual(Object.entries(sums), Object.entries({
      scope: 'testnet', network: 'testnet', state: 'ok', updatedAt, traders: total,
      volume: String(leaders.reduce((sum, { volume }) => sum + BigInt(volume), 0n)), trades: leaders.reduce((sum, { trades }) => sum + trades, 0),
    }))
  }
  const unranked = await read<LeaderRank>(first, `/v1/leaderboard/rank?trader=${G_ADDRESS}`)
  assert.deepEqual([unranked.rank, unranked.entry], [null, null])
  await read(first, '/v1/leaderboard/rank', 400)
  await read(first, `/v1/leaderboard/rank?trader=C${'A'.repeat(55)}`, 400)
})

test('GET /v1/trades lists opens only on request', async () => {
  const opens = await rowsOf(second, '/v1/trades?include_opens=true', 'trades')
  assert.deepEqual(opens.map((row) => [row['kind'], row['closePrice'], row['pnl'], row['size']]), [
    ['open', null, null, String(200n * ONE)], ['open', null, null, String(500n * ONE)],
  ])
  assert.deepEqual(keysOf(opens[0]), [
    'positionId', 'trader', 'kind', 'ledger', 'ts', 'txHash', 'asset', 'direction', 'size', 'entryPrice', 'closePrice', 'pnl',
    'orderId', 'eventId', 'seq', 'epoch',
  ])
  assert.deepEqual(await rowsOf(second, '/v1/trades', 'trades'), [])
  await read(second, '/v1/trades?include_opens=1', 400)
})

test('GET /v1/markets/stats has capacity, pool and solvency', async () => {
  for (const fixture of both()) {
    fixture.clock.advance(STATS_CACHE_MS)
    const body = await read<Stats>(fixture, '/v1/markets/stats')
    assert.deepEqual(keysOf(body), ['stats', 'pool', 'solvency'])
    assert.deepEqual([keysOf(body.pool), keysOf(body.solvency)], [POOL, SOLVENCY])
    assert.deepEqual(Object.values(body.solvency), ['0', '0', 0])
    for (const { capacity } of body.stats) assert.deepEqual(keysOf(capacity), CAPACITY)
  }
  const { stats: [old] } = await read<Stats>(first, '/v1/markets/stats')
  assert.deepEqual([old?.capacity?.skewCap, old?.capacity?.skewCapBps, old?.capacity?.assetCapBps], [null, null, 2_500], 'generation 1 has no limit on skew')
  const { stats: [btc], pool } = await read<Stats>(second, '/v1/markets/stats')
  assert.deepEqual([btc?.capacity?.oiLong, btc?.capacity?.netSkew, btc?.capacity?.skewCapBps], [String(700n * ONE), String(700n * ONE), 1_500])
  assert.equal(pool.reservedPayout, String(700n * ONE))
})

test('stats keep the last capacity for a while without the network, marked stale, then leave it out', async () => {
  second.rpc.isDown = true
  second.clock.advance(CAPACITY_STALE_MS)
  assert.equal((await read<Stats>(second, '/v1/markets/stats')).pool.stale, true)
  second.clock.advance(60_000)
  const body = await read<Stats>(second, '/v1/markets/stats')
  assert.deepEqual(keysOf(body), ['stats', 'solvency'])
  assert.ok(body.stats.every((row) => !('capacity' in row)))
})
