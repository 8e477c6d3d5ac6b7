// Orders and actions on contracts of the second generation, through the gateway: new arguments, new actions and new errors.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { nativeToScVal } from '@stellar/stellar-sdk'
import { createDeployment } from '../../localnet/genesis.ts'
import { createIdentities } from '../../localnet/identities.ts'
import type { ActionRequest } from '../../src/exchange/actions.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import type { AccountHoldings } from '../../src/resources/account-holdings.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { callView } from './chain-views.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { call } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { createTrader, lastPositionId, ONE, sign, whileLedgersClose } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const
const HUGE_PRICE = String(10n ** 30n)

let fixture: GatewayFixture
let trader: Trader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'second generation', generation: '2' })
  await fixture.closeLedgers(3)
  trader = await createTrader(fixture, 'second generation')
  const { networkPassphrase, chain } = fixture.network
  chain.grant(trader.address, createDeployment(networkPassphrase, createIdentities(networkPassphrase, 0)).lpAsset, 0n)
  await act({ op: 'deposit_liquidity', amount: String(30_000n * ONE), minOut: '1' })
})
after(() => fixture[Symbol.asyncDispose]())

async function prepareAction(body: ActionRequest): Promise<ApiResponse> {
  assert.equal((await call(fixture.gateway.app, '/v1/account/me', { key: trader.key })).status, 200)
  return whileLedgersClose(fixture, () => call(fixture.gateway.app, '/v1/actions/prepare', { method: 'POST', body, key: trader.key }))
}

/** Prepares, signs and submits. */
async function act(body: ActionRequest): Promise<void> {
  const prepared = await prepareAction(body)
  assert.equal(prepared.status, 200, `${body.op}: ${prepared.text}`)
  const submitted = await trader.submit(sign(prepared.body as unknown as PreparedTransaction, trader.wallet, fixture.network.networkPassphrase))
  assert.deepEqual([submitted.status, submitted.body['status']], [200, 'SUCCESS'], `${body.op}: ${submitted.text}`)
}

/** The contract error of a preparation that fails. */
function errorOf({ status, body, text }: ApiResponse): unknown {
  assert.deepEqual([status, body['error']], [400, 'simulation_failed'], text)
  const { code, name } = body['contractError'] as { readonly code: number; readonly name: string }
  assert.ok(String(body['message']).endsWith(`[Error(Contract, #${code})]`), text)
  assert.doesNotMatch(String(body['message']), /rejected the call with error/, 'has advice')
  return `${code} ${name}`
}

test('opens and closes with an acceptable price', async () => {
  assert.equal(errorOf(await trader.prepare({ op: 'open_position', ...TERMS, acceptablePrice: '1' })), '87 AcceptablePriceExceeded')
  const short = { op: 'open_position_cross', ...TERMS, direction: 'Short', acceptablePrice: HUGE_PRICE }
  assert.equal(errorOf(await trader.prepare(short)), '87 AcceptablePriceExceeded')
  await trader.trade({ op: 'open_position', ...TERMS, acceptablePrice: HUGE_PRICE })
  const positionId = await lastPositionId(fixture, trader.address)
  assert.equal(errorOf(await trader.prepare({ op: 'close_position', positionId, acceptablePrice: HUGE_PRICE })), '87 AcceptablePriceExceeded')
  await trader.trade({ op: 'close_position', positionId, acceptablePrice: '1' })
})

