// Compares the projections with the market's ledger entries, on a schedule and after ledgers were lost: ends positions that the ledger no longer has,
// corrects those that differ, and adds those that no event reported. Positions are compared in parts. Each part is read at one ledger, in the background,
// and applied once the index has reached that ledger; positions with later activity are left to the next comparison. A market without a list of its open
// positions is compared the same way, and unseen ids are read besides (id-scan.ts).

import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { maxEntriesPerRead } from '../../chain/views/market-state.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { CurrentDeployment } from '../../exchange/deployment.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import { readIndexCursor } from '../../projections/state/index-state.ts'
import { listOpenIds } from '../../projections/repair/reconciliation.ts'
import type { Queryable, Writer } from '../../store/store.ts'
import { createBackgroundRequest } from '../background-request.ts'
import type { ChainProof } from '../identity/chain-proof.ts'
import type { IdScan, ScanStep } from './id-scan.ts'
import { NOTHING_SCANNED, restartOnDrift } from './id-scan.ts'
import { compareWithLedger, readPart } from '../identity/ledger-comparison.ts'
import type { ComparisonPart, PartRequest } from '../identity/ledger-comparison.ts'
import { hasIdLists, marketGenerationAt } from '../identity/market-generation.ts'

/** Time between the end of one comparison and the start of the next. */
const RECONCILE_INTERVAL_MS = 5 * 60_000
/** Time until a part that could not be compared is read again. */
const RETRY_MS = 30_000
/** A part is dropped when the index does not reach its ledger within this time. */
const PART_TTL_MS = 60_000
/** Parts that read unseen ids in one comparison; the next comparison continues. */
const SCAN_PARTS_MAX = 50

/** The progress of one comparison. */
interface Round {
  readonly epoch: number
  /** Open positions up to this seq have been compared, in order of opening. */
  readonly afterSeq: number
  /** Ids that the ledger has and the index lacks; the next part reads them. */
  readonly missingIds: readonly number[]
  /** The ids that the next part reads of a market without lists of ids. */
  readonly step: ScanStep | null
  /** Number of parts that have read such ids. */
  readonly scanParts: number
}

/** The known state of one deployment's market. */
interface MarketScan {
  readonly contractEpoch: number
  readonly scan: IdScan
  /** True when the market has counts of what is open. */
  readonly countsOpen: boolean
}

/** A part together with the round that requested it. */
interface RoundPart extends ComparisonPart {
  readonly round: Round
  /** Seq after which the next part begins; null: this was the last page of open positions. */
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
  readonly proof: ChainProof
}

