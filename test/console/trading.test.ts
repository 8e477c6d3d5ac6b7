// Trading with the console in a browser on a running exchange: wallets, API keys, review before signing, outcomes.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk'
import type { Page } from 'playwright-core'
import { skipWithoutChromium } from '../support/browser.ts'
import { createConsoleFixture, fillOrder, prepareOrder, setUpTrader, signOrder } from '../support/console-fixture.ts'
import type { ConsoleFixture, OpenedPage } from '../support/console-fixture.ts'
import { TEST_PASSPHRASE } from '../support/keys.ts'

const skip = skipWithoutChromium()
const OPEN = { asset: 'ETH', direction: 'Long', collateral: '100', leverage: '5' }

let fixture: ConsoleFixture
before(async () => {
  if (skip !== false) return
  fixture = await createConsoleFixture({ LOCAL_TRADERS: '0' })
  await fixture.freezeMarket(OPEN.asset)
})
after(() => fixture?.[Symbol.asyncDispose]())

async function tradingPage(): Promise<OpenedPage & { readonly key: string }> {
  const opened = await fixture.open('#/keys')
  const key = await setUpTrader(opened.page)
  await opened.page.getByRole('link', { name: 'Trade', exact: true }).click()
  return { ...opened, key }
}

/** The number under this name in the outcome. */
async function outcomeNumber(page: Page, name: string): Promise<string> {
  const text = await page.locator('#outcome').innerText()
  return new RegExp(`${name}\\n(\\d+)`).exec(text)?.[1] ?? assert.fail(`no ${name} in ${text}`)
}

test('a burner wallet gets a key, opens a position, adds and cancels a take-profit, and closes the position', { skip }, async () => {
  const { page, browserErrors, key } = await tradingPage()
  assert.match(key, /^nk_[0-9a-f]{24}:[0-9a-f]{64}$/)
  await page.locator('.facts').getByText('10,000.00').first().waitFor()
  await fillOrder(page, 'open_position', OPEN)
  assert.match(await prepareOrder(page), /Opens a long position in ETH with 100\.00 USDC at 5× leverage/)
  await signOrder(page, 'Open a position')
  const position = await outcomeNumber(page, 'Position')
  const row = page.getByRole('region', { name: 'Your positions' }).getByRole('row', { name: new RegExp(`^${position} ETH`) })
  await row.waitFor()
  await row.getByRole('button', { name: `TP for position ${position}` }).click()
  assert.equal(await page.evaluate('document.activeElement.id'), 'triggerPrice')
  await fillOrder(page, 'set_take_profit', { triggerPrice: '9,000' })
  assert.match(await prepareOrder(page), new RegExp(`take-profit that closes position ${position} when the price reaches 9,000\\.00`))
  await signOrder(page, 'Set a take-profit')
  const order = await outcomeNumber(page, 'Order')
  await page.getByRole('button', { name: `Cancel order ${order}` }).click()
  assert.match(await prepareOrder(page), new RegExp(`Cancels order ${order}\\.`))
  await signOrder(page, 'Cancel an order')
  await page.getByText('You have no open orders.').waitFor()
  await row.getByRole('button', { name: `Close position ${position}` }).click()
  assert.match(await prepareOrder(page), new RegExp(`Closes position ${position} at the market price`))
  await signOrder(page, 'Close a position')
  await page.getByText('You have no open positions.').waitFor()
  assert.deepEqual(browserErrors, [])
})

