// The indexer's guarantees, on both database engines: what a page writes, when the cursor advances, which process may write, and which failures it survives.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { EventsPage } from '../chain/rpc/responses.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import { encodeScVal } from '../chain/codec/scval.ts'
import { EVENTS_PAGE_LIMIT, POLL_INTERVAL_MS } from '../limits.ts'
import { listCorrections } from '../projections/repair/corrections.ts'
import { listEvents } from '../projections/log/events.ts'
import { INDEX_CHANNEL, IndexConflict, updateIndexCursor, readIndexCursor, readIndexState } from '../projections/state/index-state.ts'
import { listOpenPositions } from '../projections/positions/positions.ts'
import { parseLogNotification } from '../projections/log/log-notification.ts'
import { readLog, readLogHead } from '../projections/log/stream-log.ts'
import type { LogRow } from '../projections/log/stream-log.ts'
import { listTrades } from '../projections/trades/trades.ts'
import { PUBLIC_NETWORK } from './identity/confirmation.ts'
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

/** The complete state of the index. */
async function wholeIndex() {
  const [row] = await store.read.query('select * from idx.cursor')
  const ledgers = await store.read.query('select * from idx.ledgers order by epoch, ledger')
  const gaps = await store.read.query('select epoch, from_ledger, to_ledger from idx.gaps order by epoch, from_ledger')
  return { cursor: row, ledgers, gaps, archive: await dumpArchive(store.read), projections: await dumpProjections(store.read) }
}

/** Closes a ledger that changes every projection. */
function eventfulLedger({ exchange, queue, closeLedger }: IndexFixture): void {
  queue(exchange.open(1, 300))
  queue(exchange.open(17, 301))
  queue(exchange.close(0, 7))
  queue(exchange.crossLiquidate(0))
  queue(exchange.other(5))
  closeLedger()
}

test('writes a page in one transaction: a failure before any statement leaves nothing, and the step after it writes all of it', async () => {
  const expected = await (async () => {
    await using fixture = createIndexFixture(store)
    fixture.closeLedger()
    await fixture.catchUp()
    eventfulLedger(fixture)
    await fixture.catchUp()
    return await wholeIndex()
  })()
  await emptyIndex(store.write)
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  eventfulLedger(fixture)
  const before = await wholeIndex()
  let statements = 0
  for (;; statements++) {
    fixture.nextFault = { beforeStatement: statements }
    const failed = await fixture.indexer.step().then(() => false, (error: unknown) => {
      assert.ok(error instanceof ConnectionBroken)
      return true
    })
    if (!failed) break
    assert.deepEqual(await wholeIndex(), before, `a page that failed before statement ${statements} left rows behind`)
  }
  await fixture.catchUp()
  assert.deepEqual(await wholeIndex(), expected)
  assert.ok(statements > 8, `cursor, notification, archive, ledgers and projections are one transaction; it had ${statements} statements`)
})

test('does not repeat a commit whose confirmation was lost', async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  eventfulLedger(fixture)
  fixture.nextFault = 'after commit'
  await assert.rejects(fixture.indexer.step(), ConnectionBroken)
  const committed = await wholeIndex()
  await fixture.restart()
  await fixture.catchUp()
  assert.deepEqual(await wholeIndex(), committed)
  assert.equal(committed.archive.length, 5)
})

test('advances cursor, last ledger and close time over empty ledgers, and notifies the commit', async () => {
  const payloads: string[] = []
  const notified = Promise.withResolvers<void>()
  const stop = await store.listen(INDEX_CHANNEL, (payload) => {
    payloads.push(payload)
    notified.resolve()
  })
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  const before = await readIndexState(store.read)
  fixture.closeLedger(7)
  const result = await fixture.indexer.step()
  assert.deepEqual(result, { kind: 'indexed', events: 0, advanced: true, lastLedger: 2, latestLedger: 2, caughtUp: true })
  const state = await readIndexState(store.read)
  assert.equal(state?.lastLedger, 2)
  assert.equal(state.lastLedgerCloseTs, fixture.nowSec())
  assert.equal(state.lastLedgerCloseTs - (before?.lastLedgerCloseTs ?? 0), 7)
  assert.equal((await readIndexCursor(store.read))?.cursor, endOf(2))
  await notified.promise
  assert.equal(payloads[0], '0')
  await fixture.indexer.step()
  assert.equal((await readIndexState(store.read))?.lastUpdatedAt, state.lastUpdatedAt, 'a page without a new ledger writes nothing')
  await stop()
})

