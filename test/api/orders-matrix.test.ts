// Every operation against every documented failure, on the local network: as an error of its preparation and, where the state can change afterwards, as a
// failed transaction. Not covered because unreachable: NotInitialized, codes that no contract raises, and those that request validation prevents (leverage,
// time in force).

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Account, Contract, nativeToScVal, scValToNative, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { address, u64 } from '../../localnet/contracts/shared/host.ts'
import { applyInOneLedger, createChainTrader, createTrader, lastOrderId, lastPositionId, ONE } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

type Op = OperationRequest['op']

/** The accounts, positions and orders that the tests use. */
interface Fixture {
  readonly exchange: GatewayFixture
  readonly trader: Trader
  /** Has 20 USDC. */
  readonly poor: Trader
  /** Has no trustline. */
  readonly trustless: Trader
  /** The trader's isolated BTC long, without orders. */
  readonly position: number
  /** The trader's isolated BTC long with a stop loss, a take profit and a trailing stop. */
  readonly guarded: number
  /** The trader's cross-margin ETH long. */
  readonly crossPosition: number
  /** Pending. */
  readonly order: number
  /** Cancelled. */
  readonly cancelledOrder: number
  /** The other trader's. */
  readonly foreignPosition: number
  readonly foreignCrossPosition: number
  readonly foreignOrder: number
}

const PRICES_USD = { BTC: 100_000n, ETH: 4_000n, SOL: 200n } as const
type Priced = keyof typeof PRICES_USD
const priceOf = (asset: Priced, percent = 100): string => String((PRICES_USD[asset] * ONE * BigInt(percent)) / 100n)
const usdc = (whole: number): string => String(BigInt(whole) * ONE)
const UNREACHABLE_PRICE = String(10n ** 30n)
const UNKNOWN_ID = 4_000_000_000

const TERMS = { asset: 'BTC', collateral: usdc(100), leverage: 5, direction: 'Long' } as const
const TRIGGER = { triggerPrice: UNREACHABLE_PRICE, triggerCondition: 'Above', slippageToleranceBps: 100 } as const

/** A valid request of each operation. */
const BODIES: { readonly [Name in Op]: (fixture: Fixture) => Extract<OperationRequest, { op: Name }> } = {
  open_position: () => ({ op: 'open_position', ...TERMS }),
  open_position_cross: () => ({ op: 'open_position_cross', ...TERMS }),
  close_position: ({ position }) => ({ op: 'close_position', positionId: position }),
  close_position_cross: ({ crossPosition }) => ({ op: 'close_position_cross', positionId: crossPosition }),
  place_limit_order: () => ({ op: 'place_limit_order', ...TERMS, ...TRIGGER }),
  place_stop_limit_order: () => ({ op: 'place_stop_limit_order', ...TERMS, ...TRIGGER, limitPrice: UNREACHABLE_PRICE }),
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
  // Codes of the token contract.
  10: 'UnknownContractError', 13: 'UnknownContractError',
}

let fixture: Fixture

before(async () => {
  const exchange = await createGatewayFixture({ traders: 0, seed: 'matrix' })
  // The keeper would liquidate positions and execute orders of the fixture.
  await exchange.control('local_actors', { keeper: false })
  await exchange.closeLedgers(3)
  for (const asset of ['BTC', 'ETH', 'SOL'] as const) await setPrice(exchange, asset, priceOf(asset))
  const [trader, other] = [await createTrader(exchange, 'matrix trader'), await createTrader(exchange, 'other trader')]
  const openPosition = async (owner: Trader, request: OperationRequest): Promise<number> => {
    await owner.trade(request)
    return lastPositionId(exchange, owner.address)
  }
  const placeOrder = async (owner: Trader): Promise<number> => {
    await owner.trade({ op: 'place_limit_order', ...TERMS, ...TRIGGER })
    return lastOrderId(exchange, owner.address)
  }
  const cross = { op: 'open_position_cross', ...TERMS, asset: 'ETH', collateral: usdc(1_000), leverage: 10 } as const
  const guarded = await openPosition(trader, { op: 'open_position', ...TERMS })
  for (const op of ['set_stop_loss', 'set_take_profit', 'place_trailing_stop'] as const) {
    await trader.trade({ ...BODIES[op]({} as Fixture), positionId: guarded })
  }
  const cancelledOrder = await placeOrder(trader)
  await trader.trade({ op: 'cancel_order', orderId: cancelledOrder })
  fixture = {
    exchange, trader, guarded, cancelledOrder,
    poor: await createTrader(exchange, 'poor', 20),
    trustless: await createTrader(exchange, 'trustless', null),
    position: await openPosition(trader, { op: 'open_position', ...TERMS }),
    crossPosition: await openPosition(trader, cross),
    order: await placeOrder(trader),
    foreignPosition: await openPosition(other, { op: 'open_position', ...TERMS }),
    foreignCrossPosition: await openPosition(other, cross),
    foreignOrder: await placeOrder(other),
  }
})
after(() => fixture.exchange[Symbol.asyncDispose]())

