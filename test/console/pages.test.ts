// The console in a browser, connected to a running exchange: content, staleness and accessibility.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type axeCore from 'axe-core'
import type { Page } from 'playwright-core'
import { skipWithoutChromium } from '../support/browser.ts'
import { createConsoleFixture, goTo, setUpTrader, waitUntil } from './console-fixture.ts'
import type { ConsoleFixture } from './console-fixture.ts'
import { SIZES } from './display.ts'

const skip = skipWithoutChromium()
const AXE = fileURLToPath(import.meta.resolve('axe-core'))
const PATHS = [
  '#/trade/BTC', '#/portfolio', '#/trader', '#/referrals', '#/markets', '#/positions', '#/leaders', '#/vaults', '#/vaults/0', '#/pool', '#/keys', '#/system',
]
const SMALL_PHONE = { width: 360, height: 740 }
const { 390: PHONE, 1440: DESKTOP } = SIZES

let fixture: ConsoleFixture
before(async () => {
  if (skip === false) fixture = await createConsoleFixture({}, '1440-dark')
})
after(() => fixture?.[Symbol.asyncDispose]())

/** The number of markets of this deployment. */
const marketCount = async (): Promise<number> => (await fixture.main.get<{ readonly markets: readonly unknown[] }>('/v1/markets')).markets.length

test('updates prices, draws the chart and shows new trades', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/trade/BTC')
  const price = page.locator('[data-price]')
  await price.getByText(/^[\d,.]+$/).waitFor()
  const firstPrice = await price.innerText()
  await waitUntil(page, `document.querySelector("[data-price]").textContent !== ${JSON.stringify(firstPrice)}`)
  await waitUntil(page, 'Number(document.querySelector(".chart").dataset.candles) > 0')
  // A canvas with candles has several colors; an empty one has few.
  await waitUntil(page, `[...document.querySelectorAll('.chart canvas')].filter(({ width, height }) => width * height > 0).some((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const colors = new Set()
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0) colors.add(data[at] + ',' + data[at + 1] + ',' + data[at + 2])
    return colors.size > 5
  })`)
  assert.match(await page.locator('.chart').getAttribute('aria-label') ?? '', /Candlestick chart of BTC: \d+ candles of 1m, the last at \d/)
  await page.getByText('Newest candles as a table').click()
  await page.getByRole('region', { name: 'Newest candles' }).getByRole('row').nth(1).waitFor()
  const { trader } = await fixture.tradeAsOther('BTC')
  const trades = page.getByRole('region', { name: 'Latest trades' }).getByRole('row').filter({ hasText: trader })
  await trades.nth(1).waitFor()
  assert.deepEqual((await trades.allInnerTexts()).map((text) => /Open|Close|Liquidation/.exec(text)?.[0]), ['Close', 'Open'])
  assert.match(await page.title(), /^[\d,.]+ BTC · /)
  // The key / opens the search over all markets.
  await page.keyboard.press('/')
  await page.getByLabel('Search markets').fill('ether')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Trade ETH' }).waitFor()
  await waitUntil(page, 'Number(document.querySelector(".chart").dataset.candles) > 0')
  await goTo(page, 'Markets')
  const rows = page.getByRole('region', { name: /^Markets/ }).getByRole('row')
  const count = await marketCount()
  await rows.nth(count).waitFor()
  assert.equal(await rows.count(), count + 1, 'a row of headers and one per market')
  await rows.getByRole('link', { name: 'SOL', exact: true }).click()
  await page.getByRole('heading', { name: 'Trade SOL' }).waitFor()
  assert.deepEqual(browserErrors, [])
})

