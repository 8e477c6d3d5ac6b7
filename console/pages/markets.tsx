// All markets: price, the day's figures, and a link to each trade screen.

import type { MarketStats } from '../../client/src/index.ts'
import { usePrice } from '../state/use-price.ts'
import { useResource } from '../state/use-resource.ts'
import { amount, duration, price, UNKNOWN } from '../format.ts'
import { priceAgeSec } from '../freshness.ts'
import { Card, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { MarketLink } from '../ui/links.tsx'
import { Table } from '../ui/table.tsx'
import { Change } from '../ui/text.tsx'

export function MarketsPage() {
  const stats = useResource('Open interest and volume', (client) => client.listMarketStats())
  return (
    <div class='stack'>
      <PageHeading>Markets</PageHeading>
      <Card title='All markets'>
        <Fresh resource={stats}>
          <Table
            isNarrow caption='Markets: price, open interest and volume in USDC' empty='No markets.' isLoading={stats.answer.value === null}
            rows={stats.answer.value?.body.stats ?? []} keyOf={({ asset }) => asset}
            columns={[
              { title: 'Market', cell: ({ asset }) => <MarketLink asset={asset} /> },
              { title: 'Price', isNumeric: true, cell: ({ asset }) => <LivePrice asset={asset} /> },
              { title: 'Price age', isNumeric: true, isMinor: true, cell: ({ asset }) => <PriceAge asset={asset} /> },
              ...STATS_COLUMNS,
            ]}
          />
        </Fresh>
        <ReadNote resource={stats} />
      </Card>
    </div>
  )
}

const STATS_COLUMNS = [
  { title: '24 h change', isNumeric: true, cell: ({ change24h }: MarketStats) => <Change percent={change24h} /> },
  { title: 'Long OI', isNumeric: true, isMinor: true, cell: (row: MarketStats) => amount(row.openInterestLong, 0) },
  { title: 'Short OI', isNumeric: true, isMinor: true, cell: (row: MarketStats) => amount(row.openInterestShort, 0) },
  { title: 'Net OI', isNumeric: true, isMinor: true, cell: (row: MarketStats) => amount(row.openInterestNet, 0) },
  { title: 'Positions', isNumeric: true, isMinor: true, cell: (row: MarketStats) => row.openPositions },
  { title: '24 h volume', isNumeric: true, cell: (row: MarketStats) => amount(row.volume24h, 0) },
]

function LivePrice({ asset }: { readonly asset: string }) {
  const { received, className } = usePrice(asset)
  return <span class={className} data-asset={asset}>{price(received?.price ?? null)}</span>
}

function PriceAge({ asset }: { readonly asset: string }) {
  const { received, now, state, className } = usePrice(asset)
  const age = received === undefined ? UNKNOWN : duration(priceAgeSec(received, now))
  return <span class={className}>{state === 'stale' ? `stale, ${age}` : age}</span>
}
