// Positions, orders and cross accounts as the market stores them, read by the documented storage keys. Entries that cannot change are cached.

import { createCache } from '../../src/base/cache.ts'
import { address, u64 } from '../contracts/shared/host.ts'
import type { Val } from '../contracts/shared/host.ts'
import { asAddress, asBool, asI128, asSymbol, asU32, asU64, asVec, fieldOf, storageKey } from '../contracts/shared/values.ts'
import { contractDataKey, contractDataValue } from './exchange-state.ts'
import type { EntryReader } from './exchange-state.ts'

export const LONG = 0
export const ABOVE = 0
export const CROSS_MARGIN = 1

/** Types of orders, as the market numbers them. */
export const ORDER_TYPE = { limit: 0, stopLoss: 1, takeProfit: 2, stopLimit: 3, trailingStop: 4 } as const

/** Phases of a stop-limit order. */
export const STOP_LIMIT_PHASE = { waiting: 0, active: 1 } as const

/** The reduce-only bit of time_in_force. The low byte is the mode. */
export const REDUCE_ONLY = 0x100

/** An open position. */
export interface StoredPosition {
  readonly id: bigint
  readonly trader: string
  readonly asset: string
  /** 0 long, 1 short. */
  readonly direction: number
  /** 0 isolated, 1 cross. */
  readonly marginMode: number
  readonly collateral: bigint
  readonly size: bigint
  readonly leverage: number
  readonly entryPrice: bigint
  readonly entryCumulativeFunding: bigint
  readonly liquidationPrice: bigint
  readonly openedAtSec: number
}

/** An order. */
export interface StoredOrder {
  readonly id: bigint
  readonly trader: string
  readonly asset: string
  /** 0 long, 1 short, of the position that the order opens or is attached to. */
  readonly direction: number
  /** One of ORDER_TYPE. */
  readonly orderType: number
  /** True if it is attached to `positionId`. */
  readonly hasPosition: boolean
  readonly positionId: bigint
  /** 0 above, 1 below. */
  readonly triggerCondition: number
  /** 0 for a trailing stop. */
  readonly triggerPrice: bigint
  /** 0 for none. */
  readonly limitPrice: bigint
  readonly trailingPercentBps: number
  readonly stopLimitPhase: number
  readonly timeInForce: number
  readonly createdAtSec: number
}

/** Reads entries of one kind by their ids. */
export interface RecordReader<Entry> {
  /** The existing entries, in the order of `ids`. */
  byIds(ids: readonly bigint[]): Promise<readonly Entry[]>
  /** Clears the cache, after the network was restored or reset. */
  forget(): void
}

const MAX_CACHED_ENTRIES = 2_000

/** Builds a reader of positions. A stored position never changes until it is removed. */
export function createPositionReader(reader: EntryReader, market: string): RecordReader<StoredPosition> {
  return createRecordReader({ reader, market, name: 'Position', decode: positionOf, isFinal: () => true })
}

/** Builds a reader of pending orders. Only a stop-limit order that waits for its stop can change. */
export function createOrderReader(reader: EntryReader, market: string): RecordReader<StoredOrder> {
  return createRecordReader({ reader, market, name: 'Order', decode: orderOf, isFinal: (order) => !isWaitingForStop(order) })
}

function createRecordReader<Entry extends { readonly id: bigint }>(options: {
  reader: EntryReader
  market: string
  name: string
  decode: (value: Val) => Entry
  isFinal: (entry: Entry) => boolean
}): RecordReader<Entry> {
  const { reader, market, name, decode, isFinal } = options
  const cached = createCache<bigint, Entry>(MAX_CACHED_ENTRIES)
  return {
    async byIds(ids) {
      const unknown = ids.filter((id) => !cached.has(id))
      const read = new Map<bigint, Entry>()
      if (unknown.length > 0) {
        const entries = await reader.readEntries(unknown.map((id) => contractDataKey(market, storageKey(name, u64(id)))))
        for (const entry of entries.values()) {
          const decoded = decode(contractDataValue(entry))
          read.set(decoded.id, decoded)
        }
      }
      const found = ids.flatMap((id) => read.get(id) ?? cached.get(id) ?? [])
      for (const [id, entry] of read) if (isFinal(entry)) cached.set(id, entry)
      return found
    },
    forget: () => cached.clear(),
  }
}

