// The indexer's promises one by one, on both engines: what a page writes, when the cursor moves, who may write, and what is not fatal.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { EventsPage } from '../chain/responses.ts'
import { RpcFailure } from '../chain/failure.ts'
import { encodeScVal } from '../chain/scval.ts'
import { EVENTS_PAGE_LIMIT, POLL_INTERVAL_MS } from '../limits.ts'
import { listEvents } from '../projections/events.ts'
import { INDEX_CHANNEL, IndexConflict, updateIndexCursor, readIndexCursor, readIndexState } from '../projections/index-state.ts'
import { listOpenPositions } from '../projections/positions.ts'
import { openTestStore } from '../../test/support/database.ts'
import { until } from '../../test/support/until.ts'
import { testContracts } from '../../test/index/history.ts'
import { endOf } from '../../test/index/node.ts'
import { dumpArchive, dumpProjections, emptyIndex } from '../../test/index/tables.ts'
import { ConnectionBroken, createIndexFixture, FIRST_CLOSE_SEC } from '../../test/index/fixture.ts'
import type { IndexFixture } from '../../test/index/fixture.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))

/** Everything that the index holds. */
async function wholeIndex() {
  const [row] = await store.read.query('select * from idx.cursor')
  // Which ledger the chain is known by depends on when it was looked at.
  const cursor = { ...row, anchor_ledger: null, anchor_hash: null }
  const ledgers = await store.read.query('select * from idx.ledgers order by epoch, ledger')
  const gaps = await store.read.query('select epoch, from_ledger, to_ledger from idx.gaps order by epoch, from_ledger')
  return { cursor, ledgers, gaps, archive: await dumpArchive(store.read), projections: await dumpProjections(store.read) }
}

/** A ledger in which every projection changes. */
function eventfulLedger({ exchange, queue: happen, closeLedger }: IndexFixture): void {
  happen(exchange.open(1, 300))
  happen(exchange.open(17, 301))
  happen(exchange.close(0, 7))
  happen(exchange.crossLiquidate(0))
  happen(exchange.other(5))
  closeLedger()
}

test('a page is one transaction: broken before any of its statements, nothing of it is there, and the next step writes all of it', async () => {
  const undisturbed = await (async () => {
    await using world = createIndexFixture(store)
    world.closeLedger()
    await world.catchUp()
    eventfulLedger(world)
    await world.catchUp()
    return await wholeIndex()
  })()
  let statements = 0
  for (let broke = true; broke; statements++) {
    await emptyIndex(store.write)
    await using world = createIndexFixture(store)
    world.closeLedger()
    await world.catchUp()
    eventfulLedger(world)
    const before = await wholeIndex()
    world.nextFault = { beforeStatement: statements }
    broke = await world.indexer.step().then(() => false, (error: unknown) => {
      assert.ok(error instanceof ConnectionBroken)
      return true
    })
    if (broke) assert.deepEqual(await wholeIndex(), before, `something is left of a page that broke before statement ${statements}`)
    await world.catchUp()
    assert.deepEqual(await wholeIndex(), undisturbed)
  }
  assert.ok(statements > 8, `cursor, notification, archive, ledgers and projections are one transaction; it had ${statements - 1} statements`)
})

test('a commit whose answer was lost is not done again', async () => {
  await using world = createIndexFixture(store)
  world.closeLedger()
  await world.catchUp()
  eventfulLedger(world)
  world.nextFault = 'after commit'
  await assert.rejects(world.indexer.step(), ConnectionBroken)
  const committed = await wholeIndex()
  await world.restart()
  await world.catchUp()
  assert.deepEqual(await wholeIndex(), committed)
  assert.equal(committed.archive.length, 5)
})

