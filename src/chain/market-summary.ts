// The market as a whole, read from its ledger entries in one call at one ledger.

import { contractDataValue, instanceKey, instanceStorage } from './ledger-keys.ts'
import { assetRiskKey, exposureKey, readAmount, readAssetRisk, readConfig, readFeeTiers, readPauseState, singleKey } from './market-entries.ts'
import type { StoredAssetRisk, StoredConfig, StoredFeeTier } from './market-entries.ts'
import type { CallOptions } from './rpc-request.ts'
import type { Rpc } from './rpc.ts'
import type { ScValue } from './scval.ts'

/** Open interest of one asset, 7-decimal USDC. */
export interface OpenInterest {
  readonly long: bigint
  readonly short: bigint
}

/** Null: the entry cannot be read. A missing entry is zero. */
export interface MarketSummary {
  readonly ledger: number
  readonly config: StoredConfig | null
  readonly paused: boolean | null
  readonly feeTiers: readonly StoredFeeTier[] | null
  /** Per hour. */
  readonly fundingRate: bigint | null
  readonly cumulativeFunding: bigint | null
  /** Unix seconds; null also before funding was first applied. */
  readonly lastFundingSec: number | null
  readonly totalLong: bigint | null
  readonly totalShort: bigint | null
  readonly openInterest: ReadonlyMap<string, OpenInterest | null>
  /** Without an entry: the asset has no parameters of its own. Without any: the configuration applies to every asset. */
  readonly assetRisk: ReadonlyMap<string, StoredAssetRisk | null>
}

/** Reads the summary. Rejects with RpcFailure. */
export async function readMarketSummary(
  rpc: Rpc, { market, assets }: { readonly market: string; readonly assets: readonly string[] }, options: CallOptions = {},
): Promise<MarketSummary> {
  const single = {
    feeTiers: singleKey(market, 'FeeTiers'),
    rate: singleKey(market, 'CurrentFundingRate'),
    cumulative: singleKey(market, 'CumulativeFundingRate'),
    lastFunding: singleKey(market, 'LastFundingTime'),
    totalLong: singleKey(market, 'TotalLongSize'),
    totalShort: singleKey(market, 'TotalShortSize'),
    instance: instanceKey(market),
  }
  const exposures = assets.map((asset) => [asset, exposureKey(market, asset)] as const)
  const risks = assets.map((asset) => [asset, assetRiskKey(market, asset)] as const)
  const { entries, latestLedger } = await rpc.getLedgerEntries(
    [...Object.values(single), ...exposures.map(([, exposure]) => exposure), ...risks.map(([, risk]) => risk)], options,
  )
  const stored = new Map(entries.map(({ keyXdr, dataXdr }) => [keyXdr, dataXdr]))
  const amountAt = (key: string): bigint | null => {
    const entry = stored.get(key)
    return entry === undefined ? 0n : (readAmount(entry) ?? null)
  }
  const instance = stored.get(single.instance)
  const storage = instance === undefined ? undefined : instanceStorage(instance)
  const tiers = stored.get(single.feeTiers)
  return {
    ledger: latestLedger,
    config: readConfig(storage?.get('Config')) ?? null,
    paused: storage === undefined ? null : isPaused(storage),
    feeTiers: tiers === undefined ? [] : (readFeeTiers(tiers) ?? null),
    fundingRate: amountAt(single.rate),
    cumulativeFunding: amountAt(single.cumulative),
    lastFundingSec: secondsIn(stored.get(single.lastFunding)),
    totalLong: amountAt(single.totalLong),
    totalShort: amountAt(single.totalShort),
    openInterest: new Map(exposures.map(([asset, exposure]) => [asset, readOpenInterest(stored.get(exposure))])),
    assetRisk: new Map(risks.flatMap(([asset, key]) => {
      const entry = stored.get(key)
      return entry === undefined ? [] : [[asset, readAssetRisk(entry) ?? null]]
    })),
  }
}

/** The older of the two keys is absent in generation 2, and the newer one until the market is first paused. */
function isPaused(storage: ReadonlyMap<string, ScValue>): boolean | null {
  const state = storage.get('PauseState')
  if (state !== undefined) {
    const pause = readPauseState(state)
    return pause === undefined ? null : pause.mode !== 0
  }
  const paused = storage.get('Paused')
  return paused === undefined ? false : paused.type === 'bool' ? paused.value : null
}

function secondsIn(entry: string | undefined): number | null {
  const value = entry === undefined ? undefined : contractDataValue(entry)
  return value?.type === 'u64' && value.value > 0n && value.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value.value) : null
}

/** Reads an exposure: four amounts, the sizes of both sides at 1 and 3. A missing entry is zero; null: cannot be read. */
export function readOpenInterest(entry: string | undefined): OpenInterest | null {
  if (entry === undefined) return { long: 0n, short: 0n }
  const value = contractDataValue(entry)
  if (value?.type !== 'vec') return null
  const [, long, , short] = value.value
  return long?.type === 'i128' && short?.type === 'i128' ? { long: long.value, short: short.value } : null
}
