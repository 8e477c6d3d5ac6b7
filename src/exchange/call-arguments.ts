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
