// The settlement of every change, against the contracts of both generations: random calls, and what they did to balances and entries.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventShapes } from '../../src/exchange/event-shapes.ts'
import { isAtLeast } from '../../src/exchange/contracts/generations.ts'
import type { Generation } from '../../src/exchange/contracts/generations.ts'
import type { TransactionItem } from '../../src/exchange/settlement/position-changes.ts'
import { address, i128, symbol, u32, u64 } from '../../localnet/contracts/shared/host.ts'
import type { Val } from '../../localnet/contracts/shared/host.ts'
import { KEYS } from '../../localnet/contracts/shared/market/storage.ts'
import type { Generation2Build } from '../../localnet/contracts/generation-2/build.ts'
import { ADDED_KEYS } from '../../localnet/contracts/generation-2/market/storage.ts'
import {
  createTestExchange, E7, FACTORY, KEEPER, LP, MARKET, PROVIDER, REFERRAL, ADMIN, USDC, VAULT,
} from '../../localnet/test/contracts/generation-1/test-exchange.ts'
import type { TestExchange } from '../../localnet/test/contracts/generation-1/test-exchange.ts'
import * as generation1 from '../../localnet/test/contracts/generation-1/test-steps.ts'
import * as generation2 from '../../localnet/test/contracts/generation-2/test-steps.ts'
import type { TestExchange as TestExchangeOfGeneration2 } from '../../localnet/test/contracts/generation-2/test-exchange.ts'
import { toNative } from '../../localnet/test/contracts/test-host.ts'
import type { InvokeSuccess, TestEvent } from '../../localnet/test/contracts/test-host.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import { checkSettlement } from './settlement-check.ts'
import type { CheckedCall, State } from './settlement-check.ts'

const TRADERS = [...generation1.TRADERS, FACTORY]
const SIGNERS = [...generation1.TRADERS, KEEPER, ADMIN, PROVIDER]

type Exchange = Pick<TestExchange, 'host' | 'stored' | 'usdc'>

function readState(exchange: Exchange): State {
  const all = <T>(counter: Val, key: (id: bigint) => Val): Map<number, T> => new Map(
    Array.from({ length: Number(exchange.stored(counter) ?? 0n) }, (_, index) => index + 1)
      .map((id) => [id, exchange.stored(key(BigInt(id)))] as const).filter(([, entry]) => entry !== null)
      .map(([id, entry]) => [id, { ...(entry as object), id } as T]),
  )
  const indexes = new Map<string, bigint>(generation1.ASSETS.map((asset) => {
    const state = exchange.stored(ADDED_KEYS.fundingState(asset)) as readonly bigint[] | null
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

interface Call extends Omit<CheckedCall, 'keeper' | 'contracts'> {
  readonly exchange: Exchange
}

/** Runs a call and compares the settlement with what the call did. */
function check(call: Call, run: () => ReturnType<TestExchange['host']['invoke']>): void {
  const before = readState(call.exchange)
  const result = run()
  if (!result.ok) return
  const outcome = { before, after: readState(call.exchange), items: itemsOf(result, call.generation) }
  checkSettlement({ ...call, keeper: KEEPER, contracts: { market: MARKET, vault: VAULT } }, outcome)
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
  const exchange: TestExchangeOfGeneration2 = generation2.createSteppedExchange(liquidity, build)
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
function moveFar(exchange: TestExchangeOfGeneration2, price: bigint): void {
  exchange.advance(601n)
  for (let record = 0; record < 4; record++) {
    exchange.advance(1n)
    exchange.setPrice('BTC', price)
  }
}
