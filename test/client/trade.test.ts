// Trading with the client on a local network, including lost and manipulated responses.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ContractAddresses } from '../../client/src/calls.ts'
import type { Client } from '../../client/src/client.ts'
import type { CallTransaction } from '../../client/src/envelope.ts'
import { ContractFailure, RefusedToSign, UnknownOutcome } from '../../client/src/errors.ts'
import type { SignedTransaction } from '../../client/src/errors.ts'
import type { FetchLike, ResponseLike } from '../../client/src/platform.ts'
import { createDeployment } from '../../localnet/genesis.ts'
import { createIdentities } from '../../localnet/identities.ts'
import { createTraderClient, holdPrice, whileTimePasses } from './client-fixture.ts'
import { ONE } from '../support/traders.ts'
import { TEST_GENERATION } from '../support/generation.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const PRICE = 100_000n * ONE
const percent = (share: bigint): string => String((PRICE * share) / 100n)
/** The last argument of opens on generation 2: the worst price, half a percent above. */
const BOUND = (PRICE * 1_005n) / 1_000n
/** On generation 2, liquidity stays in the pool for half an hour. */
const COOLDOWN_MS = 1_800_000
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const

let fixture: GatewayFixture
let client: Client
let gatewayUrl: string
/** Intercepts the requests between the client and the gateway. */
let intercept: (path: string, forward: () => Promise<ResponseLike>) => Promise<ResponseLike>
const passThrough: typeof intercept = (_path, forward) => forward()

const interceptedFetch: FetchLike = (url, init) => intercept(new URL(url).pathname, () => fetch(url, init))

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'client trades' })
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  intercept = passThrough
  gatewayUrl = await fixture.gateway.listen({ host: '127.0.0.1', port: 0 })
  client = await createTraderClient(fixture, gatewayUrl, 'client trades', { fetch: interceptedFetch })
  const { keyId } = await client.login({ label: 'a test' })
  assert.deepEqual((await client.listKeys()).body.keys.map((key) => [key.keyId, key.label]), [[keyId, 'a test']])
  await holdPrice(fixture, PRICE)
})
after(() => fixture[Symbol.asyncDispose]())

const trade = (...args: Parameters<Client['trade']>): ReturnType<Client['trade']> => whileTimePasses(fixture, () => client.trade(...args))

async function positions(): Promise<readonly number[]> {
  await fixture.catchUp()
  const { body } = await client.getAccountState()
  return body.positions?.map(({ positionId }) => positionId) ?? []
}

async function withInterceptor<T>(interceptor: typeof intercept, work: () => Promise<T>): Promise<T> {
  intercept = interceptor
  try {
    return await work()
  } finally {
    intercept = passThrough
  }
}

test('a market order returns its position and events', async () => {
  const traded = await trade({ op: 'open_position', ...TERMS })
  assert.deepEqual(traded.events?.map(({ topic, txHash }) => [topic, txHash]), [['position_opened', traded.hash]])
  assert.deepEqual(await positions(), [traded.positionId])
  assert.equal(traded.order, null)
  const closed = await trade({ op: 'close_position', positionId: traded.positionId ?? 0 })
  assert.deepEqual(closed.events?.map(({ topic }) => topic), ['position_closed'])
})

test('onVerified receives the transaction before signing and can reject it', async () => {
  const shown: CallTransaction[] = []
  const refusal = new Error('no, thank you')
  const onVerified = async (transaction: CallTransaction): Promise<void> => {
    shown.push(transaction)
    throw refusal
  }
  const signed: SignedTransaction[] = []
  const request = { op: 'open_position', ...TERMS } as const
  await assert.rejects(trade(request, { onVerified, onSigned: (transaction) => void signed.push(transaction) }), refusal)
  const values = shown.map(({ call }) => [call.functionName, ...call.args.slice(1).map(({ value }) => value)])
  assert.deepEqual(values, [['open_position', TERMS.asset, BigInt(TERMS.collateral), TERMS.leverage, 0, ...(TEST_GENERATION === '1' ? [] : [BOUND])]])
  assert.deepEqual([signed, await positions()], [[], []])
})

