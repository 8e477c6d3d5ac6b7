// Describes a transaction for the user. The description comes only from the transaction that the client decoded, never from the form.

import type { Authorization, CallTransaction, ContractAddresses, ContractValue } from '../client/src/index.ts'
import { amount, dateTime, percent, price, short } from './format.ts'

/** A transaction described for the user. */
export interface Explanation {
  /** One sentence. */
  readonly summary: string
  readonly rows: readonly (readonly [name: string, value: string])[]
}

type Kind = 'text' | 'usdc' | 'leverage' | 'side' | 'price' | 'limit' | 'condition' | 'percent' | 'number' | 'lifetime'
interface ContractFunction {
  readonly args: readonly (readonly [name: string, kind: Kind])[]
  readonly sentence: (args: readonly string[]) => string
}

const MARKET = ['Market', 'text'] as const
const COLLATERAL = ['Collateral', 'usdc'] as const
const LEVERAGE = ['Leverage', 'leverage'] as const
const SIDE = ['Side', 'side'] as const
const TRIGGER = ['Trigger price', 'price'] as const
const CONDITION = ['Trigger condition', 'condition'] as const
const SLIPPAGE = ['Slippage tolerance', 'percent'] as const
const LIFETIME = ['Time in force', 'lifetime'] as const
const POSITION = ['Position', 'number'] as const
const CODE = ['Code', 'text'] as const
const AMOUNT = ['Amount', 'usdc'] as const
/** Only in contracts of generation 2. */
const WORST_PRICE = ['Worst price', 'limit'] as const

/** The market contract's functions with their arguments after the first, which is the signer's account. */
const FUNCTIONS: Readonly<Record<string, ContractFunction>> = {
  open_position: {
    args: [MARKET, COLLATERAL, LEVERAGE, SIDE, WORST_PRICE],
    sentence: ([asset, collateral, leverage, side]) => `Opens a ${side} position in ${asset} with ${collateral} at ${leverage}, at the market price.`,
  },
  open_position_cross: {
    args: [MARKET, COLLATERAL, LEVERAGE, SIDE, WORST_PRICE],
    sentence: ([asset, collateral, leverage, side]) =>
      `Opens a ${side} position in ${asset} on cross margin with ${collateral} at ${leverage}, at the market price.`,
  },
  close_position: { args: [POSITION, WORST_PRICE], sentence: ([id]) => `Closes position ${id} at the market price.` },
  close_position_cross: { args: [POSITION, WORST_PRICE], sentence: ([id]) => `Closes cross position ${id} at the market price.` },
  close_position_partial: {
    args: [POSITION, ['Size', 'usdc']], sentence: ([id, size]) => `Closes ${size} of the size of position ${id} at the market price.`,
  },
  add_collateral: { args: [POSITION, AMOUNT], sentence: ([id, sum]) => `Adds ${sum} from the account to the collateral of position ${id}.` },
  remove_collateral: { args: [POSITION, AMOUNT], sentence: ([id, sum]) => `Takes ${sum} out of the collateral of position ${id}.` },
  place_limit_order: {
    args: [MARKET, SIDE, COLLATERAL, LEVERAGE, TRIGGER, CONDITION, SLIPPAGE, LIFETIME],
    sentence: ([asset, side, collateral, leverage, trigger, condition]) =>
      `Places a limit order that opens a ${side} position in ${asset} with ${collateral} at ${leverage} when the price is ${condition} ${trigger}.`,
  },
  place_stop_limit_order: {
    args: [MARKET, SIDE, COLLATERAL, LEVERAGE, TRIGGER, ['Limit price', 'price'], CONDITION, SLIPPAGE, LIFETIME],
    sentence: ([asset, side, collateral, leverage, trigger, limit, condition]) =>
      `Places a stop-limit order that opens a ${side} position in ${asset} with ${collateral} at ${leverage}. When the price is ${condition} ${trigger}, `
      + `it becomes a limit order at ${limit}.`,
  },
  place_trailing_stop: {
    args: [POSITION, ['Trailing distance', 'percent'], SLIPPAGE],
    sentence: ([id, distance]) => `Places a trailing stop that closes position ${id} when the price retreats ${distance} from its best.`,
  },
  set_stop_loss: {
    args: [POSITION, TRIGGER, SLIPPAGE],
    sentence: ([id, trigger]) => `Places a stop-loss that closes position ${id} when the price reaches ${trigger}.`,
  },
  set_take_profit: {
    args: [POSITION, TRIGGER, SLIPPAGE, ['Limit price', 'limit']],
    sentence: ([id, trigger]) => `Places a take-profit that closes position ${id} when the price reaches ${trigger}.`,
  },
  cancel_order: { args: [['Order', 'number']], sentence: ([id]) => `Cancels order ${id}.` },
  deposit_cross_margin: { args: [AMOUNT], sentence: ([sum]) => `Deposits ${sum} from the account into its cross margin.` },
  withdraw_cross_margin: { args: [AMOUNT], sentence: ([sum]) => `Withdraws ${sum} from the account's cross margin.` },
  create_code: { args: [CODE], sentence: ([code]) => `Registers the referral code ${code} for the account. It cannot be changed later.` },
  set_referrer: { args: [CODE], sentence: ([code]) => `Makes the owner of the referral code ${code} the referrer of the account. It cannot be changed later.` },
  claim: { args: [], sentence: () => 'Claims the referral earnings of the account.' },
}

