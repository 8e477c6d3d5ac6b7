// The trade screen of one market: header, chart, tape, order ticket, and the account's tables.

import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { useParts } from '../parts.ts'
import { useResource } from '../state/use-resource.ts'
import { AccountTabs } from './account-tabs.tsx'
import { ChartView } from './chart-view.tsx'
import { MarketHeader } from './market-header.tsx'
import { createSender } from './send.ts'
import { Tape } from './tape.tsx'
import { EMPTY_TICKET, TicketForm } from './ticket-form.tsx'
import type { TicketInput } from './ticket.ts'

const DEFAULT_ASSET = 'BTC'

export function TradePage({ path: [wanted = DEFAULT_ASSET] }: { readonly path: readonly string[] }) {
  const { session, markets } = useParts()
  const symbol = wanted.toUpperCase()
  const asset = markets().has(symbol) ? symbol : DEFAULT_ASSET
  const sender = useMemo(() => createSender(session), [session])
  const input = useSignal<TicketInput>(EMPTY_TICKET)
  const health = useResource('Health', (client) => client.getHealth())
  const contracts = health.answer.value?.body ?? null
  // The gateway reads the contracts' code a moment after its start. Only generation 2 has a pause state.
  const generation = contracts?.contracts.market.generation ?? null
  const isGeneration2 = generation === null ? contracts?.market.pauseState.supported === true : generation !== '1'
  return (
    <div class='trade'>
      <h1 class='visually-hidden' tabIndex={-1}>{`Trade ${asset}`}</h1>
      <MarketHeader asset={asset} />
      <section class='card' aria-label='Chart'><ChartView key={asset} asset={asset} /></section>
      <section class='card' aria-label='Order ticket'><TicketForm key={asset} asset={asset} input={input} sender={sender} /></section>
      <section class='card' aria-label='Trades'><Tape asset={asset} /></section>
      <AccountTabs sender={sender} isGeneration2={isGeneration2} />
    </div>
  )
}
