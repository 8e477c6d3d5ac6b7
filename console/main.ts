// The console: what the page begins with. It knows the gateway by the published client alone, and shows nothing that a program of yours could not read.

import { later } from './clock.ts'
import { el, find, write } from './dom.ts'
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
import { createStatus } from './status.ts'
import { createThemeSwitch } from './theme.ts'

interface Entry {
  readonly name: string
  readonly title: string
  readonly create: (parts: PageParts) => Page
}

const PAGES: readonly Entry[] = [
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
let open: Page | null = null

function route(isFirst: boolean): void {
  const [wanted = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(decoded)
  const entry = PAGES.find(({ name }) => name === wanted) ?? PAGES[0]
  if (entry === undefined) return
  const page = pages.get(entry.name) ?? entry.create(parts)
  pages.set(entry.name, page)
  if (open !== page) {
    open?.hide()
    find('main').replaceChildren(page.element)
  }
  page.show(rest)
  document.title = `${page.title} · Perpetual exchange`
  for (const link of find('pages').querySelectorAll('a')) {
    if (link.dataset['page'] === entry.name) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  // Whoever follows a link by keyboard, or hears the page, goes on at the new page's beginning.
  if (!isFirst && open !== page) page.element.querySelector<HTMLElement>('h1')?.focus()
  open = page
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** The names of the markets, which everything else goes by: asked for until they are told. */
async function readMarkets(): Promise<void> {
  try {
    // The list of markets leaves out one whose price was never read; this one names them all.
    const { body } = await session.client().udfSearch()
    for (const { symbol, description } of body) markets.set(symbol, description)
    feed.listen([...markets.keys()])
    route(true)
  } catch (error) {
    const waitSec = retryAfterSec(error) ?? RETRY_SEC
    const text = `The markets could not be read: ${reasonOf(error)}; again in ${waitSec} s.`
    if (open === null) find('main').replaceChildren(el('h1', {}, 'Perpetual exchange'), el('p', { class: 'note problem' }, text))
    later(waitSec * 1000, () => void readMarkets())
  }
}

write(find('main'), 'Loading…')
find('pages').append(...PAGES.map(({ name, title }) => el('li', {}, el('a', { href: `#/${name}`, 'data-page': name }, title))))
find('tools').append(createThemeSwitch())
createStatus({ feed, session })
// The address' fragment names the page, so that this link goes without it.
document.querySelector('.skip')?.addEventListener('click', (event) => {
  event.preventDefault()
  find('main').focus()
})
addEventListener('hashchange', () => {
  if (markets.size > 0) route(false)
})
await readMarkets()
