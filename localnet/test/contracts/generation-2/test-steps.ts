// Test support: random calls of traders, keepers, liquidity providers and vault leaders against the exchange of generation 2.

import { fc } from '../../../../test/support/fuzz.ts'
import type { Val } from '../../../contracts/shared/host.ts'
import { address, i128, symbol, text, u32, u64 } from '../../../contracts/shared/host.ts'
import { KEYS } from '../../../contracts/shared/market/storage.ts'
import { ISOLATED } from '../../../contracts/shared/market/types.ts'
import {
  ADMIN, ALICE, BOB, E7, FACTORY, KEEPER, limitOrderArgs, LP, MARKET, PROVIDER, REFERRAL, stopLimitOrderArgs, VAULT,
} from '../generation-1/test-exchange.ts'
import { toNative } from '../test-host.ts'
import { createVaultArgs, leaderIdArgs, leaderOpenArgs } from '../generation-1/test-vaults.ts'
import { closeArgs, createTestExchange, openArgs, type TestExchange } from './test-exchange.ts'
import type { Generation2Build } from '../../../contracts/generation-2/build.ts'
import { ADDED_KEYS } from '../../../contracts/generation-2/market/storage.ts'
import { limitArgs, minOutArgs, positionArgs, reconcileArgs } from './test-vaults.ts'

export const ASSETS = ['BTC', 'ETH'] as const
export const TRADERS = [ALICE, BOB] as const

const FIRST_PRICES = { BTC: 50_000n * E7, ETH: 2_000n * E7 } as const

const MARKET_ACTIONS = [
  'open', 'open', 'open', 'openCross', 'openCross', 'close', 'closeCross', 'closePartial', 'addCollateral', 'removeCollateral', 'liquidate',
  'liquidate', 'liquidate', 'liquidateCross', 'fund', 'sync', 'checkAdl', 'adlClose', 'depositCross', 'withdrawCross', 'limit', 'stopLimit',
  'stopLoss', 'takeProfit', 'trailing', 'execute', 'execute', 'cancel', 'peak', 'price', 'price', 'price', 'price', 'price', 'price', 'wait',
] as const
const VAULT_ACTIONS = ['depositLp', 'withdrawLp', 'claimShortfall', 'seedBuffer', 'claimReferral'] as const
const LEADER_ACTIONS = [
  'vaultDeposit', 'vaultWithdraw', 'leaderOpen', 'leaderOpen', 'leaderClose', 'leaderLimit', 'leaderStop', 'leaderCancel', 'leaderClaim',
  'reconcileOrder', 'reconcilePosition',
] as const

/** One random step. `amount` and `pick` are numbers that the action interprets. */
export interface Step {
  readonly action: (typeof MARKET_ACTIONS)[number] | (typeof VAULT_ACTIONS)[number] | (typeof LEADER_ACTIONS)[number]
  readonly trader: string
  readonly asset: (typeof ASSETS)[number]
  readonly direction: number
  readonly leverage: number
  readonly amount: bigint
  readonly pick: number
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...MARKET_ACTIONS, ...MARKET_ACTIONS, ...VAULT_ACTIONS, ...LEADER_ACTIONS),
  trader: fc.constantFrom(...TRADERS),
  asset: fc.constantFrom(...ASSETS),
  direction: fc.integer({ min: 0, max: 1 }),
  leverage: fc.integer({ min: 1, max: 10 }),
  amount: fc.bigInt({ min: 1n, max: 400n * E7 }),
  pick: fc.nat(1000),
})

export const anySteps = (maxLength: number): fc.Arbitrary<Step[]> => fc.array(anyStep, { minLength: 20, maxLength, size: 'max' })

/** The vaults that `createSteppedExchange` creates: one of each trader. */
const VAULT_OF: Readonly<Record<string, number>> = { [ALICE]: 0, [BOB]: 1 }

type Call = readonly [contract: string, functionName: string, args: readonly Val[]]

/** The contract call of a step; null if the step only changes prices or time. */
export function toCall(exchange: TestExchange, step: Step): Call | null {
  return marketCall(exchange, step) ?? orderCall(exchange, step) ?? leaderCall(exchange, step) ?? vaultCall(step)
}

