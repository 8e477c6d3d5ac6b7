// The account's tables below the chart, as tabs with counts.

import { useId, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { AccountState } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { ReadNote } from '../ui/layout.tsx'
import { Cash, Fills, OrderHistory } from './account-lists.tsx'
import { pauseText } from './availability.ts'
import { Orders } from './orders-table.tsx'
import { Positions } from './positions-table.tsx'
import type { Sender } from './send.ts'
import { AccountPrompt } from '../wallet/wallet-section.tsx'
import { countOfPages, countText } from './use-account-lists.ts'
import type { AccountLists } from './use-account-lists.ts'
import type { Market } from './use-market.ts'

const TABS = ['Positions', 'Orders', 'Fills', 'Order history', 'Cash'] as const
type Tab = (typeof TABS)[number]

interface AccountTabsOptions {
  readonly market: Market
  readonly lists: AccountLists
  readonly sender: Sender
}

export function AccountTabs(options: AccountTabsOptions) {
  const { account } = useParts()
  const [tab, setTab] = useState<Tab>('Positions')
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const state = account.state.answer.value?.body ?? null
  const counts = countsOf(state, options.lists)

  function onKey(event: KeyboardEvent): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? tab
    setTab(next)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[TABS.indexOf(next)]?.focus()
  }

  return (
    <section class='card stack account' aria-label='Your account'>
      <div class='tabs' role='tablist' aria-label='Your account' ref={list} onKeyDown={onKey}>
        {TABS.map((each) => (
          <button
            key={each} type='button' role='tab' id={`${id}-${each}`} aria-selected={each === tab} aria-controls={`${id}-panel`} tabIndex={each === tab ? 0 : -1}
            onClick={() => setTab(each)}
          >
            {each}{counts[each] !== null && <> <span class='count'>{counts[each]}</span></>}
          </button>
        ))}
      </div>
      <div role='tabpanel' id={`${id}-panel`} aria-labelledby={`${id}-${tab}`} class='stack'>
        {account.owner.value === null
          ? <AccountPrompt what='your positions, orders and fills' />
          : <TabContent tab={tab} {...options} />}
      </div>
    </section>
  )
}

function countsOf(state: AccountState | null, { fills, orders, cash }: AccountLists): Readonly<Record<Tab, string | null>> {
  return {
    Positions: countText(state?.positions), Orders: countText(state?.orders), Fills: countOfPages(fills), 'Order history': countOfPages(orders),
    Cash: countOfPages(cash),
  }
}

function TabContent({ tab, market, lists, sender }: AccountTabsOptions & { readonly tab: Tab }): ComponentChildren {
  const { account } = useParts()
  const paused = pauseText(market.condition)
  switch (tab) {
    case 'Positions': return (
      <>
        {paused !== null && <p class='note problem'>{paused}</p>}
        <Positions market={market} sender={sender} fills={lists.fills.rows.value} />
        <ReadNote resource={account.state} />
      </>
    )
    case 'Orders': return <><Orders market={market} sender={sender} /><ReadNote resource={account.state} /></>
    case 'Fills': return <Fills fills={lists.fills} />
    case 'Order history': return <OrderHistory orders={lists.orders} />
    case 'Cash': return <Cash movements={lists.cash} />
  }
}
