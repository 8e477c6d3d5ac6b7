// Trading with the console in a browser on a running exchange: wallets, API keys, review before signing, outcomes.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk'
import type { Locator, Page, Route } from 'playwright-core'
import { createClient, Unauthorized } from '../../client/src/index.ts'
import type { AccountState, CurrentKey } from '../../client/src/index.ts'
import { short } from '../../console/format.ts'
import { skipWithoutChromium } from '../support/browser.ts'
import { createConsoleFixture, fillTicket, openAccount, readReview, reviewTicket, rowsWith, setUpTrader, sign, waitUntil } from './console-fixture.ts'
import type { ConsoleFixture, OpenedPage } from './console-fixture.ts'
import { TEST_GENERATION } from '../support/generation.ts'
import { TEST_PASSPHRASE } from '../support/keys.ts'

const skip = skipWithoutChromium()
const OPEN = { Side: 'Long', Amount: '100', Leverage: '5' }
const MARKET = 'ETH'

let fixture: ConsoleFixture
before(async () => {
  if (skip !== false) return
  fixture = await createConsoleFixture({ LOCAL_TRADERS: '0' })
  await fixture.freezeMarket(MARKET)
})
after(() => fixture?.[Symbol.asyncDispose]())

async function tradingPage(): Promise<OpenedPage> {
  const opened = await fixture.open('#/keys')
  await setUpTrader(opened.page)
  await opened.page.goto(`${fixture.url}/#/trade/${MARKET}`)
  await opened.page.getByText('Available: 10,000.00 USDC').waitFor()
  return opened
}

/** The number under this name in the outcome. */
async function outcomeNumber(page: Page, name: string): Promise<string> {
  const text = await page.locator('#outcome').innerText()
  return new RegExp(`${name}\\n(\\d+)`).exec(text)?.[1] ?? assert.fail(`no ${name} in ${text}`)
}

/** The name of a tab has its count. */
const tabName = (name: string): RegExp => new RegExp(`^${name}( \\d+\\+?)?$`)
const tab = (page: Page, name: string): Promise<void> => page.getByRole('tab', { name: tabName(name) }).click()

test('a burner wallet gets a key, opens a position with a take-profit, cancels that, closes the position, and is notified of each', { skip }, async () => {
  const { page, browserErrors } = await tradingPage()
  // Pages of one row.
  await page.route('**/v1/account/me/fills?**', (route) => route.continue({ url: route.request().url().replace('limit=50', 'limit=1') }))
  await page.route('**/v1/account/me/state', drawOrdersAtEntry)
  await fillTicket(page, 'Market', { ...OPEN, 'Take-profit': '900,000' })
  await page.getByText('Sends 2 transactions, one after the other, after one review.').waitFor()
  assert.match(await reviewTicket(page),
    /Opens a long position in ETH with 100\.00 USDC at 5× leverage[^]*Then: Set the take-profit at 900,000\.00\. This review covers both transactions\./)
  // Notices disappear after a few seconds, so each is awaited from before its cause.
  const opened = page.getByRole('status').getByText(/^Your long ETH position was opened at /).waitFor()
  await sign(page, 'Set the take-profit at 900,000.00')
  const table = page.getByRole('region', { name: 'Your positions' })
  const position = /#(\d+)/.exec(await table.getByRole('row', { name: /^ETH #/ }).innerText())?.[1]
  const order = await outcomeNumber(page, 'Order')
  const row = table.getByRole('row', { name: new RegExp(`^ETH #${position} `) })
  await row.waitFor()
  await opened
  await checkChartLabels(page)
  await page.unroute('**/v1/account/me/state', drawOrdersAtEntry)
  await tab(page, 'Orders')
  await page.getByRole('button', { name: `Cancel order ${order}`, exact: true }).click()
  assert.match(await readReview(page), new RegExp(`Cancels order ${order}\\.`))
  const cancelled = page.getByRole('status').getByText(`Take-profit ${order} in ETH was cancelled: you cancelled it.`).waitFor()
  await sign(page, 'Cancel the order')
  await page.getByText('You have no open orders.').waitFor()
  await cancelled
  await tab(page, 'Positions')
  await row.getByRole('button', { name: `Close position ${position}`, exact: true }).click()
  assert.match(await readReview(page), new RegExp(`Closes position ${position} at the market price`))
  await sign(page, 'Close the position')
  await page.getByText('You have no open positions.').waitFor()
  await tab(page, 'Fills')
  const fills = page.getByRole('region', { name: 'Your fills' }).getByRole('row')
  await page.getByRole('status').getByText('Newest 1 shown.').waitFor()
  const counted = (count: string): Promise<void> => page.getByRole('tab', { name: tabName('Fills') }).locator('.count', { hasText: count }).waitFor()
  await counted('1+')
  await page.getByRole('button', { name: 'Older fills' }).press('Enter')
  await page.getByRole('status').getByText('All 2 shown.').waitFor()
  await counted('2')
  assert.deepEqual([await fills.count(), await page.evaluate('document.activeElement.getAttribute("aria-label")')], [3, 'Older fills'])
  await tab(page, 'Order history')
  await page.getByRole('region', { name: 'Your orders' }).getByText('cancelled: you cancelled it').waitFor()
  await tab(page, 'Cash')
  await page.getByRole('region', { name: 'Movements of your USDC' }).getByText('−100.00').waitFor()
  assert.deepEqual(browserErrors, [])
})

