// The start of the tail: clients of a replaced instance can resume without database reads.

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { createIndexFixture } from '../../test/index/fixture.ts'
import { withOlderHistory } from '../../test/index/node.ts'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import type { FillResult } from '../indexer/repair/gap-filler.ts'
import { INDEX_CHANNEL } from '../projections/state/index-state.ts'
import { CORRECTIONS_CHANNEL, EVENTS_CHANNEL } from './channels.ts'
import type { EpochChange } from './published-epoch.ts'
import { createTail, INITIAL_ROWS } from './tail.ts'
import type { Frame } from './frames.ts'
import { anyDeployment } from '../../test/support/deployments.ts'

test('retains the newest rows at start-up and publishes none of them', async () => {
  await using store = await openTestStore()
  await using world = createIndexFixture(store)
  const rows = INITIAL_ROWS + 40
  for (let pick = 0; pick < rows; pick++) {
    world.queue(world.exchange.open(pick, pick))
    if (pick % 50 === 49) world.closeLedger(5)
  }
  world.closeLedger(5)
  await world.catchUp()
  const published: Frame[] = []
  const options = { store, publish: (frames: readonly Frame[]) => void published.push(...frames), onEpoch: () => assert.fail('no epoch change') }
  const tail = createTail({ ...options, deployment: anyDeployment(), clock: createVirtualClock(0), log: silentLog })
  await tail.catchUp()
  assert.deepEqual([published.length, tail.position(), tail.channelHead('events')], [0, rows, rows])
  const framesAfter = (channel: string, afterSeq: number) => tail.recentPage(new Set([channel]), afterSeq, Infinity)?.frames
  assert.deepEqual(framesAfter('events', rows - 3)?.map(({ seq }) => seq), [rows - 2, rows - 1, rows])
  assert.equal(framesAfter('events', rows - INITIAL_ROWS)?.length, INITIAL_ROWS)
  assert.equal(framesAfter('events', rows - INITIAL_ROWS - 1), undefined, 'older rows are not retained')
  const trades = ['BTC', 'ETH', 'XLM'].map((asset) => `trades.${asset}`)
  for (const channel of trades) {
    const own = framesAfter(channel, rows - INITIAL_ROWS) ?? []
    assert.equal(own.at(-1)?.seq, tail.channelHead(channel))
    const prevs = own.map((frame) => (JSON.parse(textOf(frame)) as { prev: number }).prev)
    assert.deepEqual(prevs.slice(1), own.slice(0, -1).map(({ seq }) => seq), 'prev is the seq of the previous frame')
    assert.ok((prevs[0] ?? 0) > 0 && (prevs[0] ?? rows) <= rows - INITIAL_ROWS, 'prev of the first frame is an older seq')
  }
})

test('announces a repaired log, whose events have other seqs, and publishes none of them again', async () => {
  await using store = await openTestStore()
  await using world = createIndexFixture(store)
  for (let ledger = 0; ledger < 8; ledger++) {
    for (let pick = 0; pick < 5; pick++) world.queue(world.exchange.open(pick, ledger))
    world.closeLedger(5)
  }
  await world.catchUp()
  const published: Frame[] = []
  const changes: EpochChange[] = []
  const tail = createTail({
    deployment: anyDeployment(),
    store, publish: (frames) => void published.push(...frames), onEpoch: (change) => void changes.push(change), clock: createVirtualClock(0), log: silentLog,
  })
  await tail.catchUp()
  const since = tail.position()
  await store.write.query('delete from idx.events where seq = 10')
  assert.equal((await world.verify()).added, 1)
  await tail.catchUp()
  assert.deepEqual(changes, [{ since, epoch: tail.head()?.epoch }])
  // The report of the repair itself.
  assert.deepEqual(new Set(published.map(({ channel }) => channel)), new Set([CORRECTIONS_CHANNEL]))
  assert.ok(tail.position() > since)
  world.queue(world.exchange.open(1, 1))
  world.closeLedger(5)
  await world.catchUp()
  await tail.catchUp()
  const traded = published.filter(({ channel }) => channel !== CORRECTIONS_CHANNEL)
  assert.deepEqual(new Set(traded.map(({ seq }) => seq)), new Set([tail.position()]), 'what is new is published')
})

