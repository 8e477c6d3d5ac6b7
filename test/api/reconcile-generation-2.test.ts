// Reconciliation with a market of the second generation, which has no lists of its positions and orders from 2.3 on (docs/decisions/corrections.md).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { address, i128, symbol, u32, u64 } from '../../localnet/contracts/shared/host.ts'
import { numberedKey } from '../../src/chain/views/market-entries.ts'
import { rebuild } from '../../src/indexer/repair/rebuild.ts'
import type { Health } from '../../src/resources/health.ts'
import type { OpenPosition } from '../../src/resources/open-position.ts'
import { dumpProjections } from '../index/tables.ts'
import { reconcileAll, readPositionsFromApi, readPositionsFromChain } from './chain-views.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { applyInOneLedger, createChainTrader, ONE } from '../support/traders.ts'
import type { ChainTrader, ContractCall } from '../support/traders.ts'

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

function openCall(trader: ChainTrader, functionName: 'open_position' | 'open_position_cross', asset: string, collateral: number): ContractCall {
  return { trader, functionName, args: [address(trader.address), symbol(asset), i128(BigInt(collateral) * ONE), u32(10), u32(0), i128(0n)] }
}

function positionCall(trader: ChainTrader, functionName: string, positionId: number, amount: bigint): ContractCall {
  return { trader, functionName, args: [address(trader.address), u64(BigInt(positionId)), i128(amount)] }
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

test('reduced and partly liquidated positions, changed collateral and liquidated accounts need no correction', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile 2 partial', generation: '2', traders: 0 })
  await fixture.closeLedgers(3)
  const setPrices = async (btc: bigint, eth: bigint): Promise<void> => {
    await fixture.control('local_setPrice', { asset: 'BTC', price: String(btc * ONE) })
    await fixture.control('local_setPrice', { asset: 'ETH', price: String(eth * ONE) })
  }
  await setPrices(100_000n, 4_000n)
  const [alice, bob, carol] = [await createChainTrader(fixture, 'alice'), await createChainTrader(fixture, 'bob'), await createChainTrader(fixture, 'carol')]
  await fixture.closeLedgers(3)
  await applyInOneLedger(fixture, [
    { trader: bob, functionName: 'deposit_cross_margin', args: [address(bob.address), i128(1_350n * ONE)] },
  ])
  await applyInOneLedger(fixture, [
    openCall(alice, 'open_position', 'BTC', 1_000), openCall(bob, 'open_position_cross', 'BTC', 1_000), openCall(carol, 'open_position', 'ETH', 800),
  ])
  await applyInOneLedger(fixture, [openCall(bob, 'open_position_cross', 'ETH', 300)])
  await fixture.catchUp()
  const idOf = async ({ address: trader }: ChainTrader): Promise<number> =>
    (await fixture.get<{ positions: readonly OpenPosition[] }>(`/v1/positions/open?trader=${trader}`)).body.positions[0]?.positionId ?? 0
  const carolsId = await idOf(carol)
  await applyInOneLedger(fixture, [positionCall(carol, 'close_position_partial', carolsId, 3_000n * ONE)])
  await applyInOneLedger(fixture, [positionCall(carol, 'add_collateral', carolsId, 90n * ONE)])
  await applyInOneLedger(fixture, [positionCall(carol, 'remove_collateral', carolsId, 10n * ONE)])
  const check = async (): Promise<void> => {
    await fixture.catchUp()
    assert.equal(await reconcileLater(fixture), 0)
    await assertEqualsChain(fixture)
    assert.equal((await compared(fixture)).openPositionsDrift, 0)
    await fixture.closeLedgers(1)
  }
  await check()
  await setPrices(91_900n, 3_990n)
  await fixture.closeLedgers(20)
  await check()
  await setPrices(85_000n, 3_300n)
  await fixture.closeLedgers(60)
  await check()
  const { archived, corrections } = await health(fixture)
  assert.equal(corrections, 0)
  for (const topic of ['position_reduced', 'collateral_added', 'collateral_removed', 'position_partial_liq', 'position_liquidated', 'cross_liq']) {
    assert.ok((archived?.[topic] ?? 0) > 0, topic)
  }
})

test('a comparison reads open positions only: no ids that ended by events', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile 2 cost', generation: '2' })
  await closeAndIndex(fixture, 80)
  fixture.rpc.requestedKeys.length = 0
  await reconcileAll(fixture)
  const requested = new Set(fixture.rpc.requestedKeys)
  const { market } = fixture.network.contracts
  const rows = await fixture.store.read.query<{ id: number; state: string }>('select position_id as id, state from idx.positions')
  const read = rows.filter(({ id }) => requested.has(numberedKey(market, 'Position', id)))
  assert.deepEqual(new Set(read), new Set(rows.filter(({ state }) => state === 'open')))
  assert.ok(rows.length > read.length + 3)
  const placed = await fixture.store.read.query<{ id: number }>('select order_id as id from idx.orders where seq is not null')
  assert.ok(placed.length > 10 && placed.every(({ id }) => !requested.has(numberedKey(market, 'Order', id))))
})

test('an index that starts late adds the positions that were opened before', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile 2 late', generation: '2', startLedger: 60 })
  await closeAndIndex(fixture, 90)
  assert.ok((await reconcileAll(fixture)) > 0)
  await assertEqualsChain(fixture)
  fixture.rpc.requestedKeys.length = 0
  assert.equal(await reconcileLater(fixture), 0)
  const [open] = await fixture.store.read.query<{ count: number }>('select count(*) as count from idx.positions where state = \'open\'')
  const ids = new Set(Array.from({ length: 100 }, (_, index) => numberedKey(fixture.network.contracts.market, 'Position', index + 1)))
  assert.equal(fixture.rpc.requestedKeys.filter((key) => ids.has(key)).length, open?.count, 'ids that were read once are not read again')
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
  await rebuild(fixture.store, { clock: createSystemClock() })
  assert.deepEqual(await dumpProjections(fixture.store.read), live)
})

test('reports orders and positions that the index has open and the market does not', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reconcile 2 drift', generation: '2' })
  await closeAndIndex(fixture, 60)
  await fixture.store.write.query(
    'update idx.orders set status = \'pending\' where order_id = (select min(order_id) from idx.orders where seq is not null and status <> \'pending\')',
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
