import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { i128, symbol, u64, vec } from '../contracts/shared/host.ts'
import { storageKey } from '../contracts/shared/values.ts'
import { plain } from '../test-network.ts'
import { ORDER_TYPE } from './stored-entries.ts'
import type { StoredOrder, StoredPosition } from './stored-entries.ts'
import { createKeeper } from './keeper.ts'
import { createTestLedger, DEPLOYMENT, NOW_SEC, IDENTITIES } from './test-client.ts'

const ENTRY = 100n * ONE_E7
const LONG: StoredPosition = {
  id: 1n, trader: IDENTITIES.traders[0]?.address ?? '', asset: 'BTC', direction: 0, marginMode: 0, collateral: 100n * ONE_E7, size: 1_000n * ONE_E7,
  leverage: 10, entryPrice: ENTRY, entryCumulativeFunding: 0n, liquidationPrice: 91n * ONE_E7, openedAtSec: NOW_SEC,
}

const STOP_LOSS: StoredOrder = {
  id: 1n, trader: LONG.trader, asset: 'BTC', direction: 0, orderType: ORDER_TYPE.stopLoss, hasPosition: true, positionId: 1n, triggerCondition: 1,
  triggerPrice: 95n * ONE_E7, limitPrice: 0n, trailingPercentBps: 0, stopLimitPhase: 0, timeInForce: 0, createdAtSec: NOW_SEC,
}
const TRAILING: StoredOrder = { ...STOP_LOSS, id: 2n, orderType: ORDER_TYPE.trailingStop, triggerPrice: 0n, trailingPercentBps: 100 }

/** A market after a funding, with a keeper. */
function setUp() {
  const ledger = createTestLedger()
  const client = ledger.client(IDENTITIES.keeper.address)
  const keeper = createKeeper({ client, deployment: DEPLOYMENT })
  const market = (name: string, value: Parameters<typeof ledger.put>[2]) => ledger.put(DEPLOYMENT.market, storageKey(name), value)
  market('LastFundingTime', u64(BigInt(NOW_SEC)))
  ledger.setOraclePrice('BTC', ENTRY, NOW_SEC)
  return {
    ledger, client, keeper, market,
    /** Syncs a price to the market at this time. */
    lastGood: (asset: string, price: bigint, timeSec: number) =>
      ledger.put(DEPLOYMENT.market, storageKey('LastGoodPrice', symbol(asset)), vec(i128(price), u64(BigInt(timeSec)))),
    turn: (seconds: number) => keeper.act({ sequence: 100 + seconds, closeTimeSec: NOW_SEC + seconds }),
    /** The calls, without the keeper's address. */
    called: () => client.calls.map(({ functionName, args }) => [functionName, ...args.map(plain).filter((arg) => arg !== client.address)]),
  }
}

test('liquidates a position past its liquidation price, and no other', async () => {
  const { ledger, turn, called } = setUp()
  const short = { ...LONG, id: 2n, direction: 1, liquidationPrice: 109n * ONE_E7 } as const
  const large = { ...LONG, id: 3n, liquidationPrice: 80n * ONE_E7, collateral: 300n * ONE_E7 }
  ledger.setPositions([LONG, short, large])
  await turn(0)
  assert.deepEqual(called(), [])
  ledger.setOraclePrice('BTC', 91n * ONE_E7, NOW_SEC + 5)
  for (let seconds = 5; seconds < 10; seconds++) await turn(seconds)
  assert.deepEqual(called(), [['liquidate', 1n]])
})

test('liquidates before funding and syncs prices last, one transaction per ledger', async () => {
  const { ledger, lastGood, turn, called } = setUp()
  ledger.setPositions([LONG, { ...LONG, id: 2n }])
  lastGood('BTC', ENTRY, NOW_SEC + 3_600)
  ledger.setOraclePrice('BTC', 90n * ONE_E7, NOW_SEC + 3_600)
  for (let seconds = 3_600; seconds < 3_604; seconds++) await turn(seconds)
  assert.deepEqual(called(), [['liquidate', 1n], ['liquidate', 2n], ['apply_funding'], ['sync_asset_pnl', 'BTC']])
})