test('announces ledgers that were lost, and that they were recovered, and publishes none of the recovered rows', async () => {
  await using store = await openTestStore()
  let isDown = true
  const unreachable = new RpcFailure({ method: 'getEvents', kind: 'unreachable', retryable: true })
  await using world = createIndexFixture(store, {
    archive: (node) => withOlderHistory(node, { oldest: 1, failure: () => (isDown ? unreachable : undefined) }),
  })
  const play = (ledgers: number): void => {
    for (let ledger = 0; ledger < ledgers; ledger++) {
      world.queue(world.exchange.open(ledger, ledger))
      world.closeLedger()
    }
  }
  const published: Frame[] = []
  const changes: EpochChange[] = []
  const tail = createTail({
    deployment: anyDeployment(),
    store, publish: (frames) => void published.push(...frames), onEpoch: (change) => void changes.push(change), clock: createVirtualClock(0), log: silentLog,
  })
  const seqsSince = (frames: number): readonly (number | undefined)[] =>
    published.slice(frames).filter(({ channel }) => channel === EVENTS_CHANNEL).map(({ seq }) => seq)
  play(20)
  await world.catchUp()
  await tail.catchUp()
  const lostAfter = tail.position()
  play(30)
  world.node.oldest = 41
  for (let steps = 0; (await world.indexer.step()).kind !== 'gap'; steps++) assert.ok(steps < 10, 'the ledgers become a gap')
  await world.catchUp()
  await tail.catchUp()
  assert.deepEqual(changes, [{ since: lostAfter, epoch: tail.epoch() }])

  const [frames, end] = [published.length, tail.position()]
  isDown = false
  let result: FillResult
  do result = await world.indexer.fill()
  while (result !== 'none')
  await world.finishRebuild()
  const [{ events } = { events: 0 }] = await store.read.query<{ events: number }>('select count(*) as events from idx.events')
  assert.equal(events, 50, 'all events were recovered')
  await tail.catchUp()
  assert.deepEqual(changes.slice(1), [{ since: end, epoch: tail.epoch() }])
  assert.notEqual(changes[0]?.epoch, changes[1]?.epoch)
  play(1)
  await world.catchUp()
  await tail.catchUp()
  assert.deepEqual([seqsSince(frames), changes.length], [[tail.position()], 2], 'only what is new')
})

test('publishes no late rows of the old epoch while it restarts behind a repair', async () => {
  await using store = await openTestStore()
  await using world = createIndexFixture(store)
  const commit = async (): Promise<void> => {
    world.queue(world.exchange.open(1, 1))
    world.closeLedger(5)
    await world.catchUp()
  }
  for (let ledger = 0; ledger < 8; ledger++) await commit()
  const listening = Promise.withResolvers<(payload: string) => void>()
  let afterRead = (): void => {}
  const published: Frame[] = []
  const changes: EpochChange[] = []
  const tail = createTail({
    store: {
      ...store,
      read: {
        query: async (statement, params) => {
          const rows = await store.read.query(statement, params)
          afterRead()
          return rows
        },
      },
      listen: async (_, callback) => (listening.resolve(callback), async () => {}),
    },
    publish: (frames) => void published.push(...frames), onEpoch: (change) => void changes.push(change),
    deployment: anyDeployment(), clock: createVirtualClock(0), log: silentLog,
  })
  await tail.catchUp()
  const since = tail.position()
  const stop = new AbortController()
  const running = tail.run(stop.signal)
  const notify = await listening.promise
  const late = Promise.withResolvers<string>()
  const stopListening = await store.listen(INDEX_CHANNEL, late.resolve)
  await commit()
  const payload = await late.promise
  await stopListening()
  await store.write.query('delete from idx.events where seq = 3')
  assert.equal((await world.verify()).added, 1)
  // The first two reads notice the repair.
  let reads = 0
  afterRead = () => void (++reads > 2 && notify(payload))
  await tail.catchUp()
  assert.ok(reads > 3)
  assert.deepEqual(changes, [{ since, epoch: tail.head()?.epoch }])
  assert.deepEqual(new Set(published.map(({ channel }) => channel)), new Set([CORRECTIONS_CHANNEL]))
  stop.abort()
  await running
})

/** The JSON text of an encoded frame. */
function textOf(frame: Frame): string {
  const bytes = frame.bytes()
  return bytes.subarray(bytes.indexOf('{')).toString()
}
