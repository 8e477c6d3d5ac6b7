import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { EVENT_SHAPES } from '../../src/exchange/events.ts'
import type { Val } from './host.ts'
import { address, bool, i128, symbol, u32, u64 } from './host.ts'
import { KEYS } from './market/storage.ts'
import { type TestEvent, toNative } from './test-host.ts'
import {
  ALICE, BOB, createTestExchange, E7, KEEPER, LP, MARKET, openArgs, PROVIDER, type TestExchange, USDC, VAULT,
} from './test-exchange.ts'

const ASSETS = ['BTC', 'ETH'] as const
const FIRST_PRICES = { BTC: 50_000n * E7, ETH: 2_000n * E7 } as const
const TRADERS = [ALICE, BOB] as const
const HOLDERS = [PROVIDER, ALICE, BOB, KEEPER, MARKET, VAULT, USDC, LP]

/** One step: what is done, by whom, to what, and two numbers that the deed reads as it needs. */
interface Step {
  readonly deed: (typeof DEEDS)[number]
  readonly trader: string
  readonly asset: (typeof ASSETS)[number]
  readonly direction: number
  readonly leverage: number
  readonly amount: bigint
  readonly pick: number
}

const DEEDS = [
  'open', 'open', 'open', 'openCross', 'close', 'close', 'closeCross', 'liquidate', 'liquidate', 'liquidateCross', 'fund', 'sync',
  'price', 'price',
  'price', 'wait', 'depositLp', 'withdrawLp', 'depositCross', 'withdrawCross', 'limit', 'stopLimit', 'stopLoss', 'takeProfit', 'trailing',
  'execute', 'execute', 'cancel', 'peak',
] as const

const step: fc.Arbitrary<Step> = fc.record({
  deed: fc.constantFrom(...DEEDS),
  trader: fc.constantFrom(...TRADERS),
  asset: fc.constantFrom(...ASSETS),
  direction: fc.integer({ min: 0, max: 1 }),
  leverage: fc.integer({ min: 1, max: 10 }),
  amount: fc.bigInt({ min: 1n, max: 400n * E7 }),
  pick: fc.nat(1000),
})

/** The step as a call; null when it only moves prices or time. */
function callOf(exchange: TestExchange, one: Step): readonly [contract: string, functionName: string, args: Val[]] | null {
  const { deed, trader, asset, direction, leverage, amount, pick } = one
  const position = u64(picked(exchange, 'get_all_position_ids', pick))
  const order = u64(picked(exchange, 'get_all_order_ids', pick))
  const by = address(trader)
  const reference = exchangePrice(exchange, asset)
  const near = (reference * (9_900n + BigInt(pick % 200))) / 10_000n
  const limitTerms = [by, symbol(asset), u32(direction), i128(amount), u32(leverage), i128(near)]
  const rest = [bool(pick % 2 === 0), u32(1 + (pick % 500)), u32([0, 1, 2, 0x100][pick % 4] ?? 0)]
  switch (deed) {
    case 'open': return [MARKET, 'open_position', openArgs(trader, { asset, collateral: amount, leverage, direction })]
    case 'openCross': return [MARKET, 'open_position_cross', openArgs(trader, { asset, collateral: amount, leverage, direction })]
    case 'close': return [MARKET, 'close_position', [by, position]]
    case 'closeCross': return [MARKET, 'close_position_cross', [by, position]]
    case 'liquidate': return [MARKET, 'liquidate', [address(KEEPER), position]]
    case 'liquidateCross': return [MARKET, 'liquidate_cross_account', [address(KEEPER), by]]
    case 'fund': return [MARKET, 'apply_funding', []]
    case 'sync': return [MARKET, 'sync_asset_pnl', [symbol(asset)]]
    case 'depositLp': return [VAULT, 'deposit', [by, i128(amount)]]
    case 'withdrawLp': return [VAULT, 'withdraw', [by, i128(amount)]]
    case 'depositCross': return [MARKET, 'deposit_cross_margin', [by, i128(amount)]]
    case 'withdrawCross': return [MARKET, 'withdraw_cross_margin', [by, i128(amount)]]
    case 'limit': return [MARKET, 'place_limit_order', [...limitTerms, ...rest]]
    case 'stopLimit': return [MARKET, 'place_stop_limit_order', [...limitTerms, i128(reference), ...rest]]
    case 'stopLoss': return [MARKET, 'set_stop_loss', [by, position, i128(near), u32(1 + pick)]]
    case 'takeProfit': return [MARKET, 'set_take_profit', [by, position, i128(near), u32(1 + pick), i128(0n)]]
    case 'trailing': return [MARKET, 'place_trailing_stop', [by, position, u32(1 + (pick % 300)), u32(1 + pick)]]
    case 'execute': return [MARKET, 'execute_order', [address(KEEPER), order]]
    case 'cancel': return [MARKET, 'cancel_order', [by, order]]
    case 'peak': return [MARKET, 'update_trailing_peak', [order]]
    default: return null
  }
}

const prices = new WeakMap<TestExchange, Map<string, bigint>>()

function exchangePrice(exchange: TestExchange, asset: (typeof ASSETS)[number]): bigint {
  return prices.get(exchange)?.get(asset) ?? FIRST_PRICES[asset]
}

/** Moves the price by up to 1 % mostly, by up to a fifth or a half now and then; every price of the step is fresh. */
function movePrices(exchange: TestExchange, { deed, asset, amount, pick }: Step): void {
  const known = prices.get(exchange) ?? new Map<string, bigint>()
  prices.set(exchange, known)
  if (deed === 'price') {
    const jumpBps = pick % 3 === 0 ? 2_000n : 100n
    const spanBps = pick % 7 === 0 ? 5_000n : jumpBps
    const moveBps = (amount % (2n * spanBps + 1n)) - spanBps
    const price = exchangePrice(exchange, asset)
    known.set(asset, price + (price * moveBps) / 10_000n)
  }
  if (deed === 'wait') exchange.advance(BigInt(pick) * 20n)
  for (const name of ASSETS) exchange.setPrice(name, exchangePrice(exchange, name))
}

