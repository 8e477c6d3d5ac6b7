// For any history, page boundaries and crashes, the tables equal a plain fold of the facts.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import { rebuild } from '../../src/indexer/repair/rebuild.ts'
import { createSystemClock } from '../../src/base/clock.ts'
import type { EventsPage } from '../../src/chain/rpc/responses.ts'
import { RpcFailure } from '../../src/chain/rpc/failure.ts'
import { listLeaders } from '../../src/projections/traders/leaders.ts'
import { readMarketStats } from '../../src/projections/markets/market-stats.ts'
import { readTraderVolume } from '../../src/projections/trades/volumes.ts'
import type { Store } from '../../src/store/store.ts'
import { openTestStore } from '../support/database.ts'
import { foldFacts } from './fold.ts'
import type { Observations, Mode } from './fold.ts'
import type { LedgerFact } from './history.ts'
import { testContracts } from './history.ts'
import { OTHER_EVENTS } from './other-events.ts'
import { TRADERS } from './accounts.ts'
import { dumpArchive, dumpProjections, emptyIndex, readTables } from './tables.ts'
import { ConnectionBroken, createIndexFixture } from './fixture.ts'
import type { IndexFixture } from './fixture.ts'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

const RUNS = fuzzRuns(4, 20)

/** Pages as faulty nodes and proxies return them. */
const PAGE_FAULTS: readonly ((page: EventsPage) => EventsPage)[] = [
  // The previous page again, and the page twice.
  (page) => ({ ...page, events: page.events.map((event) => ({ ...event, id: event.id.replace(/^.{19}/, '0000000000000000001') })) }),
  (page) => ({ ...page, events: [...page.events, ...page.events] }),
  (page) => ({ ...page, events: page.events.toReversed() }),
  // A shorter page with a matching cursor.
  (page) => cut(page, Math.ceil(page.events.length / 2)),
  (page) => cut(page, 1),
  // Events of contracts that were not requested.
  (page) => ({ ...page, events: page.events.map((event) => ({ ...event, contractId: TRADERS[0] ?? '' })), cursor: '0000000000000000001-0000000000' }),
  () => {
    throw new RpcFailure({ method: 'getEvents', kind: 'timeout', retryable: true })
  },
  () => {
    throw new RpcFailure({ method: 'getEvents', kind: 'malformed', retryable: true })
  },
]

function cut(page: EventsPage, length: number): EventsPage {
  const events = page.events.slice(0, length)
  const last = events.at(-1)
  return last === undefined ? page : { ...page, events, cursor: last.id }
}

const exchangeOps = [
  'open', 'open', 'open', 'close', 'close', 'reduce', 'reduce', 'liquidate', 'crossLiquidate', 'liquidateAccount', 'deleverage',
  'settleLiquidation', 'changeCollateral', 'placeOrder', 'placeOrder', 'endOrder', 'endOrder', 'other', 'other',
] as const
const systemOps = [
  'ledger', 'ledger', 'ledger', 'step', 'step', 'observe', 'page fault', 'break', 'page size', 'restart', 'hour', 'reset', 'redeploy', 'retention',
] as const

const script = fc.array(
  fc.record({ op: fc.constantFrom(...exchangeOps, ...exchangeOps, ...systemOps), pick: fc.nat(1_000), amount: fc.nat(100_000) }),
  { minLength: 10, maxLength: 140 },
)

type Op = { op: (typeof exchangeOps)[number] | (typeof systemOps)[number]; pick: number; amount: number }

