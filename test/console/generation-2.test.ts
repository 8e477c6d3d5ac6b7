// The console on contracts of the second generation: small prices, and the actions that only they have.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Order } from '../../client/src/index.ts'
import { skipWithoutChromium } from '../support/browser.ts'
import { createConsoleFixture, fillTicket, goTo, readReview, reviewTicket, rowsWith, setUpTrader, sign } from './console-fixture.ts'
import type { ConsoleFixture } from './console-fixture.ts'

const skip = skipWithoutChromium()
const MARKET = 'PUMP'
const OPEN = { Side: 'Long', Amount: '100', Leverage: '5' }

let fixture: ConsoleFixture
before(async () => {
  if (skip !== false) return
  fixture = await createConsoleFixture({ LOCAL_TRADERS: '0', LOCAL_GENERATION: '2' }, '390-light')
  await fixture.freezeMarket(MARKET)
  await fixture.control('local_setPrice', { asset: MARKET, price: '30968' })
})
after(() => fixture?.[Symbol.asyncDispose]())

test('shows small prices with all their digits, closes a part of a position, moves its collateral, and protects a cross position', { skip }, async () => {
  const { page, browserErrors } = await fixture.open(`#/trade/${MARKET}`)
  await page.locator('[data-price]').getByText('0.0030968', { exact: true }).waitFor()
  await page.goto(`${fixture.url}/#/keys`)
  await setUpTrader(page)
  await page.goto(`${fixture.url}/#/trade/${MARKET}`)
  await page.getByText('Available: 10,000.00 USDC').waitFor()
  await fillTicket(page, 'Market', OPEN)
  assert.match(await reviewTicket(page), /Worst price\s+0\.0031122\s/)
  await sign(page, 'Open a long position')
  const dialog = page.getByRole('dialog', { name: 'Review the transaction' })
  const table = page.getByRole('region', { name: 'Your positions' })

  await page.getByRole('button', { name: /^Close part of position \d+$/ }).click()
  await page.getByLabel('Size to close, USDC').fill('200')
  await table.getByRole('button', { name: 'Review' }).click()
  assert.match(await dialog.innerText(), /Closes 200\.00 USDC of the size of position \d+ at the market price/)
  await sign(page, 'Close a part of the position')
  await table.getByRole('row', { name: /300\.00/ }).waitFor()

  await page.getByRole('button', { name: /^Add collateral to position \d+$/ }).click()
  await page.getByLabel('Collateral to add, USDC').fill('50')
  await table.getByRole('button', { name: 'Review' }).click()
  assert.match(await dialog.innerText(), /Adds 50\.00 USDC/)
  await sign(page, 'Add collateral')

  await fillTicket(page, 'Market', { ...OPEN, Margin: 'Cross' })
  await reviewTicket(page)
  await sign(page, 'Open a long position')
  const cross = table.getByRole('row', { name: /5× cross/ })
  await cross.waitFor()
  assert.equal(await cross.getByRole('button', { name: /^Close part/ }).count(), 0)
  await cross.getByRole('button', { name: /^SL, stop-loss for position/ }).click()
  await page.getByLabel('Trigger price').fill('0.002')
  await table.getByRole('button', { name: 'Review' }).click()
  await sign(page, 'Set a stop-loss')
  await table.getByRole('columnheader', { name: 'ADL' }).waitFor()

  await compareWithReview(page)

  // The portfolio counts both kinds of positions, and the referral page says what a code earns.
  await page.goto(`${fixture.url}/#/portfolio`)
  const equity = page.getByRole('region', { name: 'Equity' })
  await equity.getByText(/^9,99\d\.\d\d USDC$/).waitFor()
  assert.match(await equity.innerText(), /Isolated positions\s+1[01]\d\.\d\d\s[^]*Cross positions\s+99\.\d\d/)
  await page.getByRole('region', { name: 'PnL' }).getByRole('img', { name: /last −\d\.\d\d USDC/ }).waitFor()
  await page.getByRole('region', { name: 'Trading' }).getByText('1,200', { exact: true }).first().waitFor()
  await rowsWith(page.getByRole('region', { name: 'Cash ledger' }), 'Position opened', '−100.0000000', 'Wallet').first().waitFor()
  await goTo(page, 'Referrals')
  await page.getByLabel('New code').fill('second')
  await page.getByRole('region', { name: 'Your code' }).getByRole('button', { name: 'Review' }).click()
  await sign(page, 'Create the referral code')
  await page.getByText('Nothing to claim yet. You earn a part of the fees of the accounts that set your code.').waitFor()
  await page.goto(`${fixture.url}/#/trade/${MARKET}`)

  // A pause disables what adds risk, and says why. test/console/availability.test.ts has every state and control.
  await pause()
  await page.getByRole('region', { name: 'Order ticket' }).getByText(PAUSED).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Review' }).isDisabled(), true)
  const remove = page.getByRole('button', { name: /^Remove collateral from position/ })
  assert.deepEqual([await remove.isDisabled(), await remove.getAttribute('title')], [true, PAUSED])
  assert.equal(await page.getByRole('button', { name: /^Close position/ }).first().isDisabled(), false)
  await resume()
  assert.deepEqual(browserErrors, [])
})

