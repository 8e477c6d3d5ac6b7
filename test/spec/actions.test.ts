// The actions besides the ten operations, listed by hand: contract, function, and arguments in the function's order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACTION_NAMES, actionFields } from '../../src/exchange/actions.ts'
import type { ActionRequest } from '../../src/exchange/actions.ts'
import { findForm, typesOf } from '../../src/exchange/contracts/call-forms.ts'
import { CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import type { ContractAddresses } from '../../src/exchange/contracts/contracts.ts'
import { GENERATIONS, requiredSignatures } from '../../src/exchange/contracts/generations.ts'
import type { Generation } from '../../src/exchange/contracts/generations.ts'
import { callOf, definitionOf } from '../support/calls.ts'

const SIGNER = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'
const CONTRACTS = Object.fromEntries(CONTRACT_KEYS.map((key) => [key, `the ${key}`])) as unknown as ContractAddresses

/** A request of each action and the expected call. `me` is the signer. */
const CALLS: readonly (readonly [body: ActionRequest, call: string])[] = [
  [{ op: 'deposit_cross_margin', amount: '5' }, 'market deposit_cross_margin(address me, i128 5)'],
  [{ op: 'withdraw_cross_margin', amount: '5' }, 'market withdraw_cross_margin(address me, i128 5)'],
  [{ op: 'deposit_liquidity', amount: '5' }, 'vault deposit(address me, i128 5)'],
  [
    { op: 'approve_liquidity_withdrawal', lpAmount: '5', expirationLedger: 9 },
    'lpToken approve(address me, address the vault, i128 5, u32 9)',
  ],
  [{ op: 'withdraw_liquidity', lpAmount: '5' }, 'vault withdraw(address me, i128 5)'],
  [{ op: 'create_vault', name: 'North star' }, 'vaultFactory create_vault(address me, string North star)'],
  [{ op: 'deposit_vault', vaultId: 3, amount: '5' }, 'vaultFactory deposit(address me, u32 3, i128 5)'],
  [{ op: 'withdraw_vault', vaultId: 3, shares: '5' }, 'vaultFactory withdraw(address me, u32 3, i128 5)'],
  [
    { op: 'leader_open_position', vaultId: 3, asset: 'BTC', collateral: '7', leverage: 2, direction: 'Short' },
    'vaultFactory leader_open_position(address me, u32 3, symbol BTC, i128 7, u32 2, u32 1)',
  ],
  [{ op: 'leader_close_position', vaultId: 3, positionId: '8' }, 'vaultFactory leader_close_position(address me, u32 3, u64 8)'],
  [
    {
      op: 'leader_place_limit_order', vaultId: 3, asset: 'BTC', collateral: '7', leverage: 2, direction: 'Long', triggerPrice: '11', triggerCondition: 'Below',
      slippageToleranceBps: 100,
    },
    'vaultFactory leader_place_limit_order(address me, u32 3, symbol BTC, i128 7, u32 2, u32 0, i128 11, bool false, u32 100)',
  ],
  [{ op: 'leader_cancel_order', vaultId: 3, orderId: 9 }, 'vaultFactory leader_cancel_order(address me, u32 3, u64 9)'],
  [{ op: 'claim_leader_fees', vaultId: 3 }, 'vaultFactory claim_leader_fees(u32 3)'],
  [{ op: 'set_vault_paused', vaultId: 3, paused: true }, 'vaultFactory set_paused(u32 3, bool true)'],
  [{ op: 'create_referral_code', code: 'STAR' }, 'referral create_code(address me, string STAR)'],
  [{ op: 'set_referrer', code: 'STAR' }, 'referral set_referrer(address me, string STAR)'],
  [{ op: 'claim_referral' }, 'referral claim(address me)'],
  [{ op: 'transfer_usdc', destination: SIGNER, amount: '5' }, 'usdcToken transfer(address me, address me, i128 5)'],
]

/** Calls that only later generations have, or with other arguments. */
const LATER_CALLS: readonly (readonly [body: ActionRequest, since: Generation, call: string])[] = [
  [{ op: 'close_position_partial', positionId: 8, closeSize: '5' }, '2.0', 'market close_position_partial(address me, u64 8, i128 5)'],
  [{ op: 'add_collateral', positionId: 8, amount: '5' }, '2.0', 'market add_collateral(address me, u64 8, i128 5)'],
  [{ op: 'remove_collateral', positionId: 8, amount: '5' }, '2.0', 'market remove_collateral(address me, u64 8, i128 5)'],
  [{ op: 'claim_shortfall' }, '2.0', 'vault claim_shortfall(address me)'],
  [{ op: 'deposit_liquidity', amount: '5' }, '2.1', 'vault deposit(address me, i128 5, i128 0)'],
  [{ op: 'deposit_liquidity', amount: '5', minOut: '4' }, '2.1', 'vault deposit(address me, i128 5, i128 4)'],
  [{ op: 'withdraw_liquidity', lpAmount: '5', minOut: '4' }, '2.1', 'vault withdraw(address me, i128 5, i128 4)'],
  [{ op: 'deposit_vault', vaultId: 3, amount: '5', minOut: '4' }, '2.1', 'vaultFactory deposit(address me, u32 3, i128 5, i128 4)'],
  [{ op: 'withdraw_vault', vaultId: 3, shares: '5', minOut: '4' }, '2.1', 'vaultFactory withdraw(address me, u32 3, i128 5, i128 4)'],
  [
    {
      op: 'leader_place_limit_order', vaultId: 3, asset: 'BTC', collateral: '7', leverage: 2, direction: 'Long', triggerPrice: '11', triggerCondition: 'Below',
      slippageToleranceBps: 100,
    },
    '2.0', 'vaultFactory leader_place_limit_order(address me, u32 3, symbol BTC, i128 7, u32 2, u32 0, i128 11, bool false, u32 100, u32 0)',
  ],
  [
    {
      op: 'leader_place_stop_limit', vaultId: 3, asset: 'BTC', collateral: '7', leverage: 2, direction: 'Short', triggerPrice: '11', limitPrice: '12',
      triggerCondition: 'Above', slippageToleranceBps: 100,
    },
    '2.0', 'vaultFactory leader_place_stop_limit(address me, u32 3, symbol BTC, i128 7, u32 2, u32 1, i128 11, i128 12, bool true, u32 100)',
  ],
  [
    { op: 'leader_set_stop_loss', vaultId: 3, positionId: 8, triggerPrice: '11', slippageToleranceBps: 100 },
    '2.0', 'vaultFactory leader_set_stop_loss(address me, u32 3, u64 8, i128 11, u32 100)',
  ],
  [
    { op: 'leader_set_take_profit', vaultId: 3, positionId: 8, triggerPrice: '11', slippageToleranceBps: 100, limitPrice: '12' },
    '2.0', 'vaultFactory leader_set_take_profit(address me, u32 3, u64 8, i128 11, u32 100, i128 12)',
  ],
  [
    { op: 'leader_place_trailing_stop', vaultId: 3, positionId: 8, trailingPercentBps: 250, slippageToleranceBps: 100 },
    '2.0', 'vaultFactory leader_place_trailing_stop(address me, u32 3, u64 8, u32 250, u32 100)',
  ],
]

const FIRST_CALLS = new Set<string>(CALLS.map(([{ op }]) => op))

test('the list has every action', () => {
  assert.deepEqual([...ACTION_NAMES].sort(), [...new Set([...CALLS, ...LATER_CALLS].map(([{ op }]) => op))].sort())
})

function formatted(body: ActionRequest, generation: Generation): string {
  const { contract, functionName, args } = callOf(body, SIGNER, { contracts: CONTRACTS, generation })
  return `${contract} ${functionName}(${args.map(({ type, value }) => `${type} ${value === SIGNER ? 'me' : String(value)}`).join(', ')})`
}

for (const [body, expected] of CALLS) {
  test(`${body.op} calls the expected function with the expected arguments`, () => {
    assert.deepEqual([...actionFields(body.op).required].sort(), Object.keys(body).filter((field) => field !== 'op').sort())
    assert.equal(formatted(body, '1'), expected)
  })
}

for (const [body, since, expected] of LATER_CALLS) {
  test(`${body.op} has these arguments from generation ${since} on: ${expected}`, () => {
    const first = GENERATIONS.indexOf(since)
    for (const generation of GENERATIONS.slice(first)) assert.equal(formatted(body, generation), expected, generation)
    for (const generation of GENERATIONS.slice(0, first)) {
      if (FIRST_CALLS.has(body.op)) assert.notEqual(formatted(body, generation), expected, generation)
      else assert.equal(findForm(definitionOf(body.op), { generation, accepts: null }), undefined, generation)
    }
  })
}

test('the forms are the signatures that the gateway requires of each generation', () => {
  for (const op of ACTION_NAMES) {
    const definition = definitionOf(op)
    if (definition.contract === 'lpToken' || definition.contract === 'usdcToken') continue
    for (const generation of GENERATIONS) {
      const form = findForm(definition, { generation, accepts: null })
      const required: readonly string[] | undefined = requiredSignatures(definition.contract, generation)[definition.functionName]
      assert.deepEqual(form === undefined ? undefined : typesOf(form), required, `${op} ${generation}`)
    }
  }
})
