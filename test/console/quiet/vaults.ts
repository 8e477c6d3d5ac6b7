// Vaults and the liquidity pool in a browser on a running exchange: deposits, withdrawals, the leader's orders, and what is signed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scValToNative, Transaction, TransactionBuilder } from '@stellar/stellar-sdk'
import type { Page } from 'playwright-core'
import { goTo, readReview, rowsWith, waitUntil } from '../console-fixture.ts'
import { TEST_GENERATION } from '../../support/generation.ts'
import { TEST_PASSPHRASE } from '../../support/keys.ts'
import { fixture, skip } from './network.ts'

/** Fills in the form and returns the text of the review. */
async function review(page: Page, direction: string, label: string, value: string): Promise<string> {
  await page.getByRole('group', { name: 'Direction' }).getByRole('button', { name: direction, exact: true }).click()
  await page.getByLabel(label, { exact: true }).fill(value)
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  return readReview(page)
}

async function sign(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign and submit' }).click()
  await page.getByText(`${title}: done in ledger`).waitFor()
}

/** The function and its arguments in the bytes that were submitted. */
function signedCall(signedXdr: string): { readonly functionName: string; readonly args: readonly unknown[]; readonly fee: string } {
  const transaction = TransactionBuilder.fromXdr(signedXdr, TEST_PASSPHRASE)
  assert.ok(transaction instanceof Transaction)
  const [operation] = transaction.operations
  assert.ok(operation?.type === 'invokeHostFunction' && operation.func.type === 'hostFunctionTypeInvokeContract')
  const { functionName, args } = operation.func.invokeContract
  return { functionName: String(functionName), args: args.map((arg) => scValToNative(arg)), fee: transaction.fee }
}

test('a leader creates a vault, deposits, opens and closes a position, and pauses it, which disables deposits', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/vaults')
  await page.getByText('Create a vault').click()
  await page.getByRole('button', { name: 'Burner wallet' }).click()
  await page.getByText(/creating a vault needs/i).waitFor({ state: 'detached' })
  await page.getByLabel('Name', { exact: true }).fill('A test vault')
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  assert.match(await readReview(page), /Creates a trader vault named “A test vault”, led by the account/)
  await sign(page, 'Create the vault')
  await page.getByRole('link', { name: 'A test vault' }).click()
  await review(page, 'Deposit', 'Amount', '500')
  await sign(page, 'Deposit')
  const leader = page.getByRole('region', { name: 'Lead this vault' })
  await leader.getByLabel('Market').selectOption('ETH')
  await leader.getByLabel('Collateral, USDC').fill('100')
  await leader.getByRole('button', { name: 'Review vault order' }).click()
  assert.match(await readReview(page), /Opens a long position in ETH with 100\.00 USDC of vault \d+ at 2× leverage/)
  await sign(page, 'Vault order')
  // The collateral is still the vault's. Contracts that value positions subtract the fee.
  await page.getByRole('region', { name: 'Figures' }).filter({ hasText: /Equity, USDC(?: \(estimate\))?\s*(?:500\.00|499\.\d\d)(?!\d)/ }).waitFor()
  await rowsWith(page.getByRole('region', { name: /^Trades of the vault/ }), 'Open', 'ETH', 'Long', '200.00').waitFor()
  if (TEST_GENERATION === '1') {
    await page.getByText(/^The contracts count cash alone: a share costs and pays 0\.8000 USDC, though it is worth about 1\.0000\./).waitFor()
  }
  await page.getByRole('link', { name: 'All vaults' }).click()
  await rowsWith(page.getByRole('region', { name: /^Trader vaults/ }), 'A test vault', /Equity\s*500|500/).waitFor()
  await page.getByRole('link', { name: 'A test vault' }).first().click()
  await leader.getByRole('group', { name: 'Vault order' }).getByRole('button', { name: 'Close', exact: true }).click()
  await leader.getByLabel('Position').selectOption({ index: 1 })
  await leader.getByRole('button', { name: 'Review vault order' }).click()
  await sign(page, 'Vault order')
  await leader.getByRole('button', { name: 'Pause the vault' }).click()
  assert.match(await readReview(page), /Sets vault \d+ to paused/)
  await sign(page, 'Pause the vault')
  await page.getByText('The vault is paused: it takes no deposits.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Review', exact: true }).isDisabled(), true)
  await leader.getByRole('button', { name: 'Resume the vault' }).click()
  await sign(page, 'Resume the vault')
  assert.deepEqual(browserErrors, [])
})

