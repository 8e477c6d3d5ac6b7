// The market as a whole, out of its ledger entries: one call, one ledger.

import { ASSET_SYMBOLS } from '../exchange/assets.ts'
import { contractDataKey, contractDataValue, instanceKey, instanceStorage } from './ledger-keys.ts'
import { readConfig, readFeeTiers, readAmount } from './market-entries.ts'
import type { StoredConfig, StoredFeeTier } from './market-entries.ts'
import type { CallOptions } from './rpc-request.ts'
import type { Rpc } from './rpc.ts'
import type { ScArgument } from './scval.ts'

/** Open interest of one asset, 7-decimal USDC. */
export interface OpenInterest {
  readonly long: bigint
  readonly short: bigint
}

/** Null: the entry cannot be read. An entry that is not there yet is zero. */
export interface MarketSummary {
  readonly ledger: number
  readonly config: StoredConfig | null
  readonly paused: boolean | null
  readonly feeTiers: readonly StoredFeeTier[] | null
  /** Per hour, as the market has it. */
  readonly fundingRate: bigint | null
  readonly cumulativeFunding: bigint | null
  /** Unix seconds; null also before funding was ever applied. */
  readonly lastFundingSec: number | null
  readonly totalLong: bigint | null
  readonly totalShort: bigint | null
  readonly openInterest: ReadonlyMap<string, OpenInterest | null>
}

/** Reads the market's figures. Rejects with RpcFailure. */
export async function readMarketSummary(rpc: Rpc, market: string, options: CallOptions = {}): Promise<MarketSummary> {
  const key = (name: string, ...args: ScArgument[]): string => contractDataKey(market, { type: 'vec', value: [{ type: 'symbol', value: name }, ...args] })
  const single = {
    feeTiers: key('FeeTiers'), rate: key('CurrentFundingRate'), cumulative: key('CumulativeFundingRate'), lastFunding: key('LastFundingTime'),
    totalLong: key('TotalLongSize'), totalShort: key('TotalShortSize'), instance: instanceKey(market),
  }
  const exposures = ASSET_SYMBOLS.map((asset) => [asset, exposureKey(market, asset)] as const)
  const { entries, latestLedger } = await rpc.getLedgerEntries([...Object.values(single), ...exposures.map(([, exposure]) => exposure)], options)
  const stored = new Map(entries.map(({ keyXdr, dataXdr }) => [keyXdr, dataXdr]))
  const amountAt = (place: string): bigint | null => {
    const entry = stored.get(place)
    return entry === undefined ? 0n : (readAmount(entry) ?? null)
  }
  const instance = stored.get(single.instance)
  const storage = instance === undefined ? undefined : instanceStorage(instance)
  const paused = storage?.get('Paused')
  const tiers = stored.get(single.feeTiers)
  return {
    ledger: latestLedger,
    config: readConfig(storage?.get('Config')) ?? null,
    paused: storage === undefined ? null : paused === undefined ? false : paused.type === 'bool' ? paused.value : null,
    feeTiers: tiers === undefined ? [] : (readFeeTiers(tiers) ?? null),
    fundingRate: amountAt(single.rate),
    cumulativeFunding: amountAt(single.cumulative),
    lastFundingSec: secondsIn(stored.get(single.lastFunding)),
    totalLong: amountAt(single.totalLong),
    totalShort: amountAt(single.totalShort),
    openInterest: new Map(exposures.map(([asset, place]) => [asset, readOpenInterest(stored.get(place))])),
  }
}

function secondsIn(entry: string | undefined): number | null {
  const value = entry === undefined ? undefined : contractDataValue(entry)
  return value?.type === 'u64' && value.value > 0n && value.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value.value) : null
}

/** The base64 LedgerKey of an asset's exposure. */
export function exposureKey(market: string, asset: string): string {
  return contractDataKey(market, { type: 'vec', value: [{ type: 'symbol', value: 'AssetExposure' }, { type: 'symbol', value: asset }] })
}

/** An exposure is four amounts: of each side something of its entry prices, and its size. One that is not there yet is none; null: cannot be read. */
export function readOpenInterest(entry: string | undefined): OpenInterest | null {
  if (entry === undefined) return { long: 0n, short: 0n }
  const value = contractDataValue(entry)
  if (value?.type !== 'vec') return null
  const [, long, , short] = value.value
  return long?.type === 'i128' && short?.type === 'i128' ? { long: long.value, short: short.value } : null
}
