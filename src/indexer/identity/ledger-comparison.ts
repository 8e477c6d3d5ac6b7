// One part of a comparison: what the market's ledger entries hold at one ledger, and how the projections differ from it.

import type { Log } from '../../base/log.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { MarketState } from '../../chain/views/market-state.ts'
import { maxEntriesPerRead, readMarketState } from '../../chain/views/market-state.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readVaultCount } from '../../chain/views/vault-info.ts'
import type { VaultCount } from '../../chain/views/vault-info.ts'
import type { Deployment } from '../../exchange/deployment.ts'
import { readCompleteness } from '../../projections/state/completeness.ts'
import { recordCorrections, recordInterestCorrections } from '../../projections/repair/corrections.ts'
import type { Correction } from '../../projections/repair/corrections.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import { listPlaced } from '../../projections/orders/orders.ts'
import type { Position } from '../../projections/positions/positions.ts'
import { loadPositions } from '../../projections/positions/positions.ts'
import {
  hasActivity, readActivitySince, readInterest, readVaultsTotal, recomputeInterest, recordComparison, recordMissingMarket,
} from '../../projections/repair/reconciliation.ts'
import type { ActivitySince, LedgerPosition } from '../../projections/repair/reconciliation.ts'
import { countOpenOrders, countOpenPositions } from '../../projections/state/unseen-ids.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import type { IdScan, LastIds, ScanStep } from '../repair/id-scan.ts'
import { isComplete, nextStep, pendingWithoutEvent, scanAfter, withoutReads } from '../repair/id-scan.ts'
import { hasIdLists, marketGenerationAt } from './market-generation.ts'

export interface PartRequest {
  readonly epoch: Epoch
  readonly requestedIds: readonly number[]
  /** The owners of requested positions, if the market has no list of all open positions; otherwise null. */
  readonly traders: readonly string[] | null
  /** The ids among the requested ones that no event named, if the market has no lists of ids. */
  readonly step: ScanStep | null
  /** The last indexed ledger: older responses are of no use. */
  readonly minLedger: number
}

/** A part as it was read. */
export interface ComparisonPart extends Omit<PartRequest, 'minLedger'> {
  readonly state: MarketState
  /** Null: the factory returned no count. */
  readonly vaultCount: number | null
  /** The earliest ledger that anything in this part was read at. */
  readonly firstLedger: number
}

/** Reads a part; undefined when the node is behind. Throws RpcFailure. */
export async function readPart(
  rpc: Rpc,
  { contracts, assets }: Pick<Deployment, 'contracts' | 'assets'>,
  { minLedger, ...request }: PartRequest,
  signal: AbortSignal | undefined,
): Promise<ComparisonPart | undefined> {
  const { epoch, requestedIds, traders, step } = request
  const call = signal === undefined ? { minLedger } : { minLedger, signal }
  const vaults = await countVaults(rpc, epoch.contracts.vaultFactory, call)
  const notBefore = Math.max(minLedger, vaults.ledger)
  const exchange = { ...contracts, market: epoch.contracts.market, assets: assets.symbols }
  const entries = { positionIds: requestedIds, orderIds: step?.orderIds ?? [], traders: traders ?? [] }
  const state = await readMarketState(rpc, exchange, entries, { ...call, minLedger: notBefore })
  if (state.ledger < notBefore) return undefined
  return { ...request, state, vaultCount: vaults.count, firstLedger: vaults.count === null ? state.ledger : vaults.ledger }
}

/** A factory that is missing or fails must not prevent the comparison of the market. */
async function countVaults(rpc: Rpc, factory: string, call: CallOptions): Promise<VaultCount> {
  try {
    return await readVaultCount(rpc, factory, call)
  } catch (error) {
    if (!(error instanceof RpcFailure) || error.kind !== 'rpc') throw error
    return { count: null, ledger: 0 }
  }
}

export interface ComparisonResult {
  readonly corrections: readonly Correction[]
  /** Ids that the ledger has and the index lacks, for the next part. */
  readonly missingIds: readonly number[]
  /** The ids that the next part has to read of a market without lists of ids. */
  readonly step: ScanStep | null
  readonly scan: IdScan
  readonly drift: Drift
}

export interface ComparisonContext {
  readonly exchange: Pick<Deployment, 'generation'>
  readonly scan: IdScan
  readonly log: Log
  readonly nowMs: number
}

