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

/** A history with one network reset, longer than one page of a rebuild. */
async function longHistory(fixture: IndexFixture): Promise<void> {
  for (let ledger = 0; ledger < 30; ledger++) {
    for (let pick = 0; pick < 40; pick++) fixture.queue(pick % 3 === 2 ? fixture.exchange.close(pick, ledger) : fixture.exchange.open(pick, ledger))
    if (ledger % 7 === 3) fixture.queue(fixture.exchange.crossLiquidate(ledger))
    fixture.closeLedger()
    if (ledger === 14) {
      await fixture.catchUp()
      fixture.reset()
      fixture.closeLedger(60)
    }
  }
  await fixture.catchUp()
}

test('restores corrupted projections, across pages and epochs', async () => {
  await using fixture = createIndexFixture(store)
  await longHistory(fixture)
  const live = await dumpProjections(store.read)
  const archive = await dumpArchive(store.read)
  assert.ok(archive.length > 1_100 && live['trades']?.length !== 0)
  await fixture[Symbol.asyncDispose]()
  await store.write.query("update idx.positions set state = 'closed' where position_id % 2 = 0")
  await store.write.query('update idx.traders set pnl = pnl + 1')
  await store.write.query('delete from idx.trades where seq % 3 = 0')
  await store.write.query('update idx.fills set size = size * 2')
  await store.write.query('delete from idx.trader_hours')
  await store.write.query("insert into idx.asset_hours (asset, hour, volume) values ('GONE', 0, 5)")
  await store.write.query('update idx.open_interest set long_size = 0')
  const progress: number[] = []
  assert.deepEqual(await rebuild(store, { clock, onProgress: ({ done }) => progress.push(done) }), { events: archive.length, redecoded: 0 })
  assert.deepEqual(await dumpProjections(store.read), live)
  assert.deepEqual(await dumpArchive(store.read), archive)
  assert.equal(progress.at(-1), archive.length)
})

test('decodes and applies an event that an older version did not know, and no longer counts it as unknown', async () => {
  await using fixture = createIndexFixture(store)
  fixture.queue(fixture.exchange.open(0, 1))
  fixture.queue(fixture.exchange.other(0))
  fixture.closeLedger()
  await fixture.catchUp()
  await fixture[Symbol.asyncDispose]()
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

test('changes nothing when aborted, and does not start while an indexer runs', async () => {
  await using fixture = createIndexFixture(store)
  await longHistory(fixture)
  await assert.rejects(rebuild(store, { clock }), IndexBusy)
  await fixture[Symbol.asyncDispose]()
  const live = await dumpProjections(store.read)
  const stop = new AbortController()
  const ticking = { ...clock, nowMs: () => (stop.abort(new Error('aborted')), 0) }
  await assert.rejects(rebuild(store, { clock: ticking, signal: stop.signal }), /aborted/)
  assert.deepEqual(await dumpProjections(store.read), live)
  assert.ok((await listOpenPositions(store.read, {})).rows.length > 0)
  assert.equal((await rebuild(store, { clock })).redecoded, 0, 'the lock was released')
})

test('rebuilds an empty index to an empty one', async () => {
  assert.deepEqual(await rebuild(store, { clock }), { events: 0, redecoded: 0 })
})
