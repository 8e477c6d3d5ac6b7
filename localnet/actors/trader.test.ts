import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { ASSET_SYMBOLS } from '../assets.ts'
import { plain } from '../test-network.ts'
import { ORDER_TYPE } from './stored-entries.ts'
import type { StoredOrder, StoredPosition } from './stored-entries.ts'
import type { Strategy, OrderStrategy } from './strategies.ts'
import { isVolatile, MARKETS } from './markets.ts'
import { createPriceFeed } from './price-feed.ts'
import { createTestLedger, DEPLOYMENT, NOW_SEC, IDENTITIES } from './test-client.ts'
import { createTicker } from './ticker.ts'
import { createTrader } from './trader.ts'

const identity = IDENTITIES.traders[0] ?? assert.fail('there are traders')
const ENTRY = 100n * ONE_E7

/** Trades at the market. An order waits a minute, five to ten basis points from the price. */
const NO_ORDERS: OrderStrategy = {
  cross: 0, limit: 0, stopLimit: 0, stopLoss: 0, takeProfit: 0, trailingStop: 0, reduceOnly: 0,
  distanceBps: { min: 5, max: 10 }, maxWaitSec: { min: 60, max: 60 },
}

/** Trades without randomness, so that every action is predictable. */
const PLAIN: Strategy = {
  name: 'plain', maxPositions: 2, pauseSec: { min: 10, max: 10 }, holdSec: { min: 60, max: 60 }, firstHoldSec: { min: 5, max: 5 },
  collateralUsdc: { min: 100, max: 100 }, leverage: { min: 4, max: 4 }, markets: 3, volatileOnly: false, takeProfit: 0.1, stopLoss: 0.2, lookbackSec: 20,
  orders: NO_ORDERS,
  direction: () => 0,
}

const OPEN: StoredPosition = {
  id: 7n, trader: identity.address, asset: 'BTC', direction: 0, marginMode: 0, collateral: 100n * ONE_E7, size: 400n * ONE_E7, leverage: 4,
  entryPrice: ENTRY, entryCumulativeFunding: 0n, liquidationPrice: 76n * ONE_E7, openedAtSec: NOW_SEC,
}

/** A limit order for a long, below the market. */
const ORDER: StoredOrder = {
  id: 3n, trader: identity.address, asset: 'BTC', direction: 0, orderType: ORDER_TYPE.limit, hasPosition: false, positionId: 0n, triggerCondition: 1,
  triggerPrice: 99n * ONE_E7, limitPrice: 0n, trailingPercentBps: 0, stopLimitPhase: 0, timeInForce: 0, createdAtSec: NOW_SEC,
}
const STOP_LOSS: StoredOrder = { ...ORDER, id: 4n, orderType: ORDER_TYPE.stopLoss, hasPosition: true, positionId: OPEN.id }

function setUp(strategy: Partial<Strategy> = {}, seed = 'trader') {
  const ledger = createTestLedger()
  const client = ledger.client(identity.address)
  let price = ENTRY
  const ticker = createTicker(createPriceFeed({ advance: () => {}, price: () => price, setPrices: () => {} }))
  const trader = createTrader({
    name: 'trader', client, market: DEPLOYMENT.market, assets: ASSET_SYMBOLS, ticker, strategy: { ...PLAIN, ...strategy }, random: createSeededRandom(seed),
  })
  const turn = (seconds: number) => trader.act({ sequence: 100 + seconds, closeTimeSec: NOW_SEC + seconds })
  return {
    ledger, client, trader, ticker, turn,
    setPrice: (next: bigint) => void (price = next),
    /** Lets the trader act once per second; returns the seconds in which it called. */
    live: async (fromSec: number, untilSec: number): Promise<number[]> => {
      const calledAt: number[] = []
      for (let seconds = fromSec; seconds < untilSec; seconds++) {
        const before = client.calls.length
        await turn(seconds)
        if (client.calls.length > before) calledAt.push(seconds)
      }
      return calledAt
    },
    called: () => client.calls.map(({ functionName, args }) => [functionName, ...args.slice(1).map(plain)]),
  }
}

/** Opens no positions. */
const CLOSES_ONLY: Partial<Strategy> = { maxPositions: 0 }

