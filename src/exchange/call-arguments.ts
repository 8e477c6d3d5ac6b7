// Arguments of contract calls.

export type CallArgument =
  | { readonly type: 'u32'; readonly value: number }
  | { readonly type: 'u64' | 'i128'; readonly value: bigint }
  | { readonly type: 'symbol' | 'string' | 'address'; readonly value: string }
  | { readonly type: 'bool'; readonly value: boolean }

export interface ContractCall {
  readonly functionName: string
  readonly args: readonly CallArgument[]
}

export function u32(value: number): CallArgument {
  return { type: 'u32', value }
}

export function u64(value: number | string): CallArgument {
  return { type: 'u64', value: BigInt(value) }
}

/** Takes digits, because a JSON number would lose precision. */
export function i128(digits: string): CallArgument {
  return { type: 'i128', value: BigInt(digits) }
}

export function text(value: string): CallArgument {
  return { type: 'string', value }
}

export function bool(value: boolean): CallArgument {
  return { type: 'bool', value }
}

/** Encoders of the fields shared by order operations and other actions. */
export const SHARED_ENCODERS = {
  asset: (value: string): CallArgument => ({ type: 'symbol', value }),
  collateral: i128,
  leverage: u32,
  direction: (value: 'Long' | 'Short') => u32(value === 'Long' ? 0 : 1),
  positionId: u64,
  orderId: u64,
  triggerPrice: i128,
  triggerCondition: (value: 'Above' | 'Below') => bool(value === 'Above'),
  slippageToleranceBps: u32,
} as const

export type Encoders<Fields> = { readonly [Field in keyof Fields]: (value: Fields[Field]) => CallArgument }

/** Encodes a request field as a call argument. Throws TypeError if the field is missing. */
export function argumentOf<Fields>(encoders: Encoders<Fields>, fields: Partial<Fields>, field: keyof Fields & string): CallArgument {
  const value = fields[field]
  if (value === undefined) throw new TypeError(`${field} is missing`)
  return encoders[field](value)
}
