// The worked numbers of docs/how-the-exchange-works.md, computed by the contracts of the local network.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { formatDecimal } from '../../src/base/fixed-point.ts'
import { address, bool, i128, symbol, u32, u64 } from '../../localnet/contracts/shared/host.ts'
import { FEE_TIERS } from '../../localnet/contracts/shared/market/defaults.ts'
import { toNative } from '../../localnet/test/contracts/test-host.ts'
import { ALICE, BOB, createTestExchange, E7, eventsOf, KEEPER, openArgs, PROVIDER, VAULT } from '../../localnet/test/contracts/generation-1/test-exchange.ts'
import { amountArgs, createTestVaults, createVaultArgs } from '../../localnet/test/contracts/generation-1/test-vaults.ts'

const PAGE = readFileSync(new URL('../../docs/how-the-exchange-works.md', import.meta.url), 'utf8')

const usdc = (amount: unknown): string => `${formatDecimal(amount as bigint)} USDC`
/** A rate in E7, as a percentage. */
const percent = (rate: bigint): string => `${formatDecimal(rate * 100n)} %`

/** The rows of the table whose first heading cell is `heading`: label to value. */
function tableOf(heading: string): Map<string, string> {
  const lines = PAGE.slice(PAGE.indexOf(`\n| ${heading} |`) + 1).split('\n')
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return new Map(lines.slice(2, end).map((line) => line.split('|').slice(1, 3).map((cell) => cell.trim()) as [string, string]))
}

/** Compares a table's values with the contracts' results, row by row. */
function assertTable(heading: string, values: readonly string[]): void {
  assert.deepEqual([...tableOf(heading).values()], values, heading)
}

test('opening and closing an isolated position yields the amounts on the page', () => {
  const exchange = createTestExchange()
  const pool = exchange.vaultView('get_total_usdc') as bigint
  const id = exchange.open(ALICE, { leverage: 5 })
  const position = exchange.position(id)
  const fee = (exchange.vaultView('get_total_usdc') as bigint) - pool
  assertTable('Opening', [usdc(position['size']), usdc(fee), usdc(position['collateral']), usdc(position['liquidation_price'])])

  exchange.setPrice('BTC', 51_000n * E7)
  const balance = exchange.usdc(ALICE)
  const pnl = toNative(exchange.close(ALICE, id).value) as bigint
  const paid = exchange.usdc(ALICE) - balance
  assertTable('Closing at 51,000', [usdc(pnl), usdc(paid), usdc(paid - 100n * E7)])
})

test('a liquidation distributes the collateral as on the page', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE, { leverage: 5 })
  const { collateral, liquidation_price: price } = exchange.position(id) as { collateral: bigint, liquidation_price: bigint }
  exchange.setPrice('BTC', price)
  const loss = (500n * E7 * (50_000n * E7 - price)) / (50_000n * E7)
  const [pool, owner] = [exchange.usdc(VAULT), exchange.usdc(ALICE)]
  const reward = toNative(exchange.invokeOk('liquidate', [address(KEEPER), u64(id)]).value) as bigint
  assertTable('Liquidation at 40,500', [
    usdc(loss), usdc(collateral - loss), usdc(reward), usdc(exchange.usdc(VAULT) - pool), usdc(exchange.usdc(ALICE) - owner),
  ])
})

test('funding payments match the page', () => {
  const exchange = createTestExchange()
  const long = exchange.open(ALICE, { leverage: 5 })
  const short = exchange.open(BOB, { collateral: 40n * E7, leverage: 5, direction: 1 })
  // The market pays receivers out of all traders' collateral, so a third account deposits some.
  exchange.invokeOk('deposit_cross_margin', [address(KEEPER), i128(100n * E7)])
  exchange.advance(3_600n)
  const [event] = eventsOf(exchange.invokeOk('apply_funding', []))
  const [rate = 0n] = (event?.[1] ?? []) as [bigint?]
  exchange.setPrice('BTC', 50_000n * E7)
  const paidOut = (trader: string, id: bigint): bigint => {
    const balance = exchange.usdc(trader)
    const { collateral } = exchange.position(id) as { collateral: bigint }
    exchange.close(trader, id)
    return exchange.usdc(trader) - balance - collateral
  }
  assertTable('Funding after one hour', [percent(rate), usdc(-paidOut(ALICE, long)), usdc(paidOut(BOB, short))])
})