const skipBounded = TEST_GENERATION === '1' ? false : 'these contracts take a bound'
test('contracts that take no price bound get none, without a refused request where the gateway says so', { skip: skipBounded }, async () => {
  const { body } = await client.getHealth()
  const addresses = Object.entries(body.contracts).map(([name, { address }]) => [name, address])
  const contracts = Object.fromEntries(addresses) as unknown as ContractAddresses
  const key = client.key() ?? assert.fail('no key')
  const unaware = await createTraderClient(fixture, gatewayUrl, 'client trades', { key, contracts, fetch: interceptedFetch })
  let prepared = 0
  const count: typeof intercept = (path, forward) => {
    if (path.endsWith('/prepare')) prepared += 1
    return forward()
  }
  const requests: number[] = []
  await withInterceptor(count, async () => {
    for (const each of [client, unaware, unaware]) {
      prepared = 0
      const { positionId } = await whileTimePasses(fixture, () => each.trade({ op: 'open_position', ...TERMS }))
      requests.push(prepared)
      await whileTimePasses(fixture, () => each.trade({ op: 'close_position', positionId: positionId ?? 0 }))
    }
  })
  assert.deepEqual(requests, [1, 2, 1])
})

test('refuses a transaction whose fee the gateway finds unusual, before it is shown or signed, unless that is accepted', async () => {
  const warning = { code: 'fee_unusual', message: 'The fee is 0.9 XLM. The usual fee of open_position is 0.05 XLM.', usualFee: '500000' }
  const warn: typeof intercept = async (path, forward) => {
    const response = await forward()
    if (path !== '/v1/orders/prepare') return response
    const body = { ...(JSON.parse(await response.text()) as Readonly<Record<string, unknown>>), warnings: [warning] }
    return { status: response.status, headers: response.headers, text: () => Promise.resolve(JSON.stringify(body)) }
  }
  const request = { op: 'open_position', ...TERMS } as const
  const seen: string[] = []
  const options = { onVerified: () => void seen.push('shown'), onSigned: () => void seen.push('signed') }
  await withInterceptor(warn, async () => {
    await assert.rejects(trade(request, options), (error) => error instanceof RefusedToSign && error.message.includes('about 500000 stroops, or the option'))
    assert.deepEqual([seen, await positions()], [[], []])
    const { positionId } = await trade(request, { ...options, acceptUnusualFee: true })
    assert.deepEqual(seen, ['shown', 'signed'])
    await withInterceptor(passThrough, () => trade({ op: 'close_position', positionId: positionId ?? 0 }))
  })
})

test('concurrent trades are made one at a time, with different sequence numbers', async () => {
  const request = { op: 'open_position', ...TERMS } as const
  const [one, other] = await whileTimePasses(fixture, () => Promise.all([client.trade(request), client.trade(request)]))
  assert.notEqual(one.hash, other.hash)
  assert.deepEqual((await positions()).toReversed(), [one.positionId, other.positionId])
  for (const { positionId } of [one, other]) await trade({ op: 'close_position', positionId: positionId ?? 0 })
})

