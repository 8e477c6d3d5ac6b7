import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { readIndexState } from '../../projections/state/index-state.ts'
import { readLeaderTotals } from '../../projections/traders/leaders.ts'
import { readMarketStats } from '../../projections/markets/market-stats.ts'
import { listTrades } from '../../projections/trades/trades.ts'
import { readTask } from '../../projections/repair/tasks.ts'
import { ASSET_SYMBOLS } from '../../../localnet/assets.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { createIndexFixture } from '../../../test/index/fixture.ts'
import type { IndexFixture } from '../../../test/index/fixture.ts'
import { dumpArchive, dumpProjections, emptyIndex, readTables } from '../../../test/index/tables.ts'
import { rebuild } from './rebuild.ts'
import { requestVerify } from './verify.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))

function play(fixture: IndexFixture, ledgers: number): void {
  for (let ledger = 0; ledger < ledgers; ledger++) {
    for (let pick = 0; pick < 7; pick++) {
      const { exchange } = fixture
      const kinds = [exchange.open, exchange.placeOrder, exchange.close, exchange.endOrder, exchange.open, exchange.reduce, exchange.other]
      fixture.queue(kinds[pick]?.(pick + ledger, ledger + pick))
    }
    fixture.closeLedger()
  }
}

/** The archive without seqs, and the lists. */
async function visibleState(): Promise<object> {
  const archive = (await dumpArchive(store.read)).map((row) => row.slice(row.indexOf(' ')))
  const state = await readIndexState(store.read)
  return { archive, tables: await readTables(store.read), unknownEvents: state?.unknownEvents }
}

const run = (sql: string): Promise<unknown> => store.write.query(sql)

/** Removes, invents and changes events, in the archive and in the lists. */
async function damage(): Promise<void> {
  await run('delete from idx.events where seq in (1, 40, 41, 200)')
  await run('delete from idx.events where ledger in (12, 20) or seq = (select max(seq) from idx.events)')
  await run('delete from idx.trades where seq in (select t.seq from idx.trades t left join idx.events e on e.seq = t.seq where e.seq is null)')
  await run("update idx.events set value_xdr = 'AAAAAQ==' where seq = 80")
  await run("update idx.events set tx_hash = repeat('0', 64) where seq = 81")
  await run('update idx.events set ledger_close_ts = ledger_close_ts + 1 where seq = 82')
  // An invented event: a copy with an id that the chain does not have.
  await run(`insert into idx.events select (jsonb_populate_record(e, jsonb_build_object('seq', 100000,
    'event_id', left(e.event_id, 29) || '9'))).* from idx.events e where seq = 90`)
  await run('update idx.cursor set last_seq = 100000')
  await run('update idx.traders set pnl = pnl + 1')
  await recount()
}

/** Corrects the number of archived events by topic after damage to the archive. */
const recount = (): Promise<unknown> =>
  run(`update idx.event_counts c set events = (select count(*) from idx.events e
    where case when e.problem is not null then 'unknown' when e.is_transfer then 'token transfer' else e.topic end = c.topic)`)

test('repairs missing, invented and changed events, so that everything is as after an honest run, while requests are served', async () => {
  await using fixture = createIndexFixture(store)
  play(fixture, 40)
  await fixture.catchUp()
  await fixture.indexer.observe()
  const honest = await visibleState()
  const counts = await store.read.query('select * from idx.event_counts order by topic')
  const { epoch } = (await readIndexState(store.read)) ?? {}
  await damage()

  fixture.node.pageCap = 30
  await requestVerify(store.write, 0)
  for (let step = 0; step < 60; step++) {
    await fixture.indexer.verify()
    await fixture.indexer.rebuild()
    assert.ok((await listTrades(store.read, { limit: 5 })).rows.length > 0)
  }
  const progress = await fixture.verify()
  const first = await readTask(store.read, 'verify')
  assert.equal(first?.state, 'done')
  assert.deepEqual([progress.added, progress.replaced, progress.removed], [0, 0, 0], 'a second verification finds nothing')
  assert.deepEqual(progress.differences, {})
  assert.deepEqual(await visibleState(), honest)
  assert.deepEqual(await store.read.query('select * from idx.event_counts where events <> 0 order by topic'), counts)
  assert.notEqual((await readIndexState(store.read))?.epoch, epoch, 'clients learn that they must read the log again')

  play(fixture, 3)
  await fixture.catchUp()
  await fixture.indexer.observe()
  const live = await dumpProjections(store.read)
  await fixture[Symbol.asyncDispose]()
  await rebuild(store, { clock: createSystemClock() })
  assert.deepEqual(await dumpProjections(store.read), live)
})