test('a trade beyond the worst price is refused and says what to change; the tolerance is kept, and danger has words', { skip }, async () => {
  const { page } = await fixture.open(`#/trade/${MARKET}`)
  const setPrice = async (price: number): Promise<void> => {
    await fixture.control('local_setPrice', { asset: MARKET, price: String(price) })
    await fixture.control('local_closeLedger', { count: 2 })
  }
  const ticket = page.getByRole('region', { name: 'Order ticket' })
  const preview = page.getByRole('group', { name: 'Preview' })
  await page.getByRole('button', { name: 'Burner wallet' }).click()
  await page.getByText('Available: 10,000.00 USDC').waitFor()
  await page.getByLabel('Slippage tolerance, %').fill('0.6')
  await page.reload()
  assert.equal(await page.getByLabel('Slippage tolerance, %').inputValue(), '0.6')
  await fillTicket(page, 'Market', OPEN)
  await preview.getByText('0.0031153', { exact: true }).waitFor()
  assert.match(await reviewTicket(page), /Worst price\s+0\.0031153\s/)
  // Less than 1 %: after more, the market refuses to open at any price.
  await setPrice(31_200)
  await page.getByRole('button', { name: 'Sign and submit' }).click()
  await page.locator('#outcome').getByText(/^The price moved beyond your worst price\. Try again, or allow more: “Slippage tolerance”/).waitFor()
  await setPrice(30_968)
  await page.locator('[data-price]').getByText('0.0030968', { exact: true }).waitFor()
  await fillTicket(page, 'Market', { ...OPEN, 'Stop-loss': '0.0024' })
  await ticket.getByText(/^The stop-loss of this long position must be above its liquidation price, 0\.002\d+: it would be liquidated first\.$/).waitFor()
  await page.getByLabel('Stop-loss', { exact: true }).fill('')
  await reviewTicket(page)
  await sign(page, 'Open a long position')

  // Near its liquidation price, and beyond it: nobody liquidates here.
  const table = page.getByRole('region', { name: 'Your positions' })
  const row = table.getByRole('row', { name: /5×/ })
  const liquidation = /0\.00\d+/.exec(await row.getByText(/ away$/).locator('xpath=..').innerText())?.[0] ?? assert.fail()
  const units = Math.round(Number(liquidation) * 1e7)
  await setPrice(Math.round(units * 1.01))
  await ticket.getByText(new RegExp(`^Position \\d+ is (0\\.9|1\\.0)\\d% from its liquidation price, ${liquidation}\\.`)).waitFor()
  await row.locator('.warn').getByText(/^(0\.9|1\.0)\d% away$/).waitFor()
  await setPrice(Math.round(units * 0.98))
  await ticket.getByText(new RegExp(`^Position \\d+ is beyond its liquidation price, ${liquidation}, and can be liquidated at any moment`)).waitFor()
  await row.locator('.down').getByText(/^passed by (1\.9|2\.0)\d%$/).waitFor()

  // An order that is smaller than the position in the other direction opens nothing.
  await setPrice(30_968)
  await page.locator('[data-price]').getByText('0.0030968', { exact: true }).waitFor()
  await fillTicket(page, 'Market', { Side: 'Short', Amount: '20', Leverage: '5' })
  await preview.getByText('none: it would only reduce your long').waitFor()
  await ticket.getByText(/^This would only close your long of 500\.00 USDC in PUMP/).waitFor()
  await page.getByRole('button', { name: /^Close position \d+$/ }).click()
  assert.match(await readReview(page), /Worst price\s+0\.0030783\s/)
  await sign(page, 'Close the position')
})

const PAUSED = 'Trading is paused. No position can be opened. Positions can still be closed and orders cancelled.'
const pause = (): Promise<unknown> => fixture.control('local_admin', { contract: 'market', function: 'pause', args: [{ type: 'u32', value: 1 }] })
const resume = (): Promise<unknown> => fixture.control('local_admin', { contract: 'market', function: 'unpause', args: [] })