/** Corrects the projections where they differ from the part, in the caller's transaction; null when nothing can be compared. */
export async function compareWithLedger(
  tx: Writable, part: ComparisonPart, cursor: IndexCursor, context: ComparisonContext,
): Promise<ComparisonResult | null> {
  const { epoch, state, requestedIds } = part
  const { exchange, log, nowMs } = context
  const { contractEpoch } = epoch
  if (!state.isDeployed) {
    await recordMissingMarket(tx)
    const fields = { market: epoch.contracts.market, ledger: state.ledger }
    log.warn(fields, 'no market contract at the configured address: the network was reset, or the address is wrong')
    return null
  }
  const since = await readActivitySince(tx, epoch, part.firstLedger)
  const listed = hasIdLists(await marketGenerationAt(tx, epoch, state.ledger), exchange, state.openPositionCount !== null)
  const open = listed ? byLists(state) : byEntries(part)
  if (since === null || open === null) return null
  const positions = await loadPositions(tx, contractEpoch, { ids: [...new Set([...requestedIds, ...open.ids])], openOf: [] })
  const known = new Map(positions.map((position) => [position.positionId, position]))
  const corrections = requestedIds.map((id) => correctionOf(id, known.get(id), { state, open, since })).filter((correction) => correction !== undefined)
  if (corrections.length > 0) {
    await recordCorrections(tx, corrections, known, { contractEpoch, cursor, ledger: state.ledger, nowMs })
  }
  const limit = maxEntriesPerRead(state.openInterest.size) / 2
  const missingIds = open.ids
    .filter((id) => !requestedIds.includes(id) && known.get(id)?.state !== 'open' && !since.positionIds.has(id))
    .slice(0, limit)
  const last = lastIdsOf(state)
  const { scan, step } = listed ? { scan: context.scan, step: null } : await continueScan(tx, part, context.scan, last)
  const market: OpenOnLedger = listed
    ? { positions: state.openIds?.size ?? null, orders: state.restingIds?.length ?? null, restingIds: state.restingIds }
    : { positions: state.openPositionCount, orders: state.openOrderCount, restingIds: step === null ? pendingWithoutEvent(scan) : null }
  const positionsMatch = corrections.length === 0 && missingIds.length === 0 && step === null
  const drift = await recordTotals(tx, part, since, { market, positionsMatch, cursor, log, nowMs })
  return { corrections, missingIds, step, scan, drift }
}

/** The open positions in the ledger, as far as the part shows them. */
interface OpenIds {
  /** All ids, if the market lists them. */
  readonly ids: readonly number[]
  /** True when a position that has an entry is open. */
  isOpen(positionId: number): boolean
  /** True when a position without an entry has ended. */
  hasEnded(position: Position): boolean
}

/** Null: the list cannot be read. */
function byLists({ openIds }: MarketState): OpenIds | null {
  return openIds === null ? null : { ids: [...openIds], isOpen: (id) => openIds.has(id), hasEnded: ({ positionId }) => !openIds.has(positionId) }
}

/** A position has an entry as long as it is open. One without is looked up in its owner's list too. Null: the part was not read for this. */
function byEntries({ state, traders }: ComparisonPart): OpenIds | null {
  if (traders === null || state.openPositionCount === null) return null
  return { ids: [], isOpen: () => true, hasEnded: ({ positionId, trader }) => state.idsOfTraders.get(trader)?.has(positionId) === false }
}

/** Open positions and orders of the index less those of the market; null: unknown. */
interface Drift {
  readonly positions: number | null
  readonly orders: number | null
}

/** The open positions and orders on the ledger; null: unknown. */
interface OpenOnLedger {
  readonly positions: number | null
  readonly orders: number | null
  /** Pending orders: all of them, or those without an event. */
  readonly restingIds: readonly number[] | null
}

function lastIdsOf({ lastPositionId, lastOrderId }: MarketState): LastIds {
  return { positionId: lastPositionId ?? 0, orderId: lastOrderId ?? 0 }
}
/** Continues the scan of ids after this part; the step is null when all ids are examined. */
async function continueScan(
  tx: Queryable, { epoch, state, step }: ComparisonPart, before: IdScan, last: LastIds,
): Promise<{ readonly scan: IdScan; readonly step: ScanStep | null }> {
  const scan = await scanAfter(tx, epoch.contractEpoch, before, step, state)
  const next = await nextStep(tx, epoch.contractEpoch, scan, last, Math.floor(maxEntriesPerRead(state.openInterest.size) / 2))
  return { scan: withoutReads(scan, next), step: isComplete(next, last) ? null : next }
}

