// The contract call of each request. This table is independent of the gateway's own: the client compares every prepared transaction with it
// before signing.

import type { ActionRequest, Health, OrderRequest } from './generated/resources.ts'
import { isAddress } from './strkey.ts'
import type { ContractCall, ContractValue } from './xdr.ts'

/** The exchange's contracts by name. Health lists some under a second name too. */
type ContractName = Exclude<keyof Health['contracts'], 'noeracleShim' | 'noetherRouter' | 'noeToken'>
/** Their addresses, `C…`. */
export type ContractAddresses = Readonly<Record<ContractName, string>>

/** The addresses that a gateway reports in `/v1/health`. */
export function contractAddressesOf(contracts: Health['contracts']): ContractAddresses {
  const { market, vault, oracleShim, router, usdcToken, lpToken, vaultFactory, referral } = contracts
  return {
    market: market.address, vault: vault.address, oracleShim: oracleShim.address, router: router.address,
    usdcToken: usdcToken.address, lpToken: lpToken.address, vaultFactory: vaultFactory.address, referral: referral.address,
  }
}

/** An order or another action that an account can sign. */
export type TradeRequest = OrderRequest | ActionRequest

/** The name of a request field, with a question mark when its default is 0; `@signer`, `@vault`, `@timeInForce`, or a fixed value. */
type ArgumentSpec = string | ContractValue
interface CallSpec {
  readonly contract: ContractName
  /** The contract's function, where its name differs from the request's. */
  readonly functionName?: string
  readonly args: readonly ArgumentSpec[]
  /** Arguments that contracts of later generations take after `args`. */
  readonly added?: readonly ArgumentSpec[]
  /** The field that holds the amount that leaves the account, and its token. */
  readonly spends?: readonly [field: string, token: 'usdcToken' | 'lpToken']
}

const SIGNER = '@signer'
const VAULT = '@vault'
/** The fields `timeInForce` and `reduceOnly` in one number. */
const TIME_IN_FORCE = '@timeInForce'
const REDUCE_ONLY_FLAG = 0x100
const GOOD_TILL_CANCELLED: ContractValue = { type: 'u32', value: 0 }
const COLLATERAL = ['collateral', 'usdcToken'] as const
const AMOUNT = ['amount', 'usdcToken'] as const
const ENTRY = [SIGNER, 'asset', 'collateral', 'leverage', 'direction'] as const
const LEADER_ENTRY = [SIGNER, 'vaultId', 'asset', 'collateral', 'leverage', 'direction'] as const
const PRICE_BOUND = ['acceptablePrice?'] as const
const LEAST_OUTPUT = ['minOut?'] as const