const STROOPS_PER_XLM = 10_000_000

/** `contracts`: known addresses, so that contracts are shown by name. */
export function explain(transaction: CallTransaction, contracts: ContractAddresses | null): Explanation {
  const { call, authorizations } = transaction
  const [signer, ...rest] = call.args
  const known = Object.hasOwn(FUNCTIONS, call.functionName) ? FUNCTIONS[call.functionName] : undefined
  const args = rest.map((value, index) => describeValue(value, known?.args[index]?.[1]))
  const transfers = authorizations.flatMap(({ subCalls }) => subCalls)
  return {
    summary: known === undefined ? `Calls ${call.functionName}, which this page does not know. Check the arguments below.` : known.sentence(args),
    rows: [
      ['Account', `${transaction.source}${signer?.value === transaction.source ? '' : `, for ${String(signer?.value)}`}`],
      ['Contract', nameOf(call.contract, contracts)],
      ['Function', call.functionName],
      ...args.map((text, index): [string, string] => [known?.args[index]?.[0] ?? `Argument ${index + 2}`, text]),
      ['Authorizes', transfers.length === 0 ? 'no transfers' : transfers.map((transfer) => describeAuthorization(transfer, contracts)).join('; ')],
      ['Network fee', `at most ${(transaction.feeStroops / STROOPS_PER_XLM).toFixed(7)} XLM`],
      ['Valid until', dateTime(Number(transaction.maxTime))],
      ['Sequence number', String(transaction.sequence)],
    ],
  }
}

function describeValue({ type, value }: ContractValue, kind: Kind | undefined): string {
  if (kind === 'side' && type === 'u32') return value === 0 ? 'long' : value === 1 ? 'short' : `side ${String(value)}`
  if (kind === 'condition' && type === 'bool') return value === true ? 'at or above' : 'at or below'
  if (kind === 'lifetime' && type === 'u32') return value === 0 ? 'until cancelled' : `time in force ${String(value)}`
  if (kind === 'percent' && typeof value === 'number') return percent(value)
  if (kind === 'leverage' && typeof value === 'number') return `${value}× leverage`
  if (kind === 'usdc' && typeof value === 'bigint') return `${amount(String(value))} USDC`
  if (kind === 'price' && typeof value === 'bigint') return price(String(value))
  if (kind === 'limit' && typeof value === 'bigint') return value === 0n ? 'none' : price(String(value))
  return String(value)
}

/** A further call that the contract may make in the account's name, usually a token transfer. */
function describeAuthorization({ contract, functionName, args }: Authorization, contracts: ContractAddresses | null): string {
  const [, to, sum] = args
  if (functionName === 'transfer' && typeof sum?.value === 'bigint') {
    const unit = contract === contracts?.usdcToken ? 'USDC' : contract === contracts?.lpToken ? 'LP tokens' : `of token ${short(contract)}`
    return `${amount(String(sum.value), 7).replace(/\.?0+$/, '')} ${unit} to ${nameOf(String(to?.value), contracts)}`
  }
  return `${functionName}(${args.map(({ value }) => String(value)).join(', ')}) on ${nameOf(contract, contracts)}`
}

function nameOf(address: string, contracts: ContractAddresses | null): string {
  const name = Object.entries(contracts ?? {}).find(([, each]) => each === address)?.[0]
  return name === undefined ? address : `${name} ${address}`
}
