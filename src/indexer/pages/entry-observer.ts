// Reads from ledger entries what events do not say. Requests run in the background, so that they never delay indexing; results are written between two pages.

import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Epoch, EventContracts } from '../../projections/state/epochs.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import { IndexConflict, readIndexCursor } from '../../projections/state/index-state.ts'
import type { Queryable, Writable, Writer } from '../../store/store.ts'
import { createBackgroundRequest } from '../background-request.ts'
import type { ChainProof } from '../identity/chain-proof.ts'

/** An id without an observation is read this many times, then skipped until the process restarts. */
export const OBSERVATION_ATTEMPTS = 5
/** Number of ids whose attempts are counted. */
const TRACKED_IDS_MAX = 1_000

export interface EntryObserver {
  /** Writes the result of the last request and starts the next one, without waiting for it. */
  poll(db: Writer, signal: AbortSignal): Promise<void>
  /** Reads one batch, waits for it and writes it; returns the number of facts that were stored. An RPC failure counts as none. */
  observe(db: Writer, signal?: AbortSignal): Promise<number>
  /** Resolves when no request is pending. */
  settled(): Promise<void>
}

/** A kind of entry to observe: `Subject` lacks a fact, `Observation` is the fact as it was read. */
export interface EntrySubject<Subject, Observation> {
  /** For log messages: "margin modes". */
  readonly name: string
  idOf(subject: Subject | Observation): number
  /** Maximum number of subjects per request. */
  readonly batch: number
  listUnknown(db: Queryable, epoch: Epoch, options: ListOptions): Promise<readonly Subject[]>
  /** Reads up to a batch. Undefined: the node is behind `indexedLedger`, so its response proves nothing. */
  observe(
    rpc: Rpc, contracts: EventContracts, subjects: readonly Subject[], indexedLedger: number, options: CallOptions,
  ): Promise<readonly Observation[] | undefined>
  /** May return the number of facts that were stored; by default every observation is one. */
  record(tx: Writable, epoch: Epoch, observations: readonly Observation[], nowMs: number): Promise<number | void>
}

interface ListOptions {
  readonly limit: number
  /** Ids that have used up their attempts. */
  readonly except: readonly number[]
  readonly nowMs: number
}

/** Observations and the epoch that they belong to. */
interface ObservationBatch<Observation> {
  readonly epoch: Epoch
  readonly observations: readonly Observation[]
}

export function createEntryObserver<Subject, Observation>(
  subject: EntrySubject<Subject, Observation>,
  { rpc, clock, log, proof }: { readonly rpc: Rpc; readonly clock: Clock; readonly log: Log; readonly proof: ChainProof },
): EntryObserver {
  const attempts = createAttempts()
  const background = createBackgroundRequest<ObservationBatch<Observation>>(proof)

  /** A function that requests the next batch; undefined when nothing is unknown. */
  async function nextRequest(db: Queryable): Promise<((signal?: AbortSignal) => Promise<ObservationBatch<Observation> | undefined>) | undefined> {
    const cursor = await readIndexCursor(db)
    const epoch = cursor === null ? undefined : (await listEpochs(db)).at(-1)
    if (cursor === null || epoch === undefined) return undefined
    const except = attempts.exhausted(epoch.contractEpoch)
    const unknown = await subject.listUnknown(db, epoch, { limit: subject.batch, except, nowMs: clock.nowMs() })
    if (unknown.length === 0) return undefined
    return async (signal) => {
      try {
        const call = signal === undefined ? {} : { signal }
        const observations = await subject.observe(rpc, epoch.contracts, unknown, cursor.lastLedger ?? 0, call)
        if (observations === undefined) return undefined
        attempts.count(epoch.contractEpoch, unknown.map((one) => subject.idOf(one)), observations.map((one) => subject.idOf(one)))
        return { epoch, observations }
      } catch (error) {
        if (signal?.aborted !== true) log.debug({ err: error }, `${subject.name} could not be read; retrying later`)
        return undefined
      }
    }
  }

  async function record(db: Writer, { epoch, observations }: ObservationBatch<Observation>): Promise<number> {
    if (observations.length === 0) return 0
    try {
      return (await db.transaction((tx) => subject.record(tx, epoch, observations, clock.nowMs()))) ?? observations.length
    } catch (error) {
      // Another writer advanced the index; what is still unknown is read again.
      if (error instanceof IndexConflict) return 0
      throw error
    }
  }

  return {
    async poll(db, signal) {
      const batch = background.result()
      if (batch !== undefined) {
        background.clear()
        await record(db, batch)
      }
      if (background.isPending()) return
      const request = await nextRequest(db)
      if (request !== undefined) background.start(request(signal))
    },
    async observe(db, signal) {
      const request = await nextRequest(db)
      const batch = await request?.(signal)
      if (batch === undefined || batch.observations.length === 0 || !(await proof.confirmNow(db, signal))) return 0
      return await record(db, batch)
    },
    settled: () => background.settled(),
  }
}

interface Attempts {
  /** The ids of a deployment that have used up their attempts. */
  exhausted(contractEpoch: number): readonly number[]
  /** Counts an attempt for each requested id that was not found. */
  count(contractEpoch: number, requested: readonly number[], found: readonly number[]): void
}

function createAttempts(): Attempts {
  const attempts = new Map<string, number>()
  return {
    exhausted: (contractEpoch) => [...attempts]
      .filter(([key, count]) => key.startsWith(`${contractEpoch} `) && count >= OBSERVATION_ATTEMPTS)
      .map(([key]) => Number(key.slice(key.indexOf(' ')))),
    count(contractEpoch, requested, found) {
      if (attempts.size + requested.length > TRACKED_IDS_MAX) attempts.clear()
      for (const id of new Set(requested)) {
        const key = `${contractEpoch} ${id}`
        if (found.includes(id)) attempts.delete(key)
        else attempts.set(key, (attempts.get(key) ?? 0) + 1)
      }
    },
  }
}
