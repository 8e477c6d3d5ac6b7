// Filling lost ledgers from an archive node: afterwards every list is as if nothing had been lost.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { createSystemClock, createVirtualClock } from '../../base/clock.ts'
import { RPC_CODES, RpcFailure } from '../../chain/rpc/failure.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { encodeScVal } from '../../chain/codec/scval.ts'
import { listEvents } from '../../projections/log/events.ts'
import { readIndexState } from '../../projections/state/index-state.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { withOlderHistory } from '../../../test/index/node.ts'
import type { FakeNode } from '../../../test/index/node.ts'
import { allEvents, dumpProjections, emptyIndex, readTables } from '../../../test/index/tables.ts'
import { createIndexFixture } from '../../../test/index/fixture.ts'
import type { IndexFixture, IndexFixtureOptions } from '../../../test/index/fixture.ts'
import { FILL_RETRY_MS } from './gap-filler.ts'
import { rebuild } from './rebuild.ts'

const store = await openTestStore({ readTimeoutMs: 60_000 })
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))

const UNREACHABLE = new RpcFailure({ method: 'getEvents', kind: 'unreachable', retryable: true })

/** Closes ledgers with enough events that every projection depends on the earlier ones. */
function play({ exchange, queue, closeLedger }: IndexFixture, ledgers: number): void {
  for (let ledger = 0; ledger < ledgers; ledger++) {
    for (let pick = 0; pick < 6; pick++) queue(pick % 3 === 2 ? exchange.close(pick, ledger) : exchange.open(pick + ledger, ledger))
    if (ledger % 5 === 3) queue(exchange.crossLiquidate(ledger))
    queue(exchange.other(ledger))
    closeLedger()
  }
}

/** Indexes twenty ledgers; the node then drops twenty unread ones and keeps ten. */
async function dropLedgers(fixture: IndexFixture): Promise<void> {
  play(fixture, 20)
  await fixture.catchUp()
  play(fixture, 30)
  fixture.node.oldest = 41
  await fixture.catchUp()
}

/** The state that clients see: the lists, and the events with their chain positions. */
async function visibleState(): Promise<object> {
  const events = await allEvents(store.read, { limit: 50 })
  const trades = await store.read.query('select position_id, trader, kind, ledger, asset, size, entry_price, pnl from idx.trades order by seq')
  const hours = await store.read.query('select * from idx.asset_hours order by asset, hour')
  const volumes = await store.read.query('select * from idx.candle_volumes order by asset, interval, time')
  const rows = events.map(({ seq: _seq, epoch: _epoch, ...event }) => ({ ...event, insertedAt: 0 }))
  return { tables: await readTables(store.read), events: rows, trades, hours, volumes }
}

async function stateWithoutLoss(): Promise<object> {
  await using fixture = createIndexFixture(store)
  play(fixture, 20)
  await fixture.catchUp()
  play(fixture, 30)
  await fixture.catchUp()
  const expected = await visibleState()
  await emptyIndex(store.write)
  return expected
}

async function fillAll(fixture: IndexFixture): Promise<string[]> {
  const results: string[] = []
  for (let steps = 0; steps < 100; steps++) {
    const result = await fixture.indexer.fill()
    results.push(result)
    if (result === 'none' || result === 'unreachable') {
      await fixture.finishRebuild()
      return results
    }
  }
  throw new Error('the gaps were not filled in 100 steps')
}

const states = async (): Promise<readonly unknown[]> =>
  ((await readIndexState(store.read))?.gapRanges ?? []).map(({ fromLedger, toLedger, state }) => [fromLedger, toLedger, state])

interface SwitchableArchive {
  readonly archive: (node: FakeNode) => Rpc
  readonly options: IndexFixtureOptions
  isDown: boolean
}

/** An archive node that is unreachable until it is switched on. */
function switchableArchive(oldest: number): SwitchableArchive {
  const archive = (node: FakeNode): Rpc => withOlderHistory(node, { oldest, failure: () => (source.isDown ? UNREACHABLE : undefined) })
  const source: SwitchableArchive = { isDown: true, archive, options: { archive } }
  return source
}

async function dropLedgersUntilGap(fixture: IndexFixture): Promise<void> {
  play(fixture, 20)
  await fixture.catchUp()
  play(fixture, 30)
  fixture.node.oldest = 41
  await untilGap(fixture)
}

async function untilGap(fixture: IndexFixture): Promise<void> {
  for (let steps = 0; (await fixture.indexer.step()).kind !== 'gap'; steps++) assert.ok(steps < 10, 'the ledgers become a gap')
  await fixture.catchUp()
}

test('reads dropped ledgers from the archive node, in order, so that nothing is lost', async () => {
  const expected = await stateWithoutLoss()
  await using fixture = createIndexFixture(store, { archive: (node) => withOlderHistory(node, { oldest: 1 }) })
  await dropLedgers(fixture)
  assert.deepEqual(await visibleState(), expected)
  assert.deepEqual(await states(), [])
  assert.equal(await fixture.indexer.fill(), 'none')
})

