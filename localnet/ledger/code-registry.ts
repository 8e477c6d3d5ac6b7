// The code behind the executables of the ledger. An instance runs the code whose module has the hash that its entry names, so an upgrade takes effect
// as soon as the entry changes.

import { defined } from '../../src/base/assert.ts'
import type { Genesis } from '../chain.ts'
import type { ContractCode } from '../contracts/shared/host.ts'
import type { InstanceEntry } from './entries.ts'
import { type WasmModule, wasmModuleOf } from './wasm-spec.ts'

/** The name and build of modules, by hash. */
export type ModuleLabels = Readonly<Record<string, string>>

export interface CodeRegistry {
  /** The code that an instance runs. */
  codeOf(instance: InstanceEntry): ContractCode
  /** True if this version of the project has the code of a module, by its hash in hex. */
  has(wasmHash: string): boolean
  /** The code with this name and build; undefined for an unknown label. */
  withLabel(label: string | undefined): ContractCode | undefined
  readonly labels: ModuleLabels
  /** Every module, once each. */
  readonly modules: readonly WasmModule[]
}

const labelOf = ({ name, build = '' }: ContractCode): string => `${name} ${build}`.trim()

/** The codes of a genesis: those of its contracts, and its uploads. */
export function createCodeRegistry({ contracts, uploads = [] }: Genesis): CodeRegistry {
  const assets = new Map<string, ContractCode>()
  const byHash = new Map<string, ContractCode>()
  const modules: WasmModule[] = []

  function add(code: ContractCode): void {
    const module = wasmModuleOf(code)
    if (!byHash.has(module.hash)) modules.push(module)
    byHash.set(module.hash, code)
  }

  for (const { address, code } of contracts) {
    if (code.asset === undefined) add(code)
    else assets.set(address, code)
  }
  for (const code of uploads) add(code)
  const byLabel = new Map([...byHash.values()].map((code) => [labelOf(code), code]))

  return {
    modules,
    codeOf: ({ contract, wasmHash }) => defined(wasmHash === null ? assets.get(contract) : byHash.get(wasmHash), 'the code of a deployed contract'),
    has: (wasmHash) => byHash.has(wasmHash),
    withLabel: (label) => (label === undefined ? undefined : byLabel.get(label)),
    labels: Object.fromEntries([...byHash].map(([hash, code]) => [hash, labelOf(code)])),
  }
}
