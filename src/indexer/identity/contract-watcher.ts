// Reads which code the contracts run, for what events do not say: the first version of each contract, upgrades by an entry of another contract, upgrades whose
// system event a node did not send, and code that could not be read before.

import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { ContractSpec } from '../../exchange/contracts/contract-spec.ts'
import type { ContractKey } from '../../exchange/contracts/contracts.ts'
import type { CurrentDeployment } from '../../exchange/deployment.ts'
import type { ContractCode, ContractVersion } from '../../projections/state/contract-versions.ts'
import {
  insertContractVersion, latestVersions, listContractVersions, positionOf, readContractCode, setGeneration, storeContractCode, versionAt,
} from '../../projections/state/contract-versions.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import { IndexConflict, isInsideTransaction, lastReservedSeq, readIndexCursor, updateIndexCursor } from '../../projections/state/index-state.ts'
import { recordNewerForms } from '../../projections/state/newer-forms.ts'
import { refreshUnknownCloses } from '../../projections/log/transaction-effects.ts'
import type { Queryable, Writable, Writer } from '../../store/store.ts'
import { createBackgroundRequest } from '../background-request.ts'
import type { ChainProof } from './chain-proof.ts'
import { askAllNodes, readCodes, sinceLedger } from './code-readings.ts'
import type { Agreement, CodeReading } from './code-readings.ts'
import { endOfLedger } from '../../projections/log/toid.ts'
import type { Upgrade } from './upgrades.ts'
import { generationOf, readCode, reportUpgrades, watchedContracts } from './upgrades.ts'

/** Interval between reads of the instances. */
export const WATCH_INTERVAL_MS = 60_000
/** Delay after a failed read. */
const RETRY_MS = 5_000
/** Codes per read; each is up to 128 KiB. */
const CODES_PER_READ = 8

export interface ContractWatcher {
  /** Writes the result of the last read and starts the next one when it is due, without waiting for it. */
  poll(db: Writer, signal: AbortSignal): Promise<void>
  /** Reads once, waits for it and writes it; returns the number of versions and codes that it added. */
  observe(db: Writer, signal?: AbortSignal): Promise<number>
  /** Resolves when no read is pending. */
  settled(): Promise<void>
}

export interface ContractWatcherOptions {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly log: Log
  readonly proof: ChainProof
}

interface Reading {
  readonly epoch: number
  /** The indexed ledger before the reading. A node behind it proves nothing. */
  readonly indexedLedger: number
  /** The ledger at which the instances were read. */
  readonly ledger: number
  readonly codes: readonly CodeReading[]
  /** Agreement of nodes about code that differs from the known version. */
  readonly agreement: ReadonlyMap<CodeReading, Agreement>
  readonly interfaces: readonly ContractCode[]
}

/** The code of a contract when it was last read and was the known one. */
interface Seen {
  readonly wasmHash: string | null
  readonly ledger: number
}

