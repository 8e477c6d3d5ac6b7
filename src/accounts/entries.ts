// An account's ledger entries: positions, orders, margin, volume and balances, all read at one ledger.

import type { CallOptions } from '../chain/rpc/rpc-request.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { readEntrySnapshot } from '../chain/views/entry-snapshot.ts'
import { classicBalance, instanceKey, instanceStorage, trustlineKey } from '../chain/codec/ledger-keys.ts'
import type { StoredAssetRisk, StoredConfig, StoredFeeTier, StoredOrder, StoredPosition, TimedAmount } from '../chain/views/market-entries.ts'
import {
  accountEntryKey, assetKey, numberedKey, ORDER_PENDING, readAmount, readAssetRisk, readConfig, readFeeTiers, readFundingState, readIds, readOrder, readPause,
  readPosition, readTimedAmount, readU32, readU64, readVolume, singleKey,
} from '../chain/views/market-entries.ts'
import { accountKey } from '../chain/codec/transaction.ts'
import type { ContractAddresses } from '../exchange/contracts/contracts.ts'
import { isAtLeast } from '../exchange/contracts/generations.ts'
import type { Generation } from '../exchange/contracts/generations.ts'
import { ACCOUNT_ENTRIES_MAX } from '../limits.ts'

/** Undefined: the entry cannot be read. A missing entry is readable: it means zero, empty or none. */
export type Readable<T> = T | undefined

export interface AccountEntries {
  readonly ledger: number
  /** The market's. */
  readonly generation: Generation
  /** Newest first. */
  readonly positions: Readable<readonly StoredPosition[]>
  /** Pending ones, newest first. */
  readonly orders: Readable<readonly StoredOrder[]>
  /** Peak prices of trailing stops, by order id. */
  readonly peaks: ReadonlyMap<number, bigint>
  readonly crossPool: Readable<bigint>
  /** Of every asset that the account has a position in. */
  readonly assets: ReadonlyMap<string, AssetEntries>
  /** From when on positions have the maintenance margin of their asset, Unix seconds. Null: assets have no parameters of their own. */
  readonly riskEpochSec: Readable<number | null>
  /** The trading volume that the market has recorded for the account. */
  readonly volume: Readable<bigint>
  readonly feeTiers: Readable<readonly StoredFeeTier[]>
  readonly config: Readable<StoredConfig>
  readonly paused: Readable<boolean>
  /** Null: the account does not exist. */
  readonly xlm: Readable<bigint | null>
  /** Null: no trustline. */
  readonly usdc: Readable<bigint | null>
  readonly lp: Readable<bigint | null>
}

/** The market's entries about an asset. */
export interface AssetEntries {
  readonly cumulativeFunding: Readable<bigint>
  /** Null: none. */
  readonly risk: Readable<StoredAssetRisk | null>
  /** Null: none. */
  readonly lastGoodPrice: Readable<TimedAmount | null>
}

/** The classic assets of the two tokens; null where unknown. */
export interface TokenAssets {
  readonly usdc: string | null
  readonly lp: string | null
}

/** Ids of what an account has, which decides the entries to read. */
export interface AccountIds {
  readonly positions: readonly number[]
  readonly orders: readonly number[]
  /** Of the positions. */
  readonly assets: readonly string[]
}

export const NO_IDS: AccountIds = { positions: [], orders: [], assets: [] }

interface Keys {
  readonly market: string
  readonly positions: string
  readonly orders: string
  readonly crossPositions: string
  readonly crossPool: string
  readonly volume: string
  readonly feeTiers: string
  /** Undefined where every asset has its own funding, as from generation 2 on. */
  readonly cumulativeFunding: string | undefined
  /** The number of pending orders, undefined where the market has lists of their ids, as before build 2.3. */
  readonly orderCount: string | undefined
  readonly riskEpoch: string | undefined
  readonly account: string
  readonly usdc: string | undefined
  readonly lp: string | undefined
}

function keysOf(owner: string, { contracts, generation, tokens }: AccountSource): Keys {
  const { market } = contracts
  const isSecond = isAtLeast(generation, '2.0')
  const line = (asset: string | null): string | undefined => (asset === null ? undefined : trustlineKey(owner, asset))
  return {
    market: instanceKey(market),
    positions: accountEntryKey(market, 'TraderPositions', owner),
    orders: accountEntryKey(market, 'TraderOrders', owner),
    crossPositions: accountEntryKey(market, 'CrossMarginPositions', owner),
    crossPool: accountEntryKey(market, 'CrossMarginBalance', owner),
    volume: accountEntryKey(market, 'TraderVolume', owner),
    feeTiers: singleKey(market, 'FeeTiers'),
    cumulativeFunding: isSecond ? undefined : singleKey(market, 'CumulativeFundingRate'),
    orderCount: isAtLeast(generation, '2.3') ? accountEntryKey(market, 'OrderCountOf', owner) : undefined,
    riskEpoch: isSecond ? singleKey(market, 'RiskEpochTs') : undefined,
    account: accountKey(owner),
    usdc: line(tokens.usdc),
    lp: line(tokens.lp),
  }
}

