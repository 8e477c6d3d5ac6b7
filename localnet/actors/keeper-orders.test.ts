// The keeper on a whole network: orders execute when their price is reached.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { address, bool, i128, symbol, u32, u64 } from '../contracts/shared/host.ts'
import type { Val } from '../contracts/shared/host.ts'
import { startTestNetwork, WARM_UP_LEDGERS } from '../test-network.ts'
import type { TestNetwork } from '../test-network.ts'
import { readOraclePrices } from './exchange-state.ts'
import { createHoldingsReader, readPeaks, REDUCE_ONLY, STOP_LIMIT_PHASE } from './stored-entries.ts'
import type { Holdings, StoredPosition } from './stored-entries.ts'

const LONG = u32(0)
const SHORT = u32(1)
const TOLERANCE = u32(300)
/** The keeper reads the market every five seconds and needs one ledger per job. Two snapshots suffice for everything. */
const TWO_LOOKS = 12

interface Visitor {
  readonly address: string
  /** A call that must succeed. */
  call(functionName: string, ...args: readonly Val[]): Promise<void>
  holdings(): Promise<Holdings>
  position(): Promise<StoredPosition>
}

interface Stage {
  readonly network: TestNetwork
  readonly alice: Visitor
  readonly bob: Visitor
  /** The price of BTC or ETH in this fixture, moved by this many basis points. */
  at(asset: string, bps: number): bigint
  move(asset: string, bps: number): Promise<void>
}

/** A network where only two users trade, and BTC and ETH prices are held. */
async function withStage(play: (stage: Stage) => Promise<void>): Promise<void> {
  await using network = await startTestNetwork({ traders: 0 })
  await network.closeLedgers(WARM_UP_LEDGERS + 2)
  const { oracle } = await network.call<{ oracle: string }>('local_info')
  const first = await readOraclePrices(network.userClient('alice'), oracle)
  const at = (asset: string, bps: number): bigint => ((first.get(asset)?.price ?? 0n) * BigInt(10_000 + bps)) / 10_000n
  const move = async (asset: string, bps: number): Promise<void> => void (await network.call('local_setPrice', { asset, price: String(at(asset, bps)) }))
  await move('BTC', 0)
  await move('ETH', 0)
  await play({ network, alice: visitor(network, 'alice'), bob: visitor(network, 'bob'), at, move })
}

function visitor(network: TestNetwork, name: string): Visitor {
  const client = network.userClient(name)
  const { market } = network.contracts
  const reader = createHoldingsReader(client, market, client.address)
  return {
    address: client.address,
    async call(functionName, ...args) {
      const { sequence, closeTimeSec } = network.chain.history.latest()
      const response = await client.invoke({ contract: market, functionName, args: [address(client.address), ...args] }, { sequence, closeTimeSec })
      assert.equal(response.kind, 'sent', `${functionName}: ${JSON.stringify(response)}`)
      await network.closeLedgers(1)
      const settlement = await client.settle(network.chain.history.latest())
      assert.equal(settlement.kind, 'applied', `${functionName}: ${JSON.stringify(settlement)}`)
    },
    holdings: () => reader.read(),
    async position() {
      const { positions } = await reader.read()
      return positions[0] ?? assert.fail(`${name} has no position`)
    },
  }
}

const usdc = (whole: bigint): Val => i128(whole * ONE_E7)
const open = (trader: Visitor, asset: string, direction: Val, functionName = 'open_position'): Promise<void> =>
  trader.call(functionName, symbol(asset), usdc(100n), u32(10), direction)
const limit = (asset: string, direction: Val, trigger: bigint, isAbove: boolean, timeInForce = 0): Val[] =>
  [symbol(asset), direction, usdc(1_000n), u32(5), i128(trigger), bool(isAbove), TOLERANCE, u32(timeInForce)]

/** The ids of executed orders. */
const executed = (network: TestNetwork): unknown[] => network.exchangeEvents('order_executed').map(({ fields }) => fields[0])

test('a limit order opens a position when the price is reached, not before', () => withStage(async ({ network, alice, at, move }) => {
  await alice.call('place_limit_order', ...limit('BTC', LONG, at('BTC', -40), false))
  await network.closeLedgers(TWO_LOOKS)
  assert.deepEqual(executed(network), [])
  await move('BTC', -45)
  await network.closeLedgers(TWO_LOOKS)
  assert.deepEqual(executed(network), [1n])
  const position = await alice.position()
  assert.deepEqual([position.entryPrice, position.size], [at('BTC', -45), 5_000n * ONE_E7])
}))

test('a stop-limit order passes through both phases', () => withStage(async ({ network, alice, at, move }) => {
  const args = [symbol('BTC'), LONG, usdc(1_000n), u32(5), i128(at('BTC', 40)), i128(at('BTC', 35)), bool(true), TOLERANCE, u32(0)]
  await alice.call('place_stop_limit_order', ...args)
  await network.closeLedgers(TWO_LOOKS)
  assert.equal((await alice.holdings()).orders.length, 1)
  await move('BTC', 45)
  const phase = async (): Promise<number | undefined> => (await alice.holdings()).orders[0]?.stopLimitPhase
  for (let ledgers = 0; (await phase()) === STOP_LIMIT_PHASE.waiting; ledgers++) {
    assert(ledgers < TWO_LOOKS, 'its stop is never seen')
    await network.closeLedgers(1)
  }
  assert.equal(await phase(), STOP_LIMIT_PHASE.active)
  // Back past the stop, but not past the limit, which is what counts now.
  await move('BTC', 37)
  await network.closeLedgers(TWO_LOOKS)
  assert.deepEqual(executed(network), [1n])
  assert.equal((await alice.position()).entryPrice, at('BTC', 37))
}))