test('slippageBps sets the acceptable price from the simulated one, rounded toward it, for every side', async () => {
  const boundOf = async (body: OperationRequest & { readonly slippageBps: number }): Promise<{ readonly bound: bigint; readonly price: bigint }> => {
    const { status, text, body: prepared } = await trader.prepare(body)
    assert.equal(status, 200, text)
    const { intent, preview } = prepared as unknown as PreparedTransaction
    return { bound: BigInt(String(intent.args['acceptable_price'])), price: BigInt(preview.price ?? assert.fail('no price')) }
  }
  const above = (price: bigint): bigint => (price * 10_033n) / 10_000n
  const roundedUp = (price: bigint): bigint => (price * 9_967n + 9_999n) / 10_000n
  for (const direction of ['Long', 'Short'] as const) {
    const open = { op: 'open_position', ...TERMS, direction, slippageBps: 33 } as const
    const opened = await boundOf(open)
    assert.equal(opened.bound, direction === 'Long' ? above(opened.price) : roundedUp(opened.price))
    await trader.trade(open)
    const positionId = await lastPositionId(fixture, trader.address)
    const closed = await boundOf({ op: 'close_position', positionId, slippageBps: 33 })
    assert.equal(closed.bound, direction === 'Long' ? roundedUp(closed.price) : above(closed.price))
    await trader.trade({ op: 'close_position', positionId, slippageBps: 33 })
  }
  const both = await trader.prepare({ op: 'open_position', ...TERMS, slippageBps: 33, acceptablePrice: '1' })
  assert.deepEqual([both.status, both.body['message']], [400, 'body/slippageBps must not be combined with acceptablePrice'])
  for (const slippageBps of [0, 5_001, 1.5, '33']) assert.equal((await trader.prepare({ op: 'open_position', ...TERMS, slippageBps })).status, 400)
})

test('warns before close_position closes a cross position as an isolated one', async () => {
  await trader.trade({ op: 'open_position_cross', ...TERMS })
  const positionId = await lastPositionId(fixture, trader.address)
  const warned = async (op: 'close_position' | 'close_position_cross'): Promise<readonly string[]> => {
    const { warnings } = (await trader.prepare({ op, positionId })).body as unknown as PreparedTransaction
    return warnings.map(({ code }) => code)
  }
  assert.deepEqual([await warned('close_position'), await warned('close_position_cross')], [['wrong_margin_mode'], []])
  await trader.trade({ op: 'close_position_cross', positionId })
})

test('opens and closes without one, as clients of the first generation do', async () => {
  await trader.trade({ op: 'open_position', ...TERMS })
  await trader.trade({ op: 'close_position', positionId: await lastPositionId(fixture, trader.address) })
  await trader.trade({ op: 'open_position_cross', ...TERMS })
  await trader.trade({ op: 'close_position_cross', positionId: await lastPositionId(fixture, trader.address) })
})

test('places every kind of order', async () => {
  await trader.trade({ op: 'open_position', ...TERMS, asset: 'SOL' })
  const positionId = await lastPositionId(fixture, trader.address)
  const price = BigInt((await fixture.get<{ price: string }>('/v1/markets/SOL/price')).body.price)
  const entry = { ...TERMS, asset: 'ETH', triggerPrice: '1', triggerCondition: 'Below', slippageToleranceBps: 100 } as const
  const orders: readonly OperationRequest[] = [
    { op: 'place_limit_order', ...entry, timeInForce: 2 },
    { op: 'place_limit_order', ...entry, reduceOnly: true },
    { op: 'place_stop_limit_order', ...entry, limitPrice: '1', reduceOnly: true },
    { op: 'set_stop_loss', positionId, triggerPrice: String((price * 95n) / 100n), slippageToleranceBps: 100 },
    {
      op: 'set_take_profit', positionId, triggerPrice: String((price * 110n) / 100n), slippageToleranceBps: 100, limitPrice: String((price * 105n) / 100n),
    },
    { op: 'place_trailing_stop', positionId, trailingPercentBps: 500, slippageToleranceBps: 100 },
  ]
  for (const order of orders) await trader.trade(order)
  await trader.trade({ op: 'close_position', positionId })
})

test('closes a part of a position, and adds and removes collateral', async () => {
  await trader.trade({ op: 'open_position', ...TERMS })
  const positionId = await lastPositionId(fixture, trader.address)
  await act({ op: 'add_collateral', positionId, amount: String(50n * ONE) })
  await act({ op: 'remove_collateral', positionId, amount: String(20n * ONE) })
  await act({ op: 'close_position_partial', positionId, closeSize: String(200n * ONE) })
  assert.equal(errorOf(await prepareAction({ op: 'close_position_partial', positionId, closeSize: String(299n * ONE) })), '27 PositionTooSmall')
  assert.equal(errorOf(await prepareAction({ op: 'remove_collateral', positionId, amount: String(60n * ONE) })), '25 InsufficientMargin')
  await fixture.catchUp()
  const { body } = await fixture.get<{ events: { topic: string }[] }>(`/v1/events?limit=50`)
  const topics = new Set(body.events.map(({ topic }) => topic))
  for (const topic of ['collateral_added', 'collateral_removed', 'position_reduced']) assert.ok(topics.has(topic), topic)
  await trader.trade({ op: 'close_position', positionId })
})