const CALLS: Readonly<Record<TradeRequest['op'], CallSpec>> = {
  open_position: { contract: 'market', args: ENTRY, added: PRICE_BOUND, spends: COLLATERAL },
  open_position_cross: { contract: 'market', args: ENTRY, added: PRICE_BOUND, spends: COLLATERAL },
  close_position: { contract: 'market', args: [SIGNER, 'positionId'], added: PRICE_BOUND },
  close_position_cross: { contract: 'market', args: [SIGNER, 'positionId'], added: PRICE_BOUND },
  close_position_partial: { contract: 'market', args: [SIGNER, 'positionId', 'closeSize'] },
  add_collateral: { contract: 'market', args: [SIGNER, 'positionId', 'amount'], spends: AMOUNT },
  remove_collateral: { contract: 'market', args: [SIGNER, 'positionId', 'amount'] },
  place_limit_order: {
    contract: 'market',
    args: [SIGNER, 'asset', 'direction', 'collateral', 'leverage', 'triggerPrice', 'triggerCondition', 'slippageToleranceBps', TIME_IN_FORCE],
    spends: COLLATERAL,
  },
  place_stop_limit_order: {
    contract: 'market',
    args: [
      SIGNER, 'asset', 'direction', 'collateral', 'leverage', 'triggerPrice', 'limitPrice', 'triggerCondition', 'slippageToleranceBps', TIME_IN_FORCE,
    ],
    spends: COLLATERAL,
  },
  place_trailing_stop: { contract: 'market', args: [SIGNER, 'positionId', 'trailingPercentBps', 'slippageToleranceBps'] },
  set_stop_loss: { contract: 'market', args: [SIGNER, 'positionId', 'triggerPrice', 'slippageToleranceBps'] },
  set_take_profit: { contract: 'market', args: [SIGNER, 'positionId', 'triggerPrice', 'slippageToleranceBps', 'limitPrice?'] },
  cancel_order: { contract: 'market', args: [SIGNER, 'orderId'] },
  deposit_cross_margin: { contract: 'market', args: [SIGNER, 'amount'], spends: AMOUNT },
  withdraw_cross_margin: { contract: 'market', args: [SIGNER, 'amount'] },
  deposit_liquidity: { contract: 'vault', functionName: 'deposit', args: [SIGNER, 'amount'], added: LEAST_OUTPUT, spends: AMOUNT },
  approve_liquidity_withdrawal: { contract: 'lpToken', functionName: 'approve', args: [SIGNER, VAULT, 'lpAmount', 'expirationLedger'] },
  withdraw_liquidity: { contract: 'vault', functionName: 'withdraw', args: [SIGNER, 'lpAmount'], added: LEAST_OUTPUT, spends: ['lpAmount', 'lpToken'] },
  claim_shortfall: { contract: 'vault', args: [SIGNER] },
  create_vault: { contract: 'vaultFactory', args: [SIGNER, 'name'] },
  deposit_vault: { contract: 'vaultFactory', functionName: 'deposit', args: [SIGNER, 'vaultId', 'amount'], added: LEAST_OUTPUT, spends: AMOUNT },
  withdraw_vault: { contract: 'vaultFactory', functionName: 'withdraw', args: [SIGNER, 'vaultId', 'shares'], added: LEAST_OUTPUT },
  leader_open_position: { contract: 'vaultFactory', args: LEADER_ENTRY },
  leader_close_position: { contract: 'vaultFactory', args: [SIGNER, 'vaultId', 'positionId'] },
  leader_place_limit_order: {
    contract: 'vaultFactory',
    args: [...LEADER_ENTRY, 'triggerPrice', 'triggerCondition', 'slippageToleranceBps'],
    added: [GOOD_TILL_CANCELLED],
  },
  leader_place_stop_limit: { contract: 'vaultFactory', args: [...LEADER_ENTRY, 'triggerPrice', 'limitPrice', 'triggerCondition', 'slippageToleranceBps'] },
  leader_set_stop_loss: { contract: 'vaultFactory', args: [SIGNER, 'vaultId', 'positionId', 'triggerPrice', 'slippageToleranceBps'] },
  leader_set_take_profit: {
    contract: 'vaultFactory', args: [SIGNER, 'vaultId', 'positionId', 'triggerPrice', 'slippageToleranceBps', 'limitPrice?'],
  },
  leader_place_trailing_stop: { contract: 'vaultFactory', args: [SIGNER, 'vaultId', 'positionId', 'trailingPercentBps', 'slippageToleranceBps'] },
  leader_cancel_order: { contract: 'vaultFactory', args: [SIGNER, 'vaultId', 'orderId'] },
  claim_leader_fees: { contract: 'vaultFactory', args: ['vaultId'] },
  set_vault_paused: { contract: 'vaultFactory', functionName: 'set_paused', args: ['vaultId', 'paused'] },
  create_referral_code: { contract: 'referral', functionName: 'create_code', args: [SIGNER, 'code'] },
  set_referrer: { contract: 'referral', args: [SIGNER, 'code'] },
  claim_referral: { contract: 'referral', functionName: 'claim', args: [SIGNER] },
  transfer_usdc: { contract: 'usdcToken', functionName: 'transfer', args: [SIGNER, 'destination', 'amount'] },
}

/** Orders that rest until a keeper executes them or they are cancelled. */
const RESTING: ReadonlySet<TradeRequest['op']> = new Set(
  ['place_limit_order', 'place_stop_limit_order', 'place_trailing_stop', 'set_stop_loss', 'set_take_profit'],
)
/** Operations of `prepareOrder`. All others belong to `prepareAction`. */
const ORDERS: ReadonlySet<TradeRequest['op']> = new Set(
  [...RESTING, 'open_position', 'open_position_cross', 'close_position', 'close_position_cross', 'cancel_order'],
)

/** Orders that a leader places for a vault. */
const VAULT_ORDERS: ReadonlySet<TradeRequest['op']> = new Set([
  'leader_place_limit_order', 'leader_place_stop_limit', 'leader_set_stop_loss', 'leader_set_take_profit', 'leader_place_trailing_stop',
])

export const isOrder = (request: TradeRequest): request is OrderRequest => ORDERS.has(request.op)
export const isResting = ({ op }: TradeRequest): boolean => RESTING.has(op)
/** True if the request places an order, of the account or of a vault that it leads. */
export const placesOrder = ({ op }: TradeRequest): boolean => RESTING.has(op) || VAULT_ORDERS.has(op)
/** The names of all operations. */
export const OPERATIONS = Object.keys(CALLS) as readonly TradeRequest['op'][]

/** The worst price of a market open or close, 0 for any price; null when the contracts take none, and for other operations. */
export function priceBoundOf({ op }: TradeRequest, { args }: ContractCall): bigint | null {
  const { args: fixed, added } = CALLS[op]
  const bound = added === PRICE_BOUND ? args[fixed.length]?.value : undefined
  return typeof bound === 'bigint' ? bound : null
}

