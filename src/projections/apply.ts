// The write side of the projections: applies a page of archived events to each of them.

import type { Queryable } from '../store/store.ts'
import { applyAccountEvents } from './account-events.ts'
import type { ArchivedEvent } from './archived-event.ts'
import { isTransfer } from './archived-event.ts'
import { applyBadDebts } from './bad-debts.ts'
import { applyCashLedger } from './cash-ledger.ts'
import type { Epoch } from './epochs.ts'
import { addToTraders } from './leaders.ts'
import { readMarginModes } from './margin-modes.ts'

import { readPositionEvent } from './market-events.ts'
import type { PositionEvent } from './market-events.ts'
import { changeOpenInterest } from './interest-versions.ts'
import { applyOrderEvents } from './orders.ts'
import { foldPositions, liquidationKey } from './positions-fold.ts'
import { insertPositionVersions } from './position-versions.ts'
import { applyPoolFlows } from './pool-samples.ts'
import { applyFills } from './position-fills.ts'
import { loadPositions, storePositions } from './positions.ts'
import { assignEarlierOrder, readExecutedOrders } from './print-orders.ts'
import { applyReferralEvents } from './referral.ts'
import { countSeenIds } from './seen-ids.ts'
import { addTraderResults, foldTraderResults } from './trader-results.ts'
import { noteTransactions } from './transaction-effects.ts'
import { insertOpens, insertTrades, readLiquidations } from './trades.ts'
import { applyVaultFlowSums } from './vault-history.ts'
import { applyVaultEvents } from './vaults.ts'
import { addFills } from './volumes.ts'

/** Applies events of one epoch in log order. Each event must be applied exactly once; the caller's transaction guarantees this. */
export async function applyEvents(tx: Queryable, epoch: Epoch, archived: readonly ArchivedEvent[]): Promise<void> {
  const events = archived.filter((event) => !isTransfer(event))
  await applyPositionEvents(tx, epoch.deployment, events)
  await applyBadDebts(tx, epoch.deployment, events)
  await applyOrderEvents(tx, epoch, events)
  await applyAccountEvents(tx, epoch.deployment, events)
  await applyVaultEvents(tx, epoch, events)
  await applyPoolFlows(tx, events)
  await applyVaultFlowSums(tx, epoch, events)
  await applyReferralEvents(tx, epoch, events)
  await applyCashLedger(tx, epoch, archived)
  await countSeenIds(tx, epoch, events)
  await applyFills(tx, epoch.deployment, archived)
  await noteTransactions(tx, epoch, archived)
}

async function applyPositionEvents(tx: Queryable, deployment: number, events: readonly ArchivedEvent[]): Promise<void> {
  await assignEarlierOrder(tx, events)
  const positionEvents = events.map(readPositionEvent).filter((event) => event !== undefined)
  if (positionEvents.length === 0) return
  const ids = new Set<number>()
  const opened: number[] = []
  const crossLiquidated = new Set<string>()
  for (const event of positionEvents) {
    if (event.kind === 'cross_liquidation') crossLiquidated.add(event.trader)
    else ids.add(event.positionId)
    if (event.kind === 'opened') opened.push(event.positionId)
  }
  const orders = readExecutedOrders(events)
  const known = await loadPositions(tx, deployment, { ids: [...ids], openOf: [...crossLiquidated] })
  const changes = foldPositions(positionEvents, known, await readMarginModes(tx, deployment, opened), await earlierLiquidations(tx, positionEvents), orders)
  await storePositions(tx, deployment, changes.positions)
  await insertPositionVersions(tx, deployment, changes.versions)
  await insertOpens(tx, changes.opens)
  await insertTrades(tx, changes.trades)
  await addFills(tx, changes.fills)
  await addToTraders(tx, changes.gains)
  await addTraderResults(tx, foldTraderResults(positionEvents, changes.trades))
  await changeOpenInterest(tx, deployment, changes.interest)
}

/** A page may begin inside a transaction, between the liquidations of an account's positions and the event that sums them up. */
async function earlierLiquidations(tx: Queryable, events: readonly PositionEvent[]): Promise<ReadonlySet<string>> {
  const [first] = events
  const atStart = events.filter((event) => event.kind === 'cross_liquidation' && event.txHash === first?.txHash)
  return new Set((await Promise.all(atStart.map((event) => readLiquidations(tx, event)))).flat().map(liquidationKey))
}