test('on a quiet chain the cursor, the last ledger and its close time move, and the commit is told', async () => {
  const told: string[] = []
  const heard = Promise.withResolvers<void>()
  const stop = await store.listen(INDEX_CHANNEL, (payload) => {
    told.push(payload)
    heard.resolve()
  })
  await using world = createIndexFixture(store)
  world.closeLedger()
  await world.catchUp()
  const before = await readIndexState(store.read)
  world.closeLedger(7)
  const result = await world.indexer.step()
  assert.deepEqual(result, { kind: 'indexed', events: 0, moved: true, lastLedger: 2, latestLedger: 2, caughtUp: true })
  const state = await readIndexState(store.read)
  assert.equal(state?.lastLedger, 2)
  assert.equal(state.lastLedgerCloseTs, world.nowSec())
  assert.equal(state.lastLedgerCloseTs - (before?.lastLedgerCloseTs ?? 0), 7)
  assert.equal((await readIndexCursor(store.read))?.cursor, endOf(2))
  await heard.promise
  assert.equal(told[0], '0')
  await world.indexer.step()
  assert.equal((await readIndexState(store.read))?.lastUpdatedAt, state.lastUpdatedAt, 'no news, no write')
  await stop()
})

test('one writes, however many there are; when it goes, another goes on where it stood', async () => {
  await using world = createIndexFixture(store)
  world.closeLedger()
  await world.catchUp()
  const first = world.indexer
  const others = [createIndexFixture(store), createIndexFixture(store)]
  for (const other of others) {
    assert.deepEqual(await other.indexer.step(), { kind: 'standby' })
    assert.equal(await other.indexer.observe(), 0)
    assert.equal(other.node.calls['getEvents'], undefined, 'one that stands by leaves the node alone')
  }
  eventfulLedger(world)
  await first[Symbol.asyncDispose]()
  const [next] = others
  assert.ok(next !== undefined)
  next.closeLedger()
  eventfulLedger(next)
  assert.equal((await next.indexer.step()).kind, 'indexed')
  assert.equal((await readIndexState(store.read))?.seq, 5)
  for (const other of others) await other[Symbol.asyncDispose]()
})

test('a writer that the lock did not stop cannot write over another: the row that it started from has moved', async () => {
  await using world = createIndexFixture(store)
  world.closeLedger()
  await world.catchUp()
  const stale = await readIndexCursor(store.read)
  assert.ok(stale !== null)
  world.closeLedger()
  await world.catchUp()
  const moved = await wholeIndex()
  await assert.rejects(store.write.transaction((tx) => updateIndexCursor(tx, stale, { ...stale, lastSeq: 99 }, 1)), IndexConflict)
  assert.deepEqual(await wholeIndex(), moved)
})

test('catch-up reads pages of the limit back to back, and only at the head waits for the poll interval', async () => {
  const clock = createVirtualClock(FIRST_CLOSE_SEC * 1000)
  await using world = createIndexFixture(store, { clock })
  const ledgers = 5
  for (let ledger = 0; ledger < ledgers; ledger++) {
    for (let event = 0; event < EVENTS_PAGE_LIMIT / 2 - 1; event++) {
      const { event: made, fact } = world.exchange.other(0)
      world.queue({ event: { ...made, transaction: event }, fact })
    }
    world.closeLedger()
  }
  const stop = new AbortController()
  const running = world.indexer.run(stop.signal)
  await until(async () => (await readIndexState(store.read))?.lastLedger === ledgers, 'everything to be read')
  await until(() => clock.pendingTimers() > 0, 'the pause at the head')
  assert.equal(world.node.calls['getEvents'], 3, 'two ledgers fill a page')
  assert.equal(clock.nowMs(), world.nowSec() * 1000, 'nothing has waited')
  assert.equal((await readIndexState(store.read))?.seq, ledgers * (EVENTS_PAGE_LIMIT / 2 - 1))

  clock.advance(POLL_INTERVAL_MS - 1)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(world.node.calls['getEvents'], 3, 'it waits')
  clock.advance(1)
  await until(() => world.node.calls['getEvents'] === 4, 'the next look')
  stop.abort()
  await running
  assert.equal(await world.indexer.step().then(({ kind }) => kind), 'indexed', 'the lock was given back')
})

test('a ledger longer than a page is taken in pieces, and is not called read before its end', async () => {
  await using world = createIndexFixture(store)
  world.closeLedger()
  await world.catchUp()
  world.node.pageCap = 3
  for (let event = 0; event < 8; event++) world.queue(world.exchange.open(event, event))
  world.closeLedger()
  world.closeLedger()
  const seen: unknown[] = []
  for (let step = 0; step < 3; step++) {
    await world.indexer.step()
    const state = await readIndexState(store.read)
    seen.push([state?.seq, state?.lastLedger])
  }
  assert.deepEqual(seen, [[3, 1], [6, 1], [8, 3]])
})