async function setPrice(exchange: GatewayFixture, asset: string, price: string, ageSeconds = 0): Promise<void> {
  await exchange.control('local_setPrice', { asset, price, ageSeconds })
}

async function callAdmin(exchange: GatewayFixture, contract: string, functionName: string, ...args: readonly unknown[]): Promise<void> {
  await exchange.control('local_admin', { contract, function: functionName, args })
}

test('accepts each unmodified request', async () => {
  for (const body of Object.values(BODIES)) {
    const { status, text } = await fixture.trader.prepare(body(fixture))
    assert.equal(status, 200, text)
  }
})

/** Asserts that preparing fails with this contract error, its name and a readable message. */
async function assertRefused(trader: Trader, request: OperationRequest, code: number): Promise<void> {
  const { status, body, text } = await trader.prepare(request)
  assert.deepEqual([status, Object.keys(body), body['error']], [400, ['error', 'message', 'contractError'], 'simulation_failed'], text)
  assert.deepEqual(body['contractError'], { code, name: NAMES[code] }, text)
  const [sentence = '', hostText] = String(body['message']).split(' [')
  assert.equal(hostText, `Error(Contract, #${code})]`)
  assert.match(sentence, /^Simulation failed: [a-z].+\.$/)
  assert.doesNotMatch(sentence, /HostError|Error\(|C[A-Z2-7]{55}|UnknownContractError/)
}

const foreign = (position: 'foreignPosition' | 'foreignCrossPosition') => (owned: Fixture) => ({ positionId: owned[position] })

/** Requests that the contracts reject because of a field or the sender's account. */
const REJECTED: readonly (readonly [op: Op, reason: string, code: number, change: (fixture: Fixture) => object, sender?: 'poor' | 'trustless'])[] = [
  ...(['open_position', 'open_position_cross', 'place_limit_order', 'place_stop_limit_order'] as const).flatMap((op) => [
    [op, 'collateral below 10 USDC', 22, () => ({ collateral: String(10n * ONE - 1n) })] as const,
    [op, 'a size above 100,000 USD', 23, () => ({ collateral: usdc(10_001), leverage: 10 })] as const,
    [op, 'more collateral than the wallet has', 10, () => ({ collateral: usdc(30) }), 'poor'] as const,
    [op, 'a wallet without a trustline', 13, () => ({}), 'trustless'] as const,
  ]),
  ...(['close_position', 'close_position_cross', 'set_stop_loss', 'set_take_profit', 'place_trailing_stop'] as const).flatMap((op) => [
    [op, 'a position that is not open', 20, () => ({ positionId: UNKNOWN_ID })] as const,
    [op, 'another trader\'s position', 24, foreign(op === 'close_position_cross' ? 'foreignCrossPosition' : 'foreignPosition')] as const,
  ]),
  ['close_position', 'a cross position', 5, ({ crossPosition }) => ({ positionId: crossPosition })],
  ['close_position_cross', 'an isolated position', 5, ({ position }) => ({ positionId: position })],
  ...(['set_stop_loss', 'set_take_profit', 'place_trailing_stop'] as const).flatMap((op) => [
    [op, 'a cross position', 80, ({ crossPosition }: Fixture) => ({ positionId: crossPosition })] as const,
    [op, 'a second order of this kind', 67, ({ guarded }: Fixture) => ({ positionId: guarded })] as const,
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
  ['cancel_order', 'an unknown order', 60, () => ({ orderId: UNKNOWN_ID })],
  ['cancel_order', 'a cancelled order', 61, ({ cancelledOrder }) => ({ orderId: cancelledOrder })],
  ['cancel_order', 'another trader\'s order', 64, ({ foreignOrder }) => ({ orderId: foreignOrder })],
]

for (const [op, reason, code, change, sender] of REJECTED) {
  test(`${op} with ${reason} fails with ${code}`, async () => {
    const request = { ...BODIES[op](fixture), ...change(fixture) } as OperationRequest
    await assertRefused(sender === undefined ? fixture.trader : fixture[sender], request, code)
  })
}

for (const op of ['open_position', 'open_position_cross', 'place_limit_order', 'place_stop_limit_order'] as const) {
  test(`${op} with a size that overflows stops the contract, which names no error`, async () => {
    const request = { ...BODIES[op](fixture), collateral: (2n ** 127n - 1n).toString(), leverage: 10 } as OperationRequest
    const { status, body, text } = await fixture.trader.prepare(request)
    assert.deepEqual([status, body['error'], body['contractError']], [400, 'simulation_failed', null], text)
    assert.match(String(body['message']), /^Simulation failed: the network could not run the call\. \[Error\(WasmVm, InvalidAction\)\]$/)
  })
}

/** A change between preparation and submission that makes the transaction fail. */
interface Change {
  readonly what: string
  readonly code: number
  readonly ops: readonly Op[]
  /** Overrides fields of the request. */
  readonly body?: object
  readonly apply: (exchange: GatewayFixture) => Promise<void>
  readonly undo: (exchange: GatewayFixture) => Promise<void>
}

const OPENS: readonly Op[] = ['open_position', 'open_position_cross']
const ALL: readonly Op[] = Object.keys(BODIES) as Op[]

const restorePrices = async (exchange: GatewayFixture): Promise<void> => {
  for (const asset of ['BTC', 'ETH'] as const) await setPrice(exchange, asset, priceOf(asset))
}

const CHANGES: readonly Change[] = [
  {
    what: 'trading is paused', code: 4, ops: ALL.filter((op) => op !== 'cancel_order'),
    apply: (exchange) => callAdmin(exchange, 'market', 'pause'), undo: (exchange) => callAdmin(exchange, 'market', 'unpause'),
  },
  {
    what: 'the price is older than 60 seconds', code: 30, ops: [...OPENS, 'place_trailing_stop'],
    apply: (exchange) => setPrice(exchange, 'BTC', priceOf('BTC'), 120), undo: restorePrices,
  },
  {
    what: 'the price is zero', code: 31, ops: [...OPENS, 'close_position', 'place_trailing_stop'],
    apply: (exchange) => setPrice(exchange, 'BTC', '0'), undo: restorePrices,
  },
  {
    what: 'the price of a cross position is zero', code: 31, ops: ['close_position_cross'],
    apply: (exchange) => setPrice(exchange, 'ETH', '0'), undo: restorePrices,
  },
  {
    what: 'the price jumps by 2%', code: 81, ops: [...OPENS, 'place_trailing_stop'],
    apply: (exchange) => setPrice(exchange, 'BTC', priceOf('BTC', 102)), undo: restorePrices,
  },
  {
    what: 'the cap of the asset\'s open interest is lowered', code: 82, ops: OPENS, body: { collateral: usdc(10_000) },
    apply: (exchange) => callAdmin(exchange, 'vault', 'set_asset_cap', { type: 'symbol', value: 'BTC' }, { type: 'u32', value: 1 }),
    undo: (exchange) => callAdmin(exchange, 'vault', 'set_asset_cap', { type: 'symbol', value: 'BTC' }, { type: 'u32', value: 2_500 }),
  },
  {
    what: 'the cap of all reservations is lowered', code: 82, ops: OPENS, body: { collateral: usdc(10_000) },
    apply: (exchange) => callAdmin(exchange, 'vault', 'set_reserve_cap', { type: 'u32', value: 1 }),
    undo: (exchange) => callAdmin(exchange, 'vault', 'set_reserve_cap', { type: 'u32', value: 7_000 }),
  },
  {
    what: 'the cross positions lose nearly all their margin', code: 77, ops: ['open_position_cross'],
    apply: (exchange) => setPrice(exchange, 'ETH', priceOf('ETH', 90)), undo: restorePrices,
  },
]

for (const { what, code, ops, body = {}, apply, undo } of CHANGES) {
  for (const op of ops) {
    test(`${op} when ${what} fails with ${code}, at preparation and on the ledger`, async () => {
      const { exchange, trader } = fixture
      // The market compares prices with the last good one for ten minutes. Waiting longer isolates the cases from each other.
      await exchange.control('local_advance', { seconds: 700 })
      await exchange.closeLedgers(4)
      if (code === 81) await trader.trade({ op: 'open_position', ...TERMS })
      const request = { ...BODIES[op](fixture), ...body } as OperationRequest
      const signedXdr = await trader.signed(request)
      await apply(exchange)
      await assertRefused(trader, request, code)
      const failed = await trader.submit(signedXdr)
      await undo(exchange)
      assert.deepEqual([failed.status, failed.body['status'], failed.body['contractError']], [200, 'FAILED', { code, name: NAMES[code] }], failed.text)
      assert.equal((await trader.prepare(request)).status, 200, 'the change alone caused the failure')
    })
  }
}

test('cancel_order works while trading is paused', async () => {
  const { exchange, trader } = fixture
  await trader.trade({ op: 'place_limit_order', ...TERMS, ...TRIGGER })
  const orderId = await lastOrderId(exchange, trader.address)
  await callAdmin(exchange, 'market', 'pause')
  await trader.trade({ op: 'cancel_order', orderId })
  await callAdmin(exchange, 'market', 'unpause')
})

test('cancel_order of an order executed after preparation fails with 61 on the ledger', async () => {
  const { exchange, trader } = fixture
  await trader.trade({ op: 'place_limit_order', ...TERMS, asset: 'SOL', triggerPrice: priceOf('SOL'), triggerCondition: 'Above', slippageToleranceBps: 100 })
  const orderId = await lastOrderId(exchange, trader.address)
  const signedXdr = await trader.signed({ op: 'cancel_order', orderId })
  const keeper = await createChainTrader(exchange, 'keeper')
  await applyInOneLedger(exchange, [{ trader: keeper, functionName: 'execute_order', args: [address(keeper.address), u64(BigInt(orderId))] }])
  const { body, text } = await trader.submit(signedXdr)
  assert.deepEqual([body['status'], body['contractError']], ['FAILED', { code: 61, name: 'OrderNotPending' }], text)
})

test('closing a liquidated position or attaching orders to it fails with 20 on the ledger', async () => {
  const { exchange } = fixture
  for (const op of ['close_position', 'set_stop_loss', 'set_take_profit', 'place_trailing_stop'] as const) {
    const trader = await createTrader(exchange, `liquidated before ${op}`)
    await trader.trade({ op: 'open_position', ...TERMS, asset: 'SOL', leverage: 10 })
    const positionId = await lastPositionId(exchange, trader.address)
    const trigger = { set_stop_loss: priceOf('SOL', 95), set_take_profit: priceOf('SOL', 110) }
    const request = { ...BODIES[op](fixture), positionId, ...(op in trigger ? { triggerPrice: trigger[op as keyof typeof trigger] } : {}) } as OperationRequest
    const signedXdr = await trader.signed(request)
    await setPrice(exchange, 'SOL', priceOf('SOL', 80))
    await exchange.control('local_actors', { keeper: true })
    await exchange.closeLedgers(8)
    await exchange.control('local_actors', { keeper: false })
    const { body, text } = await trader.submit(signedXdr)
    assert.deepEqual([body['status'], body['contractError']], ['FAILED', { code: 20, name: 'PositionNotFound' }], `${op}: ${text}`)
    await setPrice(exchange, 'SOL', priceOf('SOL'))
    await exchange.control('local_advance', { seconds: 700 })
    await exchange.closeLedgers(4)
  }
})

test('opening beyond the liquidity vault\'s balance fails with 40', async () => {
  const { exchange, trader } = fixture
  await drainVault(exchange, usdc(1_000))
  for (const op of OPENS) await assertRefused(trader, { ...BODIES[op](fixture), collateral: usdc(5_000), leverage: 10 } as OperationRequest, 40)
})

/** Withdraws all but this balance and lifts the caps. LP fees count as assets, so the caps then allow more than the vault holds. */
async function drainVault(exchange: GatewayFixture, remaining: string): Promise<void> {
  await callAdmin(exchange, 'vault', 'set_reserve_cap', { type: 'u32', value: 10_000 })
  await callAdmin(exchange, 'vault', 'set_asset_cap', { type: 'symbol', value: 'BTC' }, { type: 'u32', value: 10_000 })
  await callAdmin(exchange, 'vault', 'pause')
  const amount = (await usdcBalance(exchange, exchange.network.contracts.vault)) - BigInt(remaining)
  await callAdmin(exchange, 'vault', 'emergency_withdraw', { type: 'i128', value: String(amount) }, { type: 'address', value: fixture.poor.address })
}

/** The balance that the token contract reports. */
async function usdcBalance(exchange: GatewayFixture, holder: string): Promise<bigint> {
  const { contracts: { usdcToken }, networkPassphrase, rpc } = exchange.network
  const call = new Contract(usdcToken).call('balance', nativeToScVal(holder, { type: 'address' }))
  const source = new Account(fixture.trader.address, '0')
  const transaction = new TransactionBuilder(source, { fee: '100', networkPassphrase }).addOperation(call).setTimeout(0).build()
  const { results } = await rpc.call('simulateTransaction', { transaction: transaction.toXdr() }) as { results: readonly [{ xdr: string }] }
  return scValToNative(xdr.ScVal.fromXdr(results[0].xdr, 'base64')) as bigint
}
