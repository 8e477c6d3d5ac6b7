// The account ledger in the database: pages that end anywhere, entries that become known late, gaps, resets, and a rebuild. The operations are real: random
// calls on the contracts of both generations.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { emptyIndex, allRows } from '../../../test/index/tables.ts'
import { ACCOUNTS, CASH_CONTRACTS, createCashExchange, randomSteps } from '../../../test/contract/cash-model.ts'
import type { CashOperation } from '../../../test/contract/cash-model.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { createSeededRandom } from '../../base/random.ts'
import type { Generation } from '../../exchange/contracts/generations.ts'
import type { CashMovement } from '../../resources/cash-movement.ts'
import type { Writable } from '../../store/store.ts'
import { applyEvents } from '../apply.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import { listCashLedger } from './cash-ledger.ts'
import { insertContractVersion, OWN_CODE } from '../state/contract-versions.ts'
import { insertEpoch } from '../state/epochs.ts'
import type { Epoch } from '../state/epochs.ts'
import { insertEvents, refreshLedgers } from '../log/events.ts'
import { insertGap } from '../repair/gaps.ts'
import { compareShadow, createShadow, dropShadow, shadowOf } from '../repair/shadow.ts'
import { PROJECTIONS } from '../state/tables.ts'
import { recordTransactionEffects, refreshUnknownCloses } from '../log/transaction-effects.ts'

const FIRST_TS = 1_783_339_200
const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

/** Operations with their places in the log. */
interface Logged {
  readonly operation: CashOperation
  readonly events: readonly ArchivedEvent[]
}

function runOperations(generation: Generation, seed: number, firstSeq: number, chain: number): readonly Logged[] {
  const exchange = createCashExchange(generation)
  let seq = firstSeq - 1
  let ledger = 10
  return randomSteps(generation, 220, seed).flatMap((step): Logged[] => {
    const operation = exchange.perform(step)
    if (operation === null || operation === false || operation.events.length === 0) return []
    ledger += 1
    const [first] = operation.events
    const txHash = `${chain} ${first?.txHash ?? ''}`
    const events = operation.events.map((event) => {
      seq += 1
      const eventId = `${String(chain).padStart(19, '0')}-${String(seq).padStart(10, '0')}`
      return { ...event, seq, eventId, ledger, ledgerCloseTs: FIRST_TS + 5 * ledger, txHash }
    })
    return [{ operation, events }]
  })
}

function epochOf(number: number): Epoch {
  return {
    number, epoch: `e${number}`, chain: number, contractEpoch: number, reason: number === 1 ? 'first' : 'reset', passphrase: 'test', contracts: CASH_CONTRACTS,
    startLedger: 1, finalCursor: null, name: `e${number}`,
  }
}

async function beginEpoch(epoch: Epoch, firstSeq: number): Promise<void> {
  await store.write.transaction(async (tx) => {
    await insertEpoch(tx, epoch, firstSeq, 0)
    await tx.query('update idx.cursor set epoch = $1', [epoch.number])
  })
}

async function archive(tx: Writable, epoch: Epoch, page: readonly ArchivedEvent[]): Promise<void> {
  await insertEvents(tx, epoch.number, page, 0)
  await refreshLedgers(tx, epoch.number, [...new Set(page.map(({ ledger }) => ledger))])
  await tx.query('update idx.cursor set last_seq = greatest(last_seq, $1), last_ledger = $2', [page.at(-1)?.seq ?? 0, page.at(-1)?.ledger ?? 0])
}

/** Writes events in pages of random lengths that end anywhere, and calls `between` after each. */
async function writePages(epoch: Epoch, events: readonly ArchivedEvent[], seed: string, between: (through: number) => Promise<void>): Promise<void> {
  const random = createSeededRandom(seed)
  for (let from = 0; from < events.length;) {
    const page = events.slice(from, from + 1 + random.integer(40))
    from += page.length
    await store.write.transaction(async (tx) => {
      await archive(tx, epoch, page)
      await applyEvents(tx, epoch, page)
    })
    await between(page.at(-1)?.seq ?? 0)
  }
}

