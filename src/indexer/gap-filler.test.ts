// Lost ledgers, filled from a node that has them: afterwards nothing tells that they were lost but their note.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { RPC_CODES, RpcFailure } from '../chain/failure.ts'
import type { Rpc } from '../chain/rpc.ts'
import { listEvents } from '../projections/events.ts'
import { readIndexState } from '../projections/index-state.ts'
import { openTestStore } from '../../test/support/database.ts'
import { withOlderHistory } from '../../test/index/node.ts'
import type { FakeNode } from '../../test/index/node.ts'
import { allEvents, dumpProjections, emptyIndex, readTables } from '../../test/index/tables.ts'
import { createIndexFixture } from '../../test/index/fixture.ts'
import type { IndexFixture, IndexFixtureOptions } from '../../test/index/fixture.ts'
import { FILL_RETRY_MS } from './gap-filler.ts'
import { rebuild } from './rebuild.ts'

/** A busy machine is no finding. */
const store = await openTestStore({ readTimeoutMs: 60_000 })
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))

const GONE = new RpcFailure({ method: 'getEvents', kind: 'unreachable', retryable: true })

/** So much happens in each ledger that every projection depends on what was before. */
function play({ exchange, queue: happen, closeLedger }: IndexFixture, ledgers: number): void {
  for (let ledger = 0; ledger < ledgers; ledger++) {
    for (let pick = 0; pick < 6; pick++) happen(pick % 3 === 2 ? exchange.close(pick, ledger) : exchange.open(pick + ledger, ledger))
    if (ledger % 5 === 3) happen(exchange.crossLiquidate(ledger))
    happen(exchange.other(ledger))
    closeLedger()
  }
}

/** Twenty ledgers that were read, twenty that nobody read, ten that are there. */
async function lose(world: IndexFixture): Promise<void> {
  play(world, 20)
  await world.catchUp()
  play(world, 30)
  world.node.oldest = 41
  await world.catchUp()
}

/** What clients see: lists, and events with their own place on the chain. */
async function seen(): Promise<object> {
  const events = await allEvents(store.read, { limit: 50 })
  const trades = await store.read.query('select position_id, trader, kind, ledger, asset, size, entry_price, pnl from idx.trades order by seq')
  const hours = await store.read.query('select * from idx.asset_hours order by asset, hour')
  return { tables: await readTables(store.read), events: events.map((event) => ({ ...event, insertedAt: 0 })), trades, hours }
}

async function seenUndisturbed(): Promise<object> {
  await using world = createIndexFixture(store)
  play(world, 20)
  await world.catchUp()
  play(world, 30)
  await world.catchUp()
  const undisturbed = await seen()
  await emptyIndex(store.write)
  return undisturbed
}

async function fillAll(world: IndexFixture): Promise<string[]> {
  const results: string[] = []
  for (let steps = 0; steps < 100; steps++) {
    const result = await world.indexer.fill()
    results.push(result)
    if (result === 'none' || result === 'unreachable') return results
  }
  throw new Error('the gaps are never filled')
}

const states = async (): Promise<readonly unknown[]> =>
  ((await readIndexState(store.read))?.gapRanges ?? []).map(({ fromLedger, toLedger, state }) => [fromLedger, toLedger, state])

interface LateSource {
  readonly archive: (node: FakeNode) => Rpc
  readonly options: IndexFixtureOptions
  away: boolean
}

/** A source that is away until it is switched on. */
function lateSource(oldest: number): LateSource {
  const archive = (node: FakeNode): Rpc => withOlderHistory(node, { oldest, failure: () => (source.away ? GONE : undefined) })
  const source: LateSource = { away: true, archive, options: { archive } }
  return source
}

async function loseThough(world: IndexFixture): Promise<void> {
  play(world, 20)
  await world.catchUp()
  play(world, 30)
  world.node.oldest = 41
  for (let steps = 0; (await world.indexer.step()).kind !== 'gap'; steps++) assert.ok(steps < 10, 'the ledgers are given up in the end')
  await world.catchUp()
}

test('with a source at hand nothing is lost: what the node has dropped is read there, in its order', async () => {
  const undisturbed = await seenUndisturbed()
  await using world = createIndexFixture(store, { archive: (node) => withOlderHistory(node, { oldest: 1 }) })
  await lose(world)
  assert.deepEqual(await seen(), undisturbed)
  assert.deepEqual(await states(), [])
  assert.equal(await world.indexer.fill(), 'none')
})

