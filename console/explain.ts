// What a transaction does, told from the transaction itself: the client has read it, byte by byte, from what the gateway prepared. Nothing here knows what the
// form said.

import type { Authorization, CallTransaction, ContractAddresses, ContractValue } from '../client/src/index.ts'
import { amount, moment, percent, price, short } from './format.ts'

/** A transaction in words. */
export interface Explanation {
  /** What it does, in one sentence. */
  readonly summary: string
  readonly rows: readonly (readonly [name: string, value: string])[]
}

type Kind = 'text' | 'usdc' | 'times' | 'side' | 'price' | 'limit' | 'condition' | 'share' | 'number' | 'lifetime'
interface Meaning {
  readonly args: readonly (readonly [name: string, kind: Kind])[]
  readonly sentence: (told: readonly string[]) => string
}

const MARKET = ['Market', 'text'] as const
const COLLATERAL = ['Collateral', 'usdc'] as const
const LEVERAGE = ['Leverage', 'times'] as const
const SIDE = ['Side', 'side'] as const
const TRIGGER = ['Trigger price', 'price'] as const
const CONDITION = ['Triggered when the price is', 'condition'] as const
const SLIPPAGE = ['Slippage tolerance', 'share'] as const
const LIFETIME = ['Good', 'lifetime'] as const
const POSITION = ['Position', 'number'] as const

/** What each function of the market takes behind the account that signs. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  open_position: {
    args: [MARKET, COLLATERAL, LEVERAGE, SIDE],
    sentence: ([asset, collateral, leverage, side]) => `Opens a ${side} position in ${asset} with ${collateral} at ${leverage}, at the market price.`,
  },
  open_position_cross: {
    args: [MARKET, COLLATERAL, LEVERAGE, SIDE],
    sentence: ([asset, collateral, leverage, side]) =>
      `Opens a ${side} position in ${asset} under cross margin with ${collateral} at ${leverage}, at the market price.`,
  },
  close_position: { args: [POSITION], sentence: ([id]) => `Closes position ${id} at the market price.` },
  close_position_cross: { args: [POSITION], sentence: ([id]) => `Closes cross position ${id} at the market price.` },
  place_limit_order: {
    args: [MARKET, SIDE, COLLATERAL, LEVERAGE, TRIGGER, CONDITION, SLIPPAGE, LIFETIME],
    sentence: ([asset, side, collateral, leverage, trigger, condition]) =>
      `Places an order that opens a ${side} position in ${asset} with ${collateral} at ${leverage} once the price is ${condition} ${trigger}.`,
  },
  place_stop_limit_order: {
    args: [MARKET, SIDE, COLLATERAL, LEVERAGE, TRIGGER, ['Limit price', 'price'], CONDITION, SLIPPAGE, LIFETIME],
    sentence: ([asset, side, collateral, leverage, trigger, limit, condition]) =>
      `Places an order that becomes a limit order at ${limit} once the price is ${condition} ${trigger}, to open a ${side} position in ${asset} with `
      + `${collateral} at ${leverage}.`,
  },
  place_trailing_stop: {
    args: [POSITION, ['Distance from the best price', 'share'], SLIPPAGE],
    sentence: ([id, distance]) => `Places an order that closes position ${id} when the price falls back ${distance} from its best.`,
  },
  set_stop_loss: {
    args: [POSITION, TRIGGER, SLIPPAGE],
    sentence: ([id, trigger]) => `Places an order that closes position ${id} at a loss when the price reaches ${trigger}.`,
  },
  set_take_profit: {
    args: [POSITION, TRIGGER, SLIPPAGE, ['Limit price', 'limit']],
    sentence: ([id, trigger]) => `Places an order that closes position ${id} with a profit when the price reaches ${trigger}.`,
  },
  cancel_order: { args: [['Order', 'number']], sentence: ([id]) => `Cancels order ${id}.` },
  deposit_cross_margin: { args: [['Amount', 'usdc']], sentence: ([sum]) => `Moves ${sum} from the account into its cross margin.` },
  withdraw_cross_margin: { args: [['Amount', 'usdc']], sentence: ([sum]) => `Takes ${sum} out of the account's cross margin.` },
}

/** Stroops of one XLM. */
const STROOPS = 10_000_000

/** `contracts`: the addresses that are known, to call a contract by its name. */
export function explain(transaction: CallTransaction, contracts: ContractAddresses | null): Explanation {
  const { call, authorizations } = transaction
  const [signer, ...rest] = call.args
  const meaning = Object.hasOwn(MEANINGS, call.functionName) ? MEANINGS[call.functionName] : undefined
  const told = rest.map((value, index) => tell(value, meaning?.args[index]?.[1]))
  const moves = authorizations.flatMap(({ subCalls }) => subCalls)
  return {
    summary: meaning === undefined ? `Calls ${call.functionName}, which this page has no words for.` : meaning.sentence(told),
    rows: [
      ['Account', `${transaction.source}${signer?.value === transaction.source ? '' : `, for ${String(signer?.value)}`}`],
      ['Contract', nameOf(call.contract, contracts)],
      ['Function', call.functionName],
      ...told.map((text, index): [string, string] => [meaning?.args[index]?.[0] ?? `Argument ${index + 2}`, text]),
      ['May move from the account', moves.length === 0 ? 'nothing but the network\'s fee' : moves.map((move) => tellMove(move, contracts)).join('; ')],
      ['Network\'s fee', `at most ${(transaction.feeStroops / STROOPS).toFixed(7)} XLM`],
      ['Valid until', moment(Number(transaction.maxTime))],
      ['Sequence number', String(transaction.sequence)],
    ],
  }
}

function tell({ type, value }: ContractValue, kind: Kind | undefined): string {
  if (kind === 'side' && type === 'u32') return value === 0 ? 'long' : value === 1 ? 'short' : `side ${String(value)}`
  if (kind === 'condition' && type === 'bool') return value === true ? 'at or above' : 'at or below'
  if (kind === 'lifetime' && type === 'u32') return value === 0 ? 'until cancelled' : `time in force ${String(value)}`
  if (kind === 'share' && typeof value === 'number') return percent(value)
  if (kind === 'times' && typeof value === 'number') return `${value} times`
  if (kind === 'usdc' && typeof value === 'bigint') return `${amount(String(value))} USDC`
  if (kind === 'price' && typeof value === 'bigint') return price(String(value))
  if (kind === 'limit' && typeof value === 'bigint') return value === 0n ? 'none' : price(String(value))
  return String(value)
}

/** What the contract may do for the account beside the call itself. */
function tellMove({ contract, functionName, args }: Authorization, contracts: ContractAddresses | null): string {
  const [, to, sum] = args
  if (functionName === 'transfer' && typeof sum?.value === 'bigint') {
    const unit = contract === contracts?.usdcToken ? 'USDC' : contract === contracts?.lpToken ? 'LP tokens' : `of the token ${short(contract)}`
    return `${amount(String(sum.value), 7).replace(/\.?0+$/, '')} ${unit} to ${nameOf(String(to?.value), contracts)}`
  }
  return `${functionName}(${args.map(({ value }) => String(value)).join(', ')}) on ${nameOf(contract, contracts)}`
}

function nameOf(address: string, contracts: ContractAddresses | null): string {
  const name = Object.entries(contracts ?? {}).find(([, each]) => each === address)?.[0]
  return name === undefined ? address : `${name} ${address}`
}
