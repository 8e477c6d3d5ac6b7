// The chart in a browser: types and indicators, the full window, orders from the price axis, and marks that stay in view and cover no candle.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import type { AccountState } from '../../../client/src/generated/resources.ts'
import { fillTicket, reviewTicket, setUpTrader, sign, waitUntil } from '../console-fixture.ts'
import { fixture, skip } from './network.ts'

const MARKET = 'ETH'

async function openChart(prepare?: (page: Page) => Promise<unknown>): Promise<{ readonly page: Page; readonly browserErrors: readonly string[] }> {
  const opened = await fixture.open(`#/trade/${MARKET}`, prepare === undefined ? {} : { prepare })
  await waitUntil(opened.page, 'Number(document.querySelector(".chart")?.dataset.candles) > 0')
  return opened
}

/** Panes and the lines between them. */
const ROWS = 'document.querySelectorAll(".chart tr").length'

test('types and indicators are drawn, their values are in the legend, and the choice is kept', { skip }, async () => {
  const { page, browserErrors } = await openChart()
  const chart = page.getByRole('region', { name: 'Chart' })
  const rows = await page.evaluate<number>(ROWS)
  await chart.getByText('Type and indicators').click()
  const indicators = chart.getByRole('group', { name: 'Indicators' })
  for (const name of ['Moving averages', 'RSI', 'MACD']) await indicators.getByRole('button', { name }).click()
  const legend = chart.locator('.legend')
  await legend.filter({ hasText: /MA 20 .*MA 50 .*RSI 14 .*Histogram .*MACD .*Signal / }).waitFor()
  await waitUntil(page, `${ROWS} === ${rows + 4}`)
  for (const [type, name] of [['Bars', 'Bar'], ['Area', 'Area'], ['Line', 'Line']] as const) {
    await chart.getByRole('group', { name: 'Chart type' }).getByRole('button', { name: type }).click()
    await chart.getByRole('img', { name: new RegExp(`^${name} chart of ${MARKET}: \\d+ candles`) }).waitFor()
  }
  await page.reload()
  await chart.getByRole('img', { name: new RegExp(`^Line chart of ${MARKET}: \\d+ candles`) }).waitFor()
  await legend.filter({ hasText: /RSI 14 / }).waitFor()
  await waitUntil(page, `${ROWS} === ${rows + 4}`)
  await chart.getByText('Type and indicators').click()
  for (const name of ['RSI', 'MACD', 'Moving averages', 'Volume']) await indicators.getByRole('button', { name }).click()
  await waitUntil(page, `${ROWS} === ${rows}`)
  assert.equal(await indicators.getByRole('button', { pressed: true }).count(), 0)
  assert.deepEqual(browserErrors, [])
})

test('the chart fills the screen until Escape, or until the browser ends it, and the window where the browser allows no more', { skip }, async () => {
  const { page, browserErrors } = await openChart()
  const covers = `(() => {
    const { left, top, right, bottom } = document.querySelector('.chart').closest('.stack').getBoundingClientRect()
    return left <= 0 && top <= 0 && right >= document.documentElement.clientWidth && bottom >= innerHeight
  })()`
  const height = await page.evaluate<number>('document.querySelector(".chart").clientHeight')
  assert.equal(await page.evaluate(covers), false)
  await page.getByRole('button', { name: 'Full screen' }).click()
  await waitUntil(page, covers)
  await waitUntil(page, 'document.fullscreenElement !== null')
  await waitUntil(page, `document.querySelector('.chart canvas').clientHeight > 0 && document.querySelector('.chart').clientHeight !== ${height}`)
  await page.keyboard.press('Escape')
  await waitUntil(page, `!${covers} && document.fullscreenElement === null`)
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Full screen', 'the button keeps the focus')
  await page.getByRole('button', { name: 'Full screen' }).click()
  await waitUntil(page, 'document.fullscreenElement !== null')
  await page.evaluate('document.exitFullscreen()')
  await waitUntil(page, `!${covers}`)
  await page.evaluate("Object.defineProperty(document, 'fullscreenEnabled', { value: false })")
  await page.getByRole('button', { name: 'Full screen' }).click()
  await waitUntil(page, covers)
  assert.equal(await page.evaluate('document.fullscreenElement'), null)
  await page.keyboard.press('Escape')
  await waitUntil(page, `!${covers}`)
  assert.deepEqual(browserErrors, [])
})