test('executes a triggered order, and no other', async () => {
  const { ledger, turn, called } = setUp()
  ledger.setOrders([STOP_LOSS, { ...STOP_LOSS, id: 2n, triggerPrice: 94n * ONE_E7 }])
  await turn(0)
  assert.deepEqual(called(), [])
  ledger.setOraclePrice('BTC', 95n * ONE_E7, NOW_SEC + 5)
  for (let seconds = 5; seconds < 10; seconds++) await turn(seconds)
  assert.deepEqual(called(), [['execute_order', 1n]])
})

test('does jobs in the order liquidations, executions, cross accounts, peaks, funding, prices', async () => {
  const { ledger, lastGood, turn, called } = setUp()
  const [trader = '', other = ''] = IDENTITIES.traders.map((person) => person.address)
  ledger.setPositions([LONG, { ...LONG, id: 2n, trader: other, marginMode: 1, liquidationPrice: 0n }])
  ledger.setOrders([{ ...TRAILING, asset: 'ETH' }, STOP_LOSS])
  ledger.setPeak(2n, 100n * ONE_E7)
  ledger.setOraclePrice('BTC', 90n * ONE_E7, NOW_SEC + 3_600)
  ledger.setOraclePrice('ETH', 101n * ONE_E7, NOW_SEC + 3_600)
  lastGood('BTC', ENTRY, NOW_SEC + 3_600)
  for (let seconds = 3_600; seconds < 3_605; seconds++) await turn(seconds)
  await turn(3_605)
  assert.deepEqual(called().slice(0, 6), [
    ['liquidate', 1n], ['execute_order', 1n], ['liquidate_cross_account', other], ['update_trailing_peak', 2n], ['apply_funding'], ['liquidate', 1n],
  ])
  assert.notEqual(trader, other)
})

test('liquidates a cross account only when its pool does not cover the losses', async () => {
  const { ledger, turn, called } = setUp()
  ledger.setPositions([{ ...LONG, marginMode: 1, liquidationPrice: 0n }])
  // At 90 the collateral is lost, and ten in the pool equal the maintenance margin.
  ledger.setOraclePrice('BTC', 90n * ONE_E7, NOW_SEC + 5)
  ledger.setPool(LONG.trader, 10n * ONE_E7)
  await turn(5)
  assert.deepEqual(called(), [])
  ledger.setPool(LONG.trader, 10n * ONE_E7 - 1n)
  await turn(10)
  assert.deepEqual(called(), [['liquidate_cross_account', LONG.trader]])
})

test('does not read known positions and orders again', async () => {
  const { ledger, client, turn } = setUp()
  ledger.setPositions(Array.from({ length: 150 }, (_, index) => ({ ...LONG, id: BigInt(index + 1) })))
  const far = { ...STOP_LOSS, triggerPrice: ONE_E7 }
  ledger.setOrders([far, { ...far, id: 2n, orderType: ORDER_TYPE.stopLimit, hasPosition: false }])
  await turn(0)
  assert.equal(client.requests.length, 3)
  await turn(5)
  // The overview, and the one order that can change.
  assert.deepEqual(client.requests.slice(3), [client.requests[0], 1])
})

test('postpones a job that fails on the ledger like a refused one', async () => {
  const { ledger, client, turn, called } = setUp()
  ledger.setOrders([{ ...STOP_LOSS, triggerPrice: 200n * ONE_E7 }])
  const failed = { kind: 'failed', code: 82, reason: 'txFailed', isOutdated: false } as const
  client.settlements.push({ kind: 'idle' }, failed, { kind: 'idle' }, failed)
  const calledAfter: number[] = []
  for (const seconds of [0, 5, 10, 15, 20, 25]) {
    await turn(seconds)
    calledAfter.push(called().length)
  }
  assert.deepEqual(calledAfter, [1, 1, 2, 2, 2, 3], 'failed at 5, it rests until 10; failed again at 15, until 25')
})

test('repeats a job once, at once, when it used an entry that it had not declared', async () => {
  const { ledger, client, turn, called } = setUp()
  ledger.setOrders([{ ...STOP_LOSS, triggerPrice: 200n * ONE_E7 }])
  const failed = { kind: 'failed', code: null, reason: 'txFailed', isOutdated: true } as const
  client.settlements.push({ kind: 'idle' }, failed, failed, { kind: 'idle' })
  const calledAfter: number[] = []
  for (const seconds of [0, 5, 10, 15]) {
    await turn(seconds)
    calledAfter.push(called().length)
  }
  assert.deepEqual(calledAfter, [1, 2, 2, 3], 'repeated at 5; failed again at 10, it rests until 15')
})

