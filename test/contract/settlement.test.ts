// The settlement of every change, against the contracts of both generations: random calls, and what they did to balances and entries.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CrossBalanceChange, EntryChange, EntryChanges, OrderEntry, PositionEntry } from '../../src/exchange/entry-changes.ts'
import { eventShapes } from '../../src/exchange/event-shapes.ts'
import { isAtLeast } from '../../src/exchange/generations.ts'
import type { Generation } from '../../src/exchange/generations.ts'
import type { PositionChange, TransactionItem } from '../../src/exchange/position-changes.ts'
import { pricePnl } from '../../src/exchange/position-pnl.ts'
import { settlementOf } from '../../src/exchange/settlement.ts'
import { address, i128, symbol, u32, u64 } from '../../localnet/contracts/host.ts'
import type { Val } from '../../localnet/contracts/host.ts'
import { KEYS } from '../../localnet/contracts/market/storage.ts'
import type { Generation2Build } from '../../localnet/contracts/generation-2/build.ts'
import { KEYS_2 } from '../../localnet/contracts/generation-2/market/storage.ts'
import { createTestExchange, E7, FACTORY, KEEPER, LP, MARKET, PROVIDER, REFERRAL, ADMIN, USDC, VAULT } from '../../localnet/contracts/test-exchange.ts'
import type { TestExchange } from '../../localnet/contracts/test-exchange.ts'
import * as generation1 from '../../localnet/contracts/test-steps.ts'
import * as generation2 from '../../localnet/contracts/generation-2/test-steps.ts'
import type { TestExchange2 } from '../../localnet/contracts/generation-2/test-exchange.ts'
import { toNative } from '../../localnet/contracts/test-host.ts'
import type { InvokeSuccess, TestEvent } from '../../localnet/contracts/test-host.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'

const TRADERS = [...generation1.TRADERS, FACTORY]
const SIGNERS = [...generation1.TRADERS, KEEPER, ADMIN, PROVIDER]

type Exchange = Pick<TestExchange, 'host' | 'stored' | 'usdc'>

/** What the market stores and who holds which USDC. */
interface State {
  readonly positions: ReadonlyMap<number, PositionEntry>
  readonly orders: ReadonlyMap<number, OrderEntry>
  readonly pools: ReadonlyMap<string, bigint>
  readonly wallets: ReadonlyMap<string, bigint>
  readonly funding: (asset: string) => bigint
}

function readState(exchange: Exchange): State {
  const all = <T>(counter: Val, key: (id: bigint) => Val): Map<number, T> => new Map(
    Array.from({ length: Number(exchange.stored(counter) ?? 0n) }, (_, index) => index + 1)
      .map((id) => [id, exchange.stored(key(BigInt(id)))] as const).filter(([, entry]) => entry !== null)
      .map(([id, entry]) => [id, { ...(entry as object), id } as T]),
  )
  const indexes = new Map<string, bigint>(generation1.ASSETS.map((asset) => {
    const state = exchange.stored(KEYS_2.fundingState(asset)) as readonly bigint[] | null
    return [asset, state?.[0] ?? ((exchange.stored(KEYS.cumulativeFundingRate) ?? 0n) as bigint)]
  }))
  return {
    positions: all(KEYS.positionCounter, KEYS.position),
    orders: all(KEYS.orderCounter, KEYS.order),
    pools: new Map(TRADERS.map((trader) => [trader, (exchange.stored(KEYS.crossMarginBalance(trader)) ?? 0n) as bigint])),
    wallets: new Map([...TRADERS, KEEPER].map((holder) => [holder, exchange.usdc(holder)])),
    funding: (asset) => indexes.get(asset) ?? 0n,
  }
}

function changesBetween(before: State, after: State): EntryChanges {
  const changed = <T>(a: ReadonlyMap<number, T>, b: ReadonlyMap<number, T>): Map<number, EntryChange<T>> => new Map(
    [...new Set([...a.keys(), ...b.keys()])].filter((id) => JSON.stringify(a.get(id), digits) !== JSON.stringify(b.get(id), digits))
      .map((id) => [id, { before: a.get(id) ?? null, after: b.get(id) ?? null }]),
  )
  const crossBalances = TRADERS.map((trader): CrossBalanceChange => ({ trader, before: before.pools.get(trader) ?? 0n, after: after.pools.get(trader) ?? 0n }))
  return {
    positions: changed(before.positions, after.positions),
    orders: changed(before.orders, after.orders),
    crossBalances: new Map(crossBalances.filter((change) => change.before !== change.after).map((change) => [change.trader, change])),
  }
}

const digits = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

const CONTRACTS = { [MARKET]: 'market', [VAULT]: 'vault', [FACTORY]: 'vaultFactory', [REFERRAL]: 'referral' } as const

