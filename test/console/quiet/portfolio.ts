// The pages about accounts in a browser: the portfolio of the connected account, public trader pages, and referrals.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Keypair } from '@stellar/stellar-sdk'
import type axeCore from 'axe-core'
import type { Locator, Page, Route } from 'playwright-core'
import { createClient } from '../../../client/src/client.ts'
import type { Client } from '../../../client/src/client.ts'
import type { CashMovement, LeaderboardEntry } from '../../../client/src/generated/resources.ts'
import type { Key } from '../../../client/src/http.ts'
import { secretSigner } from '../../../client/src/signer.ts'
import { TEST_GENERATION } from '../../support/generation.ts'
import { fillTicket, goTo, reviewTicket, rowsWith, setUpTrader, sign, waitUntil } from '../console-fixture.ts'
import { ONE } from '../../support/traders.ts'
import { fixture, skip } from './network.ts'

const MARKET = 'ETH'
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8')
const PHONE = { width: 360, height: 740 }
const FUNDED = 10_000n * ONE

/** A funded account with its own client, apart from the page. */
async function otherAccount(seed: number): Promise<{ readonly address: string; readonly client: Client }> {
  const signer = await secretSigner(Keypair.fromRawEd25519Seed(Buffer.alloc(32, seed)).secret())
  await fixture.control('local_fund', { address: signer.address, usdc: String(1_000n * ONE) })
  const client = createClient({ url: fixture.url, signer })
  await client.login()
  return { address: signer.address, client }
}

/** Each part of a page is read on its own, so a figure may follow its label. Fails after the page's time limit. */
async function untilText(within: Locator, pattern: RegExp): Promise<void> {
  await within.filter({ hasText: pattern }).waitFor()
}

/** A client with the page's wallet and API key, which the page stores. */
async function clientOf(page: Page): Promise<Client> {
  const { key, secret } = JSON.parse(await page.evaluate<string>("localStorage.getItem('console')")) as { readonly key: Key; readonly secret: string }
  return createClient({ url: fixture.url, key, signer: await secretSigner(secret) })
}

