// Asks ledger entries for what no event tells, beside the indexing and never in its way: the RPC is asked in the background, and what it answered is written
// between two pages.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { Epoch, EventContracts } from '../projections/epochs.ts'
import { listEpochs } from '../projections/epochs.ts'
import { readIndexCursor } from '../projections/index-state.ts'
import type { Queryable, Writer } from '../store/store.ts'

/** What the ledger does not tell is asked for this often, and then left alone. */
export const OBSERVATION_ATTEMPTS = 5
/** How many such things are remembered. */
const TRACKED_IDS_MAX = 1_000

export interface EntryObserver {
  /** Writes what has been answered and asks about the next ones, without waiting for the answer. */
  poll(db: Writer, signal: AbortSignal): Promise<void>
  /** Asks about one batch, waits, and writes what was answered; returns how much that was. An RPC failure counts as no answer. */
  observe(db: Writer, signal?: AbortSignal): Promise<number>
  /** Resolves when nothing is asked any more. */
  settled(): Promise<void>
}

/** What is looked for: `Unknown` is what lacks something, `Seen` what was read of it. */
export interface EntrySubject<Unknown, Seen> {
  /** For the log: "margin modes". */
  readonly name: string
  idOf(subject: Unknown | Seen): number
  /** How many are read at a time. */
  readonly batch: number
  listUnknown(db: Queryable, epoch: Epoch, options: ListOptions): Promise<readonly Unknown[]>
  /** Reads up to a batch of them. Undefined: nothing can be concluded, because the node is behind `indexedLedger`. */
  observe(rpc: Rpc, contracts: EventContracts, unknown: readonly Unknown[], indexedLedger: number, options: CallOptions): Promise<readonly Seen[] | undefined>
  record(tx: Queryable, epoch: Epoch, seen: readonly Seen[], nowMs: number): Promise<void>
}

export interface ListOptions {
  readonly limit: number
  /** Ids that have been asked for often enough. */
  readonly except: readonly number[]
  readonly nowMs: number
}

/** Observations and the epoch that they belong to. */
interface ObservationBatch<Seen> {
  readonly epoch: Epoch
  readonly seen: readonly Seen[]
}

export function createEntryObserver<Unknown, Seen>(
  subject: EntrySubject<Unknown, Seen>,
  { rpc, clock, log }: { readonly rpc: Rpc; readonly clock: Clock; readonly log: Log },
): EntryObserver {
  const attempts = new Map<string, number>()
  let pending: Promise<void> | undefined
  let received: ObservationBatch<Seen> | undefined

  /** The question about the next batch; undefined when there is nothing to ask. */
  async function nextRequest(db: Queryable): Promise<((signal?: AbortSignal) => Promise<ObservationBatch<Seen> | undefined>) | undefined> {
    const cursor = await readIndexCursor(db)
    const epoch = cursor === null ? undefined : (await listEpochs(db)).at(-1)
    if (cursor === null || epoch === undefined) return undefined
    const { deployment } = epoch
    const except = [...attempts]
      .filter(([key, countAttempts]) => key.startsWith(`${deployment} `) && countAttempts >= OBSERVATION_ATTEMPTS)
      .map(([key]) => Number(key.slice(key.indexOf(' '))))
    const unknown = await subject.listUnknown(db, epoch, { limit: subject.batch, except, nowMs: clock.nowMs() })
    if (unknown.length === 0) return undefined
    if (attempts.size + unknown.length > TRACKED_IDS_MAX) attempts.clear()
    return async (signal) => {
      try {
        const call = signal === undefined ? {} : { signal }
        const seen = await subject.observe(rpc, epoch.contracts, unknown, cursor.lastLedger ?? 0, call)
        if (seen === undefined) return undefined
        count(deployment, unknown, seen)
        return { epoch, seen }
      } catch (error) {
        if (signal?.aborted !== true) log.debug({ err: error }, `${subject.name} could not be read; asking again later`)
        return undefined
      }
    }
  }

  function count(deployment: number, unknown: readonly Unknown[], seen: readonly Seen[]): void {
    const found = new Set(seen.map((one) => subject.idOf(one)))
    for (const id of new Set(unknown.map((one) => subject.idOf(one)))) {
      const key = `${deployment} ${id}`
      if (found.has(id)) attempts.delete(key)
      else attempts.set(key, (attempts.get(key) ?? 0) + 1)
    }
  }

  async function record(db: Writer, { epoch, seen }: ObservationBatch<Seen>): Promise<void> {
    if (seen.length === 0) return
    await db.transaction((tx) => subject.record(tx, epoch, seen, clock.nowMs()))
  }

  async function keep(answer: Promise<ObservationBatch<Seen> | undefined>): Promise<void> {
    received = await answer
    pending = undefined
  }

  return {
    async poll(db, signal) {
      const found = received
      received = undefined
      if (found !== undefined) await record(db, found)
      if (pending !== undefined) return
      const ask = await nextRequest(db)
      if (ask === undefined) return
      pending = keep(ask(signal))
    },
    async observe(db, signal) {
      const ask = await nextRequest(db)
      const found = await ask?.(signal)
      if (found === undefined) return 0
      await record(db, found)
      return found.seen.length
    },
    async settled() {
      await pending
    },
  }
}