function itemsOf(result: InvokeSuccess, generation: Generation): readonly TransactionItem[] {
  return result.events.flatMap((event, seq): TransactionItem[] => {
    if (event.contract === USDC) return transferOf(event)
    const contract = CONTRACTS[event.contract as keyof typeof CONTRACTS]
    if (contract === undefined) return []
    const topic = String(toNative(event.topics[0]))
    const shape = eventShapes(generation)[contract][topic] ?? assert.fail(topic)
    const values = event.data.type === 'vec' ? event.data.value : [event.data]
    const payload = Object.fromEntries(shape.data.map(([name], index) => [name, plain(values[index])]))
    if (shape.secondTopic !== undefined) payload[shape.secondTopic[0]] = plain(event.topics[1])
    return [{ type: 'event', seq, contract, topic, payload }]
  })
}

function transferOf({ topics, data }: TestEvent): TransactionItem[] {
  const [name, from, to] = topics.map(toNative)
  return name === 'transfer' ? [{ type: 'transfer', from: String(from), to: String(to), amount: toNative(data) as bigint }] : []
}

/** As archived payloads have it: ids are numbers, wide integers are digits. */
function plain(val: Val | undefined): unknown {
  const value = toNative(val)
  if (typeof value !== 'bigint') return value
  return val?.type === 'u64' ? Number(value) : String(value)
}

interface Call {
  readonly exchange: Exchange
  readonly name: string
  readonly generation: Generation
  readonly isNet: boolean
  readonly seen: Map<string, number>
}

/** Runs a call and compares the settlement with what the call did. */
function check(call: Call, run: () => ReturnType<TestExchange['host']['invoke']>): void {
  const before = readState(call.exchange)
  const result = run()
  if (!result.ok) return
  const after = readState(call.exchange)
  const input = { items: itemsOf(result, call.generation), contracts: { market: MARKET, vault: VAULT } }
  const changes = changesBetween(before, after)
  const fundingGrowth = new Map([...before.positions.values()].map((entry) => [entry.id, before.funding(entry.asset) - entry.entry_cumulative_funding]))
  const settled = settlementOf({ ...input, changes, generation: call.generation, fundingGrowth })
  for (const change of settled) {
    checkChange(call, change, before, after)
    const key = `${change.kind} ${change.marginMode} ${change.orderId === null ? '' : 'order'}`
    call.seen.set(key, (call.seen.get(key) ?? 0) + 1)
  }
  checkBalances(call, settled, { before, after, result })
  checkUnknown(settled, settlementOf({ ...input, changes: null, fundingGrowth }))
  checkUnknown(settled, settlementOf({ ...input, changes, generation: call.generation }))
  checkUnknown(settled, settlementOf({ ...input, items: input.items.filter(({ type }) => type !== 'transfer'), changes }))
}

/** Less knowledge gives fewer figures, never others. */
function checkUnknown(known: readonly PositionChange[], less: readonly PositionChange[]): void {
  for (const change of less) {
    const same = known.find(({ seq, positionId }) => seq === change.seq && positionId === change.positionId)
    assert.ok(same !== undefined)
    for (const [name, value] of Object.entries(change)) {
      if (value !== null) assert.deepEqual(value, same[name as keyof PositionChange], `${change.kind} ${name}`)
    }
  }
}

function checkChange({ name, generation, isNet }: Call, change: PositionChange, before: State, after: State): void {
  const { kind, positionId, marginMode, collateral, pnl, funding, payout, penalty, keeperReward, fee } = change
  const text = `${name} ${JSON.stringify(change, digits)}`
  assert.ok(marginMode !== null && collateral !== null && fee !== null && change.size !== null, text)
  // Before build 2.2, several closes of one cross account in a transaction do not show what each of them paid.
  if (payout === null) return assert.ok(!isNet && marginMode === 'cross' && name === 'open_position_cross', text)
  if (kind === 'open') {
    assert.equal(collateral, after.positions.get(positionId)?.collateral, text)
    return
  }
  const entry = before.positions.get(positionId) ?? assert.fail(text)
  if (kind !== 'reduce' && kind !== 'partial_liquidation') assert.equal(collateral, entry.collateral, text)
  else assert.equal(collateral, entry.collateral - (after.positions.get(positionId)?.collateral ?? assert.fail(text)), text)
  assert.equal(pnl, pnlAt(entry, change) ?? pnl, text)
  assert.ok(pnl !== null && penalty !== null && keeperReward !== null, text)
  const owed = fundingOwed(entry, change.size, before)
  const taken = kind === 'liquidation' || kind === 'partial_liquidation' ? penalty : keeperReward
  const equity = collateral + pnl - owed
  if (funding === null) {
    assert.ok(kind === 'liquidation' && marginMode === 'cross', text)
    return
  }
  // A part of a liquidation is rounded on its own, and losses above the collateral or profits above the vault are not settled.
  if (generation === '1' && kind === 'liquidation' && penalty > 0n) assert.equal(funding, owed, text)
  if (kind === 'partial_liquidation') assert.equal(payout, collateral + pnl - funding - taken, text)
  else if (equity >= 0n && (isNet || (pnl >= -collateral && marginMode === 'isolated')) && payout === equity - taken) assert.equal(funding, owed, text)
}

