// The documents in a browser: the interactive reference and the guides, under a content policy without exceptions.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import manifest from '../../package.json' with { type: 'json' }
import { createBareGateway } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'
import { skipWithoutChromium, startBrowser } from '../support/browser.ts'

const skip = skipWithoutChromium()
const PHONE = { width: 390, height: 844 }
const TIMEOUT_MS = 90_000

let bare: BareGateway
let browser: Browser
let url: string
before(async () => {
  if (skip !== false) return
  bare = await createBareGateway()
  url = await bare.gateway.app.listen({ host: '127.0.0.1', port: 0 })
  browser = await startBrowser()
})
after(async () => {
  await browser?.close()
  await bare?.[Symbol.asyncDispose]()
})

async function open(path: string): Promise<{ readonly page: Page; readonly errors: readonly string[] }> {
  const page = await (await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })).newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(`${url}${path}`)
  return { page, errors }
}

test('the reference has this project\'s name, mark and version, and fills in what an operation requires', { skip }, async () => {
  const { page, errors } = await open('/docs')
  const bar = page.getByRole('banner')
  const name = await bar.getByRole('link', { name: 'Perpetual Exchange Gateway' }).innerText()
  assert.equal(name.replaceAll(/\s+/g, ' '), `Perpetual Exchange Gateway ${manifest.version}`)
  assert.ok(await page.evaluate("document.querySelector('.gateway-bar img').naturalWidth > 0"), 'the mark is drawn')
  for (const [id, parameter, value] of [['candles-listCandles', 'asset', 'BTC'], ['leaderboard-getLeaderRank', 'trader', /^G[A-Z2-7]{55}$/]] as const) {
    const operation = page.locator(`#operations-${id}`)
    await operation.locator('.opblock-summary').click()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    const input = operation.locator(`tr[data-param-name="${parameter}"] input`)
    await input.waitFor()
    assert.match(await input.inputValue(), new RegExp(value))
  }
  assert.equal(await page.locator('link[rel=icon]').getAttribute('href').then((href) => href?.endsWith('/mark.svg')), true)
  assert.deepEqual(errors, [])
})

test('a guide has a side bar, a search, copy buttons and colors, and fits a phone', { skip }, async () => {
  const { page, errors } = await open('/docs/guides/first-order')
  const side = page.getByRole('complementary')
  assert.equal(await side.locator('[aria-current=page]').count(), 1)
  await page.getByRole('searchbox', { name: 'Search the guides' }).fill('slippage')
  await page.getByRole('status').getByText(/^\d+ sections?$/).waitFor()
  await page.getByRole('searchbox').fill('first order')
  await side.locator('#results a').first().click()
  await page.waitForURL(/\/docs\/guides\/.*#/)
  await page.goto(`${url}/docs/guides/first-order`)
  const block = page.locator('.code').first()
  await block.getByRole('button', { name: 'Copy' }).click()
  await block.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), (await block.locator('code').textContent())?.replace(/\n$/, ''))
  const colors = await page.evaluate<number>('new Set([...document.querySelectorAll(".code span")].map((span) => getComputedStyle(span).color)).size')
  assert.ok(colors >= 3, `${colors} colors`)
  await page.setViewportSize(PHONE)
  for (const path of ['/docs/guides', '/docs/guides/first-order', '/docs/guides/glossary', '/docs/guides/websocket']) {
    await page.goto(`${url}${path}`)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0, path)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  assert.deepEqual(errors, [])
})
