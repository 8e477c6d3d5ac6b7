// Reconciliation with the ledger: after lost ledgers the open list has no phantom positions and no missing ones (docs/decisions/gaps.md).

import assert from 'node:assert/strict'
import { createSystemClock } from '../../src/base/clock.ts'
import { test } from 'node:test'
import { rebuild } from '../../src/indexer/repair/rebuild.ts'
import type { Health } from '../../src/resources/health.ts'
import type { MarketStats } from '../../src/resources/market-stats.ts'
import type { OpenPosition } from '../../src/resources/open-position.ts'
import { dumpProjections } from '../index/tables.ts'
import { reconcileAll, readPositionsFromApi, readPositionsFromChain } from './chain-views.ts'
import type { PositionRow } from './chain-views.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

async function openInterest(fixture: GatewayFixture): Promise<readonly string[]> {
  const { body } = await fixture.get<{ stats: readonly MarketStats[] }>('/v1/markets/stats')
  return body.stats.map(({ asset, openInterestLong, openInterestShort, openPositions }) => `${asset} ${openInterestLong} ${openInterestShort} ${openPositions}`)
}

const health = async (fixture: GatewayFixture): Promise<Health['indexer']> => (await fixture.get<Health>('/v1/health')).body.indexer

test('makes no corrections and misses no ids when no ledgers were lost', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile' })
  for (let round = 0; round < 3; round++) {
    await fixture.closeLedgers(40)
    await fixture.catchUp()
    fixture.clock.advance(600_000)
    assert.equal(await reconcileAll(fixture), 0)
    assert.deepEqual(await readPositionsFromApi(fixture), await readPositionsFromChain(fixture))
  }
  const { corrections, compared, lastLedger } = await health(fixture)
  assert.equal(corrections, 0)
  assert.ok(compared !== null && compared.ledger === lastLedger && compared.positions > 10)
  assert.ok((compared.orders ?? 0) > 10 && (compared.vaults ?? 0) > 0)
  assert.deepEqual([compared.positionsMissing, compared.ordersMissing, compared.vaultsMissing], [0, 0, 0])
  assert.match(compared.factoryBalance ?? '', /^[1-9]\d+$/)
  assert.match(compared.vaultsTotal ?? '', /^[1-9]\d+$/)
})

test('after lost ledgers closes phantoms without a trade, adds unseen positions, and a rebuild preserves both', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile lost' })
  await fixture.closeLedgers(60)
  await fixture.catchUp()
  await fixture.closeLedgers(120)
  await fixture.control('local_fault', { name: 'retention_cut', ledgers: 5 })
  await fixture.catchUp()
  await fixture.control('local_clearFaults')
  const [listed, onLedger] = [await readPositionsFromApi(fixture), await readPositionsFromChain(fixture)]
  const ids = (rows: readonly PositionRow[]): ReadonlySet<unknown> => new Set(rows.map(([id]) => id))
  assert.ok([...ids(listed)].some((id) => !ids(onLedger).has(id)), 'there are phantoms')
  assert.ok([...ids(onLedger)].some((id) => !ids(listed).has(id)), 'there are positions without an opening event')
  const trades = (await fixture.get<{ trades: readonly unknown[] }>('/v1/trades?limit=200')).body.trades.length

  assert.ok((await reconcileAll(fixture)) > 0)
  assert.deepEqual(await readPositionsFromApi(fixture), onLedger)
  assert.equal((await fixture.get<{ trades: readonly unknown[] }>('/v1/trades?limit=200')).body.trades.length, trades)
  const { body } = await fixture.get<{ positions: readonly OpenPosition[] }>('/v1/positions/open')
  const added = body.positions.filter(({ openedTxHash }) => openedTxHash === null)
  assert.ok(added.length > 0 && added.length < body.positions.length, 'only added positions lack an opening transaction')
  const { corrections, compared } = await health(fixture)
  assert.ok((corrections ?? 0) > 0 && (compared?.positionsMissing ?? 0) > 0 && (compared?.ordersMissing ?? 0) > 0)

  await fixture.closeLedgers(60)
  await fixture.catchUp()
  fixture.clock.advance(600_000)
  await reconcileAll(fixture)
  assert.deepEqual(await readPositionsFromApi(fixture), await readPositionsFromChain(fixture))
  const live = { rows: await dumpProjections(fixture.store.read), interest: await openInterest(fixture) }
  await fixture.indexer[Symbol.asyncDispose]()
  await rebuild(fixture.store, { clock: createSystemClock() })
  assert.deepEqual({ rows: await dumpProjections(fixture.store.read), interest: await openInterest(fixture) }, live)
})

test('counts archived events by topic and reports ids without an event as missing', async () => {
  // Contracts of generation 2 place no order without an event.
  await using fixture = await createGatewayFixture({ seed: 'reconcile count', generation: '1' })
  await fixture.closeLedgers(60)
  await fixture.catchUp()
  await reconcileAll(fixture)
  const { archived, compared } = await health(fixture)
  const rows = await fixture.store.read.query<{ topic: string; events: number }>(
    'select topic, count(*) as events from idx.events where not is_transfer group by topic',
  )
  assert.deepEqual(archived, Object.fromEntries(rows.map(({ topic, events }) => [topic, events])))
  assert.ok((archived?.['order_placed'] ?? 0) < (compared?.orders ?? 0), 'some orders are placed without an event')

  await fixture.store.write.query('update idx.seen_ids set seen = seen - 1')
  fixture.clock.advance(600_000)
  await reconcileAll(fixture)
  const less = (await health(fixture)).compared
  assert.deepEqual([less?.positionsMissing, less?.ordersMissing, less?.vaultsMissing], [1, 1, 1])
})

test('recomputes open interest that differs from the ledger and counts the correction', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile interest' })
  await fixture.closeLedgers(40)
  await fixture.catchUp()
  const right = await openInterest(fixture)
  await fixture.store.write.query('update idx.open_interest set long_size = long_size + 1')
  assert.equal(await reconcileAll(fixture), 0)
  assert.deepEqual(await openInterest(fixture), right)
  assert.equal((await health(fixture)).corrections, 1)
})
