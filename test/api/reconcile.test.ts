// Reconciliation with the ledger: after lost ledgers the open list has no phantom positions and no missing ones (docs/decisions/gaps.md).

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { rebuild } from '../../src/indexer/rebuild.ts'
import type { Health } from '../../src/resources/health.ts'
import type { MarketStats } from '../../src/resources/market-stats.ts'
import type { OpenPosition } from '../../src/resources/open-position.ts'
import { dumpProjections } from '../index/tables.ts'
import { reconcileAll, readPositionsFromApi, readPositionsFromChain } from '../support/open-positions.ts'
import type { PositionRow } from '../support/open-positions.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

async function openInterest(world: GatewayFixture): Promise<readonly string[]> {
  const { body } = await world.get<{ stats: readonly MarketStats[] }>('/v1/markets/stats')
  return body.stats.map(({ asset, openInterestLong, openInterestShort, openPositions }) => `${asset} ${openInterestLong} ${openInterestShort} ${openPositions}`)
}

const health = async (world: GatewayFixture): Promise<Health['indexer']> => (await world.get<Health>('/v1/health')).body.indexer

/** The migration's statements that count the ids of events archived before it ran. */
const RECOUNT = readFileSync(new URL('../../src/store/migrations/0011_completeness.sql', import.meta.url), 'utf8')
  .split(';').filter((statement) => statement.includes('insert into idx.told_ids'))

test('makes no corrections and misses no ids when no ledgers were lost', async () => {
  await using world = await createGatewayFixture({ seed: 'reconcile' })
  for (let round = 0; round < 3; round++) {
    await world.closeLedgers(40)
    await world.catchUp()
    world.clock.advance(600_000)
    assert.equal(await reconcileAll(world), 0)
    assert.deepEqual(await readPositionsFromApi(world), await readPositionsFromChain(world))
  }
  const { corrections, compared, lastLedger } = await health(world)
  assert.equal(corrections, 0)
  assert.ok(compared !== null && compared.ledger === lastLedger && compared.positions > 10)
  assert.ok((compared.orders ?? 0) > 10 && (compared.vaults ?? 0) > 0)
  assert.deepEqual([compared.positionsMissing, compared.ordersMissing, compared.vaultsMissing], [0, 0, 0])
  assert.match(compared.factoryBalance ?? '', /^[1-9]\d+$/)
  assert.match(compared.vaultsTotal ?? '', /^[1-9]\d+$/)
})

test('after lost ledgers closes phantoms without a trade, adds unseen positions, and a rebuild preserves both', async () => {
  await using world = await createGatewayFixture({ seed: 'reconcile lost' })
  await world.closeLedgers(60)
  await world.catchUp()
  await world.closeLedgers(120)
  await world.control('local_fault', { name: 'retention_cut', ledgers: 5 })
  await world.catchUp()
  await world.control('local_clearFaults')
  const [listed, onLedger] = [await readPositionsFromApi(world), await readPositionsFromChain(world)]
  const ids = (rows: readonly PositionRow[]): ReadonlySet<unknown> => new Set(rows.map(([id]) => id))
  assert.ok([...ids(listed)].some((id) => !ids(onLedger).has(id)), 'there are phantoms')
  assert.ok([...ids(onLedger)].some((id) => !ids(listed).has(id)), 'there are positions without an opening event')
  const trades = (await world.get<{ trades: readonly unknown[] }>('/v1/trades?limit=200')).body.trades.length

  assert.ok((await reconcileAll(world)) > 0)
  assert.deepEqual(await readPositionsFromApi(world), onLedger)
  assert.equal((await world.get<{ trades: readonly unknown[] }>('/v1/trades?limit=200')).body.trades.length, trades)
  const { body } = await world.get<{ positions: readonly OpenPosition[] }>('/v1/positions/open')
  const added = body.positions.filter(({ openedTxHash }) => openedTxHash === null)
  assert.ok(added.length > 0 && added.length < body.positions.length, 'only added positions lack an opening transaction')
  const { corrections, compared } = await health(world)
  assert.ok((corrections ?? 0) > 0 && (compared?.positionsMissing ?? 0) > 0 && (compared?.ordersMissing ?? 0) > 0)

  await world.closeLedgers(60)
  await world.catchUp()
  world.clock.advance(600_000)
  await reconcileAll(world)
  assert.deepEqual(await readPositionsFromApi(world), await readPositionsFromChain(world))
  const live = { rows: await dumpProjections(world.store.read), interest: await openInterest(world) }
  await world.indexer[Symbol.asyncDispose]()
  await rebuild(world.store, { clock: world.clock })
  assert.deepEqual({ rows: await dumpProjections(world.store.read), interest: await openInterest(world) }, live)
})

test('counts archived events by topic and reports ids without an event as missing', async () => {
  await using world = await createGatewayFixture({ seed: 'reconcile count' })
  await world.closeLedgers(60)
  await world.catchUp()
  await reconcileAll(world)
  const { archived, compared } = await health(world)
  const rows = await world.store.read.query<{ topic: string; events: number }>('select topic, count(*) as events from idx.events group by topic')
  assert.deepEqual(archived, Object.fromEntries(rows.map(({ topic, events }) => [topic, events])))
  assert.ok((archived?.['order_placed'] ?? 0) < (compared?.orders ?? 0), 'some orders are placed without an event')

  const counted = (): Promise<readonly object[]> => world.store.read.query('select * from idx.told_ids order by home, kind')
  const counts = await counted()
  await world.store.write.query('delete from idx.told_ids')
  for (const statement of RECOUNT) await world.store.write.query(statement)
  assert.deepEqual(await counted(), counts, 'events archived before the migration are counted the same way')

  await world.store.write.query('update idx.told_ids set told = told - 1')
  world.clock.advance(600_000)
  await reconcileAll(world)
  const less = (await health(world)).compared
  assert.deepEqual([less?.positionsMissing, less?.ordersMissing, less?.vaultsMissing], [1, 1, 1])
})

test('recomputes open interest that differs from the ledger and counts the correction', async () => {
  await using world = await createGatewayFixture({ seed: 'reconcile interest' })
  await world.closeLedgers(40)
  await world.catchUp()
  const right = await openInterest(world)
  await world.store.write.query('update idx.open_interest set long_size = long_size + 1')
  assert.equal(await reconcileAll(world), 0)
  assert.deepEqual(await openInterest(world), right)
  assert.equal((await health(world)).corrections, 1)
})
