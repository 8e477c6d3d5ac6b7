import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import type { VirtualClock } from '../base/clock.ts'
import { createOracleHealth } from './oracle-health.ts'
import type { OracleHealthReader } from './oracle-health.ts'
import type { PriceReading } from './prices.ts'

const NOW_SEC = 1_000

/** The health of prices with these ages; null: never read. */
function healthOf(ages: readonly (number | null)[], options: { readonly secret?: string | null; readonly maxAgeSec?: number | null } = {}): {
  readonly clock: VirtualClock
  readonly reader: OracleHealthReader
} {
  const { secret = 'secret', maxAgeSec = null } = options
  const readings = ages.map((age, index): PriceReading => ({
    asset: `A${index}`,
    isReadable: age !== null,
    price: age === null ? null : { asset: `A${index}`, price: '5', priceFloat: 5, timestamp: NOW_SEC - age, stale: false, ageSec: age, ledger: 1 },
  }))
  const clock = createVirtualClock(NOW_SEC * 1_000)
  const prices = { snapshot: () => Promise.resolve({ prices: new Map(), anyOutdated: false }), readings: () => readings, maxAgeSec: () => maxAgeSec }
  return { clock, reader: createOracleHealth({ prices, clock, heartbeatSecret: secret }) }
}

test('the status depends on how many prices are stale, and on the keeper', async () => {
  const statusOf = async (ages: readonly (number | null)[], maxAgeSec: number | null = null): Promise<unknown> => {
    const { reader } = healthOf(ages, { maxAgeSec })
    reader.heartbeat({})
    const { status, onchain } = await reader.health()
    return [status, onchain.staleAfterSec, onchain.staleCount]
  }
  assert.deepEqual(await statusOf([60, 60]), ['ok', 60, 0])
  assert.deepEqual(await statusOf([60, 61]), ['degraded', 60, 1])
  assert.deepEqual(await statusOf([null, 60]), ['degraded', 60, 1])
  assert.deepEqual(await statusOf([61, 61]), ['down', 60, 2])
  assert.deepEqual(await statusOf([61, 90], 90), ['ok', 90, 0], 'the limit of the market')
})

test('reports the age of each price, which is never negative', async () => {
  const { onchain } = await healthOf([-5, 61, null]).reader.health()
  assert.deepEqual(onchain.assets, [
    { asset: 'A0', priceFloat: 5, ageSec: 0, stale: false, error: null },
    { asset: 'A1', priceFloat: 5, ageSec: 61, stale: true, error: null },
    { asset: 'A2', priceFloat: null, ageSec: null, stale: true, error: 'price_unreadable' },
  ])
})

test('a keeper is stale two minutes after its last heartbeat, and before the first', async () => {
  const { clock, reader } = healthOf([-200])
  const keeper = async (): Promise<unknown> => {
    const { status, keeper: { ageMs, stale } } = await reader.health()
    return [status, ageMs, stale]
  }
  assert.deepEqual(await keeper(), ['degraded', null, true])
  reader.heartbeat({ round: 1 })
  clock.advance(120_000)
  assert.deepEqual(await keeper(), ['ok', 120_000, false])
  clock.advance(1)
  assert.deepEqual(await keeper(), ['degraded', 120_001, true])
  assert.deepEqual((await reader.health()).keeper.lastReport, { round: 1 })
})

test('accepts heartbeats with the configured secret only', async () => {
  const { reader } = healthOf([-200])
  assert.deepEqual([reader.checkSecret('secret'), reader.checkSecret('Secret'), reader.checkSecret(undefined)], ['accepted', 'unauthorized', 'unauthorized'])
  const disabled = healthOf([0], { secret: null }).reader
  assert.equal(disabled.checkSecret('secret'), 'heartbeat_disabled')
  disabled.heartbeat({})
  const { status, keeper } = await disabled.health()
  assert.deepEqual([status, keeper.configured], ['degraded', false])
})