export function createContractWatcher({ rpc, deployment, clock, log, proof }: ContractWatcherOptions): ContractWatcher {
  const background = createBackgroundRequest<Reading>(proof)
  let readEpoch: number | undefined
  let nextAtMs = Number.NEGATIVE_INFINITY
  /** Upgrades that the last reading found without an event: a second reading must confirm them. */
  let suspected: readonly ContractVersion[] = []
  let seen: { readonly epoch: number; readonly byAddress: ReadonlyMap<string, Seen> } = { epoch: 0, byAddress: new Map() }

  async function readAll(db: Queryable, epoch: Epoch, indexedLedger: number, call: CallOptions): Promise<Reading> {
    const watched = watchedContracts(deployment.current.contracts)
    const { ledger, codes } = await readCodes(rpc, watched, call)
    const versions = await listContractVersions(db, epoch.chain)
    const latest = latestVersions(versions)
    const differing = codes.filter(({ address, wasmHash }) => (latest.get(address) ?? { wasmHash }).wasmHash !== wasmHash)
    const agreement = await askAllNodes(rpc, watched, { ledger, codes: differing, call })
    for (const [{ address, wasmHash }, verdict] of agreement) {
      if (verdict === 'disputed') log.warn({ contract: address, wasmHash }, 'the nodes disagree about the code of a contract')
    }
    const hashes = [...new Set([...codes, ...versions].flatMap(({ wasmHash }) => wasmHash ?? []))]
    const stored = await readContractCode(db, hashes)
    const interfaces: ContractCode[] = []
    for (const wasmHash of hashes.filter((hash) => !stored.has(hash)).slice(0, CODES_PER_READ)) {
      const found = await readCode(rpc, wasmHash, call)
      if (found !== undefined) interfaces.push(found)
    }
    return { epoch: epoch.number, indexedLedger, ledger, codes, agreement, interfaces }
  }

  /** The next read; undefined when none is due. Its promise never rejects. */
  async function nextRead(db: Queryable): Promise<((signal?: AbortSignal) => Promise<Reading | undefined>) | undefined> {
    const cursor = await readIndexCursor(db)
    const epoch = cursor === null ? undefined : (await listEpochs(db)).find(({ number }) => number === cursor.epoch)
    if (epoch === undefined || (epoch.number === readEpoch && clock.elapsedMs() < nextAtMs)) return undefined
    return async (signal) => {
      try {
        const reading = await readAll(db, epoch, cursor?.lastLedger ?? 0, signal === undefined ? {} : { signal })
        readEpoch = epoch.number
        nextAtMs = clock.elapsedMs() + WATCH_INTERVAL_MS
        return reading
      } catch (error) {
        if (signal?.aborted !== true) log.debug({ err: error }, 'the code of the contracts could not be read; retrying later')
        readEpoch = epoch.number
        nextAtMs = clock.elapsedMs() + RETRY_MS
        return undefined
      }
    }
  }

  async function write(db: Writer, reading: Reading): Promise<number> {
    try {
      const { added, upgrades } = await db.transaction((tx) => store(tx, reading))
      reportUpgrades(upgrades, log)
      return added
    } catch (error) {
      // A page was written since; the next read compares again.
      if (error instanceof IndexConflict) return 0
      throw error
    }
  }

  async function store(tx: Writable, reading: Reading): Promise<{ added: number; upgrades: readonly Pick<Upgrade, 'version'>[] }> {
    const { epoch: number, indexedLedger, ledger, codes, agreement, interfaces } = reading
    const cursor = await readIndexCursor(tx)
    const epoch = (await listEpochs(tx)).find((each) => each.number === number)
    // Pages written since the reading do not matter: it is compared with the versions up to its own ledger.
    if (cursor?.epoch !== number || epoch === undefined || ledger < indexedLedger) return { added: 0, upgrades: [] }
    if (isInsideTransaction(cursor)) {
      nextAtMs = clock.elapsedMs() + RETRY_MS
      return { added: 0, upgrades: [] }
    }
    const known = await listContractVersions(tx, epoch.chain)
    const seenBefore = seen.epoch === number ? seen.byAddress : new Map<string, Seen>()
    const all = findVersions(known, codes, { ledger, indexedLedger: cursor.lastLedger ?? 0, nowMs: clock.nowMs(), seen: seenBefore })
    const agreementOf = ({ code }: FoundVersion): Agreement => agreement.get(code) ?? 'open'
    const isSuspected = ({ version }: FoundVersion): boolean => suspected.some((each) => isSameCode(each, version))
    const found = all.filter((each) => !each.isUpgrade || agreementOf(each) === 'agreed' || (agreementOf(each) === 'open' && isSuspected(each)))
    suspected = all.filter((each) => !found.includes(each) && agreementOf(each) === 'open').map(({ version }) => version)
    if (suspected.length > 0) nextAtMs = clock.elapsedMs() + RETRY_MS
    const latest = latestVersions(known)
    const unchanged = codes.filter(({ address, wasmHash }) => latest.get(address)?.wasmHash === wasmHash)
    seen = { epoch: number, byAddress: new Map([...seenBefore, ...unchanged.map(({ address, wasmHash }) => [address, { wasmHash, ledger }] as const)]) }
    const upgrades = found.filter(({ isUpgrade }) => isUpgrade).length
    if (upgrades > 0) await reserveSeqs(tx, cursor, upgrades)
    let seq = lastReservedSeq(cursor)
    const versions = found.map(({ version, isUpgrade }) => (isUpgrade ? { ...version, seq: ++seq } : version))
    for (const read of interfaces) await storeContractCode(tx, read, clock.nowMs())
    for (const version of versions) await insertContractVersion(tx, epoch.chain, version)
    await recordNewerForms(tx, epoch.chain, found.flatMap(({ code }) => code.newer ?? []), { nowMs: clock.nowMs() })
    if (await nameGenerations(tx, watchedContracts(deployment.current.contracts), [...known, ...versions])) await refreshUnknownCloses(tx, epoch.contractEpoch)
    const named = await listContractVersions(tx, epoch.chain)
    const announced = named.filter((version) => version.seq !== null && version.seq > lastReservedSeq(cursor))
    return { added: versions.length + interfaces.length, upgrades: announced.map((version) => ({ version })) }
  }

  async function reserveSeqs(tx: Queryable, cursor: IndexCursor, count: number): Promise<void> {
    await updateIndexCursor(tx, cursor, { ...cursor, lastSeq: lastReservedSeq(cursor) + count }, clock.nowMs())
  }

  return {
    async poll(db, signal) {
      const reading = background.result()
      if (reading !== undefined) {
        background.clear()
        await write(db, reading)
      }
      if (background.isPending()) return
      const next = await nextRead(db)
      if (next !== undefined) background.start(next(signal))
    },
    async observe(db, signal) {
      const reading = await (await nextRead(db))?.(signal)
      return reading === undefined || !(await proof.confirmNow(db, signal)) ? 0 : await write(db, reading)
    },
    settled: () => background.settled(),
  }
}

