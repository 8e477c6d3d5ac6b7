// Reads which code the contracts run, for what events do not say: the first version of each contract, upgrades whose system event a node did not send, and
// code that could not be read before.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { readContractInstances } from '../chain/contract-code.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { ContractSpec } from '../exchange/contract-spec.ts'
import type { ContractKey } from '../exchange/contracts.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { ContractCode, ContractVersion } from '../projections/contract-versions.ts'
import {
  insertContractVersion, listContractVersions, positionOf, readContractCode, setGeneration, storeContractCode, versionAt,
} from '../projections/contract-versions.ts'
import { listEpochs } from '../projections/epochs.ts'
import type { Epoch } from '../projections/epochs.ts'
import type { IndexCursor } from '../projections/index-state.ts'
import { IndexConflict, isInsideTransaction, lastReservedSeq, readIndexCursor, updateIndexCursor } from '../projections/index-state.ts'
import { refreshUnknownCloses } from '../projections/transaction-effects.ts'
import type { Queryable, Writer } from '../store/store.ts'
import { createBackgroundRequest } from './background-request.ts'
import type { ChainProof } from './chain-proof.ts'
import { endOfLedger } from './toid.ts'
import type { Upgrade } from './upgrades.ts'
import { generationOf, readCode, reportUpgrades, watchedContracts } from './upgrades.ts'

/** How often the instances are read. */
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

/** The code of one contract at a ledger: it ran from `sinceLedger` at the latest. */
interface CodeReading {
  readonly address: string
  readonly contract: ContractKey
  readonly wasmHash: string
  readonly sinceLedger: number
}

interface Reading {
  readonly epoch: number
  /** The indexed ledger before the reading. A node behind it proves nothing. */
  readonly indexedLedger: number
  /** The ledger at which the instances were read. */
  readonly ledger: number
  readonly instances: readonly CodeReading[]
  readonly code: readonly ContractCode[]
}

export function createContractWatcher({ rpc, deployment, clock, log, proof }: ContractWatcherOptions): ContractWatcher {
  const background = createBackgroundRequest<Reading>(proof)
  let readEpoch: number | undefined
  let nextAtMs = Number.NEGATIVE_INFINITY
  /** Upgrades that the last reading found without an event: a second reading must confirm them. */
  let suspected: readonly ContractVersion[] = []

  async function readAll(db: Queryable, epoch: Epoch, indexedLedger: number, call: CallOptions): Promise<Reading> {
    const watched = watchedContracts(deployment.current.contracts)
    const { ledger, instances } = await readContractInstances(rpc, [...watched.keys()], call)
    const readings: CodeReading[] = []
    for (const [address, { executable, lastModifiedLedger }] of instances) {
      const contract = watched.get(address)
      if (executable.kind !== 'wasm' || contract === undefined) continue
      readings.push({ address, contract, wasmHash: executable.wasmHash, sinceLedger: lastModifiedLedger })
    }
    const versions = await listContractVersions(db, epoch.chain)
    const hashes = [...new Set([...readings, ...versions].map(({ wasmHash }) => wasmHash))]
    const stored = await readContractCode(db, hashes)
    const code: ContractCode[] = []
    for (const wasmHash of hashes.filter((hash) => !stored.has(hash)).slice(0, CODES_PER_READ)) {
      const found = await readCode(rpc, wasmHash, call)
      if (found !== undefined) code.push(found)
    }
    return { epoch: epoch.number, indexedLedger, ledger, instances: readings, code }
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

  async function store(tx: Queryable, reading: Reading): Promise<{ added: number; upgrades: readonly Upgrade[] }> {
    const { epoch: number, indexedLedger, ledger, instances, code } = reading
    const cursor = await readIndexCursor(tx)
    const epoch = (await listEpochs(tx)).find((each) => each.number === number)
    // Pages written since the reading do not matter: it is compared with the versions up to its own ledger.
    if (cursor?.epoch !== number || epoch === undefined || ledger < indexedLedger) return { added: 0, upgrades: [] }
    if (isInsideTransaction(cursor)) {
      nextAtMs = clock.elapsedMs() + RETRY_MS
      return { added: 0, upgrades: [] }
    }
    const known = await listContractVersions(tx, epoch.chain)
    const all = findVersions(known, instances, { ledger, indexedLedger: cursor.lastLedger ?? 0, nowMs: clock.nowMs() })
    const found = all.filter(({ version, isUpgrade }) => !isUpgrade || suspected.some((each) => isSameCode(each, version)))
    suspected = all.filter(({ isUpgrade }) => isUpgrade).map(({ version }) => version)
    if (found.length < all.length) nextAtMs = clock.elapsedMs() + RETRY_MS
    const upgrades = found.filter(({ isUpgrade }) => isUpgrade).length
    if (upgrades > 0) await reserveSeqs(tx, cursor, upgrades)
    let seq = lastReservedSeq(cursor)
    const versions = found.map(({ version, isUpgrade }) => (isUpgrade ? { ...version, seq: ++seq } : version))
    for (const read of code) await storeContractCode(tx, read, clock.nowMs())
    for (const version of versions) await insertContractVersion(tx, epoch.chain, version)
    if (await nameGenerations(tx, watchedContracts(deployment.current.contracts), [...known, ...versions])) await refreshUnknownCloses(tx, epoch.deployment)
    const named = await listContractVersions(tx, epoch.chain)
    const announced = named.filter((version) => version.seq !== null && version.seq > lastReservedSeq(cursor))
    return { added: versions.length + code.length, upgrades: announced.map((version) => ({ version, earlier: null, replaced: null })) }
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

/**
 * Recognises versions whose generation is unknown: their code was read now, or the version that stored it did not know the generation. Returns whether one
 * of them is the market's.
 */
async function nameGenerations(
  tx: Queryable, watched: ReadonlyMap<string, ContractKey>, versions: readonly ContractVersion[],
): Promise<boolean> {
  const unnamed = versions.filter(({ generation }) => generation === null)
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

/**
 * Versions that a reading at a ledger proves and that are not known. An upgrade after the indexed ledger is left to its event, which the index has not reached
 * yet; one before it had no event, so the ledger at which the instance last changed bounds it.
 */
export function findVersions(
  known: readonly ContractVersion[], instances: readonly CodeReading[],
  { ledger, indexedLedger, nowMs }: { readonly ledger: number; readonly indexedLedger: number; readonly nowMs: number },
): readonly { readonly version: ContractVersion; readonly isUpgrade: boolean }[] {
  const found: { version: ContractVersion; isUpgrade: boolean }[] = []
  for (const { address, contract, wasmHash, sinceLedger } of instances) {
    const own = known.filter((version) => version.address === address)
    const version = { address, contract, fromLedger: sinceLedger, fromEventId: null, wasmHash, generation: null, seq: null, noticedAt: nowMs }
    const end = endOfLedger(ledger)
    const inForce = versionAt(own, end)
    if (inForce === undefined) found.push({ version, isUpgrade: false })
    else if (inForce.wasmHash !== wasmHash && positionOf(inForce) <= end && sinceLedger <= indexedLedger) found.push({ version, isUpgrade: true })
  }
  return found
}