function marketCall(exchange: TestExchange, { action, trader, asset, direction, leverage, amount, pick }: Step): Call | null {
  const id = pickId(ownPositionIds(exchange, trader), pick)
  const [signer, keeper] = [address(trader), address(KEEPER)]
  const bound = pick % 3 === 0 ? currentPrice(exchange, asset) : 0n
  const openTerms = openArgs(trader, { asset, collateral: amount, leverage, direction, bound })
  switch (action) {
    case 'open': return [MARKET, 'open_position', openTerms]
    case 'openCross': return [MARKET, 'open_position_cross', openTerms]
    case 'close': return [MARKET, 'close_position', closeArgs(trader, id, bound)]
    case 'closeCross': return [MARKET, 'close_position_cross', closeArgs(trader, id, bound)]
    case 'closePartial': return [MARKET, 'close_position_partial', [signer, u64(id), i128(amount)]]
    case 'addCollateral': return [MARKET, 'add_collateral', [signer, u64(id), i128(amount)]]
    case 'removeCollateral': return [MARKET, 'remove_collateral', [signer, u64(id), i128(amount / 8n + 1n)]]
    case 'liquidate': return [MARKET, 'liquidate', [keeper, u64(riskiestId(exchange))]]
    case 'liquidateCross': return [MARKET, 'liquidate_cross_account', [keeper, signer]]
    case 'fund': return [MARKET, 'apply_funding', []]
    case 'sync': return [MARKET, 'sync_asset_pnl', [symbol(asset)]]
    case 'checkAdl': return [MARKET, 'check_adl_trigger', [symbol(asset)]]
    case 'adlClose': return [MARKET, 'adl_close', [keeper, u64(pickId(deleveragedIds(exchange), pick))]]
    case 'depositCross': return [MARKET, 'deposit_cross_margin', [signer, i128(amount)]]
    case 'withdrawCross': return [MARKET, 'withdraw_cross_margin', [signer, i128(amount)]]
    default: return null
  }
}

function orderCall(exchange: TestExchange, { action, trader, asset, direction, leverage, amount, pick }: Step): Call | null {
  const [position, order] = [u64(pickId(ownPositionIds(exchange, trader), pick)), u64(pickId(pendingOrderIds(exchange), pick))]
  const signer = address(trader)
  const trigger = nearPrice(exchange, asset, pick)
  const terms = { trader, asset, direction, collateral: amount, leverage, trigger, above: pick % 2 === 0, slippageBps: 1 + (pick % 500) }
  const timeInForce = [0, 1, 2, 0x100][pick % 4] ?? 0
  switch (action) {
    case 'limit': return [MARKET, 'place_limit_order', limitOrderArgs({ ...terms, timeInForce })]
    case 'stopLimit': return [MARKET, 'place_stop_limit_order', stopLimitOrderArgs({ ...terms, limit: currentPrice(exchange, asset), timeInForce })]
    case 'stopLoss': return [MARKET, 'set_stop_loss', [signer, position, i128(trigger), u32(1 + pick)]]
    case 'takeProfit': return [MARKET, 'set_take_profit', [signer, position, i128(trigger), u32(1 + pick), i128(0n)]]
    case 'trailing': return [MARKET, 'place_trailing_stop', [signer, position, u32(1 + (pick % 300)), u32(1 + pick)]]
    case 'execute': return [MARKET, 'execute_order', [address(KEEPER), order]]
    case 'cancel': return [MARKET, 'cancel_order', [signer, order]]
    case 'peak': return [MARKET, 'update_trailing_peak', [order]]
    default: return null
  }
}