test('past states are the same while a repair has moved the log and the rebuild is not complete', async () => {
  // The log begins where the ranges of blocks of versions end.
  await store.write.query('update idx.cursor set reserved_seq = 1000')
  await using fixture = createIndexFixture(store)
  play(fixture, 40)
  await fixture.catchUp()
  const pastStates = async (ledgers: readonly number[]): Promise<unknown[]> => {
    const states: unknown[] = []
    for (const atLedger of ledgers) {
      const { traders, volume, trades } = await readLeaderTotals(store.read, { atLedger })
      states.push(traders, volume, trades, (await readMarketStats(store.read, { atLedger, nowSec: 0, assets: ASSET_SYMBOLS })).rows)
    }
    return states
  }
  const ledgers = Array.from({ length: 40 }, (_, index) => fixture.node.latest().sequence - index)
  const before = await pastStates(ledgers)
  const lastTrade = (): Promise<object[]> => store.read.query('select max(seq) as seq from idx.trades')
  const notMoved = await lastTrade()
  await run("delete from idx.events where seq = (select min(seq) from idx.events where topic = 'order_placed')")
  await requestVerify(store.write, 0)
  for (let step = 0; (await readTask(store.read, 'verify'))?.progress.phase === 'network'; step++) {
    assert.ok(step < 50, 'the missing event is found')
    await fixture.indexer.verify()
  }
  assert.notDeepEqual(await lastTrade(), notMoved)
  assert.deepEqual(await pastStates(ledgers), before)

  const last = fixture.node.latest().sequence
  play(fixture, 20)
  await fixture.catchUp()
  const added = Array.from({ length: 20 }, (_, index) => last + 1 + index)
  const grown = await pastStates([...ledgers, ...added])
  const { interest_versions: interest, trader_total_versions: totals } = await dumpProjections(store.read)
  await fixture.finishRebuild()
  assert.deepEqual(await pastStates([...ledgers, ...added]), grown)
  const rebuilt = await dumpProjections(store.read)
  assert.deepEqual([rebuilt['interest_versions'], rebuilt['trader_total_versions']], [interest, totals])
})

test('reports what differed', async () => {
  await using fixture = createIndexFixture(store)
  play(fixture, 40)
  await fixture.catchUp()
  const events = (await dumpArchive(store.read)).length
  await damage()
  const remaining = (await dumpArchive(store.read)).length - 1
  const { added, replaced, removed, differences, unverifiable, problem } = await fixture.verify()
  assert.deepEqual({ replaced, removed, unverifiable, problem }, { replaced: 3, removed: 1, unverifiable: 0, problem: null })
  assert.equal(added, events - remaining)
  assert.ok((differences?.['traders'] ?? 0) > 0)
})

test('corrects the numbers of archived events by topic', async () => {
  await using fixture = createIndexFixture(store)
  play(fixture, 20)
  await fixture.catchUp()
  const counts = await store.read.query('select * from idx.event_counts order by topic')
  const { epoch } = (await readIndexState(store.read)) ?? {}
  await run("update idx.event_counts set events = events + 5 where topic = 'position_opened'; delete from idx.event_counts where topic = 'order_placed'")
  await run("insert into idx.event_counts (epoch, topic, events) values (1, 'invented', 3)")
  const { differences, unverifiable } = await fixture.verify()
  assert.deepEqual([differences, unverifiable], [{ event_counts: 3 }, 0])
  assert.deepEqual(await store.read.query('select * from idx.event_counts where events <> 0 order by topic'), counts)
  assert.equal((await readIndexState(store.read))?.epoch, epoch)
  assert.deepEqual((await fixture.verify()).differences, {})
})

