// POST /v1/actions/prepare on a real local network.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { scValToNative, TransactionBuilder } from '@stellar/stellar-sdk'
import { createDeployment } from '../../localnet/genesis.ts'
import { createIdentities } from '../../localnet/identities.ts'
import type { ActionRequest } from '../../src/exchange/actions.ts'
import { ACCOUNT_CACHE_MS } from '../../src/limits.ts'
import type { AccountState } from '../../src/resources/account-state.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { bearer, call, createWallet, obtainKey } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { rowsOf } from '../support/pagination.ts'
import { createTrader, ONE, sign, whileLedgersClose } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { withoutMessage } from '../support/without-message.ts'

const PATH = '/v1/actions/prepare'

let fixture: GatewayFixture
let trader: Trader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'actions', gateway: { regionGuard: { country: 'x-country', region: 'x-region' } } })
  await fixture.closeLedgers(3)
  trader = await createTrader(fixture, 'actions')
})
after(() => fixture[Symbol.asyncDispose]())

async function prepare(body: unknown, key = trader.key): Promise<ApiResponse> {
  assert.equal((await call(fixture.gateway.app, '/v1/account/me', { key })).status, 200)
  return whileLedgersClose(fixture, () => call(fixture.gateway.app, PATH, { method: 'POST', body, key }))
}

/** Prepares, signs and submits. */
async function submitAction(body: ActionRequest, actor = trader): Promise<void> {
  const prepared = await prepare(body, actor.key)
  assert.equal(prepared.status, 200, prepared.text)
  const transaction = prepared.body as unknown as PreparedTransaction
  assert.deepEqual([transaction.op, transaction.trader], [body.op, actor.address])
  const submitted = await actor.submit(sign(transaction, actor.wallet, fixture.network.networkPassphrase))
  assert.deepEqual([submitted.status, submitted.body['status']], [200, 'SUCCESS'], submitted.text)
}

async function state(): Promise<AccountState> {
  fixture.clock.advance(ACCOUNT_CACHE_MS)
  const response = await fixture.get<AccountState>('/v1/account/me/state', { authorization: bearer(trader.key) })
  assert.equal(response.status, 200, response.text)
  return response.body
}

test('deposits into and withdraws from the cross-margin pool', async () => {
  await submitAction({ op: 'deposit_cross_margin', amount: String(500n * ONE) })
  await fixture.closeLedgers(2)
  assert.equal((await state()).cross.pool, String(500n * ONE))
  await submitAction({ op: 'withdraw_cross_margin', amount: String(200n * ONE) })
  await fixture.closeLedgers(2)
  assert.equal((await state()).cross.pool, String(300n * ONE))
})

test('deposits liquidity and withdraws it after an approval; without the approval the simulation fails', async () => {
  const { networkPassphrase, chain } = fixture.network
  const bare = await createTrader(fixture, 'without a trustline', null)
  chain.grant(bare.address, createDeployment(networkPassphrase, createIdentities(networkPassphrase, 0)).usdcAsset, 1_000n * ONE)
  const withoutTrustline = await prepare({ op: 'deposit_liquidity', amount: String(1_000n * ONE) }, bare.key)
  assert.match(String(withoutTrustline.body['message']), /no trustline for LP tokens/)
  await submitAction({ op: 'deposit_liquidity', amount: String(1_000n * ONE) })
  await fixture.closeLedgers(2)
  const lp = BigInt((await state()).balances.lp ?? 0)
  assert.ok(lp > 0n)
  const withoutApproval = await prepare({ op: 'withdraw_liquidity', lpAmount: String(lp) })
  assert.deepEqual([withoutApproval.status, withoutApproval.body['error']], [400, 'simulation_failed'], withoutApproval.text)
  const { sequence } = fixture.network.chain.history.latest()
  await submitAction({ op: 'approve_liquidity_withdrawal', lpAmount: String(lp), expirationLedger: sequence + 500 })
  await submitAction({ op: 'withdraw_liquidity', lpAmount: String(lp) })
  await fixture.closeLedgers(2)
  assert.equal((await state()).balances.lp, '0')
})