function leaderCall(exchange: TestExchange, { action, trader, asset, direction, leverage, amount, pick }: Step): Call | null {
  const id = VAULT_OF[trader] ?? 0
  const [position, order] = [pickId(vaultSlots(exchange, 'VaultPositions', id), pick), pickId(vaultSlots(exchange, 'VaultOrders', id), pick)]
  const trigger = nearPrice(exchange, asset, pick)
  const terms = { asset, collateral: amount, leverage, direction }
  switch (action) {
    case 'vaultDeposit': return [FACTORY, 'deposit', minOutArgs(TRADERS[pick % 2] ?? ALICE, id, amount)]
    case 'vaultWithdraw': return [FACTORY, 'withdraw', minOutArgs(TRADERS[pick % 2] ?? ALICE, id, amount / 4n + 1n)]
    case 'leaderOpen': return [FACTORY, 'leader_open_position', leaderOpenArgs(trader, id, terms)]
    case 'leaderClose': return [FACTORY, 'leader_close_position', leaderIdArgs(trader, id, position)]
    // Not immediate-or-cancel: as deployed, reconciling one that did not fill credits the vault twice.
    case 'leaderLimit': return [FACTORY, 'leader_place_limit_order', limitArgs(trader, id, trigger, { ...terms, timeInForce: (pick % 2) * 2 })]
    case 'leaderStop': return [FACTORY, 'leader_set_stop_loss', positionArgs(trader, id, position, i128(trigger), u32(1 + pick))]
    case 'leaderCancel': return [FACTORY, 'leader_cancel_order', leaderIdArgs(trader, id, order)]
    case 'leaderClaim': return [FACTORY, 'claim_leader_fees', [u32(id)]]
    case 'reconcileOrder': return [FACTORY, 'reconcile_order', reconcileArgs(id, order)]
    case 'reconcilePosition': {
      const open = openPositionIds(exchange)
      const closed = vaultSlots(exchange, 'VaultPositions', id).filter((slot) => !open.includes(slot))
      return [FACTORY, 'reconcile_position', reconcileArgs(id, closed.length === 0 ? position : pickId(closed, pick))]
    }
    default: return null
  }
}

function vaultCall({ action, trader, amount }: Step): Call | null {
  switch (action) {
    case 'depositLp': return [VAULT, 'deposit', [address(trader), i128(amount), i128(0n)]]
    case 'withdrawLp': return [VAULT, 'withdraw', [address(trader), i128(amount), i128(0n)]]
    case 'claimShortfall': return [VAULT, 'claim_shortfall', [address(trader)]]
    case 'seedBuffer': return [VAULT, 'seed_buffer', [address(PROVIDER), i128(amount)]]
    case 'claimReferral': return [REFERRAL, 'claim', [address(ALICE)]]
    default: return null
  }
}

const prices = new WeakMap<TestExchange, Map<string, bigint>>()

function currentPrice(exchange: TestExchange, asset: (typeof ASSETS)[number]): bigint {
  return prices.get(exchange)?.get(asset) ?? FIRST_PRICES[asset]
}

function nearPrice(exchange: TestExchange, asset: (typeof ASSETS)[number], pick: number): bigint {
  return (currentPrice(exchange, asset) * (9_900n + BigInt(pick % 200))) / 10_000n
}

/** Ranges of price moves in basis points: ordinary ones, ones that make positions liquidatable, and ones that exhaust the vault. */
const MOVES = [
  { lowest: -100n, highest: 100n }, { lowest: -100n, highest: 100n }, { lowest: -1_000n, highest: -700n }, { lowest: 700n, highest: 1_000n },
  { lowest: -2_000n, highest: 2_000n }, { lowest: -5_000n, highest: 20_000n },
] as const

/**
 * Moves the price and refreshes all prices. Large moves come after a pause, so that no last good price limits them, and are repeated until the smoothed price
 * has followed.
 */
export function movePrices(exchange: TestExchange, { action, asset, amount, pick }: Step): void {
  const currentPrices = prices.get(exchange) ?? new Map<string, bigint>()
  prices.set(exchange, currentPrices)
  if (action === 'wait') exchange.advance(BigInt(pick) * 20n)
  const { lowest, highest } = MOVES[pick % MOVES.length] ?? MOVES[0]
  const isLarge = action === 'price' && highest !== 100n
  if (action === 'price') {
    const price = currentPrice(exchange, asset)
    currentPrices.set(asset, price + (price * (lowest + (amount % (highest - lowest + 1n)))) / 10_000n)
  }
  if (isLarge) exchange.advance(601n)
  for (let record = 0; record < (isLarge ? 4 : 1); record++) {
    exchange.advance(1n)
    for (const name of ASSETS) exchange.setPrice(name, currentPrice(exchange, name))
  }
}

