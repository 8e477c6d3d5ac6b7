// Fixture for browser tests: the program with its local network, and a browser that records every error on a page.

import assert from 'node:assert/strict'
import { afterEach } from 'node:test'
import { Keypair } from '@stellar/stellar-sdk'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { createClient } from '../../client/src/client.ts'
import { secretSigner } from '../../client/src/signer.ts'
import { startBrowser } from '../support/browser.ts'
import { startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { ONE } from '../support/traders.ts'
import { createDisplayRotation } from './display.ts'
import type { Display, DisplayName } from './display.ts'

/** Long enough for a slow machine. */
const TIMEOUT_MS = 90_000

export interface OpenedPage {
  readonly page: Page
  readonly display: Display
  /** Client address for the rate limit. */
  readonly address: string
  /** Errors and warnings in the browser's console, including violations of the content security policy; see `recordErrors`. */
  readonly browserErrors: readonly string[]
}

export interface ConsoleFixture extends AsyncDisposable {
  readonly main: MainProcess
  readonly url: string
  /** Opens a page in a new browser profile with a new client address. `prepare` runs before the page loads. */
  open(path: string, options?: { readonly prepare?: (page: Page) => Promise<unknown> }): Promise<OpenedPage>
  /** Opens and closes a position through the API with another account. */
  tradeAsOther(asset: string): Promise<{ readonly trader: string }>
  /** Stops the local traders and the keeper and fixes this price. Otherwise a change between a simulation and its ledger could make a trade fail. */
  freezeMarket(asset: string): Promise<void>
  /** Calls one of the local network's control methods. */
  control(method: string, params?: object): Promise<unknown>
}

/** The displays of the pages that the current test has opened. */
const opened = new Set<string>()
afterEach((context) => {
  if ('passed' in context && !context.passed && opened.size > 0) {
    context.diagnostic(`Displays: ${[...opened].join(', ')}. To repeat it on one: TEST_DISPLAY=${[...opened].at(-1)} npm test -- <file>`)
  }
  opened.clear()
})

/** `firstDisplay`: of the first page; the others get the next ones in turn. */
export async function createConsoleFixture(
  environment: Readonly<Record<string, string>> = {}, firstDisplay: DisplayName = '390-dark',
): Promise<ConsoleFixture> {
  await using resources = new AsyncDisposableStack()
  const folder = resources.use(await temporaryFolder())
  const main = resources.use(startMain({
    // Each page sends its own client address, so that pages do not share a rate limit.
    DATA_DIR: folder.path, LOG_LEVEL: 'warn', LOCAL_SEED: 'console', POLL_INTERVAL_MS: '500', TRUST_PROXY: 'true', ...environment,
  }))
  const browser: Browser = await startBrowser()
  resources.defer(() => browser.close())
  const url = await main.url()
  const rpcUrl = /http:\S+/.exec(await main.waitForLine(/^ *Network /))?.[0] ?? ''
  await main.waitForLine(/^Indexer in sync/)
  const nextDisplay = createDisplayRotation(firstDisplay)
  let pages = 0
  async function control(method: string, params: object = {}): Promise<unknown> {
    const response = await fetch(rpcUrl, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as { readonly result?: unknown; readonly error?: unknown }
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`)
    return result
  }
  async function freezeMarket(asset: string): Promise<void> {
    const { price } = await main.get<{ readonly price: string }>(`/v1/markets/${asset}/price`)
    await control('local_setPrice', { asset, price })
    await control('local_actors', { traders: false, keeper: false })
    // Two ledgers include what they have already sent.
    await control('local_closeLedger', { count: 2 })
  }
  const ownedResources = resources.move()

  return {
    main, url,
    async open(path, { prepare } = {}) {
      const address = `10.0.0.${++pages}`
      const display = nextDisplay()
      opened.add(display.name)
      const context: BrowserContext = await browser.newContext({
        viewport: display.viewport, colorScheme: display.colorScheme, extraHTTPHeaders: { 'x-forwarded-for': address }, reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      page.setDefaultTimeout(TIMEOUT_MS)
      const browserErrors = recordErrors(page)
      await prepare?.(page)
      await page.goto(`${url}/${path}`)
      return { page, display, address, browserErrors }
    },
    async tradeAsOther(asset) {
      const signer = await secretSigner(Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret())
      await control('local_fund', { address: signer.address, usdc: String(1_000n * ONE) })
      const client = createClient({ url, signer })
      await client.login()
      await freezeMarket(asset)
      const { positionId } = await client.trade({ op: 'open_position', asset, collateral: String(20n * ONE), leverage: 2, direction: 'Long' })
      await client.trade({ op: 'close_position', positionId: positionId ?? 0 })
      await control('local_actors', { traders: true, keeper: true })
      await control('local_releasePrice')
      return { trader: signer.address }
    },
    control,
    freezeMarket,
    [Symbol.asyncDispose]: () => ownedResources.disposeAsync(),
  }
}

/**
 * Errors and warnings of the page, except the browser's line for an API response of 503 with Retry-After or 502: a gateway on a slow machine says so when a
 * read, or the node, takes too long, and the page reads again. What the page then shows is up to the test. Documents and the console's files must not fail.
 */
function recordErrors(page: Page): readonly string[] {
  const errors: string[] = []
  /** Lines that are still to come: the response and its line arrive in any order. */
  const expected: string[] = []
  page.on('response', (response) => {
    const status = response.status()
    const isRetried = status === 502 || (status === 503 && response.headers()['retry-after'] !== undefined)
    if (!isRetried || !pathOf(response.url()).startsWith('/v1/')) return
    const line = `Failed to load resource: the server responded with a status of ${status} (${response.statusText()}) ${pathOf(response.url())}`
    if (!take(errors, line)) expected.push(line)
  })
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    const line = `${message.text()} ${pathOf(message.location().url)}`.trim()
    if (!take(expected, line)) errors.push(line)
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  return errors
}

/** Removes one of these lines; false without any. */
function take(lines: string[], line: string): boolean {
  const index = lines.indexOf(line)
  if (index !== -1) lines.splice(index, 1)
  return index !== -1
}

/** Without the origin, whose port differs between runs. */
function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : ''
}

/** Waits until a JavaScript expression is true in the page. The browser's debugging interface is exempt from the content security policy. */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const end = performance.now() + ${TIMEOUT_MS}
    const check = () => {
      if (${expression}) resolve()
      else if (performance.now() > end) reject(new Error(${JSON.stringify(`never true: ${expression}`)}))
      else requestAnimationFrame(check)
    }
    check()
  })`)
}

/** Opens a page of the navigation by its title. On a phone most pages are behind "More". */
export async function goTo(page: Page, title: string): Promise<void> {
  const navigation = page.getByRole('navigation', { name: 'Pages' })
  await navigation.getByRole('link').first().waitFor()
  const link = navigation.getByRole('link', { name: title, exact: true })
  if (!(await link.isVisible())) await navigation.getByRole('button', { name: 'More' }).click()
  await link.click()
}

/** The rows that have all of these texts. On a phone a row is a card, whose name includes the titles of its columns. */
export function rowsWith(within: Locator, ...texts: readonly (string | RegExp)[]): Locator {
  return texts.reduce((rows, hasText) => rows.filter({ hasText }), within.getByRole('row'))
}

/** Connects a funded burner wallet in the header, and signs in with it. */
export async function setUpTrader(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('dialog', { name: 'Connect a wallet' }).getByRole('button', { name: 'Burner wallet' }).click()
  await page.getByRole('button', { name: /^Account G/ }).waitFor()
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
}

/** Opens the menu of the connected account. */
export async function openAccount(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^Account G/ }).click()
  return page.getByRole('dialog', { name: 'Account' })
}

