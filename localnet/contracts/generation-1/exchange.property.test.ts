import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fuzz.ts'
import { ONE_E7 } from '../../../src/base/fixed-point.ts'
import { GENERATION_1_EVENTS } from '../../../src/exchange/events.ts'
import { address, i128, symbol, u32, u64 } from '../shared/host.ts'
import { KEYS } from '../shared/market/storage.ts'
import { type TestEvent, toNative } from '../../test/contracts/test-host.ts'
import {
  ALICE, BOB, createTestExchange, E7, KEEPER, LP, MARKET, PROVIDER, type TestExchange, USDC, VAULT,
} from '../../test/contracts/generation-1/test-exchange.ts'
import { anySteps, ASSETS, movePrices, type Step, toCall, TRADERS } from '../../test/contracts/generation-1/test-steps.ts'

const HOLDERS = [PROVIDER, ALICE, BOB, KEEPER, MARKET, VAULT, USDC, LP]

const totalUsdc = (exchange: TestExchange): bigint => HOLDERS.reduce((sum, holder) => sum + exchange.usdc(holder), 0n)

interface StoredPosition {
  id: bigint
  trader: string
  asset: string
  direction: number
  size: bigint
  entry_price: bigint
  margin_mode: number
}

function openPositions(exchange: TestExchange): StoredPosition[] {
  const ids = toNative(exchange.invokeOk('get_all_position_ids', []).value) as bigint[]
  return ids.map((id) => exchange.position(id) as unknown as StoredPosition)
}

/** Invariants that hold between any two calls. */
function assertInvariants(exchange: TestExchange, opened: number, placed: number): void {
  const positions = openPositions(exchange)
  const sizeOf = (group: StoredPosition[]): bigint => group.reduce((sum, position) => sum + position.size, 0n)
  const unitsOf = (group: StoredPosition[]): bigint =>
    group.reduce((sum, position) => sum + (position.size * ONE_E7) / position.entry_price, 0n)
  const side = (direction: number, asset?: string): StoredPosition[] =>
    positions.filter((position) => position.direction === direction && (asset === undefined || position.asset === asset))

  for (const asset of ASSETS) {
    const [longs, shorts] = [side(0, asset), side(1, asset)]
    const expected = [unitsOf(longs), sizeOf(longs), unitsOf(shorts), sizeOf(shorts)]
    assert.deepEqual(exchange.stored(KEYS.assetExposure(asset)) ?? [0n, 0n, 0n, 0n], expected, `open interest of ${asset}`)
  }
  assert.equal(exchange.stored(KEYS.totalLongSize), sizeOf(side(0)))
  assert.equal(exchange.stored(KEYS.totalShortSize), sizeOf(side(1)))
  assert.equal(exchange.vaultView('get_reserved_payout'), sizeOf(positions), 'reservations are the sizes of open positions')

  assert.equal(exchange.stored(KEYS.positionCounter), BigInt(opened), 'position ids are dense')
  assert.equal(exchange.stored(KEYS.orderCounter), BigInt(placed), 'order ids are dense')
  assert.deepEqual(positions.map((position) => position.id), positions.map((position) => position.id).toSorted((a, b) => Number(a - b)))
  for (const trader of TRADERS) {
    const own = positions.filter((position) => position.trader === trader)
    assert.deepEqual(exchange.stored(KEYS.traderPositions(trader)) ?? [], own.map((position) => position.id))
    const cross = own.filter((position) => position.margin_mode === 1).map((position) => position.id)
    assert.deepEqual(exchange.stored(KEYS.crossMarginPositions(trader)) ?? [], cross)
    assert.equal((exchange.stored(KEYS.allCrossMarginTraders) as string[]).includes(trader), cross.length > 0)
    assert.ok((exchange.stored(KEYS.crossMarginBalance(trader)) as bigint | null ?? 0n) >= 0n, 'no negative cross pool')
  }
  for (const id of toNative(exchange.invokeOk('get_all_order_ids', []).value) as bigint[]) {
    const order = toNative(exchange.invokeOk('get_order', [u64(id)]).value) as { status: number; has_position: boolean; position_id: bigint }
    assert.equal(order.status, 0, 'only pending orders are listed')
    if (order.has_position) assert.ok(positions.some((position) => position.id === order.position_id), 'no order is attached to a closed position')
  }
  for (const holder of HOLDERS) assert.ok(exchange.usdc(holder) >= 0n)
  for (const view of ['get_aum', 'get_reserved_payout', 'get_shortfall', 'get_total_noe']) {
    assert.ok((exchange.vaultView(view) as bigint) >= 0n, view)
  }
  const unrealizedPnl = ASSETS.reduce((sum, asset) => sum + (exchange.vaultView('get_asset_unrealized_pnl', symbol(asset)) as bigint), 0n)
  assert.equal((exchange.vaultView('get_pool_info') as { unrealized_pnl: bigint }).unrealized_pnl, unrealizedPnl)
}