/** The contracts and tokens that an account is read from. */
export interface AccountSource {
  readonly contracts: ContractAddresses
  /** The market's. */
  readonly generation: Generation
  readonly tokens: TokenAssets
}

export interface AccountReading {
  readonly found: AccountIds
  readonly entries: AccountEntries | undefined
  /** The account has more pending orders than were found: the market counts them, but has no list of their ids. */
  readonly ordersMissing: boolean
}

/**
 * Reads the account once, including the entries of the `expected` ids. `entries` is undefined when a ledger closed between calls, or when the account has
 * other ids; then pass `found` as `expected` next time. Rejects with RpcFailure.
 */
export async function readAccount(
  rpc: Rpc, owner: string, source: AccountSource, { expected, call }: { readonly expected: AccountIds; readonly call: CallOptions },
): Promise<AccountReading> {
  const { contracts: { market }, generation } = source
  const keys = keysOf(owner, source)
  const numbered = [
    ...expected.positions.map((id) => numberedKey(market, 'Position', id)),
    ...expected.orders.flatMap((id) => [numberedKey(market, 'Order', id), numberedKey(market, 'TrailingStopPeak', id)]),
  ]
  const assetKeys = isAtLeast(generation, '2.0') ? expected.assets.map((asset) => ({ asset, ...keysOfAsset(market, asset) })) : []
  const ofAssets = assetKeys.flatMap(({ funding, risk, lastGoodPrice }) => [funding, risk, lastGoodPrice])
  const snapshot = await readEntrySnapshot(rpc, [...Object.values(keys).filter((key) => key !== undefined), ...numbered, ...ofAssets], call)
  if (snapshot === undefined) return { found: expected, entries: undefined, ordersMissing: false }
  const entry = (key: string | undefined): string | undefined => (key === undefined ? undefined : snapshot.entries.get(key))
  const lists = {
    positions: readOr(entry(keys.positions), readIds, []),
    cross: readOr(entry(keys.crossPositions), readIds, []),
    orders: readOr(entry(keys.orders), readIds, []),
  }
  const positionIds = newest([lists.positions, lists.cross])
  const positions = positionsIn(market, lists, positionIds, entry)
  const count = keys.orderCount === undefined ? null : readOr(entry(keys.orderCount), readU32, 0)
  const orders = count === null ? listedOrders(market, lists.orders, entry) : countedOrders(market, { owner, count, list: lists.orders, expected }, entry)
  const found = { positions: positionIds, orders: orders.ids, assets: [...new Set(positions?.map(({ asset }) => asset))] }
  if (!covers(expected, found)) return { found, entries: undefined, ordersMissing: orders.missing }
  const shared = readOr(entry(keys.cumulativeFunding), readAmount, 0n)
  const assets: readonly (readonly [string, AssetEntries])[] = isAtLeast(generation, '2.0')
    ? assetKeys.map((key) => [key.asset, assetEntries(key, entry)])
    : found.assets.map((asset) => [asset, { cumulativeFunding: shared, risk: null, lastGoodPrice: null }])
  return {
    found,
    ordersMissing: orders.missing,
    entries: {
      ledger: snapshot.ledger,
      generation,
      positions,
      orders: orders.missing ? undefined : orders.pending,
      peaks: peaksOf(market, orders.ids, entry),
      crossPool: readOr(entry(keys.crossPool), readAmount, 0n),
      assets: new Map(assets),
      riskEpochSec: readOr<number | null>(entry(keys.riskEpoch), readU64, null),
      volume: readOr(entry(keys.volume), readVolume, 0n),
      feeTiers: readOr(entry(keys.feeTiers), readFeeTiers, []),
      ...marketSettings(entry(keys.market)),
      xlm: readOr<bigint | null>(entry(keys.account), classicBalance, null),
      usdc: keys.usdc === undefined ? undefined : readOr<bigint | null>(entry(keys.usdc), classicBalance, null),
      lp: keys.lp === undefined ? undefined : readOr<bigint | null>(entry(keys.lp), classicBalance, null),
    },
  }
}

interface AssetKeys {
  readonly funding: string
  readonly risk: string
  readonly lastGoodPrice: string
}

function keysOfAsset(market: string, asset: string): AssetKeys {
  return {
    funding: assetKey(market, 'FundingState', asset),
    risk: assetKey(market, 'AssetRisk', asset),
    lastGoodPrice: assetKey(market, 'LastGoodPrice', asset),
  }
}

type EntryAt = (key: string) => string | undefined

function assetEntries({ funding, risk, lastGoodPrice }: AssetKeys, entry: EntryAt): AssetEntries {
  return {
    cumulativeFunding: readOr(entry(funding), (dataXdr) => readFundingState(dataXdr)?.cumulative, 0n),
    risk: readOr<StoredAssetRisk | null>(entry(risk), readAssetRisk, null),
    lastGoodPrice: readOr<TimedAmount | null>(entry(lastGoodPrice), readTimedAmount, null),
  }
}