test('a cross account is liquidated just below the price on the page', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('deposit_cross_margin', [address(BOB), i128(100n * E7)])
  const id = exchange.open(BOB, { collateral: 50n * E7 }, 'open_position_cross')
  const position = exchange.position(id) as { collateral: bigint, size: bigint }
  const balance = toNative(exchange.invokeOk('get_cross_margin_balance', [address(BOB)]).value) as bigint
  const equity = balance + position.collateral
  const maintenance = position.size / 100n
  const threshold = 50_000n * E7 - ((equity - maintenance) * 50_000n * E7) / position.size
  assertTable('Cross margin at 50,000', [usdc(position.size), usdc(balance), usdc(position.collateral), usdc(equity), usdc(maintenance), usdc(threshold)])
  const liquidate = (): string => exchange.tryInvoke('liquidate_cross_account', [address(KEEPER), address(BOB)])
  exchange.setPrice('BTC', threshold)
  assert.notEqual(liquidate(), 'ok')
  exchange.setPrice('BTC', threshold - E7)
  assert.equal(liquidate(), 'ok')
})

test('a keeper\'s reward for a limit order matches the page', () => {
  const exchange = createTestExchange()
  const [trader, asset, collateral, leverage, direction] = openArgs(ALICE, { leverage: 5 })
  assert.ok(trader && asset && collateral && leverage && direction)
  const order = exchange.invokeOk('place_limit_order', [trader, asset, direction, collateral, leverage, i128(50_000n * E7), bool(false), u32(100), u32(0)])
  const { id } = toNative(order.value) as { id: bigint }
  const [keeper, pool] = [exchange.usdc(KEEPER), exchange.vaultView('get_total_usdc') as bigint]
  exchange.invokeOk('execute_order', [address(KEEPER), u64(id)])
  const position = exchange.position(1n)
  const fee = (exchange.vaultView('get_total_usdc') as bigint) - pool
  assertTable('Execution of a limit order', [usdc(fee), usdc(exchange.usdc(KEEPER) - keeper), usdc(position['collateral'])])
})

test('the fee tiers match the deployed configuration', () => {
  const rows = FEE_TIERS.map(({ min_volume: volume, taker_fee_bps: taker, maker_fee_bps: maker }) =>
    `| ${usdc(volume)} | ${taker / 1_000} % | ${maker / 1_000} % |`)
  for (const row of rows) assert.ok(PAGE.includes(row), row)
})

test('the fee of a deposit into the pool matches the page', () => {
  const { host, vaultView } = createTestExchange()
  host.fund(PROVIDER, 'USDC:GISSUER', 20_000n * E7)
  const fees = (): bigint => (vaultView('get_pool_info') as { total_fees: bigint }).total_fees
  const feesBefore = fees()
  host.invokeOk(VAULT, 'deposit', [address(PROVIDER), i128(10_000n * E7)], [PROVIDER])
  assertTable('Deposit of 10,000 USDC', [usdc(fees() - feesBefore)])
})

test('a vault\'s profit share matches the page', () => {
  const vaults = createTestVaults()
  vaults.callFactory('create_vault', createVaultArgs(ALICE, 'north'))
  vaults.callFactory('deposit', amountArgs(ALICE, 0, 10_000n * E7))
  vaults.callFactory('deposit', amountArgs(BOB, 0, 5_000n * E7))
  const shares = vaults.shares(0, BOB)
  // A profitable trade: 1,000 USDC at 10x with a price rise of 15%, plus the opening fee of 5 USDC.
  const id = vaults.callFactory('leader_open_position', [address(ALICE), u32(0), symbol('BTC'), i128(1_000n * E7), u32(10), u32(0)]) as bigint
  vaults.setPrice('BTC', 57_525n * E7)
  vaults.callFactory('leader_close_position', [address(ALICE), u32(0), u64(id)])
  const nav = (): bigint => (vaults.vault(0).total_usdc * E7) / vaults.vault(0).circulating_shares
  const navBefore = nav()
  const fee = vaults.callFactory('claim_leader_fees', [u32(0)]) as bigint
  assert.equal(vaults.vault(0).hwm_nav, nav())
  assertTable('Vault', [formatDecimal(shares), usdc(navBefore), usdc(fee), usdc(nav())])
})