async function play(fixture: IndexFixture, { op, pick, amount }: Op): Promise<void> {
  const { exchange, node } = fixture
  switch (op) {
    case 'open': return fixture.queue(exchange.open(pick, amount))
    case 'close': return fixture.queue(exchange.close(pick, amount))
    case 'liquidate': return fixture.queue(exchange.liquidate(pick, amount))
    case 'crossLiquidate': return fixture.queue(exchange.crossLiquidate(pick))
    case 'reduce': return fixture.queue(exchange.reduce(pick, amount))
    case 'liquidateAccount': return exchange.liquidateAccount(pick, amount).forEach((event) => fixture.queue(event))
    case 'deleverage': return exchange.deleverage(pick, amount).forEach((event) => fixture.queue(event))
    case 'settleLiquidation': return exchange.settleLiquidation(pick, amount).forEach((event) => fixture.queue(event))
    case 'changeCollateral': return fixture.queue(exchange.changeCollateral(pick, amount))
    case 'placeOrder': return fixture.queue(exchange.placeOrder(pick))
    case 'endOrder': return fixture.queue(exchange.endOrder(pick))
    case 'other': return fixture.queue(exchange.other(pick))
    case 'ledger': return fixture.closeLedger(1 + (amount % 9))
    case 'hour': return fixture.closeLedger(3_000 + amount)
    case 'page fault': return void node.pageFaults.push(PAGE_FAULTS[pick % PAGE_FAULTS.length] ?? ((page) => page))
    case 'page size':
      node.pageCap = 1 + (pick % 12)
      return
    case 'break':
      fixture.nextFault = pick % 3 === 0 ? 'after commit' : { beforeStatement: amount % 14 }
      return
    case 'restart': return await fixture.restart()
    case 'step': return await ignoreBrokenConnection(() => fixture.indexer.step())
    case 'observe': return await ignoreBrokenConnection(() => fixture.indexer.observe())
    case 'reset':
      // Only some scripts reset. Unread ledgers would be lost, so they are read first.
      if (pick % 5 !== 0) return
      fixture.closeLedger()
      await settle(fixture)
      fixture.reset()
      return fixture.closeLedger(60)
    case 'redeploy':
      if (pick % 4 !== 0) return
      fixture.closeLedger()
      await settle(fixture)
      return fixture.redeploy({ ...testContracts(1 + (amount % 2)), referral: testContracts(3 + (amount % 3)).referral })
    case 'retention':
      // The node drops all but its last ledgers, read or not.
      if (await isChainKnown(fixture)) node.oldest = Math.max(node.oldest, node.latest().sequence - (pick % 3))
      return
  }
}

/** A reset is recognisable only while the node has a ledger that both chains had; a real node keeps a week of ledgers. */
async function isChainKnown(fixture: IndexFixture): Promise<boolean> {
  const [row] = await store.read.query<{ chain: number | null }>('select max(chain) as chain from idx.epochs')
  return (row?.chain ?? fixture.chain) === fixture.chain
}

/** Ignores a broken connection, as a restarted process does. */
async function ignoreBrokenConnection(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ConnectionBroken)) throw error
  }
}

/** Ends all faults and reads everything. */
async function settle(fixture: IndexFixture): Promise<void> {
  fixture.nextFault = undefined
  fixture.node.pageFaults.length = 0
  await fixture.catchUp()
}

/** The observations stored by the index, by the fold's keys. */
async function readObservations(db: Store['read']): Promise<Observations> {
  const modes = await db.query<{ key: string; value: Mode }>(
    `select concat_ws(' ', e.chain, e.contracts->>'market', m.position_id) as key, m.mode as value
     from idx.margin_modes m join idx.epochs e on e.number = m.contract_epoch`,
  )
  const owners = await db.query<{ key: string; value: string }>(
    `select concat_ws(' ', e.chain, e.contracts->>'market', o.order_id) as key, o.owner as value
     from idx.order_details o join idx.epochs e on e.number = o.contract_epoch`,
  )
  return { modes: new Map(modes.map((row) => [row.key, row.value])), orderOwners: new Map(owners.map((row) => [row.key, row.value])) }
}

/** The archived facts. Asserts that every other fact is before its contract's first ledger or in a recorded gap. */
async function archivedFacts(fixture: IndexFixture): Promise<LedgerFact[]> {
  const archived = await store.read.query<{ chain: number; id: string }>(
    'select e.chain, left(v.event_id, 30) as id from idx.events v join idx.epochs e on e.number = v.epoch',
  )
  const gaps = await store.read.query<{ chain: number; low: number; high: number }>(
    'select e.chain, g.from_ledger as low, g.to_ledger as high from idx.gaps g join idx.epochs e on e.number = g.epoch',
  )
  const epochs = await store.read.query<{ chain: number; contracts: Record<string, string>; start: number }>(
    'select chain, contracts, start_ledger as start from idx.epochs order by number',
  )
  const known = new Set(archived.map((row) => `${row.chain} ${row.id}`))
  return fixture.facts.filter(({ id, chain, ledger, contractId }) => {
    if (known.has(`${chain} ${id}`)) return true
    const first = epochs.find((epoch) => epoch.chain === chain && Object.values(epoch.contracts).includes(contractId))
    const lost = gaps.some((gap) => gap.chain === chain && gap.low <= ledger && ledger <= gap.high)
    assert.ok(lost || (first !== undefined && ledger < first.start), `an event of ledger ${ledger} was lost without a recorded gap`)
    return false
  })
}