test('awaitOrder waits until the keeper executes the order', async () => {
  const order = { op: 'place_limit_order', ...TERMS, triggerPrice: percent(95n), triggerCondition: 'Below', slippageToleranceBps: 200 } as const
  const resting = await trade(order)
  assert.ok(resting.order?.state === 'resting')
  const { orderId } = resting.order
  const waited = whileTimePasses(fixture, () => client.awaitOrder(orderId, { ledger: resting.ledger, timeoutMs: 100_000 }))
  await fixture.control('local_setPrice', { asset: 'BTC', price: percent(94n) })
  const outcome = await waited
  assert.ok(outcome.state === 'executed', JSON.stringify(outcome))
  const [positionId = 0] = await positions()
  const [opened] = (await client.listAccountEvents({ topic: 'position_opened', limit: 1 })).body.events
  assert.equal(opened?.txHash, outcome.hash)
  assert.equal((opened.payload as { positionId: number }).positionId, positionId)

  // Closing the position cancels its orders, including those that no event announces.
  const trailing = await trade({ op: 'place_trailing_stop', positionId, trailingPercentBps: 500, slippageToleranceBps: 100 })
  assert.ok(trailing.order?.state === 'resting')
  const { body } = await client.listAccountOpenOrders()
  const { orderId: trailingId } = trailing.order
  assert.deepEqual(body.orders.map((one) => one.orderId), [trailingId])
  await trade({ op: 'close_position', positionId })
  const ended = await whileTimePasses(fixture, () => client.awaitOrder(trailingId, { ledger: trailing.ledger, timeoutMs: 100_000 }))
  assert.deepEqual([ended.state, 'reason' in ended ? ended.reason : null], ['cancelled', 'pos_closed'])
})

test('awaitOrder reports a cancelled order', async () => {
  await holdPrice(fixture, PRICE)
  const stop = { op: 'place_stop_limit_order', ...TERMS, triggerPrice: percent(110n), limitPrice: percent(111n), triggerCondition: 'Above' } as const
  const placed = await trade({ ...stop, slippageToleranceBps: 100 })
  assert.equal(placed.order?.state, 'resting')
  const cancelled = await trade({ op: 'cancel_order', orderId: placed.order.orderId })
  const outcome = await client.awaitOrder(placed.order.orderId, { ledger: placed.ledger, timeoutMs: 0 })
  assert.deepEqual(outcome, { orderId: placed.order.orderId, state: 'cancelled', reason: 'user', ledger: cancelled.ledger, hash: cancelled.hash })
})

test('a failed simulation rejects with the contract error, and nothing is submitted', async () => {
  const sent: string[] = []
  const failure = await withInterceptor((path, forward) => {
    sent.push(path)
    return forward()
  }, () => trade({ op: 'open_position', ...TERMS, collateral: '1' }).catch((error: unknown) => error))
  assert.ok(failure instanceof ContractFailure, String(failure))
  assert.deepEqual([failure.stage, failure.contractError, failure.status], ['simulation', { code: 22, name: 'InsufficientCollateral' }, 400])
  assert.match(failure.requestId ?? '', /^[0-9a-f]{24}$/)
  assert.ok(!sent.includes('/v1/tx/submit'))
})

test('a transaction that does not match the request is not signed', async () => {
  const openBefore = await positions()
  const other = await client.prepareOrder({ op: 'open_position', ...TERMS, direction: 'Short' })
  const sent: string[] = []
  const failure = await withInterceptor(async (path, forward) => {
    sent.push(path)
    const answer = await forward()
    return path === '/v1/orders/prepare' ? { ...answer, status: 200, headers: answer.headers, text: async () => JSON.stringify(other.body) } : answer
  }, () => trade({ op: 'open_position', ...TERMS }).catch((error: unknown) => error))
  assert.ok(failure instanceof RefusedToSign, String(failure))
  assert.ok(failure.differences.every(({ what, expected, found }) => what.endsWith('argument 5') && expected === 'u32 0' && found === 'u32 1'), failure.message)
  assert.ok(!sent.includes('/v1/tx/submit'))
  assert.deepEqual(await positions(), openBefore)
})

test('lost submission responses do not trade twice', async () => {
  let lost = 0
  const traded = await withInterceptor(async (path, forward) => {
    const answer = await forward()
    if (path !== '/v1/tx/submit' || lost === 3) return answer
    lost += 1
    throw new TypeError('the connection was reset')
  }, () => trade({ op: 'open_position', ...TERMS }))
  assert.equal(lost, 3)
  assert.deepEqual(await positions(), [traded.positionId])
  await trade({ op: 'close_position', positionId: traded.positionId ?? 0 })
})

