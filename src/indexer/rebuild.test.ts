import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { readIndexState } from '../projections/index-state.ts'
import { listOpenPositions } from '../projections/positions.ts'
import { openTestStore } from '../../test/support/database.ts'
import { dumpArchive, dumpProjections, emptyIndex } from '../../test/index/tables.ts'
import { createIndexFixture } from '../../test/index/fixture.ts'
import type { IndexFixture } from '../../test/index/fixture.ts'
import { IndexBusy, rebuild } from './rebuild.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))
const clock = createVirtualClock(0)

/** A history over two incarnations of the network, longer than one page of a rebuild. */
async function longHistory(world: IndexFixture): Promise<void> {
  for (let ledger = 0; ledger < 30; ledger++) {
    for (let pick = 0; pick < 40; pick++) world.queue(pick % 3 === 2 ? world.exchange.close(pick, ledger) : world.exchange.open(pick, ledger))
    if (ledger % 7 === 3) world.queue(world.exchange.crossLiquidate(ledger))
    world.closeLedger()
    if (ledger === 14) {
      await world.catchUp()
      world.reset()
      world.closeLedger(60)
    }
  }
  await world.catchUp()
}

test('whatever happened to the projections, a rebuild makes them what they were, page by page and across epochs', async () => {
  await using world = createIndexFixture(store)
  await longHistory(world)
  const live = await dumpProjections(store.read)
  const archive = await dumpArchive(store.read)
  assert.ok(archive.length > 1_100 && live['trades']?.length !== 0)
  await world[Symbol.asyncDispose]()
  await store.write.query("update idx.positions set state = 'closed' where position_id % 2 = 0")
  await store.write.query('update idx.traders set pnl = pnl + 1')
  await store.write.query('delete from idx.trades where seq % 3 = 0')
  await store.write.query('update idx.fills set size = size * 2')
  await store.write.query('delete from idx.trader_hours')
  await store.write.query("insert into idx.asset_hours (asset, hour, volume) values ('GONE', 0, 5)")
  await store.write.query('update idx.open_interest set long_size = 0')
  const told: number[] = []
  assert.deepEqual(await rebuild(store, { clock, onProgress: ({ done }) => told.push(done) }), { events: archive.length, redecoded: 0 })
  assert.deepEqual(await dumpProjections(store.read), live)
  assert.deepEqual(await dumpArchive(store.read), archive)
  assert.equal(told.at(-1), archive.length)
})

test('an event that an older decoder did not know is decoded, applied and no longer counted as unknown', async () => {
  await using world = createIndexFixture(store)
  world.queue(world.exchange.open(0, 1))
  world.queue(world.exchange.other(0))
  world.closeLedger()
  await world.catchUp()
  await world[Symbol.asyncDispose]()
  const live = await dumpProjections(store.read)
  const archive = await dumpArchive(store.read)
  await store.write.query("update idx.events set payload = null, problem = 'unknown topic' where seq = 1")
  await store.write.query('update idx.cursor set unknown_events = 1')
  await store.write.query('delete from idx.positions')
  assert.deepEqual(await rebuild(store, { clock }), { events: 2, redecoded: 1 })
  assert.deepEqual(await dumpProjections(store.read), live)
  assert.deepEqual(await dumpArchive(store.read), archive)
  assert.equal((await readIndexState(store.read))?.unknownEvents, 0)
})

test('a rebuild that is broken off leaves everything as it was; while an indexer runs it does not begin', async () => {
  await using world = createIndexFixture(store)
  await longHistory(world)
  await assert.rejects(rebuild(store, { clock }), IndexBusy)
  await world[Symbol.asyncDispose]()
  const live = await dumpProjections(store.read)
  const stop = new AbortController()
  const ticking = { ...clock, nowMs: () => (stop.abort(new Error('broken off')), 0) }
  await assert.rejects(rebuild(store, { clock: ticking, signal: stop.signal }), /broken off/)
  assert.deepEqual(await dumpProjections(store.read), live)
  assert.ok((await listOpenPositions(store.read, {})).rows.length > 0)
  assert.equal((await rebuild(store, { clock })).redecoded, 0, 'the lock was given back')
})

test('an empty index rebuilds to an empty one', async () => {
  assert.deepEqual(await rebuild(store, { clock }), { events: 0, redecoded: 0 })
})