/** The amounts stored under these keys of the market, without missing ones. */
async function readAmounts<Name>(reader: EntryReader, market: string, names: readonly Name[], keyOf: (name: Name) => Val): Promise<Map<Name, bigint>> {
  if (names.length === 0) return new Map()
  const keys = new Map(names.map((name) => [contractDataKey(market, keyOf(name)), name]))
  const entries = await reader.readEntries([...keys.keys()])
  return new Map([...entries].flatMap(([key, entry]) => {
    const name = keys.get(key)
    return name === undefined ? [] : [[name, asI128(contractDataValue(entry))] as const]
  }))
}

/** The idle pools of cross accounts, by trader. */
export function readPools(reader: EntryReader, market: string, traders: readonly string[]): Promise<Map<string, bigint>> {
  return readAmounts(reader, market, traders, (trader) => storageKey('CrossMarginBalance', address(trader)))
}

/** The peaks of pending trailing stops, by order. */
export function readPeaks(reader: EntryReader, market: string, orderIds: readonly bigint[]): Promise<Map<bigint, bigint>> {
  return readAmounts(reader, market, orderIds, (id) => storageKey('TrailingStopPeak', u64(id)))
}

/** A trader's positions, orders and idle cross margin. */
export interface Holdings {
  readonly positions: readonly StoredPosition[]
  /** Pending ones. */
  readonly orders: readonly StoredOrder[]
  /** Cross margin that no position uses. */
  readonly pool: bigint
}

/** Reads one trader's holdings. */
export interface HoldingsReader {
  read(): Promise<Holdings>
  forget(): void
}

/** Builds a reader in generation 1: one request, and further ones only for new positions and orders. */
export function createHoldingsReader(reader: EntryReader, market: string, trader: string): HoldingsReader {
  const positions = createPositionReader(reader, market)
  const orders = createOrderReader(reader, market)
  const key = (name: string): string => contractDataKey(market, storageKey(name, address(trader)))
  const [positionsKey, ordersKey, poolKey] = [key('TraderPositions'), key('TraderOrders'), key('CrossMarginBalance')]

  return {
    async read() {
      const entries = await reader.readEntries([positionsKey, ordersKey, poolKey])
      const ids = (of: string): readonly bigint[] => {
        const entry = entries.get(of)
        return entry === undefined ? [] : asVec(contractDataValue(entry)).map(asU64)
      }
      const pool = entries.get(poolKey)
      return {
        positions: await positions.byIds(ids(positionsKey)),
        orders: await orders.byIds(ids(ordersKey)),
        pool: pool === undefined ? 0n : asI128(contractDataValue(pool)),
      }
    },
    forget() {
      positions.forget()
      orders.forget()
    },
  }
}

function isWaitingForStop(order: StoredOrder): boolean {
  return order.orderType === ORDER_TYPE.stopLimit && order.stopLimitPhase === STOP_LIMIT_PHASE.waiting
}

export function positionOf(value: Val): StoredPosition {
  return {
    id: asU64(fieldOf(value, 'id')),
    trader: asAddress(fieldOf(value, 'trader')),
    asset: asSymbol(fieldOf(value, 'asset')),
    direction: asU32(fieldOf(value, 'direction')),
    marginMode: asU32(fieldOf(value, 'margin_mode')),
    collateral: asI128(fieldOf(value, 'collateral')),
    size: asI128(fieldOf(value, 'size')),
    leverage: asU32(fieldOf(value, 'leverage')),
    entryPrice: asI128(fieldOf(value, 'entry_price')),
    entryCumulativeFunding: asI128(fieldOf(value, 'entry_cumulative_funding')),
    liquidationPrice: asI128(fieldOf(value, 'liquidation_price')),
    openedAtSec: Number(asU64(fieldOf(value, 'timestamp'))),
  }
}

export function orderOf(value: Val): StoredOrder {
  return {
    id: asU64(fieldOf(value, 'id')),
    trader: asAddress(fieldOf(value, 'trader')),
    asset: asSymbol(fieldOf(value, 'asset')),
    direction: asU32(fieldOf(value, 'direction')),
    orderType: asU32(fieldOf(value, 'order_type')),
    hasPosition: asBool(fieldOf(value, 'has_position')),
    positionId: asU64(fieldOf(value, 'position_id')),
    triggerCondition: asU32(fieldOf(value, 'trigger_condition')),
    triggerPrice: asI128(fieldOf(value, 'trigger_price')),
    limitPrice: asI128(fieldOf(value, 'limit_price')),
    trailingPercentBps: asU32(fieldOf(value, 'trailing_percent_bps')),
    stopLimitPhase: asU32(fieldOf(value, 'stop_limit_phase')),
    timeInForce: asU32(fieldOf(value, 'time_in_force')),
    createdAtSec: Number(asU64(fieldOf(value, 'created_at'))),
  }
}