test('finish completes a transaction with an unknown outcome, repeatedly without trading twice', async () => {
  let stored: SignedTransaction | undefined
  const onSigned = (transaction: SignedTransaction): void => {
    stored = transaction
  }
  const failure = await withInterceptor(async (path, forward) => {
    const answer = await forward()
    if (path !== '/v1/tx/submit') return answer
    throw new TypeError('the connection was reset')
  }, () => trade({ op: 'open_position', ...TERMS }, { patienceMs: 20_000, onSigned }).catch((error: unknown) => error))
  assert.ok(failure instanceof UnknownOutcome, String(failure))
  const { transaction } = failure
  assert.deepEqual(transaction, stored)
  for (let time = 0; time < 3; time++) {
    const { hash } = await whileTimePasses(fixture, () => client.finish(transaction))
    assert.equal(hash, stored?.hash)
  }
  assert.equal((await positions()).length, 1)
})

test('a transaction that never arrived is unknown until it expires, then certainly failed', async () => {
  const openBefore = await positions()
  const failure = await withInterceptor(async (path, forward) => {
    if (path === '/v1/tx/submit') throw new TypeError('the connection was refused')
    return forward()
  }, () => trade({ op: 'open_position', ...TERMS }, { patienceMs: 5_000 }).catch((error: unknown) => error))
  assert.ok(failure instanceof UnknownOutcome, String(failure))
  fixture.clock.advance(400_000)
  await fixture.closeLedgers(1)
  const certain = await whileTimePasses(fixture, () => client.finish(failure.transaction).catch((error: unknown) => error))
  assert.ok(certain instanceof ContractFailure, String(certain))
  assert.equal(certain.stage, 'submission')
  assert.deepEqual(await positions(), openBefore)
})

test('actions with and without transfers are verified and signed', async () => {
  await trade({ op: 'deposit_cross_margin', amount: String(500n * ONE) })
  await trade({ op: 'withdraw_cross_margin', amount: String(200n * ONE) })
  const { networkPassphrase, chain } = fixture.network
  const { owner } = (await client.getAccountIdentity()).body
  chain.grant(owner, createDeployment(networkPassphrase, createIdentities(networkPassphrase, 0)).lpAsset, 0n)
  await trade({ op: 'deposit_liquidity', amount: String(300n * ONE) })
  if (TEST_GENERATION === '2') {
    fixture.clock.advance(COOLDOWN_MS)
    await holdPrice(fixture, PRICE)
  }
  const lpAmount = String(100n * ONE)
  const { ledger } = await trade({ op: 'create_referral_code', code: 'signed' })
  await trade({ op: 'approve_liquidity_withdrawal', lpAmount, expirationLedger: ledger + 10_000 })
  const withdrawn = await trade({ op: 'withdraw_liquidity', lpAmount })
  assert.deepEqual(withdrawn.events?.map(({ topic }) => topic), ['withdraw'])
  const created = await trade({ op: 'create_vault', name: 'Verified' })
  assert.deepEqual(created.events?.map(({ topic }) => topic), ['vault_created'])
  const vaultId = (await client.listVaults({ limit: 1 })).body.vaults[0]?.id ?? -1
  await trade({ op: 'deposit_vault', vaultId, amount: String(100n * ONE) })
  const opened = await trade({ op: 'leader_open_position', vaultId, ...TERMS, collateral: String(50n * ONE) })
  assert.equal(typeof opened.positionId, 'number', 'the factory\'s events have digits')
  const { order } = await trade({
    op: 'leader_place_limit_order', vaultId, ...TERMS, collateral: String(20n * ONE), triggerPrice: String(PRICE / 2n), triggerCondition: 'Below',
    slippageToleranceBps: 100,
  })
  assert.equal(order?.state, 'resting')
  await trade({ op: 'leader_cancel_order', vaultId, orderId: order.orderId })
})
