// The account ledger against the contracts of both generations: random operations, and what they did to wallets and cross balances.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { E7 } from '../../localnet/test/contracts/generation-1/test-exchange.ts'
import { checkExchange, createTotals } from './cash-check.ts'
import type { CashTotals } from './cash-check.ts'

const LIQUIDITIES = [50_000n * E7, 5_000n * E7, 1_000n * E7]

/** Kinds and balances that were moved, by function. */
function movedBy(totals: CashTotals): readonly string[] {
  return [...totals.kinds.keys()].toSorted()
}

for (const generation of ['1', '2.3'] as const) {
  test(`generation ${generation}: the movements of any operation add up to what each balance gained, to the stroop`, () => {
    const totals = createTotals()
    for (let seed = 0; seed < 12; seed++) checkExchange(generation, { steps: 150, seed, liquidity: LIQUIDITIES[seed % LIQUIDITIES.length] ?? 0n }, totals)
    assert.ok(totals.calls > 500 && totals.moved > 0n)
    const { gaps, repeated, resets } = totals.index
    assert.ok(gaps >= 5 && repeated >= 5 && resets === 24, JSON.stringify(totals.index))
    assert.ok(movedBy(totals).some((kind) => kind.startsWith('open_with_price')), 'nothing was moved through the router')
  })
}

test('the kinds of movements say what each function moved', () => {
  const first = createTotals()
  for (let seed = 100; seed < 112; seed++) checkExchange('1', { steps: 300, seed }, first)
  for (const expected of [
    'cancel_order order_refund wallet +', 'claim_leader_fees fees_claimed wallet +', 'close_position close wallet +', 'close_position_cross close cross +',
    'deposit lp_deposit wallet -', 'deposit vault_deposit wallet -', 'deposit_cross_margin cross_deposit cross +',
    'deposit_cross_margin cross_deposit wallet -', 'execute_order keeper_reward wallet +', 'execute_order order_refund wallet +',
    'open_position open wallet -', 'open_position_cross open cross -', 'place_limit_order order_escrow wallet -',
    'place_stop_limit_order order_escrow wallet -', 'withdraw lp_withdraw wallet +',
    'withdraw vault_withdraw wallet +', 'withdraw_cross_margin cross_withdraw cross -', 'withdraw_cross_margin cross_withdraw wallet +',
  ]) assert.ok(first.kinds.has(expected), `generation 1: ${expected}`)
  assert.deepEqual(movedBy(first).filter((name) => name.includes(' other ')), [], 'nothing is unexplained in generation 1')

  const second = createTotals()
  for (let seed = 100; seed < 120; seed++) checkExchange('2.3', { steps: 300, seed }, second)
  const routed = 'open_with_price|execute_with_price'
  const names = `add_collateral|remove_collateral|seed_buffer|claim_shortfall|open_position|open_position_cross|execute_order|${routed}|leader_open_position`
  const OTHER = new RegExp(`^(${names}) other wallet [+-]$`)
  const unexplained = movedBy(second).filter((name) => name.includes(' other ') && !OTHER.test(name))
  assert.deepEqual(unexplained, [], 'collateral, the buffer, shortfalls and the treasury\'s share have no kind of their own')
  for (const expected of ['liquidate keeper_reward wallet +', 'claim referral_claim wallet +', 'close_position_partial close wallet +']) {
    assert.ok(second.kinds.has(expected), `generation 2: ${expected}`)
  }
})