test('what cannot be decoded is archived raw, counted, told once, and stops nothing', async () => {
  const warned: unknown[] = []
  const log: Log = { debug() {}, info() {}, error: (facts) => assert.fail(JSON.stringify(facts)), warn: (facts) => void warned.push(facts) }
  await using world = createIndexFixture(store, { log })
  const { market, referral } = world.exchange.contracts
  const symbol = (value: string) => encodeScVal({ type: 'symbol', value })
  const oneId = encodeScVal({ type: 'vec', value: [{ type: 'u64', value: 7n }] })
  const odd = [
    { contractId: market, topicsXdr: [symbol('margin_called')], valueXdr: oneId, transaction: 0 },
    { contractId: market, topicsXdr: [symbol('margin_called')], valueXdr: oneId, transaction: 0 },
    { contractId: market, topicsXdr: [symbol('position_opened')], valueXdr: oneId, transaction: 0 },
    { contractId: referral, topicsXdr: [symbol('claimed')], valueXdr: 'AAAA', transaction: 0 },
    { contractId: referral, topicsXdr: [], valueXdr: encodeScVal({ type: 'u32', value: 1 }), transaction: 0 },
  ]
  for (const event of odd) world.queue({ event, fact: { kind: 'other', decodes: false, topic: '', names: [] } })
  world.queue(world.exchange.open(0, 1))
  world.closeLedger()
  await world.catchUp()
  const { rows } = await listEvents(store.read, { limit: 50 })
  const oldestFirst = rows.toReversed()
  assert.deepEqual(
    oldestFirst.map(({ topic, payload }) => [topic, payload]).slice(0, 5),
    odd.map(({ topicsXdr, valueXdr }, place) => {
      const topic = ['margin_called', 'margin_called', 'position_opened', 'claimed', ''][place]
      return [topic, { topic, topicsXdr, valueXdr }]
    }),
  )
  assert.equal((await readIndexState(store.read))?.unknownEvents, 5)
  assert.equal((await listOpenPositions(store.read, {})).rows.length, 1, 'what stands behind it is indexed')
  assert.deepEqual(
    warned.map((facts) => (facts as { topic: string; problem: string }).problem),
    ['unknown topic', 'its data has 1 values', 'not the XDR of a contract value', 'no topic'],
    'each kind once',
  )
})

test('ledgers that the node dropped before they were read are a gap, which is counted and gone around', async () => {
  await using world = createIndexFixture(store)
  world.closeLedger()
  await world.catchUp()
  for (let ledger = 2; ledger <= 9; ledger++) {
    world.queue(world.exchange.open(0, ledger))
    world.closeLedger()
  }
  world.node.oldest = 7
  assert.deepEqual(await world.indexer.step(), { kind: 'gap', fromLedger: 2, toLedger: 6 })
  await world.catchUp()
  const state = await readIndexState(store.read)
  assert.deepEqual([state?.gaps, state?.lastLedger], [1, 9])
  assert.deepEqual(state?.gapRanges, [{ epoch: state?.epoch, fromLedger: 2, toLedger: 6, since: world.nowSec() * 1000, state: 'open' }])
  const seqs = await store.read.query<{ seq: number }>('select seq from idx.events order by seq')
  const [first = 0] = seqs.map(({ seq }) => seq)
  assert.ok(first > 5_000, 'places are set aside for what may be read of the lost ledgers later')
  assert.deepEqual(seqs.map(({ seq }) => seq), [first, first + 1, first + 2])
  assert.deepEqual((await wholeIndex()).gaps, [{ epoch: 1, from_ledger: 2, to_ledger: 6 }])
})

test('when the node has dropped just what was read, nothing is lost', async () => {
  await using world = createIndexFixture(store)
  world.closeLedger()
  await world.catchUp()
  world.queue(world.exchange.open(0, 1))
  world.closeLedger()
  world.node.oldest = 2
  assert.deepEqual(await world.indexer.step(), { kind: 'indexed', events: 1, moved: true, lastLedger: 2, latestLedger: 2, caughtUp: true })
  assert.equal((await readIndexState(store.read))?.gaps, 0)
})

