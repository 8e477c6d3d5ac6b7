// The genesis state: contracts, accounts, trustlines, and the changes of the deployment's calls.

import type { Genesis } from '../chain.ts'
import { type ContractCode, struct, symbol, text, u32 } from '../contracts/shared/host.ts'
import { valToBase64 } from '../scval.ts'
import { createAccountEntry, createTrustlineEntry, findAccount, findTrustline } from './classic-entries.ts'
import { issuerOf } from './addresses.ts'
import { allowAllAuthorizer } from './auth.ts'
import type { CodeRegistry, ModuleLabels } from './code-registry.ts'
import { INT64_MAX, TTL_EXTEND_TO_LEDGERS } from './constants.ts'
import type { Entry, InstanceEntry } from './entries.ts'
import { createRecordingFootprint } from './footprint.ts'
import { errorText } from './host-events.ts'
import { codeKey, instanceKey, keyOf } from './keys.ts'
import { runCall } from './soroban-run.ts'
import { createLayer, findEntry, type Layer, type View } from './state.ts'
import { createLedgerEntry } from './ledger-entry.ts'
import { wasmModuleOf } from './wasm-spec.ts'

/** The sequence of the genesis ledger. */
const GENESIS_SEQUENCE = 1

/** Builds the genesis state on `parent`, which is empty. Throws when a deployment call fails. */
export function buildGenesisLayer(parent: View, genesis: Genesis, codes: CodeRegistry, networkId: Uint8Array, closeTimeSec: number): Layer {
  const layer = createLayer(parent)
  uploadModules(layer, codes, GENESIS_SEQUENCE)
  for (const { address, code } of genesis.contracts) putInstance(layer, address, code, storageAtDeployment(code), GENESIS_SEQUENCE)
  for (const { address, balance } of genesis.accounts) putEntry(layer, createAccountEntry(address, balance, 0), GENESIS_SEQUENCE)
  for (const { account, asset, balance } of genesis.trustlines) openTrustline(layer, account, asset, balance, GENESIS_SEQUENCE)
  for (const { contract, functionName, args } of genesis.calls) {
    const run = runCall(
      {
        parent: layer, codes, networkId, sequence: GENESIS_SEQUENCE, timestampSec: closeTimeSec, source: '',
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

/** Uploads the modules that the ledger does not have. */
function uploadModules(layer: Layer, codes: CodeRegistry, sequence: number): void {
  for (const { hash, wasm } of codes.modules) {
    if (layer.get(codeKey(hash)) === undefined) putEntry(layer, { kind: 'code', hash, wasm }, sequence)
  }
}

/** An asset contract keeps the names of its asset in its instance. */
function storageAtDeployment({ asset }: ContractCode): InstanceEntry['storage'] {
  if (asset === undefined) return new Map()
  const [code = ''] = asset.split(':')
  const key = symbol('METADATA')
  return new Map([[valToBase64(key), [key, struct({ decimal: u32(7), name: text(asset), symbol: text(code) })]]])
}

function putInstance(layer: Layer, address: string, code: ContractCode, storage: InstanceEntry['storage'], sequence: number): void {
  const wasmHash = code.asset === undefined ? wasmModuleOf(code).hash : null
  putEntry(layer, { kind: 'instance', contract: address, wasmHash, storage }, sequence)
}

/**
 * Brings a stored chain up to date with this version of the project: uploads missing modules, deploys missing contracts, and moves every contract whose
 * module this version no longer has to the current module of the same build. `labels` names the build of each module that the chain has had.
 */
export function updateContracts(layer: Layer, genesis: Genesis, codes: CodeRegistry, labels: ModuleLabels, sequence: number): void {
  uploadModules(layer, codes, sequence)
  for (const { address, code } of genesis.contracts) {
    const instance = findEntry(layer, instanceKey(address))
    if (instance?.kind !== 'instance') putInstance(layer, address, code, new Map(), sequence)
    else if (instance.wasmHash !== null && !codes.has(instance.wasmHash)) {
      const current = codes.withLabel(labels[instance.wasmHash]) ?? code
      putInstance(layer, address, current, instance.storage, sequence)
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
