// Reads what a keeper needs of a market of generation 2: funding and margins per asset, and the flags of auto-deleveraging.

import { symbol } from '../contracts/shared/host.ts'
import type { Val } from '../contracts/shared/host.ts'
import { asBool, asI128, asU32, asU64, asVec, fieldOf, storageKey } from '../contracts/shared/values.ts'
import { PRICED_SYMBOLS } from '../assets.ts'
import { contractDataKey, contractDataValue, FUNDING_INTERVAL_SEC, MAINTENANCE_MARGIN_BPS, oraclePriceKeys, pricesOf } from './exchange-state.ts'
import type { Deployment, EntryReader, MarketOverview } from './exchange-state.ts'
import type { MarketReader } from './keeper-jobs.ts'
import type { MarketIndex } from './market-index.ts'
import { CROSS_MARGIN, ORDER_TYPE, readPeaks, readPools } from './stored-entries.ts'

/** Builds the reader: a few requests, however much is open. */
export function createMarketReader2(reader: EntryReader, deployment: Deployment, index: MarketIndex): MarketReader {
  const readAssets = createAssetsReader(reader, deployment)
  return {
    async read() {
      // One after the other: the index has one reader at a time.
      const { positions, orders } = await index.read()
      const crossTraders = [...new Set(positions.filter(({ marginMode }) => marginMode === CROSS_MARGIN).map(({ trader }) => trader))]
      const trailing = orders.filter(({ orderType }) => orderType === ORDER_TYPE.trailingStop).map(({ id }) => id)
      return {
        overview: {
          ...(await readAssets()),
          positionIds: positions.map(({ id }) => id), orderIds: orders.map(({ id }) => id), crossTraders,
        },
        positions,
        orders,
        peaks: await readPeaks(reader, deployment.market, trailing),
        pools: await readPools(reader, deployment.market, crossTraders),
      }
    },
    forget: () => index.forget(),
  }
}

type AssetsOverview = Omit<MarketOverview, 'positionIds' | 'orderIds' | 'crossTraders'>

function createAssetsReader(reader: EntryReader, { market, vault, oracle }: Deployment): () => Promise<AssetsOverview> {
  const perAsset = (name: string): Map<string, string> =>
    new Map(PRICED_SYMBOLS.map((asset) => [contractDataKey(market, storageKey(name, symbol(asset))), asset]))
  const [riskKeys, fundingKeys, flagKeys, lastGoodKeys] = [perAsset('AssetRisk'), perAsset('FundingState'), perAsset('AdlActive'), perAsset('LastGoodPrice')]
  const oracleKeys = oraclePriceKeys(oracle)
  const coverageKeys = ['BufferBalance', 'TotalUsdc'].map((name) => contractDataKey(vault, storageKey(name)))
  const keys = [riskKeys, fundingKeys, flagKeys, lastGoodKeys, oracleKeys].flatMap((each) => [...each.keys()])

  return async () => {
    const entries = await reader.readEntries([...keys, ...coverageKeys])
    const byAsset = <T>(of: ReadonlyMap<string, string>, decode: (value: Val) => T): ReadonlyMap<string, T> =>
      new Map([...of].flatMap(([key, asset]) => {
        const entry = entries.get(key)
        return entry === undefined ? [] : [[asset, decode(contractDataValue(entry))] as const]
      }))
    const margins = byAsset(riskKeys, (risk) => BigInt(asU32(fieldOf(risk, 'mm_bps'))))
    const funding = byAsset(fundingKeys, (state) => {
      const [cumulative, , last] = asVec(state)
      return { cumulative: asI128(cumulative), dueSec: Number(asU64(last)) + FUNDING_INTERVAL_SEC }
    })
    // An asset without a state gets one with the first call.
    const dueTimes = [...margins.keys()].map((asset) => funding.get(asset)?.dueSec ?? 0)
    const flags = byAsset(flagKeys, asBool)
    return {
      cumulativeFundingOf: (asset) => funding.get(asset)?.cumulative ?? 0n,
      maintenanceBpsOf: (asset) => margins.get(asset) ?? MAINTENANCE_MARGIN_BPS,
      fundingDueSec: dueTimes.length === 0 ? null : Math.min(...dueTimes),
      lastGoodPrices: pricesOf(entries, lastGoodKeys),
      oraclePrices: pricesOf(entries, oracleKeys),
      deleveraging: {
        activeAssets: new Set([...flags].filter(([, isActive]) => isActive).map(([asset]) => asset)),
        coverage: coverageKeys.reduce((total, key) => total + amountOf(entries.get(key)), 0n),
      },
    }
  }
}

const amountOf = (entry: string | undefined): bigint => (entry === undefined ? 0n : asI128(contractDataValue(entry)))