test('a node that lags is waited for; one of another network is not read at all', async () => {
  await using world = createIndexFixture(store)
  for (let ledger = 0; ledger < 5; ledger++) world.closeLedger()
  await world.catchUp()
  world.node.visibleUntil = 3
  assert.deepEqual(await world.indexer.step(), { kind: 'waiting', reason: 'node-behind' })
  world.node.visibleUntil = Number.MAX_SAFE_INTEGER
  await world.catchUp()
  world.node.passphrase = 'another network'
  await world.restart()
  const before = await wholeIndex()
  assert.deepEqual(await world.indexer.step(), { kind: 'waiting', reason: 'wrong-network' })
  assert.deepEqual(await wholeIndex(), before)
})

test('a reset network begins an epoch: its ids repeat, its events are new, and open positions of before have ended', async () => {
  await using world = createIndexFixture(store)
  world.queue(world.exchange.open(0, 1))
  world.closeLedger()
  await world.catchUp()
  const first = await readIndexState(store.read)
  world.reset()
  world.queue(world.exchange.open(0, 2))
  world.closeLedger(60)
  await world.catchUp()
  const state = await readIndexState(store.read)
  assert.notEqual(state?.epoch, first?.epoch)
  const { rows } = await listEvents(store.read, { limit: 50 })
  assert.equal(rows.length, 2)
  assert.equal(rows[0]?.eventId, `${rows[1]?.eventId}-${state?.epoch}`, 'the same place on the chain, another event')
  const { rows: open } = await listOpenPositions(store.read, {})
  assert.deepEqual(open.map(({ positionId, openedAt }) => [positionId, openedAt]), [[1, world.nowSec()]])
})

test('a reset network that is still shorter than all that is known is asked again who it is once it has outgrown it', async () => {
  await using world = createIndexFixture(store, { firstLedger: 100 })
  for (let ledger = 0; ledger < 10; ledger++) world.closeLedger()
  await world.catchUp()
  const before = await readIndexState(store.read)
  world.reset({ secondsBack: 60 })
  world.closeLedger()
  assert.deepEqual(await world.indexer.step(), { kind: 'waiting', reason: 'node-behind' }, 'it could be a node that lags')
  // Ledgers and times go on behind those that are known: by these it could be the same chain.
  for (let ledger = 0; ledger < 120; ledger++) world.closeLedger(1)
  world.queue(world.exchange.open(0, 2))
  world.closeLedger()
  await world.catchUp()
  const state = await readIndexState(store.read)
  assert.notEqual(state?.epoch, before?.epoch)
  assert.equal(state?.seq, (before?.seq ?? 0) + 1)
})

test('a reset network whose ledgers stand at the same places at the same times is told by their hashes, once it goes on', async () => {
  await using world = createIndexFixture(store)
  for (let ledger = 0; ledger < 6; ledger++) world.closeLedger()
  await world.catchUp()
  await world.restart()
  await world.catchUp()
  const first = await readIndexState(store.read)
  world.reset({ secondsBack: 6 * 5 })
  for (let ledger = 0; ledger < 8; ledger++) world.closeLedger()
  await world.restart()
  assert.equal((await world.indexer.step()).kind, 'unreachable', 'one look may have come out of a cache')
  world.closeLedger()
  assert.equal((await world.indexer.step()).kind, 'epoch')
  await world.catchUp()
  assert.notEqual((await readIndexState(store.read))?.epoch, first?.epoch)
})

test('a reset whose commit was lost to the indexer begins one epoch, not two', async () => {
  await using world = createIndexFixture(store)
  world.closeLedger()
  await world.catchUp()
  world.reset()
  world.closeLedger(60)
  world.nextFault = 'after commit'
  await assert.rejects(world.indexer.step(), ConnectionBroken)
  world.closeLedger()
  await world.catchUp()
  const [row] = await store.read.query<{ epochs: number }>('select count(*) as epochs from idx.epochs')
  assert.equal(row?.epochs, 2)
})

