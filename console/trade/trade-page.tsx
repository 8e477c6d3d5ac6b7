// The trade screen of one market: header, chart, tape, order ticket, and the account's tables.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { displayText } from '../../client/src/index.ts'
import { short } from '../format.ts'
import { useParts } from '../parts.ts'
import { PageHeading } from '../ui/layout.tsx'
import { MarketLink } from '../ui/links.tsx'
import { Splitter } from '../ui/splitter.tsx'
import { AccountSummary } from './account-summary.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { ChartView } from './chart-view.tsx'
import { MarketHeader } from './market-header.tsx'
import { Tape } from './tape.tsx'
import { emptyTicket, NO_PRICES, TicketForm } from './ticket-form.tsx'
import type { TicketInput } from './ticket.ts'
import { useAccountLists } from './use-account-lists.ts'
import { useMarket } from './use-market.ts'
import { useSender } from './use-sender.ts'
import { useTrades } from './use-trades.ts'

const DEFAULT_ASSET = 'BTC'

export function TradePage({ path: [wanted = DEFAULT_ASSET] }: { readonly path: readonly string[] }) {
  const { markets } = useParts()
  const asset = wanted.toUpperCase()
  return markets().has(asset) ? <MarketPage asset={asset} /> : <UnknownMarket name={wanted} />
}

function MarketPage({ asset }: { readonly asset: string }) {
  const sender = useSender()
  const input = useSignal<TicketInput>(emptyTicket())
  const market = useMarket(asset)
  const lists = useAccountLists()
  const trades = useTrades(asset)

  /** A price of the chart's axis is the limit price of an order. */
  function pickPrice(limitPrice: string): void {
    input.value = { ...input.value, ...(input.value.kind === 'limit' ? {} : NO_PRICES), kind: 'limit', limitPrice }
    sender.clear()
  }

  return (
    <div class='trade'>
      <h1 class='visually-hidden' tabIndex={-1}>{`Trade ${asset}`}</h1>
      <MarketHeader asset={asset} trades={trades} />
      <section class='card' aria-label='Chart'>
        <ChartView key={asset} market={market} lists={lists} sender={sender} onPickPrice={pickPrice} />
        <Splitter label='Height of the chart' property='--chart-height' edge='below' min={240} max={900} />
      </section>
      <div class='side'>
        <section class='card' aria-label='Order ticket'><TicketForm key={asset} market={market} input={input} sender={sender} /></section>
        <AccountSummary market={market} sender={sender} />
      </div>
      <section class='card' aria-label='Trades'>
        <Tape key={asset} trades={trades} />
        <Splitter label='Width of the trades' property='--tape-width' edge='left' min={260} max={520} />
      </section>
      <AccountTabs market={market} lists={lists} sender={sender} />
    </div>
  )
}

/** No other market in its place: its ticket would trade something that nobody asked for. */
function UnknownMarket({ name }: { readonly name: string }) {
  const { markets } = useParts()
  useEffect(() => {
    document.title = 'Unknown market · Perpetual exchange'
  }, [])
  return (
    <div class='stack'>
      <PageHeading>Unknown market</PageHeading>
      <p>{`“${displayText(short(name, 12))}” is not a market of this exchange. Choose one of its markets:`}</p>
      <ul class='market-links'>
        {[...markets()].map(([symbol, description]) => <li key={symbol}><MarketLink asset={symbol} /> <span class='note'>{description}</span></li>)}
      </ul>
    </div>
  )
}