/** Stores the totals of the comparison. The open interest is compared only when all positions match. */
async function recordTotals(
  tx: Writable,
  { epoch, state, vaultCount }: ComparisonPart,
  since: ActivitySince,
  { market, positionsMatch, cursor, log, nowMs }: {
    readonly market: OpenOnLedger; readonly positionsMatch: boolean; readonly cursor: IndexCursor; readonly log: Log; readonly nowMs: number
  },
): Promise<Drift> {
  const { ledger, factoryBalance } = state
  const isComparable = positionsMatch && since.positionIds.size === 0 && since.traders.size === 0
  const interest = await readInterest(tx, epoch.contractEpoch)
  const interestWrong = isComparable && isInterestWrong(interest, state)
  if (interestWrong) {
    await recomputeInterest(tx, epoch.contractEpoch)
    const corrected = await readInterest(tx, epoch.contractEpoch)
    await recordInterestCorrections(tx, interest, corrected, { contractEpoch: epoch.contractEpoch, cursor, ledger, nowMs })
    log.warn({ ledger }, 'the open interest differed from the ledger and was recomputed')
  }
  const vaultsTotal = since.touchesVaults ? null : await readVaultsTotal(tx, epoch)
  const completeness = await readCompleteness(tx, epoch, since, { ...state, restingIds: market.restingIds, vaultCount })
  const drift = await readDrift(tx, epoch.contractEpoch, { market, last: lastIdsOf(state), since })
  await recordComparison(tx, { ledger, ...completeness, drift, interestWrong, factoryBalance, vaultsTotal }, nowMs)
  return drift
}

async function readDrift(
  tx: Queryable, contractEpoch: number, { market, last, since }: { readonly market: OpenOnLedger; readonly last: LastIds; readonly since: ActivitySince },
): Promise<Drift> {
  const { positions, orders, restingIds } = market
  const placed = restingIds === null ? null : await listPlaced(tx, contractEpoch, restingIds)
  const withoutPlacement = restingIds?.filter((id) => placed?.has(id) === false).length ?? 0
  return {
    positions: positions === null ? null : (await countOpenPositions(tx, contractEpoch, since, last.positionId)) - positions,
    orders: orders === null || restingIds === null ? null : (await countOpenOrders(tx, contractEpoch, since, last.orderId)) + withoutPlacement - orders,
  }
}

/** The correction of a position that differs from the ledger; undefined when it does not, or when later activity or an unreadable entry makes that unknown. */
function correctionOf(
  positionId: number,
  known: Position | undefined,
  { state, open, since }: { readonly state: MarketState; readonly open: OpenIds; readonly since: ActivitySince },
): Correction | undefined {
  if (known === undefined ? since.positionIds.has(positionId) : hasActivity(since, known)) return undefined
  const stored = state.positions.get(positionId)
  if (stored === undefined) {
    const hasEnded = known?.state === 'open' && open.hasEnded(known)
    return hasEnded ? { kind: 'ended', positionId, ledgerPosition: null } : undefined
  }
  if (stored === null || stored.id !== positionId || !open.isOpen(positionId)) return undefined
  const ledgerPosition: LedgerPosition = {
    trader: stored.trader, asset: stored.asset, direction: stored.direction, size: stored.size, entryPrice: stored.entry_price, openedAt: stored.timestamp,
    marginMode: stored.margin_mode === 0 ? 'isolated' : 'cross',
  }
  if (known?.state !== 'open') return { kind: 'opened', positionId, ledgerPosition }
  const isSame = COMPARED_FIELDS.every((field) => known[field] === ledgerPosition[field])
  return isSame ? undefined : { kind: 'changed', positionId, ledgerPosition }
}

const COMPARED_FIELDS = ['trader', 'asset', 'direction', 'size', 'entryPrice'] as const

/** Sides that cannot be read count as matching. */
function isInterestWrong(stored: ReadonlyMap<string, { readonly long: bigint; readonly short: bigint }>, { openInterest }: MarketState): boolean {
  return [...openInterest].some(([asset, side]) => {
    const { long, short } = stored.get(asset) ?? { long: 0n, short: 0n }
    return side !== null && (side.long !== long || side.short !== short)
  })
}