test('shows the positions, leaders, vaults and health that the API returns', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/positions')
  const { positions } = await fixture.main.get<{ positions: { positionId: number }[] }>('/v1/positions/open')
  const rows = page.getByRole('region', { name: /^Open positions/ })
  await rows.getByRole('rowheader', { name: String(positions.at(-1)?.positionId), exact: true }).waitFor()
  await goTo(page, 'Leaders')
  const { leaders } = await fixture.main.get<{ leaders: { trader: string }[] }>('/v1/leaderboard')
  await page.getByRole('region', { name: /^Traders/ }).getByText(leaders[0]?.trader ?? '', { exact: true }).waitFor()
  await goTo(page, 'Vaults')
  await page.getByRole('link', { name: 'Northern Light' }).click()
  await page.getByRole('heading', { name: 'Northern Light' }).waitFor()
  await page.getByRole('region', { name: /^Trades of the vault/ }).getByRole('row').nth(1).waitFor()
  await goTo(page, 'Pool')
  await waitUntil(page, 'Number(document.querySelector("[data-points]")?.dataset.points) > 0')
  await goTo(page, 'System')
  const { contracts } = await fixture.main.get<{ contracts: { market: { address: string } } }>('/v1/health')
  await page.getByText(contracts.market.address, { exact: true }).waitFor()
  await page.locator('[data-status=index][data-state=fresh]').waitFor()
  assert.match(await page.locator('[data-calls]').innerText(), /\d+ this minute/)
  await page.goto(`${fixture.url}/#/nowhere`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  assert.deepEqual(browserErrors, [])
})

/** With the rule of speech control, which is experimental and off by default: what is read as a name contains what is seen. */
const ALL_RULES = 'axe.run({ rules: { "label-content-name-mismatch": { enabled: true } } })'
/** Everything once in each size; the other theme differs in its colors only. */
const AXE_RUNS = [
  [DESKTOP, 'dark', ALL_RULES], [DESKTOP, 'light', 'axe.run({ runOnly: ["color-contrast"] })'],
  [PHONE, 'light', ALL_RULES], [PHONE, 'dark', 'axe.run({ runOnly: ["color-contrast"] })'],
] as const

test('no page has axe violations in both themes, at 1440 and 390 pixels, and none is wider than a tablet or the smallest phone', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('')
  await page.getByRole('heading', { level: 1 }).waitFor()
  // The debugging interface is exempt from the content security policy, which blocks this script.
  await page.evaluate(`${readFileSync(AXE, 'utf8')}; undefined`)
  const problems: string[] = []
  async function check(what: string, runs: readonly (typeof AXE_RUNS)[number][]): Promise<void> {
    for (const [viewport, colorScheme, run] of runs) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await waitUntil(page, `document.documentElement.dataset.theme === '${colorScheme}'`)
      const { violations } = await page.evaluate<axeCore.AxeResults>(run)
      for (const { id, nodes } of violations) problems.push(`${what} ${viewport.width} ${colorScheme}: ${id} at ${nodes.map(({ html }) => html).join(' | ')}`)
    }
    for (const viewport of [SIZES[1024], SMALL_PHONE]) {
      await page.setViewportSize(viewport)
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      if (overflow > 0) problems.push(`${what}: ${overflow} pixels wider than ${viewport.width}`)
    }
  }
  for (const path of PATHS) {
    await page.goto(`${fixture.url}/${path}`)
    await waitUntil(page, '![...document.querySelectorAll("main .note")].some((note) => note.textContent.endsWith("loading…"))')
    await check(path, AXE_RUNS)
  }
  await setUpTrader(page)
  await page.goto(`${fixture.url}/#/trade/BTC`)
  await page.getByRole('tab', { name: 'Positions 0' }).waitFor()
  await check('with an account', [AXE_RUNS[0], AXE_RUNS[2]])
  await page.getByRole('button', { name: 'More' }).click()
  await check('the menu', [AXE_RUNS[2]])
  await page.getByRole('button', { name: 'Activity' }).click()
  await check('the activity', [AXE_RUNS[2]])
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await check('the search', [AXE_RUNS[2]])
  assert.deepEqual(problems, [])
  assert.deepEqual(browserErrors, [])
})

