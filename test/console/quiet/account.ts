// The account's menu sends USDC, and nothing can be signed or sent while the connection is lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { createWallet } from '../../support/keys.ts'
import { ONE } from '../../support/traders.ts'
import { fillTicket, openAccount, readReview, reviewTicket, setUpTrader } from '../console-fixture.ts'
import { fixture, skip } from './network.ts'

const SENTENCE = 'Disconnected, reconnecting. Nothing can be sent until the connection is back.'

/** Long enough for a slow machine. */
const TIMEOUT_MS = 90_000

test('the account\'s menu sends USDC to another account after a review of the destination and the amount', { skip }, async () => {
  const receiver = createWallet('receives USDC').publicKey()
  await fixture.control('local_fund', { address: receiver, usdc: String(ONE) })
  const { page, browserErrors } = await fixture.open('#/markets')
  await setUpTrader(page)
  const menu = await openAccount(page)
  const own = /G[A-Z2-7]{55}/.exec(await menu.innerText())?.[0] ?? assert.fail()
  await menu.getByText('Send USDC to another account').click()
  const [destination, sum, send] = [menu.getByLabel('Destination'), menu.getByLabel('Amount to send, USDC'), menu.getByRole('button', { name: 'Review' })]
  await menu.getByText('Available: 10,000.00 USDC').waitFor()
  await sum.fill('10000.01')
  await destination.fill(own)
  await send.click()
  await menu.getByText('This is your own address.').waitFor()
  await menu.getByText(/^You have 10,000\.00 USDC/).waitFor()
  assert.equal(await destination.evaluate((element) => element.matches(':focus')), true)
  await destination.fill(`${receiver.slice(0, -1)}${receiver.endsWith('A') ? 'B' : 'A'}`)
  await send.click()
  await menu.getByText('Enter the address of an account: G and 55 more characters').waitFor()
  await destination.fill(receiver)
  await sum.fill('25.5')
  await send.click()
  const review = await readReview(page)
  assert.match(review, new RegExp(`Sends 25\\.50 USDC from the account to ${receiver}\\.`))
  assert.match(review, /Authorizes\s+no transfers/)
  await page.getByRole('button', { name: 'Sign and submit' }).click()
  await menu.getByText(/^Send USDC: done in ledger/).waitFor()
  await menu.getByText('Available: 9,974.50 USDC').waitFor()
  assert.deepEqual(browserErrors, [])
})

test('without a connection the review, the menu, and the forms of vaults and referrals send nothing, and say the same sentence', { skip }, async () => {
  const { page } = await fixture.open('#/trade/BTC')
  await setUpTrader(page)
  await fillTicket(page, 'Market', { Amount: '100' })
  await reviewTicket(page)
  page.context().setDefaultTimeout(TIMEOUT_MS)
  const [vaults, referrals, markets] = await Promise.all(['#/vaults', '#/referrals', '#/markets'].map(async (path) => {
    const other = await page.context().newPage()
    await other.goto(`${fixture.url}/${path}`)
    return other
  }))
  assert.ok(vaults !== undefined && referrals !== undefined && markets !== undefined)
  await vaults.getByText('Create a vault', { exact: true }).click()
  await referrals.getByLabel('New code').waitFor()
  const menu = await openAccount(markets)
  await menu.getByText('Send USDC to another account').click()
  const controls: readonly (readonly [Locator, Locator])[] = [
    [page.getByRole('dialog', { name: 'Review the transaction' }), page.getByRole('button', { name: 'Sign and submit' })],
    [vaults.locator('main details'), vaults.locator('main details').getByRole('button', { name: 'Review' })],
    [referrals.getByRole('region', { name: 'Your code' }), referrals.getByRole('region', { name: 'Your code' }).getByRole('button', { name: 'Review' })],
    [menu, menu.getByRole('button', { name: 'Review' })],
  ]
  for (const [, button] of controls) assert.equal(await button.isDisabled(), false)
  fixture.main.signal('SIGSTOP')
  try {
    for (const [place, button] of controls) {
      await place.getByText(SENTENCE).waitFor()
      assert.equal(await button.isDisabled(), true)
    }
    await controls[0]?.[1].click({ force: true })
    assert.equal(await page.getByRole('dialog', { name: 'Review the transaction' }).isVisible(), true, 'a click signs nothing')
  } finally {
    fixture.main.signal('SIGCONT')
  }
  await page.getByRole('button', { name: 'Sign and submit' }).and(page.locator('[aria-disabled=false]')).waitFor()
})
