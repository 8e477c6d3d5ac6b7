// Request fields as arguments of contract calls.

export type CallArgument =
  | { readonly type: 'u32'; readonly value: number }
  | { readonly type: 'u64' | 'i128'; readonly value: bigint }
  | { readonly type: 'symbol' | 'string' | 'address'; readonly value: string }
  | { readonly type: 'bool'; readonly value: boolean }

export interface ContractCall {
  readonly functionName: string
  readonly args: readonly CallArgument[]
}

/** The request fields of all operations and actions. A field has the same meaning in each of them. */
export interface CallFields {
  readonly asset: string
  /** 7-decimal USDC. */
  readonly amount: string
  readonly collateral: string
  /** Notional, 7-decimal USD. */
  readonly closeSize: string
  /** LP tokens and trader vault shares, both 7-decimal. */
  readonly lpAmount: string
  readonly shares: string
  /** The least that a deposit or withdrawal must pay out, in its own unit; 0 for no bound. */
  readonly minOut: string
  readonly leverage: number
  readonly direction: 'Long' | 'Short'
  readonly vaultId: number
  readonly positionId: number | string
  readonly orderId: number | string
  /** 7-decimal prices. */
  readonly triggerPrice: string
  readonly limitPrice: string
  /** The worst price at which an open or close may execute; 0 for no bound. */
  readonly acceptablePrice: string
  /** Sets the acceptable price this far from the simulated one, basis points. */
  readonly slippageBps: number
  readonly triggerCondition: 'Above' | 'Below'
  readonly slippageToleranceBps: number
  readonly trailingPercentBps: number
  /** 0 good till cancelled, 1 immediate or cancel, 2 post-only. */
  readonly timeInForce: number
  readonly reduceOnly: boolean
  /** Last ledger in which the allowance is valid. */
  readonly expirationLedger: number
  readonly name: string
  readonly code: string
  readonly paused: boolean
  /** The account that receives a transfer, `G…`. */
  readonly destination: string
}

export type CallField = keyof CallFields

interface Encoder<Value> {
  readonly type: CallArgument['type']
  encode(value: Value): CallArgument
}

const u32: Encoder<number> = { type: 'u32', encode: (value) => ({ type: 'u32', value }) }
const u64: Encoder<number | string> = { type: 'u64', encode: (value) => ({ type: 'u64', value: BigInt(value) }) }
/** Takes digits, because a JSON number would lose precision. */
const i128: Encoder<string> = { type: 'i128', encode: (digits) => ({ type: 'i128', value: BigInt(digits) }) }
const text: Encoder<string> = { type: 'string', encode: (value) => ({ type: 'string', value }) }
const bool: Encoder<boolean> = { type: 'bool', encode: (value) => ({ type: 'bool', value }) }
const symbol: Encoder<string> = { type: 'symbol', encode: (value) => ({ type: 'symbol', value }) }
const address: Encoder<string> = { type: 'address', encode: (value) => ({ type: 'address', value }) }

/** The fields that are arguments of their own. The market takes two others in one number; `slippageBps` determines the acceptable price. */
export type ArgumentField = Exclude<CallField, 'timeInForce' | 'reduceOnly' | 'slippageBps'>

const ENCODERS: { readonly [Field in ArgumentField]: Encoder<CallFields[Field]> } = {
  asset: symbol,
  amount: i128,
  collateral: i128,
  closeSize: i128,
  lpAmount: i128,
  shares: i128,
  minOut: i128,
  leverage: u32,
  direction: { type: 'u32', encode: (value) => u32.encode(value === 'Long' ? 0 : 1) },
  vaultId: u32,
  positionId: u64,
  orderId: u64,
  triggerPrice: i128,
  limitPrice: i128,
  acceptablePrice: i128,
  triggerCondition: { type: 'bool', encode: (value) => bool.encode(value === 'Above') },
  slippageToleranceBps: u32,
  trailingPercentBps: u32,
  expirationLedger: u32,
  name: text,
  code: text,
  paused: bool,
  destination: address,
}

/** The contract's type of a field. */
export function argumentType(field: ArgumentField): CallArgument['type'] {
  return ENCODERS[field].type
}

/** Encodes a request field as a call argument. Throws TypeError if the field is missing. */
export function encodeArgument(fields: Partial<CallFields>, field: ArgumentField): CallArgument {
  const value = fields[field]
  if (value === undefined) throw new TypeError(`${field} is missing`)
  const encoder: Encoder<never> = ENCODERS[field]
  return encoder.encode(value as never)
}

/** Added to the time in force of a reduce-only order. */
const REDUCE_ONLY_FLAG = 0x100

/** The market's `time_in_force`: the mode in the low byte, and the reduce-only flag. */
export function encodeTimeInForce({ timeInForce = 0, reduceOnly = false }: Partial<CallFields>): CallArgument {
  return { type: 'u32', value: timeInForce + (reduceOnly ? REDUCE_ONLY_FLAG : 0) }
}