type NamedVersion = ContractVersion & { readonly wasmHash: string }

/**
 * Recognises versions whose generation is unknown: their code was read now, or the version that stored it did not know the generation. Returns whether one
 * of them is the market's.
 */
async function nameGenerations(
  tx: Queryable, watched: ReadonlyMap<string, ContractKey>, versions: readonly ContractVersion[],
): Promise<boolean> {
  const unnamed = versions.filter((version): version is NamedVersion => version.generation === null && version.wasmHash !== null)
  if (unnamed.length === 0) return false
  const stored = await readContractCode(tx, unnamed.map(({ wasmHash }) => wasmHash))
  const isMarket = ({ address }: ContractVersion): boolean => watched.get(address) === 'market'
  let named = versions
  let isMarketNamed = false
  // The market first: it decides between generations in which another contract had the same interface.
  for (const version of [...unnamed.filter(isMarket), ...unnamed.filter((each) => !isMarket(each))]) {
    const spec = (stored.get(version.wasmHash)?.spec ?? null) as ContractSpec | null
    const generation = generationOf(version, spec, { watched, versions: named })
    if (generation === null) continue
    await setGeneration(tx, version.wasmHash, generation)
    named = named.map((each) => (each.wasmHash === version.wasmHash ? { ...each, generation } : each))
    isMarketNamed ||= isMarket(version)
  }
  return isMarketNamed
}

function isSameCode(a: ContractVersion, b: ContractVersion): boolean {
  return a.address === b.address && a.wasmHash === b.wasmHash
}

interface FoundVersion {
  readonly version: ContractVersion
  readonly code: CodeReading
  /** False: the first version of its contract, or the code of a version whose code was unknown. */
  readonly isUpgrade: boolean
}

/**
 * Versions that a reading at a ledger proves and that are not known. An upgrade after the indexed ledger is left to its event, which the index has not reached
 * yet; one before it had no event, so the ledger at which the instance, or the entry that it refers to, last changed bounds it.
 */
function findVersions(
  known: readonly ContractVersion[], codes: readonly CodeReading[],
  { ledger, indexedLedger, nowMs, seen }: {
    readonly ledger: number
    readonly indexedLedger: number
    readonly nowMs: number
    readonly seen: ReadonlyMap<string, Seen>
  },
): readonly FoundVersion[] {
  return codes.flatMap((code): FoundVersion[] => {
    const { address, contract, wasmHash, problem, reference } = code
    const end = endOfLedger(ledger)
    const inForce = versionAt(known.filter((version) => version.address === address), end)
    const fromLedger = sinceLedger(code, inForce, ledger)
    const version: ContractVersion = {
      address, contract, fromLedger, fromEventId: null, afterLedger: null, wasmHash, problem, reference, generation: null, seq: null, noticedAt: nowMs,
    }
    if (inForce === undefined) return [{ version, code, isUpgrade: false }]
    if (inForce.wasmHash === wasmHash) return []
    // The code of that time, which was not read until now.
    if (inForce.wasmHash === null && fromLedger <= inForce.fromLedger) {
      return [{ version: { ...inForce, wasmHash, problem, reference }, code, isUpgrade: false }]
    }
    const position = positionOf({ fromLedger, fromEventId: null })
    if (positionOf(inForce) > end || position <= positionOf(inForce) || fromLedger > indexedLedger) return []
    const last = seen.get(address)
    const afterLedger = last?.wasmHash === inForce.wasmHash && last.ledger < fromLedger ? Math.max(last.ledger, inForce.fromLedger) : inForce.fromLedger
    return [{ version: { ...version, afterLedger }, code, isUpgrade: true }]
  })
}