async function check(fixture: IndexFixture): Promise<void> {
  const facts = await archivedFacts(fixture)
  const expected = foldFacts(facts, await readObservations(store.read), { chain: fixture.chain, market: fixture.exchange.contracts.market })
  const { volume24h, volume14d, ...lists } = expected
  assert.deepEqual(await readTables(store.read), lists)
  for (const nowSec of [fixture.nowSec(), fixture.nowSec() + 5_000, fixture.nowSec() + 86_399]) {
    const { rows } = await readMarketStats(store.read, { nowSec, assets: ASSET_SYMBOLS })
    for (const row of rows) assert.equal(row.volume24h, volume24h(row.asset, nowSec).toString(), `24 h of ${row.asset}`)
    for (const trader of TRADERS) {
      const volume = await readTraderVolume(store.read, { trader, nowSec })
      assert.equal(volume.volume14d, volume14d(trader, nowSec).toString(), 'fourteen days')
    }
  }
  assert.equal(await countUnknownEvents(), expected.undecoded)
  await checkPositions(facts.length)
}

async function countUnknownEvents(): Promise<number | undefined> {
  return (await store.read.query<{ unknown: number }>('select unknown_events as unknown from idx.cursor'))[0]?.unknown
}

/**
 * Asserts that the log's positions are those of the events, of the changes that completed an order and of the corrections that report lost ledgers, each once,
 * without a hole. The positions that are reserved for lost ledgers stay free.
 */
async function checkPositions(events: number): Promise<void> {
  const changes = await store.read.query<{ seq: number; change: string; isOwners: boolean; isAfterPlacement: boolean }>(
    `select k.seq, concat_ws(' ', k.contract_epoch, k.order_id) as change, coalesce(k.account = d.owner, false) as "isOwners",
       coalesce(o.seq < k.seq, true) as "isAfterPlacement"
     from idx.order_changes k left join idx.order_details d on d.contract_epoch = k.contract_epoch and d.order_id = k.order_id
       left join idx.orders o on o.contract_epoch = k.contract_epoch and o.order_id = k.order_id`,
  )
  const archived = await store.read.query<{ seq: number }>('select seq from idx.events')
  assert.equal(archived.length, events)
  const reserved = await store.read.query<{ first: number; last: number }>('select first_seq as first, last_seq as last from idx.gaps order by first_seq')
  const corrections = await store.read.query<{ seq: number }>('select seq from idx.corrections')
  const positions = [...archived, ...changes, ...corrections].map(({ seq }) => seq).sort((a, b) => a - b)
  let next = 0
  const expected = positions.map(() => {
    next += 1
    for (const { first, last } of reserved) if (first <= next && next <= last) next = last + 1
    return next
  })
  assert.deepEqual(positions, expected, 'positions without a hole')
  const [head] = await store.read.query<{ seq: number }>('select last_seq as seq from idx.cursor')
  assert.equal(head?.seq, positions.at(-1) ?? 0, 'the head is the last position')
  assert.equal(new Set(changes.map(({ change }) => change)).size, changes.length, 'an order is completed once')
  for (const { change, isOwners, isAfterPlacement } of changes) {
    assert.ok(isOwners, `the change of order ${change} is in the feed of another account`)
    assert.ok(isAfterPlacement, `order ${change} was completed before its placement`)
  }
}

/** Runs a script, then compares the tables with the fold and with a rebuild. */
async function playAndCheck(ops: readonly Op[]): Promise<void> {
  await emptyIndex(store.write)
  const fixture = createIndexFixture(store)
  try {
    fixture.closeLedger()
    for (const op of ops) await play(fixture, op)
    fixture.closeLedger()
    await settle(fixture)
    await check(fixture)
    const archive = await dumpArchive(store.read)
    const live = await dumpProjections(store.read)
    await fixture.indexer[Symbol.asyncDispose]()
    const rebuilt = await rebuild(store, { clock: createSystemClock() })
    assert.equal(rebuilt?.redecoded, 0)
    assert.deepEqual(await dumpProjections(store.read), live, 'a rebuild changes nothing')
    assert.deepEqual(await dumpArchive(store.read), archive, 'a rebuild does not change the archive')
  } finally {
    await fixture.indexer[Symbol.asyncDispose]()
  }
}

