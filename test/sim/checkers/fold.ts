// The lists that the gateway must serve, folded from the archived payloads in memory without the projections' code. Follows the specification; written for
// clarity.

import assert from 'node:assert/strict'
import type { Archived } from './archive.ts'

const DAY_SEC = 86_400

interface FoldedPosition {
  readonly positionId: number
  readonly trader: string
  readonly asset: string
  readonly direction: number
  readonly size: string
  readonly entryPrice: string
  readonly openedAt: number
  readonly openedTxHash: string
}

/** A position as the market's own entry states it. Its collateral is not in the log. */
export type MarketPosition = Pick<FoldedPosition, 'trader' | 'asset' | 'direction' | 'size' | 'entryPrice'>

interface FoldedTrade {
  /** Null for the sum of a cross liquidation. */
  readonly positionId: number | null
  readonly trader: string
  readonly kind: 'close' | 'liquidation' | 'reduce' | 'partial_liquidation' | 'adl' | 'cross_liquidation'
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
  readonly asset: string | null
  readonly direction: number | null
  readonly size: string | null
  readonly entryPrice: string | null
  readonly closePrice: string | null
  readonly pnl: string | null
  readonly seq: number
  readonly eventId: string
}

interface FoldedStats {
  readonly asset: string
  readonly openInterestLong: string
  readonly openInterestShort: string
  readonly openInterestNet: string
  readonly openPositions: number
  readonly volume24h: string
}

export interface Folded {
  /** Newest first. */
  readonly openPositions: readonly FoldedPosition[]
  /** Newest first. */
  readonly trades: readonly FoldedTrade[]
  readonly traders: ReadonlyMap<string, { readonly pnl: bigint; readonly volume: bigint }>
  statsOf(asset: string, nowSec: number): FoldedStats
}

interface Leg extends Omit<FoldedPosition, 'size'> {
  /** The size left of it. */
  size: string
  readonly contractEpoch: number
  readonly seq: number
  ended: boolean
}

interface Fill {
  readonly asset: string
  readonly ts: number
  readonly size: bigint
}

/** The end or reduction of a position that an event reports; null for other events. */
interface Ending {
  readonly kind: Exclude<FoldedTrade['kind'], 'cross_liquidation'>
  /** The part that the event closes; null for all that is left. */
  readonly part: string | null
  readonly price: string
  readonly pnl: string | null
}

type Payload = Readonly<Record<string, unknown>>

function endingOf(topic: string, payload: Payload): Ending | null {
  const text = (name: string): string => String(payload[name])
  switch (topic) {
    case 'position_closed':
      return { kind: 'close', part: null, price: text('closePrice'), pnl: text('pnl') }
    case 'position_liquidated':
      return { kind: 'liquidation', part: null, price: text('closePrice'), pnl: null }
    case 'position_reduced':
      return { kind: 'reduce', part: text('closedSize'), price: text('price'), pnl: text('pnl') }
    case 'position_partial_liq':
      return { kind: 'partial_liquidation', part: text('size'), price: text('closePrice'), pnl: null }
    default:
      return null
  }
}

/**
 * Folds the archive, oldest first. Positions of deployments other than `deployment` are closed. A cross-account liquidation of generation 1 names no positions:
 * it closed those of the trader that are missing from the market's own entries, `market`. From generation 2 on the liquidation of each position precedes it.
 * Fails unless the open positions are those entries.
 */
