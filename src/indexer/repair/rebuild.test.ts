import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { StrKey } from '@stellar/stellar-sdk'
import { createSystemClock } from '../../base/clock.ts'
import { encodeScVal } from '../../chain/codec/scval.ts'
import { readIndexState } from '../../projections/state/index-state.ts'
import { listOpenPositions } from '../../projections/positions/positions.ts'
import { findReferrer } from '../../projections/traders/referral.ts'
import { listVaults } from '../../projections/vaults/vaults.ts'
import { openTestStore, WITHOUT_SERVER } from '../../../test/support/database.ts'
import { describeSchema } from '../../store/test-describe-schema.ts'
import { dumpArchive, dumpProjections, emptyIndex } from '../../../test/index/tables.ts'
import { readTask } from '../../projections/repair/tasks.ts'
import { createIndexFixture } from '../../../test/index/fixture.ts'
import type { IndexFixture } from '../../../test/index/fixture.ts'
import { rebuild } from './rebuild.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))
/** Another reader of the tables, such as autovacuum, delays a rebuild, which waits by its clock. */
const clock = createSystemClock()

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
  await store.write.query('update idx.opens set size = size * 2')
  await store.write.query('delete from idx.trader_hours')
  await store.write.query("insert into idx.asset_hours (asset, hour, volume) values ('GONE', 0, 5)")
  await store.write.query('update idx.open_interest set long_size = 0')
  assert.deepEqual(await rebuild(store, { clock }), { events: archive.length, redecoded: 0 })
  assert.deepEqual(await dumpProjections(store.read), live)
  assert.deepEqual(await dumpArchive(store.read), archive)
  assert.equal((await readTask(store.read, 'rebuild'))?.progress.done, archive.length)
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

test('restores a vault and a referral code whose names an older version could not store, and ends the alarm', async () => {
  await using fixture = createIndexFixture(store)
  const { vaultFactory, referral } = fixture.exchange.contracts
  const owner = StrKey.encodeEd25519PublicKey(new Uint8Array(32).fill(3))
  const named = (contractId: string, topic: string, more: readonly string[] = []): void => fixture.queue({
    event: {
      contractId, topicsXdr: [encodeScVal({ type: 'symbol', value: topic }), ...more], transaction: 0,
      valueXdr: encodeScVal({ type: 'vec', value: [{ type: 'address', value: owner }, { type: 'string', value: 'a\\x00\\xffb' }] }),
    },
    fact: { kind: 'other', decodes: true, topic, names: [] },
  })
  named(vaultFactory, 'vault_created', [encodeScVal({ type: 'u32', value: 0 })])
  named(referral, 'code_created')
  fixture.closeLedger()
  await fixture.catchUp()
  await fixture[Symbol.asyncDispose]()
  await store.write.query("update idx.events set payload = null, problem = 'name contains a zero byte'")
  await store.write.query('update idx.cursor set unknown_events = 2')
  await store.write.query('delete from idx.vaults')
  await store.write.query('delete from idx.referrers')
  assert.deepEqual(await rebuild(store, { clock }), { events: 2, redecoded: 2 })
  const { rows } = await listVaults(store.read, { limit: 5, nowSec: 0 })
  assert.deepEqual(rows.map(({ id, name, leader }) => [id, name, leader]), [[0, 'a\\x00\\xffb', owner]])
  assert.equal((await findReferrer(store.read, 'a\\x00\\xffb')).referrer?.referrer, owner)
  assert.equal((await readIndexState(store.read))?.unknownEvents, 0)
})

test('changes nothing when aborted, and does not start while an indexer runs', async () => {
  await using fixture = createIndexFixture(store)
  await longHistory(fixture)
  assert.equal(await rebuild(store, { clock }), null)
  await fixture[Symbol.asyncDispose]()
  const live = await dumpProjections(store.read)
  const stop = new AbortController()
  const ticking = { ...clock, nowMs: () => (stop.abort(new Error('aborted')), 0) }
  await assert.rejects(rebuild(store, { clock: ticking }, stop.signal), /aborted/)
  assert.deepEqual(await dumpProjections(store.read), live)
  assert.ok((await listOpenPositions(store.read, {})).rows.length > 0)
  assert.equal((await rebuild(store, { clock }))?.redecoded, 0, 'the lock was released')
})

