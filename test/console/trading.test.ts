// Trading with the console in a real browser, on the running exchange: a wallet gets a key, sees what it signs, trades, and is not lied to.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk'
import type { Page } from 'playwright-core'
import { withoutChromium } from '../support/browser.ts'
import { becomeTrader, createConsoleStage, fillOperation, prepare, sign } from '../support/console-stage.ts'
import type { ConsoleStage, OpenedPage } from '../support/console-stage.ts'
import { TEST_PASSPHRASE } from '../support/keys.ts'

const skip = withoutChromium()
const OPEN = { asset: 'ETH', direction: 'Long', collateral: '100', leverage: '5' }

let stage: ConsoleStage
before(async () => {
  if (skip !== false) return
  stage = await createConsoleStage({ LOCAL_TRADERS: '0' })
  await stage.rest(OPEN.asset)
})
after(() => stage?.[Symbol.asyncDispose]())

async function tradingPage(): Promise<OpenedPage & { readonly key: string }> {
  const opened = await stage.open('#/keys')
  const key = await becomeTrader(opened.page)
  await opened.page.getByRole('link', { name: 'Trade', exact: true }).click()
  return { ...opened, key }
}

/** The number that the outcome tells under this name. */
async function told(page: Page, name: string): Promise<string> {
  const text = await page.locator('#outcome').innerText()
  return new RegExp(`${name}\\n(\\d+)`).exec(text)?.[1] ?? assert.fail(`no ${name} in ${text}`)
}

test('a throw-away wallet gets a key, opens, guards, cancels and closes, and sees each of it', { skip }, async () => {
  const { page, complaints, key } = await tradingPage()
  assert.match(key, /^nk_[0-9a-f]{24}:[0-9a-f]{64}$/)
  await page.locator('.facts').getByText('10,000.00').first().waitFor()
  await fillOperation(page, 'open_position', OPEN)
  assert.match(await prepare(page), /Opens a long position in ETH with 100\.00 USDC at 5 times/)
  await sign(page, 'Open a position')
  const position = await told(page, 'Position')
  const row = page.getByRole('region', { name: 'Your positions' }).getByRole('row', { name: new RegExp(`^${position} ETH`) })
  await row.waitFor()
  await row.getByRole('button', { name: `TP for position ${position}` }).click()
  assert.equal(await page.evaluate('document.activeElement.id'), 'triggerPrice')
  await fillOperation(page, 'set_take_profit', { triggerPrice: '9,000' })
  assert.match(await prepare(page), new RegExp(`closes position ${position} with a profit when the price reaches 9,000\\.00`))
  await sign(page, 'Set a take-profit')
  const order = await told(page, 'Order')
  await page.getByRole('button', { name: `Cancel order ${order}` }).click()
  assert.match(await prepare(page), new RegExp(`Cancels order ${order}\\.`))
  await sign(page, 'Cancel an order')
  await page.getByText('You have no resting order.').waitFor()
  await row.getByRole('button', { name: `Close position ${position}` }).click()
  assert.match(await prepare(page), new RegExp(`Closes position ${position} at the market price`))
  await sign(page, 'Close a position')
  await page.getByText('You have no open position.').waitFor()
  assert.deepEqual(complaints, [])
})

