// The console on a stage: the program as its user starts it, its local network, and a browser that notes everything that goes wrong on a page.

import assert from 'node:assert/strict'
import { Keypair } from '@stellar/stellar-sdk'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createClient } from '../../client/src/client.ts'
import { secretSigner } from '../../client/src/signer.ts'
import { startBrowser } from './browser.ts'
import { startMain } from './main-process.ts'
import type { MainProcess } from './main-process.ts'
import { temporaryFolder } from './store-child.ts'
import { ONE } from './traders.ts'

/** A slow machine is no finding; a page that waits for what never comes is. */
const PATIENCE_MS = 90_000

export interface OpenedPage {
  readonly page: Page
  /** Whose calls its own are counted with. */
  readonly address: string
  /** What the browser complained about: errors, and whatever the page's policy refused. */
  readonly complaints: readonly string[]
}

export interface ConsoleStage extends AsyncDisposable {
  readonly main: MainProcess
  readonly url: string
  /** A page of its own browser profile and its own address, at this place of the console. */
  open(place: string, how?: { readonly prepare?: (page: Page) => Promise<unknown> }): Promise<OpenedPage>
  /** Somebody who is not on a page opens a position, and closes it again. */
  tradeElsewhere(asset: string): Promise<{ readonly trader: string }>
  /**
   * Everybody rests but the publisher of prices, who holds this one: what happens between a simulation and its ledger may make a trade fail, also a profit
   * that turns into a loss.
   */
  rest(asset: string): Promise<void>
  /** One of the local network's extra methods. */
  cheat(method: string, params?: object): Promise<unknown>
}

export async function createConsoleStage(environment: Readonly<Record<string, string>> = {}): Promise<ConsoleStage> {
  await using building = new AsyncDisposableStack()
  const folder = building.use(await temporaryFolder())
  const main = building.use(startMain({
    // Each page comes from an address of its own, so that none uses up the calls of another.
    DATA_DIR: folder.path, LOG_LEVEL: 'warn', LOCAL_SEED: 'console', POLL_INTERVAL_MS: '500', TRUST_PROXY: 'true', ...environment,
  }))
  const browser: Browser = await startBrowser()
  building.defer(() => browser.close())
  const url = await main.url()
  const rpcUrl = /http:\S+/.exec(await main.waitForLine(/^ *Network /))?.[0] ?? ''
  await main.waitForLine(/^Indexer in sync/)
  let pages = 0
  async function cheat(method: string, params: object = {}): Promise<unknown> {
    const answer = await fetch(rpcUrl, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await answer.json()) as { readonly result?: unknown; readonly error?: unknown }
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`)
    return result
  }
  async function rest(asset: string): Promise<void> {
    const { price } = await main.get<{ readonly price: string }>(`/v1/markets/${asset}/price`)
    await cheat('local_setPrice', { asset, price })
    await cheat('local_actors', { traders: false, keeper: false })
    // What they have sent already is on the ledger then.
    await cheat('local_closeLedger', { count: 2 })
  }
  const owned = building.move()

  return {
    main, url,
    async open(place, { prepare } = {}) {
      const address = `10.0.0.${++pages}`
      const context: BrowserContext = await browser.newContext({
        viewport: { width: 1_280, height: 900 }, colorScheme: 'light', extraHTTPHeaders: { 'x-forwarded-for': address }, reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      const complaints: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(String(error)))
      await prepare?.(page)
      await page.goto(`${url}/${place}`)
      return { page, address, complaints }
    },
    async tradeElsewhere(asset) {
      const signer = await secretSigner(Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret())
      await cheat('local_fund', { address: signer.address, usdc: String(1_000n * ONE) })
      const client = createClient({ url, signer })
      await client.login()
      await rest(asset)
      const { positionId } = await client.trade({ op: 'open_position', asset, collateral: String(20n * ONE), leverage: 2, direction: 'Long' })
      await client.trade({ op: 'close_position', positionId: positionId ?? 0 })
      await cheat('local_actors', { traders: true, keeper: true })
      await cheat('local_releasePrice')
      return { trader: signer.address }
    },
    cheat,
    rest,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Waits until the page's own script finds it so. The page's policy forbids it to run texts; the browser's door for tests does. */
export async function until(page: Page, expression: string): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const end = performance.now() + ${PATIENCE_MS}
    const look = () => {
      if (${expression}) resolve()
      else if (performance.now() > end) reject(new Error(${JSON.stringify(`not so: ${expression}`)}))
      else requestAnimationFrame(look)
    }
    look()
  })`)
}

/** Makes a throw-away wallet and gets a key for it, as a person does; returns the key as it is shown. */
export async function becomeTrader(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Wallet and keys', exact: true }).first().click()
  await page.getByRole('button', { name: 'Make a throw-away wallet' }).click()
  await page.getByLabel('Label, for your own eyes').fill('a test')
  await page.getByRole('button', { name: 'Get an API key' }).click()
  return page.locator('#secret').innerText()
}

/** Fills in the form of an operation: lists by their value, everything else by its text. */
export async function fillOperation(page: Page, op: string, values: Readonly<Record<string, string>>): Promise<void> {
  await page.locator('#op').selectOption(op)
  for (const [name, value] of Object.entries(values)) {
    const control = page.locator(`form #${name}`)
    if (await control.evaluate((element) => element.nodeName) === 'SELECT') await control.selectOption(value)
    else await control.fill(value)
  }
}

/** Prepares what the form says, and waits for the dialog. */
export async function prepare(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Prepare and review' }).click()
  return page.getByRole('dialog').innerText()
}

/** Signs what the dialog shows, and waits until it is done. */
export async function sign(page: Page, done: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign and submit' }).click()
  await page.locator('#outcome').getByText(`${done}: done in ledger`).waitFor()
}
