// The account's tables below the chart, as tabs with counts.

import { useId, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { useParts } from '../parts.ts'
import { ReadNote } from '../ui/layout.tsx'
import { Cash, Fills, OrderHistory } from './account-lists.tsx'
import { AccountSummary } from './account-summary.tsx'
import { Orders, Positions } from './account-tables.tsx'
import type { Sender } from './send.ts'

const TABS = ['Positions', 'Orders', 'Fills', 'Order history', 'Cash'] as const
type Tab = (typeof TABS)[number]

export function AccountTabs({ sender, isGeneration2 }: { readonly sender: Sender; readonly isGeneration2: boolean }) {
  const { account } = useParts()
  const [tab, setTab] = useState<Tab>('Positions')
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const state = account.state.answer.value?.body ?? null
  const counts: Readonly<Partial<Record<Tab, number>>> = state === null ? {} : { Positions: state.positions?.length ?? 0, Orders: state.orders?.length ?? 0 }

  function onKey(event: KeyboardEvent): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? tab
    setTab(next)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[TABS.indexOf(next)]?.focus()
  }

  return (
    <section class='card stack' aria-label='Your account'>
      {state !== null && <AccountSummary state={state} sender={sender} />}
      <div class='tabs' role='tablist' aria-label='Your account' ref={list} onKeyDown={onKey}>
        {TABS.map((each) => (
          <button
            key={each} type='button' role='tab' id={`${id}-${each}`} aria-selected={each === tab} aria-controls={`${id}-panel`} tabIndex={each === tab ? 0 : -1}
            aria-label={each} onClick={() => setTab(each)}
          >
            {each}{counts[each] === undefined ? '' : <span class='count'>{counts[each]}</span>}
          </button>
        ))}
      </div>
      <div role='tabpanel' id={`${id}-panel`} aria-labelledby={`${id}-${tab}`} class='stack'>
        {account.owner.value === null
          ? <p class='note'>An API key is needed to read your account. <a href='#/keys'>Connect a wallet and get a key</a>.</p>
          : <TabContent tab={tab} sender={sender} isGeneration2={isGeneration2} />}
      </div>
    </section>
  )
}

function TabContent({ tab, sender, isGeneration2 }: { readonly tab: Tab; readonly sender: Sender; readonly isGeneration2: boolean }): ComponentChildren {
  const { account } = useParts()
  switch (tab) {
    case 'Positions': return <><Positions sender={sender} isGeneration2={isGeneration2} /><ReadNote resource={account.state} /></>
    case 'Orders': return <><Orders sender={sender} /><ReadNote resource={account.state} /></>
    case 'Fills': return <Fills />
    case 'Order history': return <OrderHistory />
    case 'Cash': return <Cash />
  }
}
