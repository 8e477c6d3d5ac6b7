// POST /v1/actions/prepare on a real local network.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { scValToNative, TransactionBuilder } from '@stellar/stellar-sdk'
import { createDeployment, createPeople } from '../../localnet/genesis.ts'
import type { ActionRequest } from '../../src/exchange/actions.ts'
import { ACCOUNT_CACHE_MS } from '../../src/limits.ts'
import type { AccountState } from '../../src/resources/account-state.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { bearer, call, createWallet, obtainKey } from '../support/keys.ts'
import type { ApiAnswer } from '../support/keys.ts'
import { createTrader, ONE, sign, untilAnswered } from '../support/trading.ts'
import type { Trader } from '../support/trading.ts'
import { createWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'

const PATH = '/v1/actions/prepare'

let world: World
let trader: Trader

before(async () => {
  world = await createWorld({ traders: 0, seed: 'actions', gateway: { regionGuard: { country: 'x-country', region: 'x-region' } } })
  await world.closeLedgers(3)
  trader = await createTrader(world, 'acting')
})
after(() => world[Symbol.asyncDispose]())

async function prepare(body: unknown, key = trader.key): Promise<ApiAnswer> {
  assert.equal((await call(world.gateway.app, '/v1/account/me', { key })).status, 200)
  return untilAnswered(world, () => call(world.gateway.app, PATH, { method: 'POST', body, key }))
}

/** Prepares, signs and submits. */
async function act(body: ActionRequest): Promise<void> {
  const prepared = await prepare(body)
  assert.equal(prepared.status, 200, prepared.text)
  const transaction = prepared.body as unknown as PreparedTransaction
  assert.deepEqual([transaction.op, transaction.trader], [body.op, trader.address])
  const submitted = await trader.submit(sign(transaction, trader.wallet, world.network.networkPassphrase))
  assert.deepEqual([submitted.status, submitted.body['status']], [200, 'SUCCESS'], submitted.text)
}

async function state(): Promise<AccountState> {
  world.clock.advance(ACCOUNT_CACHE_MS)
  const answer = await world.get<AccountState>('/v1/account/me/state', { authorization: bearer(trader.key) })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

test('cross margin: in and out again', async () => {
  await act({ op: 'deposit_cross_margin', amount: String(500n * ONE) })
  await world.closeLedgers(2)
  assert.equal((await state()).cross.pool, String(500n * ONE))
  await act({ op: 'withdraw_cross_margin', amount: String(200n * ONE) })
  await world.closeLedgers(2)
  assert.equal((await state()).cross.pool, String(300n * ONE))
})

test('liquidity: in, allowed, and out again; without the allowance the network would refuse', async () => {
  const without = await prepare({ op: 'deposit_liquidity', amount: String(1_000n * ONE) })
  assert.match(String(without.body['message']), /no trustline for LP tokens/)
  const { networkPassphrase, chain } = world.network
  chain.grant(trader.address, createDeployment(networkPassphrase, createPeople(networkPassphrase, 0)).lpAsset, 0n)
  await act({ op: 'deposit_liquidity', amount: String(1_000n * ONE) })
  await world.closeLedgers(2)
  const lp = BigInt((await state()).balances.lp ?? 0)
  assert.ok(lp > 0n)
  const early = await prepare({ op: 'withdraw_liquidity', lpAmount: String(lp) })
  assert.deepEqual([early.status, early.body['error']], [400, 'simulation_failed'], early.text)
  const { sequence } = world.network.chain.history.latest()
  await act({ op: 'approve_liquidity_withdrawal', lpAmount: String(lp), expirationLedger: sequence + 500 })
  await act({ op: 'withdraw_liquidity', lpAmount: String(lp) })
  await world.closeLedgers(2)
  assert.equal((await state()).balances.lp, '0')
})

test('the transaction is the one that was asked for', async () => {
  const { body } = await prepare({ op: 'deposit_cross_margin', amount: '70000000' })
  const [operation] = TransactionBuilder.fromXdr(String(body['xdr']), world.network.networkPassphrase).operations
  assert.ok(operation?.type === 'invokeHostFunction' && operation.func.type === 'hostFunctionTypeInvokeContract')
  const { functionName, args } = operation.func.invokeContract
  assert.equal(Buffer.from(functionName.bytes).toString(), 'deposit_cross_margin')
  assert.deepEqual(args.map((arg) => scValToNative(arg) as unknown), [trader.address, 70_000_000n])
})

test('a body that is none of the actions is refused by the field\'s name', async () => {
  const refusals: readonly (readonly [body: unknown, message: RegExp])[] = [
    [{}, /op/],
    [{ op: 'open_position', asset: 'BTC', collateral: '1', leverage: 1, direction: 'Long' }, /op/],
    [{ op: 'deposit_cross_margin' }, /amount/],
    [{ op: 'deposit_cross_margin', amount: 5 }, /amount/],
    [{ op: 'deposit_cross_margin', amount: '5', extra: 1 }, /extra/],
    [{ op: 'deposit_vault', vaultId: '0', amount: '5' }, /vaultId/],
    [{ op: 'deposit_vault', vaultId: 4_294_967_296, amount: '5' }, /vaultId/],
    [{ op: 'create_vault', name: '' }, /name/],
    [{ op: 'create_vault', name: 'a'.repeat(65) }, /name/],
    [{ op: 'create_referral_code', code: 'ab' }, /code/],
    [{ op: 'set_vault_paused', vaultId: 0, paused: 1 }, /paused/],
  ]
  for (const [body, message] of refusals) {
    const answer = await call(world.gateway.app, PATH, { method: 'POST', body, key: trader.key })
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.equal(answer.body['code'], 'FST_ERR_VALIDATION')
    assert.match(String(answer.body['message']), message, JSON.stringify(body))
  }
  const unsupported = await call(world.gateway.app, PATH, {
    method: 'POST', key: trader.key, body: { op: 'leader_open_position', vaultId: 0, asset: 'SHIB', collateral: '1', leverage: 1, direction: 'Long' },
  })
  assert.deepEqual([unsupported.status, unsupported.body], [400, { error: 'unsupported_asset', asset: 'SHIB' }])
})

test('it needs a key, and is refused where trading is not offered', async () => {
  const body = { op: 'claim_referral' }
  const anonymous = await call(world.gateway.app, PATH, { method: 'POST', body })
  assert.deepEqual([anonymous.status, anonymous.body], [401, { error: 'missing_bearer' }])
  const restricted = await call(world.gateway.app, PATH, { method: 'POST', body, key: trader.key, headers: { 'x-country': 'US' } })
  assert.equal(restricted.status, 451)
})

test('an account that the network does not know is told so', async () => {
  const key = await obtainKey(world.gateway.app, createWallet('never funded'))
  const answer = await prepare({ op: 'deposit_cross_margin', amount: '5' }, key)
  assert.deepEqual([answer.status, answer.body['error']], [400, 'simulation_failed'])
})