test('only one process writes; when it stops, another continues from its cursor', async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  const first = fixture.indexer
  const others = [createIndexFixture(store), createIndexFixture(store)]
  for (const other of others) {
    assert.deepEqual(await other.indexer.step(), { kind: 'standby' })
    assert.equal(await other.indexer.observe(), 0)
    assert.equal(other.node.calls['getEvents'], undefined, 'a standby process sends no requests')
  }
  eventfulLedger(fixture)
  await first[Symbol.asyncDispose]()
  const [next] = others
  assert.ok(next !== undefined)
  next.closeLedger()
  eventfulLedger(next)
  assert.equal((await next.indexer.step()).kind, 'indexed')
  assert.equal((await readIndexState(store.read))?.seq, 5)
  for (const other of others) await other[Symbol.asyncDispose]()
})

test('rejects a stale writer that the lock did not stop', async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  const stale = await readIndexCursor(store.read)
  assert.ok(stale !== null)
  fixture.closeLedger()
  await fixture.catchUp()
  const current = await wholeIndex()
  await assert.rejects(store.write.transaction((tx) => updateIndexCursor(tx, stale, { ...stale, lastSeq: 99 }, 1)), IndexConflict)
  assert.deepEqual(await wholeIndex(), current)
})

test('reads full pages back to back while catching up, and waits for the poll interval at the head', async () => {
  const clock = createVirtualClock(FIRST_CLOSE_SEC * 1000)
  await using fixture = createIndexFixture(store, { clock })
  const ledgers = 5
  for (let ledger = 0; ledger < ledgers; ledger++) {
    for (let event = 0; event < EVENTS_PAGE_LIMIT / 2 - 1; event++) {
      const other = fixture.exchange.other(0)
      fixture.queue({ ...other, event: { ...other.event, transaction: event } })
    }
    fixture.closeLedger()
  }
  const stop = new AbortController()
  const running = fixture.indexer.run(stop.signal)
  await until(async () => (await readIndexState(store.read))?.lastLedger === ledgers, 'the index to catch up')
  await until(() => clock.pendingTimers() > 0, 'the poll interval to start')
  assert.equal(fixture.node.calls['getEvents'], 3, 'two ledgers fill a page')
  assert.equal(clock.nowMs(), fixture.nowSec() * 1000, 'no poll waited')
  assert.equal((await readIndexState(store.read))?.seq, ledgers * (EVENTS_PAGE_LIMIT / 2 - 1))

  clock.advance(POLL_INTERVAL_MS - 1)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(fixture.node.calls['getEvents'], 3, 'the poll interval has not passed')
  clock.advance(1)
  await until(() => fixture.node.calls['getEvents'] === 4, 'the next poll')
  stop.abort()
  await running
  assert.equal(await fixture.indexer.step().then(({ kind }) => kind), 'indexed', 'the lock was released')
})

test('reads a ledger longer than a page in several pages, and advances the last ledger only at its end', async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  fixture.node.pageCap = 3
  for (let event = 0; event < 8; event++) fixture.queue(fixture.exchange.open(event, event))
  fixture.closeLedger()
  fixture.closeLedger()
  const heads: unknown[] = []
  for (let step = 0; step < 4; step++) {
    await fixture.indexer.step()
    const state = await readIndexState(store.read)
    heads.push([state?.seq, state?.lastLedger])
  }
  // The last transaction of a cut page may continue on the next one.
  assert.deepEqual(heads, [[2, 1], [4, 1], [6, 1], [8, 3]])
})

