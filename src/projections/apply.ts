// The write side of the projections: applies a page of archived events to each of them.

import type { Queryable, Writable } from '../store/store.ts'
import { applyAccountEvents } from './log/account-events.ts'
import type { ArchivedEvent } from './log/archived-event.ts'
import { isTransfer } from './log/archived-event.ts'
import { readTransactionStart, toTransactions } from './log/archived-transactions.ts'
import { applyBadDebts } from './positions/bad-debts.ts'
import { addCandleVolumes } from './candles/candle-volumes.ts'
import { applyCashLedger } from './cash/cash-ledger.ts'
import type { Epoch } from './state/epochs.ts'
import { addToTraders } from './traders/leaders.ts'
import { readMarginModes } from './positions/margin-modes.ts'
import { readPositionEvent } from './log/market-events.ts'
import type { PositionEvent } from './log/market-events.ts'
import { changeOpenInterest } from './markets/interest-versions.ts'
import { applyOrderEvents } from './orders/orders.ts'
import { foldPositions, liquidationKey } from './positions/positions-fold.ts'
import type { PositionChanges } from './positions/positions-fold.ts'
import { insertPositionVersions } from './positions/position-versions.ts'
import { applyPoolFlows } from './markets/pool-samples.ts'
import { applyFills } from './positions/position-fills.ts'
import { loadPositions, storePositions } from './positions/positions.ts'
import type { Position } from './positions/positions.ts'
import { assignEarlierOrder, readExecutedOrders } from './orders/print-orders.ts'
import { applyReferralEvents } from './traders/referral.ts'
import { countSeenIds } from './state/seen-ids.ts'
import { readSettledPage } from './log/settled-page.ts'
import { addToIntervals, addToProfiles, foldTraderResults, resultChanges } from './traders/trader-results.ts'
import type { TraderResult } from './traders/trader-results.ts'
import { noteTransactions, transactionsToSettle } from './log/transaction-effects.ts'
import { insertOpens, insertTrades, readLiquidations } from './trades/trades.ts'
import { applyVaultFlowSums } from './vaults/vault-history.ts'
import { applyVaultEvents } from './vaults/vaults.ts'
import { addHourlyVolumes } from './trades/volumes.ts'

/** Applies events of one epoch in log order. Each event must be applied exactly once; the caller's transaction guarantees this. */
export async function applyEvents(tx: Writable, epoch: Epoch, archived: readonly ArchivedEvent[]): Promise<void> {
  const [first] = archived
  if (first === undefined) return
  const { contractEpoch } = epoch
  const events = archived.filter((event) => !isTransfer(event))
  // A page may begin inside a transaction, whose rows are computed as a whole.
  const [{ positions, results }, begun] = await Promise.all([applyPositionEvents(tx, contractEpoch, events), readTransactionStart(tx, contractEpoch, first)])
  await applyBadDebts(tx, contractEpoch, events)
  await applyOrderEvents(tx, epoch, events)
  const transactions = transactionsToSettle(toTransactions([...begun, ...archived], epoch.contracts))
  const again = begun.length === 0 ? [] : transactions.filter(({ txHash }) => txHash === first.txHash)
  // The database works on the writes while the facts and the account ledger, which takes longest, are computed.
  const [page] = await Promise.all([readSettledPage(tx, contractEpoch, { transactions, again, positions }), applyAccountEvents(tx, contractEpoch, events)])
  await noteTransactions(tx, contractEpoch, page, first.seq)
  await applyCashLedger(tx, page)
  const { costs } = await applyFills(tx, contractEpoch, page)
  await addToIntervals(tx, [...resultChanges(results), ...costs])
  await applyVaultEvents(tx, epoch, archived, begun)
  await applyPoolFlows(tx, events)
  await applyVaultFlowSums(tx, epoch, events)
  await applyReferralEvents(tx, epoch, events)
  await countSeenIds(tx, epoch, events)
}

/** Returns the positions that the events name, as they are afterwards, and what the events realized. */
async function applyPositionEvents(
  tx: Writable, contractEpoch: number, events: readonly ArchivedEvent[],
): Promise<{ readonly positions: ReadonlyMap<number, Position>; readonly results: readonly TraderResult[] }> {
  await assignEarlierOrder(tx, events)
  const positionEvents = events.map(readPositionEvent).filter((event) => event !== undefined)
  if (positionEvents.length === 0) return { positions: new Map(), results: [] }
  const ids = new Set<number>()
  const opened: number[] = []
  const crossLiquidated = new Set<string>()
  for (const event of positionEvents) {
    if (event.kind === 'cross_liquidation') crossLiquidated.add(event.trader)
    else ids.add(event.positionId)
    if (event.kind === 'opened') opened.push(event.positionId)
  }
  const orders = readExecutedOrders(events)
  const [known, modes, earlier] = await Promise.all([
    loadPositions(tx, contractEpoch, { ids: [...ids], openOf: [...crossLiquidated] }), readMarginModes(tx, contractEpoch, opened),
    earlierLiquidations(tx, positionEvents),
  ])
  const changes = foldPositions(positionEvents, known, modes, earlier, orders)
  const results = foldTraderResults(positionEvents, changes.trades)
  const stored = new Set(known.map(({ positionId }) => positionId))
  // The ranking and the open interest wait for results of their own tables. The database works on the other writes then.
  await Promise.all([
    addToTraders(tx, changes.gains), changeOpenInterest(tx, contractEpoch, changes.interest), storeChanges(tx, contractEpoch, changes, stored),
    addToProfiles(tx, results),
  ])
  return { positions: new Map([...known, ...changes.positions].map((position) => [position.positionId, position])), results }
}

/** Stores what the events changed besides the ranking and the open interest. `stored` are the ids of positions that have rows. */
async function storeChanges(tx: Writable, contractEpoch: number, changes: PositionChanges, stored: ReadonlySet<number>): Promise<void> {
  await storePositions(tx, contractEpoch, changes.positions.filter(({ positionId }) => stored.has(positionId)))
  await storePositions(tx, contractEpoch, changes.positions.filter(({ positionId }) => !stored.has(positionId)), { added: true })
  // The sums take longer to compute than the other rows, and less to write.
  await addHourlyVolumes(tx, changes.volumes)
  await addCandleVolumes(tx, changes.volumes)
  await insertPositionVersions(tx, contractEpoch, changes.versions)
  await insertOpens(tx, changes.opens)
  await insertTrades(tx, changes.trades)
}

/** A page may begin inside a transaction, between the liquidations of an account's positions and the event that sums them up. */
async function earlierLiquidations(tx: Queryable, events: readonly PositionEvent[]): Promise<ReadonlySet<string>> {
  const [first] = events
  const atStart = events.filter((event) => event.kind === 'cross_liquidation' && event.txHash === first?.txHash)
  return new Set((await Promise.all(atStart.map((event) => readLiquidations(tx, event)))).flat().map(liquidationKey))
}