test('forms of a later protocol that only lost ledgers contain are reported when a gap is filled', async () => {
  const source = switchableArchive(1)
  await using fixture = createIndexFixture(store, source.options)
  play(fixture, 20)
  await fixture.catchUp()
  const { market } = fixture.exchange.contracts
  const event = { contractId: market, topicsXdr: [encodeScVal({ type: 'symbol', value: 'position_opened' })], valueXdr: 'AAAAEgAAAAY=', transaction: 0 }
  fixture.queue({ event, fact: { kind: 'other', decodes: false, topic: '', names: [] } })
  play(fixture, 30)
  fixture.node.oldest = 41
  await untilGap(fixture)
  assert.deepEqual((await readIndexState(store.read))?.newerForms, [])
  source.isDown = false
  await fillAll(fixture)
  assert.deepEqual((await readIndexState(store.read))?.newerForms, [{ what: 'address type 6', ledger: 21, isStop: false }])
})

test('candles whose volume grew after they were final get a revision when a gap is filled, once, and no others do', async () => {
  const source = switchableArchive(1)
  await using fixture = createIndexFixture(store, source.options)
  await dropLedgersUntilGap(fixture)
  const readVolumes = async (): Promise<ReadonlyMap<string, string>> => {
    const rows = await store.read.query<{ key: string; volume: string }>(
      "select concat_ws(' ', asset, interval, time) as key, concat_ws(' ', volume, trades) as volume from idx.candle_volumes",
    )
    return new Map(rows.map(({ key, volume }) => [key, volume]))
  }
  const readRevisions = async (): Promise<readonly string[]> => (await store.read.query<{ key: string }>(
    "select concat_ws(' ', asset, interval, time, revision) as key from idx.candle_revisions order by 1")).map(({ key }) => key)
  const before = await readVolumes()
  assert.deepEqual(await readRevisions(), [])
  source.isDown = false
  await fillAll(fixture)
  const changed = [...await readVolumes()].filter(([key, volume]) => before.get(key) !== volume).map(([key]) => `${key} 1`)
  assert.ok(changed.length > 20)
  assert.deepEqual(await readRevisions(), changed.toSorted())
  await fixture.indexer[Symbol.asyncDispose]()
  await rebuild(store, { clock: createSystemClock() })
  assert.deepEqual(await readRevisions(), changed.toSorted())
})

test('fills a gap page by page: every list is as if nothing had been lost, and a rebuild changes nothing', async () => {
  const expected = await stateWithoutLoss()
  const source = switchableArchive(1)
  await using fixture = createIndexFixture(store, source.options)
  await dropLedgersUntilGap(fixture)
  assert.notDeepEqual(await visibleState(), expected)
  assert.deepEqual(await states(), [[21, 40, 'open']])
  const before = await readIndexState(store.read)
  assert.equal((await listEvents(store.read, { limit: 500 })).gaps.length, 1)

  source.isDown = false
  fixture.node.pageCap = 50
  const results = await fillAll(fixture)
  assert.ok(results.filter((result) => result === 'page').length >= 2, `page by page: ${results.join(' ')}`)
  assert.deepEqual(results.slice(-2), ['filled', 'none'])
  assert.deepEqual(await visibleState(), expected)
  assert.deepEqual(await states(), [[21, 40, 'filled']])
  assert.deepEqual((await listEvents(store.read, { limit: 500 })).gaps, [])
  const state = await readIndexState(store.read)
  // The new name of the epoch takes a position of its own.
  assert.deepEqual([state?.seq, state?.lastLedger, state?.gaps], [(before?.seq ?? 0) + 1, before?.lastLedger, 1])
  assert.notEqual(state?.epoch, before?.epoch, 'the epoch is renamed for stream clients')
  fixture.node.pageCap = Number.MAX_SAFE_INTEGER
  play(fixture, 5)
  await fixture.catchUp()

  const live = await dumpProjections(store.read)
  await fixture[Symbol.asyncDispose]()
  await rebuild(store, { clock: createSystemClock() })
  assert.deepEqual(await dumpProjections(store.read), live)
})

test('fills what the source has, and retries the rest of the gap an hour later', async () => {
  const source = switchableArchive(31)
  const clock = createVirtualClock(1_800_000_000_000)
  await using fixture = createIndexFixture(store, { ...source.options, clock })
  await dropLedgersUntilGap(fixture)
  source.isDown = false
  assert.deepEqual(await fillAll(fixture), ['unavailable', 'filled', 'none'])
  assert.deepEqual(await states(), [[31, 40, 'filled'], [21, 30, 'unfillable']])
  const events = await allEvents(store.read, { limit: 50 })
  assert.deepEqual(new Set(events.map(({ ledger }) => ledger > 20 && ledger <= 30)), new Set([false]))
  assert.ok(events.some(({ ledger }) => ledger > 30 && ledger <= 40))
  const { gaps } = await listEvents(store.read, { limit: 500 })
  assert.deepEqual(gaps.map(({ fromLedger, toLedger }) => [fromLedger, toLedger]), [[21, 30]])
  assert.equal(await fixture.indexer.fill(), 'none', 'no immediate retry')
  clock.advance(FILL_RETRY_MS + 1)
  assert.equal(await fixture.indexer.fill(), 'unavailable')
})