/** The account's state with its orders three times, at the entry price. */
async function drawOrdersAtEntry(route: Route): Promise<void> {
  const response = await route.fetch()
  const { orders, ...state } = (await response.json()) as AccountState
  const referencePrice = state.positions?.[0]?.entryPrice ?? null
  const drawn = (orders ?? []).flatMap((order) => [0, 1_000, 2_000].map((more) => ({ ...order, orderId: order.orderId + more, referencePrice })))
  await route.fulfill({ response, json: { ...state, orders: drawn } })
}

/** The entry, the liquidation price, the orders at the same price and the fill each have a label, and none covers another. */
async function checkChartLabels(page: Page): Promise<void> {
  await waitUntil(page, 'document.querySelectorAll(".labels [data-order]").length === 3')
  await waitUntil(page, `(() => {
    const boxes = [...document.querySelectorAll('.chart-label')].filter((label) => getComputedStyle(label).visibility === 'visible')
      .map((label) => label.getBoundingClientRect())
    const covers = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
    return boxes.length === 6 && boxes.every((box, index) => !boxes.some((other, at) => at > index && covers(box, other)))
  })()`)
}

test('an order is moved on the chart and by keyboard: it is cancelled and placed again, and the rest can be sent again if that stops', { skip }, async () => {
  const { page, browserErrors } = await tradingPage()
  const { price } = await fixture.main.get<{ price: string }>(`/v1/markets/${MARKET}/price`)
  const below = (share: number): string => (Number(price) / 1e7 * share).toFixed(2)
  await fillTicket(page, 'Limit', { Side: 'Long', Amount: '100', Leverage: '5', 'Limit price': below(0.999) })
  await reviewTicket(page)
  await sign(page, 'Place a limit order')
  const first = await outcomeNumber(page, 'Order')
  const label = page.locator(`[data-order="${first}"]`)
  await label.scrollIntoViewIfNeeded()
  const handle = await label.boundingBox()
  assert.ok(handle)
  await page.mouse.move(handle.x + 8, handle.y + handle.height / 2)
  await page.mouse.down()
  await page.mouse.move(handle.x + 8, handle.y + handle.height / 2 + 12, { steps: 3 })
  await page.mouse.up()
  assert.match(await readReview(page), new RegExp(`Cancels order ${first}\\.[^]*Then: Place it again at [^]*the order stays cancelled`))
  await sign(page, 'Place it again at [0-9.,]+')
  const second = await outcomeNumber(page, 'Order')
  await page.locator(`[data-order="${second}"]`).waitFor()

  await tab(page, 'Orders')
  await page.getByRole('button', { name: `Move order ${second}`, exact: true }).focus()
  await page.keyboard.press('Enter')
  await waitUntil(page, 'document.activeElement.labels?.[0]?.textContent === "Limit price"')
  await page.keyboard.type(below(0.99))
  // The order is cancelled, and the second transaction is refused.
  let prepared = 0
  await page.route('**/v1/orders/prepare', (route) =>
    (prepared++ === 0 ? route.continue() : route.fulfill({ status: 400, json: { error: 'simulation_failed' } })))
  await page.keyboard.press('Enter')
  await readReview(page)
  await page.getByRole('button', { name: 'Sign and submit' }).click()
  const outcome = page.locator('#outcome')
  await outcome.getByText(`Order ${second} was cancelled, and was not placed again. Its collateral of 100.00 USDC is then back in your wallet.`).waitFor()
  await page.unroute('**/v1/orders/prepare')
  await outcome.getByRole('button', { name: 'Send the rest again' }).click()
  await readReview(page)
  await sign(page, 'Place it again at [0-9.,]+')
  await page.getByText('You have no open orders.').waitFor({ state: 'detached' })
  for (const [name, count] of [['Positions', '0'], ['Orders', '1'], ['Fills', '0'], ['Order history', '3'], ['Cash', '5']] as const) {
    await page.getByRole('tab', { name: tabName(name) }).locator('.count', { hasText: new RegExp(`^${count}$`) }).waitFor()
  }
  assert.deepEqual(browserErrors, ['Failed to load resource: the server responded with a status of 400 (Bad Request) /v1/orders/prepare'])
})

