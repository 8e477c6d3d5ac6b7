// An account's ledger entries: positions, orders, margin, volume and balances, all read at one ledger.

import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import { ENTRY_KEYS_MAX } from '../chain/rpc.ts'
import { classicBalance, instanceKey, instanceStorage, trustlineKey } from '../chain/ledger-keys.ts'
import type { StoredConfig, StoredFeeTier, StoredOrder, StoredPosition } from '../chain/market-entries.ts'
import {
  accountEntryKey, numberedKey, ORDER_PENDING, readAmount, readConfig, readFeeTiers, readIds, readOrder, readPosition, readVolume, singleKey,
} from '../chain/market-entries.ts'
import { accountKey } from '../chain/transaction.ts'
import type { ContractAddresses } from '../exchange/contracts.ts'
import { ACCOUNT_ENTRIES_MAX } from '../limits.ts'

/** Undefined: the entry cannot be read. A missing entry is readable: it means zero, empty or none. */
export type Readable<T> = T | undefined

export interface AccountEntries {
  readonly ledger: number
  /** Newest first. */
  readonly positions: Readable<readonly StoredPosition[]>
  /** Pending ones, newest first. */
  readonly orders: Readable<readonly StoredOrder[]>
  /** Peak prices of trailing stops, by order id. */
  readonly peaks: ReadonlyMap<number, bigint>
  readonly crossPool: Readable<bigint>
  readonly cumulativeFunding: Readable<bigint>
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

/** The classic assets of the two tokens; null where unknown. */
export interface TokenAssets {
  readonly usdc: string | null
  readonly lp: string | null
}

/** The ids in an account's lists. */
export interface AccountIds {
  readonly positions: readonly number[]
  readonly orders: readonly number[]
}

export const NO_IDS: AccountIds = { positions: [], orders: [] }

/** The entries of one ledger, by key. Undefined when the calls of one read returned different ledgers. */
type Snapshot = { readonly ledger: number; readonly entries: ReadonlyMap<string, string> } | undefined

async function readSnapshot(rpc: Rpc, keys: readonly string[], call: CallOptions): Promise<Snapshot> {
  const batches: (readonly string[])[] = []
  for (let start = 0; start < keys.length; start += ENTRY_KEYS_MAX) batches.push(keys.slice(start, start + ENTRY_KEYS_MAX))
  const responses = await Promise.all(batches.map((batch) => rpc.getLedgerEntries(batch, call)))
  const [first] = responses
  if (first === undefined || responses.some(({ latestLedger }) => latestLedger !== first.latestLedger)) return undefined
  return { ledger: first.latestLedger, entries: new Map(responses.flatMap(({ entries }) => entries.map(({ keyXdr, dataXdr }) => [keyXdr, dataXdr]))) }
}

interface Keys {
  readonly market: string
  readonly positions: string
  readonly orders: string
  readonly crossPositions: string
  readonly crossPool: string
  readonly volume: string
  readonly feeTiers: string
  readonly cumulativeFunding: string
  readonly account: string
  readonly usdc: string | undefined
  readonly lp: string | undefined
}

function keysOf(owner: string, contracts: ContractAddresses, tokens: TokenAssets): Keys {
  const { market } = contracts
  const line = (asset: string | null): string | undefined => (asset === null ? undefined : trustlineKey(owner, asset))
  return {
    market: instanceKey(market),
    positions: accountEntryKey(market, 'TraderPositions', owner),
    orders: accountEntryKey(market, 'TraderOrders', owner),
    crossPositions: accountEntryKey(market, 'CrossMarginPositions', owner),
    crossPool: accountEntryKey(market, 'CrossMarginBalance', owner),
    volume: accountEntryKey(market, 'TraderVolume', owner),
    feeTiers: singleKey(market, 'FeeTiers'),
    cumulativeFunding: singleKey(market, 'CumulativeFundingRate'),
    account: accountKey(owner),
    usdc: line(tokens.usdc),
    lp: line(tokens.lp),
  }
}

/**
 * Reads the account once, including the entries of the `expected` ids. `entries` is undefined when a ledger closed between calls, or when the account has
 * other ids; then pass `found` as `expected` next time. Rejects with RpcFailure.
 */
export async function readAccount(
  rpc: Rpc,
  owner: string,
  parts: { readonly contracts: ContractAddresses; readonly tokens: TokenAssets; readonly expected: AccountIds; readonly call: CallOptions },
): Promise<{ readonly found: AccountIds; readonly entries: AccountEntries | undefined }> {
  const { contracts, tokens, expected, call } = parts
  const { market } = contracts
  const keys = keysOf(owner, contracts, tokens)
  const numbered = [
    ...expected.positions.map((id) => numberedKey(market, 'Position', id)),
    ...expected.orders.flatMap((id) => [numberedKey(market, 'Order', id), numberedKey(market, 'TrailingStopPeak', id)]),
  ]
  const snapshot = await readSnapshot(rpc, [...Object.values(keys).filter((key) => key !== undefined), ...numbered], call)
  if (snapshot === undefined) return { found: expected, entries: undefined }
  const entry = (key: string | undefined): string | undefined => (key === undefined ? undefined : snapshot.entries.get(key))
  const lists = {
    positions: readOr(entry(keys.positions), readIds, []),
    cross: readOr(entry(keys.crossPositions), readIds, []),
    orders: readOr(entry(keys.orders), readIds, []),
  }
  const found = { positions: newest([lists.positions, lists.cross]), orders: newest([lists.orders]) }
  if (!covers(expected, found)) return { found, entries: undefined }
  return {
    found,
    entries: {
      ledger: snapshot.ledger,
      ...ownEntries(market, lists, found, entry),
      crossPool: readOr(entry(keys.crossPool), readAmount, 0n),
      cumulativeFunding: readOr(entry(keys.cumulativeFunding), readAmount, 0n),
      volume: readOr(entry(keys.volume), readVolume, 0n),
      feeTiers: readOr(entry(keys.feeTiers), readFeeTiers, []),
      ...marketSettings(entry(keys.market)),
      xlm: readOr<bigint | null>(entry(keys.account), classicBalance, null),
      usdc: keys.usdc === undefined ? undefined : readOr<bigint | null>(entry(keys.usdc), classicBalance, null),
      lp: keys.lp === undefined ? undefined : readOr<bigint | null>(entry(keys.lp), classicBalance, null),
    },
  }
}

type IdList = Readable<readonly number[]>

/** The account's positions and pending orders, newest first. Undefined when a list is too long or one of its entries cannot be read. */
function ownEntries(
  market: string,
  lists: { readonly positions: IdList; readonly cross: IdList; readonly orders: IdList },
  ids: AccountIds,
  entry: (key: string) => string | undefined,
): Pick<AccountEntries, 'positions' | 'orders' | 'peaks'> {
  const listed = new Set(lists.positions === undefined ? [] : lists.positions)
  const positions = ids.positions
    .map((id) => ({ id, stored: entry(numberedKey(market, 'Position', id)) }))
    // The cross-margin list may contain closed positions; the account's own list does not.
    .filter(({ id, stored }) => stored !== undefined || listed.has(id))
    .map(({ stored }) => (stored === undefined ? undefined : readPosition(stored)))
  const orders = ids.orders.map((id) => entry(numberedKey(market, 'Order', id))).map((stored) => (stored === undefined ? undefined : readOrder(stored)))
  const peaks = new Map<number, bigint>()
  for (const id of ids.orders) {
    const stored = entry(numberedKey(market, 'TrailingStopPeak', id))
    const peak = stored === undefined ? undefined : readAmount(stored)
    if (peak !== undefined) peaks.set(id, peak)
  }
  const pending = complete(orders, [lists.orders])
  return {
    positions: complete(positions, [lists.positions, lists.cross]),
    orders: pending === undefined ? undefined : pending.filter(({ status }) => status === ORDER_PENDING),
    peaks,
  }
}

function complete<T>(items: readonly (T | undefined)[], lists: readonly IdList[]): Readable<readonly T[]> {
  if (lists.some((list) => list === undefined || list.length > ACCOUNT_ENTRIES_MAX)) return undefined
  const read = items.filter((item) => item !== undefined)
  return read.length === items.length ? read : undefined
}

function marketSettings(entry: string | undefined): Pick<AccountEntries, 'config' | 'paused'> {
  const storage = entry === undefined ? undefined : instanceStorage(entry)
  if (storage === undefined) return { config: undefined, paused: undefined }
  const paused = storage.get('Paused')
  return {
    config: readConfig(storage.get('Config')),
    paused: paused === undefined ? false : paused.type === 'bool' ? paused.value : undefined,
  }
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
  const [positions, orders] = [new Set(expected.positions), new Set(expected.orders)]
  return found.positions.every((id) => positions.has(id)) && found.orders.every((id) => orders.has(id))
}