/** The page on a phone, with everything on it. */
async function assertAccessible(page: Page): Promise<void> {
  await page.setViewportSize(PHONE)
  await page.evaluate(`${AXE}; undefined`)
  const { violations } = await page.evaluate<axeCore.AxeResults>('axe.run()')
  assert.deepEqual(violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ html }) => html).join(' | ')}`), [])
  assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0, 'pixels too wide')
}

test('a new user is led to a wallet; then the portfolio shows equity, PnL and the cash ledger, and exports it exactly', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/portfolio')
  await page.getByText('Connect a wallet to see your balances').waitFor()
  await setUpTrader(page)
  const own = await clientOf(page)
  await page.goto(`${fixture.url}/#/portfolio`)
  const equity = page.getByRole('region', { name: 'Equity' })
  await equity.getByText('10,000.00 USDC', { exact: true }).waitFor()
  let reads = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/account/me/state')) reads += 1
  })
  await page.reload()
  await equity.getByText('10,000.00 USDC', { exact: true }).waitFor()
  assert.equal(reads, 1, 'an account that is shown while it is read is not read again')
  await page.getByText('No trades yet. The curve begins with the first trade.').waitFor()
  await page.goto(`${fixture.url}/#/trade/${MARKET}`)
  await fillTicket(page, 'Market', { Side: 'Long', Amount: '100', Leverage: '5' })
  await reviewTicket(page)
  await sign(page, 'Open a long position')
  await goTo(page, 'Portfolio')

  // 0.05 % of 500 USDC is the fee. The rest of the collateral is still the account's.
  await equity.getByText('9,999.75 USDC', { exact: true }).waitFor()
  await untilText(equity, /Wallet\s*9,900\.00[^]*Isolated positions\s*99\.75[^]*Cross balance\s*0\.00/)
  await untilText(equity, /Pool shares\s*0\.00[^]*Vault shares\s*0\.00/)
  await own.trade({ op: 'create_vault', name: 'North' })
  // Vaults of other tests may have been created before.
  const vaultId = (await own.listVaults()).body.vaults.find(({ name }) => name === 'North')?.id ?? assert.fail('the vault is not listed')
  await own.trade({ op: 'deposit_vault', vaultId, amount: String(50n * ONE) })
  await equity.getByText(`Shares of vault ${vaultId}, North`, { exact: true }).waitFor()
  // Their value is read after their number, and until then the total is unknown.
  await untilText(equity, /9,999\.75 USDC[^]*Wallet\s*9,850\.00[^]*Shares of vault \d+, North\s*50\.00/)
  await assertValueAndShare(page)
  const pnl = page.getByRole('region', { name: 'PnL' })
  await pnl.getByRole('img', { name: /last −0\.25 USDC/ }).waitFor()
  await untilText(pnl, /Fees paid\s*0\.25/)
  for (const range of ['Day', 'Week', 'Month']) {
    await pnl.getByRole('button', { name: range }).click()
    await pnl.getByRole('img', { name: /last −0\.25 USDC/ }).waitFor()
  }
  await assertReadout(pnl, page)
  await pnl.getByText('PnL as a table').click()
  await pnl.getByRole('row', { name: /−0\.25/ }).waitFor()
  await untilText(page.getByRole('region', { name: 'Trading' }), /Volume, all\s*500(?!\d)/)
  const cash = page.getByRole('region', { name: 'Cash ledger' })
  await rowsWith(cash, 'Position opened', '−100.0000000', 'Wallet').waitFor()

  const saved = page.waitForEvent('download')
  await cash.getByRole('button', { name: 'Export as CSV' }).click()
  const download = await saved
  await cash.getByText('2 rows saved. The ledger is complete.').waitFor()
  const { owner } = (await own.getAccountIdentity()).body
  assert.match(download.suggestedFilename(), new RegExp(`^cash-${owner}-\\d{4}-\\d\\d-\\d\\d\\.csv$`))
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n').map((line) => line.split(','))
  const { ledger } = (await own.listAccountLedger()).body
  assert.deepEqual(lines.slice(1).map(([seq, , kind, , amount]) => [seq, kind, amount]), ledger.map(rowOf))
  const { balances } = (await own.getAccountState()).body
  const sum = lines.slice(1).filter(([, , , balance]) => balance === 'wallet').reduce((all, [, , , , amount = '']) => all + BigInt(amount.replace('.', '')), 0n)
  assert.equal(FUNDED + sum, BigInt(balances.usdc ?? -1))
  await cash.getByLabel('Kind of movement').selectOption('cross_deposit')
  await cash.getByText('No movements of this kind.').waitFor()
  await cash.getByLabel('Kind of movement').selectOption('all')
  await cash.getByRole('row', { name: /Position opened/ }).waitFor()
  await assertAccessible(page)
  assert.deepEqual(browserErrors, [])
})

/** The value over time, the picture of the position, and its funding. */
async function assertValueAndShare(page: Page): Promise<void> {
  const value = page.getByRole('region', { name: 'Account value' })
  for (const range of ['Day', 'Week', 'Month']) {
    await value.getByRole('button', { name: range }).click()
    await value.getByRole('img', { name: /^Account value: \d+ points, last 9,999\.75 USDC$/ }).waitFor()
  }
  // The only change was the fee.
  await value.getByRole('slider', { name: 'Points of Account value' }).press('Home')
  await untilText(value.locator('.readout'), / 10,000\.00 USDC$/)
  await sharePosition(page)
  await page.getByRole('region', { name: 'Funding' }).getByText('No funding was settled in the fills that are loaded.').waitFor()
}

/** Saves and copies the picture of the only position, which shows amounts on request only. */
async function sharePosition(page: Page): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: /^Share position \d+ in ETH$/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Share the position' })
  const label = async (): Promise<string> => await dialog.getByRole('img').getAttribute('aria-label') ?? ''
  assert.match(await label(), /^ETH long, 5×, 0\.00%, Entry [\d,.]+, Price [\d,.]+$/)
  const pixels = (): Promise<string> => page.evaluate<string>("document.querySelector('canvas.share').toDataURL()")
  const drawn = await pixels()
  await dialog.getByLabel('Show amounts in USDC').check()
  await dialog.getByRole('img', { name: /Size 500\.00, PnL 0\.00$/ }).waitFor()
  await waitUntil(page, `document.querySelector('canvas.share').toDataURL() !== ${JSON.stringify(drawn)}`)
  const saved = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save the picture' }).click()
  const download = await saved
  assert.match(download.suggestedFilename(), /^position-\d+\.png$/)
  const png = await readFile(await download.path())
  // The signature, then the width and height in the first chunk.
  assert.deepEqual([png.subarray(1, 4).toString(), png.readUInt32BE(16), png.readUInt32BE(20)], ['PNG', 1_200, 630])
  await dialog.getByRole('button', { name: 'Copy the picture' }).click()
  await dialog.getByText('Copied.', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
}

