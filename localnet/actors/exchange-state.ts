// Reads the exchange's state from ledger entries by the documented storage keys.

import { Address, Asset, StrKey, xdr } from '@stellar/stellar-sdk'
import { PRICED_SYMBOLS } from '../assets.ts'
import { defined } from '../../src/base/assert.ts'
import type { ContractAddresses } from '../../src/exchange/contracts/contracts.ts'
import { bytes, symbol } from '../contracts/shared/host.ts'
import type { Val } from '../contracts/shared/host.ts'
import { priceTag } from '../contracts/shared/price-oracle.ts'
import { asAddress, asI128, asU64, asVec, fieldOf, storageKey } from '../contracts/shared/values.ts'
import { fromScVal, toScVal } from '../scval.ts'
import { MalformedResponse } from './responses.ts'
import type { Client } from './client.ts'

/** The deployment's addresses. The oracle, which the shim reads, is not among the published addresses. */
export interface Deployment extends ContractAddresses {
  readonly oracle: string
  /** `CODE:ISSUER` of the two tokens. */
  readonly usdcAsset: string
  readonly lpAsset: string
}

/** A price and its attestation time. */
export interface TimedPrice {
  readonly price: bigint
  readonly timestampSec: number
}

/** The auto-deleveraging of generation 2. */
export interface Deleveraging {
  readonly activeAssets: ReadonlySet<string>
  /** Amount from which the vault can pay profits. */
  readonly coverage: bigint
}

/** The market's lists, funding and prices, for keepers. */
export interface MarketOverview {
  readonly positionIds: readonly bigint[]
  /** Pending orders. */
  readonly orderIds: readonly bigint[]
  /** Traders with cross positions. */
  readonly crossTraders: readonly string[]
  cumulativeFundingOf(asset: string): bigint
  maintenanceBpsOf(asset: string): bigint
  /** Time at which funding can be applied next. Null before the market is initialised. */
  readonly fundingDueSec: number | null
  readonly lastGoodPrices: ReadonlyMap<string, TimedPrice>
  readonly oraclePrices: ReadonlyMap<string, TimedPrice>
  /** Null in generation 1. */
  readonly deleveraging: Deleveraging | null
}

/** The maintenance margin of every asset in generation 1. */
export const MAINTENANCE_MARGIN_BPS = 100n

/** Funding is applied at most once in this time. */
export const FUNDING_INTERVAL_SEC = 3_600

export type EntryReader = Pick<Client, 'readEntries'>

/** The LedgerKey (base64) of a contract's persistent entry. */
export function contractDataKey(contract: string, key: Val): string {
  const data = new xdr.LedgerKeyContractData({
    contract: new Address(contract).toScAddress(),
    key: toScVal(key),
    durability: xdr.ContractDataDurability.persistent,
  })
  return xdr.LedgerKey.contractData(data).toXdr('base64')
}

/** The value inside a contract data entry. */
export function contractDataValue(dataXdr: string): Val {
  const data = xdr.LedgerEntryData.fromXdr(dataXdr, 'base64')
  const value = data.type === 'contractData' ? fromScVal(data.contractData.val) : undefined
  if (value === undefined) throw new MalformedResponse('the entry is not contract data of a supported type')
  return value
}

/** The oracle's prices by asset. */
export async function readOraclePrices(reader: EntryReader, oracle: string): Promise<ReadonlyMap<string, TimedPrice>> {
  const keys = oraclePriceKeys(oracle)
  return pricesOf(await reader.readEntries([...keys.keys()]), keys)
}

export function oraclePriceKeys(oracle: string): Map<string, string> {
  return new Map(PRICED_SYMBOLS.map((asset) => [contractDataKey(oracle, storageKey('Price', bytes(priceTag(asset)))), asset]))
}

export function pricesOf(entries: ReadonlyMap<string, string>, keys: ReadonlyMap<string, string>): Map<string, TimedPrice> {
  const prices = new Map<string, TimedPrice>()
  for (const [key, asset] of keys) {
    const entry = entries.get(key)
    if (entry === undefined) continue
    const value = contractDataValue(entry)
    // The oracle stores a map; the market's last good price is a pair.
    const [price, time] = value.type === 'vec' ? value.value : [fieldOf(value, 'price'), fieldOf(value, 'timestamp')]
    prices.set(asset, { price: asI128(price), timestampSec: Number(asU64(time)) })
  }
  return prices
}

/** Builds a reader of the market overview: one request, however much is open. */
export function createOverviewReader(deployment: Deployment): (reader: EntryReader) => Promise<MarketOverview> {
  const market = (name: string, argument?: Val): string => contractDataKey(deployment.market, storageKey(name, argument))
  const [positionsKey, ordersKey, tradersKey] = [market('AllPositions'), market('AllOrders'), market('AllCrossMarginTraders')]
  const [cumulativeKey, lastKey] = [market('CumulativeFundingRate'), market('LastFundingTime')]
  const lastGoodKeys = new Map(PRICED_SYMBOLS.map((asset) => [market('LastGoodPrice', symbol(asset)), asset]))
  const oracleKeys = oraclePriceKeys(deployment.oracle)
  const keys = [positionsKey, ordersKey, tradersKey, cumulativeKey, lastKey, ...lastGoodKeys.keys(), ...oracleKeys.keys()]

  return async (reader) => {
    const entries = await reader.readEntries(keys)
    const value = (key: string): Val | undefined => {
      const entry = entries.get(key)
      return entry === undefined ? undefined : contractDataValue(entry)
    }
    const list = (key: string): readonly Val[] => {
      const stored = value(key)
      return stored === undefined ? [] : asVec(stored)
    }
    const [cumulative, last] = [value(cumulativeKey), value(lastKey)]
    const cumulativeFunding = cumulative === undefined ? 0n : asI128(cumulative)
    return {
      positionIds: list(positionsKey).map(asU64),
      orderIds: list(ordersKey).map(asU64),
      crossTraders: list(tradersKey).map(asAddress),
      cumulativeFundingOf: () => cumulativeFunding,
      maintenanceBpsOf: () => MAINTENANCE_MARGIN_BPS,
      fundingDueSec: last === undefined ? null : Number(asU64(last)) + FUNDING_INTERVAL_SEC,
      lastGoodPrices: pricesOf(entries, lastGoodKeys),
      oraclePrices: pricesOf(entries, oracleKeys),
      deleveraging: null,
    }
  }
}

/** An account's trustline balance of `CODE:ISSUER`; undefined without a trustline. */
export async function readTrustlineBalance(reader: EntryReader, account: string, asset: string): Promise<bigint | undefined> {
  const [code = '', issuer] = asset.split(':')
  const accountId = xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(account))
  const line = new Asset(code, defined(issuer, `the issuer of ${asset}`)).toTrustLineXdrObject()
  const key = xdr.LedgerKey.trustline(new xdr.LedgerKeyTrustLine({ accountId, asset: line })).toXdr('base64')
  const entry = (await reader.readEntries([key])).get(key)
  if (entry === undefined) return undefined
  const data = xdr.LedgerEntryData.fromXdr(entry, 'base64')
  return data.type === 'trustline' ? data.trustLine.balance : undefined
}
