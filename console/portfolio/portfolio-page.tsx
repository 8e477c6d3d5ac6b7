// The portfolio of the connected account: equity and its history, positions, PnL, trading figures, funding and the cash ledger.

import { amount } from '../format.ts'
import { useParts } from '../parts.ts'
import type { Resource } from '../state/resource.ts'
import { useAccountList } from '../state/use-account-list.ts'
import { useFreshPrice } from '../state/use-price.ts'
import { useResource } from '../state/use-resource.ts'
import { Card, Facts, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { AddressLink } from '../ui/links.tsx'
import { CashSection } from './cash-section.tsx'
import { equityParts, knownTotalOf, totalOf } from './equity.ts'
import type { EquityPart } from './equity.ts'
import { Figures } from './figures.tsx'
import { FundingSection } from './funding-section.tsx'
import { NeedsAccount } from './needs-account.tsx'
import { PnlSection } from './pnl-section.tsx'
import { PositionsSection } from './positions-section.tsx'
import { ValueSection } from './value-section.tsx'
import { readVaultHoldings } from './vault-holdings.ts'

export function PortfolioPage() {
  const { account } = useParts()
  const address = account.owner.value
  return (
    <div class='stack'>
      <PageHeading>Portfolio</PageHeading>
      {address === null
        ? <NeedsAccount purpose='see your balances, your PnL and every movement of your USDC' />
        : <Portfolio key={address} address={address} />}
    </div>
  )
}

function Portfolio({ address }: { readonly address: string }) {
  const { account } = useParts()
  const profile = useResource('Figures', (client) => client.getTrader({ address }), [address])
  const equity = useEquity(address)
  const state = account.state.answer.value?.body ?? null
  return (
    <>
      <div class='row'>
        <span class='mono'><AddressLink address={address} /></span>
        <a href={`#/trader/${address}`}>Your public page</a>
        <a href='#/referrals'>Referrals</a>
      </div>
      <div class='halves even'>
        <EquityCard equity={equity} />
        <ValueSection address={address} state={state} value={equity.parts === null ? null : knownTotalOf(equity.parts)} />
      </div>
      <PositionsSection state={state} />
      <PnlSection address={address} profile={profile.answer.value?.body ?? null} />
      <Figures address={address} profile={profile} />
      <FundingSection state={state} />
      <CashSection title='Cash ledger' address={address} read={(client, input) => client.listAccountLedger(input)} />
    </>
  )
}

interface Equity {
  /** Null until the account was read. */
  readonly parts: readonly EquityPart[] | null
  /** The account first. */
  readonly sources: readonly Resource<unknown>[]
}

function useEquity(address: string): Equity {
  const { account, feed } = useParts()
  const pool = useResource('Pool', (client) => client.getPool())
  const vaults = useAccountList('Vault shares', (client) => readVaultHoldings(client, { owner: address, indexedLedger: feed.head()?.ledger ?? null }))
  const shortfall = useAccountList('Owed profit', (client) => client.getShortfall({ address }))
  const state = account.state.answer.value?.body ?? null
  const priceOf = useFreshPrice()
  const parts = state === null ? null : equityParts({
    state, priceOf, lpPrice: pool.answer.value?.body.lpPrice ?? null, vaults: vaults.answer.value?.body ?? null,
    owed: shortfall.answer.value?.body.owed ?? null,
  })
  return { parts, sources: [account.state, pool, vaults, shortfall] }
}

function EquityCard({ equity: { parts, sources } }: { readonly equity: Equity }) {
  const { account } = useParts()
  return (
    <Card title='Equity'>
      {parts !== null && <Fresh resource={account.state}><EquityParts parts={parts} /></Fresh>}
      <p class='note'>In USDC, at live prices. XLM pays network fees and is not counted.</p>
      {sources.map((resource, index) => (
        (index === 0 || resource.hasProblem.value) && <ReadNote key={index} resource={resource} />
      ))}
    </Card>
  )
}

function EquityParts({ parts }: { readonly parts: readonly EquityPart[] }) {
  const total = totalOf(parts)
  const unknown = parts.filter(({ value }) => value === null).map(({ name }) => name)
  return (
    <>
      <p class='total' data-equity>{amount(total)}{total !== null && ' USDC'}</p>
      {total === null && <p class='note'>{`Known parts: ${amount(knownTotalOf(parts))} USDC. Not known: ${unknown.join(', ')}.`}</p>}
      <Facts rows={parts.map(({ name, note, value }) => [name, <>{amount(value)}{note !== undefined && <span class='note'>{` ${note}`}</span>}</>])} />
    </>
  )
}