test('the review describes each of the ten operations, and nothing is sent without a signature', { skip }, async () => {
  const { page, browserErrors } = await tradingPage()
  await fillOrder(page, 'open_position', OPEN)
  await prepareOrder(page)
  await signOrder(page, 'Open a position')
  const position = await outcomeNumber(page, 'Position')
  await fillOrder(page, 'deposit_cross_margin', { amount: '500' })
  assert.match(await prepareOrder(page), /Deposits 500\.00 USDC from the account into its cross margin/)
  await signOrder(page, 'Deposit cross margin')
  await fillOrder(page, 'open_position_cross', { ...OPEN, direction: 'Short' })
  await prepareOrder(page)
  await signOrder(page, 'Open a cross position')
  const cross = await outcomeNumber(page, 'Position')
  await fillOrder(page, 'set_stop_loss', { positionId: position, triggerPrice: '1000', slippageToleranceBps: '2' })
  await prepareOrder(page)
  await signOrder(page, 'Set a stop-loss')
  const order = await outcomeNumber(page, 'Order')
  const resting = { ...OPEN, triggerPrice: '1500', triggerCondition: 'Below', slippageToleranceBps: '0.5' }
  const reviews: readonly (readonly [op: string, values: Readonly<Record<string, string>>, parts: readonly RegExp[]])[] = [
    ['open_position', OPEN, [/Opens a long position in ETH with 100\.00 USDC at 5× leverage/, /Authorizes\s+100 USDC to market C/]],
    ['open_position_cross', { ...OPEN, direction: 'Short' }, [/Opens a short position in ETH on cross margin/, /Function\s+open_position_cross/]],
    ['close_position', { positionId: position }, [new RegExp(`Closes position ${position} at`), /Authorizes\s+no transfers/]],
    ['close_position_cross', { positionId: cross }, [new RegExp(`Closes cross position ${cross} at`)]],
    ['place_limit_order', resting, [/when the price is at or below 1,500\.00/, /Slippage tolerance\s+0\.50%/, /Time in force\s+until cancelled/]],
    ['place_stop_limit_order', { ...resting, limitPrice: '1490' }, [/When the price is at or below 1,500\.00, it becomes a limit order at 1,490\.00/]],
    ['place_trailing_stop', { positionId: position, trailingPercentBps: '3', slippageToleranceBps: '1' }, [/retreats 3\.00% from its best/]],
    ['set_stop_loss', { positionId: position, triggerPrice: '1100', slippageToleranceBps: '1' }, []],
    ['set_take_profit', { positionId: position, triggerPrice: '9000', slippageToleranceBps: '1' }, [/reaches 9,000\.00/, /Limit price\s+none/]],
    ['cancel_order', { orderId: order }, [new RegExp(`Cancels order ${order}\\.`)]],
  ]
  const submitted: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/tx/submit')) submitted.push(request.url())
  })
  for (const [op, values, parts] of reviews) {
    await fillOrder(page, op, values)
    if (op === 'set_stop_loss') {
      // The position already has a stop-loss: the page shows the contract error's name.
      await page.getByRole('button', { name: 'Prepare and review' }).click()
      await page.locator('#outcome').getByText(/nothing was charged: the simulation failed: OrderAlreadyExists \(67\)/).waitFor()
      continue
    }
    const dialog = await prepareOrder(page)
    for (const part of [...parts, new RegExp(`Function\\s+${op}\\n`), /Network fee\s+at most 0\.\d{7} XLM/, /Valid until/]) assert.match(dialog, part, op)
    if (op === 'cancel_order') await page.keyboard.press('Escape')
    else await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.locator('#outcome').getByText('You did not sign. Nothing was sent.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Prepare and review')
  }
  assert.deepEqual(submitted, [])
  // The browser itself logs each response with status 400.
  assert.deepEqual(browserErrors.filter((text) => !text.includes('status of 400')), [])
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
  await fillOrder(page, 'open_position', OPEN)
  await page.getByRole('button', { name: 'Prepare and review' }).click()
  await page.getByText('Not signed: the gateway prepared a transaction that differs from your order.').waitFor()
  const outcome = await page.locator('#outcome').innerText()
  assert.match(outcome, /argument 3\s+i128 "1000000000"\s+i128 "9990000000"/)
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(submissions, 0)
})

test('shows a key\'s secret once, and revokes the key', { skip }, async () => {
  const { page, key } = await tradingPage()
  const [keyId = '', secret = ''] = key.split(':')
  await page.getByRole('link', { name: 'Wallet and keys', exact: true }).first().click()
  await page.getByRole('button', { name: 'I saved it: hide' }).click()
  assert.ok(!(await page.content()).includes(secret))
  const row = page.getByRole('region', { name: /^API keys of this account/ }).getByRole('row', { name: new RegExp(`^${keyId} a test`) })
  await row.getByRole('button', { name: `Revoke ${keyId}, the key in use` }).click()
  await page.getByText(`Revoked ${keyId}.`).waitFor()
  const { status } = await fetch(`${fixture.url}/v1/account/me`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(status, 401)
  await page.getByText('Use an existing key').click()
  await page.getByLabel('Key ID', { exact: true }).fill(keyId)
  await page.getByLabel('Secret', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Use this key' }).click()
  await page.getByText(/Key not used: the API key was not accepted \(401\)/).waitFor()
})

test('a reload forgets wallet and key unless the user stored them in the tab', { skip }, async () => {
  const { page } = await fixture.open('#/keys')
  const key = await setUpTrader(page)
  assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0)
  await page.getByLabel(/^Remember my API key/).check()
  await page.reload()
  await page.getByText(key.split(':')[0] ?? '', { exact: true }).first().waitFor()
  await page.getByText('Its secret key is stored in this tab until you close the tab.').waitFor()
  await page.getByLabel(/^Remember my API key/).uncheck()
  assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0)
  await page.reload()
  await page.getByRole('button', { name: 'Create a burner wallet' }).waitFor()
})

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
  const { page, browserErrors } = await fixture.open('#/keys', {
    prepare: async (fresh) => {
      fresh.on('request', (request) => scripts.push(request.url()))
      await fresh.exposeFunction('callFreighter', respond)
      await fresh.addInitScript(FREIGHTER)
    },
  })
  assert.deepEqual(scripts.filter((url) => url.includes('freighter')), [])
  await page.getByRole('button', { name: 'Connect Freighter' }).click()
  await page.getByText(/^Not connected: Freighter is on SOME: switch it to the network “Test SDF Network/).waitFor()
  networkPassphrase = TEST_PASSPHRASE
  await page.getByRole('button', { name: 'Connect Freighter' }).click()
  await page.getByRole('button', { name: 'Get an API key' }).click()
  await page.locator('#secret').waitFor()
  await page.getByRole('link', { name: 'Trade', exact: true }).click()
  await fillOrder(page, 'open_position', OPEN)
  assert.match(await prepareOrder(page), /Freighter will ask you to confirm\./)
  await signOrder(page, 'Open a position')
  assert.deepEqual(requests.filter((type) => type === 'SUBMIT_TRANSACTION').length, 2)
  assert.deepEqual(browserErrors, [])
})

test('explains how to install Freighter if it is missing', { skip }, async () => {
  const { page } = await fixture.open('#/keys')
  await page.getByRole('button', { name: 'Connect Freighter' }).click()
  await page.getByText(/^Not connected: Freighter was not found: install the browser extension/).waitFor()
})
