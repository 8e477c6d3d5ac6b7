// What surrounds every page of the console, in a browser: notices, the connection, the account's menu, shortcuts, and pages without content.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { skipWithoutChromium } from '../support/browser.ts'
import { createConsoleFixture, fillTicket, setUpTrader, waitUntil } from './console-fixture.ts'
import type { ConsoleFixture } from './console-fixture.ts'
import { SIZES, THEMES } from './display.ts'

const skip = skipWithoutChromium()
const LIQUIDATIONS = 12

let fixture: ConsoleFixture
before(async () => {
  if (skip === false) fixture = await createConsoleFixture({}, '1440-dark')
})
after(() => fixture?.[Symbol.asyncDispose]())

/** Names of controls in view that a notice covers, by what a click in their middle would hit. */
const COVERED = `[...document.querySelectorAll('main :is(a, button, input, select, summary), .top :is(a, button)')].filter((control) => {
  const { left, top, width, height } = control.getBoundingClientRect()
  const hit = document.elementFromPoint(left + width / 2, top + height / 2)
  return width > 1 && hit !== null && hit.closest('[role=alert], [role=status]') !== null && !control.contains(hit) && !hit.contains(control)
}).map((control) => control.textContent)`

/** Responds with liquidations of the past minutes, as if they had happened while the page was closed. */
async function liquidate(page: Page): Promise<void> {
  const ts = Math.floor(Date.now() / 1000) - 300
  const fills = Array.from({ length: LIQUIDATIONS }, (_, index) => ({
    seq: 9_000 - index, epoch: 'e', positionId: 100 + index, kind: 'liquidation', asset: 'BTC', direction: 0, price: '900000000000', size: '5000000000',
    pnl: '-1000000000', fee: null, funding: null, ledger: 9, ts: ts - index, txHash: 'ab'.repeat(32), orderId: null, marginMode: 'isolated',
  }))
  await page.route('**/v1/account/me/fills?*', (route) => route.fulfill({ json: { fills, hasMore: false, nextCursor: null } }))
  await page.reload()
}

test('many liquidations cover no control at any size, move nothing, are dismissed together, and stay in the activity list', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/keys')
  await setUpTrader(page)
  await page.goto(`${fixture.url}/#/trade/BTC`)
  await liquidate(page)
  const loss = page.getByText('Your long BTC position was liquidated at 90,000.00, 500.00 USDC. Loss: 100.00 USDC.').first()
  await loss.waitFor()
  for (const viewport of Object.values(SIZES)) {
    for (const colorScheme of THEMES) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      const name = `${viewport.width} ${colorScheme}`
      assert.deepEqual(await page.evaluate(COVERED), [], name)
      const box = await page.getByRole('region', { name: 'Notices' }).boundingBox() ?? assert.fail(name)
      assert.ok(box.height < 60, `${name}: the notices take ${box.height} pixels`)
      assert.ok(await loss.evaluate((element) => element.scrollHeight <= element.clientHeight + 1), `${name}: the loss is cut off`)
    }
  }
  const top = (): Promise<number> => page.evaluate<number>('document.querySelector("main").getBoundingClientRect().top')
  const before = await top()
  await page.getByRole('button', { name: 'Dismiss this notice' }).click()
  await page.reload()
  await page.getByRole('button', { name: `${LIQUIDATIONS - 2} more` }).click()
  const listed = page.getByRole('dialog', { name: 'Activity' }).getByRole('listitem').filter({ hasText: 'was liquidated' })
  await listed.nth(LIQUIDATIONS - 1).waitFor()
  await page.keyboard.press('Escape')
  await loss.waitFor({ state: 'detached' })
  await page.evaluate('localStorage.removeItem("console-dismissed")')
  await page.reload()
  await loss.waitFor()
  await page.getByRole('button', { name: 'Dismiss all' }).click()
  await loss.waitFor({ state: 'detached' })
  assert.equal(await top(), before)
  await page.getByRole('button', { name: /^Activity/ }).click()
  await listed.nth(LIQUIDATIONS - 1).waitFor()
  assert.deepEqual(browserErrors, [])
})

/** Milliseconds until the expression is true in the page. */
async function timeUntil(page: Page, expression: string): Promise<number> {
  const begun = performance.now()
  await waitUntil(page, expression)
  return performance.now() - begun
}

test('a lost connection is said in words within 3 s, trading stops with that reason, and the page is live within 10 s of the return', { skip }, async () => {
  const { page } = await fixture.open('#/keys')
  await setUpTrader(page)
  await page.goto(`${fixture.url}/#/trade/BTC`)
  await page.getByText('Available: 10,000.00 USDC').waitFor()
  await fillTicket(page, 'Market', { Side: 'Long', Amount: '100', Leverage: '5' })
  const stream = 'document.querySelector("[data-status=stream]")'
  await waitUntil(page, `${stream}.dataset.state === 'fresh'`)
  // Longer than the client's delay between attempts.
  for (const outageMs of [0, 12_000]) {
    fixture.main.signal('SIGSTOP')
    try {
      const lostMs = await timeUntil(page, `${stream}.textContent.includes('Disconnected, reconnecting')`)
      assert.ok(lostMs < 3_000, `${lostMs} ms until the loss was shown`)
      await page.locator('#announcements', { hasText: /^Disconnected, reconnecting\./ }).waitFor({ state: 'attached' })
      const review = page.getByRole('button', { name: 'Review' })
      assert.equal(await review.isDisabled(), true)
      await page.getByRole('region', { name: 'Order ticket' }).getByText(/^Disconnected, reconnecting\. Nothing can be sent/).waitFor()
      await page.locator('[data-price].stale').waitFor()
      await waitUntil(page, `performance.now() > ${await page.evaluate<number>('performance.now()') + outageMs}`)
    } finally {
      fixture.main.signal('SIGCONT')
    }
    const live = `${stream}.dataset.state === 'fresh' && document.querySelector('[data-price].stale') === null`
    const enabled = `document.querySelector('.ticket button[type=submit]').getAttribute('aria-disabled') === 'false'`
    const returnedMs = await timeUntil(page, `${live} && ${enabled}`)
    assert.ok(returnedMs < 10_000, `${returnedMs} ms until the page was live`)
    await page.locator('#announcements', { hasText: 'Everything is live again.' }).waitFor({ state: 'attached' })
  }
})