test('on a phone the pages are at the bottom, rows are cards, and the sides and the liquidation price stay in view', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/trade/BTC')
  await page.setViewportSize(PHONE)
  await page.getByRole('heading', { name: 'Trade BTC' }).waitFor()
  const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.textContent')
  const isInView = (selector: string): Promise<boolean> => page.evaluate<boolean>(`(() => {
    const { top, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })()`)
  for (const position of [0, 100_000]) {
    await page.evaluate(`scrollTo(0, ${position})`)
    for (const selector of ['.sides .long', '.sides .short', '.sides .liquidation', 'nav .more']) {
      assert.ok(await isInView(selector), `${selector} at ${position}`)
    }
  }
  await page.getByRole('button', { name: 'Short', exact: true }).click()
  assert.ok(await isInView('.ticket [aria-label="Order type"]'), 'the ticket comes into view with its side')
  assert.equal(await page.getByRole('button', { name: 'Short', exact: true }).getAttribute('aria-pressed'), 'true')
  const more = page.getByRole('button', { name: 'More' })
  await more.click()
  await page.getByRole('link', { name: 'Leaders' }).waitFor()
  await page.getByRole('link', { name: 'Leaders' }).focus()
  await page.keyboard.press('Escape')
  await waitUntil(page, 'document.activeElement.textContent === "More"')
  assert.equal(await page.getByRole('link', { name: 'Leaders' }).isVisible(), false)
  await more.click()
  await page.getByRole('link', { name: 'All positions' }).click()
  await waitUntil(page, 'document.activeElement.tagName === "H1"')
  assert.equal(await focused(), 'All positions')
  const table = page.getByRole('region', { name: /^Open positions/ })
  await table.getByRole('rowheader').first().waitFor()
  assert.ok(await table.getByRole('columnheader', { name: 'Entry' }).count() > 0, 'a card\'s values keep their column headers')
  assert.equal(await page.evaluate('(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".scroll"))'), 0)
  // The focus of what disappears goes to what is around it.
  await page.evaluate(`document.querySelector('main a').focus(); document.activeElement.closest('tr').remove()`)
  await waitUntil(page, 'document.activeElement.getAttribute("role") === "region"')
  const small = await page.evaluate<string[]>(`[...document.querySelectorAll('button, nav a')].filter((element) => element.checkVisibility())
    .filter((element) => element.getBoundingClientRect().height < 24).map(({ textContent }) => textContent)`)
  assert.deepEqual(small, [])
  assert.deepEqual(browserErrors, [])
})

test('works by keyboard alone, and moves the focus to the heading of a new page', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/trade/BTC')
  await page.getByRole('heading', { name: 'Trade BTC' }).waitFor()
  const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.textContent')
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Skip to main content')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate('document.activeElement.id'), 'main')
  for (let presses = 0; await focused() !== 'Markets'; presses++) {
    assert.ok(presses < 20, 'Tab does not reach the Markets link')
    await page.keyboard.press('Shift+Tab')
  }
  await page.keyboard.press('Enter')
  await waitUntil(page, 'document.activeElement.tagName === "H1"')
  assert.equal(await focused(), 'Markets')
  assert.match(await page.title(), /^Markets/)
  await page.goto(`${fixture.url}/#/trade/BTC`)
  await page.getByRole('heading', { name: 'Trade BTC' }).waitFor()
  for (let presses = 0; await focused() !== 'Short'; presses++) {
    assert.ok(presses < 60, 'Tab does not reach the order ticket')
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  assert.equal(await page.getByRole('button', { name: 'Short', exact: true }).getAttribute('aria-pressed'), 'true')
  // More stops once the price and the limits are known: suggested exits, and the slider of the leverage.
  for (let presses = 0; await focused() !== 'Review'; presses++) {
    assert.ok(presses < 60, 'Tab does not reach the button')
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  // The first invalid field gets the focus.
  await waitUntil(page, 'document.activeElement.getAttribute("aria-invalid") === "true"')
  assert.equal(await page.evaluate('document.activeElement.labels[0].textContent'), 'Amount')
  assert.deepEqual(browserErrors, [])
})

test('the theme follows the system, is dark without a preference, and the choice of the user is remembered', { skip }, async () => {
  // A browser that reports no preference: the media feature matches neither value.
  const unknown = await fixture.open('#/system', { prepare: (fresh) => fresh.addInitScript('window.matchMedia = () => new EventTarget()') })
  const backgroundOf = (opened: Page): Promise<string> => opened.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  await unknown.page.getByRole('heading', { name: 'System' }).waitFor()
  const { page } = await fixture.open('#/system')
  const background = (): Promise<string> => backgroundOf(page)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.getByRole('button', { name: 'Theme: system' }).waitFor()
  await waitUntil(page, 'document.documentElement.dataset.theme === "light"')
  const light = await background()
  const dark = await backgroundOf(unknown.page)
  assert.notEqual(dark, light)
  await page.emulateMedia({ colorScheme: 'dark' })
  await waitUntil(page, 'document.documentElement.dataset.theme === "dark"')
  assert.equal(await background(), dark)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).click()
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  assert.equal(await background(), dark)
  await page.reload()
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  assert.equal(await background(), dark)
})

