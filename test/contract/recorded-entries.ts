// The entries of the recorded contracts as the gateway reads them.

import type { AssetEntries } from '../../src/accounts/entries.ts'
import type { StoredAssetRisk, StoredConfig, StoredFeeTier, StoredPosition } from '../../src/chain/views/market-entries.ts'
import type { RecordedValue } from '../../localnet/test/contracts/recorded-calls.ts'
import { amountIn, entriesOf, entryIn, fundingIndex, listIn, stored } from './recorded-transactions.ts'
import type { RecordedState } from './recorded-transactions.ts'

/** The configuration that the market stores. */
export const configOf = ({ storage }: RecordedState): StoredConfig | undefined => (entryIn(storage.get('market/I/Config')) as StoredConfig | undefined)

/** Newest first. */
export function positionsOf(state: RecordedState, trader: string): readonly StoredPosition[] {
  return ([...entriesOf(state, 'Position').values()] as StoredPosition[]).filter((position) => position.trader === trader).toReversed()
}

export function assetOf(state: RecordedState, asset: string): AssetEntries {
  const [price, timeSec] = listIn(stored(state, `LastGoodPrice(${asset})`))
  return {
    cumulativeFunding: fundingIndex(state, asset),
    risk: (entryIn(stored(state, `AssetRisk(${asset})`)) as StoredAssetRisk | undefined) ?? null,
    lastGoodPrice: price === undefined ? null : { amount: amountIn(price), timeSec: Number(amountIn(timeSec)) },
  }
}

export const secondsIn = (value: RecordedValue | undefined): number | null => (value === undefined ? null : Number(amountIn(value)))

export function volumeDays(state: RecordedState, trader: string): readonly bigint[] {
  const record = (entryIn(stored(state, `TraderVolume(@${trader})`)) as { readonly daily_volumes: readonly string[] } | undefined)
  return (record?.daily_volumes ?? []).map(BigInt)
}

export const tiersOf = (state: RecordedState): readonly StoredFeeTier[] =>
  listIn(stored(state, 'FeeTiers')).flatMap((tier) => (entryIn(tier) as StoredFeeTier | undefined) ?? [])