export function createReconciler({ rpc, deployment, clock, log, proof }: ReconcilerOptions): Reconciler {
  let round: Round | undefined
  let market: MarketScan | undefined
  let nextAtMs = clock.nowMs()
  const background = createBackgroundRequest<RoundPart>(proof)

  /** A function that reads the next part; undefined when none is due. */
  async function nextRequest(db: Queryable): Promise<((signal?: AbortSignal) => Promise<RoundPart | undefined>) | undefined> {
    const cursor = await readIndexCursor(db)
    const epoch = cursor === null ? undefined : (await listEpochs(db)).at(-1)
    if (cursor === null || epoch === undefined || cursor.lastLedger === null) return undefined
    if (round?.epoch !== epoch.number) {
      if (round === undefined && clock.nowMs() < nextAtMs) return undefined
      round = { epoch: epoch.number, afterSeq: 0, missingIds: [], step: null, scanParts: 0 }
    }
    const current = round
    const exchange = deployment.current
    const { page, ...entries } = await nextEntries(db, epoch, current, {
      limit: maxEntriesPerRead(exchange.assets.symbols.length),
      listed: hasIdLists(await marketGenerationAt(db, epoch, cursor.lastLedger), exchange, marketOf(epoch).countsOpen),
    })
    const request: PartRequest = { epoch, ...entries, minLedger: cursor.lastLedger }
    return async (signal) => {
      try {
        const part = await readPart(rpc, exchange, request, signal)
        return part === undefined ? undefined : { ...part, round: current, nextSeq: page.nextSeq, readAtMs: clock.nowMs() }
      } catch (error) {
        if (signal?.aborted !== true) log.debug({ err: error }, 'the market\'s ledger entries could not be read; comparing later')
        return undefined
      }
    }
  }

  function marketOf({ contractEpoch: number }: Epoch): MarketScan {
    if (market?.contractEpoch !== number) market = { contractEpoch: number, scan: NOTHING_SCANNED, countsOpen: false }
    return market
  }

  /** Returns the number of corrections; null when the part cannot be compared and is read again; undefined while the index has not reached its ledger. */
  async function applyPart(db: Writer, part: RoundPart): Promise<number | null | undefined> {
    const { epoch, state, nextSeq } = part
    const cursor = await readIndexCursor(db)
    if (cursor === null || cursor.epoch !== epoch.number || part.round !== round) return retryLater()
    if ((cursor.lastLedger ?? 0) < state.ledger) return clock.nowMs() - part.readAtMs > PART_TTL_MS ? retryLater() : undefined
    const { scan: scanBefore, countsOpen } = marketOf(epoch)
    market = { contractEpoch: epoch.contractEpoch, scan: scanBefore, countsOpen: countsOpen || state.openPositionCount !== null }
    const context = { exchange: deployment.current, scan: scanBefore, log, nowMs: clock.nowMs() }
    const result = await db.transaction((tx) => compareWithLedger(tx, part, cursor, context))
    if (result === null) return retryLater()
    const { corrections, missingIds, step, scan, drift } = result
    for (const { kind, positionId } of corrections) {
      log.warn({ kind, positionId, ledger: state.ledger }, 'a position differed from the ledger and was corrected')
    }
    const scanParts = part.step === null ? part.round.scanParts : part.round.scanParts + 1
    const isScanned = step === null || scanParts >= SCAN_PARTS_MAX
    const isLast = nextSeq === null && missingIds.length === 0 && isScanned
    // Pages of open positions come first; only then has a part room for unseen ids.
    round = isLast ? undefined : {
      epoch: epoch.number, afterSeq: nextSeq ?? Number.MAX_SAFE_INTEGER, missingIds, step: nextSeq === null ? step : null, scanParts,
    }
    market = { ...marketOf(epoch), scan: isLast && step === null ? restartOnDrift(scan, drift) : scan }
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
      if (part === undefined) return null
      return (await proof.confirmNow(db, signal)) ? ((await applyPart(db, part)) ?? null) : retryLater()
    },
    scheduleNow() {
      nextAtMs = clock.nowMs()
    },
    settled: () => background.settled(),
  }
}

/** The entries that the next part requests: missing ids, then open positions in order of opening. Without lists, each position is read with its owner's. */
async function nextEntries(
  db: Queryable, { contractEpoch }: Epoch, { afterSeq, missingIds, step }: Round, { limit, listed }: { readonly limit: number; readonly listed: boolean },
): Promise<Pick<PartRequest, 'requestedIds' | 'traders' | 'step'> & { readonly page: { readonly nextSeq: number | null } }> {
  const ownStep = listed ? null : step
  const firstIds = [...missingIds, ...(ownStep?.positionIds ?? [])]
  const room = limit - firstIds.length - (ownStep?.orderIds.length ?? 0)
  const pageLimit = listed ? room : Math.floor(room / 2)
  const rows = pageLimit <= 0 ? [] : await listOpenIds(db, contractEpoch, { afterSeq, limit: pageLimit })
  return {
    requestedIds: [...new Set([...firstIds, ...rows.map(({ positionId }) => positionId)])],
    traders: listed ? null : [...new Set(rows.map(({ trader }) => trader))],
    step: ownStep,
    page: { nextSeq: rows.length < pageLimit ? null : (rows.at(-1)?.openedSeq ?? null) },
  }
}
