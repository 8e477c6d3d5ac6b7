// Applies a page of position events in memory. Pure: the affected positions are loaded, and the changes stored, in a few bulk statements per page, however
// many events it has.

import { maxAmount } from '../base/fixed-point.ts'
import type { TraderGain } from './leaders.ts'
import type { CrossLiquidation, Deleveraged, PositionEnded, PositionEvent, PositionOpened, PositionReduced } from './market-events.ts'
import type { InterestChange } from './market-stats.ts'
import type { MarginMode, Position, PositionState } from './positions.ts'
import type { NewOpen, NewTrade } from './trades.ts'
import type { Fill } from './volumes.ts'

/** All changes of a page. */
export interface PositionChanges {
  readonly positions: readonly Position[]
  readonly opens: readonly NewOpen[]
  readonly trades: readonly NewTrade[]
  readonly fills: readonly Fill[]
  readonly gains: ReadonlyMap<string, TraderGain>
  readonly interest: ReadonlyMap<string, InterestChange>
}

/**
 * Applies events in log order. `known` must hold every position that the events name, and all open positions of traders in a cross liquidation; `modes` holds
 * the observed margin modes of positions opened here. `liquidated` holds the accounts and transactions of liquidations before these events, as
 * `liquidationKey` writes them.
 */
export function foldPositions(
  events: readonly PositionEvent[],
  known: readonly Position[],
  modes: ReadonlyMap<number, MarginMode>,
  liquidated: ReadonlySet<string> = new Set(),
): PositionChanges {
  const positions = new Map(known.map((position) => [position.positionId, position]))
  const changed = new Set<number>()
  const liquidations = new Set(liquidated)
  const opens: NewOpen[] = []
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

  function addGain(trader: string, gain: Partial<TraderGain>): void {
    const { pnl, volume, trades: count, liquidations: liquidationCount } = gains.get(trader) ?? NO_GAIN
    gains.set(trader, {
      pnl: pnl + (gain.pnl ?? 0n),
      volume: volume + (gain.volume ?? 0n),
      trades: count + (gain.trades ?? 0),
      liquidations: liquidationCount + (gain.liquidations ?? 0),
    })
  }

  function applyOpened(event: PositionOpened): void {
    const { seq, ledger, ts, positionId, trader, asset, direction, size, entryPrice, txHash } = event
    const marginMode = modes.get(positionId) ?? null
    const opening = { openedSeq: seq, openedAt: ts, openedTxHash: txHash, marginMode }
    setPosition({ positionId, trader, asset, direction, size, entryPrice, ...opening, state: 'open' }, 'open')
    opens.push({ seq, positionId, trader, ledger, ts, txHash, asset, direction, size, entryPrice })
    fills.push({ seq, ts, trader, asset, size, countsForTrader: true })
    addGain(trader, { volume: size, trades: 1 })
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
    addGain(trader, { pnl: pnl ?? 0n, volume: countsForTrader ? size : 0n, trades: 1, liquidations: kind === 'liquidation' ? 1 : 0 })
    if (kind === 'liquidation') liquidations.add(liquidationKey(event))
  }

  function applyReduced(event: PositionReduced): void {
    const { seq, ledger, ts, txHash, positionId, trader, kind, asset, size, remainingSize, closePrice, pnl } = event
    const opened = positions.get(positionId)
    // What is left is open, even if a cross liquidation had ended it provisionally.
    if (opened !== undefined) setPosition({ ...opened, size: remainingSize ?? maxAmount(opened.size - size, 0n) }, 'open')
    trades.push({ seq, positionId, trader, kind, ledger, ts, txHash, leg: opened === undefined ? null : { ...opened, size }, closePrice, pnl })
    const countsForTrader = kind === 'reduce' && opened !== undefined
    fills.push({ seq, ts, trader, asset: opened?.asset ?? asset, size, countsForTrader })
    addGain(trader, { pnl: pnl ?? 0n, volume: countsForTrader ? size : 0n, trades: 1, liquidations: kind === 'partial_liquidation' ? 1 : 0 })
  }

  /** The close has counted everything already. */
  function applyDeleveraged({ seq, ledger, ts, txHash, positionId, trader, kind, size, closePrice, pnl }: Deleveraged): void {
    const opened = positions.get(positionId)
    trades.push({ seq, positionId, trader, kind, ledger, ts, txHash, leg: opened === undefined ? null : { ...opened, size }, closePrice, pnl })
  }

  function applyCrossLiquidation(event: CrossLiquidation): void {
    const { seq, ledger, ts, txHash, trader, kind, totalPnl } = event
    if (liquidations.has(liquidationKey(event))) {
      trades.push({ seq, positionId: null, trader, kind, ledger, ts, txHash, leg: null, closePrice: null, pnl: totalPnl })
      addGain(trader, { pnl: totalPnl })
      return
    }
    addGain(trader, { trades: 1, liquidations: 1 })
    for (const position of positions.values()) {
      if (position.trader === trader && position.state === 'open' && position.marginMode !== 'isolated') setPosition(position, 'cross_liquidated')
    }
  }

  for (const event of events) {
    switch (event.kind) {
      case 'opened':
        applyOpened(event)
        break
      case 'close':
      case 'liquidation':
        applyEnded(event)
        break
      case 'reduce':
      case 'partial_liquidation':
        applyReduced(event)
        break
      case 'adl':
        applyDeleveraged(event)
        break
      default:
        applyCrossLiquidation(event)
    }
  }
  return { positions: [...changed].map((id) => positions.get(id)).filter((position) => position !== undefined), opens, trades, fills, gains, interest }
}

const NO_GAIN: TraderGain = { pnl: 0n, volume: 0n, trades: 0, liquidations: 0 }

/** Identifies the liquidations of one account in one transaction. */
export function liquidationKey({ txHash, trader }: { readonly txHash: string; readonly trader: string }): string {
  return `${txHash} ${trader}`
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
