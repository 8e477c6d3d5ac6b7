// Compares the projections with the market's ledger entries, on a schedule and after ledgers were lost: positions that the ledger has no more end, those that
// it has otherwise are corrected, and those that no event told of are added. Beside the indexing and never in its way: a part is read at one ledger, in the
// background, and judged when the index has come to that ledger; what has happened since is left for the next time.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import { RpcFailure } from '../chain/failure.ts'
import type { MarketState } from '../chain/market-state.ts'
import { MAX_POSITIONS_PER_READ, readMarketState } from '../chain/market-state.ts'
import type { Rpc } from '../chain/rpc.ts'
import { readVaultCount } from '../chain/vault-info.ts'
import type { VaultCount } from '../chain/vault-info.ts'
import type { ContractAddresses } from '../exchange/contracts.ts'
import { readCompleteness } from '../projections/completeness.ts'
import { recordCorrections } from '../projections/corrections.ts'
import type { Correction } from '../projections/corrections.ts'
import type { Epoch } from '../projections/epochs.ts'
import { listEpochs } from '../projections/epochs.ts'
import { lastReservedSeq, readIndexCursor } from '../projections/index-state.ts'
import type { IndexCursor } from '../projections/index-state.ts'
import type { Position } from '../projections/positions.ts'
import { loadPositions } from '../projections/positions.ts'
import {
  hasActivity, listOpenIds, readInterest, readActivitySince, readVaultsTotal, recordMissingMarket, recordComparison,
  recomputeInterest,
} from '../projections/reconciliation.ts'
import type { ActivitySince, LedgerPosition } from '../projections/reconciliation.ts'
import type { Queryable, Writer } from '../store/store.ts'

/** A comparison begins this long after the last one ended. */
export const RECONCILE_INTERVAL_MS = 5 * 60_000
/** What could not be judged is asked for again after this long. */
const RETRY_MS = 30_000
/** An answer that the index does not come up to for so long is thrown away. */
const PART_TTL_MS = 60_000

/** What the parts of a comparison share. */
interface Round {
  readonly epoch: number
  /** Open positions up to here, in the order of their opening, are compared. */
  readonly afterSeq: number
  /** Ids that the ledger has and the index has not, to be read in the next part. */
  readonly missingIds: readonly number[]
}

/** A part as it was read. */
interface Part {
  readonly round: Round
  readonly epoch: Epoch
  readonly requestedIds: readonly number[]
  /** Where the next part begins; null: this was the last page. */
  readonly nextSeq: number | null
  readonly state: MarketState
  /** Read at the ledger of `since`. Null: not told. */
  readonly vaultCount: number | null
  /** Nothing was read at an earlier ledger. */
  readonly activitySince: number
  readonly readAtMs: number
}

export interface Reconciler {
  /** Judges what has been answered and asks for the next part, without waiting for the answer. */
  poll(db: Writer, signal: AbortSignal): Promise<void>
  /** Asks for one part, waits and judges it when the index has come so far; returns how many corrections it made, null when nothing could be compared. */
  compare(db: Writer, signal?: AbortSignal): Promise<number | null>
  /** The next comparison does not wait for its time. */
  scheduleNow(): void
  /** Resolves when nothing is asked any more. */
  settled(): Promise<void>
}

