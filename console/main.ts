// The console's entry point: routing between pages, and loading the markets. It accesses the gateway only through the published client.

import { after } from './clock.ts'
import { el, pageElement, setText } from './dom.ts'
import { createFeed } from './feed.ts'
import type { Page, PageParts } from './page.ts'
import { createKeysPage } from './pages/keys.ts'
import { createLeadersPage } from './pages/leaders.ts'
import { createMarketsPage } from './pages/markets.ts'
import { createPositionsPage } from './pages/positions.ts'
import { createSystemPage } from './pages/system.ts'
import { createTradePage } from './pages/trade.ts'
import { createVaultsPage } from './pages/vaults.ts'
import { reasonOf, retryAfterSec } from './problems.ts'
import { createSession } from './session.ts'
import { readSettings } from './settings.ts'
import { createStatusLine } from './status.ts'
import { createThemeSwitch } from './theme.ts'

interface PageEntry {
  readonly name: string
  readonly title: string
  readonly create: (parts: PageParts) => Page
}

const PAGES: readonly PageEntry[] = [
  { name: 'markets', title: 'Markets', create: createMarketsPage },
  { name: 'positions', title: 'Positions', create: createPositionsPage },
  { name: 'leaders', title: 'Leaders', create: createLeadersPage },
  { name: 'vaults', title: 'Vaults', create: createVaultsPage },
  { name: 'trade', title: 'Trade', create: createTradePage },
  { name: 'keys', title: 'Wallet and keys', create: createKeysPage },
  { name: 'system', title: 'System', create: createSystemPage },
]
const RETRY_SEC = 10

const settings = readSettings()
const session = await createSession(settings)
const feed = createFeed(session.client())
const markets = new Map<string, string>()
const parts: PageParts = { feed, session, settings, markets: () => markets }
const pages = new Map<string, Page>()
let currentPage: Page | null = null

function route(isFirst: boolean): void {
  const [pageName = '', ...path] = location.hash.replace(/^#\/?/, '').split('/').map(decodeSegment)
  const entry = PAGES.find(({ name }) => name === pageName) ?? PAGES[0]
  if (entry === undefined) return
  const page = pages.get(entry.name) ?? entry.create(parts)
  pages.set(entry.name, page)
  if (currentPage !== page) {
    currentPage?.hide()
    pageElement('main').replaceChildren(page.element)
  }
  page.show(path)
  document.title = `${page.title} · Perpetual exchange`
  for (const link of pageElement('pages').querySelectorAll('a')) {
    if (link.dataset['page'] === entry.name) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  // Keyboard and screen reader users continue at the start of the new page.
  if (!isFirst && currentPage !== page) page.element.querySelector<HTMLElement>('h1')?.focus()
  currentPage = page
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** Loads the markets, then shows the first page. Retries until it succeeds. */
async function loadMarkets(): Promise<void> {
  try {
    // Unlike GET /v1/markets, this also lists markets whose price was never read.
    const { body } = await session.client().udfSearch()
    for (const { symbol, description } of body) markets.set(symbol, description)
    feed.subscribe([...markets.keys()])
    route(true)
  } catch (error) {
    const waitSec = retryAfterSec(error) ?? RETRY_SEC
    const text = `Could not load the markets: ${reasonOf(error)}. Retrying in ${waitSec} s.`
    if (currentPage === null) pageElement('main').replaceChildren(el('h1', {}, 'Perpetual exchange'), el('p', { class: 'note problem' }, text))
    after(waitSec * 1000, () => void loadMarkets())
  }
}

setText(pageElement('main'), 'Loading…')
pageElement('pages').append(...PAGES.map(({ name, title }) => el('li', {}, el('a', { href: `#/${name}`, 'data-page': name }, title))))
pageElement('tools').append(createThemeSwitch())
createStatusLine({ feed, session })
// The URL fragment names the page, so this link must not change it.
document.querySelector('.skip')?.addEventListener('click', (event) => {
  event.preventDefault()
  pageElement('main').focus()
})
addEventListener('hashchange', () => {
  if (markets.size > 0) route(false)
})
await loadMarkets()