test('makes its first trade within three seconds with the strategy’s market, collateral, leverage and direction', async () => {
  const { client, live, called } = setUp({ direction: () => 1 })
  await live(0, 3)
  assert.deepEqual([client.calls[0]?.contract, client.calls[0]?.args[0]], [DEPLOYMENT.market, { type: 'address', value: identity.address }])
  const [[functionName, asset, ...rest] = []] = called()
  assert.deepEqual([functionName, ...rest], ['open_position', 100n * ONE_E7, 4, 1])
  assert(ASSET_SYMBOLS.includes(String(asset)))
})

test('pauses between trades, keeps to its markets and its maximum number of positions', async () => {
  const { ledger, live, called } = setUp({ maxPositions: 3 })
  const [first = 0, ...later] = await live(0, 300)
  assert.deepEqual(later, Array.from({ length: 29 }, (_, index) => first + 10 * (index + 1)))
  assert.equal(new Set(called().map(([, asset]) => asset)).size, 3)
  const everywhere = setUp({ maxPositions: 100, markets: 14, pauseSec: { min: 1, max: 1 } })
  await everywhere.live(0, 300)
  assert.equal(new Set(everywhere.called().map(([, asset]) => asset)).size, ASSET_SYMBOLS.length)
  const forever = NOW_SEC + 86_400
  ledger.setPositions([1n, 2n, 3n].map((id) => ({ ...OPEN, id, openedAtSec: forever })))
  assert.deepEqual((await live(300, 500)).filter((seconds) => seconds >= 310), [])
})

test('a strategy for volatile markets trades only there', async () => {
  const { live, called } = setUp({ maxPositions: 100, markets: 4, volatileOnly: true })
  await live(0, 600)
  const traded = new Set(called().map(([, asset]) => String(asset)))
  assert.equal(traded.size, 4)
  for (const asset of traded) assert(isVolatile(MARKETS[asset] ?? assert.fail(asset)), `${asset} is calm`)
})

test('a strategy without a direction stays out of the market', async () => {
  const changes: number[] = []
  const { client, live, ticker, setPrice } = setUp({ direction: (change) => (changes.push(change), null) })
  ticker.observe(NOW_SEC - 10)
  setPrice(110n * ONE_E7)
  await live(0, 100)
  assert.deepEqual(client.calls, [])
  assert(Math.abs((changes[0] ?? 0) - 0.1) < 1e-9, 'it looked at how far the price has come')
})

test('closes the first position soon, and later ones after their holding time', async () => {
  const { ledger, live, called } = setUp(CLOSES_ONLY)
  ledger.setPositions([OPEN])
  assert.deepEqual(await live(0, 6), [5])
  assert.deepEqual(called(), [['close_position', 7n]])
  ledger.setPositions([{ ...OPEN, id: 8n, openedAtSec: NOW_SEC + 10 }])
  assert.equal((await live(10, 100))[0], 70)
})

test('closes a position early at a large gain or loss', async () => {
  for (const [direction, price, closes] of [
    [0, 103n, true], [0, 102n, false], [0, 95n, true], [0, 96n, false], [1, 97n, true], [1, 98n, false], [1, 105n, true], [1, 104n, false],
  ] as const) {
    const { ledger, client, setPrice, turn } = setUp({ ...CLOSES_ONLY, firstHoldSec: { min: 3_600, max: 3_600 } })
    ledger.setPositions([{ ...OPEN, direction }])
    setPrice(price * ONE_E7)
    await turn(0)
    assert.equal(client.calls.length, closes ? 1 : 0, `direction ${direction} at ${price}`)
  }
})

test('a strategy without a stop-loss does not close at a loss', async () => {
  const { ledger, client, setPrice, turn } = setUp({ ...CLOSES_ONLY, firstHoldSec: { min: 3_600, max: 3_600 }, takeProfit: null, stopLoss: null })
  ledger.setPositions([OPEN])
  for (const price of [77n, 300n]) {
    setPrice(price * ONE_E7)
    await turn(Number(price))
  }
  assert.deepEqual(client.calls, [])
})

