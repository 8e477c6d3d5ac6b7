// The contracts' functions with their arguments after the first, which is usually the signer's account, and what they do in a sentence.

/** The format in which an argument is shown. `least…`: the least to receive; 0 is no bound. */
export type Kind =
  | 'text' | 'usdc' | 'lp' | 'shares' | 'leverage' | 'side' | 'price' | 'limit' | 'condition' | 'percent' | 'number' | 'lifetime' | 'paused'
  | 'leastUsdc' | 'leastLp' | 'leastShares'

export interface ContractFunction {
  /** False where the first argument is not the signer's account. */
  readonly hasSigner?: false
  /** A trade at the market price that takes no worst price. */
  readonly isUnbounded?: true
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
const AMOUNT = ['Amount', 'usdc'] as const
/** Only in contracts of generation 2. */
export const WORST_PRICE = ['Worst price', 'limit'] as const

const MARKET_FUNCTIONS: Readonly<Record<string, ContractFunction>> = {
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
    isUnbounded: true, args: [POSITION, ['Size', 'usdc']], sentence: ([id, size]) => `Closes ${size} of the size of position ${id} at the market price.`,
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
}

const VAULT = ['Vault', 'number'] as const
const LEAST_USDC = ['At least', 'leastUsdc'] as const
const LP_TOKENS = ['LP tokens', 'lp'] as const

const POOL_FUNCTIONS: Readonly<Record<string, ContractFunction>> = {
  deposit: { args: [AMOUNT, ['At least', 'leastLp']], sentence: ([sum]) => `Deposits ${sum} from the account into the liquidity pool, for LP tokens.` },
  withdraw: { args: [LP_TOKENS, LEAST_USDC], sentence: ([sum]) => `Returns ${sum} to the liquidity pool, for USDC.` },
  claim_shortfall: { args: [], sentence: () => 'Claims profit that the pool could not pay when a position was closed.' },
}

const LP_TOKEN_FUNCTIONS: Readonly<Record<string, ContractFunction>> = {
  approve: {
    args: [['Spender', 'text'], LP_TOKENS, ['Until ledger', 'number']],
    sentence: ([spender, sum, ledger]) => `Allows ${spender} to take ${sum} from the account until ledger ${ledger}.`,
  },
}

const USDC_FUNCTIONS: Readonly<Record<string, ContractFunction>> = {
  transfer: { args: [['Destination', 'text'], AMOUNT], sentence: ([destination, sum]) => `Sends ${sum} from the account to ${destination}.` },
}

const FACTORY_FUNCTIONS: Readonly<Record<string, ContractFunction>> = {
  create_vault: { args: [['Name', 'text']], sentence: ([name]) => `Creates a trader vault named “${name}”, led by the account.` },
  deposit: {
    args: [VAULT, AMOUNT, ['At least', 'leastShares']], sentence: ([id, sum]) => `Deposits ${sum} from the account into trader vault ${id}, for shares.`,
  },
  withdraw: { args: [VAULT, ['Shares', 'shares'], LEAST_USDC], sentence: ([id, sum]) => `Returns ${sum} to trader vault ${id}, for USDC.` },
  claim_leader_fees: { hasSigner: false, args: [VAULT], sentence: ([id]) => `Claims the leader's profit share of vault ${id}.` },
  set_paused: { hasSigner: false, args: [VAULT, ['State', 'paused']], sentence: ([id, state]) => `Sets vault ${id} to ${state}.` },
  leader_open_position: {
    isUnbounded: true, args: [VAULT, MARKET, COLLATERAL, LEVERAGE, SIDE],
    sentence: ([id, asset, collateral, leverage, side]) =>
      `Opens a ${side} position in ${asset} with ${collateral} of vault ${id} at ${leverage}, at the market price.`,
  },
  leader_close_position: {
    isUnbounded: true, args: [VAULT, POSITION], sentence: ([id, position]) => `Closes position ${position} of vault ${id} at the market price.`,
  },
  leader_place_limit_order: {
    args: [VAULT, MARKET, COLLATERAL, LEVERAGE, SIDE, TRIGGER, CONDITION, SLIPPAGE, LIFETIME],
    sentence: ([id, asset, collateral, leverage, side, trigger, condition]) =>
      `Places a limit order that opens a ${side} position in ${asset} with ${collateral} of vault ${id} at ${leverage} when the price is `
      + `${condition} ${trigger}.`,
  },
  leader_place_stop_limit: {
    args: [VAULT, MARKET, COLLATERAL, LEVERAGE, SIDE, TRIGGER, ['Limit price', 'price'], CONDITION, SLIPPAGE],
    sentence: ([id, asset, collateral, leverage, side, trigger, limit, condition]) =>
      `Places a stop-limit order that opens a ${side} position in ${asset} with ${collateral} of vault ${id} at ${leverage}. When the price is ${condition} `
      + `${trigger}, it becomes a limit order at ${limit}.`,
  },
  leader_set_stop_loss: {
    args: [VAULT, POSITION, TRIGGER, SLIPPAGE],
    sentence: ([id, position, trigger]) => `Places a stop-loss that closes position ${position} of vault ${id} when the price reaches ${trigger}.`,
  },
  leader_set_take_profit: {
    args: [VAULT, POSITION, TRIGGER, SLIPPAGE, ['Limit price', 'limit']],
    sentence: ([id, position, trigger]) => `Places a take-profit that closes position ${position} of vault ${id} when the price reaches ${trigger}.`,
  },
  leader_place_trailing_stop: {
    args: [VAULT, POSITION, ['Trailing distance', 'percent'], SLIPPAGE],
    sentence: ([id, position, distance]) =>
      `Places a trailing stop that closes position ${position} of vault ${id} when the price retreats ${distance} from its best.`,
  },
  leader_cancel_order: { args: [VAULT, ['Order', 'number']], sentence: ([id, order]) => `Cancels order ${order} of vault ${id}.` },
}

const CODE = ['Code', 'text'] as const

const REFERRAL_FUNCTIONS: Readonly<Record<string, ContractFunction>> = {
  create_code: { args: [CODE], sentence: ([code]) => `Registers the referral code ${code} for the account. It cannot be changed later.` },
  set_referrer: { args: [CODE], sentence: ([code]) => `Makes the owner of the referral code ${code} the referrer of the account. It cannot be changed later.` },
  claim: { args: [], sentence: () => 'Claims the referral earnings of the account.' },
}

const TABLES: Readonly<Record<string, Readonly<Record<string, ContractFunction>>>> = {
  market: MARKET_FUNCTIONS, vault: POOL_FUNCTIONS, lpToken: LP_TOKEN_FUNCTIONS, usdcToken: USDC_FUNCTIONS, vaultFactory: FACTORY_FUNCTIONS,
  referral: REFERRAL_FUNCTIONS,
}

/** `contract`: its name. Undefined for a function that the page does not know. */
export function findContractFunction(contract: string, functionName: string): ContractFunction | undefined {
  const table = Object.hasOwn(TABLES, contract) ? TABLES[contract] : undefined
  return table !== undefined && Object.hasOwn(table, functionName) ? table[functionName] : undefined
}