/** The value at each point of the curve: with the arrow keys, which a screen reader announces, or at the pointer. */
async function assertReadout(pnl: Locator, page: Page): Promise<void> {
  const readout = pnl.locator('.readout')
  const slider = pnl.getByRole('slider', { name: 'Points of PnL after fees and funding' })
  await slider.press('Home')
  assert.match(await readout.innerText(), /^\d+ \w+ 20\d\d, [\d:]+ 0\.00 USDC$/)
  await slider.press('End')
  assert.match(await slider.getAttribute('aria-valuetext') ?? '', /^\d+ \w+ 20\d\d, [\d:]+: −0\.25 USDC$/)
  await slider.press('ArrowLeft')
  assert.match(await readout.innerText(), / 0\.00 USDC$/)
  await pnl.getByRole('img').hover({ position: { x: 2, y: 20 } })
  assert.match(await readout.innerText(), / 0\.00 USDC$/)
  await page.mouse.move(0, 0)
  await readout.getByText('−0.25 USDC').waitFor()
}

function rowOf({ seq, kind, amount }: CashMovement): readonly (string | undefined)[] {
  const digits = String(amount).replace('-', '').padStart(8, '0')
  return [String(seq), kind, `${amount?.startsWith('-') === true ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`]
}

async function asOnTestNetwork(route: Route): Promise<void> {
  const response = await route.fetch()
  await route.fulfill({ response, body: (await response.text()).replace(/(localRpcUrl&quot;:)&quot;[^&]*&quot;/, '$1null') })
}

/** The margins of the periods, which follow the index by some seconds: known for a day, not known for a week, and nothing opened in a month. */
function withMargins(address: string): (route: Route) => Promise<void> {
  const margins = { day: '40000000', week: null, month: '0' } as const
  return async (route) => {
    const response = await route.fetch()
    const body = await response.json() as { readonly leaders: readonly LeaderboardEntry[] }
    const margin = margins[new URL(route.request().url()).searchParams.get('period') as keyof typeof margins]
    await route.fulfill({ response, json: { ...body, leaders: body.leaders.map((row) => (row.trader === address ? { ...row, pnl: '100000', margin } : row)) } })
  }
}

test('the leaderboard leads to a trader\'s public page, and an invalid address is explained', { skip }, async () => {
  const { address, client } = await otherAccount(2)
  const { positionId } = await client.trade({ op: 'open_position', asset: MARKET, collateral: String(20n * ONE), leverage: 2, direction: 'Short' })
  await client.trade({ op: 'close_position', positionId: positionId ?? 0 })
  await client.trade({ op: 'open_position', asset: MARKET, collateral: String(20n * ONE), leverage: 3, direction: 'Long' })
  const { page, browserErrors } = await fixture.open('#/leaders', { prepare: (opening) => opening.route('**/v1/leaderboard?*period=*', withMargins(address)) })
  const board = page.getByRole('region', { name: /^Traders by/ })
  for (const [period, shown] of [['24 h', '+0.25%'], ['7 days', 'unknown'], ['30 days', 'n/a'], ['All time', /[+−]?\d+\.\d\d%/]] as const) {
    await page.getByRole('group', { name: 'Period' }).getByRole('button', { name: period }).click()
    await rowsWith(board, address.slice(0, 8), shown, '140').waitFor()
  }
  await page.getByRole('link', { name: address }).click()
  await page.getByRole('heading', { name: 'Trader', exact: true }).waitFor()
  const figures = page.getByRole('region', { name: 'Trading' })
  await figures.getByText('0 and 0').waitFor()
  await untilText(figures, /Volume, all\s*140(?!\d)[^]*Trades\s*3(?!\d)[^]*Open positions\s*1 \(60 USDC\)/)
  await untilText(page.getByRole('main'), /Rank by PnL\s*\d+ of \d+/)
  await page.getByRole('region', { name: 'PnL' }).getByRole('img', { name: /^PnL after fees and funding: \d+ points/ }).waitFor()
  await rowsWith(page.getByRole('region', { name: /^Open positions, newest/ }), 'ETH', 'Long', '60.00').waitFor()
  const trades = page.getByRole('region', { name: /^Opens, closes/ }).getByRole('row')
  await trades.nth(3).waitFor()
  assert.deepEqual((await trades.allInnerTexts()).slice(1).map((text) => /Open|Close/.exec(text)?.[0]), ['Open', 'Close', 'Open'])
  await assertAccessible(page)
  // The local network has no explorer. A gateway of the test network says that it runs no local one.
  assert.equal(await page.locator('a[href*="stellar.expert"]').count(), 0)
  const elsewhere = await fixture.open(`#/trader/${address}`, { prepare: (opening) => opening.route(`${fixture.url}/`, asOnTestNetwork) })
  const link = elsewhere.page.getByRole('link', { name: `${address} in the explorer, opens a new tab` })
  assert.equal(await link.getAttribute('href'), `https://stellar.expert/explorer/testnet/account/${address}`)
  const transactions = elsewhere.page.getByRole('region', { name: /^Opens, closes/ }).locator('a[href^="https://stellar.expert/explorer/testnet/tx/"]')
  await transactions.nth(2).waitFor()
  await page.goto(`${fixture.url}/#/trader/${address.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))}`)
  await page.getByRole('alert').getByText('This is not the address of an account. An address begins with G').waitFor()
  assert.deepEqual(browserErrors, [])
})