test('changes nothing of an intact index, and does not claim to have verified what the network no longer has', async () => {
  await using fixture = createIndexFixture(store)
  play(fixture, 20)
  await fixture.catchUp()
  const { epoch } = (await readIndexState(store.read)) ?? {}
  const before = [await dumpArchive(store.read), await dumpProjections(store.read)]
  fixture.node.oldest = 11
  const progress = await fixture.verify()
  const older = await store.read.query('select 1 from idx.events where ledger < 11')
  assert.deepEqual([progress.added, progress.replaced, progress.removed, progress.unverifiable], [0, 0, 0, older.length])
  assert.deepEqual(progress.range, { chain: 1, fromLedger: 11, throughLedger: 20 })
  assert.deepEqual(progress.differences, {})
  assert.deepEqual([await dumpArchive(store.read), await dumpProjections(store.read)], before)
  assert.equal((await readIndexState(store.read))?.epoch, epoch)
})

test('continues after failures at any statement and after restarts', async () => {
  await using fixture = createIndexFixture(store)
  play(fixture, 30)
  await fixture.catchUp()
  const honest = await visibleState()
  await run('delete from idx.events where ledger in (5, 6) or seq = 100')
  await recount()
  fixture.node.pageCap = 40
  await requestVerify(store.write, 0)
  for (let statement = 0; statement < 30; statement++) {
    fixture.nextFault = { beforeStatement: statement }
    await fixture.indexer.verify().catch(() => undefined)
    await fixture.indexer.rebuild().catch(() => undefined)
    if (statement % 4 === 0) await fixture.restart()
  }
  fixture.nextFault = undefined
  await fixture.verify()
  assert.deepEqual(await visibleState(), honest)
})

/** Indexes a history and begins its verification. Returns the archive. */
async function startVerification(fixture: IndexFixture): ReturnType<typeof dumpArchive> {
  play(fixture, 10)
  await fixture.catchUp()
  const archive = await dumpArchive(store.read)
  await requestVerify(store.write, 0)
  await fixture.indexer.verify()
  return archive
}

test('believes a difference only when a second response confirms it', async () => {
  await using fixture = createIndexFixture(store)
  const before = await startVerification(fixture)
  fixture.node.pageFaults.push((page) => ({ ...page, events: page.events.filter((_, index) => index % 2 === 0) }))
  const { added, removed } = await fixture.verify()
  assert.deepEqual([added, removed], [0, 0])
  assert.deepEqual(await dumpArchive(store.read), before)
})

test('removes nothing when the network is reset during a verification', async () => {
  await using fixture = createIndexFixture(store)
  const before = await startVerification(fixture)
  fixture.reset()
  for (let ledger = 0; ledger < 12; ledger++) fixture.closeLedger(60)
  for (let step = 0; step < 5; step++) await fixture.indexer.verify()
  await fixture.catchUp()
  for (let step = 0; step < 5; step++) await fixture.indexer.verify()
  assert.deepEqual(await dumpArchive(store.read), before)
})

test('fills the gap of ledgers that the network has after all', async () => {
  await using fixture = createIndexFixture(store)
  play(fixture, 8)
  await fixture.catchUp()
  play(fixture, 8)
  fixture.node.oldest = 14
  for (let steps = 0; (await fixture.indexer.step()).kind !== 'gap'; steps++) assert.ok(steps < 10, 'the ledgers become a gap')
  await fixture.catchUp()
  fixture.node.oldest = 1
  const { added } = await fixture.verify()
  assert.ok(added > 0)
  const { gapRanges } = (await readIndexState(store.read)) ?? {}
  assert.deepEqual(gapRanges?.map(({ state }) => state), ['filled'])
  const tables = await readTables(store.read)
  await fixture[Symbol.asyncDispose]()
  await emptyIndex(store.write)
  await using honest = createIndexFixture(store)
  play(honest, 8)
  play(honest, 8)
  await honest.catchUp()
  assert.deepEqual(tables, await readTables(store.read))
})

