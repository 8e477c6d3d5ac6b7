// Upgrades that a page of events reports, and the interfaces that decode the page. The host reports every upgrade of a contract in a system event, so the
// position of an upgrade on the chain is exact.

import type { Log } from '../../base/log.ts'
import { readContractCode, readExecutableUpdate, readTagEntries } from '../../chain/codec/contract-code.ts'
import type { ExecutableUpdate, TagEntries } from '../../chain/codec/contract-code.ts'
import { describeReference } from '../../chain/codec/executable.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { ChainEvent } from '../../chain/rpc/responses.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { ContractSpec } from '../../exchange/contracts/contract-spec.ts'
import { CONTRACT_KEYS } from '../../exchange/contracts/contracts.ts'
import type { ContractAddresses, ContractKey } from '../../exchange/contracts/contracts.ts'
import { recogniseGeneration, toGeneration } from '../../exchange/contracts/generations.ts'
import type { Generation } from '../../exchange/contracts/generations.ts'
import type { ContractCode, ContractVersion } from '../../projections/state/contract-versions.ts'
import {
  insertContractVersion, latestVersions, positionOf, readContractCode as readStoredCode, removeContractVersion, storeContractCode,
} from '../../projections/state/contract-versions.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import { recordNewerForms } from '../../projections/state/newer-forms.ts'
import type { NewerForm } from '../../projections/state/newer-forms.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { codeAt } from './code-readings.ts'
import { NO_EVENTS } from '../pages/decode.ts'
import type { Interfaces, StoredInterfaces } from '../pages/interfaces.ts'
import { interfacesOf } from '../pages/interfaces.ts'

/** The contracts whose code is followed, by address. */
export type WatchedContracts = ReadonlyMap<string, ContractKey>

export function watchedContracts(contracts: ContractAddresses): WatchedContracts {
  return new Map(CONTRACT_KEYS.map((key) => [contracts[key], key]))
}

/** Logs upgrades. */
export function reportUpgrades(upgrades: readonly Pick<Upgrade, 'version'>[], log: Log): void {
  for (const { version } of upgrades) {
    const { address, wasmHash, generation, fromLedger, fromEventId, afterLedger, reference, problem } = version
    const fields = { contract: address, wasmHash, generation, ledger: fromLedger, ...(reference === null ? {} : { reference: describeReference(reference) }) }
    if (wasmHash === null) log.warn({ ...fields, problem }, 'the code of a contract is unknown')
    else if (fromEventId === null) log.warn({ ...fields, afterLedger }, 'a contract was upgraded without an event')
    else log.warn(fields, 'a contract was upgraded')
  }
}

/** An upgrade at its position on the chain. */
export interface Upgrade {
  /** Its `seq` is null until the page is numbered, unless the upgrade is in the log already. */
  readonly version: ContractVersion
  /** The code before it, when no earlier version was known. */
  readonly earlier: ContractVersion | null
  /** The same code, known until now without its exact position. */
  readonly replaced: ContractVersion | null
  /** The kind of executable that this version of the gateway does not know; null for all others. */
  readonly newer: NewerForm | null
}

/** The code and interfaces that a page reveals. */
export interface PageInterfaces {
  /** By event id. */
  readonly upgrades: ReadonlyMap<string, Upgrade>
  /** Code that was read for them. */
  readonly code: readonly ContractCode[]
  readonly interfaces: Interfaces
}

/** Finds the upgrades in a page and reads their code, so that the rest of the page is decoded by it. Code that cannot be read now stays unknown. */
export async function readPageInterfaces(
  db: Queryable,
  { epoch, events, stored, nowMs }: {
    readonly epoch: Epoch
    readonly events: readonly ChainEvent[]
    readonly stored: StoredInterfaces
    readonly nowMs: number
  },
  { rpc, watched, call }: { readonly rpc: Rpc; readonly watched: WatchedContracts; readonly call: CallOptions },
): Promise<PageInterfaces> {
  const { versions: known, declaredEvents: declared } = stored
  const updates = updatesIn(events, watched)
  const tags = await readTags(updates, rpc, call)
  const { upgrades, versions } = planUpgrades(known, updates, { watched, startLedger: epoch.startLedger, nowMs, tags })
  if (upgrades.length === 0) return { upgrades: new Map(), code: [], interfaces: interfacesOf(versions, declared) }
  const hashes = upgrades.flatMap(({ version, earlier }) => [version.wasmHash, earlier?.wasmHash ?? null]).filter((hash) => hash !== null)
  const code = await readNewCode(db, [...new Set(hashes)], rpc, call)
  const specs = new Map(code.map(({ wasmHash, spec }) => [wasmHash, spec as ContractSpec | null]))
  const named = <Version extends ContractVersion | null>(version: Version): Version =>
    version === null ? version : { ...version, generation: generationOf(version, specs.get(version.wasmHash ?? '') ?? null, { watched, versions: known }) }
  const all = versions.map((version) => (specs.has(version.wasmHash ?? '') ? named(version) : version))
  const declaredEvents = new Map(declared)
  for (const { wasmHash, spec } of code) declaredEvents.set(wasmHash, (spec as ContractSpec | null) ?? NO_EVENTS)
  const found = upgrades.map((upgrade) => ({ ...upgrade, version: named(upgrade.version), earlier: named(upgrade.earlier) }))
  return {
    upgrades: new Map(found.map((upgrade) => [upgrade.version.fromEventId ?? '', upgrade])),
    code,
    interfaces: interfacesOf(all, declaredEvents),
  }
}