test('bounds what a trader vault deposit and withdrawal pay out', async () => {
  await act({ op: 'create_vault', name: 'Second generation' })
  await act({ op: 'deposit_vault', vaultId: 0, amount: String(1_000n * ONE) })
  await act({ op: 'deposit_vault', vaultId: 0, amount: String(1_000n * ONE), minOut: '1' })
  assert.equal(errorOf(await prepareAction({ op: 'deposit_vault', vaultId: 0, amount: String(ONE), minOut: HUGE_PRICE })), '21 MinOutputNotMet')
  await act({ op: 'withdraw_vault', vaultId: 0, shares: String(100n * ONE), minOut: '1' })
  assert.equal(errorOf(await prepareAction({ op: 'withdraw_vault', vaultId: 0, shares: String(ONE), minOut: HUGE_PRICE })), '21 MinOutputNotMet')
})

test('a leader places every kind of order', async () => {
  const entry = { vaultId: 0, ...TERMS, triggerPrice: '1', triggerCondition: 'Below', slippageToleranceBps: 100 } as const
  await act({ op: 'leader_open_position', vaultId: 0, ...TERMS })
  await fixture.catchUp()
  const { body: { trades: [open] } } = await fixture.get<{ trades: { positionId: string }[] }>('/v1/vaults/0/trades')
  const positionId = String(open?.positionId)
  const price = BigInt((await fixture.get<{ price: string }>('/v1/markets/BTC/price')).body.price)
  await act({ op: 'leader_place_limit_order', ...entry })
  await act({ op: 'leader_place_stop_limit', ...entry, limitPrice: '1' })
  await act({ op: 'leader_set_stop_loss', vaultId: 0, positionId, triggerPrice: String((price * 95n) / 100n), slippageToleranceBps: 100 })
  await act({ op: 'leader_set_take_profit', vaultId: 0, positionId, triggerPrice: String((price * 110n) / 100n), slippageToleranceBps: 100 })
  await act({ op: 'leader_place_trailing_stop', vaultId: 0, positionId, trailingPercentBps: 500, slippageToleranceBps: 100 })
  await act({ op: 'leader_close_position', vaultId: 0, positionId })
  assert.equal(errorOf(await prepareAction({ op: 'leader_close_position', vaultId: 0, positionId: '4000000000' })), '16 NotVaultPosition')
})

test('holdings have the account\'s shares, the vault\'s value with its positions, and the end of the cooldown after a deposit', async () => {
  const { status, body, text } = await call<AccountHoldings>(fixture.gateway.app, '/v1/account/me/holdings?vaults=0,7', { key: trader.key })
  assert.equal(status, 200, text)
  const [own, unknown] = body.vaults
  const { vault, vaultFactory } = fixture.network.contracts
  const [id, owner] = [nativeToScVal(0, { type: 'u32' }), nativeToScVal(trader.address, { type: 'address' })]
  assert.equal(own?.shares, String(await callView(fixture, vaultFactory, 'shares_of', id, owner)))
  assert.equal(own?.fullValue, String(await callView(fixture, vaultFactory, 'get_full_nav', id)))
  assert.deepEqual(unknown, { vaultId: 7, shares: '0', fullValue: null })
  const { withdrawCooldownSec, lastDepositTs, withdrawableAt, depositCap, deposited } = body.pool
  assert.equal(lastDepositTs, Number(await callView(fixture, vault, 'get_last_deposit_ts', owner)))
  assert.deepEqual([withdrawCooldownSec, withdrawableAt, depositCap, deposited], [1_800, (lastDepositTs ?? 0) + 1_800, null, String(30_000n * ONE)])
  assert.equal((await call(fixture.gateway.app, '/v1/account/me/holdings?vaults=a', { key: trader.key })).status, 400)
})

test('claims a shortfall, of which there is none', async () => {
  await act({ op: 'claim_shortfall' })
})

test('bounds what the liquidity vault pays out', async () => {
  assert.equal(errorOf(await prepareAction({ op: 'deposit_liquidity', amount: String(100n * ONE), minOut: HUGE_PRICE })), '66 InvalidSlippageTolerance')
})
