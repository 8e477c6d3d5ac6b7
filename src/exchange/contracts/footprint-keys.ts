// The keys of ledger entries that a call may touch in another state than the simulated one, from the table of its function (footprint-table.ts).

import type { CallArgument } from './call-arguments.ts'
import type { ContractAddresses, ContractKey } from './contracts.ts'
import { entriesOf } from './footprint-table.ts'
import type { EntryGroup, Variable } from './footprint-table.ts'
import { isAtLeast } from './generations.ts'
import type { Generation } from './generations.ts'

/** A part of a storage key after its name. */
export type KeyPart =
  | { readonly type: 'address' | 'symbol'; readonly value: string }
  | { readonly type: 'u32'; readonly value: number }
  | { readonly type: 'u64'; readonly value: bigint }
  | { readonly type: 'bytes'; readonly value: Uint8Array }

/** The key of an entry that this module can name. */
export type EntryKey =
  | { readonly kind: 'trustline'; readonly account: string; readonly asset: string }
  | { readonly kind: 'instance'; readonly contract: string }
  | {
      readonly kind: 'data'
      readonly contract: string
      readonly durability: 'persistent' | 'temporary'
      readonly name: string
      readonly parts: readonly KeyPart[]
    }

/** Besides the contracts: who takes part in calls without being named in their arguments. */
export interface ExchangeParties {
  readonly contracts: ContractAddresses
  /** `CODE:ISSUER`; null while it is unknown. */
  readonly usdcAsset: string | null
  /** Receives the protocol's share of fees; null: nobody. */
  readonly treasury: string | null
  readonly generation: Generation
}

export interface CallToCover {
  readonly contract: ContractKey
  readonly functionName: string
  readonly args: readonly (CallArgument | KeyPart | { readonly type: string })[]
  /** The account that signs. */
  readonly caller: string
}

/** An entry that the transaction should declare as well. */
export interface CoveredEntry {
  readonly key: EntryKey
  readonly isWritten: boolean
  /** True for an id that does not exist yet. */
  readonly isNextId: boolean
}

export type Values = ReadonlyMap<Variable, readonly KeyPart[]>

/** The values of the variables: from the call's arguments and from the keys that its simulation touched. `nextIds` is how many ids of a counter to cover. */
export function bindVariables(call: CallToCover, touched: readonly EntryKey[], parties: ExchangeParties, nextIds: number): Values {
  const values = new Map<Variable, KeyPart[]>()
  const add = (variable: Variable, part: KeyPart): void => {
    const known = values.get(variable) ?? []
    if (!known.some(({ value }) => value === part.value)) values.set(variable, [...known, part])
  }
  for (const [index, variable] of (entriesOf(call.contract, call.functionName)?.args ?? []).entries()) {
    const arg = call.args[index]
    if (variable !== null && arg !== undefined && isKeyPart(arg)) add(variable, arg)
  }
  if (call.contract === 'vaultFactory') add('trader', { type: 'address', value: parties.contracts.vaultFactory })
  const namesTrader = values.has('trader')
  for (const key of touched) {
    if (key.kind !== 'data') continue
    for (const part of key.parts) {
      const asset = pricedAsset(part)
      if (asset !== undefined) add('priced', asset)
    }
    const [part] = key.parts
    if (key.contract !== parties.contracts.market || part === undefined) continue
    if (part.type === 'symbol') add('priced', part)
    if (key.name === 'AssetExposure') add('asset', part)
    if (!namesTrader && part.type === 'address') add('trader', part)
  }
  for (const asset of values.get('asset') ?? []) add('priced', asset)
  addNextIds(values, touched, parties, nextIds)
  return values
}

/** The entries that the call's function may touch. Only those whose variables have values. */
export function coverCall(call: CallToCover, touched: readonly EntryKey[], parties: ExchangeParties, nextIds: number): readonly CoveredEntry[] {
  const entries = entriesOf(call.contract, call.functionName)
  if (entries === undefined) return []
  const values = bindVariables(call, touched, parties, nextIds)
  const covered = (isWritten: boolean) => (template: string): readonly CoveredEntry[] =>
    instantiate(template, values, parties, call.caller).map((key) => ({ key, isWritten, isNextId: template.includes('(new') }))
  return entries.groups.filter((group) => applies(group, touched, parties))
    .flatMap(({ reads = [], writes = [] }) => [...writes.flatMap(covered(true)), ...reads.flatMap(covered(false))])
}