test('each of the ten operations is told from what was prepared, and nothing is sent when nobody signs', { skip }, async () => {
  const { page, complaints } = await tradingPage()
  await fillOperation(page, 'open_position', OPEN)
  await prepare(page)
  await sign(page, 'Open a position')
  const position = await told(page, 'Position')
  await fillOperation(page, 'deposit_cross_margin', { amount: '500' })
  assert.match(await prepare(page), /Moves 500\.00 USDC from the account into its cross margin/)
  await sign(page, 'Deposit cross margin')
  await fillOperation(page, 'open_position_cross', { ...OPEN, direction: 'Short' })
  await prepare(page)
  await sign(page, 'Open a cross position')
  const cross = await told(page, 'Position')
  await fillOperation(page, 'set_stop_loss', { positionId: position, triggerPrice: '1000', slippageToleranceBps: '2' })
  await prepare(page)
  await sign(page, 'Set a stop-loss')
  const order = await told(page, 'Order')
  const resting = { ...OPEN, triggerPrice: '1500', triggerCondition: 'Below', slippageToleranceBps: '0.5' }
  const told10: readonly (readonly [op: string, values: Readonly<Record<string, string>>, parts: readonly RegExp[]])[] = [
    ['open_position', OPEN, [/Opens a long position in ETH with 100\.00 USDC at 5 times/, /May move from the account\s+100 USDC to market C/]],
    ['open_position_cross', { ...OPEN, direction: 'Short' }, [/Opens a short position in ETH under cross margin/, /Function\s+open_position_cross/]],
    ['close_position', { positionId: position }, [new RegExp(`Closes position ${position} at`), /nothing but the network's fee/]],
    ['close_position_cross', { positionId: cross }, [new RegExp(`Closes cross position ${cross} at`)]],
    ['place_limit_order', resting, [/once the price is at or below 1,500\.00/, /Slippage tolerance\s+0\.50 %/, /Good\s+until cancelled/]],
    ['place_stop_limit_order', { ...resting, limitPrice: '1490' }, [/becomes a limit order at 1,490\.00 once the price is at or below 1,500\.00/]],
    ['place_trailing_stop', { positionId: position, trailingPercentBps: '3', slippageToleranceBps: '1' }, [/falls back 3\.00 % from its best/]],
    ['set_stop_loss', { positionId: position, triggerPrice: '1100', slippageToleranceBps: '1' }, []],
    ['set_take_profit', { positionId: position, triggerPrice: '9000', slippageToleranceBps: '1' }, [/reaches 9,000\.00/, /Limit price\s+none/]],
    ['cancel_order', { orderId: order }, [new RegExp(`Cancels order ${order}\\.`)]],
  ]
  const submitted: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/tx/submit')) submitted.push(request.url())
  })
  for (const [op, values, parts] of told10) {
    await fillOperation(page, op, values)
    if (op === 'set_stop_loss') {
      // One is attached already: the network's refusal is told, by its name.
      await page.getByRole('button', { name: 'Prepare and review' }).click()
      await page.locator('#outcome').getByText(/nothing was charged: the network would refuse it: OrderAlreadyExists \(67\)/).waitFor()
      continue
    }
    const dialog = await prepare(page)
    for (const part of [...parts, new RegExp(`Function\\s+${op}\\n`), /Network's fee\s+at most 0\.\d{7} XLM/, /Valid until/]) assert.match(dialog, part, op)
    if (op === 'cancel_order') await page.keyboard.press('Escape')
    else await page.getByRole('button', { name: 'Do not sign' }).click()
    await page.locator('#outcome').getByText('You did not sign: nothing was sent.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Prepare and review')
  }
  assert.deepEqual(submitted, [])
  // What the browser itself notes of an answer of 400 is no fault of the page.
  assert.deepEqual(complaints.filter((text) => !text.includes('status of 400')), [])
})

test('a gateway that prepares something else is refused, with every difference, and nothing is signed', { skip }, async () => {
  const { page } = await tradingPage()
  await page.route('**/v1/orders/prepare', async (route) => {
    const asked = route.request().postDataJSON() as { collateral: string }
    await route.fulfill({ response: await route.fetch({ postData: JSON.stringify({ ...asked, collateral: '9990000000' }) }) })
  })
  let submissions = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/tx/submit')) submissions += 1
  })
  await fillOperation(page, 'open_position', OPEN)
  await page.getByRole('button', { name: 'Prepare and review' }).click()
  await page.getByText('Refused to sign: this gateway prepared something else than you asked for.').waitFor()
  const outcome = await page.locator('#outcome').innerText()
  assert.match(outcome, /argument 3\s+i128 "1000000000"\s+i128 "9990000000"/)
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(submissions, 0)
})

