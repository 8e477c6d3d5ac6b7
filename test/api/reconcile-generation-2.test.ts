// Reconciliation with a market of the second generation, which has no lists of its positions and orders from 2.3 on (docs/decisions/corrections.md).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rebuild } from '../../src/indexer/rebuild.ts'
import type { Health } from '../../src/resources/health.ts'
import type { OpenPosition } from '../../src/resources/open-position.ts'
import { dumpProjections } from '../index/tables.ts'
import { reconcileAll, readPositionsFromApi, readPositionsFromChain } from '../support/chain-views.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const RECONCILE_LATER_MS = 600_000

const health = async (fixture: GatewayFixture): Promise<Health['indexer']> => (await fixture.get<Health>('/v1/health')).body.indexer

async function compared(fixture: GatewayFixture): Promise<NonNullable<Health['indexer']['compared']>> {
  const { compared: last } = await health(fixture)
  assert.ok(last !== null, 'the index was compared')
  return last
}

async function closeAndIndex(fixture: GatewayFixture, ledgers: number): Promise<void> {
  await fixture.closeLedgers(ledgers)
  await fixture.catchUp()
}

async function reconcileLater(fixture: GatewayFixture): Promise<number> {
  fixture.clock.advance(RECONCILE_LATER_MS)
  return await reconcileAll(fixture)
}

async function assertEqualsChain(fixture: GatewayFixture): Promise<void> {
  assert.deepEqual(await readPositionsFromApi(fixture), await readPositionsFromChain(fixture))
}

test('the index of an active market equals the chain without corrections, counts included', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile 2', generation: '2' })
  for (let round = 0; round < 3; round++) {
    await closeAndIndex(fixture, 70)
    assert.equal(await reconcileLater(fixture), 0)
    await assertEqualsChain(fixture)
    const { positionsMissing, ordersMissing, vaultsMissing, openPositionsDrift, openOrdersDrift } = await compared(fixture)
    assert.deepEqual([positionsMissing, ordersMissing, vaultsMissing, openPositionsDrift, openOrdersDrift], [0, 0, 0, 0, 0])
  }
  const { corrections, archived, lastLedger } = await health(fixture)
  const { ledger, positions, orders, vaults } = await compared(fixture)
  assert.deepEqual([corrections, ledger], [0, lastLedger])
  assert.ok(positions > 10 && (orders ?? 0) > 10 && (vaults ?? 0) > 0)
  assert.ok((archived?.['position_closed'] ?? 0) > 5, 'positions ended')

  assert.ok((await fixture.indexer.observe()) > 0)
  const { vaults: [vault] } = (await fixture.get<{ vaults: readonly { id: number; totalUsdc: string }[] }>('/v1/vaults')).body
  assert.ok(BigInt(vault?.totalUsdc ?? '0') > 0n)
  const samples = await fixture.store.read.query<{ aum: string }>('select aum from idx.pool_samples')
  assert.ok(samples.length > 0 && samples.every(({ aum }) => BigInt(aum) > 0n), 'the pool was sampled')
})

test('positions that differ, ended or were never seen are corrected, and a rebuild preserves that', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile 2 planted', generation: '2' })
  await closeAndIndex(fixture, 90)
  await reconcileAll(fixture)
  const { body: { positions: open } } = await fixture.get<{ positions: readonly OpenPosition[] }>('/v1/positions/open')
  const [reduced = 0, unseen = 0, alsoUnseen = 0] = open.map(({ positionId }) => positionId)
  const { write } = fixture.store
  await write.query('update idx.positions set size = size + 10000000 where position_id = $1', [reduced])
  const [closed] = await write.query<{ id: number }>(
    `update idx.positions set state = 'open' where position_id = (select max(position_id) from idx.positions where state <> 'open')
     returning position_id as id`,
  )
  await write.query('delete from idx.positions where position_id = $1', [unseen])
  assert.ok(closed !== undefined && alsoUnseen > 0)

  // A second one, because one more and one less would leave the count as it was.
  await write.query('delete from idx.positions where position_id = $1', [alsoUnseen])
  await reconcileLater(fixture)
  await reconcileLater(fixture)
  await assertEqualsChain(fixture)
  const rows = await fixture.store.read.query<{ kind: string; id: number }>('select kind, position_id as id from idx.corrections order by position_id, kind')
  assert.deepEqual(new Set(rows.map(({ kind, id }) => `${kind} ${id}`)), new Set([
    `changed ${reduced}`, `ended ${closed.id}`, `opened ${unseen}`, `opened ${alsoUnseen}`,
  ]))
  assert.equal(await reconcileLater(fixture), 0)
  assert.equal((await compared(fixture)).openPositionsDrift, 0)
})

test('after lost ledgers finds unseen positions by their ids, and reports what is missing', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile 2 lost', generation: '2' })
  await closeAndIndex(fixture, 60)
  await reconcileAll(fixture)
  await fixture.closeLedgers(120)
  await fixture.control('local_fault', { name: 'retention_cut', ledgers: 5 })
  await fixture.catchUp()
  await fixture.control('local_clearFaults')
  assert.notDeepEqual(await readPositionsFromApi(fixture), await readPositionsFromChain(fixture))
  assert.ok((await reconcileLater(fixture)) > 0)
  await assertEqualsChain(fixture)
  const { positionsMissing, ordersMissing, openPositionsDrift } = await compared(fixture)
  assert.ok(positionsMissing > 0 && (ordersMissing ?? 0) > 0)
  assert.equal(openPositionsDrift, 0)

  await closeAndIndex(fixture, 40)
  await reconcileLater(fixture)
  await assertEqualsChain(fixture)
  const live = await dumpProjections(fixture.store.read)
  await fixture.indexer[Symbol.asyncDispose]()
  await rebuild(fixture.store, { clock: fixture.clock })
  assert.deepEqual(await dumpProjections(fixture.store.read), live)
})

test('reports orders and positions that the index has open and the market does not', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile 2 drift', generation: '2' })
  await closeAndIndex(fixture, 60)
  await fixture.store.write.query(
    'update idx.placed_orders set status = \'open\' where order_id = (select min(order_id) from idx.placed_orders where status <> \'open\')',
  )
  await reconcileAll(fixture)
  const { openOrdersDrift, openPositionsDrift } = await compared(fixture)
  assert.deepEqual([openOrdersDrift, openPositionsDrift], [1, 0])
})

test('stays exact when an upgrade removes the lists', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile 2 upgrade', generation: '2' })
  await fixture.closeLedgers(1)
  await fixture.control('local_upgrade', { contract: 'market', build: '2.2' })
  await closeAndIndex(fixture, 60)
  await fixture.indexer.watchContracts()
  assert.equal(await reconcileAll(fixture), 0)
  await assertEqualsChain(fixture)
  assert.equal((await compared(fixture)).openPositionsDrift, 0, 'compared with the list')
  await fixture.control('local_upgrade', { contract: 'market', build: '2.3' })
  for (let round = 0; round < 3; round++) {
    await closeAndIndex(fixture, 40)
    assert.equal(await reconcileLater(fixture), 0)
    await assertEqualsChain(fixture)
    const { ledger, positionsMissing } = await compared(fixture)
    assert.deepEqual([ledger, positionsMissing], [(await health(fixture)).lastLedger, 0])
  }
})
