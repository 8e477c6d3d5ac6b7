// The console's entry point: loads the markets and shows the page. It accesses the gateway only through the published client.

import { render } from 'preact'
import { App } from './app.tsx'
import { after } from './clock.ts'
import { createFeed } from './feed.ts'
import { keepFocus } from './focus.ts'
import { pageElement } from './page-elements.ts'
import { PartsContext } from './parts.ts'
import type { PageParts } from './parts.ts'
import { reasonOf, retryAfterSec } from './problems.ts'
import { createRouter } from './router.ts'
import { createSession } from './session.ts'
import { readSettings } from './settings.ts'
import { createAccount } from './state/account.ts'
import { createActivity } from './state/activity.ts'
import { PageSkeleton } from './ui/skeleton.tsx'
import { createWallets } from './wallet/wallets.ts'

const RETRY_SEC = 10

const settings = readSettings()
const session = await createSession(settings)
const wallets = createWallets({ session, settings })
const feed = createFeed(session.client())
const markets = new Map<string, string>()
const account = createAccount({ feed, session })
const activity = createActivity({ feed, session, account })
const parts: PageParts = { feed, session, settings, wallets, account, activity, markets: () => markets }

/** Loads the markets, then shows the page. Retries until it succeeds. */
async function loadMarkets(): Promise<void> {
  try {
    // Unlike GET /v1/markets, this also lists markets whose price was never read.
    const { body } = await session.client().udfSearch()
    for (const { symbol, description } of body) markets.set(symbol, description)
    feed.subscribe([...markets.keys()])
    render(<PartsContext.Provider value={parts}><App route={createRouter()} /></PartsContext.Provider>, pageElement('app'))
  } catch (error) {
    const waitSec = retryAfterSec(error) ?? RETRY_SEC
    const text = `Could not load the markets: ${reasonOf(error)}. Retrying in ${waitSec} s.`
    render(<><h1>Perpetual exchange</h1><p class='note problem'>{text}</p></>, pageElement('main'))
    after(waitSec * 1000, () => void loadMarkets())
  }
}

render(<PageSkeleton isTrade={/^(?:#\/(?:trade.*)?)?$/.test(location.hash)} />, pageElement('main'))
keepFocus(document.body)
// The URL fragment names the page, so this link must not change it.
document.querySelector('.skip')?.addEventListener('click', (event) => {
  event.preventDefault()
  pageElement('main').focus()
})
await loadMarkets()