test('archives undecodable events raw, counts them, logs each kind once, and continues', async () => {
  const warned: unknown[] = []
  const log: Log = { debug() {}, info() {}, error: (facts) => assert.fail(JSON.stringify(facts)), warn: (facts) => void warned.push(facts) }
  await using fixture = createIndexFixture(store, { log })
  const { market, referral } = fixture.exchange.contracts
  const symbol = (value: string) => encodeScVal({ type: 'symbol', value })
  const oneId = encodeScVal({ type: 'vec', value: [{ type: 'u64', value: 7n }] })
  const deeplyNested = Buffer.from(`${'000000100000000100000001'.repeat(40)}00000001`, 'hex').toString('base64')
  const odd = [
    { contractId: market, topicsXdr: [symbol('margin_called')], valueXdr: oneId, transaction: 0 },
    { contractId: market, topicsXdr: [symbol('margin_called')], valueXdr: oneId, transaction: 0 },
    { contractId: market, topicsXdr: [symbol('position_opened')], valueXdr: oneId, transaction: 0 },
    { contractId: referral, topicsXdr: [symbol('claimed')], valueXdr: deeplyNested, transaction: 0 },
    { contractId: referral, topicsXdr: [], valueXdr: encodeScVal({ type: 'u32', value: 1 }), transaction: 0 },
    { contractId: market, topicsXdr: [symbol('position_opened')], valueXdr: 'AAAAEgAAAAY=', transaction: 0 },
  ]
  for (const event of odd) fixture.queue({ event, fact: { kind: 'other', decodes: false, topic: '', names: [] } })
  fixture.queue(fixture.exchange.open(0, 1))
  fixture.closeLedger()
  await fixture.catchUp()
  const { rows } = await listEvents(store.read, { limit: 50 })
  assert.deepEqual(
    rows.toReversed().map(({ topic, payload }) => [topic, payload]).slice(0, odd.length),
    odd.map(({ topicsXdr, valueXdr }, index) => {
      const topic = ['margin_called', 'margin_called', 'position_opened', 'claimed', '', 'position_opened'][index]
      return [topic, { topic, topicsXdr, valueXdr }]
    }),
  )
  assert.equal((await readIndexState(store.read))?.unknownEvents, odd.length)
  assert.equal((await listOpenPositions(store.read, {})).rows.length, 1, 'later events are indexed')
  assert.deepEqual(
    warned.map((facts) => (facts as { topic: string; problem: string }).problem),
    ['unknown topic', 'unexpected number of data values: 1', 'unexpected number of data values: 1', 'no topic', 'newer than this gateway: address type 6'],
  )
})

test('records ledgers that the node dropped before they were read as a gap, and continues after it', async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  for (let ledger = 2; ledger <= 9; ledger++) {
    fixture.queue(fixture.exchange.open(0, ledger))
    fixture.closeLedger()
  }
  fixture.node.oldest = 7
  assert.deepEqual(await fixture.indexer.step(), { kind: 'gap', fromLedger: 2, toLedger: 6 })
  await fixture.catchUp()
  const state = await readIndexState(store.read)
  assert.deepEqual([state?.gaps, state?.lastLedger], [1, 9])
  assert.deepEqual(state?.gapRanges, [{ epoch: state?.epoch, fromLedger: 2, toLedger: 6, since: fixture.nowSec() * 1000, state: 'open' }])
  const seqs = await store.read.query<{ seq: number }>('select seq from idx.events order by seq')
  const [first = 0] = seqs.map(({ seq }) => seq)
  assert.ok(first > 5_000, 'seqs are reserved for events of the lost ledgers')
  assert.deepEqual(seqs.map(({ seq }) => seq), [first, first + 1, first + 2])
  assert.deepEqual((await wholeIndex()).gaps, [{ epoch: 1, from_ledger: 2, to_ledger: 6 }])
})

