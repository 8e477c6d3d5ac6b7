// The trade screen of one market: header, chart, tape, order ticket, and the account's tables.

import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { displayText } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { AccountSummary } from './account-summary.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { ChartView } from './chart-view.tsx'
import { MarketHeader } from './market-header.tsx'
import { createSender } from './send.ts'
import { Tape } from './tape.tsx'
import { emptyTicket, TicketForm } from './ticket-form.tsx'
import type { TicketInput } from './ticket.ts'
import { useAccountLists } from './use-account-lists.ts'
import { useMarket } from './use-market.ts'

const DEFAULT_ASSET = 'BTC'

export function TradePage({ path: [wanted = DEFAULT_ASSET] }: { readonly path: readonly string[] }) {
  const { session, markets } = useParts()
  const symbol = wanted.toUpperCase()
  const asset = markets().has(symbol) ? symbol : DEFAULT_ASSET
  const sender = useMemo(() => createSender(session), [session])
  const input = useSignal<TicketInput>(emptyTicket())
  const market = useMarket(asset)
  const lists = useAccountLists()
  return (
    <div class='trade'>
      <h1 class='visually-hidden' tabIndex={-1}>{`Trade ${asset}`}</h1>
      {asset !== symbol && <p class='note problem' role='status'>{`${displayText(wanted)} is not a market of this exchange. This is ${asset}.`}</p>}
      <MarketHeader asset={asset} />
      <section class='card' aria-label='Chart'><ChartView key={asset} market={market} lists={lists} sender={sender} /></section>
      <div class='side'>
        <section class='card' aria-label='Order ticket'><TicketForm key={asset} market={market} input={input} sender={sender} /></section>
        <AccountSummary market={market} sender={sender} />
      </div>
      <section class='card' aria-label='Trades'><Tape asset={asset} /></section>
      <AccountTabs market={market} lists={lists} sender={sender} />
    </div>
  )
}
