// GET /v1/markets/stats.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { STATS_CACHE_MS } from '../../src/limits.ts'
import type { MarketStats } from '../../src/resources/market-stats.ts'
import { rowsOf } from '../support/pagination.ts'
import type { Row } from '../support/pagination.ts'
import { createChainTrader, applyInOneLedger, movePrice, openPosition } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

let fixture: GatewayFixture

before(async () => {
  fixture = await createGatewayFixture()
})
after(() => fixture[Symbol.asyncDispose]())

const DAY_MS = 86_400_000

async function stats(): Promise<readonly MarketStats[]> {
  return (await fixture.get<{ stats: readonly MarketStats[] }>('/v1/markets/stats')).body.stats
}

test('returns zeros for every supported asset while nothing is indexed', async () => {
  const { status, body, headers } = await fixture.get<{ stats: readonly MarketStats[] }>('/v1/markets/stats')
  assert.equal(status, 200)
  assert.deepEqual(body.stats.map(({ capacity: _capacity, ...row }) => row), ASSET_SYMBOLS.map((asset) => ({
    asset, openInterestLong: '0', openInterestShort: '0', openInterestNet: '0', openPositions: 0, volume24h: '0', change24h: null, high24h: null, low24h: null,
  })))
  assert.deepEqual([headers['x-ledger'], headers['x-seq']], ['0', '0'])
})

test('caches the response for five seconds', async () => {
  await fixture.closeLedgers(2)
  await fixture.catchUp()
  fixture.clock.advance(STATS_CACHE_MS)
  const first = await fixture.get('/v1/markets/stats')
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  const cached = await fixture.get('/v1/markets/stats')
  assert.deepEqual([cached.text, cached.headers['x-seq']], [first.text, first.headers['x-seq']])
  fixture.clock.advance(STATS_CACHE_MS)
  const fresh = await fixture.get('/v1/markets/stats')
  assert.ok(Number(fresh.headers['x-ledger']) > Number(first.headers['x-ledger']))
})

/** Opens, closes and liquidations, newest first. */
async function traded(): Promise<readonly { readonly asset: unknown; readonly size: bigint; readonly ts: number; readonly topic: unknown }[]> {
  const events = await rowsOf(fixture, '/v1/events?limit=500', 'events')
  assert.ok(events.length < 500, 'the list is complete')
  return events.filter(({ topic }) => ['position_opened', 'position_closed', 'position_liquidated'].includes(String(topic))).map((row) => {
    const payload = row['payload'] as Row
    return { asset: payload['asset'], size: BigInt(String(payload['size'])), ts: Number(row['ledgerCloseTs']), topic: row['topic'] }
  })
}

test('matches the open positions and the day\'s trades, a liquidation included', async () => {
  const gambler = await createChainTrader(fixture, 'gambler')
  await applyInOneLedger(fixture, [openPosition(gambler, { asset: 'SOL', direction: 0, collateral: 100, leverage: 10 })])
  await movePrice(fixture, 'SOL', 80)
  await fixture.closeLedgers(25)
  await fixture.catchUp()
  fixture.clock.advance(STATS_CACHE_MS)
  const positions = await rowsOf(fixture, '/v1/positions/open', 'positions')
  const fills = await traded()
  assert.ok(positions.length > 3)
  assert.ok(fills.some(({ topic }) => topic === 'position_liquidated'))
  for (const row of await stats()) {
    const own = positions.filter(({ asset }) => asset === row.asset)
    const side = (direction: number) => own.filter((one) => one['direction'] === direction).reduce((sum, one) => sum + BigInt(String(one['size'])), 0n)
    assert.equal(row.openInterestLong, String(side(0)))
    assert.equal(row.openInterestShort, String(side(1)))
    assert.equal(row.openInterestNet, String(side(0) - side(1)))
    assert.equal(row.openPositions, own.length)
    assert.equal(row.volume24h, String(fills.reduce((sum, { asset, size }) => (asset === row.asset ? sum + size : sum), 0n)))
  }
})

test('volume24h drops trades to the second as the clock advances, without new ledgers', async () => {
  const fills = await traded()
  for (const { ts } of [fills.at(-1), fills[Math.floor(fills.length / 2)], fills[1]].filter((fill) => fill !== undefined)) {
    fixture.clock.advance(ts * 1_000 + DAY_MS - fixture.clock.nowMs())
    for (const row of await stats()) {
      const inWindow = fills.filter((fill) => fill.asset === row.asset && fill.ts > ts)
      assert.equal(row.volume24h, String(inWindow.reduce((sum, { size }) => sum + size, 0n)), row.asset)
    }
    fixture.clock.advance(STATS_CACHE_MS)
  }
  fixture.clock.advance(DAY_MS)
  const rows = await stats()
  assert.ok(rows.every(({ volume24h }) => volume24h === '0'))
  assert.ok(rows.some(({ openPositions }) => openPositions > 0))
})