export function createReconciler(options: { readonly rpc: Rpc; readonly contracts: ContractAddresses; readonly clock: Clock; readonly log: Log }): Reconciler {
  const { rpc, contracts, clock, log } = options
  let round: Round | undefined
  let nextAtMs = clock.nowMs()
  let asking: Promise<void> | undefined
  let answered: Part | undefined

  /** The question about the next part; undefined when it is not time for one. */
  async function nextRequest(db: Queryable): Promise<((signal?: AbortSignal) => Promise<Part | undefined>) | undefined> {
    const cursor = await readIndexCursor(db)
    const epoch = cursor === null ? undefined : (await listEpochs(db)).at(-1)
    if (cursor === null || epoch === undefined || cursor.lastLedger === null) return undefined
    if (round?.epoch !== epoch.number) {
      if (round === undefined && clock.nowMs() < nextAtMs) return undefined
      round = { epoch: epoch.number, afterSeq: 0, missingIds: [] }
    }
    const { afterSeq, missingIds: wanted } = round
    const limit = MAX_POSITIONS_PER_READ - wanted.length
    const page = await listOpenIds(db, epoch.deployment, { afterSeq, limit })
    const part = {
      round, epoch,
      requestedIds: [...new Set([...wanted, ...page.map(({ positionId }) => positionId)])],
      nextSeq: page.length < limit ? null : (page.at(-1)?.openedSeq ?? null),
    }
    const minLedger = cursor.lastLedger
    return async (signal) => {
      try {
        const call = signal === undefined ? { minLedger } : { minLedger, signal }
        const vaults = await countVaults(rpc, epoch.contracts.vaultFactory, call)
        const notBefore = Math.max(minLedger, vaults.ledger)
        const state = await readMarketState(rpc, { ...contracts, market: epoch.contracts.market }, part.requestedIds, { ...call, minLedger: notBefore })
        if (state.ledger < notBefore) return undefined
        return { ...part, state, vaultCount: vaults.count, activitySince: vaults.count === null ? state.ledger : vaults.ledger, readAtMs: clock.nowMs() }
      } catch (error) {
        if (signal?.aborted !== true) log.debug({ err: error }, 'the market\'s entries cannot be read; comparing later')
        return undefined
      }
    }
  }

  /** Undefined: not yet, because the index has not come to the ledger of the answer. Null: it cannot be judged, and is asked for again. */
  async function applyPart(db: Writer, part: Part): Promise<number | null | undefined> {
    const { epoch, state } = part
    const cursor = await readIndexCursor(db)
    if (cursor === null || cursor.epoch !== epoch.number || part.round !== round) return retryLater()
    if ((cursor.lastLedger ?? 0) < state.ledger) return clock.nowMs() - part.readAtMs > PART_TTL_MS ? retryLater() : undefined
    const found = await db.transaction((tx) => compareWithLedger(tx, part, cursor))
    if (found === null) return retryLater()
    for (const { kind, positionId } of found.corrections) {
      log.warn({ kind, positionId, ledger: state.ledger }, 'a position was not what the ledger says, and was corrected')
    }
    const isLast = part.nextSeq === null && found.wanted.length === 0
    round = isLast ? undefined : { epoch: epoch.number, afterSeq: part.nextSeq ?? Number.MAX_SAFE_INTEGER, missingIds: found.wanted }
    if (isLast) nextAtMs = clock.nowMs() + RECONCILE_INTERVAL_MS
    return found.corrections.length
  }

  function retryLater(): null {
    round = undefined
    nextAtMs = clock.nowMs() + RETRY_MS
    return null
  }

  async function compareWithLedger(
    tx: Queryable,
    part: Part,
    cursor: IndexCursor,
  ): Promise<{ corrections: readonly Correction[]; wanted: readonly number[] } | null> {
    const { epoch, state, requestedIds: asked } = part
    const { deployment } = epoch
    if (!state.isDeployed) {
      await recordMissingMarket(tx)
      log.warn({ market: epoch.contracts.market, ledger: state.ledger }, 'there is no market at its address: the network was reset, or the address is wrong')
      return null
    }
    const since = await readActivitySince(tx, epoch, part.activitySince)
    if (since === null || state.openIds === null) return null
    const open = [...state.openIds]
    const known = new Map((await loadPositions(tx, deployment, { ids: [...new Set([...asked, ...open])], openOf: [] })).map((one) => [one.positionId, one]))
    const corrections = asked.map((id) => correctionOf(id, known.get(id), state, since)).filter((correction) => correction !== undefined)
    if (corrections.length > 0) {
      const where = { deployment, afterSeq: lastReservedSeq(cursor), ledger: state.ledger, nowMs: clock.nowMs() }
      await recordCorrections(tx, corrections, where)
    }
    const wanted = open
      .filter((id) => !asked.includes(id) && known.get(id)?.state !== 'open' && !since.positionIds.has(id))
      .slice(0, MAX_POSITIONS_PER_READ / 2)
    await recordTotals(tx, part, since, corrections.length === 0 && wanted.length === 0)
    return { corrections, wanted }
  }

  /** Keeps what the sums came to. `settled`: no position is in doubt, so that the open interest must be the ledger's. */
  async function recordTotals(tx: Queryable, { epoch, state, vaultCount }: Part, since: ActivitySince, settled: boolean): Promise<void> {
    const { deployment } = epoch
    const { ledger, factoryBalance } = state
    const isComparable = settled && since.positionIds.size === 0 && since.traders.size === 0
    const interestWrong = isComparable && isInterestWrong(await readInterest(tx, deployment), state)
    if (interestWrong) {
      await recomputeInterest(tx, deployment)
      log.warn({ ledger }, 'the open interest was not what the ledger says, and was added up anew')
    }
    const vaultsTotal = since.touchesVaults ? null : await readVaultsTotal(tx, epoch)
    const completeness = await readCompleteness(tx, epoch, since, { ...state, vaultCount })
    await recordComparison(tx, { ledger, ...completeness, interestWrong, factoryBalance, vaultsTotal }, clock.nowMs())
  }

  async function keep(answer: Promise<Part | undefined>): Promise<void> {
    answered = await answer
    asking = undefined
  }

  return {
    async poll(db, signal) {
      if (answered !== undefined) {
        const part = answered
        if ((await applyPart(db, part)) === undefined) return
        answered = undefined
      }
      if (asking !== undefined) return
      const ask = await nextRequest(db)
      if (ask !== undefined) asking = keep(ask(signal))
    },
    async compare(db, signal) {
      const part = await (await nextRequest(db))?.(signal)
      return part === undefined ? null : ((await applyPart(db, part)) ?? null)
    },
    scheduleNow() {
      nextAtMs = clock.nowMs()
    },
    async settled() {
      await asking
    },
  }
}