/** A cross short that closes the cross long first: the ticket has the figures that the gateway prepares. */
async function compareWithReview(page: Page): Promise<void> {
  await fillTicket(page, 'Market', { Amount: '300', Leverage: '5', Side: 'Short', Margin: 'Cross' })
  const preview = page.getByRole('group', { name: 'Preview' })
  await preview.getByText(/^First closes your long position of 500\.00 USDC with a PnL of −?\d\.\d\d USDC, then opens a short of 1,000\.00 USDC\.$/).waitFor()
  const figures = (text: string): unknown => [/Fee\s+(.*)/.exec(text)?.[1], /(?:Position size|Size)\s+(.*)/.exec(text)?.[1]]
  const quoted = figures(await preview.innerText())
  assert.deepEqual(quoted, figures(await reviewTicket(page)))
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
}

test('bounds what a deposit gives, and counts down the pool\'s wait after it', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/pool')
  await page.getByRole('button', { name: 'Burner wallet' }).click()
  await page.getByText('You have 10,000.00 USDC.').waitFor()
  await page.getByLabel('Amount', { exact: true }).fill('1000')
  await page.getByLabel('Slippage tolerance, %').fill('1')
  const expected = /about ([\d,.]+) LP tokens/.exec(await page.getByText(/^You receive about/).innerText())?.[1]?.replaceAll(',', '')
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  const dialog = await page.getByRole('dialog', { name: 'Review the transaction' }).innerText()
  const least = /At least\s+([\d,.]+) LP tokens/.exec(dialog)?.[1]?.replaceAll(',', '')
  assert.ok(Math.abs(Number(least) - 0.99 * Number(expected)) < 0.02, `${least} of ${expected}`)
  await page.getByRole('button', { name: 'Sign and submit' }).click()
  await page.getByText('Deposit: done in ledger').waitFor()
  await page.getByRole('group', { name: 'Direction' }).getByRole('button', { name: 'Withdraw', exact: true }).click()
  await page.getByText(/^You can withdraw in (29|30):\d\d, at [\d:]+: the pool waits after each deposit\.$/).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Review', exact: true }).isDisabled(), true)
  assert.deepEqual(browserErrors, [])
})

test('a leader cannot open while trading is paused, and places a stop-limit order with the slippage tolerance that was entered', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/vaults')
  const done = async (title: string): Promise<void> => {
    await page.getByRole('button', { name: 'Sign and submit' }).click()
    await page.getByText(`${title}: done in ledger`).waitFor()
  }
  await page.getByText('Create a vault').click()
  await page.getByRole('button', { name: 'Burner wallet' }).click()
  await page.getByText(/creating a vault needs/i).waitFor({ state: 'detached' })
  await page.getByLabel('Name', { exact: true }).fill('Stops')
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  await done('Create the vault')
  await page.getByRole('link', { name: 'Stops', exact: true }).click()
  await page.getByRole('heading', { name: 'Stops', level: 1 }).waitFor()
  await page.getByLabel('Amount', { exact: true }).fill('500')
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  await done('Deposit')
  const leader = page.getByRole('region', { name: 'Lead this vault' })
  const place = async (kind: string, values: Readonly<Record<string, string>>): Promise<string> => {
    await leader.getByRole('group', { name: 'Vault order' }).getByRole('button', { name: kind, exact: true }).click()
    for (const [label, value] of Object.entries(values)) await leader.getByLabel(label, { exact: true }).fill(value)
    if (kind === 'Stop-limit') await leader.getByLabel('Market').selectOption(MARKET)
    await leader.getByRole('button', { name: 'Review vault order' }).click()
    const dialog = await page.getByRole('dialog', { name: 'Review the transaction' }).innerText()
    await done('Vault order')
    return dialog
  }
  await pause()
  await leader.getByText(PAUSED).waitFor()
  assert.equal(await leader.getByRole('button', { name: 'Review vault order' }).isDisabled(), true)
  await resume()
  await leader.getByText(PAUSED).waitFor({ state: 'detached' })
  const prices = { 'Trigger price': '0.0032', 'Limit price': '0.0033' }
  const dialog = await place('Stop-limit', { 'Collateral, USDC': '100', ...prices, 'Slippage tolerance, %': '0.25' })
  // The review decodes what is signed.
  assert.match(dialog, /Trigger price\s+0\.0032000\b[^]*Limit price\s+0\.0033000\b[^]*Slippage tolerance\s+0\.25%/)
  // The message names the order, so that it can be cancelled.
  const placed = Number.parseInt(await leader.getByText(/^\d+, resting$/).innerText(), 10)
  const { status, triggerPrice } = await fixture.main.get<Order>(`/v1/orders/${placed}`)
  assert.deepEqual([status, triggerPrice], ['pending', '32000'])
  assert.deepEqual(browserErrors, [])
})
