// The market's positions, orders and totals, and the vault factory's balance, read from ledger entries in one call at one ledger.

import type { CallOptions } from './rpc-request.ts'
import { contractDataKey, contractDataValue, instanceKey } from './ledger-keys.ts'
import { exposureKey, numberedKey, readIds, readPosition, singleKey } from './market-entries.ts'
import type { StoredPosition } from './market-entries.ts'
import { readOpenInterest } from './market-summary.ts'
import type { OpenInterest } from './market-summary.ts'
import type { Rpc } from './rpc.ts'
import { ENTRY_KEYS_MAX } from './rpc.ts'
import { structField } from './scval.ts'
import { readField } from './structs.ts'

/** How many positions fit into one call besides the totals of this many assets. */
export function maxPositionsPerRead(assets: number): number {
  return ENTRY_KEYS_MAX - assets - 6
}

export interface MarketState {
  readonly ledger: number
  /** False: the market's address has no contract, or its entry is archived. */
  readonly isDeployed: boolean
  /** The ids of all open positions. Null: cannot be read. */
  readonly openIds: ReadonlySet<number> | null
  /** The last position id that was assigned. Null: cannot be read. */
  readonly lastPositionId: number | null
  /** The ids of all resting orders. Null: cannot be read. */
  readonly restingIds: readonly number[] | null
  /** The last order id that was assigned. Null: cannot be read. */
  readonly lastOrderId: number | null
  readonly openInterest: ReadonlyMap<string, OpenInterest | null>
  /** The requested positions that have an entry, including archived ones; null where an entry cannot be read. */
  readonly positions: ReadonlyMap<number, StoredPosition | null>
  /** The vault factory's USDC balance, 7 decimals. Null: cannot be read. */
  readonly factoryBalance: bigint | null
}

/** Reads the state at one ledger. Rejects with RpcFailure. */
export async function readMarketState(
  rpc: Rpc,
  exchange: { readonly market: string; readonly usdcToken: string; readonly vaultFactory: string; readonly assets: readonly string[] },
  positionIds: readonly number[],
  options: CallOptions,
): Promise<MarketState> {
  const { market, usdcToken, vaultFactory, assets } = exchange
  const open = singleKey(market, 'AllPositions')
  const counter = singleKey(market, 'PositionCounter')
  const resting = singleKey(market, 'AllOrders')
  const orderCounter = singleKey(market, 'OrderCounter')
  const balance = contractDataKey(usdcToken, { type: 'vec', value: [{ type: 'symbol', value: 'Balance' }, { type: 'address', value: vaultFactory }] })
  const exposures = assets.map((asset) => [asset, exposureKey(market, asset)] as const)
  const positions = positionIds.map((id) => [id, numberedKey(market, 'Position', id)] as const)
  const instance = instanceKey(market)
  const keys = [instance, open, counter, resting, orderCounter, balance, ...exposures.map(([, key]) => key), ...positions.map(([, key]) => key)]
  const { entries, latestLedger } = await rpc.getLedgerEntries(keys, options)
  const stored = new Map(entries.map(({ keyXdr, dataXdr }) => [keyXdr, dataXdr]))
  const at = <T>(key: string, read: (dataXdr: string) => T | undefined): T | null => {
    const entry = stored.get(key)
    return entry === undefined ? null : (read(entry) ?? null)
  }
  const openIds = at(open, readIds)
  return {
    ledger: latestLedger,
    isDeployed: stored.has(instance),
    openIds: openIds === null ? null : new Set(openIds),
    lastPositionId: at(counter, readCount),
    restingIds: at(resting, readIds),
    lastOrderId: at(orderCounter, readCount),
    openInterest: new Map(exposures.map(([asset, key]) => [asset, readOpenInterest(stored.get(key))])),
    positions: new Map(positions.filter(([, key]) => stored.has(key)).map(([id, key]) => [id, at(key, readPosition)])),
    factoryBalance: at(balance, readBalance),
  }
}

function readCount(dataXdr: string): number | undefined {
  return readField(contractDataValue(dataXdr), 'count')
}

function readBalance(dataXdr: string): bigint | undefined {
  const value = contractDataValue(dataXdr)
  return value === undefined ? undefined : readField(structField(value, 'amount'), 'i128')
}
