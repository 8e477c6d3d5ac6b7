// Model test: after any sequence of calls, the market of build 2.3 and a reference implementation written from the specification return the
// same results and hold the same state.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, fuzzRuns } from '../../../../test/support/fuzz.ts'
import type { Val } from '../../shared/host.ts'
import { address, i128, symbol, u64 } from '../../shared/host.ts'
import { KEYS } from '../../shared/market/storage.ts'
import { ALICE, BOB, E7, KEEPER, MARKET, USDC, VAULT } from '../../../test/contracts/generation-1/test-exchange.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import { MARKET_ACCOUNT, RejectionError, VAULT_ACCOUNT } from '../../../test/contracts/generation-1/test-reference-state.ts'
import { closeArgs, createTestExchange, openArgs, TREASURY, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'
import {
  adlClose, applyFunding, changeCollateral, checkAdl, close, closePart, liquidate, liquidateCross, movePool, open, type OpenTerms,
} from '../../../test/contracts/generation-2/test-reference.ts'
import {
  equityOf, fundingOf, maintenanceOf, newAsset, type ReferencePosition, type ReferenceState, setPrice, TREASURY_ACCOUNT,
} from '../../../test/contracts/generation-2/test-reference-state.ts'
import { ADDED_KEYS } from './storage.ts'

const TRADERS = [ALICE, BOB] as const
const ASSETS = ['BTC', 'ETH'] as const
const LIQUIDITY = 60_000n * E7
/** Small enough for Bob to run out of USDC. */
const BOB_USDC = 2_500n * E7
const HOLDERS = new Map([
  [ALICE, ALICE], [BOB, BOB], [KEEPER, KEEPER], [MARKET_ACCOUNT, MARKET], [VAULT_ACCOUNT, VAULT], [TREASURY_ACCOUNT, TREASURY],
])

interface Run {
  readonly exchange: TestExchange
  state: ReferenceState
  /** `<function> ok` and `<function> <code>`: a run that reaches nothing proves nothing. */
  readonly reached: Set<string>
}

function start(reached: Set<string>): Run {
  const exchange = createTestExchange({ liquidity: LIQUIDITY })
  exchange.host.invokeOk(USDC, 'transfer', [address(BOB), address(ALICE), i128(exchange.usdc(BOB) - BOB_USDC)], [BOB])
  const nowSec = exchange.host.ledger.timestampSec
  const fee = (LIQUIDITY * 30n) / 10_000n
  const state: ReferenceState = {
    nowSec,
    usdcBalances: new Map([...HOLDERS].map(([name, holder]) => [name, exchange.usdc(holder)])),
    volumes: new Map(),
    assets: new Map([['BTC', newAsset(50_000n * E7, nowSec)], ['ETH', newAsset(2_000n * E7, nowSec)]]),
    positions: new Map(),
    positionCount: 0n,
    pools: new Map(),
    partialAtSec: new Map(),
    stagedAtSec: new Map(),
    stranded: 0n,
    vault: { totalUsdc: LIQUIDITY - fee, totalFees: fee, buffer: 0n, reserved: 0n, shortfall: 0n, shortfallReserve: 0n },
  }
  return { exchange, state, reached }
}

/** Runs a call in the reference and on the market, and compares results and states. */
function compare(run: Run, functionName: string, args: readonly Val[], reference: (state: ReferenceState) => bigint): void {
  const after = structuredClone(run.state)
  let expected: bigint | string
  try {
    expected = reference(after)
  } catch (error) {
    if (!(error instanceof RejectionError)) throw error
    expected = `Error(Contract, #${error.code})`
  }
  const result = run.exchange.host.invoke(MARKET, functionName, args, [...TRADERS, KEEPER])
  assert.equal(result.ok ? comparable(result.value) : result.error, expected, functionName)
  run.reached.add(`${functionName} ${result.ok ? 'ok' : result.error.replace(/\D+/g, '')}`)
  if (result.ok) {
    for (const { topics } of result.events) run.reached.add(String(toNative(topics[0])))
    run.state = after
  }
  assertSameState(run)
}

/** A return value as the reference returns it: the id of a created struct, 1 or 0 for booleans, 0 for void. */
function comparable(value: Val): bigint {
  const native = toNative(value)
  if (native === null) return 0n
  if (typeof native === 'boolean') return native ? 1n : 0n
  return typeof native === 'object' ? (native as { id: bigint }).id : (native as bigint)
}

function assertSameState({ exchange, state }: Run): void {
  for (const [name, holder] of HOLDERS) assert.equal(exchange.usdc(holder), state.usdcBalances.get(name), `USDC of ${name}`)
  for (const position of state.positions.values()) assertSamePosition(exchange, position)
  assert.equal(exchange.stored(ADDED_KEYS.openPositionCount), state.positions.size)
  for (const trader of TRADERS) {
    assert.equal(exchange.stored(KEYS.crossMarginBalance(trader)) ?? 0n, state.pools.get(trader) ?? 0n, `pool of ${trader}`)
    const ids = [...state.positions.values()].filter((position) => position.trader === trader).map(({ id }) => id)
    assert.deepEqual(exchange.view('get_trader_position_ids', address(trader)), ids)
  }
  for (const [name, asset] of state.assets) {
    const { funding } = asset
    assert.deepEqual(exchange.stored(ADDED_KEYS.fundingState(name)), funding === null ? null : [funding.index, funding.rate, funding.atSec])
    assert.equal(exchange.view('is_adl_active', symbol(name)), asset.isDeleveraging)
    assert.equal(exchange.vaultView('get_asset_unrealized_pnl', symbol(name)), asset.unrealized)
  }
  const { vault } = state
  const views = ['get_total_usdc', 'get_buffer_balance', 'get_reserved_payout', 'get_shortfall', 'get_shortfall_reserve']
  const expected = [vault.totalUsdc, vault.buffer, vault.reserved, vault.shortfall, vault.shortfallReserve]
  assert.deepEqual(views.map((view) => exchange.vaultView(view)), expected)
  const held = [...state.positions.values()].reduce((sum, { collateral }) => sum + collateral, 0n)
  const pools = [...state.pools.values()].reduce((sum, pool) => sum + pool, 0n)
  assert.equal(exchange.usdc(MARKET), held + pools + state.stranded, 'the market holds the collateral, the pools, and what it owes nobody')
}

function assertSamePosition(exchange: TestExchange, expected: ReferencePosition): void {
  const { id, trader, asset, isLong, isCross, collateral, leverage, size, entry, fundingAtOpen, liquidation } = expected
  const { timestamp, ...rest } = exchange.stored(KEYS.position(id)) as Record<string, unknown>
  assert.equal(typeof timestamp, 'bigint')
  assert.deepEqual(rest, {
    id, trader, asset, direction: isLong ? 0 : 1, margin_mode: isCross ? 1 : 0, collateral, leverage: Number(leverage), size, entry_price: entry,
    entry_cumulative_funding: fundingAtOpen, liquidation_price: liquidation,
  })
}

// Steps: their parameters are random numbers, interpreted against the state when the step runs.

interface Choice {
  readonly trader: string
  readonly asset: string
  readonly isLong: boolean
  readonly isCross: boolean
  readonly amount: bigint
  readonly leverage: bigint
  readonly index: number
  readonly percent: bigint
}

const anyChoice: fc.Arbitrary<Choice> = fc.record({
  trader: fc.constantFrom(...TRADERS),
  asset: fc.constantFrom(...ASSETS),
  isLong: fc.boolean(),
  isCross: fc.boolean(),
  amount: fc.oneof(
    { weight: 12, arbitrary: fc.bigInt({ min: 20n * E7, max: 400n * E7 }) }, { weight: 1, arbitrary: fc.bigInt({ min: -E7, max: 11n * E7 }) },
    { weight: 1, arbitrary: fc.bigInt({ min: 400n * E7, max: 12_000n * E7 }) },
  ),
  leverage: fc.oneof({ weight: 12, arbitrary: fc.bigInt({ min: 1n, max: 10n }) }, { weight: 1, arbitrary: fc.constantFrom(0n, 11n) }),
  index: fc.nat(1000),
  percent: fc.bigInt({ min: -20n, max: 120n }),
})

type Step = (run: Run, choice: Choice) => void

/** One of the positions that match; sometimes an unknown one. */
function pick({ state }: Run, index: number, matches: (position: ReferencePosition) => boolean): { id: bigint; position: ReferencePosition | undefined } {
  const positions = [...state.positions.values()].filter(matches)
  const position = index % 17 === 0 ? undefined : positions[index % Math.max(1, positions.length)]
  return { id: position?.id ?? 999n, position }
}

const isIsolated = (position: ReferencePosition): boolean => !position.isCross
const priceOf = ({ state }: Run, asset: string): bigint => state.assets.get(asset)?.price ?? E7

function movePrice(run: Run, asset: string, price: bigint): void {
  if (price <= 0n) return
  setPrice(run.state, asset, price)
  run.exchange.setPrice(asset, price)
}

function wait(run: Run, seconds: bigint): void {
  run.state.nowSec += seconds
  run.exchange.advance(seconds)
}

/** A bound near the price: mostly none. */
function boundOf(run: Run, { index, percent }: Choice, asset: string): bigint {
  if (index % 5 !== 0) return 0n
  return index % 25 === 0 ? -1n : (priceOf(run, asset) * (10_000n + percent)) / 10_000n
}

const openStep: Step = (run, choice) => {
  const terms: OpenTerms = { ...choice, collateral: choice.amount, bound: boundOf(run, choice, choice.asset) }
  const options = { ...terms, leverage: Number(terms.leverage), direction: terms.isLong ? 0 : 1 }
  const functionName = terms.isCross ? 'open_position_cross' : 'open_position'
  compare(run, functionName, openArgs(terms.trader, options), (state) => open(state, terms))
}

const closeStep: Step = (run, choice) => {
  const asCross = choice.isCross
  // An isolated close of a cross position leaves a stale id: a defect of the deployed contract that the reference does not repeat.
  const { id, position } = pick(run, choice.index, (candidate) => asCross || !candidate.isCross)
  const caller = choice.index % 20 === 0 ? choice.trader : (position?.trader ?? choice.trader)
  const bound = boundOf(run, choice, position?.asset ?? 'BTC')
  const functionName = asCross ? 'close_position_cross' : 'close_position'
  compare(run, functionName, closeArgs(caller, id, bound), (state) => close(state, caller, id, bound, asCross))
}

const closePartStep: Step = (run, { index, percent, trader }) => {
  const { id, position } = pick(run, index, (candidate) => isIsolated(candidate) || index % 10 === 0)
  const owner = position?.trader ?? trader
  const size = ((position?.size ?? E7) * percent) / 100n
  compare(run, 'close_position_partial', [address(owner), u64(id), i128(size)], (state) => closePart(state, owner, id, size))
}

const collateralStep: Step = (run, { index, percent, trader, isLong: removes }) => {
  const { id, position } = pick(run, index, (candidate) => isIsolated(candidate) || index % 10 === 0)
  const owner = position?.trader ?? trader
  const amount = ((position?.collateral ?? E7) * percent) / 100n
  const functionName = removes ? 'remove_collateral' : 'add_collateral'
  compare(run, functionName, [address(owner), u64(id), i128(amount)], (state) => changeCollateral(state, owner, id, amount, removes))
}

const poolStep: Step = (run, { trader, amount, percent, isLong: withdraws }) => {
  const moved = withdraws ? ((run.state.pools.get(trader) ?? 0n) * percent) / 100n : amount
  const functionName = withdraws ? 'withdraw_cross_margin' : 'deposit_cross_margin'
  compare(run, functionName, [address(trader), i128(moved)], (state) => movePool(state, trader, moved, withdraws))
}

const liquidateStep: Step = (run, { index }) => {
  const { id } = pick(run, index, (position) => index % 10 === 0 || isIsolated(position))
  compare(run, 'liquidate', [address(KEEPER), u64(id)], (state) => liquidate(state, KEEPER, id))
}

const liquidateCrossStep: Step = (run, { trader }) => {
  const before = run.state.stagedAtSec.get(trader)
  compare(run, 'liquidate_cross_account', [address(KEEPER), address(trader)], (state) => liquidateCross(state, KEEPER, trader))
  const survives = [...run.state.positions.values()].some((position) => position.isCross && position.trader === trader)
  if (survives && run.state.stagedAtSec.get(trader) !== before) run.reached.add('a cross account survives a stage')
}

/** Several cross positions of one trader, with little idle collateral. */
const crossAccountStep: Step = (run, choice) => {
  for (const asset of ASSETS) {
    poolStep(run, { ...choice, amount: choice.amount + choice.amount / 20n, isLong: false })
    openStep(run, { ...choice, asset, isCross: true, leverage: 10n })
  }
}

const fundingStep: Step = (run) => compare(run, 'apply_funding', [], applyFunding)

const adlCheckStep: Step = (run, { asset }) => compare(run, 'check_adl_trigger', [symbol(asset)], (state) => checkAdl(state, asset))

const adlCloseStep: Step = (run, { index }) => {
  const { id } = pick(run, index, () => true)
  compare(run, 'adl_close', [address(KEEPER), u64(id)], (state) => adlClose(state, id))
}

const quoteStep: Step = (run, { asset, percent }) => movePrice(run, asset, (priceOf(run, asset) * (10_000n + percent)) / 10_000n)

/** Moves a price to where a position, or its cross account, has this much of its maintenance margin, and lets the average follow. */
function moveToEdge(run: Run, position: ReferencePosition, percent: bigint, records: bigint): void {
  const price = priceOf(run, position.asset)
  const legs = position.isCross ? [...run.state.positions.values()].filter(({ isCross, trader }) => isCross && trader === position.trader) : [position]
  const pool = position.isCross ? (run.state.pools.get(position.trader) ?? 0n) : 0n
  const equity = legs.reduce((sum, leg) => sum + equityOf(run.state, leg, priceOf(run, leg.asset)), pool)
  const maintenance = legs.reduce((sum, leg) => sum + maintenanceOf(leg), 0n)
  const move = (position.entry * (equity - (maintenance * percent) / 100n)) / position.size
  wait(run, 601n)
  for (let record = 0n; record < records; record++) {
    wait(run, 1n)
    for (const asset of ASSETS) movePrice(run, asset, asset === position.asset ? price + (position.isLong ? -move : move) : priceOf(run, asset))
  }
}

const edgeStep: Step = (run, { index, percent, amount }) => {
  const { position } = pick(run, index, () => true)
  if (position !== undefined) moveToEdge(run, position, percent, 1n + (amount % 4n))
}

/** Two liquidations within a few seconds, with the price falling on. */
const twiceStep: Step = (run, choice) => {
  const { position } = pick(run, choice.index, ({ isCross, size }) => isCross || size > 1000n * E7)
  if (position === undefined) return
  moveToEdge(run, position, 85n, 4n)
  const liquidateNow = (): void => {
    if (position.isCross) return liquidateCrossStep(run, { ...choice, trader: position.trader })
    compare(run, 'liquidate', [address(KEEPER), u64(position.id)], (state) => liquidate(state, KEEPER, position.id))
  }
  liquidateNow()
  const fall = 3n + (choice.amount % 3n)
  for (let record = 0; record < 4; record++) {
    wait(run, 1n)
    movePrice(run, position.asset, (priceOf(run, position.asset) * (1000n + (position.isLong ? -fall : fall))) / 1000n)
  }
  liquidateNow()
}

/** Profits that the vault can hardly pay: deleverages a position and closes another. */
const soarStep: Step = (run, choice) => {
  wait(run, 601n)
  const factor = BigInt(2 + (choice.index % 30))
  movePrice(run, choice.asset, choice.isLong ? priceOf(run, choice.asset) * factor : priceOf(run, choice.asset) / factor)
  adlCheckStep(run, choice)
  adlCloseStep(run, choice)
  closeStep(run, choice)
}

const WAITS = [5n, 30n, 61n, 601n, 3600n, 7_500n, 86_400n * 3n]
const waitStep: Step = (run, { index }) => {
  wait(run, WAITS[index % WAITS.length] ?? 5n)
  for (const asset of ASSETS) if (index % 9 !== 0) movePrice(run, asset, priceOf(run, asset))
}

const STEPS: readonly Step[] = [
  openStep, openStep, openStep, openStep, crossAccountStep, crossAccountStep, closeStep, closePartStep, closePartStep,
  collateralStep, collateralStep, poolStep, poolStep, liquidateStep,
  liquidateCrossStep, twiceStep, twiceStep, fundingStep, fundingStep, adlCheckStep, adlCloseStep, quoteStep, quoteStep, edgeStep,
  edgeStep, edgeStep, soarStep, waitStep, waitStep,
]
const anySteps = fc.array(fc.tuple(fc.nat(STEPS.length - 1), anyChoice), { minLength: 20, maxLength: 120, size: 'max' })

function play(steps: readonly (readonly [number, Choice])[], reached: Set<string>): void {
  const run = start(reached)
  for (const [kind, choice] of steps) STEPS[kind]?.(run, choice)
  if ([...run.state.positions.values()].some((position) => fundingOf(run.state, position) < 0n)) reached.add('earned funding')
}

test('the market returns the reference\'s results and holds its state after any sequence of calls', () => {
  fc.assert(fc.property(anySteps, (steps) => play(steps, new Set())), { numRuns: fuzzRuns(30, 300) })
})

const REQUIRED_OUTCOMES = [
  'open_position ok', 'open_position 22', 'open_position 21', 'open_position 23', 'open_position 10', 'open_position 5', 'open_position 30',
  'open_position 81', 'open_position 82', 'open_position 87', 'open_position 89', 'open_position 91', 'open_position_cross ok',
  'open_position_cross 77', 'open_position_cross 91', 'close_position ok', 'close_position 87', 'close_position_cross ok', 'close_position_cross 5',
  'close_position_partial ok', 'close_position_partial 5', 'close_position_partial 27', 'close_position_partial 41', 'add_collateral ok',
  'remove_collateral ok', 'remove_collateral 25', 'withdraw_cross_margin ok', 'withdraw_cross_margin 76', 'withdraw_cross_margin 77', 'liquidate ok',
  'liquidate 50', 'liquidate 83', 'liquidate 86', 'liquidate_cross_account ok', 'liquidate_cross_account 78',
  'liquidate_cross_account 86', 'apply_funding ok', 'apply_funding 55', 'check_adl_trigger ok', 'adl_close ok', 'adl_close 84',
  'position_partial_liq', 'position_liquidated', 'liq_refund', 'bad_debt_recorded', 'bounty_paid', 'adl_triggered', 'adl_cleared', 'payout_shortfall',
  'protocol_fee_routed', 'cross_liq', 'position_reduced', 'funding_applied', 'earned funding',
  'a cross account survives a stage',
]

test('the generated runs reach every required outcome', () => {
  // A fixed seed: this tests the generator, and must not depend on chance.
  const reached = new Set<string>()
  fc.assert(fc.property(anySteps, (steps) => play(steps, reached)), { numRuns: 60, seed: 2 })
  assert.deepEqual(REQUIRED_OUTCOMES.filter((name) => !reached.has(name)), [])
})
