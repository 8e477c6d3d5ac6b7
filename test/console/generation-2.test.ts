// The console on contracts of the second generation: small prices, and the actions that only they have.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { skipWithoutChromium } from '../support/browser.ts'
import { createConsoleFixture, fillOrder, prepareOrder, setUpTrader, signOrder } from '../support/console-fixture.ts'
import type { ConsoleFixture } from '../support/console-fixture.ts'

const skip = skipWithoutChromium()
const OPEN = { asset: 'PUMP', direction: 'Long', collateral: '100', leverage: '5' }

let fixture: ConsoleFixture
before(async () => {
  if (skip !== false) return
  fixture = await createConsoleFixture({ LOCAL_TRADERS: '0', LOCAL_GENERATION: '2' })
  await fixture.freezeMarket(OPEN.asset)
  await fixture.control('local_setPrice', { asset: OPEN.asset, price: '30968' })
})
after(() => fixture?.[Symbol.asyncDispose]())

test('shows small prices with all their digits, closes a part of a position, and protects a cross position', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/markets/PUMP')
  await page.locator('[data-price]').getByText('0.0030968', { exact: true }).waitFor()
  await page.goto(`${fixture.url}/#/keys`)
  await setUpTrader(page)
  await page.getByRole('link', { name: 'Trade', exact: true }).click()
  await page.locator('.facts').getByText('10,000.00').first().waitFor()
  await fillOrder(page, 'open_position', OPEN)
  assert.match(await prepareOrder(page), /Worst price\s+none/)
  await signOrder(page, 'Open a position')
  await page.getByRole('button', { name: /^Close part of position \d+$/ }).click()
  await fillOrder(page, 'close_position_partial', { closeSize: '200' })
  assert.match(await prepareOrder(page), /Closes 200\.00 USDC of the size of position \d+ at the market price/)
  await signOrder(page, 'Close a part of a position')
  const table = page.getByRole('region', { name: 'Your positions' })
  await table.getByRole('row', { name: /300\.00/ }).waitFor()

  await fillOrder(page, 'deposit_cross_margin', { amount: '500' })
  await prepareOrder(page)
  await signOrder(page, 'Deposit cross margin')
  await fillOrder(page, 'open_position_cross', OPEN)
  await prepareOrder(page)
  await signOrder(page, 'Open a cross position')
  const cross = table.getByRole('row', { name: /5× cross/ })
  assert.equal(await cross.getByRole('button', { name: /^Close part/ }).count(), 0)
  await cross.getByRole('button', { name: /^SL for position/ }).click()
  await fillOrder(page, 'set_stop_loss', { triggerPrice: '0.002' })
  await prepareOrder(page)
  await signOrder(page, 'Set a stop-loss')
  assert.deepEqual(browserErrors, [])
})