test('a trader sets a referrer, creates a code, and sees who used it', { skip }, async () => {
  const { address, client } = await otherAccount(3)
  await client.trade({ op: 'create_referral_code', code: 'north' })
  const { page, browserErrors } = await fixture.open('#/referrals/north')
  await page.getByText('You were invited with the code north.').waitFor()
  await setUpTrader(page)
  await page.goto(`${fixture.url}/#/referrals/north`)
  const referrer = page.getByRole('region', { name: 'Your referrer' })
  assert.equal(await referrer.getByLabel('Code of your referrer').inputValue(), 'north')
  await referrer.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('dialog').getByText('Makes the owner of the referral code north the referrer of the account.').waitFor()
  await sign(page, 'Set the referrer')
  await referrer.getByRole('link', { name: address }).waitFor()
  const own = page.getByRole('region', { name: 'Your code' })
  assert.equal(await page.locator('[data-link]').count(), 0, 'no link without a code')
  const rewards = page.getByRole('region', { name: 'Rewards' })
  if (TEST_GENERATION === '1') {
    await page.getByText(/^Rewards are not active: the contracts of this exchange store codes and referrers/).waitFor()
    await rewards.getByText('No rewarded trades: rewards are not active.').waitFor()
  } else await rewards.getByText('No rewarded trades yet. Create a code first: it gives you a link to share.').waitFor()
  await own.getByLabel('New code').fill('no')
  await own.getByRole('button', { name: 'Review' }).click()
  await own.getByText('Enter 3 to 16 characters.').waitFor()
  await own.getByLabel('New code').fill('south')
  await own.getByRole('button', { name: 'Review' }).click()
  await sign(page, 'Create the referral code')
  await own.getByText(`${fixture.url}/#/referrals/south`).waitFor()
  assert.equal(await own.getByRole('button', { name: 'Claim' }).isDisabled(), true)
  await client.trade({ op: 'set_referrer', code: 'south' })
  await goTo(page, 'Leaders')
  await goTo(page, 'Referrals')
  await untilText(own, /Referred accounts\s*1(?!\d)/)
  await assertAccessible(page)
  assert.deepEqual(browserErrors, [])
})

test('the leaderboard names the user\'s own place, and says why there is none', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/leaders')
  await page.getByRole('heading', { name: 'Leaderboard' }).waitFor()
  await setUpTrader(page)
  await page.getByText('You are not ranked, because you have not traded.').waitFor()
  await page.getByRole('group', { name: 'Period' }).getByRole('button', { name: '24 h' }).click()
  await page.getByText('You have not traded in this period.').waitFor()
  const own = await clientOf(page)
  await own.trade({ op: 'open_position', asset: MARKET, collateral: String(20n * ONE), leverage: 2, direction: 'Long' })
  await page.getByRole('group', { name: 'Period' }).getByRole('button', { name: 'All time' }).click()
  await page.getByText(/^You: rank \d+\.$/).waitFor()
  await rowsWith(page.getByRole('region', { name: /^Traders by/ }), 'you').waitFor()
  assert.deepEqual(browserErrors, [])
})