test('resumes a fill that failed before any of its commits, without duplicates', async () => {
  const expected = await stateWithoutLoss()
  const source = switchableArchive(1)
  await using fixture = createIndexFixture(store, source.options)
  await dropLedgersUntilGap(fixture)
  source.isDown = false
  fixture.node.pageCap = 60
  for (let statements = 0; statements < 12; statements++) {
    fixture.nextFault = { beforeStatement: statements }
    await fixture.indexer.fill().catch(() => undefined)
    if (statements % 3 === 0) await fixture.restart()
  }
  fixture.nextFault = 'after commit'
  await fixture.indexer.fill().catch(() => undefined)
  fixture.nextFault = undefined
  await fillAll(fixture)
  assert.deepEqual(await visibleState(), expected)
})

test('requests smaller pages from a source that takes too long', async () => {
  const source = switchableArchive(1)
  let rejected = 0
  await using fixture = createIndexFixture(store, {
    archive: (node) => {
      const view = source.archive(node)
      return {
        ...view,
        async getEvents(request, call) {
          if (source.isDown || request.limit <= 100) return await view.getEvents(request, call)
          rejected += 1
          throw new RpcFailure({ method: 'getEvents', kind: 'rpc', code: RPC_CODES.processingLimit, retryable: true })
        },
      }
    },
  })
  await dropLedgersUntilGap(fixture)
  source.isDown = false
  for (let polls = 0; polls < 20 && !String(await states()).includes('filled'); polls++) await fillAll(fixture)
  assert.deepEqual(await states(), [[21, 40, 'filled']])
  assert.ok(rejected > 0 && rejected <= 7, `rejected ${rejected} times`)
})

test('does not read a source on another chain', async () => {
  const other = createIndexFixture(store, {})
  for (let ledger = 0; ledger < 60; ledger++) other.closeLedger(3)
  const archive = (): Rpc => withOlderHistory(other.node, { oldest: 1, failure: () => (isDown ? UNREACHABLE : undefined) })
  await using fixture = createIndexFixture(store, { archive })
  let isDown = true
  await dropLedgersUntilGap(fixture)
  isDown = false
  assert.deepEqual(await fillAll(fixture), ['unreachable'])
  assert.deepEqual(await states(), [[21, 40, 'open']])
})

/** Two archive nodes: the first damages the events of its pages, and the second responds only while `honest.isUp`. */
function damagingArchive(honest: { isUp: boolean; oldest: number }): (node: FakeNode) => Rpc {
  return (node) => {
    const [damaging, other] = [withOlderHistory(node, { oldest: 1 }), (): Rpc => withOlderHistory(node, { oldest: honest.oldest })]
    const at = (endpoint?: number): Rpc => (endpoint === 1 ? other() : damaging)
    const check = (endpoint?: number): void => {
      if (endpoint === 1 && !honest.isUp) throw UNREACHABLE
    }
    return {
      ...damaging, endpoints: 2,
      async getNetwork(call) {
        check(call?.endpoint)
        return await at(call?.endpoint).getNetwork(call)
      },
      getHealth: (call) => at(call?.endpoint).getHealth(call),
      async getEvents(request, call) {
        const page = await at(call?.endpoint).getEvents(request, call)
        return call?.endpoint === 1 ? page : { ...page, events: page.events.map((event) => ({ ...event, valueXdr: 'AAAABQ==' })) }
      },
    }
  }
}

test('a source that damages events fills nothing; the next one is read, and otherwise the gap stays open', async () => {
  const expected = await stateWithoutLoss()
  const honest = { isUp: false, oldest: 1 }
  await using fixture = createIndexFixture(store, { archive: damagingArchive(honest) })
  await dropLedgers(fixture)
  for (let attempt = 0; attempt < 4; attempt++) assert.equal(await fixture.indexer.fill(), 'unreachable')
  Object.assign(honest, { isUp: true, oldest: 41 })
  for (let attempt = 0; attempt < 4; attempt++) assert.equal(await fixture.indexer.fill(), 'unreachable')
  assert.deepEqual(await states(), [[21, 40, 'open']], 'the damaging node has these ledgers, so they are not unfillable')
  honest.oldest = 1
  for (let polls = 0; polls < 5 && !String(await states()).includes('filled'); polls++) await fillAll(fixture)
  assert.deepEqual(await visibleState(), expected)
})
