// The code behind contract addresses: which executable an instance has, and the interface that the code declares.

import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'

import type { ContractSpec } from '../../exchange/contracts/contract-spec.ts'
import { parseContractSpec, UnreadableContractSpec, WASM_MAX_BYTES } from './contract-spec.ts'
import { readExecutable, readExecutableVal } from './executable.ts'
import type { CodeReference, Executable } from './executable.ts'
import { executableTagKey, instanceKey } from './ledger-keys.ts'
import type { LedgerEntriesResponse, LedgerEntry } from '../rpc/responses.ts'
import type { CallOptions } from '../rpc/rpc-request.ts'
import { ENTRY_KEYS_MAX } from '../rpc/rpc.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { BASE64_MAX_LENGTH, encodeScVal } from './scval.ts'

/** The value of the entry that a reference names. */
interface TagEntry {
  /** Lower-case hex. */
  readonly wasmHash: string
  readonly lastModifiedLedger: number
}

/** By `tagKeyOf`. Entries that do not exist, or hold no hash, are missing. */
export type TagEntries = ReadonlyMap<string, TagEntry>

interface ContractInstance {
  readonly executable: Executable
  /** The instance entry also changes with the instance storage, so the executable is at least this old only if it has not changed since. */
  readonly lastModifiedLedger: number
}

export interface ContractInstances {
  /** The ledger at which the instances and the entries of their references were read. */
  readonly ledger: number
  /** By address. Addresses without a readable instance are missing. */
  readonly instances: ReadonlyMap<string, ContractInstance>
  readonly tags: TagEntries
}

/** Reads the instances of several contracts, and the entries that they refer to, at one ledger. Rejects with RpcFailure. */
export async function readContractInstances(rpc: Rpc, addresses: readonly string[], options: CallOptions = {}): Promise<ContractInstances> {
  const keys = new Map(addresses.map((address) => [instanceKey(address), address]))
  const first = await rpc.getLedgerEntries([...keys.keys()], options)
  const tagKeys = new Set([...instancesIn(first, keys).values()].flatMap(({ executable }) => (executable.kind === 'reference' ? [tagKeyOf(executable)] : [])))
  if (tagKeys.size === 0) return { ledger: first.latestLedger, instances: instancesIn(first, keys), tags: new Map() }
  // Both are read again together, because either may have changed in between.
  const response = await rpc.getLedgerEntries([...keys.keys(), ...tagKeys].slice(0, ENTRY_KEYS_MAX), options)
  const isComplete = ({ executable }: ContractInstance): boolean => executable.kind !== 'reference' || tagKeys.has(tagKeyOf(executable))
  const instances = [...instancesIn(response, keys)].filter(([, instance]) => isComplete(instance))
  return { ledger: response.latestLedger, instances: new Map(instances), tags: tagEntriesIn(response.entries) }
}

function instancesIn({ entries }: LedgerEntriesResponse, keys: ReadonlyMap<string, string>): Map<string, ContractInstance> {
  const instances = new Map<string, ContractInstance>()
  for (const { keyXdr, dataXdr, lastModifiedLedger } of entries) {
    const address = keys.get(keyXdr)
    const executable = dataXdr.length > BASE64_MAX_LENGTH ? undefined : readExecutable(dataXdr)
    if (address !== undefined && executable !== undefined) instances.set(address, { executable, lastModifiedLedger })
  }
  return instances
}

/** Reads the entries of these references. Rejects with RpcFailure. */
export async function readTagEntries(rpc: Rpc, references: readonly CodeReference[], options: CallOptions = {}): Promise<TagEntries> {
  const keys = [...new Set(references.map(tagKeyOf))].slice(0, ENTRY_KEYS_MAX)
  return keys.length === 0 ? new Map() : tagEntriesIn((await rpc.getLedgerEntries(keys, options)).entries)
}

function tagEntriesIn(entries: readonly LedgerEntry[]): TagEntries {
  const found = new Map<string, TagEntry>()
  for (const { keyXdr, dataXdr, lastModifiedLedger } of entries) {
    const data = ledgerEntryData(dataXdr, BASE64_MAX_LENGTH)
    if (data?.type !== 'contractData' || data.contractData.val.type !== 'scvBytes') continue
    const hash = data.contractData.val.bytes.value
    if (hash.length === HASH_LENGTH) found.set(keyXdr, { wasmHash: Buffer.from(hash).toString('hex'), lastModifiedLedger })
  }
  return found
}

/** The base64 LedgerKey of the entry that a reference names. */
export function tagKeyOf({ owner, tag }: CodeReference): string {
  return executableTagKey(owner, tag)
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

const HASH_LENGTH = 32
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
  const [name, beforeXdr, afterXdr, more] = topicsXdr
  if (name !== EXECUTABLE_UPDATE || beforeXdr === undefined || afterXdr === undefined || more !== undefined) return undefined
  const [before, after] = [readExecutableVal(beforeXdr), readExecutableVal(afterXdr)]
  return before === undefined || after === undefined ? undefined : { before, after }
}

const EXECUTABLE_UPDATE = encodeScVal({ type: 'symbol', value: 'executable_update' })