test('the review describes each kind of order from the transaction\'s own bytes, and nothing is sent without a signature', { skip }, async () => {
  const { page, browserErrors } = await tradingPage()
  await fillTicket(page, 'Market', OPEN)
  await reviewTicket(page)
  await sign(page, 'Open a long position')
  const position = await outcomeNumber(page, 'Position')
  await page.getByText('Move USDC between wallet and cross margin').click()
  await page.getByLabel('Amount to move, USDC').fill('500')
  await page.getByRole('button', { name: 'Deposit', exact: true }).click()
  assert.match(await readReview(page), /Deposits 500\.00 USDC from the account into its cross margin/)
  await sign(page, 'Deposit cross margin')
  await fillTicket(page, 'Market', { ...OPEN, Margin: 'Cross', Side: 'Short' })
  assert.match(await reviewTicket(page), /Opens a short position in ETH on cross margin[^]*Function\s+open_position_cross/)
  await sign(page, 'Open a short position')
  const cross = await outcomeNumber(page, 'Position')
  const stop = String(await percentOfPrice(95))
  const entry = { Side: 'Long', Amount: '100', Leverage: '5', 'Slippage tolerance, %': '0.5' }
  const reviews: readonly (readonly [kind: string, values: Readonly<Record<string, string>>, parts: readonly RegExp[]])[] = [
    ['Market', { ...OPEN, Margin: 'Isolated' }, [
      /Opens a long position in ETH with 100\.00 USDC at 5× leverage/, /Authorizes\s+100 USDC to market C/, /Fee\s+0\.25 USDC/,
    ]],
    ['Limit', { ...entry, 'Limit price': '1500' }, [
      /when the price is at or below 1,500\.00/, /Slippage tolerance\s+0\.50%/, /Time in force\s+until cancelled/,
    ]],
    ['Stop', { ...entry, 'Trigger price': '900,000' }, [/when the price is at or above 900,000\.00/]],
    ['Stop', { ...entry, 'Trigger price': '900,000', 'Limit price': '900,001' }, [
      /When the price is at or above 900,000\.00, it becomes a limit order at 900,001\.00/,
    ]],
    ['Take-profit', { Position: position, 'Trigger price': '900,000' }, [/reaches 900,000\.00/, /Limit price\s+none/]],
    ['Stop-loss', { Position: position, 'Trigger price': stop }, [/reaches [\d,.]+/]],
    ['Trailing stop', { Position: position, 'Trailing distance, %': '3' }, [/retreats 3\.00% from its best/]],
  ]
  const submitted: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/tx/submit')) submitted.push(request.url())
  })
  for (const [index, [kind, values, parts]] of reviews.entries()) {
    await fillTicket(page, kind, values)
    const dialog = await reviewTicket(page)
    for (const part of [...parts, /Network fee\s+at most 0\.\d{7} XLM/, /Valid until/]) assert.match(dialog, part, kind)
    if (index === 0) await page.keyboard.press('Escape')
    else await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.locator('#outcome').getByText('You did not sign. Nothing was sent.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Review')
  }
  await page.getByRole('button', { name: `Close position ${cross}`, exact: true }).click()
  assert.match(await readReview(page), new RegExp(`Closes cross position ${cross} at`))
  assert.deepEqual(submitted, [])
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()

  const row = page.getByRole('region', { name: 'Your positions' }).getByRole('row', { name: new RegExp(`^ETH #${position} `) })
  await checkExits(page, row, position)
  // It is reversed or closed with the others after one review.
  await row.getByRole('button', { name: `Reverse position ${position}`, exact: true }).click()
  assert.match(await readReview(page), /Then: Open a short position of 500\.00 USDC\. This review covers both transactions\./)
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Close all positions' }).click()
  assert.match(await readReview(page), /This review covers both transactions\./)
  await page.getByRole('button', { name: 'Sign and submit' }).click()
  await page.getByText('You have no open positions.').waitFor()
  assert.deepEqual(browserErrors, [])
})

