// The public page of one trader: figures, PnL, open positions and trades.

import type { ListedPosition, RealizedTrade } from '../../client/src/index.ts'
import { isAddress } from '../../client/src/index.ts'
import { FILL_KINDS } from '../activity-text.ts'
import { amount, dateTime, price, profitByPrice, UNKNOWN } from '../format.ts'
import { useListPage } from '../state/use-list-page.ts'
import { usePrice } from '../state/use-price.ts'
import { useResource } from '../state/use-resource.ts'
import { Card, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { AddressLink, ExplorerLink } from '../ui/links.tsx'
import { Pager } from '../ui/pager.tsx'
import { Table } from '../ui/table.tsx'
import { Profit, Side } from '../ui/text.tsx'
import { CashSection } from './cash-section.tsx'
import { Figures } from './figures.tsx'
import { PnlSection } from './pnl-section.tsx'

const TRADES_PER_PAGE = 50

export function TraderPage({ path: [address = ''] }: { readonly path: readonly string[] }) {
  if (!isAddress(address) && !isAddress(address, 'contract')) return <InvalidAddress text={address} />
  return <Trader key={address} address={address} />
}

function InvalidAddress({ text }: { readonly text: string }) {
  return (
    <div class='stack'>
      <PageHeading>Trader</PageHeading>
      <p role='alert'>
        {text === '' ? 'The link names no account.' : 'This is not the address of an account.'}
        {' An address begins with G, has 56 characters, and ends with a checksum. Check it, or choose a trader from the '}
        <a href='#/leaders'>leaderboard</a>.
      </p>
    </div>
  )
}

function Trader({ address }: { readonly address: string }) {
  const profile = useResource('Figures', (client) => client.getTrader({ address }), [address])
  return (
    <div class='stack'>
      <PageHeading>Trader</PageHeading>
      <p class='mono'><AddressLink address={address} length={ADDRESS_LENGTH} /></p>
      <div class='halves even'>
        <Figures address={address} profile={profile} />
        <PnlSection address={address} profile={profile.answer.value?.body ?? null} />
      </div>
      <Card title='Open positions'><OpenPositions address={address} /></Card>
      <Card title='Trades'><Trades address={address} /></Card>
      <CashSection title='Cash' address={address} read={(client, input) => client.listTraderLedger({ ...input, address })} />
    </div>
  )
}

/** Shows the address whole. */
const ADDRESS_LENGTH = 28

function OpenPositions({ address }: { readonly address: string }) {
  const positions = useListPage('Open positions', (client, cursor) => client.listOpenPositions({ trader: address, ...cursor }), [address])
  return (
    <>
      <Fresh resource={positions.list}>
        <Table
          caption='Open positions, newest first. PnL from the price alone, without funding and fees.' empty='No open positions.'
          isLoading={positions.list.answer.value === null}
          rows={positions.list.answer.value?.body.positions ?? []} keyOf={({ positionId }) => positionId}
          columns={[
            { title: 'Position', cell: ({ positionId }) => positionId },
            { title: 'Market', cell: ({ asset }) => <a href={`#/trade/${encodeURIComponent(asset)}`}>{asset}</a> },
            { title: 'Side', cell: ({ direction }) => <Side direction={direction} /> },
            { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
            { title: 'Entry', isNumeric: true, cell: ({ entryPrice }) => price(entryPrice) },
            { title: 'PnL', isNumeric: true, cell: (position) => <LiveProfit position={position} /> },
            { title: 'Opened', isMinor: true, cell: ({ openedAt }) => dateTime(openedAt) },
            {
              title: 'Transaction', isMinor: true,
              cell: ({ openedTxHash }) => (openedTxHash === null ? UNKNOWN : <ExplorerLink page='tx' id={openedTxHash} />),
            },
          ]}
        />
      </Fresh>
      <Pager pages={positions} name='open positions' />
      <ReadNote resource={positions.list} />
    </>
  )
}

function LiveProfit({ position }: { readonly position: ListedPosition }) {
  const { received, className } = usePrice(position.asset)
  return <span class={className}><Profit value={profitByPrice(position, received?.price)} /></span>
}

function Trades({ address }: { readonly address: string }) {
  const trades = useListPage('Trades', (client, cursor) =>
    client.listTrades({ trader: address, include_opens: true, limit: TRADES_PER_PAGE, ...cursor }), [address])
  const rows = (trades.list.answer.value?.body.trades ?? []).map((trade) => ({ ...trade, key: `${trade.eventId} ${trade.positionId} ${trade.kind}` }))
  return (
    <>
      <Fresh resource={trades.list}>
        <Table
          caption='Opens, closes, reductions and liquidations, newest first' empty='No trades yet.' rows={rows} keyOf={({ key }) => key}
          isLoading={trades.list.answer.value === null}
          columns={[
            { title: 'Time', cell: ({ ts }) => dateTime(ts) },
            { title: 'Type', cell: kindOf },
            { title: 'Market', cell: ({ asset }) => (asset === null ? UNKNOWN : <a href={`#/trade/${encodeURIComponent(asset)}`}>{asset}</a>) },
            { title: 'Side', cell: ({ direction }) => <Side direction={direction} /> },
            { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
            { title: 'Price', isNumeric: true, cell: ({ kind, entryPrice, closePrice }) => price(kind === 'open' ? entryPrice : closePrice) },
            { title: 'PnL', isNumeric: true, cell: ({ kind, pnl }) => (kind === 'open' ? '' : <Profit value={pnl} />) },
            { title: 'Transaction', isMinor: true, cell: ({ txHash }) => <ExplorerLink page='tx' id={txHash} /> },
          ]}
        />
      </Fresh>
      <Pager pages={trades} name='trades' />
      <ReadNote resource={trades.list} />
    </>
  )
}

function kindOf({ kind }: RealizedTrade): string {
  return kind === 'cross_liquidation' ? 'Cross liquidation' : FILL_KINDS[kind]
}