/** Runs the steps on a new exchange and checks the invariants after each. Records successful calls and emitted topics. */
function runSteps(steps: readonly Step[], reached: { readonly calls: Set<string>; readonly topics: Set<string> }): void {
  const exchange = createTestExchange(50_000n * E7)
  for (const trader of TRADERS) {
    exchange.host.invokeOk(LP, 'approve', [address(trader), address(VAULT), i128(1_000_000n * E7), u32(1_000_000)], [trader])
  }
  const total = totalUsdc(exchange)
  let opened = 0
  let placed = 0
  for (const step of steps) {
    movePrices(exchange, step)
    const call = toCall(exchange, step)
    if (call === null) continue
    const result = exchange.host.invoke(call[0], call[1], call[2], [...TRADERS, KEEPER])
    if (result.ok) {
      reached.calls.add(call[1])
      for (const event of result.events) checkShape(event, reached.topics)
      opened += result.events.filter((event) => toNative(event.topics[0]) === 'position_opened').length
      if (/^(place|set)_/.test(call[1])) placed += 1
    } else {
      // Calls fail with contract errors only, never with host errors.
      assert.match(result.error, /^Error\(Contract, #\d+\)$/)
    }
    assert.equal(totalUsdc(exchange), total, `${call[1]} created or destroyed USDC`)
    assertInvariants(exchange, opened, placed)
  }
}

test('any sequence of calls preserves total USDC and keeps the aggregates equal to sums over positions', () => {
  fc.assert(fc.property(anySteps, (steps) => runSteps(steps, { calls: new Set(), topics: new Set() })), { numRuns: 60 })
})

test('the generated runs cover all trader and keeper calls and all trading events in their documented shape', () => {
  // A fixed seed: this tests the generator, and must not depend on chance.
  const reached = { calls: new Set<string>(), topics: new Set<string>() }
  fc.assert(fc.property(anySteps, (steps) => runSteps(steps, reached)), { numRuns: 150, seed: 7 })
  assert.deepEqual([...reached.calls].toSorted(), [
    'apply_funding', 'cancel_order', 'close_position', 'close_position_cross', 'deposit', 'deposit_cross_margin', 'execute_order',
    'liquidate',
    'liquidate_cross_account', 'open_position', 'open_position_cross', 'place_limit_order', 'place_stop_limit_order', 'place_trailing_stop',
    'set_stop_loss', 'set_take_profit', 'sync_asset_pnl', 'update_trailing_peak', 'withdraw', 'withdraw_cross_margin',
  ])
  const administrative = ['initialized', 'paused', 'unpaused']
  const tradingTopics = Object.keys(GENERATION_1_EVENTS.market).filter((topic) => !administrative.includes(topic))
  assert.deepEqual(tradingTopics.filter((topic) => !reached.topics.has(topic)), [])
})

const WIRE_TYPES = {
  address: 'address', symbol: 'symbol', string: 'string', i128: 'i128', u64: 'u64', u32: 'u32', id: 'u64', idText: 'u64', bool: 'bool',
  addresses: 'vec',
} as const

/** Asserts that an event of market or vault has the shape that decoders expect. */
function checkShape(event: TestEvent, topics: Set<string>): void {
  if (event.contract !== MARKET && event.contract !== VAULT) return
  const topic = String(toNative(event.topics[0]))
  topics.add(topic)
  const shape = GENERATION_1_EVENTS[event.contract === MARKET ? 'market' : 'vault'][topic] ?? assert.fail(`${topic} has no documented shape`)
  const secondTopic = shape.secondTopic === undefined ? [] : [WIRE_TYPES[shape.secondTopic[1]]]
  assert.deepEqual(event.topics.slice(1).map((val) => val.type), secondTopic, topic)
  const data = event.data.type === 'vec' ? event.data.value.map((val) => val.type) : []
  assert.deepEqual(data, shape.data.map(([, type]) => WIRE_TYPES[type]), topic)
}