function pnlAt(entry: PositionEntry, { size, price }: PositionChange): bigint | null {
  return size === null || price === null ? null : pricePnl({ ...entry, size }, price)
}

function fundingOwed({ asset, direction, entry_cumulative_funding: entry }: PositionEntry, size: bigint, state: State): bigint {
  const owed = (size * (state.funding(asset) - entry)) / E7
  return direction === 0 ? owed : -owed
}

/** What traders and keepers received is what the changes say, except for what the call itself moved. */
function checkBalances(
  { name, generation }: Call, settled: readonly PositionChange[],
  { before, after, result }: { readonly before: State; readonly after: State; readonly result: InvokeSuccess },
): void {
  if (settled.length === 0) return
  const text = `${name} ${JSON.stringify(settled, digits)} ${JSON.stringify(itemsOf(result, generation), digits)}`
  const sum = (amounts: readonly (bigint | null)[]): bigint => amounts.reduce((total: bigint, amount) => total + (amount ?? 0n), 0n)
  for (const trader of TRADERS) {
    const own = settled.filter((change) => change.trader === trader)
    if (own.length === 0) continue
    const opens = own.filter(({ kind }) => kind === 'open')
    const closes = own.filter(({ kind }) => kind !== 'open')
    const wallet = (after.wallets.get(trader) ?? 0n) - (before.wallets.get(trader) ?? 0n)
    const pool = (after.pools.get(trader) ?? 0n) - (before.pools.get(trader) ?? 0n)
    const executed = [...after.orders.values()].filter((order) => order.status !== 0 && before.orders.get(order.id)?.status === 0)
    const refunded = sum(executed.filter((order) => order.trader === trader && (order.time_in_force & 0x100) !== 0).map((order) => order.collateral))
    const paidIn = sum(opens.filter(({ orderId }) => orderId === null).flatMap(({ collateral, fee }) => [collateral, fee]))
    if (opens.some(({ orderId }) => orderId !== null)) {
      const escrow = executed[0]?.collateral ?? assert.fail(text)
      assert.equal(sum(opens.flatMap(({ collateral, fee, keeperReward }) => [collateral, fee, keeperReward])), escrow, text)
    }
    // A leader's calls move the factory's own USDC only through the market.
    if (closes.some(({ payout }) => payout === null)) continue
    assert.equal(wallet + pool, sum(closes.map(({ payout }) => payout)) + refunded - paidIn, text)
  }
  // In generation 2 the keeper is paid for all positions of an account at the end.
  if (generation === '1' || !settled.some(({ kind, marginMode }) => kind === 'liquidation' && marginMode === 'cross')) {
    assert.equal((after.wallets.get(KEEPER) ?? 0n) - (before.wallets.get(KEEPER) ?? 0n), sum(settled.map(({ keeperReward }) => keeperReward)), text)
  }
}

function runSteps1(steps: readonly generation1.Step[], seen: Map<string, number>): void {
  const exchange = createTestExchange(50_000n * E7)
  for (const trader of generation1.TRADERS) {
    exchange.host.invokeOk(LP, 'approve', [address(trader), address(VAULT), i128(1_000_000n * E7), u32(1_000_000)], [trader])
  }
  for (const step of steps) {
    generation1.movePrices(exchange, step)
    const call = generation1.toCall(exchange, step)
    if (call === null) continue
    check({ exchange, name: call[1], generation: '1', isNet: false, seen }, () => exchange.host.invoke(call[0], call[1], call[2], SIGNERS))
  }
}

function runSteps2(build: Generation2Build, liquidity: bigint, steps: readonly generation2.Step[], seen: Map<string, number>): void {
  const exchange: TestExchange2 = generation2.createSteppedExchange(liquidity, build)
  for (const step of steps) {
    generation2.movePrices(exchange, step)
    const call = generation2.toCall(exchange, step)
    if (call === null) continue
    check({ exchange, name: call[1], generation: build, isNet: isAtLeast(build, '2.2'), seen }, () => exchange.host.invoke(call[0], call[1], call[2], SIGNERS))
  }
}