test('publishes a print with the order that caused it, also when their transaction is longer than a page', async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  const { exchange, node } = fixture
  exchange.placeOrder(0)
  for (const queued of [exchange.open(0, 100), exchange.endOrder(0), exchange.open(1, 50)]) {
    if (queued !== undefined) fixture.queue({ ...queued, event: { ...queued.event, transaction: 3 } })
  }
  fixture.closeLedger()
  fixture.queue(exchange.open(2, 70))
  fixture.closeLedger()
  node.pageCap = 1
  const frames: LogRow[] = []
  const listed: number[] = []
  const stop = await store.listen(INDEX_CHANNEL, (payload) => {
    frames.push(...(parseLogNotification(payload)?.rows ?? []))
  })
  for (let page = 0; page < 5; page++) {
    await fixture.indexer.step()
    const [log, trades] = [await readLog(store.read, 0, { limit: 10, accounts: false }), await listTrades(store.read, { includeOpens: true, limit: 10 })]
    assert.ok(log.rows.every(({ seq }) => seq <= (log.end?.seq ?? 0)), 'the log ends after its last row')
    assert.ok(trades.rows.every(({ seq }) => seq <= (trades.head.seq)), 'the list ends at its head')
    listed.push(trades.rows.length)
  }
  await stop()
  assert.deepEqual(listed, [0, 0, 0, 2, 3], 'a transaction is listed when it is complete')
  const { rows } = await readLog(store.read, 0, { limit: 10, accounts: false })
  assert.deepEqual(rows.map(({ topic, print }) => [topic, print?.orderId]), [
    ['position_opened', 1], ['order_executed', undefined], ['position_opened', null], ['position_opened', null],
  ])
  assert.deepEqual(frames.map(({ seq, print }) => [seq, print]), rows.map(({ seq, print }) => [seq, print]), 'frames have what the list has')
})

test('publishes what is known of a transaction when the network was reset before the rest was read', async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  for (const queued of [fixture.exchange.open(0, 100), fixture.exchange.open(1, 50)]) {
    fixture.queue({ ...queued, event: { ...queued.event, transaction: 3 } })
  }
  fixture.closeLedger()
  fixture.node.pageCap = 1
  await fixture.indexer.step()
  assert.deepEqual((await readLog(store.read, 0, { limit: 10, accounts: false })).rows, [])
  fixture.reset()
  fixture.closeLedger(60)
  fixture.closeLedger()
  await fixture.catchUp()
  const { rows, end } = await readLog(store.read, 0, { limit: 10, accounts: false })
  assert.deepEqual([rows.map(({ topic }) => topic), end?.seq], [['position_opened'], 1])
})

test('publishes the new name of the epoch when ledgers were lost, in the transaction that records their gap', async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  const before = await readLogHead(store.read)
  for (let ledger = 2; ledger <= 9; ledger++) fixture.closeLedger()
  fixture.node.oldest = 7
  assert.deepEqual(await fixture.indexer.step(), { kind: 'gap', fromLedger: 2, toLedger: 6 })
  const { rows: [correction, ...others] } = await listCorrections(store.read, { limit: 10 })
  const head = await readLogHead(store.read)
  assert.notEqual(head?.epoch, before?.epoch)
  assert.deepEqual(others, [])
  assert.deepEqual([correction?.kind, correction?.before, correction?.after], ['epoch', { epoch: before?.epoch }, { epoch: head?.epoch }])
  assert.deepEqual([correction?.seq, correction?.epoch], [head?.seq, head?.epoch], 'the last entry of the log, after the seqs of the gap')
  const { corrections } = await readLog(store.read, before?.seq ?? 0, { limit: 10, accounts: false })
  assert.deepEqual(corrections, [correction], 'the stream has the same row')
})

test('records lost ledgers of a public network only after the node has claimed their loss for a while', async () => {
  const clock = createVirtualClock(FIRST_CLOSE_SEC * 1000)
  await using fixture = createIndexFixture(store, { clock, trust: PUBLIC_NETWORK })
  for (let ledger = 0; ledger < 9; ledger++) {
    fixture.closeLedger()
    if (ledger === 0) await fixture.catchUp()
  }
  fixture.node.oldest = 7
  for (let check = 0; check < 4; check++) {
    assert.equal((await fixture.indexer.step()).kind, 'unreachable')
    clock.advance(2_000)
  }
  clock.advance(PUBLIC_NETWORK.confirmMs)
  assert.equal((await fixture.indexer.step()).kind, 'gap')
})

