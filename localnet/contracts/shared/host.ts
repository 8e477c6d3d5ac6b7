// The interface between a contract and its host: values, storage, authorization, calls and events. Contracts are pure: they read and
// change state only through their ContractEnv, so the host can record footprints and roll back a failed call.

/** A contract value: one variant per ScVal type that the exchange uses. Values are immutable. */
export type Val =
  | { readonly type: 'void' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'u32'; readonly value: number }
  | { readonly type: 'u64'; readonly value: bigint }
  | { readonly type: 'i128'; readonly value: bigint }
  | { readonly type: 'symbol'; readonly value: string }
  /** Bytes as textOfBytes returns them. */
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

/** A struct as contracts encode it: a map with symbol keys in bytewise order. */
export function struct(fields: Readonly<Record<string, Val>>): Val {
  const entries = Object.keys(fields)
    .sort()
    .map((name) => [symbol(name), fields[name] as Val] as const)
  return { type: 'map', value: entries }
}

/** Storage type. Instance data is part of the contract's instance entry; each other key is a separate ledger entry. */
export type Durability = 'persistent' | 'temporary' | 'instance'

/** An error raised by a contract: the transaction fails with `Error(Contract, #code)`. */
export class ContractFailure extends Error {
  override readonly name = 'ContractFailure'
  readonly code: number
  constructor(code: number) {
    super(`Error(Contract, #${code})`)
    this.code = code
  }
}

/** An error raised by the host: `Error(<type>, <code>)` with the names of ScErrorType and ScErrorCode. */
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

/** The host's interface to one contract invocation. */
export interface ContractEnv {
  /** The address of the current contract (`C…`). */
  readonly self: string
  /** The ledger being applied. */
  readonly ledger: { readonly sequence: number; readonly timestampSec: bigint; readonly networkId: Uint8Array }
  get(durability: Durability, key: Val): Val | undefined
  /** Writes an entry. It lives at least `lifetimeLedgers`, by default as long as the ledger's shortest lifetime. */
  set(durability: Durability, key: Val, value: Val, lifetimeLedgers?: number): void
  remove(durability: Durability, key: Val): void
  /**
   * Requires that `address` authorized this call with its function and arguments. The direct caller authorizes by calling. Throws
   * HostFailure Auth/InvalidAction otherwise.
   */
  requireAuth(address: string): void
  /**
   * Authorizes, as the current contract, one invocation deeper in the call tree of the next `call`. Direct calls need no authorization. Valid
   * once, for that `call` only.
   */
  authorizeNextCall(contract: string, functionName: string, args: readonly Val[]): void
  /** Calls another contract. Its errors propagate unchanged. */
  call(contract: string, functionName: string, args: readonly Val[]): Val
  /** Verifies an Ed25519 signature (64 bytes) with a public key (32 bytes). Throws HostFailure Crypto/InvalidInput if it is invalid. */
  verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): void
  /**
   * Replaces the code of the current contract with an uploaded module, as update_current_contract_wasm. The running call continues with the old code; the
   * next call runs the new one. Throws HostFailure Storage/MissingValue for a hash that was never uploaded.
   */
  updateCurrentContractWasm(wasmHash: Uint8Array): void
  /** Emits a contract event. */
  emit(topics: readonly Val[], data: Val): void
  /** Accounts and trustlines, for the built-in asset contracts only. */
  readonly classic: ClassicBalances
}

/** Balances of accounts, which are not in contract storage. The asset is `native` or `CODE:ISSUER`. */
export interface ClassicBalances {
  /** undefined if the account (native) or the trustline does not exist. Never called for the issuer of the asset. */
  balance(account: string, asset: string): bigint | undefined
  /** Adds `delta`, which may be negative. Returns the reason if it fails; the caller maps it to its error code. */
  add(account: string, asset: string, delta: bigint): 'ok' | 'account-missing' | 'trustline-missing' | 'insufficient' | 'overflow'
}

/** The implementation of an entry point. The host checks the number and types of arguments against the spec first. */
type ContractFunction = (env: ContractEnv, args: readonly Val[]) => Val

/** A type in a contract's published interface. */
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

/** A contract's code: its published interface and its implementation. */
export interface ContractCode {
  readonly name: string
  /** The build of a contract that has several. Part of the module, so that two builds with the same interface have different hashes. */
  readonly build?: string
  /** The SEP-11 asset of a built-in asset contract. Other contracts are published as a WASM module with a spec only. */
  readonly asset?: string
  readonly structs?: Readonly<Record<string, readonly (readonly [name: string, type: SpecType])[]>>
  /** Names of the error codes, published in the interface. */
  readonly errors?: Readonly<Record<number, string>>
  readonly entryPoints: Readonly<Record<string, EntryPoint>>
}