test('a key is listed, revoked, and of no use from then on; its secret is told once', { skip }, async () => {
  const { page, key } = await tradingPage()
  const [keyId = '', secret = ''] = key.split(':')
  await page.getByRole('link', { name: 'Wallet and keys', exact: true }).first().click()
  await page.getByRole('button', { name: 'I have kept it: hide' }).click()
  assert.ok(!(await page.content()).includes(secret))
  const row = page.getByRole('region', { name: /^Keys of this account/ }).getByRole('row', { name: new RegExp(`^${keyId} a test`) })
  await row.getByRole('button', { name: `Revoke ${keyId}, the one in use` }).click()
  await page.getByText(`${keyId} is revoked.`).waitFor()
  const { status } = await fetch(`${stage.url}/v1/account/me`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(status, 401)
  await page.getByText('I have a key').click()
  await page.getByLabel('Key', { exact: true }).fill(keyId)
  await page.getByLabel('Secret', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.getByText(/Not used: the key is not accepted \(401\)/).waitFor()
})

test('wallet and key are gone when the page is loaded again, unless somebody wanted them kept in the tab', { skip }, async () => {
  const { page } = await stage.open('#/keys')
  const key = await becomeTrader(page)
  assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0)
  await page.getByLabel(/^Keep my key/).check()
  await page.reload()
  await page.getByText(key.split(':')[0] ?? '', { exact: true }).first().waitFor()
  await page.getByText('Its secret is kept in this tab until that is closed.').waitFor()
  await page.getByLabel(/^Keep my key/).uncheck()
  assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0)
  await page.reload()
  await page.getByRole('button', { name: 'Make a throw-away wallet' }).waitFor()
})

/** Answers as the extension's own script does, in the words of its package. */
const FREIGHTER = `addEventListener('message', async ({ data }) => {
  if (data?.source !== 'FREIGHTER_EXTERNAL_MSG_REQUEST') return
  const answer = await askFreighter(data)
  postMessage({ source: 'FREIGHTER_EXTERNAL_MSG_RESPONSE', messagedId: data.messageId, ...answer }, location.origin)
})`

test('Freighter signs the challenge and what was reviewed; one on another network is told so', { skip }, async () => {
  const wallet = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 7))
  let networkPassphrase = 'Public Global Stellar Network ; September 2015'
  const asked: string[] = []
  function answer({ type, transactionXdr }: { readonly type: string; readonly transactionXdr: string }): object {
    asked.push(type)
    if (type === 'REQUEST_CONNECTION_STATUS') return { isConnected: true }
    if (type === 'REQUEST_ACCESS') return { publicKey: wallet.publicKey() }
    if (type === 'REQUEST_NETWORK_DETAILS') return { networkDetails: { network: 'SOME', networkUrl: '', networkPassphrase } }
    const transaction = TransactionBuilder.fromXdr(transactionXdr, TEST_PASSPHRASE)
    transaction.sign(wallet)
    return { signedTransaction: transaction.toXdr(), signerAddress: wallet.publicKey() }
  }
  await stage.cheat('local_fund', { address: wallet.publicKey(), usdc: '10000000000' })
  const { page, complaints } = await stage.open('#/keys', {
    prepare: async (fresh) => {
      await fresh.exposeFunction('askFreighter', answer)
      await fresh.addInitScript(FREIGHTER)
    },
  })
  assert.equal(await page.locator('script[src*=freighter]').count(), 0)
  await page.getByRole('button', { name: 'Connect Freighter' }).click()
  await page.getByText(/^No wallet: Freighter is on SOME: switch it to the network “Test SDF Network/).waitFor()
  networkPassphrase = TEST_PASSPHRASE
  await page.getByRole('button', { name: 'Connect Freighter' }).click()
  await page.getByRole('button', { name: 'Get an API key' }).click()
  await page.locator('#secret').waitFor()
  await page.getByRole('link', { name: 'Trade', exact: true }).click()
  await fillOperation(page, 'open_position', OPEN)
  assert.match(await prepare(page), /Freighter will ask you once more\./)
  await sign(page, 'Open a position')
  assert.deepEqual(asked.filter((type) => type === 'SUBMIT_TRANSACTION').length, 2)
  assert.deepEqual(complaints, [])
})

test('without Freighter the page says how to get it', { skip }, async () => {
  const { page } = await stage.open('#/keys')
  await page.getByRole('button', { name: 'Connect Freighter' }).click()
  await page.getByText(/^No wallet: Freighter is not there: install it/).waitFor()
})
