// Open positions of all traders, and the latest closed ones.

import type { OpenPosition } from '../../client/src/index.ts'
import { usePrice } from '../state/use-price.ts'
import { useResource } from '../state/use-resource.ts'
import { amount, dateTime, price, profitByPrice } from '../format.ts'
import { Card, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { Table } from '../ui/table.tsx'
import { MarketLink, TraderLink } from '../ui/links.tsx'
import { Profit, Side } from '../ui/text.tsx'

const CLOSED_ROWS = 50

export function PositionsPage() {
  return (
    <div class='stack'>
      <PageHeading>All positions</PageHeading>
      <Card title='Open'><OpenPositions /></Card>
      <Card title='Closed'><ClosedPositions /></Card>
    </div>
  )
}

function OpenPositions() {
  const positions = useResource('Open positions', (client) => client.listOpenPositions())
  return (
    <>
      <Fresh resource={positions}>
        <Table
          caption='Open positions, newest first. PnL from the price alone, without funding and fees.' empty='No open positions.'
          isLoading={positions.answer.value === null}
          rows={positions.answer.value?.body.positions ?? []} keyOf={({ positionId }) => positionId}
          columns={[
            { title: 'Position', cell: ({ positionId }) => positionId },
            { title: 'Market', cell: ({ asset }) => <MarketLink asset={asset} /> },
            { title: 'Side', cell: ({ direction }) => <Side direction={direction} /> },
            { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
            { title: 'Entry', isNumeric: true, cell: ({ entryPrice }) => price(entryPrice) },
            { title: 'Price', isNumeric: true, isMinor: true, cell: ({ asset }) => <LivePrice asset={asset} /> },
            { title: 'PnL', isNumeric: true, cell: (position) => <LiveProfit position={position} /> },
            { title: 'Opened', isMinor: true, cell: ({ openedAt }) => dateTime(openedAt) },
            { title: 'Trader', cell: ({ trader }) => <TraderLink address={trader} /> },
          ]}
        />
      </Fresh>
      <ReadNote resource={positions} />
    </>
  )
}

/** Grey when the price is stale. */
function LivePrice({ asset }: { readonly asset: string }) {
  const { received, className } = usePrice(asset)
  return <span class={className}>{price(received?.price ?? null)}</span>
}

function LiveProfit({ position }: { readonly position: OpenPosition }) {
  const { received, className } = usePrice(position.asset)
  return <span class={className}><Profit value={profitByPrice(position, received?.price)} /></span>
}

const CLOSED_KINDS: Readonly<Record<string, string>> = {
  close: 'Close', liquidation: 'Liquidation', cross_liquidation: 'Cross liquidation', adl: 'ADL',
}

function ClosedPositions() {
  const trades = useResource('Closed positions', (client) => client.listTrades({ limit: CLOSED_ROWS }))
  const rows = (trades.answer.value?.body.trades ?? []).map((trade, index) => ({ ...trade, key: `${trade.txHash} ${trade.positionId} ${trade.kind} ${index}` }))
  return (
    <>
      <Fresh resource={trades}>
        <Table
          caption='Closed and liquidated positions, newest first' empty='No closed positions yet.' rows={rows} keyOf={({ key }) => key}
          isLoading={trades.answer.value === null}
          columns={[
            { title: 'Time', cell: ({ ts }) => dateTime(ts) },
            { title: 'Type', cell: ({ kind }) => CLOSED_KINDS[kind] ?? kind },
            { title: 'Market', cell: ({ asset }) => <MarketLink asset={asset} /> },
            { title: 'Side', cell: ({ direction }) => <Side direction={direction} /> },
            { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
            { title: 'Entry', isNumeric: true, isMinor: true, cell: ({ entryPrice }) => price(entryPrice) },
            { title: 'Exit', isNumeric: true, cell: ({ closePrice }) => price(closePrice) },
            // The exchange does not publish the loss of a liquidation.
            { title: 'PnL', isNumeric: true, cell: ({ pnl }) => <Profit value={pnl} /> },
            { title: 'Trader', isMinor: true, cell: ({ trader }) => <TraderLink address={trader} /> },
          ]}
        />
      </Fresh>
      <ReadNote resource={trades} />
    </>
  )
}
