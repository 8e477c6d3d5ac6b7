// The page's frame: header with navigation, the bar of status and notices, and the page that the URL names.

import type { ReadonlySignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { KeysPage } from './pages/keys.tsx'
import { LeadersPage } from './pages/leaders.tsx'
import { MarketsPage } from './pages/markets.tsx'
import { NotFoundPage } from './pages/not-found.tsx'
import { PositionsPage } from './pages/positions.tsx'
import { SystemPage } from './pages/system.tsx'
import { PortfolioPage } from './portfolio/portfolio-page.tsx'
import { ReferralsPage } from './portfolio/referrals-page.tsx'
import { TraderPage } from './portfolio/trader-page.tsx'
import { PoolPage } from './pools/pool-page.tsx'
import { VaultsPage } from './pools/vaults-page.tsx'
import type { Route } from './router.ts'
import { StatusLine } from './status.tsx'
import { switchToNextTheme, theme } from './theme.ts'
import { TradePage } from './trade/trade-page.tsx'
import { ActivityButton } from './ui/activity-panel.tsx'
import { Navigation } from './ui/navigation.tsx'
import type { NavigationEntry } from './ui/navigation.tsx'
import { Notices } from './ui/notices.tsx'
import { Shortcuts } from './ui/shortcuts.tsx'
import { AccountMenu } from './wallet/account-menu.tsx'

interface PageProps {
  /** The segments of the URL's fragment after the page's name. */
  readonly path: readonly string[]
}

interface PageEntry extends NavigationEntry {
  readonly Page: ComponentType<PageProps>
  /** Reached by links to one of its subjects only. */
  readonly isHidden?: true
}

const TRADE: PageEntry = { name: 'trade', title: 'Trade', isMain: true, Page: TradePage }
const PAGES: readonly PageEntry[] = [
  TRADE,
  { name: 'markets', title: 'Markets', isMain: true, Page: MarketsPage },
  { name: 'positions', title: 'All positions', Page: PositionsPage },
  { name: 'portfolio', title: 'Portfolio', isMain: true, Page: PortfolioPage },
  { name: 'leaders', title: 'Leaders', Page: LeadersPage },
  { name: 'vaults', title: 'Vaults', isMain: true, Page: VaultsPage },
  { name: 'pool', title: 'Pool', Page: PoolPage },
  { name: 'trader', title: 'Trader', isHidden: true, Page: TraderPage },
  { name: 'referrals', title: 'Referrals', Page: ReferralsPage },
  { name: 'keys', title: 'API keys', Page: KeysPage },
  { name: 'system', title: 'System', Page: SystemPage },
]

/** The pages of the navigation. */
const LINKED = PAGES.filter(({ isHidden }) => isHidden !== true)

export function App({ route }: { readonly route: ReadonlySignal<Route> }) {
  const { page, path } = route.value
  const found = page === '' ? TRADE : PAGES.find((each) => each.name === page)
  const { name, title } = found ?? { name: page, title: 'Page not found' }
  const main = useRef<HTMLElement>(null)
  const shown = useRef<string | null>(null)
  useEffect(() => {
    // The trade screen shows its price in the title.
    if (name !== TRADE.name) document.title = `${title} · Perpetual exchange`
    // Keyboard and screen reader users continue at the start of the new page.
    if (shown.current !== null && shown.current !== name) (main.current?.querySelector<HTMLElement>('h1') ?? main.current)?.focus()
    shown.current = name
  }, [name, title])
  return (
    <>
      <header class='top'>
        <p class='brand'>Perpetual exchange <span class='tag'>test funds</span></p>
        <Navigation entries={LINKED} current={name} />
        <div class='tools'>
          <AccountMenu />
          <ActivityButton />
          <Shortcuts />
          <button type='button' class='quiet theme' aria-label={`Theme: ${theme.value}`} title={`Theme: ${theme.value}`} onClick={switchToNextTheme}>◐</button>
        </div>
      </header>
      <div class='bar'>
        <StatusLine />
        <Notices />
      </div>
      <main id='main' tabIndex={-1} ref={main}>{found === undefined ? <NotFoundPage name={page} /> : <found.Page key={name} path={path} />}</main>
    </>
  )
}
