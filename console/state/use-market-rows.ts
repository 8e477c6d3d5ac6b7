// All markets with their figures of the day, for the list of markets and the switcher: the user's favourites first, then by what the user chose.

import { useState } from 'preact/hooks'
import type { MarketStats } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { favourites } from './favourites.ts'
import type { Resource } from './resource.ts'
import { useResource } from './use-resource.ts'

export interface MarketRow {
  readonly asset: string
  readonly name: string
  /** Null until they are read, as the figures below. */
  readonly stats: MarketStats | null
  /** The rate of the next hour, in parts of 10 million. */
  readonly funding: string | null
}

type MarketSort = 'listed' | 'change' | 'volume' | 'funding'
export const MARKET_SORTS = [['listed', 'As listed'], ['change', '24 h change'], ['volume', 'Volume'], ['funding', 'Funding']] as const

interface MarketRows {
  readonly rows: readonly MarketRow[]
  readonly stats: Resource<unknown>
  readonly sort: MarketSort
  setSort(sort: MarketSort): void
}

export function useMarketRows(): MarketRows {
  const { markets } = useParts()
  const [sort, setSort] = useState<MarketSort>('listed')
  const stats = useResource('Market figures', (client) => client.listMarketStats(), [], {
    isIncomplete: (body) => body.stats.some(({ change24h }) => change24h === null),
  })
  const funding = useResource('Funding', (client) => client.getFunding({ limit: 1 }))
  const figures = new Map(stats.answer.value?.body.stats.map((row) => [row.asset, row]))
  const rates = new Map(funding.answer.value?.body.current?.assets.map(({ asset, predictedRate, rate }) => [asset, predictedRate ?? rate]))
  const rows = [...markets()].map(([asset, name]) => ({ asset, name, stats: figures.get(asset) ?? null, funding: rates.get(asset) ?? null }))
  const value = sort === 'listed' ? null : VALUES[sort]
  return {
    sort, setSort, stats,
    rows: rows.toSorted((a, b) =>
      Number(favourites.value.has(b.asset)) - Number(favourites.value.has(a.asset)) || (value === null ? 0 : value(b) - value(a))),
  }
}

/** What is unknown comes last. */
const VALUES: Readonly<Record<Exclude<MarketSort, 'listed'>, (row: MarketRow) => number>> = {
  change: ({ stats }) => stats?.change24h ?? -Number.MAX_VALUE,
  volume: ({ stats }) => Number(stats?.volume24h ?? -1),
  funding: ({ funding }) => (funding === null ? -Number.MAX_VALUE : Number(funding)),
}