/** On a narrow screen the buttons of a position, which stay in view, cover none of its figures. */
async function checkFiguresInView(page: Page, row: Locator): Promise<void> {
  const size = page.viewportSize() ?? assert.fail()
  await page.setViewportSize({ width: 1_024, height: 768 })
  const covered = await row.evaluate((element) => {
    const { left } = (element.querySelector('td.whole') ?? element).getBoundingClientRect()
    return [...element.querySelectorAll('td.numeric')].filter((cell) => cell.checkVisibility() && cell.getBoundingClientRect().right > left + 1)
      .map((cell) => cell.getAttribute('data-title'))
  })
  await page.setViewportSize(size)
  assert.deepEqual(covered, [])
}

/** A position says at which price it pays its costs, and what its exits would bring. */
async function checkExits(page: Page, row: Locator, position: string): Promise<void> {
  await checkFiguresInView(page, row)
  assert.match(await row.innerText(), /500\.00\s+0\.\d{5} ETH/)
  const [entryPrice = 0, breakEven = 0] = (await row.locator('td[data-title="Entry, break-even"]').innerText()).replaceAll(',', '').split(/\s+/).map(Number)
  assert.ok(breakEven > entryPrice * 1.0004, `${breakEven} pays the opening fee of a long from ${entryPrice}`)
  await row.getByRole('button', { name: `TP, take-profit for position ${position}`, exact: true }).click()
  await row.getByRole('button', { name: '+25%' }).click()
  await row.getByText(/^Expected: \+2[45]\.\d\d USDC, \+2[45]\.\d\d% on margin\.$/).waitFor()
  await row.getByRole('button', { name: 'Cancel', exact: true }).click()
  // So does the ticket, for what it opens and for what it closes.
  const ticket = page.getByRole('region', { name: 'Order ticket' })
  await fillTicket(page, 'Market', OPEN)
  await ticket.getByRole('button', { name: 'Take-profit at +10% on margin' }).click()
  await ticket.getByText(/^Expected: \+(?:9\.9|10\.0)\d USDC, \+(?:9\.9|10\.0)\d% on margin\.$/).waitFor()
  await fillTicket(page, 'Stop-loss', { Position: position })
  await ticket.getByRole('button', { name: 'Trigger price at −25% on margin' }).click()
  await ticket.getByText(/^Expected: −2[45]\.\d\d USDC, −2[45]\.\d\d% on margin\.$/).waitFor()
}