test('loses nothing when the node dropped only ledgers that were read', async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  fixture.queue(fixture.exchange.open(0, 1))
  fixture.closeLedger()
  fixture.node.oldest = 2
  assert.deepEqual(await fixture.indexer.step(), { kind: 'indexed', events: 1, advanced: true, lastLedger: 2, latestLedger: 2, caughtUp: true })
  assert.equal((await readIndexState(store.read))?.gaps, 0)
})

test('waits for a lagging node, and does not read a node of another network', async () => {
  await using fixture = createIndexFixture(store)
  for (let ledger = 0; ledger < 5; ledger++) fixture.closeLedger()
  await fixture.catchUp()
  fixture.node.visibleUntil = 3
  assert.deepEqual(await fixture.indexer.step(), { kind: 'waiting', reason: 'node-lagging' })
  fixture.node.visibleUntil = Number.MAX_SAFE_INTEGER
  await fixture.catchUp()
  fixture.node.passphrase = 'another network'
  await fixture.restart()
  const before = await wholeIndex()
  assert.deepEqual(await fixture.indexer.step(), { kind: 'waiting', reason: 'wrong-network' })
  assert.deepEqual(await wholeIndex(), before)
})

test('begins an epoch after a network reset: ids repeat, events are new, and earlier positions are no longer open', async () => {
  await using fixture = createIndexFixture(store)
  fixture.queue(fixture.exchange.open(0, 1))
  fixture.closeLedger()
  await fixture.catchUp()
  const first = await readIndexState(store.read)
  fixture.reset()
  fixture.queue(fixture.exchange.open(0, 2))
  fixture.closeLedger(60)
  const openedAt = fixture.nowSec()
  fixture.closeLedger()
  await fixture.catchUp()
  const state = await readIndexState(store.read)
  assert.notEqual(state?.epoch, first?.epoch)
  const { rows } = await listEvents(store.read, { limit: 50 })
  assert.equal(rows.length, 2)
  assert.equal(rows[0]?.eventId, `${rows[1]?.eventId}-${state?.epoch}`, 'same position on the chain, different event')
  const { rows: open } = await listOpenPositions(store.read, {})
  assert.deepEqual(open.map((row) => [row.positionId, row.openedAt]), [[1, openedAt]])
})

test('verifies the chain again once a reset network has outgrown the indexed one', async () => {
  await using fixture = createIndexFixture(store, { firstLedger: 100 })
  for (let ledger = 0; ledger < 10; ledger++) fixture.closeLedger()
  await fixture.catchUp()
  const before = await readIndexState(store.read)
  fixture.reset({ secondsBack: 60 })
  fixture.closeLedger()
  await fixture.indexer.step()
  assert.equal((await readIndexState(store.read))?.epoch, before?.epoch, 'a single ledger proves nothing')
  // Ledgers and close times pass the known ones: they could belong to the same chain.
  for (let ledger = 0; ledger < 120; ledger++) fixture.closeLedger(1)
  fixture.queue(fixture.exchange.open(0, 2))
  fixture.closeLedger()
  await fixture.catchUp()
  const state = await readIndexState(store.read)
  assert.notEqual(state?.epoch, before?.epoch)
  assert.equal(state?.seq, (before?.seq ?? 0) + 1)
})

test('recognises a reset network with the same ledgers and close times by its hashes', async () => {
  await using fixture = createIndexFixture(store)
  for (let ledger = 0; ledger < 6; ledger++) fixture.closeLedger()
  await fixture.catchUp()
  await fixture.restart()
  await fixture.catchUp()
  const first = await readIndexState(store.read)
  fixture.reset({ secondsBack: 6 * 5 })
  for (let ledger = 0; ledger < 8; ledger++) fixture.closeLedger()
  await fixture.restart()
  const kinds = (await fixture.untilEpoch()).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['unreachable', 'unreachable', 'epoch'], 'a single response may be cached')
  await fixture.catchUp()
  assert.notEqual((await readIndexState(store.read))?.epoch, first?.epoch)
})