function picked(exchange: TestExchange, view: string, pick: number): bigint {
  const ids = toNative(exchange.invokeOk(view, []).value) as bigint[]
  return ids.length === 0 ? 1n : (ids[pick % ids.length] ?? 1n)
}

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

/** Everything that must be true between any two calls. */
function checkBooks(exchange: TestExchange, opened: number, placed: number): void {
  const positions = openPositions(exchange)
  const sizeOf = (side: StoredPosition[]): bigint => side.reduce((sum, position) => sum + position.size, 0n)
  const unitsOf = (side: StoredPosition[]): bigint =>
    side.reduce((sum, position) => sum + (position.size * ONE_E7) / position.entry_price, 0n)
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
    if (order.has_position) assert.ok(positions.some((position) => position.id === order.position_id), 'nothing hangs on a closed position')
  }
  for (const holder of HOLDERS) assert.ok(exchange.usdc(holder) >= 0n)
  for (const view of ['get_aum', 'get_reserved_payout', 'get_shortfall', 'get_total_noe']) {
    assert.ok((exchange.vaultView(view) as bigint) >= 0n, view)
  }
  const marks = ASSETS.reduce((sum, asset) => sum + (exchange.vaultView('get_asset_unrealized_pnl', symbol(asset)) as bigint), 0n)
  assert.equal((exchange.vaultView('get_pool_info') as { unrealized_pnl: bigint }).unrealized_pnl, marks)
}

/** Runs the steps on a fresh exchange and checks the books after each. Tells which calls succeeded and which topics were emitted. */
function play(steps: readonly Step[], reached: { readonly calls: Set<string>; readonly topics: Set<string> }): void {
  const exchange = createTestExchange(50_000n * E7)
  for (const trader of TRADERS) {
    exchange.host.invokeOk(LP, 'approve', [address(trader), address(VAULT), i128(1_000_000n * E7), u32(1_000_000)], [trader])
  }
  const total = totalUsdc(exchange)
  let opened = 0
  let placed = 0
  for (const one of steps) {
    movePrices(exchange, one)
    const call = callOf(exchange, one)
    if (call === null) continue
    const outcome = exchange.host.invoke(call[0], call[1], call[2], [...TRADERS, KEEPER])
    if (outcome.ok) {
      reached.calls.add(call[1])
      for (const event of outcome.events) checkShape(event, reached.topics)
      opened += outcome.events.filter((event) => toNative(event.topics[0]) === 'position_opened').length
      if (/^(place|set)_/.test(call[1])) placed += 1
    } else {
      // A refusal is always a contract's own code: nothing runs into the host.
      assert.match(outcome.error, /^Error\(Contract, #\d+\)$/)
    }
    assert.equal(totalUsdc(exchange), total, `${call[1]} made or lost USDC`)
    checkBooks(exchange, opened, placed)
  }
}

const steps = fc.array(step, { minLength: 20, maxLength: 60, size: 'max' })

test('over any run of calls no USDC comes or goes, and the books equal the sums over open positions', () => {
  fc.assert(fc.property(steps, (run) => play(run, { calls: new Set(), topics: new Set() })), { numRuns: 60 })
})

test('such runs reach every call of traders and keepers, and every trading event in its documented shape', () => {
  // A property is worth what it reaches; the seed is fixed because this is about the generator, not about luck.
  const reached = { calls: new Set<string>(), topics: new Set<string>() }
  fc.assert(fc.property(steps, (run) => play(run, reached)), { numRuns: 150, seed: 7 })
  assert.deepEqual([...reached.calls].toSorted(), [
    'apply_funding', 'cancel_order', 'close_position', 'close_position_cross', 'deposit', 'deposit_cross_margin', 'execute_order',
    'liquidate',
    'liquidate_cross_account', 'open_position', 'open_position_cross', 'place_limit_order', 'place_stop_limit_order', 'place_trailing_stop',
    'set_stop_loss', 'set_take_profit', 'sync_asset_pnl', 'update_trailing_peak', 'withdraw', 'withdraw_cross_margin',
  ])
  const administrative = ['initialized', 'paused', 'unpaused']
  const tradingTopics = Object.keys(EVENT_SHAPES.market).filter((topic) => !administrative.includes(topic))
  assert.deepEqual(tradingTopics.filter((topic) => !reached.topics.has(topic)), [])
})

const WIRE_TYPES = {
  address: 'address', symbol: 'symbol', string: 'string', i128: 'i128', u64: 'u64', u32: 'u32', id: 'u64', idText: 'u64',
} as const

/** An event of market or vault must be the one that the specification's table tells decoders to expect. */
function checkShape(event: TestEvent, topics: Set<string>): void {
  if (event.contract !== MARKET && event.contract !== VAULT) return
  const topic = String(toNative(event.topics[0]))
  topics.add(topic)
  const shape = EVENT_SHAPES[event.contract === MARKET ? 'market' : 'vault'][topic] ?? assert.fail(`${topic} is in no table`)
  const secondTopic = shape.secondTopic === undefined ? [] : [WIRE_TYPES[shape.secondTopic[1]]]
  assert.deepEqual(event.topics.slice(1).map((val) => val.type), secondTopic, topic)
  const data = event.data.type === 'vec' ? event.data.value.map((val) => val.type) : []
  assert.deepEqual(data, shape.data.map(([, type]) => WIRE_TYPES[type]), topic)
}