test('rebuilds in the background after the code of the projections changed: the old rows are served, and a restarted process continues', async () => {
  await using fixture = createIndexFixture(store)
  await longHistory(fixture)
  const trades = async (): Promise<readonly object[]> => await store.read.query('select seq, pnl from idx.trades where seq <= 1000 order by seq')
  const honest = await trades()
  await store.write.query('update idx.trades set pnl = pnl + 1')
  await store.write.query('update idx.cursor set projections_version = 0')
  const old = await trades()
  assert.notDeepEqual(old, honest)

  const results = []
  for (let step = 0; step < 4; step++) results.push(await fixture.indexer.rebuild())
  assert.deepEqual(results, ['page', 'page', 'page', 'page'])
  assert.deepEqual(await trades(), old, 'the old rows are served')
  fixture.queue(fixture.exchange.open(5, 1))
  fixture.closeLedger()
  await fixture.catchUp()
  await fixture.indexer.observe()
  const seq = (await readIndexState(store.read))?.seq
  assert.equal((await store.read.query('select 1 from idx.positions where opened_seq = $1', [seq ?? 0])).length, 1, 'live events are applied to them')
  await fixture.restart()
  await fixture.finishRebuild()
  assert.equal((await readTask(store.read, 'rebuild'))?.id, 1, 'the restarted process continued')
  assert.deepEqual(await trades(), honest)
  const rebuilt = await dumpProjections(store.read)
  assert.equal(await fixture.indexer.rebuild(), 'none')

  fixture.queue(fixture.exchange.close(1, 1))
  fixture.closeLedger()
  await fixture.catchUp()
  assert.notDeepEqual(await dumpProjections(store.read), rebuilt, 'events are applied to the new tables')
  const live = await dumpProjections(store.read)
  await fixture[Symbol.asyncDispose]()
  await rebuild(store, { clock })
  assert.deepEqual(await dumpProjections(store.read), live)
})

test('applies what is observed during a rebuild to the old rows and to the new ones', async () => {
  await using fixture = createIndexFixture(store)
  for (let pick = 0; pick < 40; pick++) fixture.queue(fixture.exchange.open(pick, 1))
  fixture.closeLedger()
  await fixture.catchUp()
  await store.write.query('update idx.cursor set projections_version = 0')
  for (let step = 0; step < 3; step++) assert.equal(await fixture.indexer.rebuild(), 'page')
  assert.ok(await fixture.indexer.observe() > 0)
  const live = await dumpProjections(store.read)
  await fixture.finishRebuild()
  assert.deepEqual(await dumpProjections(store.read), live)
  assert.equal((await store.read.query('select 1 from idx.positions where margin_mode is null')).length, 0)
})

test('the new tables have the names, constraints and indexes of the old ones', async () => {
  const before = await describeSchema(store.read)
  await using fixture = createIndexFixture(store)
  await longHistory(fixture)
  await fixture[Symbol.asyncDispose]()
  await rebuild(store, { clock })
  assert.equal(await describeSchema(store.read), before)
})

test('waits for a long read instead of failing it', { skip: WITHOUT_SERVER }, async () => {
  await using fixture = createIndexFixture(store)
  await longHistory(fixture)
  await store.write.query('update idx.cursor set projections_version = 0')
  const { promise: reading, resolve: endRead } = Promise.withResolvers<void>()
  const read = store.write.transaction(async (tx) => {
    await tx.query('select count(*) from idx.trades')
    await reading
  })
  let result
  do result = await fixture.indexer.rebuild()
  while (result === 'page')
  assert.equal(result, 'blocked')
  endRead()
  await read
  assert.equal(await fixture.indexer.rebuild(), 'done')
})

test('rebuilds an empty index to an empty one', async () => {
  assert.deepEqual(await rebuild(store, { clock }), { events: 0, redecoded: 0 })
})