test('another account deposits into a vault and the pool, withdraws from both, and signs exactly what the review showed', { skip }, async () => {
  const { page, browserErrors } = await fixture.open('#/vaults')
  const submitted: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/tx/submit')) submitted.push((request.postDataJSON() as { signedXdr: string }).signedXdr)
  })
  await page.getByRole('link', { name: 'A test vault' }).click()
  await page.getByRole('heading', { name: 'A test vault', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Burner wallet' }).click()
  await page.getByText('You have 10,000.00 USDC.').waitFor()

  await page.getByLabel('Amount', { exact: true }).fill('10,250.5')
  await page.getByText('You have 10,000.00 USDC: 250.50 USDC are missing.').waitFor()
  const deposit = await review(page, 'Deposit', 'Amount', '100')
  assert.match(deposit, /Deposits 100\.00 USDC from the account into trader vault \d+, for shares/)
  assert.match(deposit, /Authorizes\s+100 USDC to vaultFactory C/)
  assert.match(deposit, /You receive about [\d.]+ shares at [\d.]+ USDC per share, [\d.]+% of the vault\./)
  const fee = /Network fee\s+at most (0\.\d{7}) XLM/.exec(deposit)?.[1] ?? assert.fail(deposit)
  assert.match(deposit, /Expires in \d+ (s|min)\./)
  await sign(page, 'Deposit')
  const sent = signedCall(submitted.at(-1) ?? '')
  assert.equal(sent.functionName, 'deposit')
  assert.equal(sent.args[2], 1_000_000_000n)
  assert.equal((Number(sent.fee) / 1e7).toFixed(7), fee)

  const own = page.getByText(/^Your shares/).locator('xpath=..').getByRole('definition')
  await own.getByText(/^[1-9][\d.]*$/).first().waitFor()
  assert.match(await review(page, 'Withdraw', 'Shares', '40'), /Returns 40 shares to trader vault \d+, for USDC/)
  await sign(page, 'Withdraw')
  assert.equal(signedCall(submitted.at(-1) ?? '').args[2], 400_000_000n)
  await page.getByRole('group', { name: 'List' }).getByRole('button', { name: 'Deposits' }).click()
  await page.getByRole('region', { name: 'Deposits, newest first' }).getByRole('row', { name: /100\.00/ }).waitFor()
  await page.getByRole('link', { name: 'All vaults' }).click()
  await page.getByRole('region', { name: 'Your shares' }).getByRole('link', { name: 'A test vault' }).waitFor()

  await goTo(page, 'Pool')
  assert.match(await review(page, 'Deposit', 'Amount', '1000'), /Deposits 1,000\.00 USDC from the account into the liquidity pool, for LP tokens/)
  await sign(page, 'Deposit')
  await page.getByText('Your LP tokens').waitFor()
  await page.getByRole('group', { name: 'Direction' }).getByRole('button', { name: 'Withdraw', exact: true }).click()
  await page.getByText(/^You have [1-9][\d,]*\.\d\d LP tokens\.$/).waitFor()
  if (TEST_GENERATION === '1') {
    assert.match(await review(page, 'Withdraw', 'LP tokens', '500'), /Allows C[A-Z2-7]{55} to take 500 LP tokens from the account until ledger \d+/)
    await page.getByText('Then: Withdraw. This review covers both transactions.').waitFor()
    await sign(page, 'Withdraw')
  } else await page.getByText(/^You can withdraw in .* the pool waits after each deposit\.$/).waitFor()
  await waitUntil(page, 'Number(document.querySelector("[data-points]")?.dataset.points) > 0')
  // A submission without an outcome in time is sent again.
  const signed = [...new Set(submitted)].map((xdr) => signedCall(xdr).functionName)
  assert.deepEqual(signed, ['deposit', 'withdraw', 'deposit', ...(TEST_GENERATION === '1' ? ['approve', 'withdraw'] : [])])
  assert.deepEqual(browserErrors, [])
})

test('refuses to sign a deposit that the gateway changed', { skip }, async () => {
  const { page } = await fixture.open('#/pool')
  await page.getByRole('button', { name: 'Burner wallet' }).click()
  await page.getByText('You have 10,000.00 USDC.').waitFor()
  await page.route('**/v1/actions/prepare', async (route) => {
    const action = route.request().postDataJSON() as object
    await route.fulfill({ response: await route.fetch({ postData: JSON.stringify({ ...action, amount: '9990000000' }) }) })
  })
  await page.getByLabel('Amount', { exact: true }).fill('100')
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  await page.getByText('Not signed: the gateway prepared a transaction that differs from your order.').waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
})