test('tables equal the fold of all facts, and a rebuild changes nothing', async () => {
  await fc.assert(fc.asyncProperty(script, playAndCheck), { numRuns: RUNS })
})

test('the leaderboard counts the liquidation of an account whose opens were in lost ledgers', async () => {
  const trader = 2
  const ops = ['step', 'open', 'ledger', 'ledger', 'retention', 'crossLiquidate'] as const
  // The pick opens a cross position of the trader, and lets the node keep its last ledger only.
  await playAndCheck(ops.map((op) => ({ op, pick: op === 'open' ? 16 + trader : 0, amount: 0 })))
  const { rows } = await listLeaders(store.read, { sort: 'pnl', limit: 10 })
  assert.deepEqual(rows, [{ rank: 1, trader: TRADERS[trader], pnl: '0', volume: '0', trades: 1, liqCount: 1 }])
})

test('what is left of reduced and partly liquidated positions is open, and a liquidated account has a row for each position and one for all', async () => {
  const [isolated, cross, partialLiquidation] = [0, 16, 8]
  const ops: readonly (readonly [op: Op['op'], pick: number])[] = [
    ['open', isolated], ['open', isolated], ['step', 0], ['reduce', partialLiquidation], ['ledger', 0], ['reduce', 1], ['ledger', 0],
    ['open', cross], ['open', cross], ['ledger', 0], ['liquidateAccount', 0],
  ]
  await playAndCheck(ops.map(([op, pick]) => ({ op, pick, amount: 7 })))
  const { open, trades } = await readTables(store.read)
  assert.equal(open.length, 2)
  const kinds = trades.map((row) => row.split(' ')[0])
  assert.deepEqual(kinds, ['cross_liquidation', 'liquidation', 'liquidation', 'reduce', 'partial_liquidation'])
})

test('every event of both generations that changes no position is in the feeds of its accounts, and nowhere else', async () => {
  const ops = OTHER_EVENTS.map((_, pick) => ({ op: 'other', pick, amount: 0 }) as const)
  await playAndCheck([{ op: 'open', pick: 0, amount: 5 }, ...ops.slice(0, 40), { op: 'ledger', pick: 0, amount: 0 }, ...ops.slice(40)])
})

test('a deleveraged position ends once, bad debt is summed, and refunds and changed collateral are in the feed of their account', async () => {
  const [isolated, cross] = [0, 16]
  const ops: readonly (readonly [op: Op['op'], pick: number, amount: number])[] = [
    ['open', isolated, 7], ['open', isolated, 7], ['open', isolated, 7], ['open', cross, 7], ['ledger', 0, 0],
    ['changeCollateral', 0, 3], ['changeCollateral', 8, 3],
    ['deleverage', 0, 20], ['step', 0, 0], ['settleLiquidation', 0, 4], ['settleLiquidation', 0, 5], ['ledger', 0, 0], ['liquidateAccount', 0, 9],
  ]
  await playAndCheck(ops.map(([op, pick, amount]) => ({ op, pick, amount })))
  const { open, trades, solvency, feeds } = await readTables(store.read)
  assert.deepEqual(open, [])
  assert.deepEqual(trades.map((row) => row.split(' ')[0]), ['cross_liquidation', 'liquidation', 'liquidation', 'liquidation', 'adl', 'close'])
  assert.equal(solvency, '14 16 2')
  const topics = (feeds[TRADERS[0] ?? ''] ?? []).map((row) => row.split(' ')[0])
  for (const topic of ['adl_executed', 'liq_refund', 'bad_debt_recorded', 'collateral_added', 'collateral_removed']) assert.ok(topics.includes(topic), topic)
})

/** Long scripts of orders whose owners are read before, between and after their events. */
const orderSystemOps = ['ledger', 'ledger', 'step', 'step', 'observe', 'observe', 'break', 'restart', 'reset', 'redeploy'] as const
const orderScript = fc.array(
  fc.record({
    op: fc.constantFrom(...(['placeOrder', 'placeOrder', 'endOrder', 'endOrder', 'endOrder', 'other'] as const), ...orderSystemOps),
    pick: fc.nat(1_000),
    amount: fc.nat(100_000),
  }),
  { minLength: 40, maxLength: 120, size: 'max' },
)

test('an order\'s end is in its owner\'s feed at its own position, no matter when the owner became known', async () => {
  await fc.assert(fc.asyncProperty(orderScript, playAndCheck), { numRuns: Math.ceil(RUNS / 4) })
})
