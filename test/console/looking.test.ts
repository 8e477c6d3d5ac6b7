// The console in a real browser, before the running exchange: what it shows, that it says so when that is stale, and that everybody can use it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type axeCore from 'axe-core'
import { withoutChromium } from '../support/browser.ts'
import { createConsoleStage, until } from '../support/console-stage.ts'
import type { ConsoleStage } from '../support/console-stage.ts'

const skip = withoutChromium()
const AXE = fileURLToPath(import.meta.resolve('axe-core'))
const PLACES = ['#/markets/BTC', '#/positions', '#/leaders', '#/vaults', '#/trade', '#/keys', '#/system']
const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1_280, height: 900 }

let stage: ConsoleStage
before(async () => {
  if (skip === false) stage = await createConsoleStage()
})
after(() => stage?.[Symbol.asyncDispose]())

test('prices move, the chart is drawn, and a trade prints', { skip }, async () => {
  const { page, complaints } = await stage.open('#/markets/BTC')
  const price = page.locator('[data-price]')
  await price.getByText(/^[\d,.]+$/).waitFor()
  const before = await price.innerText()
  await until(page, `document.querySelector("[data-price]").textContent !== ${JSON.stringify(before)}`)
  await until(page, 'Number(document.querySelector(".chart").dataset.candles) > 0')
  // The canvas that the candles are on holds more than one colour.
  await until(page, `[...document.querySelectorAll('.chart canvas')].filter(({ width, height }) => width * height > 0).some((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const colors = new Set()
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0) colors.add(data[at] + ',' + data[at + 1] + ',' + data[at + 2])
    return colors.size > 5
  })`)
  assert.match(await page.locator('.chart').getAttribute('aria-label') ?? '', /Candlestick chart of BTC: \d+ candles of 1m, the last at \d/)
  await page.getByText('The newest candles as a table').click()
  assert.ok(await page.getByRole('region', { name: 'The newest candles' }).getByRole('row').count() >= 2)
  const { trader } = await stage.tradeElsewhere('BTC')
  const prints = page.getByRole('region', { name: 'Trades as they print' }).getByRole('row').filter({ hasText: trader })
  await prints.nth(1).waitFor()
  assert.deepEqual((await prints.allInnerTexts()).map((text) => /Open|Close|Liquidation/.exec(text)?.[0]), ['Close', 'Open'])
  assert.equal(await page.getByRole('region', { name: /^Markets/ }).getByRole('row').count(), 15)
  await page.getByLabel('Market', { exact: true }).selectOption('ETH')
  await page.getByRole('heading', { name: 'ETH Ethereum' }).waitFor()
  await until(page, 'Number(document.querySelector(".chart").dataset.candles) > 0')
  assert.deepEqual(complaints, [])
})