test('begins one epoch, not two, when the confirmation of its commit was lost', async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  fixture.reset()
  fixture.closeLedger(60)
  fixture.closeLedger()
  fixture.nextFault = 'after commit'
  await assert.rejects(fixture.untilEpoch(), ConnectionBroken)
  fixture.closeLedger()
  await fixture.catchUp()
  const [row] = await store.read.query<{ epochs: number }>('select count(*) as epochs from idx.epochs')
  assert.equal(row?.epochs, 2)
})

test('does not index a cached page of the chain before a reset', async () => {
  await using fixture = createIndexFixture(store)
  for (const pick of [0, 1, 2]) {
    fixture.queue(fixture.exchange.open(pick, 1))
    fixture.closeLedger()
  }
  const cached: EventsPage[] = []
  fixture.node.pageFaults.push((page) => {
    cached.push(page)
    return page
  })
  await fixture.catchUp()
  const [stale] = cached
  assert.ok(stale !== undefined && stale.events.length === 3)
  fixture.reset()
  fixture.queue(fixture.exchange.open(3, 2))
  fixture.closeLedger(60)
  fixture.closeLedger()
  await fixture.untilEpoch()
  fixture.node.pageFaults.push(() => stale)
  assert.equal((await fixture.indexer.step()).kind, 'unreachable')
  assert.equal((await readIndexState(store.read))?.seq, 3, 'no event of the stale page was archived')
  await fixture.catchUp()
  fixture.node.pageFaults.push(() => stale)
  assert.equal((await fixture.indexer.step()).kind, 'unreachable', 'the stale page is rejected again later')
  await fixture.restart()
  fixture.closeLedger()
  await fixture.catchUp()
  assert.equal((await readIndexState(store.read))?.seq, 4)
})

test('follows a chain that was restored to an earlier time, while shorter and after outgrowing the old one', async () => {
  for (const newLedgers of [3, 40]) {
    await emptyIndex(store.write)
    await using fixture = createIndexFixture(store)
    for (let ledger = 0; ledger < 4; ledger++) {
      fixture.queue(fixture.exchange.open(ledger, ledger))
      fixture.closeLedger()
    }
    // The chain's clock jumps by a day, then more ledgers close.
    fixture.queue(fixture.exchange.open(0, 9))
    fixture.closeLedger(86_400)
    for (let ledger = 0; ledger < 5; ledger++) fixture.closeLedger()
    await fixture.catchUp()
    const before = await readIndexState(store.read)
    fixture.reset({ secondsBack: 86_400 })
    for (let ledger = 0; ledger < newLedgers; ledger++) {
      fixture.queue(fixture.exchange.open(ledger, ledger))
      fixture.closeLedger(6)
    }
    await fixture.untilEpoch()
    await fixture.catchUp()
    const state = await readIndexState(store.read)
    assert.notEqual(state?.epoch, before?.epoch)
    assert.equal(state?.seq, (before?.seq ?? 0) + newLedgers)
  }
})

test('continues the epoch of a chain that returns, and archives no event of it twice', async () => {
  await using fixture = createIndexFixture(store)
  for (const pick of [0, 1, 2]) {
    fixture.queue(fixture.exchange.open(pick, 1))
    fixture.closeLedger()
  }
  await fixture.catchUp()
  const first = await readIndexState(store.read)
  const firstChain = fixture.node.saveChain()
  fixture.reset()
  fixture.queue(fixture.exchange.open(3, 2))
  fixture.closeLedger(60)
  for (let ledger = 0; ledger < 4; ledger++) fixture.closeLedger()
  await fixture.untilEpoch()
  await fixture.catchUp()
  const second = await readIndexState(store.read)
  assert.notEqual(second?.epoch, first?.epoch)

  firstChain()
  fixture.queue(fixture.exchange.open(1, 7))
  fixture.closeLedger()
  const results = await fixture.untilEpoch()
  assert.deepEqual(results.at(-1), { kind: 'epoch', epoch: first?.epoch, reason: 'returned', startLedger: 1 })
  await fixture.catchUp()
  const state = await readIndexState(store.read)
  assert.deepEqual([state?.epoch, state?.seq, state?.lastLedger], [first?.epoch, 5, 4])
  const { rows } = await listEvents(store.read, { limit: 50 })
  assert.deepEqual(rows.map(({ ledger }) => ledger), [4, 1, 3, 2, 1])
  const bounded = await listEvents(store.read, { limit: 50, fromLedger: 1, toLedger: 3 })
  assert.deepEqual(bounded.rows.map(({ eventId }) => eventId), rows.slice(1).map(({ eventId }) => eventId), 'no row twice across ranges of epochs')
  assert.equal((await readLogHead(store.read))?.interruptedThrough, 4)
})