function applies({ since = '1', before, when }: EntryGroup, touched: readonly EntryKey[], { generation, contracts }: ExchangeParties): boolean {
  if (!isAtLeast(generation, since) || (before !== undefined && isAtLeast(generation, before))) return false
  return when === undefined || touched.some((key) => key.kind === 'data' && key.contract === contracts.market && key.name === when)
}

const TEMPLATE = /^(?:usdc of (?<holder>\w+)|instance of (?<called>\w+)|(?<contract>\w+) (?<name>\w+)(?:\((?<variable>\w+)\))?)$/

/** The keys of a template, one per value of its variable. */
export function instantiate(template: string, values: Values, parties: ExchangeParties, caller: string): readonly EntryKey[] {
  const { holder, called, contract = '', name = '', variable } = TEMPLATE.exec(template)?.groups ?? {}
  if (holder !== undefined) return holdersOf(holder, values, parties, caller).flatMap((address) => balanceOf(address, parties))
  if (called !== undefined) return [{ kind: 'instance', contract: parties.contracts[called as ContractKey] }]
  const address = parties.contracts[contract as ContractKey]
  const durability = isTemporary(name) ? 'temporary' : 'persistent'
  if (variable === undefined) return [{ kind: 'data', contract: address, durability, name, parts: [] }]
  return (values.get(variable as Variable) ?? []).map((part) => ({ kind: 'data', contract: address, durability, name, parts: [part] }))
}

const TEMPORARY: ReadonlySet<string> = new Set(['ClosedProceeds'])

/** True when entries of this name are temporary. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.has(name)
}

function holdersOf(holder: string, values: Values, { contracts, treasury }: ExchangeParties, caller: string): readonly string[] {
  if (holder === 'caller') return [caller]
  if (holder === 'treasury') return treasury === null ? [] : [treasury]
  if (holder === 'trader') return (values.get('trader') ?? []).map(({ value }) => String(value))
  return [contracts[holder as ContractKey]]
}

function balanceOf(address: string, { contracts, usdcAsset }: ExchangeParties): readonly EntryKey[] {
  if (address.startsWith('C')) {
    return [{ kind: 'data', contract: contracts.usdcToken, durability: 'persistent', name: 'Balance', parts: [{ type: 'address', value: address }] }]
  }
  // An issuer has no trustline to its own asset.
  return usdcAsset === null || usdcAsset.endsWith(`:${address}`) ? [] : [{ kind: 'trustline', account: address, asset: usdcAsset }]
}

/** The counters and the entries that their next id names. */
const COUNTED: readonly { readonly variable: Variable; readonly contract: ContractKey; readonly name: string }[] = [
  { variable: 'newPosition', contract: 'market', name: 'Position' },
  { variable: 'newOrder', contract: 'market', name: 'Order' },
  { variable: 'newVault', contract: 'vaultFactory', name: 'Vault' },
]

/** The simulation used the next id, which is the largest that it touched. */
function addNextIds(values: Map<Variable, KeyPart[]>, touched: readonly EntryKey[], parties: ExchangeParties, nextIds: number): void {
  for (const { variable, contract, name } of COUNTED) {
    const first = largestId(touched, parties.contracts[contract], name)
    if (first === undefined) continue
    const ids = Array.from({ length: nextIds }, (_, index) => BigInt(first.value) + BigInt(index))
    values.set(variable, ids.map((id): KeyPart => (first.type === 'u32' ? { type: 'u32', value: Number(id) } : { type: 'u64', value: id })))
  }
}

/** The largest id among the touched entries of this name. */
export function largestId(touched: readonly EntryKey[], contract: string, name: string): Extract<KeyPart, { type: 'u32' | 'u64' }> | undefined {
  let largest: Extract<KeyPart, { type: 'u32' | 'u64' }> | undefined
  for (const key of touched) {
    if (key.kind !== 'data' || key.contract !== contract || key.name !== name) continue
    const [id] = key.parts
    if (id !== undefined && (id.type === 'u32' || id.type === 'u64') && (largest === undefined || id.value > largest.value)) largest = id
  }
  return largest
}

/** The oracle stores prices by tag: `BTCUSD`, padded with zeros. */
function pricedAsset(part: KeyPart): KeyPart | undefined {
  if (part.type !== 'bytes') return undefined
  const tag = /^([A-Z0-9]+)USD\0*$/.exec(String.fromCharCode(...part.value))
  return tag?.[1] === undefined ? undefined : { type: 'symbol', value: tag[1] }
}

function isKeyPart(arg: { readonly type: string }): arg is KeyPart {
  return arg.type === 'address' || arg.type === 'symbol' || arg.type === 'u32' || arg.type === 'u64'
}
