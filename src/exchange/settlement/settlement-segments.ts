// Cuts a transaction at the events of positions. What a change moved is between the event before and its own.

import type { EventItem, SettlementInput, TransactionItem, TransferItem } from './position-changes.ts'

const POSITION_EVENTS = [
  'position_opened', 'position_closed', 'position_reduced', 'position_liquidated', 'position_partial_liq', 'adl_executed', 'cross_liq',
] as const

export type PositionEventName = (typeof POSITION_EVENTS)[number]

/** Events of the market after which another action begins. The others are parts of an action. */
const ENDS: ReadonlySet<string> = new Set([...POSITION_EVENTS, 'order_placed', 'order_executed', 'collateral_added', 'collateral_removed'])

/** The order that an execution names. */
interface ExecutedOrder {
  readonly id: number
  /** The fee that its keeper was to receive. */
  readonly nominalFee: bigint
}

/** One event of a position, and what its transaction did before it and after the event before. */
export interface Segment {
  readonly name: PositionEventName
  readonly seq: number
  /** 0 for `cross_liq`. */
  readonly positionId: number
  readonly trader: string
  readonly asset: string | null
  readonly direction: number | null
  readonly size: bigint | null
  readonly price: bigint | null
  /** Null when the event has none. */
  readonly pnl: bigint | null
  /** In the event. */
  readonly keeperReward: bigint | null
  /** The order that caused it: its execution is the next event of the market. */
  readonly order: ExecutedOrder | null
  /** A liquidation that `cross_liq` sums up later. */
  readonly isCrossLeg: boolean
  /** Everything after the event before. */
  readonly own: readonly TransactionItem[]
  /** Up to the report of the exposure: how the change was settled. */
  readonly settling: readonly TransactionItem[]
  /** After the report of the exposure: how the fee of an open was distributed. */
  readonly following: readonly TransactionItem[]
  /** Everything after the event, up to the end of the action or of the transaction. */
  readonly rest: readonly TransactionItem[]
  /** True when the transaction's transfers are known. */
  readonly hasTransfers: boolean
  /** The only change of its position and of its trader's cross balance in the transaction. */
  readonly isAlone: boolean
}

/** A segment whose change is valued. */
export interface ValuedSegment extends Segment {
  readonly marginMode: 'isolated' | 'cross' | null
}

export function segmentsOf({ items }: SettlementInput): readonly Segment[] {
  const market = items.flatMap((item, index) => (item.type === 'event' && item.contract === 'market' ? [{ item, index }] : []))
  const hasTransfers = items.some(({ type }) => type === 'transfer')
  const segments: Segment[] = []
  let start = 0
  for (const [position, { item, index }] of market.entries()) {
    const next = market[position + 1]?.item
    const segment = readSegment(item, next)
    if (segment !== null) {
      const own = items.slice(start, index)
      const synced = own.findLastIndex((part) => part.type === 'event' && part.contract === 'vault' && part.topic === 'exposure_synced')
      segments.push({
        ...segment,
        own,
        settling: synced === -1 ? own : own.slice(0, synced),
        following: synced === -1 ? [] : own.slice(synced + 1),
        rest: items.slice(index + 1),
        hasTransfers,
        isCrossLeg: item.topic === 'position_liquidated' && market.slice(position).some(({ item: later }) =>
          later.topic === 'cross_liq' && later.payload?.['trader'] === segment.trader),
        isAlone: isAlone(market.map((other) => other.item), item, segment.trader),
      })
    }
    if (ENDS.has(item.topic)) start = index + 1
  }
  return segments
}

type ReadSegment = Pick<Segment, 'name' | 'seq' | 'positionId' | 'trader' | 'asset' | 'direction' | 'size' | 'price' | 'pnl' | 'keeperReward' | 'order'>

function readSegment(item: EventItem, next: EventItem | undefined): ReadSegment | null {
  const name = POSITION_EVENTS.find((known) => known === item.topic)
  const { payload } = item
  if (name === undefined || payload === null) return null
  const positionId = name === 'cross_liq' ? 0 : payload['positionId']
  const { trader, asset, direction } = payload
  if (typeof positionId !== 'number' || typeof trader !== 'string') return null
  return {
    name, seq: item.seq, positionId, trader,
    asset: typeof asset === 'string' ? asset : null,
    direction: typeof direction === 'number' ? direction : null,
    size: amountOf(payload['size'] ?? payload['closedSize']),
    price: amountOf(payload['closePrice'] ?? payload['price'] ?? payload['entryPrice']),
    pnl: amountOf(payload['pnl']),
    keeperReward: amountOf(payload['keeperReward']),
    order: next?.topic === 'order_executed' ? executedOrder(next) : null,
  }
}

function executedOrder({ payload }: EventItem): ExecutedOrder | null {
  const [id, nominalFee] = [payload?.['orderId'], amountOf(payload?.['keeperReward'])]
  return typeof id === 'number' && nominalFee !== null ? { id, nominalFee } : null
}

/** True when no other event of the transaction concerns the trader's positions. The liquidation of a whole account comes with one event for each position. */
function isAlone(market: readonly EventItem[], own: EventItem, trader: string): boolean {
  return market.every((item) => {
    if (item === own || item.topic === 'adl_executed') return true
    return !POSITION_EVENTS.some((name) => name === item.topic) || item.payload?.['trader'] !== trader
  })
}

/** A payload's wide integer. */
export function amountOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value
  return typeof value === 'string' && /^-?\d{1,40}$/.test(value) ? BigInt(value) : null
}

/** The events of the vault with this topic. */
export function vaultEvents(items: readonly TransactionItem[], topic: string): readonly EventItem[] {
  return items.filter((item): item is EventItem => item.type === 'event' && item.contract === 'vault' && item.topic === topic)
}

/** The sum of a field of the vault's events with this topic; null when one cannot be read. */
export function sumOf(items: readonly TransactionItem[], topic: string, field: string): bigint | null {
  const amounts = vaultEvents(items, topic).map(({ payload }) => amountOf(payload?.[field]))
  const known = amounts.filter((amount) => amount !== null)
  return known.length === amounts.length ? sum(known) : null
}

export function transfersOf(items: readonly TransactionItem[]): readonly TransferItem[] {
  return items.filter((item) => item.type === 'transfer')
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