test('retries a refusal after 5, 10, 20 … at most 300 seconds, and resets after a success', async () => {
  const { client, live } = setUp()
  client.results.push(...Array.from({ length: 9 }, () => ({ kind: 'refused', code: 30, reason: 'PriceStale' }) as const))
  const turns = await live(0, 1_500)
  client.results.push({ kind: 'refused', code: 30, reason: 'PriceStale' })
  turns.push(...(await live(1_500, 1_540)))
  const pauses = turns.slice(1).map((seconds, index) => seconds - (turns[index] ?? 0))
  assert.deepEqual(pauses.slice(0, 12), [5, 10, 20, 40, 80, 160, 300, 300, 300, 10, 10, 10])
  assert.deepEqual(pauses.filter((pause) => pause === 5).length, 2, 'and the next refusal costs five seconds again')
})

test('backs off after a failed transaction, and waits while one is pending', async () => {
  const { client, live } = setUp()
  client.settlements.push({ kind: 'idle' })
  const [first = 0] = await live(0, 3)
  client.settlements.push({ kind: 'pending' }, { kind: 'failed', code: 81, reason: 'txFailed', isOutdated: false })
  const next = await live(first + 10, first + 40)
  // Pending in the tenth second, failed in the eleventh, then a delay of five seconds.
  assert.equal(next[0], first + 16)
})

test('notices a liquidated position within a minute and opens another', async () => {
  const { ledger, live, called } = setUp({ maxPositions: 1 })
  ledger.setPositions([{ ...OPEN, openedAtSec: NOW_SEC + 86_400 }])
  assert.deepEqual(await live(0, 50), [])
  ledger.setPositions([])
  assert.equal((await live(50, 70)).length, 1)
  assert.equal(called()[0]?.[0], 'open_position')
})

const LONG_HELD: Partial<Strategy> = { holdSec: { min: 3_600, max: 3_600 }, firstHoldSec: { min: 3_600, max: 3_600 }, takeProfit: null, stopLoss: null }

test('after a first entry at the market, enters by limit and stop-limit orders and on cross margin', async () => {
  const functionOf = { limit: 'place_limit_order', stopLimit: 'place_stop_limit_order', cross: 'open_position_cross' } as const
  for (const way of ['limit', 'stopLimit', 'cross'] as const) {
    const { ledger, live, called } = setUp({ orders: { ...NO_ORDERS, [way]: 1 } })
    ledger.setPool(identity.address, ONE_E7)
    await live(0, 25)
    assert.deepEqual(called().map(([functionName]) => functionName), ['open_position', functionOf[way], functionOf[way]])
  }
})

test('counts opening orders as positions, and cancels one that waits too long', async () => {
  const { ledger, live, called } = setUp({ ...LONG_HELD, maxPositions: 2 })
  const waiting = { ...ORDER, createdAtSec: NOW_SEC }
  ledger.setPositions([OPEN])
  ledger.setOrders([waiting, { ...STOP_LOSS, createdAtSec: NOW_SEC }])
  assert.deepEqual(await live(0, 61), [60], 'there is no room, until the order has waited a minute; what is attached may wait')
  assert.deepEqual(called(), [['cancel_order', waiting.id]])
  ledger.setOrders([])
  assert.equal((await live(61, 71)).length, 1, 'the room is used again')
})

test('attaches each of the strategy’s orders once, and none that exists', async () => {
  const orders = { ...NO_ORDERS, stopLoss: 1, takeProfit: 1, trailingStop: 1, reduceOnly: 1 }
  const { ledger, live, called } = setUp({ ...CLOSES_ONLY, ...LONG_HELD, orders })
  ledger.setPositions([OPEN, { ...OPEN, id: 8n, asset: 'ETH', marginMode: 1 }])
  ledger.setOrders([STOP_LOSS])
  await live(0, 100)
  assert.deepEqual(called().map(([functionName, id]) => [functionName, id]), [
    ['set_take_profit', OPEN.id], ['place_trailing_stop', OPEN.id], ['place_limit_order', 'BTC'],
  ])
})

test('does not retry a refused attached order forever', async () => {
  const { ledger, client, live } = setUp({ ...CLOSES_ONLY, ...LONG_HELD, orders: { ...NO_ORDERS, stopLoss: 1 } })
  ledger.setPositions([OPEN])
  client.results.push({ kind: 'refused', code: 67, reason: 'OrderAlreadyExists' })
  assert.equal((await live(0, 600)).length, 1)
})

