// The code behind contract addresses: which executable an instance has, and the interface that the code declares.

import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'

import type { ContractSpec } from '../exchange/contract-spec.ts'
import { parseContractSpec, UnreadableContractSpec, WASM_MAX_BYTES } from './contract-spec.ts'
import { instanceKey } from './ledger-keys.ts'
import type { CallOptions } from './rpc-request.ts'
import type { Rpc } from './rpc.ts'
import { BASE64_MAX_LENGTH } from './scval.ts'

/** What runs when a contract is called. `unsupported` is a kind of executable that this version does not know. */
export type Executable =
  /** The hash is lower-case hex. */
  | { readonly kind: 'wasm'; readonly wasmHash: string }
  /** The built-in contract of a classic asset. */
  | { readonly kind: 'asset' }
  | { readonly kind: 'unsupported' }

export interface ContractInstance {
  readonly executable: Executable
  /** The instance entry also changes with the instance storage, so the code is at least this old only if it has not changed since. */
  readonly lastModifiedLedger: number
}

export interface ContractInstances {
  /** The ledger at which the instances were read. */
  readonly ledger: number
  /** By address. Addresses without a readable instance are missing. */
  readonly instances: ReadonlyMap<string, ContractInstance>
}

/** Reads the instances of several contracts in one call at one ledger. Rejects with RpcFailure. */
export async function readContractInstances(rpc: Rpc, addresses: readonly string[], options: CallOptions = {}): Promise<ContractInstances> {
  const keys = new Map(addresses.map((address) => [instanceKey(address), address]))
  const { entries, latestLedger } = await rpc.getLedgerEntries([...keys.keys()], options)
  const instances = new Map<string, ContractInstance>()
  for (const { keyXdr, dataXdr, lastModifiedLedger } of entries) {
    const address = keys.get(keyXdr)
    const executable = executableOf(dataXdr)
    if (address !== undefined && executable !== undefined) instances.set(address, { executable, lastModifiedLedger })
  }
  return { ledger: latestLedger, instances }
}

function executableOf(dataXdr: string): Executable | undefined {
  const data = ledgerEntryData(dataXdr, BASE64_MAX_LENGTH)
  if (data?.type !== 'contractData' || data.contractData.val.type !== 'scvContractInstance') return undefined
  const { executable } = data.contractData.val.instance
  if (executable.type === 'contractExecutableWasm') return { kind: 'wasm', wasmHash: Buffer.from(executable.wasmHash.value).toString('hex') }
  return { kind: executable.type === 'contractExecutableStellarAsset' ? 'asset' : 'unsupported' }
}

/** The code with a hash. Exactly one of `spec` and `problem` is null. */
export type ContractCodeReading =
  | { readonly spec: ContractSpec; readonly problem: null }
  /** Code that exists has no readable interface; it never will. */
  | { readonly spec: null; readonly problem: string }

/**
 * Reads the interface of the code with this hash (hex). Undefined when the node has no such code, or sends other code. Rejects with RpcFailure. One hash per
 * call: code has up to 128 KiB.
 */
export async function readContractCode(rpc: Rpc, wasmHash: string, options: CallOptions = {}): Promise<ContractCodeReading | undefined> {
  const key = contractCodeKey(wasmHash)
  const { entries } = await rpc.getLedgerEntries([key], options)
  const entry = entries.find(({ keyXdr }) => keyXdr === key)
  const data = entry === undefined ? undefined : ledgerEntryData(entry.dataXdr, CODE_BASE64_MAX_LENGTH)
  if (data?.type !== 'contractCode') return undefined
  const { code } = data.contractCode
  // The hash names the code forever, so other code under it must never reach the database.
  if (createHash('sha256').update(code).digest('hex') !== wasmHash) return undefined
  try {
    return { spec: parseContractSpec(code), problem: null }
  } catch (error) {
    if (error instanceof UnreadableContractSpec) return { spec: null, problem: error.message }
    throw error
  }
}

/** The base64 LedgerKey of the code with this hash (hex). */
export function contractCodeKey(wasmHash: string): string {
  return xdr.LedgerKey.contractCode(new xdr.LedgerKeyContractCode({ hash: Buffer.from(wasmHash, 'hex') })).toXdr('base64')
}

const CODE_BASE64_MAX_LENGTH = (WASM_MAX_BYTES * 4) / 3 + 1_024

function ledgerEntryData(dataXdr: string, maxLength: number): xdr.LedgerEntryData | undefined {
  if (dataXdr.length > maxLength) return undefined
  try {
    return xdr.LedgerEntryData.fromXdr(dataXdr, 'base64')
  } catch {
    return undefined
  }
}

/** An update of a contract's code, as the host announces it in a system event. */
export interface ExecutableUpdate {
  readonly before: Executable
  readonly after: Executable
}

/** Reads the topics (base64 ScVal) of the system event `executable_update`. Undefined for any other event. */
export function readExecutableUpdate(topicsXdr: readonly string[]): ExecutableUpdate | undefined {
  if (topicsXdr.length !== 3 || topicsXdr.some((topic) => topic.length > TOPIC_MAX_LENGTH)) return undefined
  try {
    const [name, before, after] = topicsXdr.map((topic) => xdr.ScVal.fromXdr(topic, 'base64'))
    if (name?.type !== 'scvSymbol' || name.sym.toString() !== 'executable_update' || before === undefined || after === undefined) return undefined
    return { before: executableOfVal(before), after: executableOfVal(after) }
  } catch {
    return undefined
  }
}

const TOPIC_MAX_LENGTH = 512

/** The host describes an executable as a vector of its kind and, for WASM, its hash. */
function executableOfVal(value: xdr.ScVal): Executable {
  if (value.type !== 'scvVec') return { kind: 'unsupported' }
  const [kind, hash] = value.vec ?? []
  const name = kind?.type === 'scvSymbol' ? kind.sym.toString() : ''
  if (name === 'Wasm' && hash?.type === 'scvBytes') return { kind: 'wasm', wasmHash: Buffer.from(hash.bytes.value).toString('hex') }
  return { kind: name === 'StellarAsset' ? 'asset' : 'unsupported' }
}