for (const [functionName, direction, bps] of [['set_stop_loss', LONG, -40], ['set_take_profit', LONG, 40], ['set_stop_loss', SHORT, 40]] as const) {
  test(`${functionName} ${direction === LONG ? 'of a long' : 'of a short'} closes its position`, () => withStage(async ({ network, alice, at, move }) => {
    await open(alice, 'BTC', direction)
    const { id } = await alice.position()
    await alice.call(functionName, u64(id), i128(at('BTC', bps)), TOLERANCE, ...(functionName === 'set_take_profit' ? [i128(0n)] : []))
    await network.closeLedgers(TWO_LOOKS)
    assert.deepEqual(executed(network), [])
    await move('BTC', bps + Math.sign(bps) * 5)
    await network.closeLedgers(TWO_LOOKS)
    assert.deepEqual(executed(network), [1n])
    assert.deepEqual(network.exchangeEvents('position_closed').map(({ fields }) => fields[0]), [id])
  }))
}

test('a trailing stop follows the price up and closes its position on the reversal with a gain', () => withStage(async ({ network, alice, at, move }) => {
  await open(alice, 'BTC', LONG)
  const { id } = await alice.position()
  await alice.call('place_trailing_stop', u64(id), u32(50), TOLERANCE)
  for (const bps of [45, 90, 135]) {
    await move('BTC', bps)
    await network.closeLedgers(TWO_LOOKS)
    assert.deepEqual([...(await readPeaks(network.userClient('alice'), network.contracts.market, [1n])).values()], [at('BTC', bps)])
  }
  await move('BTC', 95)
  await network.closeLedgers(TWO_LOOKS)
  assert.deepEqual(executed(network), [], 'forty points below the peak is not yet fifty')
  await move('BTC', 80)
  await network.closeLedgers(TWO_LOOKS)
  assert.deepEqual(executed(network), [1n])
  const [closed] = network.exchangeEvents('position_closed')
  assert.equal(closed?.fields[0], id)
  assert(Number(closed?.fields[7]) > 0, 'the gain is lost')
}))

test('a reduce-only order closes its position', () => withStage(async ({ network, alice, at, move }) => {
  await open(alice, 'BTC', LONG)
  await alice.call('place_limit_order', ...limit('BTC', SHORT, at('BTC', 40), true, REDUCE_ONLY))
  await move('BTC', 45)
  await network.closeLedgers(TWO_LOOKS)
  assert.deepEqual(executed(network), [1n])
  const { positions, orders } = await alice.holdings()
  assert.deepEqual([positions, orders], [[], []])
}))

test('liquidates a cross account below maintenance margin, and no other', () => withStage(async ({ network, alice, bob, move }) => {
  for (const trader of [alice, bob]) {
    await open(trader, 'BTC', LONG, 'open_position_cross')
    await open(trader, 'ETH', LONG, 'open_position_cross')
  }
  await bob.call('deposit_cross_margin', usdc(1_000n))
  await move('BTC', -1_000)
  await network.closeLedgers(TWO_LOOKS)
  assert.deepEqual(network.exchangeEvents('cross_liq'), [], 'one asset may fall while the other stands')
  await move('ETH', -1_000)
  await network.closeLedgers(TWO_LOOKS)
  assert.deepEqual(network.exchangeEvents('cross_liq').map(({ fields }) => fields[0]), [alice.address])
  assert.deepEqual([(await alice.holdings()).positions.length, (await bob.holdings()).positions.length], [0, 2])
}))

test('orders that the market refuses do not block others, and execute once it accepts them', () => withStage(async ({ network, alice, bob, at, move }) => {
  const cap = (bps: number) =>
    network.call('local_admin', { contract: 'vault', function: 'set_asset_cap', args: [{ type: 'symbol', value: 'BTC' }, { type: 'u32', value: bps }] })
  await open(bob, 'ETH', LONG)
  await cap(1)
  // Their price is reached already: each snapshot finds all of them due, and each execution fails at the cap (82).
  for (let orders = 0; orders < 20; orders++) await alice.call('place_limit_order', ...limit('BTC', LONG, at('BTC', 10), false))
  await bob.call('set_stop_loss', u64((await bob.position()).id), i128(at('ETH', -40)), TOLERANCE)
  await move('ETH', -45)
  await network.closeLedgers(TWO_LOOKS)
  assert.deepEqual(executed(network), [21n])
  assert.equal((await alice.holdings()).orders.length, 20)
  await cap(2_500)
  await network.closeLedgers(330)
  assert.equal((await alice.holdings()).positions.length, 20)
}))
