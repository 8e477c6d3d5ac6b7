// Applies a page of position events in memory. Pure: the affected positions are loaded, and the changes stored, in a few bulk statements per page, however
// many events it has.

import type { TraderGain } from './leaders.ts'
import type { PositionEnded, PositionOpened, PositionEvent } from './market-events.ts'
import type { InterestChange } from './market-stats.ts'
import type { MarginMode, Position, PositionState } from './positions.ts'
import type { NewTrade } from './trades.ts'
import type { Fill } from './volumes.ts'

/** All changes of a page. */
export interface PositionChanges {
  readonly positions: readonly Position[]
  readonly trades: readonly NewTrade[]
  readonly fills: readonly Fill[]
  readonly gains: ReadonlyMap<string, TraderGain>
  readonly interest: ReadonlyMap<string, InterestChange>
}

/**
 * Applies events in log order. `known` must hold every position that the events name, and all open positions of traders in a cross liquidation; `modes` holds
 * the observed margin modes of positions opened here.
 */
export function foldPositions(events: readonly PositionEvent[], known: readonly Position[], modes: ReadonlyMap<number, MarginMode>): PositionChanges {
  const positions = new Map(known.map((position) => [position.positionId, position]))
  const changed = new Set<number>()
  const trades: NewTrade[] = []
  const fills: Fill[] = []
  const gains = new Map<string, TraderGain>()
  const interest = new Map<string, InterestChange>()

  function setPosition(position: Position, state: PositionState): void {
    const before = positions.get(position.positionId)
    if (before?.state === 'open') addToInterest(interest, before, -1)
    if (state === 'open') addToInterest(interest, position, 1)
    positions.set(position.positionId, { ...position, state })
    changed.add(position.positionId)
  }

  function addGain(trader: string, pnl: bigint, volume: bigint): void {
    const sum = gains.get(trader)
    gains.set(trader, { pnl: (sum?.pnl ?? 0n) + pnl, volume: (sum?.volume ?? 0n) + volume })
  }

  function applyOpened(event: PositionOpened): void {
    const { seq, ts, positionId, trader, asset, direction, size, entryPrice, txHash } = event
    const marginMode = modes.get(positionId) ?? null
    const opening = { openedSeq: seq, openedAt: ts, openedTxHash: txHash, marginMode }
    setPosition({ positionId, trader, asset, direction, size, entryPrice, ...opening, state: 'open' }, 'open')
    fills.push({ seq, ts, trader, asset, size, countsForTrader: true })
    addGain(trader, 0n, size)
  }

  function applyEnded(event: PositionEnded): void {
    const { seq, ledger, ts, txHash, positionId, trader, kind, closePrice, pnl } = event
    const opened = positions.get(positionId)
    // An explicit close overrides a cross liquidation that ended the position provisionally.
    if (opened !== undefined) setPosition(opened, kind === 'close' ? 'closed' : 'liquidated')
    trades.push({ seq, positionId, trader, kind, ledger, ts, txHash, leg: opened ?? null, closePrice, pnl })
    const size = opened?.size ?? event.size
    const countsForTrader = kind === 'close' && opened !== undefined
    fills.push({ seq, ts, trader, asset: opened?.asset ?? event.asset, size, countsForTrader })
    addGain(trader, pnl ?? 0n, countsForTrader ? size : 0n)
  }

  for (const event of events) {
    if (event.kind === 'opened') applyOpened(event)
    else if (event.kind !== 'cross_liquidation') applyEnded(event)
    else {
      for (const position of positions.values()) {
        if (position.trader === event.trader && position.state === 'open' && position.marginMode !== 'isolated') setPosition(position, 'cross_liquidated')
      }
    }
  }
  return { positions: [...changed].map((id) => positions.get(id)).filter((position) => position !== undefined), trades, fills, gains, interest }
}

/** Adds a position to the open interest of its asset, or subtracts it. */
export function addToInterest(interest: Map<string, InterestChange>, position: Position, sign: 1 | -1): void {
  const change = interest.get(position.asset) ?? { long: 0n, short: 0n, positions: 0 }
  interest.set(position.asset, change)
  const size = sign === 1 ? position.size : -position.size
  if (position.direction === 0) change.long += size
  else change.short += size
  change.positions += sign
}
