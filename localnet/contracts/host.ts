// What a contract of the local network sees of its host: values, storage, authorisation, calls and events. Contracts are pure: all that
// they read or change goes through the ContractEnv that they are handed, so the host can record footprints and roll everything back.

/** A contract value: one shape per ScVal type that the exchange uses. Values are never changed in place. */
export type Val =
  | { readonly type: 'void' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'u32'; readonly value: number }
  | { readonly type: 'u64'; readonly value: bigint }
  | { readonly type: 'i128'; readonly value: bigint }
  | { readonly type: 'symbol'; readonly value: string }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  /** A `G…` or `C…` address. */
  | { readonly type: 'address'; readonly value: string }
  | { readonly type: 'vec'; readonly value: readonly Val[] }
  /** Entries in wire order: keys sorted. */
  | { readonly type: 'map'; readonly value: readonly (readonly [Val, Val])[] }

export const VOID: Val = { type: 'void' }
export const bool = (value: boolean): Val => ({ type: 'bool', value })
export const u32 = (value: number): Val => ({ type: 'u32', value })
export const u64 = (value: bigint): Val => ({ type: 'u64', value })
export const i128 = (value: bigint): Val => ({ type: 'i128', value })
export const symbol = (value: string): Val => ({ type: 'symbol', value })
export const text = (value: string): Val => ({ type: 'string', value })
export const bytes = (value: Uint8Array): Val => ({ type: 'bytes', value })
export const address = (value: string): Val => ({ type: 'address', value })
export const vec = (...value: readonly Val[]): Val => ({ type: 'vec', value })

/** A struct as the contracts encode it: a map whose keys are symbols in bytewise order. */
export function struct(fields: Readonly<Record<string, Val>>): Val {
  const entries = Object.keys(fields)
    .sort()
    .map((name) => [symbol(name), fields[name] as Val] as const)
  return { type: 'map', value: entries }
}

/** Where an entry lives. Instance entries share the contract's instance; the others are ledger entries of their own. */
export type Durability = 'persistent' | 'temporary' | 'instance'

/** Raised by a contract: the transaction fails with `Error(Contract, #code)`, attributed to the contract that raised it. */
export class ContractFailure extends Error {
  override readonly name = 'ContractFailure'
  readonly code: number
  constructor(code: number) {
    super(`Error(Contract, #${code})`)
    this.code = code
  }
}

/** Raised by the host: `Error(<type>, <code>)` with the names of ScErrorType and ScErrorCode. */
export class HostFailure extends Error {
  override readonly name = 'HostFailure'
  readonly errorType: 'WasmVm' | 'Context' | 'Storage' | 'Object' | 'Crypto' | 'Events' | 'Budget' | 'Value' | 'Auth'
  readonly errorCode:
    | 'ArithDomain' | 'IndexBounds' | 'InvalidInput' | 'MissingValue' | 'ExistingValue' | 'ExceededLimit' | 'InvalidAction'
    | 'InternalError' | 'UnexpectedType' | 'UnexpectedSize'
  constructor(errorType: HostFailure['errorType'], errorCode: HostFailure['errorCode'], detail: string) {
    super(detail)
    this.errorType = errorType
    this.errorCode = errorCode
  }
}

/** The host as one running contract sees it. */
export interface ContractEnv {
  /** This contract's own address (`C…`). */
  readonly self: string
  /** The ledger being applied. */
  readonly ledger: { readonly sequence: number; readonly timestampSec: bigint; readonly networkId: Uint8Array }
  get(durability: Durability, key: Val): Val | undefined
  set(durability: Durability, key: Val, value: Val): void
  remove(durability: Durability, key: Val): void
  /**
   * Demands that `address` agreed to this very call (its function and arguments). A contract that called this one directly agrees by
   * calling. Otherwise a HostFailure Auth/InvalidAction ends the transaction.
   */
  requireAuth(address: string): void
  /**
   * Agrees, as this contract, to one call that the next `call` leads to further down: what it calls directly needs no word. The agreement holds
   * for that `call` alone, once.
   */
  authorizeNextCall(contract: string, functionName: string, args: readonly Val[]): void
  /** Calls another contract; its failure passes through unchanged. */
  call(contract: string, functionName: string, args: readonly Val[]): Val
  /** Throws HostFailure Crypto/InvalidInput unless the 32-byte key made this 64-byte Ed25519 signature over the message. */
  verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): void
  /** Emits a contract event. */
  emit(topics: readonly Val[], data: Val): void
  /** Classic state that only the built-in asset contracts see: accounts and trustlines. */
  readonly classic: ClassicBalances
}

/** Balances that accounts hold outside contract storage. The asset is `native` or `CODE:ISSUER`. */
export interface ClassicBalances {
  /** undefined: no such account (native) or no trustline. The issuer's own balance of its asset is unbounded and never read. */
  balance(account: string, asset: string): bigint | undefined
  /** Adds (or subtracts) and returns what went wrong, if anything; the caller names its error code. */
  add(account: string, asset: string, delta: bigint): 'ok' | 'account-missing' | 'trustline-missing' | 'insufficient' | 'overflow'
}

/** One entry point. Arguments have been counted and typed against its spec before it runs. */
export type ContractFunction = (env: ContractEnv, args: readonly Val[]) => Val

/** Types as they stand in a contract's published interface. */
export type SpecType =
  | 'bool' | 'u32' | 'u64' | 'i128' | 'symbol' | 'string' | 'bytes' | 'address' | 'void' | 'val'
  | { readonly vec: SpecType }
  | { readonly option: SpecType }
  | { readonly bytesN: number }
  | { readonly tuple: readonly SpecType[] }
  | { readonly struct: string }

/** An entry point and its published interface. */
export interface EntryPoint {
  readonly inputs: readonly (readonly [name: string, type: SpecType])[]
  readonly output: SpecType
  readonly run: ContractFunction
}

/** A contract's code. */
export interface ContractCode {
  readonly name: string
  /** Built-in asset contracts carry their SEP-11 asset; all others are served as a spec-only WASM module. */
  readonly asset?: string
  readonly structs?: Readonly<Record<string, readonly (readonly [name: string, type: SpecType])[]>>
  /** Names of the contract's error codes, published in its interface. */
  readonly errors?: Readonly<Record<number, string>>
  readonly entryPoints: Readonly<Record<string, EntryPoint>>
}