test('attaches no orders to a position that closes soon', async () => {
  const { ledger, live, called } = setUp({ ...CLOSES_ONLY, orders: { ...NO_ORDERS, stopLoss: 1 } })
  ledger.setPositions([OPEN])
  await live(0, 6)
  assert.deepEqual(called(), [['close_position', OPEN.id]])
})

test('closes a cross position as such', async () => {
  const { ledger, live, called } = setUp(CLOSES_ONLY)
  ledger.setPositions([{ ...OPEN, marginMode: 1 }])
  await live(0, 6)
  assert.deepEqual(called(), [['close_position_cross', OPEN.id]])
})

test('a strategy without a stop-loss adds to its cross position in the same market and direction', async () => {
  const { ledger, live, called } = setUp({ ...LONG_HELD, maxPositions: 100, markets: 14, direction: () => 1, orders: { ...NO_ORDERS, cross: 1 } })
  ledger.setPositions([{ ...OPEN, asset: 'ZEC', marginMode: 1 }])
  await live(0, 100)
  const doubled = called().filter(([functionName]) => functionName === 'open_position_cross')
  assert(doubled.length > 5)
  assert.deepEqual(new Set(doubled.map(([, asset, , , direction]) => `${String(asset)} ${String(direction)}`)), new Set(['ZEC 0']))
})

test('sometimes deposits cross margin before using it, and withdraws it when idle', async () => {
  const deposits = new Set<boolean>()
  for (let seed = 0; seed < 12; seed++) {
    const { live, called } = setUp({ orders: { ...NO_ORDERS, cross: 1 } }, `trader ${seed}`)
    await live(0, 20)
    const [, second, third] = called()
    if (second?.[0] === 'deposit_cross_margin') {
      assert(Number(second[1]) >= 100 * Number(ONE_E7))
      assert.equal(third?.[0], 'open_position_cross')
    }
    deposits.add(second?.[0] === 'deposit_cross_margin')
  }
  assert.equal(deposits.size, 2, 'always or never')

  const { ledger, client, live, called } = setUp({ ...CLOSES_ONLY, ...LONG_HELD, stopLoss: 0.9 })
  ledger.setPool(identity.address, 5n * ONE_E7)
  ledger.setPositions([{ ...OPEN, marginMode: 1 }])
  assert.deepEqual(await live(0, 200), [], 'a position uses it')
  ledger.setPositions([])
  client.results.push({ kind: 'refused', code: 77, reason: 'CrossMarginInsufficientFreeMargin' })
  assert.equal((await live(200, 420)).length, 2, 'refused, it is tried again a minute later')
  assert.deepEqual(called()[0], ['withdraw_cross_margin', 5n * ONE_E7])
})

test('a strategy without a stop-loss withdraws idle margin also with open positions', async () => {
  const { ledger, live, called } = setUp({ ...CLOSES_ONLY, ...LONG_HELD })
  ledger.setPool(identity.address, 5n * ONE_E7)
  ledger.setPositions([{ ...OPEN, marginMode: 1 }])
  await live(0, 90)
  assert.deepEqual(called(), [['withdraw_cross_margin', 5n * ONE_E7]])
})

test('closes its positions after a restart, and starts again on a new network', async () => {
  const { ledger, trader, client, live, called } = setUp({ ...CLOSES_ONLY })
  ledger.setPositions([OPEN])
  await live(100, 101)
  assert.deepEqual(called(), [['close_position', 7n]], 'its holding time ended while the network was stopped')
  trader.forget()
  assert.equal(client.forgetCount, 1)
  ledger.setPositions([])
  assert.deepEqual(await live(101, 200), [])
})

test('a reused position id on a reset network is another position', async () => {
  const { ledger, trader, live } = setUp(CLOSES_ONLY)
  ledger.setPositions([OPEN])
  await live(0, 1)
  trader.forget()
  ledger.setPositions([{ ...OPEN, openedAtSec: NOW_SEC + 1_000 }])
  assert.deepEqual(await live(1, 300), [])
})