export function fold(archive: readonly Archived[], contractEpoch: number | null, market: ReadonlyMap<number, MarketPosition>): Folded {
  const legs = new Map<string, Leg>()
  const trades: FoldedTrade[] = []
  const traders = new Map<string, { pnl: bigint; volume: bigint }>()
  const fills: Fill[] = []
  const liquidated = new Set<string>()

  function add(trader: string, pnl: bigint, volume: bigint): void {
    const known = traders.get(trader) ?? { pnl: 0n, volume: 0n }
    traders.set(trader, { pnl: known.pnl + pnl, volume: known.volume + volume })
  }

  function open(event: Archived, payload: Payload, id: string): void {
    const leg = openingLeg(event, payload)
    legs.set(id, leg)
    add(leg.trader, 0n, BigInt(leg.size))
    fills.push({ asset: leg.asset, ts: leg.openedAt, size: BigInt(leg.size) })
  }

  function end(event: Archived, payload: Payload, ending: Ending, leg: Leg | undefined): void {
    const trade = tradeOf(event, payload, ending, leg)
    trades.unshift(trade)
    if (ending.kind === 'liquidation') liquidated.add(`${event.txHash} ${trade.trader}`)
    if (trade.pnl !== null) add(trade.trader, BigInt(trade.pnl), BigInt(trade.size ?? '0'))
    fills.push({ asset: leg?.asset ?? String(payload['asset']), ts: trade.ts, size: BigInt(trade.size ?? ending.part ?? String(payload['size'])) })
    if (leg === undefined) return
    if (ending.part === null) leg.ended = true
    else leg.size = String(BigInt(leg.size) - BigInt(ending.part))
  }

  function endCrossAccount(event: Archived, payload: Payload): void {
    const trader = String(payload['trader'])
    if (liquidated.has(`${event.txHash} ${trader}`)) {
      const whole = { kind: 'cross_liquidation', part: null, price: null, pnl: String(payload['totalPnl']) } as const
      trades.unshift({ ...tradeOf(event, payload, whole, undefined), positionId: null })
      add(trader, BigInt(whole.pnl), 0n)
      return
    }
    for (const leg of legs.values()) {
      const isCandidate = leg.contractEpoch === event.contractEpoch && leg.trader === trader
      if (isCandidate && !(leg.contractEpoch === contractEpoch && market.has(leg.positionId))) leg.ended = true
    }
  }

  for (const event of archive) {
    if (event.contractKey !== 'market' || event.problem !== null) continue
    const payload = event.payload ?? {}
    const id = `${event.contractEpoch}/${String(payload['positionId'])}`
    const ending = endingOf(event.topic, payload)
    if (event.topic === 'position_opened') open(event, payload, id)
    else if (event.topic === 'cross_liq') endCrossAccount(event, payload)
    else if (ending !== null) end(event, payload, ending, legs.get(id))
    else if (event.topic === 'adl_executed') {
      // The close before it has counted everything.
      const part = { kind: 'adl', part: String(payload['size']), price: String(payload['price']), pnl: String(payload['pnl']) } as const
      trades.unshift(tradeOf(event, payload, part, legs.get(id)))
    }
  }
  const openLegs = [...legs.values()].filter((leg) => !leg.ended && leg.contractEpoch === contractEpoch).sort((a, b) => b.seq - a.seq)
  assert.deepEqual(new Map(openLegs.map((leg) => [leg.positionId, marketPositionOf(leg)])), market, 'open positions by the log differ from those of the market')
  return {
    openPositions: openLegs.map(({ contractEpoch: _contractEpoch, seq: _seq, ended: _ended, ...position }) => position),
    trades,
    traders,
    statsOf: (asset, nowSec) => stats(asset, openLegs, fills, nowSec),
  }
}

function marketPositionOf({ trader, asset, direction, size, entryPrice }: Leg): MarketPosition {
  return { trader, asset, direction, size, entryPrice }
}

function openingLeg(event: Archived, payload: Readonly<Record<string, unknown>>): Leg {
  return {
    contractEpoch: event.contractEpoch,
    seq: event.seq,
    ended: false,
    positionId: Number(payload['positionId']),
    trader: String(payload['trader']),
    asset: String(payload['asset']),
    direction: Number(payload['direction']),
    size: String(payload['size']),
    entryPrice: String(payload['entryPrice']),
    openedAt: event.ledgerCloseTs,
    openedTxHash: event.txHash,
  }
}

function tradeOf(
  event: Archived, payload: Readonly<Record<string, unknown>>,
  { kind, part, price, pnl }: { readonly kind: FoldedTrade['kind']; readonly part: string | null; readonly price: string | null; readonly pnl: string | null },
  leg: Leg | undefined,
): FoldedTrade {
  return {
    positionId: Number(payload['positionId']),
    trader: String(payload['trader']),
    kind,
    ledger: event.ledger,
    ts: event.ledgerCloseTs,
    txHash: event.txHash,
    asset: leg?.asset ?? null,
    direction: leg?.direction ?? null,
    size: leg === undefined ? null : part ?? leg.size,
    entryPrice: leg?.entryPrice ?? null,
    closePrice: price,
    pnl,
    seq: event.seq,
    eventId: event.eventId,
  }
}

function stats(asset: string, open: readonly Leg[], fills: readonly Fill[], nowSec: number): FoldedStats {
  const mine = open.filter((leg) => leg.asset === asset)
  const side = (direction: number): bigint => sum(mine.filter((leg) => leg.direction === direction).map(({ size }) => BigInt(size)))
  const recent = fills.filter((fill) => fill.asset === asset && fill.ts > nowSec - DAY_SEC)
  return {
    asset,
    openInterestLong: String(side(0)),
    openInterestShort: String(side(1)),
    openInterestNet: String(side(0) - side(1)),
    openPositions: mine.length,
    volume24h: String(sum(recent.map(({ size }) => size))),
  }
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}