/** A factory that cannot be asked, or that is none, is no reason not to compare the market. */
async function countVaults(rpc: Rpc, factory: string, call: CallOptions): Promise<VaultCount> {
  try {
    return await readVaultCount(rpc, factory, call)
  } catch (error) {
    if (!(error instanceof RpcFailure) || error.kind !== 'rpc') throw error
    return { count: null, ledger: 0 }
  }
}

/** What the ledger says against a position; undefined when nothing, or when that cannot be told. An entry that cannot be read tells nothing. */
function correctionOf(positionId: number, known: Position | undefined, state: MarketState, since: ActivitySince): Correction | undefined {
  if (known === undefined ? since.positionIds.has(positionId) : hasActivity(since, known)) return undefined
  const stored = state.positions.get(positionId)
  if (stored === undefined) {
    const isGone = known?.state === 'open' && state.openIds?.has(positionId) === false
    return isGone ? { kind: 'ended', positionId, ledgerPosition: null } : undefined
  }
  if (stored === null || stored.id !== positionId || state.openIds?.has(positionId) !== true) return undefined
  const facts: LedgerPosition = {
    trader: stored.trader, asset: stored.asset, direction: stored.direction, size: stored.size, entryPrice: stored.entry_price, openedAt: stored.timestamp,
    marginMode: stored.margin_mode === 0 ? 'isolated' : 'cross',
  }
  if (known?.state !== 'open') return { kind: 'opened', positionId, ledgerPosition: facts }
  const isSame = known.trader === facts.trader && known.asset === facts.asset && known.direction === facts.direction && known.size === facts.size &&
    known.entryPrice === facts.entryPrice
  return isSame ? undefined : { kind: 'changed', positionId, ledgerPosition: facts }
}

/** Sides that cannot be read are taken for right. */
function isInterestWrong(kept: ReadonlyMap<string, { readonly long: bigint; readonly short: bigint }>, { openInterest: sides }: MarketState): boolean {
  return [...sides].some(([asset, told]) => {
    const { long, short } = kept.get(asset) ?? { long: 0n, short: 0n }
    return told !== null && (told.long !== long || told.short !== short)
  })
}
