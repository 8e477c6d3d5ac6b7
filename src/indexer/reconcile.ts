// Compares the projections with the market's ledger entries, on a schedule and after ledgers were lost: ends positions that the ledger no longer has,
// corrects those that differ, and adds those that no event reported. Positions are compared in parts. Each part is read at one ledger, in the background,
// and applied once the index has reached that ledger; positions with later activity are left to the next comparison.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { maxPositionsPerRead } from '../chain/market-state.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { listEpochs } from '../projections/epochs.ts'
import { readIndexCursor } from '../projections/index-state.ts'
import { listOpenIds } from '../projections/reconciliation.ts'
import type { Queryable, Writer } from '../store/store.ts'
import { createBackgroundRequest } from './background-request.ts'
import { compareWithLedger, readPart } from './ledger-comparison.ts'
import type { ComparisonPart, PartRequest } from './ledger-comparison.ts'

/** Time between the end of one comparison and the start of the next. */
export const RECONCILE_INTERVAL_MS = 5 * 60_000
/** Time until a part that could not be compared is read again. */
const RETRY_MS = 30_000
/** A part is dropped when the index does not reach its ledger within this time. */
const PART_TTL_MS = 60_000

/** The progress of one comparison. */
interface Round {
  readonly epoch: number
  /** Open positions up to this seq have been compared, in order of opening. */
  readonly afterSeq: number
  /** Ids that the ledger has and the index lacks; the next part reads them. */
  readonly missingIds: readonly number[]
}

/** A part together with the round that requested it. */
interface RoundPart extends ComparisonPart {
  readonly round: Round
  /** Where the next part begins; null: this was the last page of open positions. */
  readonly nextSeq: number | null
  readonly readAtMs: number
}

export interface Reconciler {
  /** Applies the part that was read and requests the next one, without waiting for it. */
  poll(db: Writer, signal: AbortSignal): Promise<void>
  /** Reads one part, waits for it and applies it if the index has reached its ledger; returns the number of corrections, null when nothing was compared. */
  compare(db: Writer, signal?: AbortSignal): Promise<number | null>
  /** Starts the next comparison at the next poll. */
  scheduleNow(): void
  /** Resolves when no request is pending. */
  settled(): Promise<void>
}

export interface ReconcilerOptions {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly log: Log
}

export function createReconciler({ rpc, deployment, clock, log }: ReconcilerOptions): Reconciler {
  let round: Round | undefined
  let nextAtMs = clock.nowMs()
  const background = createBackgroundRequest<RoundPart>()

  /** A function that reads the next part; undefined when none is due. */
  async function nextRequest(db: Queryable): Promise<((signal?: AbortSignal) => Promise<RoundPart | undefined>) | undefined> {
    const cursor = await readIndexCursor(db)
    const epoch = cursor === null ? undefined : (await listEpochs(db)).at(-1)
    if (cursor === null || epoch === undefined || cursor.lastLedger === null) return undefined
    if (round?.epoch !== epoch.number) {
      if (round === undefined && clock.nowMs() < nextAtMs) return undefined
      round = { epoch: epoch.number, afterSeq: 0, missingIds: [] }
    }
    const current = round
    const exchange = deployment.current
    const limit = maxPositionsPerRead(exchange.assets.symbols.length) - current.missingIds.length
    const page = await listOpenIds(db, epoch.deployment, { afterSeq: current.afterSeq, limit })
    const requestedIds = [...new Set([...current.missingIds, ...page.map(({ positionId }) => positionId)])]
    const nextSeq = page.length < limit ? null : (page.at(-1)?.openedSeq ?? null)
    const request: PartRequest = { epoch, requestedIds, minLedger: cursor.lastLedger }
    return async (signal) => {
      try {
        const part = await readPart(rpc, exchange, request, signal)
        return part === undefined ? undefined : { ...part, round: current, nextSeq, readAtMs: clock.nowMs() }
      } catch (error) {
        if (signal?.aborted !== true) log.debug({ err: error }, 'the market\'s ledger entries could not be read; comparing later')
        return undefined
      }
    }
  }

  /** Returns the number of corrections; null when the part cannot be compared and is read again; undefined while the index has not reached its ledger. */
  async function applyPart(db: Writer, part: RoundPart): Promise<number | null | undefined> {
    const { epoch, state, nextSeq } = part
    const cursor = await readIndexCursor(db)
    if (cursor === null || cursor.epoch !== epoch.number || part.round !== round) return retryLater()
    if ((cursor.lastLedger ?? 0) < state.ledger) return clock.nowMs() - part.readAtMs > PART_TTL_MS ? retryLater() : undefined
    const result = await db.transaction((tx) => compareWithLedger(tx, part, cursor, { log, nowMs: clock.nowMs() }))
    if (result === null) return retryLater()
    const { corrections, missingIds } = result
    for (const { kind, positionId } of corrections) {
      log.warn({ kind, positionId, ledger: state.ledger }, 'a position differed from the ledger and was corrected')
    }
    const isLast = nextSeq === null && missingIds.length === 0
    round = isLast ? undefined : { epoch: epoch.number, afterSeq: nextSeq ?? Number.MAX_SAFE_INTEGER, missingIds }
    if (isLast) nextAtMs = clock.nowMs() + RECONCILE_INTERVAL_MS
    return corrections.length
  }

  function retryLater(): null {
    round = undefined
    nextAtMs = clock.nowMs() + RETRY_MS
    return null
  }

  return {
    async poll(db, signal) {
      const part = background.result()
      if (part !== undefined) {
        if ((await applyPart(db, part)) === undefined) return
        background.clear()
      }
      if (background.isPending()) return
      const request = await nextRequest(db)
      if (request !== undefined) background.start(request(signal))
    },
    async compare(db, signal) {
      const part = await (await nextRequest(db))?.(signal)
      return part === undefined ? null : ((await applyPart(db, part)) ?? null)
    },
    scheduleNow() {
      nextAtMs = clock.nowMs()
    },
    settled: () => background.settled(),
  }
}