/** Chooses an order type and fills in inputs by their labels. */
export async function fillTicket(page: Page, kind: string, values: Readonly<Record<string, string>> = {}): Promise<void> {
  const ticket = page.getByRole('region', { name: 'Order ticket' })
  await ticket.getByRole('group', { name: 'Order type' }).getByRole('button', { name: kind, exact: true }).click()
  for (const [label, value] of Object.entries(values)) {
    if (label === 'Side' || label === 'Margin') await ticket.getByRole('button', { name: value, exact: true }).click()
    else if (label === 'Position') await ticket.getByLabel(label, { exact: true }).selectOption(value)
    else await ticket.getByLabel(label, { exact: true }).fill(value)
  }
}

/** Unfolds the details of the review dialog and returns its text. */
export async function readReview(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Review the transaction' })
  await dialog.getByText('Transaction details').click()
  return dialog.innerText()
}

/** Submits the order ticket and returns the text of the review dialog. */
export async function reviewTicket(page: Page): Promise<string> {
  await page.getByRole('region', { name: 'Order ticket' }).getByRole('button', { name: 'Review' }).click()
  return readReview(page)
}

/** Signs in the review dialog and waits for the outcome. */
export async function sign(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign and submit' }).click()
  await page.locator('#outcome').getByText(new RegExp(`^${title}: done in ledger`)).waitFor()
}
