// Arguments of contract calls, as the tables of calls write them.

/** An argument of a contract call. */
export type CallArgument =
  | { readonly type: 'u32'; readonly value: number }
  | { readonly type: 'u64' | 'i128'; readonly value: bigint }
  | { readonly type: 'symbol' | 'string' | 'address'; readonly value: string }
  | { readonly type: 'bool'; readonly value: boolean }

/** A call of one of a contract's functions. */
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

/** From digits: a JSON number would have lost some on its way. */
export function i128(digits: string): CallArgument {
  return { type: 'i128', value: BigInt(digits) }
}

export function text(value: string): CallArgument {
  return { type: 'string', value }
}

export function bool(value: boolean): CallArgument {
  return { type: 'bool', value }
}

/** How the fields that order operations and other actions share become arguments. */
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

/** An encoder for each field. */
export type Encoders<Fields> = { readonly [Field in keyof Fields]: (value: Fields[Field]) => CallArgument }

/** The argument that a body's field becomes. Throws TypeError for one that is not there. */
export function argumentOf<Fields>(encoders: Encoders<Fields>, fields: Partial<Fields>, field: keyof Fields & string): CallArgument {
  const value = fields[field]
  if (value === undefined) throw new TypeError(`${field} is missing`)
  return encoders[field](value)
}