test('a page of the chain before the reset, out of some cache, is not history of the new one', async () => {
  await using world = createIndexFixture(store)
  for (const pick of [0, 1, 2]) {
    world.queue(world.exchange.open(pick, 1))
    world.closeLedger()
  }
  const cached: EventsPage[] = []
  world.node.pageFaults.push((page) => {
    cached.push(page)
    return page
  })
  await world.catchUp()
  const [stale] = cached
  assert.ok(stale !== undefined && stale.events.length === 3)
  world.reset()
  world.queue(world.exchange.open(3, 2))
  world.closeLedger(60)
  assert.equal((await world.indexer.step()).kind, 'epoch')
  world.node.pageFaults.push(() => stale)
  assert.equal((await world.indexer.step()).kind, 'unreachable')
  assert.equal((await readIndexState(store.read))?.seq, 3, 'nothing of it was archived')
  await world.catchUp()
  world.node.pageFaults.push(() => stale)
  assert.equal((await world.indexer.step()).kind, 'unreachable', 'nor later')
  await world.restart()
  world.closeLedger()
  await world.catchUp()
  assert.equal((await readIndexState(store.read))?.seq, 4)
})

test('a chain that was put back to an earlier time is followed once it goes on, while it seems to lag and when it has outgrown the old one', async () => {
  // A ledger that both have tells at once; a higher one with an earlier time only with the next.
  for (const [ledgersAgain, expected] of [[3, ['epoch']], [40, ['unreachable', 'epoch']]] as const) {
    await emptyIndex(store.write)
    await using world = createIndexFixture(store)
    for (let ledger = 0; ledger < 4; ledger++) {
      world.queue(world.exchange.open(ledger, ledger))
      world.closeLedger()
    }
    // The ledger's clock was stepped by a day, and some ledgers closed.
    world.queue(world.exchange.open(0, 9))
    world.closeLedger(86_400)
    for (let ledger = 0; ledger < 5; ledger++) world.closeLedger()
    await world.catchUp()
    const before = await readIndexState(store.read)
    world.reset({ secondsBack: 86_400 })
    for (let ledger = 0; ledger < ledgersAgain; ledger++) {
      world.queue(world.exchange.open(ledger, ledger))
      world.closeLedger(6)
    }
    const kinds: string[] = []
    for (let look = 0; look < 4 && !kinds.includes('epoch'); look++) {
      kinds.push((await world.indexer.step()).kind)
      world.closeLedger(6)
    }
    assert.deepEqual(kinds, expected)
    await world.catchUp()
    const state = await readIndexState(store.read)
    assert.notEqual(state?.epoch, before?.epoch)
    assert.equal(state?.seq, (before?.seq ?? 0) + ledgersAgain)
  }
})

test('another market is another deployment, where position ids begin anew; back at the first one its positions are listed again', async () => {
  await using world = createIndexFixture(store)
  const { contracts } = world.exchange
  world.queue(world.exchange.open(0, 1))
  world.closeLedger()
  await world.catchUp()
  await world.redeploy(testContracts(2))
  world.closeLedger()
  await world.catchUp()
  assert.deepEqual((await listOpenPositions(store.read, {})).rows, [])
  world.queue(world.exchange.open(1, 5))
  world.closeLedger()
  await world.catchUp()
  world.queue(world.exchange.close(0, 3))
  world.closeLedger()
  await world.catchUp()
  await world.redeploy(contracts)
  await world.catchUp()
  const { rows } = await listOpenPositions(store.read, {})
  assert.deepEqual(rows.map(({ positionId }) => positionId), [1], 'position 1 of the other market was closed, this one was not')
  assert.equal((await readIndexState(store.read))?.seq, 3, 'what was archived in the first epoch is not archived again')
})

test('no failure of the RPC moves the index, and none is fatal', async () => {
  await using world = createIndexFixture(store)
  world.closeLedger()
  await world.catchUp()
  eventfulLedger(world)
  const before = await wholeIndex()
  const kinds = ['unreachable', 'timeout', 'http', 'malformed', 'rpc'] as const
  for (const kind of kinds) {
    world.node.failure = new RpcFailure({ method: 'getEvents', kind, retryable: true, ...(kind === 'rpc' ? { code: -32_603 } : {}) })
    assert.equal((await world.indexer.step()).kind, 'unreachable')
    assert.deepEqual(await wholeIndex(), before)
  }
  world.node.failure = undefined
  await world.catchUp()
  assert.equal((await readIndexState(store.read))?.seq, 5)
})