test('open interest, positions, leaders, vaults and health are those of the API', { skip }, async () => {
  const { page, complaints } = await stage.open('#/positions')
  const { positions } = await stage.main.get<{ positions: { positionId: number }[] }>('/v1/positions/open')
  const rows = page.getByRole('region', { name: /^Open positions/ })
  await rows.getByRole('rowheader', { name: String(positions.at(-1)?.positionId), exact: true }).waitFor()
  await page.getByRole('link', { name: 'Leaders' }).click()
  const { leaders } = await stage.main.get<{ leaders: { trader: string }[] }>('/v1/leaderboard')
  await page.getByRole('region', { name: /^Traders/ }).getByText(leaders[0]?.trader ?? '', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Vaults' }).click()
  await page.getByRole('link', { name: 'Northern Light' }).click()
  await page.getByRole('heading', { name: 'Northern Light' }).waitFor()
  await until(page, 'Number(document.querySelectorAll(".chart")[1].dataset.points) > 0')
  await page.getByRole('link', { name: 'System' }).click()
  const { contracts } = await stage.main.get<{ contracts: { market: { address: string } } }>('/v1/health')
  await page.getByText(contracts.market.address, { exact: true }).waitFor()
  await page.locator('[data-status=index][data-state=fresh]').waitFor()
  assert.match(await page.locator('[data-status=calls]').innerText(), /\d+ this minute/)
  assert.deepEqual(complaints, [])
})

test('axe finds nothing wrong with any page: light, dark, and at a phone\'s width, where nothing is wider than the screen', { skip }, async () => {
  const { page, complaints } = await stage.open('')
  await page.getByRole('heading', { level: 1 }).waitFor()
  // The page's policy keeps this script out like any other: the browser's own door for tests lets it in.
  await page.evaluate(`${readFileSync(AXE, 'utf8')}; undefined`)
  const found: string[] = []
  for (const place of PLACES) {
    await page.goto(`${stage.url}/${place}`)
    await until(page, '![...document.querySelectorAll("main .note")].some((note) => note.textContent.endsWith("reading…"))')
    for (const [viewport, colorScheme] of [[DESKTOP, 'light'], [DESKTOP, 'dark'], [PHONE, 'light']] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      const { violations } = await page.evaluate<axeCore.AxeResults>('axe.run()')
      for (const { id, nodes } of violations) found.push(`${place} ${viewport.width} ${colorScheme}: ${id} at ${nodes.map(({ html }) => html).join(' | ')}`)
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      if (wide > 0) found.push(`${place} ${viewport.width}: ${wide} pixels too wide`)
    }
  }
  assert.deepEqual(found, [])
  assert.deepEqual(complaints, [])
})

test('it is walked through by keyboard alone, and each page begins where one is', { skip }, async () => {
  const { page, complaints } = await stage.open('#/markets/BTC')
  await page.getByRole('heading', { name: 'BTC Bitcoin' }).waitFor()
  const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.textContent')
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Skip to the content')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate('document.activeElement.id'), 'main')
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Shift+Tab')
  for (let presses = 0; await focused() !== 'Trade'; presses++) {
    assert.ok(presses < 20, 'the link to trading is not reached by Tab')
    await page.keyboard.press('Shift+Tab')
  }
  await page.keyboard.press('Enter')
  await until(page, 'document.activeElement.tagName === "H1"')
  assert.equal(await focused(), 'Trade')
  assert.match(await page.title(), /^Trade/)
  for (let presses = 0; await page.evaluate('document.activeElement.id') !== 'op'; presses++) {
    assert.ok(presses < 20, 'the choice of operations is not reached by Tab')
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('c')
  assert.equal(await page.locator('#op').inputValue(), 'close_position')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  // What is missing is said where it is missing, and that is where one stands.
  assert.equal(await page.evaluate('document.activeElement.id'), 'positionId')
  assert.equal(await page.locator('#positionId').getAttribute('aria-invalid'), 'true')
  assert.deepEqual(complaints, [])
})

test('the colours are chosen by a switch, and stay chosen', { skip }, async () => {
  const { page } = await stage.open('#/system')
  const background = (): Promise<string> => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  const light = await background()
  await page.getByRole('button', { name: 'Colours: as the system' }).click()
  await page.getByRole('button', { name: 'Colours: light' }).click()
  await page.getByRole('button', { name: 'Colours: dark' }).waitFor()
  const dark = await background()
  assert.notEqual(dark, light)
  await page.reload()
  await page.getByRole('button', { name: 'Colours: dark' }).waitFor()
  assert.equal(await background(), dark)
})

test('whoever has used up the minute\'s calls is told, and when it goes on', { skip }, async () => {
  const { page, address } = await stage.open('#/leaders')
  await page.getByText(/^Read at/).waitFor()
  let status = 200
  for (let calls = 0; status !== 429; calls++) {
    assert.ok(calls < 200)
    status = (await fetch(`${stage.url}/v1/oracle/prices`, { headers: { 'x-forwarded-for': address } })).status
  }
  await page.getByRole('button', { name: 'Volume' }).last().click()
  await page.getByText(/the minute's calls are used up \(429\); again in \d+ s\./).waitFor()
  await page.locator('[data-status=calls]').getByText('0 this minute').waitFor()
})

test('without its node everything turns grey and says so, and comes back', { skip }, async () => {
  const { page, complaints } = await stage.open('#/markets/BTC')
  await page.locator('[data-status=prices][data-state=fresh]').waitFor()
  await stage.cheat('local_fault', { name: 'connection_reset', count: null })
  await page.locator('[data-status=prices][data-state=stale]').waitFor()
  assert.match(await page.locator('[data-status=prices]').innerText(), /14 of 14 stale/)
  await page.locator('[data-price].stale').waitFor()
  await page.getByText(/^Stale: attested \d+ s ago\.$/).waitFor()
  assert.equal(await page.locator('#announcements').textContent(), 'Stale now: Prices.')
  await page.getByRole('link', { name: 'Trade', exact: true }).click()
  await page.getByText(/^Stale: BTC was at [\d,.]+, \d+ s ago\.$/).waitFor()
  await page.getByRole('link', { name: 'Markets' }).click()
  await stage.cheat('local_clearFaults')
  await page.locator('[data-status=prices][data-state=fresh]').waitFor()
  await page.locator('[data-price]:not(.stale)').waitFor()
  assert.deepEqual(complaints, [])
})

test('while the gateway is silent everything is stale, and live again when it speaks', { skip }, async () => {
  const { page } = await stage.open('#/markets/BTC')
  await page.locator('[data-status=stream][data-state=fresh]').waitFor()
  stage.main.signal('SIGSTOP')
  try {
    await page.locator('[data-status=stream][data-state=stale]').waitFor()
    assert.match(await page.locator('[data-status=stream]').innerText(), /stale: silent for \d+ s/)
    await page.locator('[data-status=index][data-state=stale]').waitFor()
  } finally {
    stage.main.signal('SIGCONT')
  }
  await page.locator('[data-status=stream][data-state=fresh]').waitFor()
})