test('the review begins with the figures of the trade, all of them beside its button on a phone, and says that no bound is taken', { skip }, async () => {
  const { page } = await tradingPage()
  await page.setViewportSize({ width: 390, height: 844 })
  await fillTicket(page, 'Market', { ...OPEN, 'Take-profit': '900,000' })
  const unbounded = TEST_GENERATION === '1'
  const worst = unbounded ? /^none: the contracts take no bound here$/ : /^[\d,]+\.\d\d$/
  await page.getByRole('group', { name: 'Preview' }).getByText(worst).first().waitFor()
  await page.getByRole('region', { name: 'Order ticket' }).getByRole('button', { name: 'Review' }).click()
  const dialog = page.getByRole('dialog', { name: 'Review the transaction' })
  await dialog.waitFor()
  assert.deepEqual((await dialog.getByRole('term').allInnerTexts()).slice(0, 5), ['Entry price', 'Size', 'Fee', 'Worst price', 'Liquidation price'])
  const signing = page.getByRole('button', { name: 'Sign and submit' })
  for (const part of [...await dialog.getByRole('term').all(), dialog.getByText(/^Then: Set the take-profit/), signing]) {
    if (!(await part.isVisible())) continue
    const box = await part.boundingBox()
    assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 844, `${await part.innerText()}: ${JSON.stringify(box)}`)
  }
  assert.doesNotMatch(await dialog.innerText(), /[GC][A-Z2-7]{55}|Sequence number/)
  assert.match(await readReview(page), /Sequence number/)
})

test('reports invalid input before anything is sent, and an old message ends when the form changes', { skip }, async () => {
  const { page } = await tradingPage()
  await fillTicket(page, 'Market', { ...OPEN, Amount: '10,250.5' })
  await page.getByText('You have 10,000.00 USDC: 250.50 USDC are missing.').waitFor()
  await page.getByRole('button', { name: 'Review' }).click()
  await waitUntil(page, 'document.activeElement.getAttribute("aria-invalid") === "true"')
  await page.getByRole('button', { name: 'Max' }).click()
  assert.equal(await page.getByLabel('Amount', { exact: true }).inputValue(), '10000')
  await fillTicket(page, 'Market', OPEN)
  await reviewTicket(page)
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.locator('#outcome').getByText('You did not sign. Nothing was sent.').waitFor()
  await page.getByLabel('Amount', { exact: true }).fill('101')
  await waitUntil(page, 'document.querySelector("#outcome").textContent === ""')
  await page.getByRole('group', { name: 'Preview' }).getByText('505.00 USDC').waitFor()
})

test('refuses to sign a transaction that differs from the order, and lists the differences', { skip }, async () => {
  const { page } = await tradingPage()
  await page.route('**/v1/orders/prepare', async (route) => {
    const order = route.request().postDataJSON() as { collateral: string }
    await route.fulfill({ response: await route.fetch({ postData: JSON.stringify({ ...order, collateral: '9990000000' }) }) })
  })
  let submissions = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/tx/submit')) submissions += 1
  })
  await fillTicket(page, 'Market', OPEN)
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText('Not signed: the gateway prepared a transaction that differs from your order.').waitFor()
  const outcome = await page.locator('#outcome').innerText()
  assert.match(outcome, /argument 3\s+i128 "1000000000"\s+i128 "9990000000"/)
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(submissions, 0)
})

/** Returns the credentials that the page shows once, and hides them. */
async function takeSecret(page: Page): Promise<readonly [credentials: string, keyId: string, secret: string]> {
  const credentials = await page.locator('#secret').innerText()
  assert.match(credentials, /^nk_[0-9a-f]{24}:[0-9a-f]{64}$/)
  const [keyId = '', secret = ''] = credentials.split(':')
  await page.getByRole('button', { name: 'I saved it: hide' }).click()
  await page.locator('#secret').waitFor({ state: 'detached' })
  assert.ok(!(await page.content()).includes(secret))
  return [credentials, keyId, secret]
}

/** Reads the key's own page as a program does: the client waits as long as a gateway on a slow machine asks it to. */
async function readCurrentKey(credentials: string): Promise<{ readonly status: number; readonly key: Partial<CurrentKey> }> {
  const [keyId = '', secret = ''] = credentials.split(':')
  try {
    return { status: 200, key: (await createClient({ url: fixture.url, key: { keyId, secret }, attempts: 20 }).getCurrentKey()).body }
  } catch (error) {
    if (error instanceof Unauthorized) return { status: 401, key: {} }
    throw error
  }
}

