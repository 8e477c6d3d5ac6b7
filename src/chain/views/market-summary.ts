// The market as a whole, read from its ledger entries at one ledger.

import type { Generation } from '../../exchange/contracts/generations.ts'
import { isAtLeast } from '../../exchange/contracts/generations.ts'
import { readEntrySnapshot } from './entry-snapshot.ts'
import { RpcFailure } from '../rpc/failure.ts'
import { contractDataValue, instanceKey, instanceStorage } from '../codec/ledger-keys.ts'
import {
  assetKey, exposureKey, readAmount, readAssetRisk, readConfig, readFeeTiers, readFlag, readFundingState, readPause, readTimedAmount, readU64, singleKey,
} from './market-entries.ts'
import type { StoredAssetRisk, StoredConfig, StoredFeeTier, StoredFunding, TimedAmount } from './market-entries.ts'
import { readField } from '../codec/structs.ts'
import type { CallOptions } from '../rpc/rpc-request.ts'
import type { Rpc } from '../rpc/rpc.ts'

/** Open interest of one asset, 7-decimal USDC. */
export interface OpenInterest {
  readonly long: bigint
  readonly short: bigint
}

/** The entries that the market stores about an asset from generation 2 on. Undefined: no entry. Null: the entry cannot be read. */
export interface AssetSummary {
  readonly risk: StoredAssetRisk | null | undefined
  readonly funding: StoredFunding | null | undefined
  /** Notional seconds of longs less shorts since the last funding, up to the last change of the open interest. */
  readonly skewSeconds: TimedAmount | null | undefined
  readonly halted: boolean | null | undefined
  readonly adlActive: boolean | null | undefined
}

/** The funding that all assets share in generation 1. */
export interface SharedFunding {
  /** Per hour. */
  readonly rate: bigint | null
  readonly cumulative: bigint | null
  /** Unix seconds; null also before funding was first applied. */
  readonly lastSec: number | null
}

/** Null: the entry cannot be read. A missing entry is zero. */
export interface MarketSummary {
  readonly ledger: number
  readonly config: StoredConfig | null
  readonly paused: boolean | null
  /** 0 is live, 1 halted, 2 frozen; null also in generation 1, which has no modes. */
  readonly pauseMode: number | null
  /** Unix seconds. */
  readonly pausedSinceSec: number
  readonly feeTiers: readonly StoredFeeTier[] | null
  /** The last position id that was assigned. */
  readonly lastPositionId: number | null
  /** The referral contract that discounts fees; null also when there is none. */
  readonly referral: string | null
  /** Null from generation 2 on: every asset has its own. */
  readonly sharedFunding: SharedFunding | null
  readonly totalLong: bigint | null
  readonly totalShort: bigint | null
  readonly openInterest: ReadonlyMap<string, OpenInterest | null>
  /** True when the parameters of the assets apply instead of the configuration. Then an asset without parameters cannot be traded. */
  readonly hasAssetRisk: boolean
  /** From when on they apply, Unix seconds. */
  readonly riskEpochSec: number | null
  /** Empty in generation 1. */
  readonly assets: ReadonlyMap<string, AssetSummary>
}

export interface MarketSource {
  readonly market: string
  readonly generation: Generation
  /** Symbols. */
  readonly assets: readonly string[]
}

/** Maximum number of reads of the entries when a ledger closes between the calls. */
const MAX_READS = 3

/** Reads the summary. Rejects with RpcFailure. */
export async function readMarketSummary(rpc: Rpc, source: MarketSource, options: CallOptions = {}): Promise<MarketSummary> {
  const { market, generation, assets } = source
  const isSecond = isAtLeast(generation, '2.0')
  const keys: SummaryKeys = {
    market: keysOf(market),
    sharedFunding: isSecond ? null : sharedFundingKeys(market),
    exposures: assets.map((asset) => [asset, exposureKey(market, asset)]),
    ofAssets: isSecond ? assets.map((asset) => [asset, keysOfAsset(market, asset)]) : [],
  }
  const all = [
    ...Object.values(keys.market), ...Object.values(keys.sharedFunding ?? {}), ...keys.exposures.map(([, exposure]) => exposure),
    ...keys.ofAssets.flatMap(([, ofAsset]) => Object.values(ofAsset)),
  ]
  for (let reads = 0; reads < MAX_READS; reads++) {
    const snapshot = await readEntrySnapshot(rpc, all, options)
    if (snapshot !== undefined) return summarize(snapshot, keys, isSecond)
  }
  throw new RpcFailure({ method: 'getLedgerEntries', kind: 'malformed', retryable: true, detail: 'a ledger closed between the entries of the market' })
}