test('a click on the price axis fills in the limit price of the ticket; a drag scales the axis', { skip }, async () => {
  const { page, browserErrors } = await openChart()
  const chart = page.locator('.chart')
  await chart.scrollIntoViewIfNeeded()
  const box = await chart.boundingBox()
  assert.ok(box !== null)
  const [x, y] = [box.x + box.width - 12, box.y + box.height / 3]
  await page.mouse.move(x, y)
  const hint = page.getByText(/^Limit [\d.]+$/)
  await hint.waitFor()
  const shown = (await hint.innerText()).slice('Limit '.length)
  await page.mouse.down()
  await page.mouse.move(x, y + 30, { steps: 3 })
  await page.mouse.up()
  const ticket = page.getByRole('region', { name: 'Order ticket' })
  assert.equal(await ticket.getByLabel('Limit price', { exact: true }).count(), 0, 'nothing after a drag')
  await page.mouse.dblclick(x, y + 60)
  const limitPrice = ticket.getByLabel('Limit price', { exact: true })
  await limitPrice.waitFor()
  assert.equal(await ticket.getByRole('group', { name: 'Order type' }).getByRole('button', { pressed: true }).innerText(), 'Limit')
  const picked = Number(await limitPrice.inputValue())
  assert.ok(Math.abs(picked / Number(shown) - 1) < 0.2, `${picked} is near ${shown}`)
  assert.deepEqual(browserErrors, [])
})

test('marks outside of the chart stay in view at its edge with their price, and no mark covers the candles', { skip }, async () => {
  const { page, browserErrors } = await openChart()
  await setUpTrader(page)
  await fillTicket(page, 'Market', { Side: 'Long', Amount: '100', Leverage: '5' })
  await reviewTicket(page)
  await sign(page, 'Open a long position')
  const { price } = await fixture.main.get<{ price: string }>(`/v1/markets/${MARKET}/price`)
  const at = (share: number): string => (Number(price) / 1e7 * share).toFixed(2)
  await fillTicket(page, 'Stop-loss')
  await page.getByRole('region', { name: 'Order ticket' }).getByLabel('Position', { exact: true }).selectOption({ index: 1 })
  await fillTicket(page, 'Stop-loss', { 'Trigger price': at(0.9) })
  await reviewTicket(page)
  await sign(page, 'Set a stop-loss')
  // The same order as a take-profit far above.
  await page.route('**/v1/account/me/state', addTakeProfit)
  await page.reload()
  const labels = page.locator('.chart-label:visible')
  await page.locator('.chart-label[data-edge=below]', { hasText: /Stop-loss [\d,.]+/ }).waitFor()
  await page.locator('.chart-label[data-edge=above]', { hasText: /Take-profit [\d,.]+/ }).waitFor()
  await page.locator('.chart-label:not([data-edge])', { hasText: /^Long #/ }).waitFor()
  // A liquidation price is far away too.
  await page.locator('.chart-label[data-edge=below]', { hasText: /^Liquidation #\d+ [\d,.]+$/ }).waitFor()
  await waitUntil(page, `(() => {
    const { left } = document.querySelector('.chart').getBoundingClientRect()
    return [...document.querySelectorAll('.labels > div:nth-of-type(1) > .chart-label')].every((label) => label.getBoundingClientRect().right <= left)
  })()`)
  assert.ok(await labels.count() >= 4)
  assert.deepEqual(browserErrors, [])
})

async function addTakeProfit(route: Route): Promise<void> {
  const response = await route.fetch()
  const { orders, ...state } = (await response.json()) as AccountState
  const drawn = (orders ?? []).flatMap((order) => [
    order, { ...order, orderId: order.orderId + 1_000, orderType: 'take_profit' as const, referencePrice: String(BigInt(order.referencePrice ?? 0) * 2n) },
  ])
  await route.fulfill({ response, json: { ...state, orders: drawn } })
}
