// Applies a page of position events in memory. Pure: the affected positions are loaded, and the changes stored, in a few bulk statements per page, however
// many events it has.

import { maxAmount } from '../../base/fixed-point.ts'
import type { CrossLiquidation, Deleveraged, PositionEnded, PositionEvent, PositionOpened, PositionReduced } from '../log/market-events.ts'
import type { InterestStep } from '../markets/interest-versions.ts'
import type { MarginMode, Position, PositionState } from './positions.ts'
import { stepPosition } from './position-versions.ts'
import type { PositionVersion } from './position-versions.ts'
import type { TraderGain } from '../traders/trader-versions.ts'
import type { NewOpen, NewTrade } from '../trades/trades.ts'
import type { TradedVolume } from '../trades/volumes.ts'

/** All changes of a page. */
export interface PositionChanges {
  readonly positions: readonly Position[]
  readonly opens: readonly NewOpen[]
  readonly trades: readonly NewTrade[]
  readonly volumes: readonly TradedVolume[]
  /** Versions of positions that ended here. */
  readonly versions: readonly PositionVersion[]
  /** In log order, as are the steps of the open interest. */
  readonly gains: readonly TraderGain[]
  readonly interest: readonly InterestStep[]
}

/**
 * Applies events in log order. `known` must hold every position that the events name, and all open positions of traders in a cross liquidation; `modes` holds
 * the observed margin modes of positions opened here. `liquidated` holds the accounts and transactions of liquidations before these events, as
 * `liquidationKey` writes them; `orders` holds the orders that caused events, by seq.
 */
export function foldPositions(
  events: readonly PositionEvent[],
  known: readonly Position[],
  modes: ReadonlyMap<number, MarginMode>,
  liquidated: ReadonlySet<string> = new Set(),
  orders: ReadonlyMap<number, number> = new Map(),
): PositionChanges {
  const positions = new Map(known.map((position) => [position.positionId, position]))
  const changed = new Set<number>()
  const liquidations = new Set(liquidated)
  const opens: NewOpen[] = []
  const trades: NewTrade[] = []
  const volumes: TradedVolume[] = []
  const versions: PositionVersion[] = []
  const gains: TraderGain[] = []
  const interest: InterestStep[] = []

  function setPosition(next: Omit<Position, 'state' | 'sinceSeq'>, state: PositionState, seq: number): void {
    const step = stepPosition(positions.get(next.positionId), next, state, seq)
    positions.set(next.positionId, step.position)
    if (step.ended !== null) versions.push(step.ended)
    interest.push(...step.interest)
    changed.add(next.positionId)
  }

  function addGain({ seq, trader }: PositionEvent, gain: Partial<TraderGain>): void {
    gains.push({ seq, trader, pnl: 0n, volume: 0n, trades: 0, liquidations: 0, ...gain })
  }

  function orderOf({ seq }: PositionEvent): number | null {
    return orders.get(seq) ?? null
  }

  function applyOpened(event: PositionOpened): void {
    const { seq, ledger, ts, positionId, trader, asset, direction, size, entryPrice, txHash } = event
    const marginMode = modes.get(positionId) ?? null
    const opening = { openedSeq: seq, openedAt: ts, openedTxHash: txHash, marginMode }
    setPosition({ positionId, trader, asset, direction, size, entryPrice, ...opening }, 'open', seq)
    const orderId = orderOf(event)
    opens.push({ seq, positionId, trader, ledger, ts, txHash, asset, direction, size, entryPrice, orderId })
    volumes.push({ ts, trader, asset, size, countsForTrader: true })
    addGain(event, { volume: size, trades: 1 })
  }

  function applyEnded(event: PositionEnded): void {
    const { seq, ledger, ts, txHash, positionId, trader, kind, closePrice, pnl } = event
    const opened = positions.get(positionId)
    // An explicit close overrides a cross liquidation that ended the position provisionally.
    if (opened !== undefined) setPosition(opened, kind === 'close' ? 'closed' : 'liquidated', seq)
    const orderId = orderOf(event)
    trades.push({ seq, positionId, trader, kind, ledger, ts, txHash, leg: opened ?? null, reported: event, closePrice, pnl, orderId })
    const size = opened?.size ?? event.size
    const countsForTrader = kind === 'close' && opened !== undefined
    volumes.push({ ts, trader, asset: opened?.asset ?? event.asset, size, countsForTrader })
    addGain(event, { pnl: pnl ?? 0n, volume: countsForTrader ? size : 0n, trades: 1, liquidations: kind === 'liquidation' ? 1 : 0 })
    if (kind === 'liquidation') liquidations.add(liquidationKey(event))
  }

  function applyReduced(event: PositionReduced): void {
    const { seq, ledger, ts, txHash, positionId, trader, kind, asset, size, remainingSize, closePrice, pnl } = event
    const opened = positions.get(positionId)
    // What is left is open, even if a cross liquidation had ended it provisionally.
    if (opened !== undefined) setPosition({ ...opened, size: remainingSize ?? maxAmount(opened.size - size, 0n) }, 'open', seq)
    const orderId = orderOf(event)
    const leg = opened === undefined ? null : { ...opened, size }
    trades.push({ seq, positionId, trader, kind, ledger, ts, txHash, leg, reported: event, closePrice, pnl, orderId })
    const countsForTrader = kind === 'reduce' && opened !== undefined
    volumes.push({ ts, trader, asset: opened?.asset ?? asset, size, countsForTrader })
    addGain(event, { pnl: pnl ?? 0n, volume: countsForTrader ? size : 0n, trades: 1, liquidations: kind === 'partial_liquidation' ? 1 : 0 })
  }

  /** The close has counted everything already. */
  function applyDeleveraged(event: Deleveraged): void {
    const { seq, ledger, ts, txHash, positionId, trader, kind, asset, size, closePrice, pnl } = event
    const opened = positions.get(positionId)
    const orderId = orderOf(event)
    const leg = opened === undefined ? null : { ...opened, size }
    trades.push({ seq, positionId, trader, kind, ledger, ts, txHash, leg, reported: event, closePrice, pnl, orderId })
    volumes.push({ ts, trader, asset: opened?.asset ?? asset, size: 0n, countsForTrader: false })
  }

  function applyCrossLiquidation(event: CrossLiquidation): void {
    const { seq, ledger, ts, txHash, trader, kind, totalPnl } = event
    if (liquidations.has(liquidationKey(event))) {
      trades.push({ seq, positionId: null, trader, kind, ledger, ts, txHash, leg: null, reported: null, closePrice: null, pnl: totalPnl, orderId: null })
      addGain(event, { pnl: totalPnl })
      return
    }
    addGain(event, { trades: 1, liquidations: 1 })
    for (const position of positions.values()) {
      if (position.trader === trader && position.state === 'open' && position.marginMode !== 'isolated') setPosition(position, 'cross_liquidated', seq)
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
  const result = [...changed].map((id) => positions.get(id)).filter((position) => position !== undefined)
  return { positions: result, opens, trades, volumes, versions, gains, interest }
}

/** Identifies the liquidations of one account in one transaction. */
export function liquidationKey({ txHash, trader }: { readonly txHash: string; readonly trader: string }): string {
  return `${txHash} ${trader}`
}