interface SummaryKeys {
  readonly market: ReturnType<typeof keysOf>
  /** Null from generation 2 on. */
  readonly sharedFunding: ReturnType<typeof sharedFundingKeys> | null
  readonly exposures: readonly (readonly [asset: string, key: string])[]
  /** Empty in generation 1. */
  readonly ofAssets: readonly (readonly [asset: string, keys: ReturnType<typeof keysOfAsset>])[]
}

/** The summary of entries of one ledger. `isSecond`: of generation 2 or later. */
function summarize(
  { ledger, entries }: NonNullable<Awaited<ReturnType<typeof readEntrySnapshot>>>,
  { market, sharedFunding, exposures, ofAssets }: SummaryKeys,
  isSecond: boolean,
): MarketSummary {
  const amountAt = (key: string): bigint | null => orZero(entries.get(key))
  const instance = entries.get(market.instance)
  const storage = instance === undefined ? undefined : instanceStorage(instance)
  const pause = storage === undefined ? null : readPause(storage)
  const tiers = entries.get(market.feeTiers)
  return {
    ledger,
    config: readConfig(storage?.get('Config')) ?? null,
    paused: pause?.paused ?? null,
    pauseMode: pause === null || !isSecond ? null : pause.mode ?? (pause.paused ? null : 0),
    pausedSinceSec: pause?.since ?? 0,
    feeTiers: tiers === undefined ? [] : (readFeeTiers(tiers) ?? null),
    lastPositionId: countAt(entries.get(market.positionCounter)),
    referral: readField(storage?.get('Referral'), 'address') ?? null,
    sharedFunding: sharedFunding === null ? null : {
      rate: amountAt(sharedFunding.rate), cumulative: amountAt(sharedFunding.cumulative), lastSec: secondsIn(entries.get(sharedFunding.lastTime)),
    },
    totalLong: amountAt(market.totalLong),
    totalShort: amountAt(market.totalShort),
    openInterest: new Map(exposures.map(([asset, exposure]) => [asset, readOpenInterest(entries.get(exposure))])),
    hasAssetRisk: isSecond && entries.has(market.riskEpoch),
    riskEpochSec: isSecond ? secondsIn(entries.get(market.riskEpoch)) : null,
    assets: new Map(ofAssets.map(([asset, keys]) => [asset, assetSummary(keys, (key) => entries.get(key))])),
  }
}

function keysOf(market: string) {
  return {
    feeTiers: singleKey(market, 'FeeTiers'),
    totalLong: singleKey(market, 'TotalLongSize'),
    totalShort: singleKey(market, 'TotalShortSize'),
    riskEpoch: singleKey(market, 'RiskEpochTs'),
    positionCounter: singleKey(market, 'PositionCounter'),
    instance: instanceKey(market),
  }
}

function sharedFundingKeys(market: string) {
  return {
    rate: singleKey(market, 'CurrentFundingRate'),
    cumulative: singleKey(market, 'CumulativeFundingRate'),
    lastTime: singleKey(market, 'LastFundingTime'),
  }
}

type AssetKeys = ReturnType<typeof keysOfAsset>

function keysOfAsset(market: string, asset: string) {
  return {
    risk: assetKey(market, 'AssetRisk', asset),
    funding: assetKey(market, 'FundingState', asset),
    skewSeconds: assetKey(market, 'SkewIntegral', asset),
    halted: assetKey(market, 'AssetHalted', asset),
    adlActive: assetKey(market, 'AdlActive', asset),
  }
}

function assetSummary(keys: AssetKeys, entryAt: (key: string) => string | undefined): AssetSummary {
  const at = <T>(key: string, read: (dataXdr: string) => T | undefined): T | null | undefined => {
    const entry = entryAt(key)
    return entry === undefined ? undefined : (read(entry) ?? null)
  }
  return {
    risk: at(keys.risk, readAssetRisk),
    funding: at(keys.funding, readFundingState),
    skewSeconds: at(keys.skewSeconds, readTimedAmount),
    halted: at(keys.halted, readFlag),
    adlActive: at(keys.adlActive, readFlag),
  }
}

function orZero(entry: string | undefined): bigint | null {
  return entry === undefined ? 0n : (readAmount(entry) ?? null)
}

function countAt(entry: string | undefined): number | null {
  return entry === undefined ? 0 : (readU64(entry) ?? null)
}

function secondsIn(entry: string | undefined): number | null {
  const seconds = entry === undefined ? undefined : readU64(entry)
  return seconds === undefined || seconds === 0 ? null : seconds
}

/** Reads an exposure: four amounts, the sizes of both sides at 1 and 3. A missing entry is zero; null: cannot be read. */
export function readOpenInterest(entry: string | undefined): OpenInterest | null {
  if (entry === undefined) return { long: 0n, short: 0n }
  const value = contractDataValue(entry)
  if (value?.type !== 'vec') return null
  const [, long, , short] = value.value
  return long?.type === 'i128' && short?.type === 'i128' ? { long: long.value, short: short.value } : null
}