export interface StoredPosition {
  readonly id: bigint
  readonly trader: string
  readonly asset: string
  readonly direction: number
  readonly size: bigint
  readonly collateral: bigint
  readonly margin_mode: number
}

export interface StoredOrder {
  readonly id: bigint
  readonly status: number
  readonly collateral: bigint
  readonly position_id: bigint
}

/** From build 2.3 there are no lists of ids: as other clients do, this reads every id up to the counter. */
function readAll<T>(exchange: TestExchange, counter: Val, key: (id: bigint) => Val): T[] {
  const count = Number(exchange.stored(counter) ?? 0n)
  return Array.from({ length: count }, (_, index) => exchange.stored(key(BigInt(index + 1))) as T | null).filter((row) => row !== null)
}

export const openPositions = (exchange: TestExchange): StoredPosition[] => readAll(exchange, KEYS.positionCounter, KEYS.position)
export const allOrders = (exchange: TestExchange): StoredOrder[] => readAll(exchange, KEYS.orderCounter, KEYS.order)
/** Positions of assets for which auto-deleveraging is on. */
const deleveragedIds = (exchange: TestExchange): bigint[] =>
  openPositions(exchange).filter(({ asset }) => exchange.stored(ADDED_KEYS.adlActive(asset)) === true).map(({ id }) => id)

const ownPositionIds = (exchange: TestExchange, trader: string): bigint[] =>
  openPositions(exchange).filter((position) => position.trader === trader).map(({ id }) => id)

/** The isolated position with the least equity for its size. */
function riskiestId(exchange: TestExchange): bigint {
  const isolated = openPositions(exchange).filter((position) => position.margin_mode === ISOLATED)
  const ratios = isolated.map(({ id, size }) => ({ id, ratioBps: ((exchange.view('get_position_equity', u64(id)) as bigint) * 10_000n) / size }))
  return ratios.toSorted((a, b) => Number(a.ratioBps - b.ratioBps))[0]?.id ?? 1n
}

const openPositionIds = (exchange: TestExchange): bigint[] => openPositions(exchange).map(({ id }) => id)
const pendingOrderIds = (exchange: TestExchange): bigint[] => allOrders(exchange).filter(({ status }) => status === 0).map(({ id }) => id)

/** The ids in one of the factory's lists. */
export function vaultSlots(exchange: TestExchange, list: 'VaultPositions' | 'VaultOrders', id: number): bigint[] {
  const key: Val = { type: 'vec', value: [symbol(list), u32(id)] }
  return (toNative(exchange.host.readEntry(FACTORY, 'persistent', key)) ?? []) as bigint[]
}

const pickId = (ids: readonly bigint[], pick: number): bigint => ids[pick % Math.max(1, ids.length)] ?? 1n

/** Lifts the vault's caps, so that few positions can exhaust it. */
const CAPS: readonly Call[] = [
  [VAULT, 'set_reserve_cap', [u32(10_000)]],
  ...ASSETS.flatMap((asset): Call[] => [
    [VAULT, 'set_asset_cap', [symbol(asset), u32(10_000)]], [VAULT, 'set_skew_cap', [symbol(asset), u32(10_000)]],
  ]),
]

/** An exchange with little liquidity, a referred trader and a vault of each trader. */
export function createSteppedExchange(liquidity: bigint, build: Generation2Build = '2.3'): TestExchange {
  const exchange = createTestExchange({ liquidity, build })
  const { host } = exchange
  for (const [contract, name, args] of CAPS) host.invokeOk(contract, name, args, [ADMIN])
  exchange.invokeOk('set_referral', [address(REFERRAL)])
  host.invokeOk(REFERRAL, 'create_code', [address(ALICE), text('alice')], [ALICE])
  host.invokeOk(REFERRAL, 'set_referrer', [address(BOB), text('alice')], [BOB])
  for (const [id, trader] of TRADERS.entries()) {
    host.invokeOk(LP, 'approve', [address(trader), address(VAULT), i128(1_000_000n * E7), u32(1_000_000)], [trader])
    host.invokeOk(FACTORY, 'create_vault', createVaultArgs(trader, 'vault'), [trader])
    host.invokeOk(FACTORY, 'deposit', minOutArgs(trader, id, 1000n * E7), [trader])
  }
  return exchange
}