test('archives an event of one chain once, even when a lost cursor makes the indexer read it again', async () => {
  await using fixture = createIndexFixture(store, { isTampered: true })
  eventfulLedger(fixture)
  fixture.closeLedger()
  await fixture.catchUp()
  const archive = await dumpArchive(store.read)
  await store.write.query('update idx.cursor set cursor = null')
  await fixture.catchUp()
  assert.deepEqual(await dumpArchive(store.read), archive)
})

test('believes a reset of a public network only when it persists and the other chain grows', async () => {
  const clock = createVirtualClock(FIRST_CLOSE_SEC * 1000)
  await using fixture = createIndexFixture(store, { clock, trust: PUBLIC_NETWORK })
  for (let ledger = 0; ledger < 6; ledger++) fixture.closeLedger()
  await fixture.catchUp()
  fixture.reset()
  for (let ledger = 0; ledger < 3; ledger++) fixture.closeLedger()
  for (let check = 0; check < 8; check++) {
    assert.equal((await fixture.indexer.step()).kind, 'unreachable', 'sixteen seconds are not enough')
    clock.advance(2_000)
  }
  clock.advance(PUBLIC_NETWORK.confirmMs)
  assert.equal((await fixture.indexer.step()).kind, 'unreachable', 'the other chain does not grow')
  fixture.closeLedger()
  assert.equal((await fixture.indexer.step()).kind, 'epoch')
})

test('another market is another deployment with its own position ids; returning to the first one lists its positions again', async () => {
  await using fixture = createIndexFixture(store)
  const { contracts } = fixture.exchange
  fixture.queue(fixture.exchange.open(0, 1))
  fixture.closeLedger()
  await fixture.catchUp()
  fixture.redeploy(testContracts(2))
  fixture.closeLedger()
  await fixture.catchUp()
  assert.deepEqual((await listOpenPositions(store.read, {})).rows, [])
  fixture.queue(fixture.exchange.open(1, 5))
  fixture.closeLedger()
  await fixture.catchUp()
  fixture.queue(fixture.exchange.close(0, 3))
  fixture.closeLedger()
  await fixture.catchUp()
  fixture.redeploy(contracts)
  await fixture.catchUp()
  const { rows } = await listOpenPositions(store.read, {})
  assert.deepEqual(rows.map(({ positionId }) => positionId), [1], 'position 1 of the other market was closed, not this one')
  assert.equal((await readIndexState(store.read))?.seq, 3, 'events of the first epoch are not archived again')
})

test('survives every kind of RPC failure without changing the index', async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.catchUp()
  eventfulLedger(fixture)
  const before = await wholeIndex()
  const kinds = ['unreachable', 'timeout', 'http', 'malformed', 'rpc'] as const
  for (const kind of kinds) {
    fixture.node.failure = new RpcFailure({ method: 'getEvents', kind, retryable: true, ...(kind === 'rpc' ? { code: -32_603 } : {}) })
    assert.equal((await fixture.indexer.step()).kind, 'unreachable')
    assert.deepEqual(await wholeIndex(), before)
  }
  fixture.node.failure = undefined
  await fixture.catchUp()
  assert.equal((await readIndexState(store.read))?.seq, 5)
})
