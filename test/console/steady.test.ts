// The console over time: figures that change move nothing, and an hour of frames leaves no memory behind.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { price } from '../../console/format.ts'
import { skipWithoutChromium } from '../support/browser.ts'
import { createTraderClient, whileTimePasses } from '../client/client-fixture.ts'
import { ONE } from '../support/traders.ts'
import { waitUntil } from './console-fixture.ts'
import { displayOf, selectedDisplay, SIZES } from './display.ts'
import { RECORD_FRAMES, awaitFrames, replayFrames } from './frame-replay.ts'
import { objectBytes } from './page-memory.ts'
import { createStillConsole, IS_TRADE_COMPLETE } from './still-console.ts'
import type { StillConsole } from './still-console.ts'

const skip = skipWithoutChromium()
const CHANGES = 3
const LEDGERS_MAX = 30
const MINUTE_SEC = 60
const GROWTH_MAX_BYTES = 150_000
/** On a large screen the whole page is in view. */
const TALL = 1_400
const selected = selectedDisplay()
const DISPLAYS = (selected === null ? ['1440-dark', '1024-light', '390-dark'] as const : [selected]).map(displayOf)
const CANDLES_MAX = 5_000
const PAGE_CANDLES = 500

let still: StillConsole
before(async () => {
  if (skip === false) still = await createStillConsole('steady', { ...SIZES[1440], height: TALL })
})
after(() => still?.[Symbol.asyncDispose]())

/** Collects what moves without an action of the user. */
const OBSERVE = `
  window.moved = []
  new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries()) {
      for (const { node, previousRect: from, currentRect: to } of sources) {
        const element = node?.nodeType === 1 ? node : node?.parentElement
        if (element == null || element.closest('.notices') !== null) continue
        // A figure that is aligned to the right grows to the left.
        if (Math.abs(from.right - to.right) < 1 && Math.abs(from.y - to.y) < 1) continue
        moved.push(element.outerHTML.slice(0, 120) + ': ' + [from.x, from.y, to.x, to.y].map(Math.round))
      }
    }
  }).observe({ type: 'layout-shift' })`

/** Closes ledgers until the price of BTC is another one. */
async function nextPrice(shown: string): Promise<string> {
  for (let ledgers = 0; ledgers < LEDGERS_MAX; ledgers++) {
    await still.advance()
    const next = price((await still.fixture.get<{ readonly price: string }>('/v1/markets/BTC/price')).body.price)
    if (next !== shown) return next
  }
  return assert.fail('the price does not change')
}

const PRINTS = [
  { op: 'open_position', asset: 'BTC', collateral: String(20n * ONE), leverage: 2, direction: 'Long' },
  // In the other margin mode: contracts of generation 2 close what offsets an open of the same mode.
  { op: 'open_position_cross', asset: 'BTC', collateral: String(40n * ONE), leverage: 3, direction: 'Short' },
] as const

/** After a change of the window's size is drawn. */
const AFTER_PICTURES = `new Promise((resolve) => {
  let left = 8
  const next = () => (left-- === 0 ? resolve(true) : requestAnimationFrame(next))
  next()
})`

test('nothing moves while prices, ages and countdowns change and trades arrive', { skip }, async () => {
  const { page, url, fixture } = still
  const other = await createTraderClient(fixture, url, 'tape')
  const { owner } = await other.login()
  await page.goto(`${url}/#/trade/BTC`)
  await page.getByLabel('Amount', { exact: true }).fill('1000')
  for (const [index, { name, viewport, colorScheme }] of DISPLAYS.entries()) {
    await page.setViewportSize(viewport.width === SIZES[390].width ? viewport : { ...viewport, height: TALL })
    await page.emulateMedia({ colorScheme })
    await still.complete('the trade screen', IS_TRADE_COMPLETE)
    // The chart takes its new size in one picture, its labels their places in the next, and the chart the rest of the width in a third.
    await page.evaluate(AFTER_PICTURES)
    await page.evaluate(OBSERVE)
    for (let changes = 0; changes < CHANGES; changes++) {
      const shown = await page.locator('.market-header [data-price]').innerText()
      const next = await nextPrice(shown)
      await waitUntil(page, `document.querySelector('.market-header [data-price]').textContent === '${next}'`)
    }
    const print = PRINTS[index % PRINTS.length] ?? PRINTS[0]
    await whileTimePasses(fixture, () => other.trade(print))
    await still.tick()
    const own = `/Open ${print.direction.toLowerCase()}.*${owner}/`
    const shown = `[...document.querySelectorAll('.tape tbody tr')].filter(({ textContent }) => ${own}.test(textContent)).length`
    await waitUntil(page, `${shown} === ${Math.floor(index / PRINTS.length) + 1}`)
    await waitUntil(page, 'new Promise((resolve) => requestAnimationFrame(() => resolve(true)))')
    assert.deepEqual(await page.evaluate('moved'), [], name)
  }
})