/** The generation of a version; null when its code is unknown or is none that the gateway knows. */
export function generationOf(
  { address }: Pick<ContractVersion, 'address'>,
  spec: ContractSpec | null,
  { watched, versions }: { readonly watched: WatchedContracts; readonly versions: readonly ContractVersion[] },
): Generation | null {
  const key = watched.get(address)
  if (key === undefined || spec === null) return null
  // The market's interface changed with every generation; those of the others did not.
  const market = [...latestVersions(versions).values()].find((version) => watched.get(version.address) === 'market')
  return recogniseGeneration(key, spec, toGeneration(market?.generation ?? null))
}

/** The code of these hashes, as far as it is not stored yet and can be read. */
async function readNewCode(db: Queryable, hashes: readonly string[], rpc: Rpc, call: CallOptions): Promise<readonly ContractCode[]> {
  const stored = await readStoredCode(db, hashes)
  const found: ContractCode[] = [...stored.values()]
  for (const wasmHash of hashes.filter((hash) => !stored.has(hash))) {
    const code = await readCode(rpc, wasmHash, call)
    if (code !== undefined) found.push(code)
  }
  return found
}

/** Reads code; undefined when the node does not return it. A node without it must not stop the index. */
export async function readCode(rpc: Rpc, wasmHash: string, call: CallOptions): Promise<ContractCode | undefined> {
  try {
    const reading = await readContractCode(rpc, wasmHash, call)
    return reading === undefined ? undefined : { wasmHash, ...reading }
  } catch (error) {
    if (error instanceof RpcFailure) return undefined
    throw error
  }
}

interface EventUpdate extends ExecutableUpdate {
  readonly event: ChainEvent
}

function updatesIn(events: readonly ChainEvent[], watched: WatchedContracts): readonly EventUpdate[] {
  return events.flatMap((event): EventUpdate[] => {
    const update = event.isSystem === true && watched.has(event.contractId) ? readExecutableUpdate(event.topicsXdr) : undefined
    return update === undefined ? [] : [{ ...update, event }]
  })
}

/** The entries that updates refer to. A node without them must not stop the index. */
async function readTags(updates: readonly EventUpdate[], rpc: Rpc, call: CallOptions): Promise<TagEntries> {
  const references = updates.flatMap(({ before, after }) => [before, after]).filter((each) => each.kind === 'reference')
  try {
    return await readTagEntries(rpc, references, call)
  } catch (error) {
    if (error instanceof RpcFailure) return new Map()
    throw error
  }
}

/** The upgrades in these updates, and all versions including theirs, in the order of the chain. */
function planUpgrades(
  known: readonly ContractVersion[],
  updates: readonly EventUpdate[],
  { watched, startLedger, nowMs, tags }: {
    readonly watched: WatchedContracts
    readonly startLedger: number
    readonly nowMs: number
    readonly tags: TagEntries
  },
): { readonly upgrades: readonly Upgrade[]; readonly versions: readonly ContractVersion[] } {
  const upgrades: Upgrade[] = []
  let versions = known
  for (const { before, after, event: { id, ledger, contractId } } of updates) {
    const own = versions.filter(({ address }) => address === contractId)
    const code = codeAt(after, ledger, tags)
    const contract = watched.get(contractId)
    if (contract === undefined || code === null || own.some(({ fromEventId }) => fromEventId === id)) continue
    const base = { address: contractId, contract, generation: null, noticedAt: nowMs, afterLedger: null }
    const next = own.find((version) => positionOf(version) > id)
    const isSameCode = next?.fromEventId === null && next.wasmHash !== null && next.wasmHash === code.wasmHash
    const replaced = isSameCode ? next : null
    const version: ContractVersion = {
      ...base, ...code, fromLedger: ledger, fromEventId: id, generation: replaced?.generation ?? null, seq: replaced?.seq ?? null,
    }
    const isFirst = !own.some((each) => positionOf(each) < id)
    const codeBefore = isFirst ? codeAt(before, startLedger, tags) : null
    const earlier: ContractVersion | null = codeBefore === null ? null : { ...base, ...codeBefore, fromLedger: startLedger - 1, fromEventId: null, seq: null }
    upgrades.push({ version, earlier, replaced, newer: after.kind === 'newer' ? { what: after.error.what, ledger, xdr: null } : null })
    versions = [...versions.filter((each) => each !== replaced), version, ...(earlier === null ? [] : [earlier])].toSorted(byPosition)
  }
  return { upgrades, versions }
}

function byPosition(a: ContractVersion, b: ContractVersion): number {
  return positionOf(a) < positionOf(b) ? -1 : 1
}

/** Writes the upgrades of a page, in its transaction. */
export async function writeUpgrades(
  tx: Writable, chain: number, { upgrades, code }: { readonly upgrades: readonly Upgrade[]; readonly code: readonly ContractCode[] }, nowMs: number,
): Promise<void> {
  if (upgrades.length === 0) return
  for (const read of code) await storeContractCode(tx, read, nowMs)
  await recordNewerForms(tx, chain, upgrades.flatMap(({ newer }) => newer ?? []), { nowMs })
  for (const { version, earlier, replaced } of upgrades) {
    if (replaced !== null) await removeContractVersion(tx, chain, replaced)
    if (earlier !== null) await insertContractVersion(tx, chain, earlier)
    await insertContractVersion(tx, chain, version)
  }
}