async function recordEffects(epoch: Epoch, logged: readonly Logged[]): Promise<void> {
  const observations = logged.map(({ operation, events }) => ({
    seq: events[0]?.seq ?? 0, txHash: events[0]?.txHash ?? '', ledger: events[0]?.ledger ?? 0, effects: { changes: operation.changes, call: null },
  }))
  await store.write.transaction((tx) => recordTransactionEffects(tx, epoch, observations, 0))
}

function readRows(account: string): Promise<CashMovement[]> {
  return allRows((cursor) => listCashLedger(store.read, { account, limit: 7, cursor }))
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
const sumOf = (rows: readonly CashMovement[], balanceOf: string): bigint =>
  sum(rows.filter((row) => row.balanceOf === balanceOf).map(({ amount }) => BigInt(amount ?? 0)))

/** Compares each account's rows with what the operations did. Where entries are not known, a cross balance may be incomplete, but says so. */
async function checkSums(logged: readonly Logged[], areEntriesKnown: boolean): Promise<void> {
  for (const account of ACCOUNTS) {
    const rows = await readRows(account)
    assert.equal(sumOf(rows, 'wallet'), sum(logged.map(({ operation }) => operation.wallets.get(account) ?? 0n)), `wallet of ${account}`)
    const unknown = rows.filter(({ amount }) => amount === null)
    const cross = sum(logged.map(({ operation }) => operation.pools.get(account) ?? 0n))
    if (areEntriesKnown) assert.deepEqual(unknown, [], account)
    if (unknown.length === 0) assert.equal(sumOf(rows, 'cross'), cross, `cross balance of ${account}`)
    const positions = rows.map(({ seq }) => seq)
    assert.deepEqual(positions, positions.toSorted((a, b) => b - a), 'newest first')
  }
}

async function dump(): Promise<Record<string, readonly string[]>> {
  const tables = PROJECTIONS.filter((table) => table !== 'unread_transactions')
  const rows = await Promise.all(tables.map((table) => store.read.query<{ row: string }>(`select t::text as row from idx.${table} t order by 1`)))
  return Object.fromEntries(tables.map((table, index) => [table, rows[index]?.map(({ row }) => row) ?? []]))
}

/** In generation 1 nothing is unknown once the entries are, liquidated positions and accounts included. */
async function checkCurves(): Promise<void> {
  const kinds = await store.read.query<{ kind: string; count: number }>(
    `select case when price is null then 'account' else 'position' end as kind, count(*) as count
     from idx.position_fills where kind = 'liquidation' group by 1`)
  assert.deepEqual(kinds.map(({ kind }) => kind).toSorted(), ['account', 'position'], 'both kinds of liquidations')
  assert.deepEqual(
    await store.read.query('select * from idx.trader_pnl where unknown_pnl <> 0 or unknown_fees <> 0 or unknown_funding <> 0'), [], 'nothing is unknown')
  const [unexplained] = await store.read.query<{ count: number }>(
    `select count(*) as count from idx.position_fills where kind = 'liquidation' and penalty > 0 and payout <> collateral + pnl - funding - penalty`)
  assert.deepEqual(unexplained, { count: 0 }, 'payouts follow from the figures')
}

/** The payout of each of several closes of one transaction is known as soon as the build of the market is. */
async function checkSharedCloses(epoch: Epoch): Promise<void> {
  const countUnknown = async (): Promise<unknown> =>
    (await store.read.query(`select seq from idx.position_fills where payout is null and kind in ('close', 'reduce')`)).length
  assert.notEqual(await countUnknown(), 0)
  await nameMarket(epoch)
  assert.equal(await countUnknown(), 0)
}

/** The build of the market becomes known. */
async function nameMarket({ chain, contractEpoch, contracts }: Epoch): Promise<void> {
  await store.write.transaction(async (tx) => {
    await insertContractVersion(tx, chain, {
      ...OWN_CODE, address: contracts.market, contract: 'market', fromLedger: 1, fromEventId: null, wasmHash: 'market', generation: '2.3', seq: null,
      noticedAt: 0,
    })
    await refreshUnknownCloses(tx, contractEpoch)
  })
}

/** Applies the archive again in other pages, as a rebuild does: all entries are known from the beginning. */
async function replay(epoch: Epoch, events: readonly ArchivedEvent[], pageLength: number): Promise<void> {
  await store.write.transaction(async (tx) => {
    for (const table of PROJECTIONS) await tx.query(`delete from idx.${table}`)
    for (let from = 0; from < events.length; from += pageLength) await applyEvents(tx, epoch, events.slice(from, from + pageLength))
  })
}

/** Generation 1 takes as long again. The test of the gap covers it in every run. */
const GENERATIONS = process.env['TEST_ALL'] === '1' ? ['1', '2.3'] as const : ['2.3'] as const

for (const generation of GENERATIONS) {
  test(`generation ${generation}: rows add up in pages that end anywhere, with entries in any order, and a rebuild gives the same rows`, async () => {
    await emptyIndex(store.write)
    const epoch = epochOf(1)
    await beginEpoch(epoch, 1)
    const logged = runOperations(generation, generation === '1' ? 16 : 21, 1, 1)
    const events = logged.flatMap((each) => each.events)
    const random = createSeededRandom(`effects ${generation}`)
    const waiting: Logged[] = []
    let next = 0
    await writePages(epoch, events, `pages ${generation}`, async (through) => {
      for (; (logged[next]?.events[0]?.seq ?? Infinity) <= through; next++) waiting.push(logged[next] ?? assert.fail())
      // Some are read at once, even while later events of the transaction are missing, others much later.
      const due = waiting.filter(() => random.integer(3) === 0)
      for (const each of due) waiting.splice(waiting.indexOf(each), 1)
      await recordEffects(epoch, due)
    })
    await checkSums(logged, false)
    await recordEffects(epoch, waiting.toReversed())
    await checkSums(logged, true)

    const [curve] = await store.read.query<{ fees: string; funding: string; unknown: number }>(
      'select sum(fees) as fees, sum(funding) as funding, sum(unknown_fees)::bigint as unknown from idx.trader_pnl where width = 86400')
    const [fills] = await store.read.query<{ fees: string; funding: string; unknown: number }>(
      `select coalesce(sum(case when kind ~ 'liquidation' then penalty else fee + keeper_reward end), 0) as fees, coalesce(sum(funding), 0) as funding,
         count(*) filter (where case when kind ~ 'liquidation' then penalty else fee + keeper_reward end is null) as unknown from idx.position_fills`)
    assert.deepEqual(curve, fills, 'the curves hold the costs of the fills')
    if (generation === '1') await checkCurves()
    else await checkSharedCloses(epoch)
    await checkSums(logged, true)

    const written = await dump()
    assert.ok((written['cash_ledger']?.length ?? 0) > 50)
    for (const pageLength of [events.length, 17]) {
      await replay(epoch, events, pageLength)
      assert.deepEqual(await dump(), written, `pages of ${pageLength}`)
    }
  })
}

/** Empties the index and runs operations on contracts of generation 2.3. */
async function beginHistory(seed: number) {
  await emptyIndex(store.write)
  const epoch = epochOf(1)
  await beginEpoch(epoch, 1)
  const logged = runOperations('2.3', seed, 1, 1)
  return { epoch, logged, events: logged.flatMap((each) => each.events) }
}

test('closes without known entries are settled again when the build of the market becomes known, as a rebuild settles them', async () => {
  const { epoch, logged, events } = await beginHistory(14)
  await writePages(epoch, events, 'without a build', async () => {})
  await recordEffects(epoch, logged.filter((_each, index) => index % 2 === 0))
  await nameMarket(epoch)
  const written = await dump()
  await replay(epoch, events, 17)
  assert.deepEqual(await dump(), written)
})

test('entries that become known before a copy has replayed their transactions are applied once', async () => {
  const { epoch, logged, events } = await beginHistory(4)
  await writePages(epoch, events, 'copied', async () => {})
  await store.write.transaction(createShadow)
  const half = Math.floor(events.length / 2)
  await store.write.transaction((tx) => applyEvents(shadowOf(tx), epoch, events.slice(0, half)))
  await recordEffects(epoch, logged)
  await store.write.transaction((tx) => applyEvents(shadowOf(tx), epoch, events.slice(half)))
  assert.deepEqual(await compareShadow(store.write), {})
  await store.write.transaction(dropShadow)
})

test('a gap is reported until it is filled, and a network reset continues the ledger of an account', async () => {
  await emptyIndex(store.write)
  const epoch = epochOf(1)
  await beginEpoch(epoch, 1)
  const logged = runOperations('1', 5, 1, 1)
  const [first, lost, rest] = [logged.slice(0, 25), logged.slice(25, 32), logged.slice(32)]
  const [fromLedger = 0, toLedger = 0] = [lost[0]?.events[0]?.ledger, lost.at(-1)?.events[0]?.ledger]
  const afterSeq = first.at(-1)?.events.at(-1)?.seq ?? 0
  await writePages(epoch, first.flatMap(({ events }) => events), 'before', async () => {})
  let reserved = 0
  await store.write.transaction(async (tx) => {
    reserved = await insertGap(tx, { epoch: 1, fromLedger, toLedger, afterTs: null, fillCursor: null, afterSeq }, 0)
  })
  const shift = reserved - (lost.at(-1)?.events.at(-1)?.seq ?? 0)
  const moved = rest.map(({ operation, events }) => ({ operation, events: events.map((event) => ({ ...event, seq: event.seq + shift })) }))
  await writePages(epoch, moved.flatMap(({ events }) => events), 'after', async () => {})
  await recordEffects(epoch, [...first, ...moved])
  await checkSums([...first, ...moved], true)
  const [account] = ACCOUNTS
  const { gaps } = await listCashLedger(store.read, { account, limit: 500 })
  assert.deepEqual(gaps, [{ epoch: 'e1', fromLedger, toLedger }], 'the sums are incomplete, and the list says where')

  await store.write.transaction((tx) => archive(tx, epoch, lost.flatMap(({ events }) => events)))
  await recordEffects(epoch, lost)
  await replay(epoch, [...first, ...lost, ...moved].flatMap(({ events }) => events), 40)
  await store.write.query(`update idx.gaps set state = 'filled'`)
  await checkSums(logged, true)
  assert.deepEqual((await listCashLedger(store.read, { account, limit: 500 })).gaps, [])

  const firstSeq = (moved.at(-1)?.events.at(-1)?.seq ?? 0) + 1
  const second = epochOf(2)
  await beginEpoch(second, firstSeq)
  const again = runOperations('2.3', 6, firstSeq, 2)
  await writePages(second, again.flatMap(({ events }) => events), 'second', async () => {})
  await recordEffects(second, again)
  await checkSums([...logged, ...again], true)
})

test('lists the rows of one kind, and the rows before a time', async () => {
  const [account] = ACCOUNTS
  const all = await readRows(account)
  const opens = await allRows((cursor) => listCashLedger(store.read, { account, kind: 'cross_deposit', limit: 1, cursor }))
  assert.ok(opens.length >= 2)
  assert.deepEqual(opens, all.filter(({ kind }) => kind === 'cross_deposit'))
  const middle = all[Math.floor(all.length / 2)]?.ts ?? 0
  const older = await allRows((cursor) => listCashLedger(store.read, { account, beforeTs: middle, limit: 4, cursor }))
  assert.deepEqual(older, all.filter(({ ts }) => ts < middle))
})
