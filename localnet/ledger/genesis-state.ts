// The genesis state: contracts, accounts, trustlines, and the changes of the deployment's calls.

import type { Genesis, GenesisContract } from '../chain.ts'
import type { ContractCode } from '../contracts/host.ts'
import { createAccountEntry, createTrustlineEntry, findAccount, findTrustline } from './classic-entries.ts'
import { issuerOf } from './addresses.ts'
import { allowAllAuthorizer } from './auth.ts'
import { INT64_MAX, TTL_EXTEND_TO_LEDGERS } from './constants.ts'
import type { Entry } from './entries.ts'
import { createRecordingFootprint } from './footprint.ts'
import { errorText } from './host-events.ts'
import { codeKey, instanceKey, keyOf } from './keys.ts'
import { runCall } from './soroban-run.ts'
import { createLayer, findEntry, type Layer, type View } from './state.ts'
import { createLedgerEntry } from './ledger-entry.ts'
import { wasmModuleOf } from './wasm-spec.ts'

/** The sequence of the genesis ledger. */
export const GENESIS_SEQUENCE = 1

/** The code at each address. */
export function contractsByAddress(genesis: Genesis): ReadonlyMap<string, ContractCode> {
  return new Map(genesis.contracts.map(({ address, code }) => [address, code]))
}

/** Builds the genesis state on `parent`, which is empty. Throws when a deployment call fails. */
export function buildGenesisLayer(parent: View, genesis: Genesis, networkId: Uint8Array, closeTimeSec: number): Layer {
  const layer = createLayer(parent)
  deployContracts(layer, genesis.contracts, GENESIS_SEQUENCE)
  for (const { address, balance } of genesis.accounts) putEntry(layer, createAccountEntry(address, balance, 0), GENESIS_SEQUENCE)
  for (const { account, asset, balance } of genesis.trustlines) openTrustline(layer, account, asset, balance, GENESIS_SEQUENCE)
  const contracts = contractsByAddress(genesis)
  for (const { contract, functionName, args } of genesis.calls) {
    const run = runCall(
      {
        parent: layer, contracts, networkId, sequence: GENESIS_SEQUENCE, timestampSec: closeTimeSec, source: '',
        footprint: createRecordingFootprint(), restoreArchived: false, instructionsMax: Infinity,
        authorizer: () => allowAllAuthorizer,
      },
      contract,
      functionName,
      args,
    )
    if (!run.outcome.ok) {
      throw new Error(`Deployment call ${functionName} of ${contract} failed: ${errorText(run.outcome.failure, run.events)}`)
    }
    run.storage.base.mergeInto(layer)
  }
  return layer
}

function putEntry(layer: Layer, entry: Entry, sequence: number): void {
  const isContract = entry.kind === 'instance' || entry.kind === 'code'
  layer.put(keyOf(entry), createLedgerEntry(entry, sequence, isContract ? sequence + TTL_EXTEND_TO_LEDGERS : null))
}

/**
 * Deploys contracts that are missing, and upgrades those whose interface has changed, so that an existing chain always runs the current code.
 */
export function deployContracts(layer: Layer, contracts: readonly GenesisContract[], sequence: number): void {
  for (const { address, code } of contracts) {
    const module = code.asset === undefined ? wasmModuleOf(code) : null
    const wasmHash = module?.hash ?? null
    const instance = findEntry(layer, instanceKey(address))
    if (instance?.kind === 'instance' && instance.wasmHash === wasmHash) continue
    const storage = instance?.kind === 'instance' ? instance.storage : new Map()
    putEntry(layer, { kind: 'instance', contract: address, wasmHash, storage }, sequence)
    if (module !== null && layer.get(codeKey(module.hash)) === undefined) {
      putEntry(layer, { kind: 'code', hash: module.hash, wasm: module.wasm }, sequence)
    }
  }
}

function openTrustline(layer: Layer, account: string, asset: string, balance: bigint, sequence: number): void {
  const holder = findAccount(layer, account)
  if (holder === undefined) throw new Error(`Cannot open a trustline for ${account}: the account does not exist`)
  putEntry(layer, createTrustlineEntry(account, asset, balance, INT64_MAX), sequence)
  putEntry(layer, { ...holder, subEntries: holder.subEntries + 1 }, sequence)
}

/** The balance of an account created by a grant of another asset, for reserves and fees. */
const NEW_ACCOUNT_BALANCE_STROOPS = 100_000_000n

/**
 * Credits an account without a transaction. Creates the account and the trustline when they are missing. An issuer cannot hold its own asset,
 * so crediting it only creates the account.
 */
export function creditBalance(layer: Layer, account: string, asset: string, amount: bigint, sequence: number): void {
  const holder = findAccount(layer, account) ?? createAccountEntry(account, asset === 'native' ? 0n : NEW_ACCOUNT_BALANCE_STROOPS, sequence)
  if (asset === 'native') return putEntry(layer, { ...holder, balance: holder.balance + amount }, sequence)
  putEntry(layer, holder, sequence)
  if (issuerOf(asset) === account) return
  const trustline = findTrustline(layer, account, asset)
  if (trustline === undefined) return openTrustline(layer, account, asset, amount, sequence)
  putEntry(layer, { ...trustline, balance: trustline.balance + amount }, sequence)
}