async function useKey(page: Page, keyId: string, secret: string): Promise<void> {
  await page.getByText('Use an existing key').click()
  await page.getByLabel('Key ID', { exact: true }).fill(keyId)
  await page.getByLabel('Secret', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Use this key' }).click()
}

test('a key is limited, used, lent and rotated, each secret is shown once, and revoking it ends what it lent', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/keys')
  await setUpTrader(page)
  const inUse = page.getByRole('region', { name: 'API key', exact: true })
  await page.getByText('Get a key for another program').click()
  await inUse.getByLabel(/^Label/).fill('a test')
  await inUse.getByLabel('Lend keys that can do less').check()
  await inUse.getByLabel('Only these assets').fill('BTC, XYZ')
  await inUse.getByRole('button', { name: 'Get an API key' }).click()
  await inUse.getByText('XYZ is not a market.').waitFor()
  await inUse.getByLabel('Only these assets').fill('btc, eth')
  await inUse.getByLabel(/^USDC a day/).fill('10000')
  await inUse.getByRole('button', { name: 'Get an API key' }).click()
  const [credentials, keyId, secret] = await takeSecret(page)
  const table = page.getByRole('region', { name: /^API keys of this account/ })
  await rowsWith(table, keyId, 'a test', 'only BTC, ETH').waitFor()

  await page.getByRole('button', { name: 'Stop using this key' }).click()
  await useKey(page, keyId, secret)
  await inUse.getByText('0.00 of 10,000.00 USDC').waitFor()
  await page.getByText('Lend a key that can do less').click()
  const lending = page.getByRole('region', { name: 'Lend and rotate' })
  await lending.getByLabel('Ends after').selectOption('7 days')
  await lending.getByLabel('Highest leverage').fill('3')
  await lending.getByRole('button', { name: 'Lend a key' }).click()
  const [lent, lentId] = await takeSecret(page)
  const { key: { scopes, parent, caps } } = await readCurrentKey(lent)
  assert.deepEqual([scopes, parent], [['read', 'trade'], keyId])
  assert.deepEqual(caps, { assets: ['BTC', 'ETH'], maxLeverage: 3, maxNotionalPerDay: '100000000000', maxOrdersPerDay: null })
  const row = rowsWith(table, lentId, `lent by ${keyId}`)
  await row.waitFor()

  await page.getByText('Replace the secret of a key').click()
  await lending.getByRole('button', { name: 'Rotate' }).click()
  const [rotated, rotatedId] = await takeSecret(page)
  assert.deepEqual([rotatedId, (await readCurrentKey(credentials)).status, (await readCurrentKey(rotated)).status], [keyId, 401, 200])
  // The page continues with the new secret.
  await table.getByRole('button', { name: `Revoke ${keyId}, the key in use` }).click()
  await page.getByText(`Revoked ${keyId}.`).waitFor()
  assert.equal((await readCurrentKey(lent)).status, 401)
  await useKey(page, keyId, secret)
  await page.getByText(/Key not used: the API key was not accepted \(401\)/).waitFor()
  assert.deepEqual(browserErrors.filter((line) => !line.includes('401')), [])
})

test('one click on the trade screen is enough to trade, and the burner wallet survives a reload unless the user forbids it', { skip }, async () => {
  const { page, browserErrors } = await fixture.open(`#/trade/${MARKET}`)
  await page.getByRole('button', { name: 'Burner wallet' }).click()
  await page.getByText('Available: 10,000.00 USDC').waitFor()
  await page.reload()
  await page.getByText('Available: 10,000.00 USDC').waitFor()
  const menu = await openAccount(page)
  const account = await menu.getByText(/^G[A-Z2-7]{55}$/).innerText()
  await menu.getByText('Its secret key is stored in this browser.').waitFor()
  assert.deepEqual(browserErrors, [])
  // The local network has forgotten the key, as after a reset.
  const stored = `JSON.parse(localStorage.getItem('console'))`
  await page.evaluate(`localStorage.setItem('console', JSON.stringify({ ...${stored}, key: { keyId: 'nk_${'0'.repeat(24)}', secret: '${'0'.repeat(64)}' } }))`)
  await page.reload()
  await page.getByText('Available: 20,000.00 USDC').waitFor()
  await openAccount(page)
  await menu.getByText(account, { exact: true }).waitFor()
  await page.getByLabel(/^Keep my burner wallet/).uncheck()
  assert.equal(await page.evaluate(`localStorage.getItem('console')`), '{"isStored":false}')
  await page.reload()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  assert.equal(await page.getByLabel(/^Keep my burner wallet/).isChecked(), false)
})

