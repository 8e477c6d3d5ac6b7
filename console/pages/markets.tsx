// All markets: price, the day's figures, and a link to each trade screen. Favourites come first.

import type { ComponentChildren } from 'preact'
import { usePrice } from '../state/use-price.ts'
import { MARKET_SORTS, useMarketRows } from '../state/use-market-rows.ts'
import type { MarketRow } from '../state/use-market-rows.ts'
import type { MarketStats } from '../../client/src/index.ts'
import { amount, duration, price, rate, UNKNOWN } from '../format.ts'
import { priceAgeSec } from '../freshness.ts'
import { Card, Choice, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { AssetIcon } from '../ui/asset-icon.tsx'
import { Favourite } from '../ui/favourite.tsx'
import { MarketLink } from '../ui/links.tsx'
import { Table } from '../ui/table.tsx'
import { Change, MaxLeverage } from '../ui/text.tsx'

export function MarketsPage() {
  const { rows, stats, sort, setSort } = useMarketRows()
  return (
    <div class='stack'>
      <PageHeading>Markets</PageHeading>
      <Card title='All markets'>
        <Choice label='Sort by' options={MARKET_SORTS} value={sort} onChoose={setSort} />
        <Fresh resource={stats}>
          <Table
            isNarrow caption='Markets: price, open interest and volume in USDC' empty='No markets.' rows={rows} keyOf={({ asset }) => asset}
            columns={[
              {
                title: 'Market',
                cell: ({ asset }) => <span class='market-name'><Favourite asset={asset} /><AssetIcon asset={asset} /><MarketLink asset={asset} /></span>,
              },
              { title: 'Price', isNumeric: true, cell: ({ asset }) => <LivePrice asset={asset} /> },
              { title: 'Max. leverage', isNumeric: true, isMinor: true, cell: ({ stats: figures }) => <MaxLeverage stats={figures} /> },
              { title: 'Price age', isNumeric: true, isMinor: true, cell: ({ asset }) => <PriceAge asset={asset} /> },
              { title: '24 h change', isNumeric: true, cell: figure(({ change24h }) => <Change percent={change24h} />) },
              { title: 'Long OI', isNumeric: true, isMinor: true, cell: figure((row) => amount(row.openInterestLong, 0)) },
              { title: 'Short OI', isNumeric: true, isMinor: true, cell: figure((row) => amount(row.openInterestShort, 0)) },
              { title: 'Net OI', isNumeric: true, isMinor: true, cell: figure((row) => amount(row.openInterestNet, 0)) },
              { title: 'Positions', isNumeric: true, isMinor: true, cell: figure((row) => row.openPositions) },
              { title: '24 h volume', isNumeric: true, cell: figure((row) => amount(row.volume24h, 0)) },
              { title: 'Funding, 1 h', isNumeric: true, isMinor: true, cell: ({ funding }) => rate(funding) },
            ]}
          />
        </Fresh>
        <ReadNote resource={stats} />
      </Card>
    </div>
  )
}

/** A cell of what is read, which the list of markets does not wait for. */
function figure(show: (stats: MarketStats) => ComponentChildren): (row: MarketRow) => ComponentChildren {
  return ({ stats }) => (stats === null ? '–' : show(stats))
}

function LivePrice({ asset }: { readonly asset: string }) {
  const { received, className } = usePrice(asset)
  return <span class={className} data-asset={asset}>{price(received?.price ?? null)}</span>
}

function PriceAge({ asset }: { readonly asset: string }) {
  const { received, now, state, className } = usePrice(asset)
  const age = received === undefined ? UNKNOWN : duration(priceAgeSec(received, now))
  return <span class={className}>{state === 'stale' ? `stale, ${age}` : age}</span>
}