test('the memory after an hour of frames is that after ten minutes', { skip }, async () => {
  const { context, url, fixture } = still
  const page = await context.newPage()
  await page.clock.setFixedTime(fixture.clock.nowMs())
  await page.addInitScript(RECORD_FRAMES)
  await page.goto(`${url}/#/trade/BTC`)
  await awaitFrames(still, page)
  await page.evaluate(replayFrames(10 * MINUTE_SEC))
  const early = await objectBytes(page)
  await page.evaluate(replayFrames(60 * MINUTE_SEC))
  const late = await objectBytes(page)
  assert.equal(await page.evaluate('document.querySelectorAll(".tape tbody tr").length'), 40)
  assert.match(await page.locator('.market-header [data-price]').innerText(), /^9\d,\d{3}\.\d\d$/)
  // The chart keeps the sixty candles of the hour.
  assert.ok(late - early < GROWTH_MAX_BYTES, `${late - early} bytes more than after ten minutes`)
  await page.close()
})

test('scrolling back loads candles up to a limit; from there the chart takes no more memory, and continues with the newest', { skip }, async () => {
  const { context, url, fixture } = still
  const page = await context.newPage()
  await page.clock.setFixedTime(fixture.clock.nowMs())
  await page.addInitScript(RECORD_FRAMES)
  const reads: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v1/candles?')) reads.push(request.url())
  })
  await page.goto(`${url}/#/trade/BTC`)
  await awaitFrames(still, page)
  const hasCandles = (condition: string): Promise<void> => waitUntil(page, `(count => ${condition})(Number(document.querySelector('.chart').dataset.candles))`)
  await hasCandles('count > 0')
  const box = await page.locator('.chart').boundingBox() ?? assert.fail()
  const scroll = async (pixels: number): Promise<void> => {
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.wheel(pixels, 0)
  }
  const countCandles = (): Promise<number> => page.evaluate<number>('Number(document.querySelector(".chart").dataset.candles)')
  // A candle that begins during the test makes the first page larger by one, so the pages are not counted.
  for (let count = await countCandles(); count < CANDLES_MAX; count = await countCandles()) {
    await scroll(-CANDLES_MAX)
    await hasCandles(`count > ${count}`)
  }
  await hasCandles(`count === ${CANDLES_MAX}`)
  const early = await objectBytes(page)
  const atLimit = reads.length
  for (const pixels of [-20_000, 40_000, -60_000, 20_000, -20_000]) await scroll(pixels)
  assert.equal(reads.length, atLimit)
  // The next candle removes a page of the oldest. The chart reads it again where it shows the oldest.
  await page.evaluate(replayFrames(2 * MINUTE_SEC))
  const newest = await page.evaluate<number>('newest.get("candles.BTC.1m").frame.data.close')
  await waitUntil(page, `document.querySelector('.chart').getAttribute('aria-label').includes(' candles of 1m, the last at ${newest}.')`)
  await hasCandles(`count > ${CANDLES_MAX - PAGE_CANDLES} && count <= ${CANDLES_MAX}`)
  const growth = await objectBytes(page) - early
  assert.ok(growth < GROWTH_MAX_BYTES, `${growth} bytes more than when the limit was reached`)
  await page.close()
})
