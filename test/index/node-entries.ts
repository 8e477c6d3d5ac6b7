// Ledger entries of the fake node: positions and orders of the market, contract instances and their code.

import { Address, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { contractCodeKey, tagKeyOf } from '../../src/chain/codec/contract-code.ts'
import type { CodeReference } from '../../src/chain/codec/executable.ts'
import { instanceKey } from '../../src/chain/codec/ledger-keys.ts'
import { numberedKey, singleKey } from '../../src/chain/views/market-entries.ts'
import { wasmHashOf } from '../../src/chain/codec/test-wasm.ts'

/** A position as its ledger entry states it. */
export interface NodePosition {
  readonly market: string
  readonly id: number
  readonly mode: 'isolated' | 'cross'
}

/** An order as its ledger entry states it. */
export interface NodeOrder {
  readonly market: string
  readonly id: number
  readonly trader: string
  /** Null: not in a closed ledger yet. */
  readonly placedSec: number | null
  readonly pending: boolean
  /** True if it was cancelled; by default it was executed. */
  readonly cancelled?: boolean
  /** By default the entry has all of its fields. */
  readonly unreadable?: boolean
}

interface StoredEntry {
  readonly keyXdr: string
  readonly dataXdr: string
  readonly lastModifiedLedger: number
  readonly liveUntilLedger: number
}

/** The executable of a contract: a module, the code that an entry of another contract names, or an executable of a type that no gateway knows. */
export type NodeInstance = { readonly modifiedLedger: number } & (
  { readonly wasm: Uint8Array } | { readonly reference: CodeReference } | { readonly executableType: number }
)

/** The entry that a reference names. */
export interface NodeTag extends CodeReference {
  readonly wasm: Uint8Array
  readonly modifiedLedger: number
}

/** The ledger entries with these keys: positions, orders, contract instances and code. */
export function readEntries(
  { positions, orders, instances, tags, modules }: {
    readonly positions: readonly NodePosition[]
    readonly orders: readonly NodeOrder[]
    readonly instances: ReadonlyMap<string, NodeInstance>
    readonly tags: readonly NodeTag[]
    readonly modules: readonly Uint8Array[]
  },
  keysXdr: readonly string[],
): StoredEntry[] {
  const entries: { keyXdr: string; modifiedLedger?: number; encode: () => string }[] = [
    ...positions.map((position) => ({ keyXdr: numberedKey(position.market, 'Position', position.id), encode: () => positionEntry(position) })),
    ...orders.map((order) => ({ keyXdr: numberedKey(order.market, 'Order', order.id), encode: () => orderEntry(order) })),
    ...[...Map.groupBy(orders, ({ market }) => market)].map(([market, { length }]) => {
      return { keyXdr: singleKey(market, 'OrderCounter'), encode: () => marketEntry(market, ['OrderCounter'], nativeToScVal(length, { type: 'u64' })) }
    }),
    ...[...instances].map(([address, instance]) => {
      return { keyXdr: instanceKey(address), modifiedLedger: instance.modifiedLedger, encode: () => instanceEntry(address, instance) }
    }),
    ...tags.map((tag) => ({ keyXdr: tagKeyOf(tag), modifiedLedger: tag.modifiedLedger, encode: () => tagEntry(tag) })),
    ...modules.map((wasm) => ({ keyXdr: contractCodeKey(wasmHashOf(wasm)), encode: () => codeEntry(wasm) })),
  ]
  return entries
    .filter(({ keyXdr }) => keysXdr.includes(keyXdr))
    .map(({ keyXdr, encode, modifiedLedger = 1 }) => ({ keyXdr, dataXdr: encode(), lastModifiedLedger: modifiedLedger, liveUntilLedger: 1_000_000 }))
}

function instanceEntry(address: string, instance: NodeInstance): string {
  const val = xdr.ScVal.scvContractInstance(new xdr.ScContractInstance({ executable: executableOf(instance), storage: null }))
  const entry = Buffer.from(persistentEntry(address, xdr.ScVal.scvLedgerKeyContractInstance(), val), 'base64')
  if ('executableType' in instance) entry.writeUInt32BE(instance.executableType, EXECUTABLE_OFFSET)
  return entry.toString('base64')
}

/** After type, extension, contract, key, durability and type of the value. */
const EXECUTABLE_OFFSET = 56

function executableOf(instance: NodeInstance): xdr.ContractExecutable {
  if ('wasm' in instance) return xdr.ContractExecutable.contractExecutableWasm(Buffer.from(wasmHashOf(instance.wasm), 'hex'))
  if ('executableType' in instance) return xdr.ContractExecutable.contractExecutableStellarAsset()
  const { owner, tag } = instance.reference
  const executableOwner = new Address(owner).toScAddress()
  return xdr.ContractExecutable.contractExecutableExternalRef(new xdr.ContractExecutableExternalRef({ executableOwner, tag }))
}

function tagEntry({ owner, tag, wasm }: NodeTag): string {
  return persistentEntry(owner, xdr.ScVal.scvExecutableTag(tag), xdr.ScVal.scvBytes(Buffer.from(wasmHashOf(wasm), 'hex')))
}

function persistentEntry(contract: string, key: xdr.ScVal, val: xdr.ScVal): string {
  const durability = xdr.ContractDataDurability.persistent
  return xdr.LedgerEntryData.contractData(
    new xdr.ContractDataEntry({ ext: xdr.ExtensionPoint.v0(), contract: new Address(contract).toScAddress(), key, durability, val }),
  ).toXdr('base64')
}

function codeEntry(wasm: Uint8Array): string {
  const ext = xdr.ContractCodeEntryExt.fromXdr(Buffer.alloc(4))
  return xdr.LedgerEntryData.contractCode(new xdr.ContractCodeEntry({ ext, hash: Buffer.from(wasmHashOf(wasm), 'hex'), code: wasm })).toXdr('base64')
}

function positionEntry({ market, id, mode }: NodePosition): string {
  return numberedEntry(market, 'Position', id, {
    id: nativeToScVal(id, { type: 'u64' }),
    margin_mode: nativeToScVal(mode === 'cross' ? 1 : 0, { type: 'u32' }),
  })
}

function orderEntry({ market, id, trader, placedSec, pending, cancelled = false, unreadable = false }: NodeOrder): string {
  const u32 = (value: number): xdr.ScVal => nativeToScVal(value, { type: 'u32' })
  const i128 = (value: bigint): xdr.ScVal => nativeToScVal(value, { type: 'i128' })
  const status = cancelled ? 2 : 1
  const state = {
    created_at: nativeToScVal(placedSec ?? 0, { type: 'u64' }),
    id: nativeToScVal(id, { type: 'u64' }),
    status: u32(pending ? 0 : status),
    trader: new Address(trader).toScVal(),
  }
  const terms = {
    asset: nativeToScVal('BTC', { type: 'symbol' }), collateral: i128(10n), direction: u32(id % 2), has_position: nativeToScVal(false), leverage: u32(3),
    limit_price: i128(0n), order_type: u32(0), position_id: nativeToScVal(0, { type: 'u64' }), slippage_tolerance_bps: u32(50), stop_limit_phase: u32(0),
    time_in_force: u32(0), trailing_percent_bps: u32(0), trigger_condition: u32(0), trigger_price: i128(7n),
  }
  const fields: Readonly<Record<string, xdr.ScVal>> = unreadable ? state : { ...state, ...terms }
  return numberedEntry(market, 'Order', id, Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** An entry with the key [name, id]. The fields must be in alphabetical order. */
function numberedEntry(market: string, name: string, id: number, fields: Readonly<Record<string, xdr.ScVal>>): string {
  const val = xdr.ScVal.scvMap(
    Object.entries(fields).map(([field, value]) => new xdr.ScMapEntry({ key: nativeToScVal(field, { type: 'symbol' }), val: value })),
  )
  return marketEntry(market, [name, id], val)
}

function marketEntry(market: string, [name, id]: readonly [string, number?], val: xdr.ScVal): string {
  const key = xdr.ScVal.scvVec([nativeToScVal(name, { type: 'symbol' }), ...(id === undefined ? [] : [nativeToScVal(id, { type: 'u64' })])])
  return persistentEntry(market, key, val)
}