test('a gap is filled later, page by page: every list is as if nothing had been lost, and a rebuild agrees', async () => {
  const undisturbed = await seenUndisturbed()
  const source = lateSource(1)
  await using world = createIndexFixture(store, source.options)
  await loseThough(world)
  assert.notDeepEqual(await seen(), undisturbed)
  assert.deepEqual(await states(), [[21, 40, 'open']])
  const before = await readIndexState(store.read)
  assert.equal((await listEvents(store.read, { limit: 500 })).gaps.length, 1)

  source.away = false
  world.node.pageCap = 50
  const results = await fillAll(world)
  assert.ok(results.filter((result) => result === 'page').length >= 2, `page by page: ${results.join(' ')}`)
  assert.deepEqual(results.slice(-2), ['filled', 'none'])
  assert.deepEqual(await seen(), undisturbed)
  assert.deepEqual(await states(), [[21, 40, 'filled']])
  assert.deepEqual((await listEvents(store.read, { limit: 500 })).gaps, [])
  const state = await readIndexState(store.read)
  assert.deepEqual([state?.seq, state?.lastLedger, state?.gaps], [before?.seq, before?.lastLedger, 1])
  assert.notEqual(state?.epoch, before?.epoch, 'who follows the log is told')
  world.node.pageCap = Number.MAX_SAFE_INTEGER
  play(world, 5)
  await world.catchUp()

  const live = await dumpProjections(store.read)
  await world[Symbol.asyncDispose]()
  await rebuild(store, { clock: createVirtualClock(0) })
  assert.deepEqual(await dumpProjections(store.read), live)
})

test('a source that has only some of it leaves a smaller gap, which is looked for again an hour later', async () => {
  const source = lateSource(31)
  const clock = createVirtualClock(1_800_000_000_000)
  await using world = createIndexFixture(store, { ...source.options, clock })
  await loseThough(world)
  source.away = false
  assert.deepEqual(await fillAll(world), ['lacking', 'filled', 'none'])
  assert.deepEqual(await states(), [[31, 40, 'filled'], [21, 30, 'unfillable']])
  const events = await allEvents(store.read, { limit: 50 })
  assert.deepEqual(new Set(events.map(({ ledger }) => ledger > 20 && ledger <= 30)), new Set([false]))
  assert.ok(events.some(({ ledger }) => ledger > 30 && ledger <= 40))
  const { gaps } = await listEvents(store.read, { limit: 500 })
  assert.deepEqual(gaps.map(({ fromLedger, toLedger }) => [fromLedger, toLedger]), [[21, 30]])
  assert.equal(await world.indexer.fill(), 'none', 'not again at once')
  clock.advance(FILL_RETRY_MS + 1)
  assert.equal(await world.indexer.fill(), 'lacking')
})

test('a fill that breaks before any of its commits goes on where it stood, with nothing twice', async () => {
  const undisturbed = await seenUndisturbed()
  const source = lateSource(1)
  await using world = createIndexFixture(store, source.options)
  await loseThough(world)
  source.away = false
  world.node.pageCap = 60
  for (let statements = 0; statements < 12; statements++) {
    world.nextFault = { beforeStatement: statements }
    await world.indexer.fill().catch(() => undefined)
    if (statements % 3 === 0) await world.restart()
  }
  world.nextFault = 'after commit'
  await world.indexer.fill().catch(() => undefined)
  await fillAll(world)
  assert.deepEqual(await seen(), undisturbed)
})

test('a source that a whole page takes too long is asked for less at a time', async () => {
  const source = lateSource(1)
  let refused = 0
  await using world = createIndexFixture(store, {
    archive: (node) => {
      const view = source.archive(node)
      return {
        ...view,
        async getEvents(request, call) {
          if (source.away || request.limit <= 100) return await view.getEvents(request, call)
          refused += 1
          throw new RpcFailure({ method: 'getEvents', kind: 'rpc', code: RPC_CODES.processingLimit, retryable: true })
        },
      }
    },
  })
  await loseThough(world)
  source.away = false
  for (let polls = 0; polls < 20 && !String(await states()).includes('filled'); polls++) await fillAll(world)
  assert.deepEqual(await states(), [[21, 40, 'filled']])
  assert.ok(refused > 0 && refused <= 7, `refused ${refused} times`)
})

test('a source of another chain is not read', async () => {
  const other = createIndexFixture(store, {})
  for (let ledger = 0; ledger < 60; ledger++) other.closeLedger(3)
  await using world = createIndexFixture(store, { archive: () => withOlderHistory(other.node, { oldest: 1, failure: () => (away ? GONE : undefined) }) })
  let away = true
  await loseThough(world)
  away = false
  assert.deepEqual(await fillAll(world), ['unreachable'])
  assert.deepEqual(await states(), [[21, 40, 'open']])
})