test('sends USDC to another account that has a trustline, and explains what is missing', async () => {
  const receiver = await createTrader(fixture, 'receiver')
  const usdcOf = async (): Promise<bigint> => {
    fixture.clock.advance(ACCOUNT_CACHE_MS)
    const { body } = await fixture.get<AccountState>('/v1/account/me/state', { authorization: bearer(receiver.key) })
    return BigInt(body.balances.usdc ?? 0)
  }
  const held = await usdcOf()
  await submitAction({ op: 'transfer_usdc', destination: receiver.address, amount: String(25n * ONE) })
  await fixture.closeLedgers(2)
  assert.equal(await usdcOf() - held, 25n * ONE)
  const bare = await createTrader(fixture, 'receiver without a trustline', null)
  const [, message] = await simulationError({ op: 'transfer_usdc', destination: bare.address, amount: '1' })
  assert.match(message, /the account, or the one that it pays, has no trustline for USDC/)
  const [, tooMuch] = await simulationError({ op: 'transfer_usdc', destination: receiver.address, amount: String(1_000_000n * ONE) })
  assert.match(tooMuch, /USDC balance is too low/)
})

/** Asserts that preparing fails and returns the contract error's name and the message. */
async function simulationError(body: ActionRequest, actor = trader): Promise<readonly [name: unknown, message: string]> {
  const { status, body: error, text } = await prepare(body, actor.key)
  assert.deepEqual([status, error['error']], [400, 'simulation_failed'], text)
  return [(error['contractError'] as { name: string } | null)?.name, String(error['message'])]
}

test('creates, funds, trades and pauses a trader vault', async () => {
  const guest = await createTrader(fixture, 'vault guest')
  assert.deepEqual((await simulationError({ op: 'deposit_vault', vaultId: 0, amount: '5' }))[0], 'VaultNotFound')
  await submitAction({ op: 'create_vault', name: 'North star' })
  assert.match((await simulationError({ op: 'deposit_vault', vaultId: 0, amount: String(ONE) }, guest))[1], /leader must deposit first/)
  await submitAction({ op: 'deposit_vault', vaultId: 0, amount: String(2_000n * ONE) })
  await submitAction({ op: 'deposit_vault', vaultId: 0, amount: String(500n * ONE) }, guest)
  await submitAction({ op: 'withdraw_vault', vaultId: 0, shares: String(100n * ONE) }, guest)
  const terms = { vaultId: 0, asset: 'BTC', collateral: String(200n * ONE), leverage: 2, direction: 'Long' } as const
  assert.equal((await simulationError({ op: 'leader_open_position', ...terms }, guest))[0], 'NotLeader')
  await submitAction({ op: 'leader_open_position', ...terms })
  await submitAction({ op: 'leader_place_limit_order', ...terms, triggerPrice: '1', triggerCondition: 'Below', slippageToleranceBps: 100 })
  await fixture.catchUp()
  const [order] = await rowsOf(fixture, '/v1/events?topic=leader_limit&limit=1', 'events')
  const { orderId } = (order as unknown as { payload: { orderId: string } }).payload
  await submitAction({ op: 'leader_cancel_order', vaultId: 0, orderId })
  const [open] = await rowsOf(fixture, '/v1/vaults/0/trades', 'trades')
  await submitAction({ op: 'leader_close_position', vaultId: 0, positionId: String(open?.['positionId']) })
  assert.equal((await simulationError({ op: 'claim_leader_fees', vaultId: 0 }))[0], 'NoFeesToClaim')
  await submitAction({ op: 'set_vault_paused', vaultId: 0, paused: true })
  assert.equal((await simulationError({ op: 'deposit_vault', vaultId: 0, amount: String(ONE) }))[0], 'Paused')
  await submitAction({ op: 'set_vault_paused', vaultId: 0, paused: false })
  await fixture.catchUp()
  const { body } = await fixture.get('/v1/vaults/0')
  assert.deepEqual([body['name'], body['leader'], body['depositorCount'], body['tradeCount'], body['openPositions'], body['paused']], [
    'North star', trader.address, 2, 1, 0, false,
  ])
})

test('creates a referral code and sets a referrer', async () => {
  const guest = await createTrader(fixture, 'referred')
  assert.equal((await simulationError({ op: 'set_referrer', code: 'STAR' }, guest))[0], 'UnknownCode')
  await submitAction({ op: 'create_referral_code', code: 'STAR' })
  assert.equal((await simulationError({ op: 'set_referrer', code: 'STAR' }))[0], 'SelfReferral')
  await submitAction({ op: 'set_referrer', code: 'STAR' }, guest)
  assert.equal((await simulationError({ op: 'claim_referral' }))[0], 'NothingToClaim')
  await fixture.catchUp()
  const { body } = await fixture.get('/v1/referral/lookup?code=STAR')
  assert.deepEqual([body['referrer'], body['referredCount']], [trader.address, 1])
})