test('the system page shows the latest corrections with what differed', { skip }, async () => {
  const { page } = await fixture.open('#/system')
  await page.getByText('Nothing was corrected: the index agrees with the ledger.').waitFor()
  const row = { seq: 9, kind: 'changed', positionId: 4, vaultId: null, eventId: null, asset: 'BTC', ledger: 77, correctedAt: 1_783_339_202_481 }
  const corrections = [{ ...row, before: { size: '17', trader: 'G' }, after: { size: '10', trader: 'G' } }]
  await page.route('**/v1/corrections?*', (route) => route.fulfill({ json: { corrections, hasMore: false, nextCursor: null } }))
  await page.reload()
  const cells = page.getByRole('table', { name: 'Latest corrections of the index' }).getByRole('cell')
  await cells.first().waitFor()
  assert.deepEqual(await cells.allTextContents(), ['Position changed 4 (BTC)', 'size: 17', 'size: 10', '77'])
})

test('reports a reached rate limit and the time until the retry', { skip }, async () => {
  const { page, address } = await fixture.open('#/leaders')
  await page.getByRole('region', { name: /^Traders/ }).getByRole('rowheader').first().waitFor()
  // The limit ends with the wall-clock minute: enough of it has to be left for the page to show that it waits.
  const isReached = async (): Promise<boolean> => {
    const { status, headers } = await fetch(`${fixture.url}/v1/oracle/prices`, { headers: { 'x-forwarded-for': address } })
    return status === 429 && Number(headers.get('retry-after')) >= 15
  }
  while (!await isReached()) { /* The next call is counted too. */ }
  await page.getByRole('button', { name: 'Volume' }).last().click()
  await page.getByText(/rate limit reached \(429\)\. Retrying in \d+ s\./).waitFor()
})

test('marks prices as stale while the node is unreachable, and recovers', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/trade/BTC')
  await page.locator('[data-status=prices][data-state=fresh]').waitFor()
  const review = page.getByRole('button', { name: 'Review' })
  await review.focus()
  const count = await marketCount()
  await fixture.control('local_fault', { name: 'connection_reset', count: null })
  await page.locator('[data-status=prices][data-state=stale]').waitFor()
  await page.locator('[data-status=prices]', { hasText: `${count} of ${count} stale` }).waitFor()
  await page.locator('[data-price].stale').waitFor()
  await page.getByText(/^Stale: attested \d+ s ago$/).waitFor()
  // On a slow machine the index may have become stale too.
  await page.locator('#announcements', { hasText: /^Stale: .*Prices/ }).waitFor({ state: 'attached' })
  // What it affects cannot be used, and says why.
  await page.getByText('The price of BTC is stale. The exchange opens nothing until a new price arrives.').waitFor()
  assert.equal(await review.isDisabled(), true)
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Review', 'a button that cannot be used keeps the focus')
  await fixture.control('local_clearFaults')
  await page.locator('[data-status=prices][data-state=fresh]').waitFor()
  await page.locator('[data-price]:not(.stale)').waitFor()
  // The browser logs each request that the gateway cannot answer without a node.
  assert.deepEqual(browserErrors.filter((error) => !/status of 50[23] .* \/v1\//.test(error)), [])
})