test('generation 1: every change is settled as the contracts did', () => {
  fc.assert(fc.property(generation1.anySteps, (steps) => runSteps1(steps, new Map())), { numRuns: fuzzRuns(60, 600) })
})

const anyBuild = fc.constantFrom<Generation2Build>('2.1', '2.2', '2.3')
const anyLiquidity = fc.constantFrom(1_000n * E7, 5_000n * E7, 50_000n * E7)

test('generation 2: every change is settled as the contracts did', () => {
  const property = fc.property(anyBuild, anyLiquidity, generation2.anySteps(60), (build, liquidity, steps) => runSteps2(build, liquidity, steps, new Map()))
  fc.assert(property, { numRuns: fuzzRuns(40, 300) })
})

test('the generated runs reach the common kinds of changes', () => {
  const [first, second] = [new Map<string, number>(), new Map<string, number>()]
  fc.assert(fc.property(generation1.anySteps, (steps) => runSteps1(steps, first)), { numRuns: 120, seed: 7 })
  fc.assert(fc.property(anyLiquidity, generation2.anySteps(150), (liquidity, steps) => runSteps2('2.3', liquidity, steps, second)), { numRuns: 40, seed: 7 })
  const common = ['close cross ', 'close isolated ', 'close isolated order', 'liquidation isolated ', 'open cross ', 'open isolated ', 'open isolated order']
  for (const seen of [first, second]) for (const kind of common) assert.ok(seen.has(kind), `${kind}: ${JSON.stringify([...seen])}`)
  assert.ok(second.has('reduce isolated ') && second.has('liquidation cross '))
})

test('a liquidated account of generation 1 shows what each position cost, and the payouts add up to the loss of its balance', () => {
  const seen = new Map<string, number>()
  const exchange = createTestExchange(50_000n * E7)
  const trader = generation1.TRADERS[0] ?? assert.fail()
  const call = (name: string, ...args: readonly Val[]): void => {
    check({ exchange, name, generation: '1', isNet: false, seen }, () => {
      const result = exchange.host.invoke(MARKET, name, args, SIGNERS)
      assert.ok(result.ok, name)
      return result
    })
  }
  call('deposit_cross_margin', address(trader), i128(3n * E7))
  for (const [asset, direction, collateral] of [['BTC', 0, 100n], ['ETH', 1, 60n]] as const) {
    call('open_position_cross', address(trader), symbol(asset), i128(collateral * E7), u32(10), u32(direction))
  }
  exchange.advance(7n * 3600n)
  exchange.setPrice('BTC', 100_000n * E7)
  call('apply_funding')
  const btc = exchange.stored(KEYS.position(1n)) as { readonly entry_price: bigint }
  exchange.setPrice('BTC', (btc.entry_price * 853n) / 1_000n)
  call('liquidate_cross_account', address(KEEPER), address(trader))
  assert.equal(seen.get('liquidation cross '), 2)
})

test('rounds of a liquidation, a liquidation with bad debt and a deleveraged position are settled as the contracts did', () => {
  const seen = new Map<string, number>()
  const exchange = generation2.createSteppedExchange(1_000n * E7)
  const run = (contract: string, name: string, ...args: readonly Val[]): void => {
    check({ exchange, name, generation: '2.3', isNet: true, seen }, () => {
      const result = exchange.host.invoke(contract, name, args, SIGNERS)
      assert.ok(result.ok, name)
      return result
    })
  }
  const [winner, loser] = [exchange.open('GALICE', { collateral: 48n * E7 }), exchange.open('GBOB', { direction: 1, collateral: 48n * E7 })]
  moveFar(exchange, 190_000n * E7)
  run(MARKET, 'check_adl_trigger', symbol('BTC'))
  run(MARKET, 'adl_close', address(KEEPER), u64(winner))
  run(MARKET, 'liquidate', address(KEEPER), u64(loser))
  const large = generation2.createSteppedExchange(50_000n * E7)
  const position = large.open('GALICE', { collateral: 400n * E7, leverage: 10 })
  moveFar(large, 45_800n * E7)
  check({ exchange: large, name: 'liquidate', generation: '2.3', isNet: true, seen }, () =>
    large.host.invoke(MARKET, 'liquidate', [address(KEEPER), u64(position)], SIGNERS))
  assert.deepEqual([...seen.keys()].toSorted(), ['adl isolated ', 'liquidation isolated ', 'partial_liquidation isolated '])
})

/** Moves BTC when no last good price limits the step, until the smoothed price has followed. */
function moveFar(exchange: TestExchange2, price: bigint): void {
  exchange.advance(601n)
  for (let record = 0; record < 4; record++) {
    exchange.advance(1n)
    exchange.setPrice('BTC', price)
  }
}
