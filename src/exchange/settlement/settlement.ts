// The money that each change of a position moved, computed from the events, the USDC transfers and the changed entries of its transaction. Pure. Events
// report the profit by price alone; fees, funding and payouts follow from the transfers between a position's events.

import type { EntryChanges, PositionEntry } from '../contracts/entry-changes.ts'
import type { PositionChange, PositionChangeKind, Settled, SettlementInput } from './position-changes.ts'
import { pricePnl } from './position-pnl.ts'
import { segmentsOf } from './settlement-segments.ts'
import type { PositionEventName, Segment, ValuedSegment } from './settlement-segments.ts'
import { settleClose, settleOpen } from './settlement-closes.ts'
import { settleCrossAccount, settleCrossLeg, settleLiquidation, settlePartialLiquidation, settleStrandedFunds } from './settlement-liquidations.ts'

/** The changes of positions in a transaction, in the order of their events. */
export function settlementOf(input: SettlementInput): readonly PositionChange[] {
  const changes: PositionChange[] = []
  for (const segment of segmentsOf(input)) {
    if (segment.name === 'cross_liq') {
      const legs = changes.filter(({ kind, trader }) => kind === 'liquidation' && trader === segment.trader)
      if (legs.length === 0) changes.push(...settleCrossAccount(input, segment, changes))
      else changes.push(...settleStrandedFunds(input, segment, changes.splice(changes.length - legs.length)))
      continue
    }
    if (segment.name === 'adl_executed') {
      const closed = changes.findLastIndex(({ kind, positionId }) => kind === 'close' && positionId === segment.positionId)
      const change = changes[closed]
      if (change !== undefined) changes[closed] = { ...change, kind: 'adl' }
      continue
    }
    changes.push(changeOf(input, segment))
  }
  return changes
}

const KINDS = {
  position_opened: 'open', position_closed: 'close', position_reduced: 'reduce', position_liquidated: 'liquidation',
  position_partial_liq: 'partial_liquidation',
} as const satisfies Partial<Record<PositionEventName, PositionChangeKind>>

function changeOf(input: SettlementInput, segment: Segment): PositionChange {
  const { seq, positionId, trader, order, price, size } = segment
  const kind = KINDS[segment.name as keyof typeof KINDS]
  const entry = entryOf(input.changes, positionId)
  const opened = input.opened?.get(positionId)
  const direction = segment.direction ?? opened?.direction ?? entry?.direction ?? null
  const entryPrice = opened?.entryPrice ?? entry?.entry_price ?? null
  const pnl = kind === 'open' ? 0n : (segment.pnl ?? pnlOf(direction, size, entryPrice, price))
  const marginMode = modeOf(entry)
  return {
    seq, kind, positionId, trader, price, size, pnl, direction, marginMode,
    orderId: order?.id ?? null,
    asset: segment.asset ?? opened?.asset ?? entry?.asset ?? null,
    ...settled(input, { ...segment, pnl, marginMode }),
  }
}

function settled(input: SettlementInput, segment: ValuedSegment): Settled {
  switch (segment.name) {
    case 'position_opened':
      return settleOpen(input, segment)
    case 'position_partial_liq':
      return settlePartialLiquidation(segment)
    case 'position_liquidated':
      return segment.isCrossLeg ? settleCrossLeg(input, segment) : settleLiquidation(input, segment)
    default:
      return settleClose(input, segment)
  }
}

function entryOf(changes: EntryChanges | null, positionId: number): PositionEntry | null {
  const change = changes?.positions.get(positionId)
  return change?.before ?? change?.after ?? null
}

function modeOf(entry: PositionEntry | null): 'isolated' | 'cross' | null {
  if (entry === null) return null
  return entry.margin_mode === 0 ? 'isolated' : 'cross'
}

function pnlOf(direction: number | null, size: bigint | null, entryPrice: bigint | null, price: bigint | null): bigint | null {
  if (direction === null || size === null || price === null || entryPrice === null || entryPrice <= 0n) return null
  return pricePnl({ direction, size, entry_price: entryPrice }, price)
}