test('limits refusals per turn, so that the ledger does not wait', async () => {
  const { ledger, client, turn } = setUp()
  ledger.setOrders(Array.from({ length: 100 }, (_, index) => ({ ...STOP_LOSS, id: BigInt(index + 1), triggerPrice: 200n * ONE_E7 })))
  client.results.push(...Array.from({ length: 100 }, () => ({ kind: 'refused', code: 82, reason: 'OpenInterestCapExceeded' }) as const))
  await turn(0)
  assert.equal(client.calls.length, 8)
})

test('applies funding after a full hour, not a second earlier', async () => {
  const { market, turn, called } = setUp()
  await turn(3_599)
  assert.deepEqual(called(), [])
  await turn(3_604)
  assert.deepEqual(called(), [['apply_funding']])
  market('LastFundingTime', u64(BigInt(NOW_SEC + 3_604)))
  await turn(3_609)
  await turn(7_203)
  assert.equal(called().length, 1)
})

test('syncs a price that has moved by half of the allowed deviation while the last good price is in effect', async () => {
  const { ledger, lastGood, turn, called } = setUp()
  lastGood('BTC', 10_000n, NOW_SEC)
  for (const [seconds, price] of [[0, 10_049n], [5, 9_951n], [10, 0n]] as const) {
    ledger.setOraclePrice('BTC', price, NOW_SEC + seconds)
    await turn(seconds)
  }
  assert.deepEqual(called(), [])
  ledger.setOraclePrice('BTC', 9_950n, NOW_SEC + 15)
  await turn(15)
  assert.deepEqual(called(), [['sync_asset_pnl', 'BTC']])
  await turn(601)
  assert.equal(called().length, 1, 'a price older than ten minutes has no effect')
})

test('reads the market every five seconds, and not while a transaction is pending', async () => {
  const { ledger, client, turn, called } = setUp()
  await turn(0)
  ledger.setPositions([LONG])
  ledger.setOraclePrice('BTC', 50n * ONE_E7, NOW_SEC)
  await turn(4)
  client.settlements.push({ kind: 'pending' })
  await turn(5)
  assert.deepEqual(called(), [])
  await turn(6)
  assert.deepEqual(called(), [['liquidate', 1n]])
})

test('skips a position that someone else liquidated, without losing a ledger', async () => {
  const { ledger, client, turn, called } = setUp()
  ledger.setPositions([LONG, { ...LONG, id: 2n }, { ...LONG, id: 3n }])
  ledger.setOraclePrice('BTC', 50n * ONE_E7, NOW_SEC)
  client.results.push({ kind: 'refused', code: 20, reason: 'PositionNotFound' }, { kind: 'sent' })
  await turn(0)
  assert.deepEqual(called(), [['liquidate', 1n], ['liquidate', 2n]])
  await turn(1)
  assert.deepEqual(called().at(-1), ['liquidate', 3n])
})

test('tolerates a missing or reset market', async () => {
  const ledger = createTestLedger()
  const client = ledger.client(IDENTITIES.keeper.address)
  const keeper = createKeeper({ client, deployment: DEPLOYMENT })
  await keeper.act({ sequence: 2, closeTimeSec: NOW_SEC })
  assert.deepEqual(client.calls, [])
  keeper.forget()
  assert.equal(client.forgetCount, 1)
  ledger.setPositions([LONG])
  ledger.setOraclePrice('BTC', 50n * ONE_E7, NOW_SEC)
  await keeper.act({ sequence: 3, closeTimeSec: NOW_SEC })
  assert.equal(client.calls.length, 1, 'it looks at once, not after the old pause')
})

test('drops cached entries when the network is reset', async () => {
  const { ledger, keeper, turn, called } = setUp()
  ledger.setPositions([LONG])
  ledger.setOrders([STOP_LOSS])
  await turn(0)
  assert.deepEqual(called(), [])
  keeper.forget()
  ledger.setPositions([{ ...LONG, liquidationPrice: ENTRY }])
  ledger.setOrders([{ ...STOP_LOSS, triggerPrice: ENTRY }])
  await turn(1)
  await turn(2)
  assert.deepEqual(called(), [['liquidate', 1n], ['execute_order', 1n]])
})