type Encode = (value: unknown) => ContractValue
const i128: Encode = (value) => ({ type: 'i128', value: digits(value) })
const u64: Encode = (value) => ({ type: 'u64', value: digits(value) })
const u32: Encode = (value) => ({ type: 'u32', value: Number(digits(value)) })
const text: Encode = (value) => ({ type: 'string', value: String(value) })
const account: Encode = (value) => {
  if (!isAddress(String(value))) throw new TypeError('destination is not an account address (G…).')
  return { type: 'address', value: String(value) }
}
const choice = (type: string, values: Readonly<Record<string, number | boolean>>): Encode => (value) => {
  const encoded = Object.hasOwn(values, String(value)) ? values[String(value)] : undefined
  if (encoded === undefined) throw new TypeError(`${String(value)} is not one of ${Object.keys(values).join(', ')}`)
  return { type, value: encoded }
}

/** The argument type of each field. A field has the same type in every request. */
const FIELDS: Readonly<Record<string, Encode>> = {
  asset: (value) => ({ type: 'symbol', value: String(value) }),
  collateral: i128, amount: i128, closeSize: i128, lpAmount: i128, shares: i128, minOut: i128, triggerPrice: i128, limitPrice: i128, acceptablePrice: i128,
  positionId: u64, orderId: u64,
  leverage: u32, slippageToleranceBps: u32, trailingPercentBps: u32, vaultId: u32, expirationLedger: u32,
  name: text, code: text,
  direction: choice('u32', { Long: 0, Short: 1 }),
  triggerCondition: choice('bool', { Above: true, Below: false }),
  paused: choice('bool', { true: true, false: false }),
  destination: account,
}

/** An amount or id: a string of digits, or a safe non-negative integer. */
function digits(value: unknown): bigint {
  if (typeof value === 'string' && /^\d+$/.test(value)) return BigInt(value)
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  throw new TypeError(`${String(value)} is not a whole number. Write amounts as digits in 7-decimal fixed point.`)
}

/** The call and the spending that a signature on the request may authorize. */
export interface ExpectedEffect {
  readonly call: ContractCall
  /** The most that may leave the account, and its token; null when nothing may. */
  readonly spends: { readonly token: string; readonly amount: bigint } | null
}

/**
 * The contract call of a request. `preparedArgs` is the number of arguments of the prepared transaction: contracts of the first generation take fewer. Throws
 * TypeError for an invalid request.
 */
export function expectedCall(request: TradeRequest, signer: string, contracts: ContractAddresses, preparedArgs?: number): ExpectedEffect {
  if (!Object.hasOwn(CALLS, request.op)) throw new TypeError(`Unknown operation ${request.op}.`)
  const { contract, functionName = request.op, args, added = [], spends } = CALLS[request.op]
  const fields = request as unknown as Readonly<Record<string, unknown>>
  const all = [...args, ...added]
  const names = all.filter((spec) => typeof spec === 'string')
  // `clientId` names the transaction; the contract does not see it.
  const allowed = new Set(['op', 'clientId', ...names.flatMap((name) => (name === TIME_IN_FORCE ? ['timeInForce', 'reduceOnly'] : [nameOf(name)]))])
  for (const field of Object.keys(fields)) if (!allowed.has(field)) throw new TypeError(`${request.op} does not take ${field}`)
  const values = all.map(toArgument)
  // Without the added arguments only where the request does not need them.
  const isShorter = preparedArgs === args.length && values.slice(args.length).every(({ value }) => value === 0n || value === 0)
  return {
    call: { contract: contracts[contract], functionName, args: isShorter ? values.slice(0, args.length) : values },
    spends: spends === undefined ? null : { token: contracts[spends[1]], amount: digits(fields[spends[0]]) },
  }

  function toArgument(spec: ArgumentSpec): ContractValue {
    if (typeof spec !== 'string') return spec
    if (spec === SIGNER) return { type: 'address', value: signer }
    if (spec === VAULT) return { type: 'address', value: contracts.vault }
    if (spec === TIME_IN_FORCE) return timeInForceOf(fields)
    const name = nameOf(spec)
    const value = fields[name] ?? (spec === name ? undefined : '0')
    const encode = FIELDS[name]
    if (value === undefined || encode === undefined) throw new TypeError(`${request.op} needs ${name}`)
    return encode(value)
  }
}

function timeInForceOf({ timeInForce = 0, reduceOnly = false }: Readonly<Record<string, unknown>>): ContractValue {
  if (timeInForce !== 0 && timeInForce !== 1 && timeInForce !== 2) throw new TypeError(`timeInForce ${String(timeInForce)} is not 0, 1 or 2`)
  if (typeof reduceOnly !== 'boolean') throw new TypeError(`reduceOnly ${String(reduceOnly)} is not true or false`)
  return { type: 'u32', value: timeInForce + (reduceOnly ? REDUCE_ONLY_FLAG : 0) }
}

function nameOf(spec: string): string {
  return spec.endsWith('?') ? spec.slice(0, -1) : spec
}
