// One part of a comparison: what the market's ledger entries hold at one ledger, and how the projections differ from it.

import type { Log } from '../base/log.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import { RpcFailure } from '../chain/failure.ts'
import type { MarketState } from '../chain/market-state.ts'
import { maxPositionsPerRead, readMarketState } from '../chain/market-state.ts'
import type { Rpc } from '../chain/rpc.ts'
import { readVaultCount } from '../chain/vault-info.ts'
import type { VaultCount } from '../chain/vault-info.ts'
import type { Deployment } from '../exchange/deployment.ts'
import { readCompleteness } from '../projections/completeness.ts'
import { recordCorrections } from '../projections/corrections.ts'
import type { Correction } from '../projections/corrections.ts'
import type { Epoch } from '../projections/epochs.ts'
import { lastReservedSeq } from '../projections/index-state.ts'
import type { IndexCursor } from '../projections/index-state.ts'
import type { Position } from '../projections/positions.ts'
import { loadPositions } from '../projections/positions.ts'
import {
  hasActivity, readActivitySince, readInterest, readVaultsTotal, recomputeInterest, recordComparison, recordMissingMarket,
} from '../projections/reconciliation.ts'
import type { ActivitySince, LedgerPosition } from '../projections/reconciliation.ts'
import type { Queryable } from '../store/store.ts'

export interface PartRequest {
  readonly epoch: Epoch
  readonly requestedIds: readonly number[]
  /** The last indexed ledger: older responses are of no use. */
  readonly minLedger: number
}

/** A part as it was read. */
export interface ComparisonPart {
  readonly epoch: Epoch
  readonly requestedIds: readonly number[]
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
  { epoch, requestedIds, minLedger }: PartRequest,
  signal: AbortSignal | undefined,
): Promise<ComparisonPart | undefined> {
  const call = signal === undefined ? { minLedger } : { minLedger, signal }
  const vaults = await countVaults(rpc, epoch.contracts.vaultFactory, call)
  const notBefore = Math.max(minLedger, vaults.ledger)
  const exchange = { ...contracts, market: epoch.contracts.market, assets: assets.symbols }
  const state = await readMarketState(rpc, exchange, requestedIds, { ...call, minLedger: notBefore })
  if (state.ledger < notBefore) return undefined
  return { epoch, requestedIds, state, vaultCount: vaults.count, firstLedger: vaults.count === null ? state.ledger : vaults.ledger }
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
}

/** Corrects the projections where they differ from the part, in the caller's transaction; null when nothing can be compared. */
export async function compareWithLedger(
  tx: Queryable,
  part: ComparisonPart,
  cursor: IndexCursor,
  { log, nowMs }: { readonly log: Log; readonly nowMs: number },
): Promise<ComparisonResult | null> {
  const { epoch, state, requestedIds } = part
  const { deployment } = epoch
  if (!state.isDeployed) {
    await recordMissingMarket(tx)
    const fields = { market: epoch.contracts.market, ledger: state.ledger }
    log.warn(fields, 'no market contract at the configured address: the network was reset, or the address is wrong')
    return null
  }
  const since = await readActivitySince(tx, epoch, part.firstLedger)
  if (since === null || state.openIds === null) return null
  const openIds = [...state.openIds]
  const positions = await loadPositions(tx, deployment, { ids: [...new Set([...requestedIds, ...openIds])], openOf: [] })
  const known = new Map(positions.map((position) => [position.positionId, position]))
  const corrections = requestedIds.map((id) => correctionOf(id, known.get(id), state, since)).filter((correction) => correction !== undefined)
  if (corrections.length > 0) {
    await recordCorrections(tx, corrections, { deployment, afterSeq: lastReservedSeq(cursor), ledger: state.ledger, nowMs })
  }
  const missingIds = openIds
    .filter((id) => !requestedIds.includes(id) && known.get(id)?.state !== 'open' && !since.positionIds.has(id))
    .slice(0, maxPositionsPerRead(state.openInterest.size) / 2)
  const positionsMatch = corrections.length === 0 && missingIds.length === 0
  await recordTotals(tx, part, since, { positionsMatch, log, nowMs })
  return { corrections, missingIds }
}

/** Stores the totals of the comparison. The open interest is compared only when all positions match. */
async function recordTotals(
  tx: Queryable,
  { epoch, state, vaultCount }: ComparisonPart,
  since: ActivitySince,
  { positionsMatch, log, nowMs }: { readonly positionsMatch: boolean; readonly log: Log; readonly nowMs: number },
): Promise<void> {
  const { ledger, factoryBalance } = state
  const isComparable = positionsMatch && since.positionIds.size === 0 && since.traders.size === 0
  const interestWrong = isComparable && isInterestWrong(await readInterest(tx, epoch.deployment), state)
  if (interestWrong) {
    await recomputeInterest(tx, epoch.deployment)
    log.warn({ ledger }, 'the open interest differed from the ledger and was recomputed')
  }
  const vaultsTotal = since.touchesVaults ? null : await readVaultsTotal(tx, epoch)
  const completeness = await readCompleteness(tx, epoch, since, { ...state, vaultCount })
  await recordComparison(tx, { ledger, ...completeness, interestWrong, factoryBalance, vaultsTotal }, nowMs)
}

/** How a position differs from the ledger; undefined when it does not, or when later activity or an unreadable entry makes that unknown. */
function correctionOf(positionId: number, known: Position | undefined, state: MarketState, since: ActivitySince): Correction | undefined {
  if (known === undefined ? since.positionIds.has(positionId) : hasActivity(since, known)) return undefined
  const stored = state.positions.get(positionId)
  if (stored === undefined) {
    const hasEnded = known?.state === 'open' && state.openIds?.has(positionId) === false
    return hasEnded ? { kind: 'ended', positionId, ledgerPosition: null } : undefined
  }
  if (stored === null || stored.id !== positionId || state.openIds?.has(positionId) !== true) return undefined
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