test('the transaction contains the requested call', async () => {
  const { body } = await prepare({ op: 'deposit_cross_margin', amount: '70000000' })
  const [operation] = TransactionBuilder.fromXdr(String(body['xdr']), fixture.network.networkPassphrase).operations
  assert.ok(operation?.type === 'invokeHostFunction' && operation.func.type === 'hostFunctionTypeInvokeContract')
  const { functionName, args } = operation.func.invokeContract
  assert.equal(Buffer.from(functionName.bytes).toString(), 'deposit_cross_margin')
  assert.deepEqual(args.map((arg) => scValToNative(arg) as unknown), [trader.address, 70_000_000n])
})

test('what the contracts lack is unsupported_by_deployment: 400 for a field, 503 for an action', async () => {
  const deposit = await prepare({ op: 'deposit_vault', vaultId: 0, amount: '5', minOut: '1' })
  assert.deepEqual([deposit.status, withoutMessage(deposit.body)], [400, { error: 'unsupported_by_deployment', field: 'minOut' }])
  const partial = await prepare({ op: 'close_position_partial', positionId: 1, closeSize: '5' })
  assert.deepEqual([partial.status, withoutMessage(partial.body)], [503, {
    error: 'unsupported_by_deployment', op: 'close_position_partial', expected: 'close_position_partial(address, u64, i128)', found: null,
  }])
})

test('names the invalid field of a body', async () => {
  const invalid: readonly (readonly [body: unknown, message: RegExp])[] = [
    [{}, /op/],
    [{ op: 'open_position', asset: 'BTC', collateral: '1', leverage: 1, direction: 'Long' }, /op/],
    [{ op: 'deposit_cross_margin' }, /amount/],
    [{ op: 'deposit_cross_margin', amount: 5 }, /amount/],
    [{ op: 'deposit_cross_margin', amount: '5', extra: 1 }, /extra/],
    [{ op: 'deposit_vault', vaultId: '0', amount: '5' }, /vaultId/],
    [{ op: 'deposit_vault', vaultId: 4_294_967_296, amount: '5' }, /vaultId/],
    [{ op: 'create_vault', name: '' }, /name/],
    [{ op: 'transfer_usdc', destination: `G${'A'.repeat(55)}`, amount: '5' }, /^body\/destination must match format "account"$/],
    [{ op: 'transfer_usdc', destination: fixture.network.contracts.market, amount: '5' }, /^body\/destination must match format "account"$/],
    [{ op: 'create_vault', name: 'a'.repeat(65) }, /name/],
    [{ op: 'create_referral_code', code: 'ab' }, /code/],
    ...['a\0b', 'a\u001b[2J', 'a\u202eb', 'a\ud800b', '\u200b\u200b\u200b', ' abc', 'abc ', 'a\\x00b', 'a\u0378b'].flatMap((text) => [
      [{ op: 'create_vault', name: text }, /^body\/name must match format "displayable"$/],
      [{ op: 'create_referral_code', code: text }, /^body\/code must match format "displayable"$/],
      [{ op: 'set_referrer', code: text }, /^body\/code must match format "displayable"$/],
    ] as const),
    [{ op: 'set_vault_paused', vaultId: 0, paused: 1 }, /paused/],
  ]
  for (const [body, message] of invalid) {
    const response = await call(fixture.gateway.app, PATH, { method: 'POST', body, key: trader.key })
    assert.equal(response.status, 400, JSON.stringify(body))
    assert.equal(response.body['code'], 'FST_ERR_VALIDATION')
    assert.match(String(response.body['message']), message, JSON.stringify(body))
  }
  const unsupported = await call(fixture.gateway.app, PATH, {
    method: 'POST', key: trader.key, body: { op: 'leader_open_position', vaultId: 0, asset: 'SHIB', collateral: '1', leverage: 1, direction: 'Long' },
  })
  assert.deepEqual([unsupported.status, withoutMessage(unsupported.body)], [400, { error: 'unsupported_asset', asset: 'SHIB' }])
})

test('requires a key and responds 451 in restricted regions', async () => {
  const body = { op: 'claim_referral' }
  const anonymous = await call(fixture.gateway.app, PATH, { method: 'POST', body })
  assert.deepEqual([anonymous.status, withoutMessage(anonymous.body)], [401, { error: 'missing_bearer' }])
  const restricted = await call(fixture.gateway.app, PATH, { method: 'POST', body, key: trader.key, headers: { 'x-country': 'US' } })
  assert.equal(restricted.status, 451)
})

test('responds simulation_failed for an account that does not exist', async () => {
  const key = await obtainKey(fixture.gateway.app, createWallet('never funded'))
  const response = await prepare({ op: 'deposit_cross_margin', amount: '5' }, key)
  assert.deepEqual([response.status, response.body['error']], [400, 'simulation_failed'])
})