async function percentOfPrice(share: number): Promise<number> {
  const { price } = await fixture.main.get<{ price: string }>(`/v1/markets/${MARKET}/price`)
  return Number(((Number(price) / 1e9) * share).toFixed(2))
}

/** Responds with the same messages as the extension's content script. */
const FREIGHTER = `addEventListener('message', async ({ data }) => {
  if (data?.source !== 'FREIGHTER_EXTERNAL_MSG_REQUEST') return
  const response = await callFreighter(data)
  postMessage({ source: 'FREIGHTER_EXTERNAL_MSG_RESPONSE', messagedId: data.messageId, ...response }, location.origin)
})`

test('Freighter signs the challenge and the reviewed order, and is rejected on another network', { skip }, async () => {
  const wallet = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 7))
  let networkPassphrase = 'Public Global Stellar Network ; September 2015'
  const requests: string[] = []
  const scripts: string[] = []
  function respond({ type, transactionXdr }: { readonly type: string; readonly transactionXdr: string }): object {
    requests.push(type)
    if (type === 'REQUEST_CONNECTION_STATUS') return { isConnected: true }
    if (type === 'REQUEST_ACCESS') return { publicKey: wallet.publicKey() }
    if (type === 'REQUEST_NETWORK_DETAILS') return { networkDetails: { network: 'SOME', networkUrl: '', networkPassphrase } }
    const transaction = TransactionBuilder.fromXdr(transactionXdr, TEST_PASSPHRASE)
    transaction.sign(wallet)
    return { signedTransaction: transaction.toXdr(), signerAddress: wallet.publicKey() }
  }
  await fixture.control('local_fund', { address: wallet.publicKey(), usdc: '10000000000' })
  const { page, browserErrors } = await fixture.open('#/portfolio', {
    prepare: async (fresh) => {
      fresh.on('request', (request) => scripts.push(request.url()))
      await fresh.exposeFunction('callFreighter', respond)
      await fresh.addInitScript(FREIGHTER)
    },
  })
  assert.deepEqual(scripts.filter((url) => url.includes('freighter')), [])
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('button', { name: 'Connect Freighter' }).click()
  await page.getByText(/^Not connected: Freighter is on SOME: switch it to the network “Test SDF Network/).waitFor()
  networkPassphrase = TEST_PASSPHRASE
  await page.getByRole('button', { name: 'Connect Freighter' }).click()
  await page.getByRole('region', { name: 'Equity' }).getByText('1,000.00 USDC', { exact: true }).waitFor()
  await page.goto(`${fixture.url}/#/trade/${MARKET}`)
  await page.getByText('Available: 1,000.00 USDC').waitFor()
  // One review for three transactions. Stellar signs each by itself, so the wallet asks three times, after the challenge of the key.
  await fillTicket(page, 'Market', { ...OPEN, 'Take-profit': '900,000', 'Stop-loss': String(await percentOfPrice(90)) })
  assert.match(await reviewTicket(page), /This review covers all 3 transactions\.[^]*Your wallet will ask you to confirm each of the 3 transactions\./)
  await sign(page, 'Set the stop-loss at [0-9.,]+')
  assert.deepEqual(requests.filter((type) => type === 'SUBMIT_TRANSACTION').length, 4)
  assert.deepEqual(browserErrors, [])
})