type IdList = Readable<readonly number[]>

/** The account's positions, newest first. Undefined when a list is too long or one of its entries cannot be read. */
function positionsIn(
  market: string, lists: { readonly positions: IdList; readonly cross: IdList }, ids: readonly number[], entry: EntryAt,
): Readable<readonly StoredPosition[]> {
  const listed = new Set(lists.positions === undefined ? [] : lists.positions)
  const positions = ids
    .map((id) => ({ id, stored: entry(numberedKey(market, 'Position', id)) }))
    // The cross-margin list may contain closed positions; the account's own list does not.
    .filter(({ id, stored }) => stored !== undefined || listed.has(id))
    .map(({ stored }) => (stored === undefined ? undefined : readPosition(stored)))
  return complete(positions, [lists.positions, lists.cross])
}

interface Orders {
  readonly ids: readonly number[]
  /** Newest first. Undefined when some cannot be read. */
  readonly pending: Readable<readonly StoredOrder[]>
  readonly missing: boolean
}

/** The orders in the market's list. */
function listedOrders(market: string, list: IdList, entry: EntryAt): Orders {
  const ids = newest([list])
  const stored = ids.map((id) => entry(numberedKey(market, 'Order', id)))
  const orders = complete(stored.map((dataXdr) => (dataXdr === undefined ? undefined : readOrder(dataXdr))), [list])
  return { ids, pending: orders?.filter(isPending), missing: false }
}

/** The pending ones of the orders that are expected, and of those in a list from before the market counted them, which no longer changes. */
function countedOrders(
  market: string,
  { owner, count, list, expected }: { readonly owner: string; readonly count: Readable<number>; readonly list: IdList; readonly expected: AccountIds },
  entry: EntryAt,
): Orders {
  const candidates = newest([list, expected.orders])
  const known = new Set(expected.orders)
  const stored = candidates.map((id) => ({ id, dataXdr: entry(numberedKey(market, 'Order', id)) }))
  const orders = stored.map(({ dataXdr }) => (dataXdr === undefined ? undefined : readOrder(dataXdr)))
  const pending = orders.filter((order) => order !== undefined && isPending(order) && order.trader === owner) as readonly StoredOrder[]
  const hasUnreadable = stored.some(({ dataXdr }, index) => dataXdr !== undefined && orders[index] === undefined)
  const unread = candidates.filter((id) => !known.has(id))
  return {
    ids: [...new Set([...newest([list]), ...pending.map(({ id }) => id)])],
    pending: hasUnreadable || count === undefined ? undefined : pending,
    missing: count !== undefined && unread.length === 0 && pending.length < count,
  }
}

const isPending = ({ status }: StoredOrder): boolean => status === ORDER_PENDING

function peaksOf(market: string, ids: readonly number[], entry: EntryAt): ReadonlyMap<number, bigint> {
  const peaks = new Map<number, bigint>()
  for (const id of ids) {
    const stored = entry(numberedKey(market, 'TrailingStopPeak', id))
    const peak = stored === undefined ? undefined : readAmount(stored)
    if (peak !== undefined) peaks.set(id, peak)
  }
  return peaks
}

function complete<T>(items: readonly (T | undefined)[], lists: readonly IdList[]): Readable<readonly T[]> {
  if (lists.some((list) => list === undefined || list.length > ACCOUNT_ENTRIES_MAX)) return undefined
  const read = items.filter((item) => item !== undefined)
  return read.length === items.length ? read : undefined
}

function marketSettings(entry: string | undefined): Pick<AccountEntries, 'config' | 'paused'> {
  const storage = entry === undefined ? undefined : instanceStorage(entry)
  if (storage === undefined) return { config: undefined, paused: undefined }
  return { config: readConfig(storage.get('Config')), paused: readPause(storage)?.paused }
}

/** Reads an entry; returns `fallback` for a missing entry. */
function readOr<T>(entry: string | undefined, read: (dataXdr: string) => T | undefined, fallback: T): Readable<T> {
  return entry === undefined ? fallback : read(entry)
}

/** The ids of the lists, newest first, limited to what one account may have. */
function newest(lists: readonly IdList[]): readonly number[] {
  const ids = lists.flatMap((list) => (list === undefined ? [] : list))
  return [...new Set(ids)].sort((a, b) => b - a).slice(0, ACCOUNT_ENTRIES_MAX)
}

function covers(expected: AccountIds, found: AccountIds): boolean {
  const [positions, orders, assets] = [new Set(expected.positions), new Set(expected.orders), new Set(expected.assets)]
  return found.positions.every((id) => positions.has(id)) && found.orders.every((id) => orders.has(id)) && found.assets.every((asset) => assets.has(asset))
}
