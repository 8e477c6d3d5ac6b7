// Test support: random calls of traders, keepers and liquidity providers against the exchange of generation 1.

import { fc } from '../../../../test/support/fuzz.ts'
import type { Val } from '../../../contracts/shared/host.ts'
import { address, bool, i128, symbol, u32, u64 } from '../../../contracts/shared/host.ts'
import { toNative } from '../test-host.ts'
import { ALICE, BOB, E7, KEEPER, MARKET, openArgs, type TestExchange, VAULT } from './test-exchange.ts'

export const ASSETS = ['BTC', 'ETH'] as const
const FIRST_PRICES = { BTC: 50_000n * E7, ETH: 2_000n * E7 } as const
export const TRADERS = [ALICE, BOB] as const

/** One random step. `amount` and `pick` are numbers that the action interprets. */
export interface Step {
  readonly action: (typeof ACTIONS)[number]
  readonly trader: string
  readonly asset: (typeof ASSETS)[number]
  readonly direction: number
  readonly leverage: number
  readonly amount: bigint
  readonly pick: number
}

const ACTIONS = [
  'open', 'open', 'open', 'openCross', 'close', 'close', 'closeCross', 'liquidate', 'liquidate', 'liquidateCross', 'fund', 'sync',
  'price', 'price',
  'price', 'wait', 'depositLp', 'withdrawLp', 'depositCross', 'withdrawCross', 'limit', 'stopLimit', 'stopLoss', 'takeProfit', 'trailing',
  'execute', 'execute', 'cancel', 'peak',
] as const

const anyStep: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...ACTIONS),
  trader: fc.constantFrom(...TRADERS),
  asset: fc.constantFrom(...ASSETS),
  direction: fc.integer({ min: 0, max: 1 }),
  leverage: fc.integer({ min: 1, max: 10 }),
  amount: fc.bigInt({ min: 1n, max: 400n * E7 }),
  pick: fc.nat(1000),
})

/** The contract call of a step; null if the step only changes prices or time. */
export function toCall(exchange: TestExchange, step: Step): readonly [contract: string, functionName: string, args: Val[]] | null {
  const { action, trader, asset, direction, leverage, amount, pick } = step
  const position = u64(pickId(exchange, 'get_all_position_ids', pick))
  const order = u64(pickId(exchange, 'get_all_order_ids', pick))
  const signer = address(trader)
  const price = currentPrice(exchange, asset)
  const nearPrice = (price * (9_900n + BigInt(pick % 200))) / 10_000n
  const limitTerms = [signer, symbol(asset), u32(direction), i128(amount), u32(leverage), i128(nearPrice)]
  const rest = [bool(pick % 2 === 0), u32(1 + (pick % 500)), u32([0, 1, 2, 0x100][pick % 4] ?? 0)]
  switch (action) {
    case 'open': return [MARKET, 'open_position', openArgs(trader, { asset, collateral: amount, leverage, direction })]
    case 'openCross': return [MARKET, 'open_position_cross', openArgs(trader, { asset, collateral: amount, leverage, direction })]
    case 'close': return [MARKET, 'close_position', [signer, position]]
    case 'closeCross': return [MARKET, 'close_position_cross', [signer, position]]
    case 'liquidate': return [MARKET, 'liquidate', [address(KEEPER), position]]
    case 'liquidateCross': return [MARKET, 'liquidate_cross_account', [address(KEEPER), signer]]
    case 'fund': return [MARKET, 'apply_funding', []]
    case 'sync': return [MARKET, 'sync_asset_pnl', [symbol(asset)]]
    case 'depositLp': return [VAULT, 'deposit', [signer, i128(amount)]]
    case 'withdrawLp': return [VAULT, 'withdraw', [signer, i128(amount)]]
    case 'depositCross': return [MARKET, 'deposit_cross_margin', [signer, i128(amount)]]
    case 'withdrawCross': return [MARKET, 'withdraw_cross_margin', [signer, i128(amount)]]
    case 'limit': return [MARKET, 'place_limit_order', [...limitTerms, ...rest]]
    case 'stopLimit': return [MARKET, 'place_stop_limit_order', [...limitTerms, i128(price), ...rest]]
    case 'stopLoss': return [MARKET, 'set_stop_loss', [signer, position, i128(nearPrice), u32(1 + pick)]]
    case 'takeProfit': return [MARKET, 'set_take_profit', [signer, position, i128(nearPrice), u32(1 + pick), i128(0n)]]
    case 'trailing': return [MARKET, 'place_trailing_stop', [signer, position, u32(1 + (pick % 300)), u32(1 + pick)]]
    case 'execute': return [MARKET, 'execute_order', [address(KEEPER), order]]
    case 'cancel': return [MARKET, 'cancel_order', [signer, order]]
    case 'peak': return [MARKET, 'update_trailing_peak', [order]]
    default: return null
  }
}

const prices = new WeakMap<TestExchange, Map<string, bigint>>()

function currentPrice(exchange: TestExchange, asset: (typeof ASSETS)[number]): bigint {
  return prices.get(exchange)?.get(asset) ?? FIRST_PRICES[asset]
}

/** Moves the price mostly by up to 1 %, sometimes by up to 20 % or 50 %, and refreshes all prices. */
export function movePrices(exchange: TestExchange, { action, asset, amount, pick }: Step): void {
  const currentPrices = prices.get(exchange) ?? new Map<string, bigint>()
  prices.set(exchange, currentPrices)
  if (action === 'price') {
    const usualRangeBps = pick % 3 === 0 ? 2_000n : 100n
    const rangeBps = pick % 7 === 0 ? 5_000n : usualRangeBps
    const moveBps = (amount % (2n * rangeBps + 1n)) - rangeBps
    const price = currentPrice(exchange, asset)
    currentPrices.set(asset, price + (price * moveBps) / 10_000n)
  }
  if (action === 'wait') exchange.advance(BigInt(pick) * 20n)
  for (const name of ASSETS) exchange.setPrice(name, currentPrice(exchange, name))
}

function pickId(exchange: TestExchange, view: string, pick: number): bigint {
  const ids = toNative(exchange.invokeOk(view, []).value) as bigint[]
  return ids.length === 0 ? 1n : (ids[pick % ids.length] ?? 1n)
}

export const anySteps = fc.array(anyStep, { minLength: 20, maxLength: 60, size: 'max' })
