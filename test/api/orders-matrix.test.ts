// Every operation against every failure that is documented for it, reached for real on the local network: as the refusal of a preparation, and where something
// can come between, as the failure of a transaction that was prepared before. NotInitialized, the codes that nothing raises, and those that the body's
// validation keeps out (leverage, time in force) cannot be reached.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Account, Contract, nativeToScVal, scValToNative, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { address, u64 } from '../../localnet/contracts/host.ts'
import { createPerson, doAtOnce } from '../support/people.ts'
import { createTrader, lastOrderId, lastPositionId, ONE } from '../support/trading.ts'
import type { Trader } from '../support/trading.ts'
import { createWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'

type Op = OperationRequest['op']

/** Who is there, and what they hold. */
interface Stage {
  readonly world: World
  readonly trader: Trader
  /** Has 20 USDC. */
  readonly poor: Trader
  /** Has no trustline. */
  readonly trustless: Trader
  /** An isolated long of the trader's in BTC, without orders. */
  readonly position: number
  /** One with all three orders attached. */
  readonly guarded: number
  /** A cross long of the trader's in ETH. */
  readonly crossPosition: number
  /** Pending. */
  readonly order: number
  /** Cancelled. */
  readonly endedOrder: number
  /** Somebody else's. */
  readonly foreignPosition: number
  readonly foreignCrossPosition: number
  readonly foreignOrder: number
}

const PRICES_USD = { BTC: 100_000n, ETH: 4_000n, SOL: 200n } as const
type Priced = keyof typeof PRICES_USD
const priceOf = (asset: Priced, percent = 100): string => String((PRICES_USD[asset] * ONE * BigInt(percent)) / 100n)
const usdc = (whole: number): string => String(BigInt(whole) * ONE)
const NEVER = String(10n ** 30n)
const UNKNOWN_ID = 4_000_000_000

const TERMS = { asset: 'BTC', collateral: usdc(100), leverage: 5, direction: 'Long' } as const
const TRIGGER = { triggerPrice: NEVER, triggerCondition: 'Above', slippageToleranceBps: 100 } as const

/** A body of each operation that the market takes. */
const BODIES: { readonly [Name in Op]: (stage: Stage) => Extract<OperationRequest, { op: Name }> } = {
  open_position: () => ({ op: 'open_position', ...TERMS }),
  open_position_cross: () => ({ op: 'open_position_cross', ...TERMS }),
  close_position: ({ position }) => ({ op: 'close_position', positionId: position }),
  close_position_cross: ({ crossPosition }) => ({ op: 'close_position_cross', positionId: crossPosition }),
  place_limit_order: () => ({ op: 'place_limit_order', ...TERMS, ...TRIGGER }),
  place_stop_limit_order: () => ({ op: 'place_stop_limit_order', ...TERMS, ...TRIGGER, limitPrice: NEVER }),
  place_trailing_stop: ({ position }) => ({ op: 'place_trailing_stop', positionId: position, trailingPercentBps: 500, slippageToleranceBps: 100 }),
  set_stop_loss: ({ position }) => ({ op: 'set_stop_loss', positionId: position, triggerPrice: priceOf('BTC', 90), slippageToleranceBps: 100 }),
  set_take_profit: ({ position }) => ({ op: 'set_take_profit', positionId: position, triggerPrice: priceOf('BTC', 110), slippageToleranceBps: 100 }),
  cancel_order: ({ order }) => ({ op: 'cancel_order', orderId: order }),
}

const NAMES: Readonly<Record<number, string>> = {
  4: 'Paused', 5: 'InvalidParameter', 6: 'Overflow', 20: 'PositionNotFound', 22: 'InsufficientCollateral', 23: 'PositionTooLarge', 24: 'NotPositionOwner',
  30: 'PriceStale', 31: 'InvalidPrice', 32: 'OracleUnavailable', 40: 'InsufficientLiquidity', 60: 'OrderNotFound', 61: 'OrderNotPending', 64: 'NotOrderOwner',
  65: 'InvalidTriggerPrice', 66: 'InvalidSlippageTolerance', 67: 'OrderAlreadyExists', 69: 'InvalidTrailingPercent', 77: 'CrossMarginInsufficientFreeMargin',
  80: 'CrossMarginOrderNotSupported', 81: 'PriceDeviationTooHigh', 82: 'OpenInterestCapExceeded',
  // The token's own codes.
  10: 'UnknownContractError', 13: 'UnknownContractError',
}

let stage: Stage

before(async () => {
  const world = await createWorld({ traders: 0, seed: 'matrix' })
  // The keeper would liquidate and execute what the rows set up.
  await world.cheat('local_actors', { keeper: false })
  await world.closeLedgers(3)
  for (const asset of ['BTC', 'ETH', 'SOL'] as const) await hold(world, asset, priceOf(asset))
  const [trader, other] = [await createTrader(world, 'matrix trader'), await createTrader(world, 'somebody else')]
  const opens = async (who: Trader, request: OperationRequest): Promise<number> => {
    await who.trade(request)
    return lastPositionId(world, who.address)
  }
  const places = async (who: Trader): Promise<number> => {
    await who.trade({ op: 'place_limit_order', ...TERMS, ...TRIGGER })
    return lastOrderId(world, who.address)
  }
  const cross = { op: 'open_position_cross', ...TERMS, asset: 'ETH', collateral: usdc(1_000), leverage: 10 } as const
  const guarded = await opens(trader, { op: 'open_position', ...TERMS })
  for (const op of ['set_stop_loss', 'set_take_profit', 'place_trailing_stop'] as const) {
    await trader.trade({ ...BODIES[op]({} as Stage), positionId: guarded })
  }
  const endedOrder = await places(trader)
  await trader.trade({ op: 'cancel_order', orderId: endedOrder })
  stage = {
    world, trader, guarded, endedOrder,
    poor: await createTrader(world, 'poor', 20),
    trustless: await createTrader(world, 'trustless', null),
    position: await opens(trader, { op: 'open_position', ...TERMS }),
    crossPosition: await opens(trader, cross),
    order: await places(trader),
    foreignPosition: await opens(other, { op: 'open_position', ...TERMS }),
    foreignCrossPosition: await opens(other, cross),
    foreignOrder: await places(other),
  }
})
after(() => stage.world[Symbol.asyncDispose]())

async function hold(world: World, asset: string, price: string, ageSeconds = 0): Promise<void> {
  await world.cheat('local_setPrice', { asset, price, ageSeconds })
}

async function admin(world: World, contract: string, functionName: string, ...args: readonly unknown[]): Promise<void> {
  await world.cheat('local_admin', { contract, function: functionName, args })
}

test('each operation is taken as it stands, so that what follows is refused for its own reason', async () => {
  for (const body of Object.values(BODIES)) {
    const { status, text } = await stage.trader.prepare(body(stage))
    assert.equal(status, 200, text)
  }
})

/** A preparation that is refused by this code, under its name, with a sentence for people. */
async function assertRefused(trader: Trader, request: OperationRequest, code: number): Promise<void> {
  const { status, body, text } = await trader.prepare(request)
  assert.deepEqual([status, Object.keys(body), body['error']], [400, ['error', 'message', 'contractError'], 'simulation_failed'], text)
  assert.deepEqual(body['contractError'], { code, name: NAMES[code] }, text)
  assert.match(String(body['message']), /^Simulation failed: [a-z].+\.$/)
  assert.doesNotMatch(String(body['message']), /HostError|Error\(|C[A-Z2-7]{55}|UnknownContractError/)
}

const foreign = (position: 'foreignPosition' | 'foreignCrossPosition') => (on: Stage) => ({ positionId: on[position] })

/** What is wrong with a body, or with who sends it. */
const WRONG: readonly (readonly [op: Op, what: string, code: number, change: (stage: Stage) => object, who?: 'poor' | 'trustless'])[] = [
  ...(['open_position', 'open_position_cross', 'place_limit_order', 'place_stop_limit_order'] as const).flatMap((op) => [
    [op, 'less than 10 USDC', 22, () => ({ collateral: String(10n * ONE - 1n) })] as const,
    [op, 'a size above 100,000 USD', 23, () => ({ collateral: usdc(10_001), leverage: 10 })] as const,
    [op, 'a size that no integer holds', 6, () => ({ collateral: (2n ** 127n - 1n).toString(), leverage: 10 })] as const,
    [op, 'more than the wallet holds', 10, () => ({ collateral: usdc(30) }), 'poor'] as const,
    [op, 'a wallet without a trustline', 13, () => ({}), 'trustless'] as const,
  ]),
  ...(['close_position', 'close_position_cross', 'set_stop_loss', 'set_take_profit', 'place_trailing_stop'] as const).flatMap((op) => [
    [op, 'a position that is not open', 20, () => ({ positionId: UNKNOWN_ID })] as const,
    [op, 'somebody else\'s position', 24, foreign(op === 'close_position_cross' ? 'foreignCrossPosition' : 'foreignPosition')] as const,
  ]),
  ['close_position', 'a cross position', 5, ({ crossPosition }) => ({ positionId: crossPosition })],
  ['close_position_cross', 'an isolated position', 5, ({ position }) => ({ positionId: position })],
  ...(['set_stop_loss', 'set_take_profit', 'place_trailing_stop'] as const).flatMap((op) => [
    [op, 'a cross position', 80, ({ crossPosition }: Stage) => ({ positionId: crossPosition })] as const,
    [op, 'a second one', 67, ({ guarded }: Stage) => ({ positionId: guarded })] as const,
  ]),
  ...(['place_limit_order', 'place_stop_limit_order', 'set_stop_loss', 'set_take_profit', 'place_trailing_stop'] as const).map((op) => (
    [op, 'no slippage tolerance', 66, () => ({ slippageToleranceBps: 0 })] as const
  )),
  ...(['place_limit_order', 'place_stop_limit_order', 'set_stop_loss', 'set_take_profit'] as const).map((op) => (
    [op, 'a trigger of zero', 65, () => ({ triggerPrice: '0' })] as const
  )),
  ['place_stop_limit_order', 'a limit of zero', 65, () => ({ limitPrice: '0' })],
  ['set_stop_loss', 'a trigger above a long\'s entry', 65, () => ({ triggerPrice: priceOf('BTC', 110) })],
  ['set_take_profit', 'a trigger below a long\'s entry', 65, () => ({ triggerPrice: priceOf('BTC', 90) })],
  ['place_trailing_stop', 'more than half the price', 69, () => ({ trailingPercentBps: 5_001 })],
  ['cancel_order', 'an order that never was', 60, () => ({ orderId: UNKNOWN_ID })],
  ['cancel_order', 'an order that is cancelled', 61, ({ endedOrder }) => ({ orderId: endedOrder })],
  ['cancel_order', 'somebody else\'s order', 64, ({ foreignOrder }) => ({ orderId: foreignOrder })],
]

for (const [op, what, code, change, who] of WRONG) {
  test(`${op}, ${what}: ${code}`, async () => {
    const request = { ...BODIES[op](stage), ...change(stage) } as OperationRequest
    await assertRefused(who === undefined ? stage.trader : stage[who], request, code)
  })
}

/** What may come between a preparation and its ledger, and how it is undone. */
interface Event {
  readonly what: string
  readonly code: number
  readonly ops: readonly Op[]
  /** What differs in the bodies. */
  readonly body?: object
  readonly happen: (world: World) => Promise<void>
  readonly undo: (world: World) => Promise<void>
}

const OPENS: readonly Op[] = ['open_position', 'open_position_cross']
const ALL: readonly Op[] = Object.keys(BODIES) as Op[]

const restore = async (world: World): Promise<void> => {
  for (const asset of ['BTC', 'ETH'] as const) await hold(world, asset, priceOf(asset))
}

const EVENTS: readonly Event[] = [
  {
    what: 'trading is paused', code: 4, ops: ALL.filter((op) => op !== 'cancel_order'),
    happen: (world) => admin(world, 'market', 'pause'), undo: (world) => admin(world, 'market', 'unpause'),
  },
  {
    what: 'the price is older than 60 seconds', code: 30, ops: [...OPENS, 'place_trailing_stop'],
    happen: (world) => hold(world, 'BTC', priceOf('BTC'), 120), undo: restore,
  },
  {
    what: 'the price is zero', code: 31, ops: [...OPENS, 'close_position', 'place_trailing_stop'],
    happen: (world) => hold(world, 'BTC', '0'), undo: restore,
  },
  {
    what: 'the price of a cross position is zero', code: 31, ops: ['close_position_cross'],
    happen: (world) => hold(world, 'ETH', '0'), undo: restore,
  },
  {
    what: 'the price jumps by two per cent', code: 81, ops: [...OPENS, 'place_trailing_stop'],
    happen: (world) => hold(world, 'BTC', priceOf('BTC', 102)), undo: restore,
  },
  {
    what: 'the cap of the asset\'s open interest is lowered', code: 82, ops: OPENS, body: { collateral: usdc(10_000) },
    happen: (world) => admin(world, 'vault', 'set_asset_cap', { type: 'symbol', value: 'BTC' }, { type: 'u32', value: 1 }),
    undo: (world) => admin(world, 'vault', 'set_asset_cap', { type: 'symbol', value: 'BTC' }, { type: 'u32', value: 2_500 }),
  },
  {
    what: 'the cap of all reservations is lowered', code: 82, ops: OPENS, body: { collateral: usdc(10_000) },
    happen: (world) => admin(world, 'vault', 'set_reserve_cap', { type: 'u32', value: 1 }),
    undo: (world) => admin(world, 'vault', 'set_reserve_cap', { type: 'u32', value: 7_000 }),
  },
  {
    what: 'the cross positions lose nearly all that backs them', code: 77, ops: ['open_position_cross'],
    happen: (world) => hold(world, 'ETH', priceOf('ETH', 90)), undo: restore,
  },
]

for (const { what, code, ops, body = {}, happen, undo } of EVENTS) {
  for (const op of ops) {
    test(`${op} when ${what}: ${code}, at preparation and on the ledger`, async () => {
      const { world, trader } = stage
      // A last good price stands for ten minutes; what the market saw in rows before is forgotten by then.
      await world.cheat('local_advance', { seconds: 700 })
      await world.closeLedgers(4)
      if (code === 81) await trader.trade({ op: 'open_position', ...TERMS })
      const request = { ...BODIES[op](stage), ...body } as OperationRequest
      const signedXdr = await trader.signed(request)
      await happen(world)
      await assertRefused(trader, request, code)
      const failed = await trader.submit(signedXdr)
      await undo(world)
      assert.deepEqual([failed.status, failed.body['status'], failed.body['contractError']], [200, 'FAILED', { code, name: NAMES[code] }], failed.text)
      assert.equal((await trader.prepare(request)).status, 200, 'it was refused for this alone')
    })
  }
}

test('cancel_order works while trading is paused', async () => {
  const { world, trader } = stage
  await trader.trade({ op: 'place_limit_order', ...TERMS, ...TRIGGER })
  const orderId = await lastOrderId(world, trader.address)
  await admin(world, 'market', 'pause')
  await trader.trade({ op: 'cancel_order', orderId })
  await admin(world, 'market', 'unpause')
})

test('cancel_order when the order was executed meanwhile: 61 on the ledger', async () => {
  const { world, trader } = stage
  await trader.trade({ op: 'place_limit_order', ...TERMS, asset: 'SOL', triggerPrice: priceOf('SOL'), triggerCondition: 'Above', slippageToleranceBps: 100 })
  const orderId = await lastOrderId(world, trader.address)
  const signedXdr = await trader.signed({ op: 'cancel_order', orderId })
  const keeper = await createPerson(world, 'a keeper')
  await doAtOnce(world, [{ person: keeper, functionName: 'execute_order', args: [address(keeper.address), u64(BigInt(orderId))] }])
  const { body, text } = await trader.submit(signedXdr)
  assert.deepEqual([body['status'], body['contractError']], ['FAILED', { code: 61, name: 'OrderNotPending' }], text)
})

test('what is closed or attached to after the keeper liquidated it: 20 on the ledger', async () => {
  const { world } = stage
  for (const op of ['close_position', 'set_stop_loss', 'set_take_profit', 'place_trailing_stop'] as const) {
    const trader = await createTrader(world, `liquidated before ${op}`)
    await trader.trade({ op: 'open_position', ...TERMS, asset: 'SOL', leverage: 10 })
    const positionId = await lastPositionId(world, trader.address)
    const trigger = { set_stop_loss: priceOf('SOL', 95), set_take_profit: priceOf('SOL', 110) }
    const request = { ...BODIES[op](stage), positionId, ...(op in trigger ? { triggerPrice: trigger[op as keyof typeof trigger] } : {}) } as OperationRequest
    const signedXdr = await trader.signed(request)
    await hold(world, 'SOL', priceOf('SOL', 80))
    await world.cheat('local_actors', { keeper: true })
    await world.closeLedgers(8)
    await world.cheat('local_actors', { keeper: false })
    const { body, text } = await trader.submit(signedXdr)
    assert.deepEqual([body['status'], body['contractError']], ['FAILED', { code: 20, name: 'PositionNotFound' }], `${op}: ${text}`)
    await hold(world, 'SOL', priceOf('SOL'))
    await world.cheat('local_advance', { seconds: 700 })
    await world.closeLedgers(4)
  }
})

test('opens beyond what the liquidity vault holds: 40', async () => {
  const { world, trader } = stage
  await emptyVault(world, usdc(1_000))
  for (const op of OPENS) await assertRefused(trader, { ...BODIES[op](stage), collateral: usdc(5_000), leverage: 10 } as OperationRequest, 40)
})

/** Leaves this much in the liquidity vault, and lets everything be reserved: LP fees count as assets, so that its caps allow more than it holds. */
async function emptyVault(world: World, leave: string): Promise<void> {
  await admin(world, 'vault', 'set_reserve_cap', { type: 'u32', value: 10_000 })
  await admin(world, 'vault', 'set_asset_cap', { type: 'symbol', value: 'BTC' }, { type: 'u32', value: 10_000 })
  await admin(world, 'vault', 'pause')
  const amount = (await usdcOf(world, world.network.contracts.vault)) - BigInt(leave)
  await admin(world, 'vault', 'emergency_withdraw', { type: 'i128', value: String(amount) }, { type: 'address', value: stage.poor.address })
}

/** The token's own word on a balance. */
async function usdcOf(world: World, holder: string): Promise<bigint> {
  const { contracts: { usdcToken }, networkPassphrase, rpc } = world.network
  const call = new Contract(usdcToken).call('balance', nativeToScVal(holder, { type: 'address' }))
  const transaction = new TransactionBuilder(new Account(stage.trader.address, '0'), { fee: '100', networkPassphrase }).addOperation(call).setTimeout(0).build()
  const { results } = await rpc.call('simulateTransaction', { transaction: transaction.toXdr() }) as { results: readonly [{ xdr: string }] }
  return scValToNative(xdr.ScVal.fromXdr(results[0].xdr, 'base64')) as bigint
}
