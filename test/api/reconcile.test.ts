// Positions are held against the ledger: after lost ledgers no phantom stays open, and none that is there is missing (docs/decisions/gaps.md).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMarketState } from '../../src/chain/market-state.ts'
import { createRpc } from '../../src/chain/rpc.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { rebuild } from '../../src/indexer/rebuild.ts'
import type { Health } from '../../src/resources/health.ts'
import type { MarketStats } from '../../src/resources/market-stats.ts'
import type { OpenPosition } from '../../src/resources/open-position.ts'
import { dumpProjections } from '../index/tables.ts'
import { createWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'

type Shown = readonly string[]

/** Open positions as the ledger has them, in the form of the list. */
async function onLedger(world: World): Promise<readonly Shown[]> {
  const { network, clock } = world
  const rpc = createRpc({
    urls: ['http://local/rpc'], clock, random: createSeededRandom('ledger'), log: silentLog,
    transport: async (_url, body) => {
      const { status, body: text } = await network.door.handle(body)
      return { status, body: text ?? '' }
    },
  })
  const { openIds } = await readMarketState(rpc, network.contracts, [], {})
  const { positions } = await readMarketState(rpc, network.contracts, [...(openIds ?? [])], {})
  return [...positions.values()].map((one) => shown(one?.id, one?.trader, one?.asset, one?.direction, one?.size, one?.entry_price, one?.timestamp))
    .toSorted(byText)
}

async function inList(world: World): Promise<readonly Shown[]> {
  const { body } = await world.get<{ positions: readonly OpenPosition[] }>('/v1/positions/open')
  return body.positions.map((one) => shown(one.positionId, one.trader, one.asset, one.direction, one.size, one.entryPrice, one.openedAt)).toSorted(byText)
}

const shown = (...parts: readonly unknown[]): Shown => parts.map(String)
const byText = (a: Shown, b: Shown): number => (a.join() < b.join() ? -1 : 1)

/** Compares until nothing is left to compare. */
async function compareAll(world: World): Promise<number> {
  let corrections = 0
  for (let parts = 0; parts < 20; parts++) {
    const made = await world.indexer.compare()
    if (made === null) return corrections
    corrections += made
  }
  throw new Error('the comparison does not end')
}

async function interest(world: World): Promise<readonly string[]> {
  const { body } = await world.get<{ stats: readonly MarketStats[] }>('/v1/markets/stats')
  return body.stats.map(({ asset, openInterestLong, openInterestShort, openPositions }) => `${asset} ${openInterestLong} ${openInterestShort} ${openPositions}`)
}

const health = async (world: World): Promise<Health['indexer']> => (await world.get<Health>('/v1/health')).body.indexer

test('where nothing was lost the ledger has nothing to correct, and every position was told of', async () => {
  await using world = await createWorld({ seed: 'reconcile' })
  for (let stretch = 0; stretch < 3; stretch++) {
    await world.closeLedgers(40)
    await world.settle()
    world.clock.advance(600_000)
    assert.equal(await compareAll(world), 0)
    assert.deepEqual(await inList(world), await onLedger(world))
  }
  const { corrections, compared, lastLedger } = await health(world)
  assert.equal(corrections, 0)
  assert.ok(compared !== null && compared.ledger === lastLedger && compared.positions > 10)
  assert.ok((compared.orders ?? 0) > 10 && (compared.vaults ?? 0) > 0)
  assert.deepEqual([compared.positionsMissing, compared.ordersMissing, compared.vaultsMissing], [0, 0, 0])
  assert.match(compared.factoryBalance ?? '', /^[1-9]\d+$/)
  assert.match(compared.vaultsTotal ?? '', /^[1-9]\d+$/)
})

test('after lost ledgers the open list is the ledger\'s: phantoms end without a trade, what was opened unseen is added, and a rebuild keeps it', async () => {
  await using world = await createWorld({ seed: 'reconcile lost' })
  await world.closeLedgers(60)
  await world.settle()
  await world.closeLedgers(120)
  await world.cheat('local_fault', { name: 'retention_cut', ledgers: 5 })
  await world.settle()
  await world.cheat('local_clearFaults')
  const [before, truth] = [await inList(world), await onLedger(world)]
  const ids = (rows: readonly Shown[]): ReadonlySet<unknown> => new Set(rows.map(([id]) => id))
  assert.ok([...ids(before)].some((id) => !ids(truth).has(id)), 'there are phantoms')
  assert.ok([...ids(truth)].some((id) => !ids(before).has(id)), 'and positions that no event told of')
  const trades = (await world.get<{ trades: readonly unknown[] }>('/v1/trades?limit=200')).body.trades.length

  assert.ok((await compareAll(world)) > 0)
  assert.deepEqual(await inList(world), truth)
  assert.equal((await world.get<{ trades: readonly unknown[] }>('/v1/trades?limit=200')).body.trades.length, trades)
  const { body } = await world.get<{ positions: readonly OpenPosition[] }>('/v1/positions/open')
  const added = body.positions.filter(({ openedTxHash }) => openedTxHash === null)
  assert.ok(added.length > 0 && added.length < body.positions.length, 'only their opening is not known')
  const told = await health(world)
  assert.ok((told.corrections ?? 0) > 0 && (told.compared?.positionsMissing ?? 0) > 0 && (told.compared?.ordersMissing ?? 0) > 0)

  await world.closeLedgers(60)
  await world.settle()
  world.clock.advance(600_000)
  await compareAll(world)
  assert.deepEqual(await inList(world), await onLedger(world))
  const live = { rows: await dumpProjections(world.store.read), interest: await interest(world) }
  await world.indexer[Symbol.asyncDispose]()
  await rebuild(world.store, { clock: world.clock })
  assert.deepEqual({ rows: await dumpProjections(world.store.read), interest: await interest(world) }, live)
})

test('what the archive has is counted by topic, and an id that no event tells of is missing', async () => {
  await using world = await createWorld({ seed: 'reconcile count' })
  await world.closeLedgers(60)
  await world.settle()
  await compareAll(world)
  const { archived, compared } = await health(world)
  const rows = await world.store.read.query<{ topic: string; events: number }>('select topic, count(*) as events from idx.events group by topic')
  assert.deepEqual(archived, Object.fromEntries(rows.map(({ topic, events }) => [topic, events])))
  assert.ok((archived?.['order_placed'] ?? 0) < (compared?.orders ?? 0), 'some placements tell nothing')

  await world.store.write.query('update idx.told_ids set told = told - 1')
  world.clock.advance(600_000)
  await compareAll(world)
  const told = (await health(world)).compared
  assert.deepEqual([told?.positionsMissing, told?.ordersMissing, told?.vaultsMissing], [1, 1, 1])
})

test('open interest that is not the ledger\'s is added up anew and counted', async () => {
  await using world = await createWorld({ seed: 'reconcile interest' })
  await world.closeLedgers(40)
  await world.settle()
  const right = await interest(world)
  await world.store.write.query('update idx.open_interest set long_size = long_size + 1')
  assert.equal(await compareAll(world), 0)
  assert.deepEqual(await interest(world), right)
  assert.equal((await health(world)).corrections, 1)
})
