// The market's positions, orders and totals, and the vault factory's balance, read from ledger entries in one call at one ledger.

import type { CallOptions } from '../rpc/rpc-request.ts'
import { contractDataKey, contractDataValue, instanceKey } from '../codec/ledger-keys.ts'
import { accountEntryKey, exposureKey, numberedKey, readIds, readOrderState, readPosition, singleKey } from './market-entries.ts'
import type { StoredPosition } from './market-entries.ts'
import { readOpenInterest } from './market-summary.ts'
import type { OpenInterest } from './market-summary.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { ENTRY_KEYS_MAX } from '../rpc/rpc.ts'
import { structField } from '../codec/scval.ts'
import { readField } from '../codec/structs.ts'

/** The number of entries that fit into one call besides the totals of this many assets. */
export function maxEntriesPerRead(assets: number): number {
  return ENTRY_KEYS_MAX - assets - 8
}

/** The entries that are read besides the totals. */
export interface RequestedEntries {
  readonly positionIds: readonly number[]
  readonly orderIds?: readonly number[]
  /** Accounts whose lists of positions are read. */
  readonly traders?: readonly string[]
}

export interface MarketState {
  readonly ledger: number
  /** False: the market's address has no contract, or its entry is archived. */
  readonly isDeployed: boolean
  /** The ids of all open positions. Null: cannot be read. From generation 2.3 there is no such list, but an old one may still exist. */
  readonly openIds: ReadonlySet<number> | null
  /** The last position id that was assigned. Null: cannot be read. */
  readonly lastPositionId: number | null
  /** The ids of all resting orders. Null: cannot be read. As for `openIds`, an old list may still exist. */
  readonly restingIds: readonly number[] | null
  /** The last order id that was assigned. Null: cannot be read. */
  readonly lastOrderId: number | null
  /** The market's own count of open positions, from generation 2.3 on. Null: cannot be read. */
  readonly openPositionCount: number | null
  /** The market's own count of pending orders, from generation 2.3 on. Null: cannot be read. */
  readonly openOrderCount: number | null
  readonly openInterest: ReadonlyMap<string, OpenInterest | null>
  /** The requested positions that have an entry, including archived ones; null where an entry cannot be read. */
  readonly positions: ReadonlyMap<number, StoredPosition | null>
  /** Those of the requested orders that are pending. */
  readonly pendingOrders: ReadonlySet<number>
  /** The ids of the requested traders' open positions; without traders whose list cannot be read. */
  readonly idsOfTraders: ReadonlyMap<string, ReadonlySet<number>>
  /** The vault factory's USDC balance, 7 decimals. Null: cannot be read. */
  readonly factoryBalance: bigint | null
}

/** Reads the state at one ledger. Rejects with RpcFailure. */
export async function readMarketState(
  rpc: Rpc,
  exchange: { readonly market: string; readonly usdcToken: string; readonly vaultFactory: string; readonly assets: readonly string[] },
  { positionIds, orderIds = [], traders = [] }: RequestedEntries,
  options: CallOptions,
): Promise<MarketState> {
  const { market, usdcToken, vaultFactory, assets } = exchange
  const single = {
    open: singleKey(market, 'AllPositions'),
    positionCounter: singleKey(market, 'PositionCounter'),
    openPositionCount: singleKey(market, 'OpenPositionCount'),
    resting: singleKey(market, 'AllOrders'),
    orderCounter: singleKey(market, 'OrderCounter'),
    openOrderCount: singleKey(market, 'OpenOrderCount'),
    balance: contractDataKey(usdcToken, { type: 'vec', value: [{ type: 'symbol', value: 'Balance' }, { type: 'address', value: vaultFactory }] }),
    instance: instanceKey(market),
  }
  const exposures = assets.map((asset) => [asset, exposureKey(market, asset)] as const)
  const positions = positionIds.map((id) => [id, numberedKey(market, 'Position', id)] as const)
  const orders = orderIds.map((id) => [id, numberedKey(market, 'Order', id)] as const)
  const lists = traders.map((trader) => [trader, accountEntryKey(market, 'TraderPositions', trader)] as const)
  const keys = [...Object.values(single), ...[...exposures, ...positions, ...orders, ...lists].map(([, key]) => key)]
  const { entries, latestLedger } = await rpc.getLedgerEntries(keys, options)
  const stored = new Map(entries.map(({ keyXdr, dataXdr }) => [keyXdr, dataXdr]))
  const at = <T>(key: string, read: (dataXdr: string) => T | undefined): T | null => {
    const entry = stored.get(key)
    return entry === undefined ? null : (read(entry) ?? null)
  }
  const openIds = at(single.open, readIds)
  return {
    ledger: latestLedger,
    isDeployed: stored.has(single.instance),
    openIds: openIds === null ? null : new Set(openIds),
    lastPositionId: at(single.positionCounter, readCount),
    restingIds: at(single.resting, readIds),
    lastOrderId: at(single.orderCounter, readCount),
    openPositionCount: at(single.openPositionCount, readU32),
    openOrderCount: at(single.openOrderCount, readU32),
    openInterest: new Map(exposures.map(([asset, key]) => [asset, readOpenInterest(stored.get(key))])),
    positions: new Map(positions.filter(([, key]) => stored.has(key)).map(([id, key]) => [id, at(key, readPosition)])),
    pendingOrders: new Set(orders.filter(([id, key]) => isPending(id, at(key, readOrderState))).map(([id]) => id)),
    idsOfTraders: new Map(lists.flatMap(([trader, key]) => {
      const ids = at(key, readIds)
      return ids === null ? [] : [[trader, new Set(ids)] as const]
    })),
    factoryBalance: at(single.balance, readBalance),
  }
}

function isPending(id: number, order: ReturnType<typeof readOrderState> | null): boolean {
  return order?.orderId === id && order.status === 'pending'
}

function readU32(dataXdr: string): number | undefined {
  return readField(contractDataValue(dataXdr), 'u32')
}

function readCount(dataXdr: string): number | undefined {
  return readField(contractDataValue(dataXdr), 'count')
}

function readBalance(dataXdr: string): bigint | undefined {
  const value = contractDataValue(dataXdr)
  return value === undefined ? undefined : readField(structField(value, 'amount'), 'i128')
}