/** Adds the objects that the extensions of Hana, Klever and Rabet add to each page. Rabet reports a refusal as a value. */
const INJECTED = `
  const signed = async (name, xdr, network, address) => callWallet(name, { xdr, network, address })
  window.hanaWallet = { stellar: {
    getPublicKey: () => callWallet('Hana', {}),
    signTransaction: ({ xdr, accountToSign, networkPassphrase }) => signed('Hana', xdr, networkPassphrase, accountToSign),
  } }
  window.kleverWallet = { stellar: {
    getAddress: async () => ({ address: await callWallet('Klever', {}) }),
    signTransaction: async (xdr, { address, networkPassphrase }) => ({ signedTxXdr: await signed('Klever', xdr, networkPassphrase, address) }),
  } }
  let refusals = 1
  // It comes after the page has loaded.
  addEventListener('load', () => setTimeout(() => {
    window.rabet = {
      connect: async () => refusals-- > 0 ? { error: 'User denied the connection' } : { publicKey: await callWallet('Rabet', {}) },
      sign: async (xdr, network) => ({ xdr: await signed('Rabet', xdr, network) }),
    }
  }))`

/** Opens a position with the connected wallet and closes it. */
async function openAndClose(page: Page): Promise<void> {
  await page.goto(`${fixture.url}/#/trade/${MARKET}`)
  await page.getByText('Available: 1,000.00 USDC').waitFor()
  await fillTicket(page, 'Market', OPEN)
  assert.match(await reviewTicket(page), /Your wallet will ask you to confirm\./)
  await sign(page, 'Open a long position')
  await page.getByRole('button', { name: /^Close position \d+$/ }).click()
  await sign(page, 'Close the position')
  await page.getByText('You have no open positions.').waitFor()
}

test('wallets that add themselves to the page are offered beside Freighter, and sign keys and orders', { skip }, async () => {
  const names = ['Hana', 'Klever', 'Rabet']
  const pairs = new Map(names.map((name, index) => [name, Keypair.fromRawEd25519Seed(Buffer.alloc(32, 8 + index))]))
  const signatures: object[] = []
  function answer(name: string, { xdr, network, address }: { readonly xdr?: string; readonly network?: string; readonly address?: string }): string {
    const pair = pairs.get(name) ?? assert.fail(name)
    if (xdr === undefined) return pair.publicKey()
    signatures.push({ name, network, address: address === pair.publicKey() ? 'its own' : address })
    const transaction = TransactionBuilder.fromXdr(xdr, TEST_PASSPHRASE)
    transaction.sign(pair)
    return transaction.toXdr()
  }
  const { page, browserErrors } = await fixture.open('#/portfolio', {
    prepare: async (fresh) => {
      await fresh.exposeFunction('callWallet', answer)
      await fresh.addInitScript(INJECTED)
    },
  })
  for (const name of names) {
    const address = pairs.get(name)?.publicKey() ?? ''
    await fixture.control('local_fund', { address, usdc: '10000000000' })
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    const connect = page.getByRole('button', { name: `Connect ${name}` })
    await connect.click()
    if (name === 'Rabet') {
      await page.getByText('Not connected: Rabet returned no account: User denied the connection.').waitFor()
      await connect.click()
    }
    await page.getByRole('button', { name: `Account ${short(address, 4)}` }).waitFor()
    await page.getByRole('region', { name: 'Equity' }).getByText('1,000.00 USDC', { exact: true }).waitFor()
    if (name !== 'Hana') await openAndClose(page)
    await page.goto(`${fixture.url}/#/portfolio`)
    await (await openAccount(page)).getByRole('button', { name: 'Disconnect' }).click()
    await page.keyboard.press('Escape')
  }
  const [klever, rabet] = [{ name: 'Klever', network: TEST_PASSPHRASE, address: 'its own' }, { name: 'Rabet', network: 'testnet', address: undefined }]
  // The challenge, the open and the close.
  assert.deepEqual(signatures, [{ name: 'Hana', network: TEST_PASSPHRASE, address: 'its own' }, klever, klever, klever, rabet, rabet, rabet])
  assert.deepEqual(browserErrors, [])
})

test('explains how to install Freighter if it is missing', { skip }, async () => {
  const { page } = await fixture.open('#/portfolio')
  await page.getByRole('main').getByRole('button', { name: 'Connect a wallet' }).click()
  await page.getByRole('button', { name: 'Connect Freighter' }).click()
  await page.getByText(/^Not connected: Freighter was not found: install the browser extension/).waitFor()
})
