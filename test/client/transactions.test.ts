// Transactions by hash and client id, orders from their placement to their end, and what trades executed, on a local network.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createClient } from '../../client/src/client.ts'
import type { Client } from '../../client/src/client.ts'
import { ContractFailure, GatewayError, NotFinal, TransactionExpired } from '../../client/src/errors.ts'
import type { SignedTransaction } from '../../client/src/errors.ts'
import type { Order } from '../../client/src/generated/resources.ts'
import type { FetchLike } from '../../client/src/platform.ts'
import { createTraderClient, holdPrice, waitsOf, whileTimePasses } from './client-fixture.ts'
import { TEST_GENERATION } from '../support/generation.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { ONE } from '../support/traders.ts'
import { stepUntilSettled, until } from '../support/until.ts'

const PRICE = 100_000n * ONE
const percent = (share: bigint): string => String((PRICE * share) / 100n)
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const
const LIMIT = { op: 'place_limit_order', ...TERMS, triggerPrice: percent(95n), triggerCondition: 'Below', slippageToleranceBps: 200 } as const
const NEVER_MS = 1_000_000_000

let fixture: GatewayFixture
let client: Client
/** Another program with the same API key and without a signer. */
let other: Client
const stopped = new AbortController()
let driver: Promise<void>
let interceptFetch: FetchLike = (url, init) => fetch(url, init)

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'client transactions', listen: true })
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  driver = fixture.gateway.submissions.run(stopped.signal)
  client = await createTraderClient(fixture, fixture.url, 'client transactions', { fetch: (url, init) => interceptFetch(url, init) })
  await client.login()
  const key = client.key()
  assert.ok(key !== null)
  other = createClient({ url: fixture.url, key, ...waitsOf(fixture), fetch: (url, init) => interceptFetch(url, init) })
})
after(async () => {
  stopped.abort()
  await driver
  await fixture[Symbol.asyncDispose]()
})
beforeEach(async () => {
  interceptFetch = (url, init) => fetch(url, init)
  await holdPrice(fixture, PRICE)
})

const during = <T>(work: () => Promise<T>): Promise<T> => whileTimePasses(fixture, work)
const failureOf = (work: () => Promise<unknown>): Promise<unknown> => during(() => work().catch((error: unknown) => error))

/** Signs a request and does not submit it. */
async function signOnly(request: Parameters<Client['trade']>[0]): Promise<SignedTransaction> {
  let signed: SignedTransaction | undefined
  const stop = new Error('not submitted')
  const failure = await failureOf(() => client.trade(request, {
    onSigned(transaction) {
      signed = transaction
      throw stop
    },
  }))
  assert.ok(signed !== undefined && failure === stop, String(failure))
  return signed
}

test('another program finishes a transaction by its hash, and finds it by its client id', async () => {
  const { hash, signedXdr } = await signOnly({ op: 'open_position', ...TERMS, clientId: 'first' })
  const finished = await during(async () => {
    await client.submitTransaction({ signedXdr, pollTimeoutMs: 1_000 })
    return other.transactions.finish(hash)
  })
  assert.deepEqual([finished.status, finished.op, finished.clientId], ['SUCCESS', 'open_position', 'first'])
  assert.deepEqual(finished.events.filter(({ topic }) => topic === 'position_opened').map(({ txHash }) => txHash), [hash])
  assert.equal((await other.transactions.find({ clientId: 'first' })).hash, hash)
  await during(() => client.close({ positionId: finished.positionId ?? 0 }))
})

test('finish waits while the gateway cannot be reached', async () => {
  const { hash } = await during(() => client.trade({ op: 'deposit_cross_margin', amount: String(ONE) }))
  let failures = 0
  interceptFetch = (url, init) => {
    if (failures === 9) return fetch(url, init)
    failures += 1
    return Promise.reject(new TypeError('the connection was refused'))
  }
  assert.equal((await during(() => other.transactions.finish(hash))).hash, hash)
  assert.equal(failures, 9)
})

test('a transaction that failed in a ledger rejects with its contract error', async () => {
  const { order } = await during(() => client.trade(LIMIT))
  assert.ok(order?.state === 'resting')
  const { orderId } = order
  let hash = ''
  const failure = await failureOf(() => client.trade({ op: 'cancel_order', orderId }, {
    async onVerified() {
      // The keeper executes the order between preparation and submission.
      await fixture.control('local_setPrice', { asset: 'BTC', price: percent(94n) })
      await client.awaitOrder(orderId, { ledger: 0, timeoutMs: 100_000 })
    },
    onSigned: (transaction) => void ({ hash } = transaction),
  }))
  assert.ok(failure instanceof ContractFailure && failure.stage === 'ledger', String(failure))
  const byHash = await failureOf(() => other.transactions.finish(hash))
  assert.ok(byHash instanceof ContractFailure, String(byHash))
  assert.deepEqual([byHash.stage, byHash.contractError?.name, byHash.hash], ['ledger', 'OrderNotPending', hash])
  const { positionId } = (await client.listAccountFills({ limit: 1 })).body.fills[0] ?? {}
  await during(() => client.close({ positionId: positionId ?? 0, marginMode: 'isolated' }))
})

test('a transaction that the network refused rejects at the stage of its submission', async () => {
  const { hash, signedXdr } = await signOnly({ op: 'deposit_cross_margin', amount: String(ONE) })
  // Another transaction uses its sequence number.
  await during(() => client.trade({ op: 'deposit_cross_margin', amount: String(2n * ONE) }))
  const refused = await failureOf(() => client.submitTransaction({ signedXdr }))
  assert.ok(refused instanceof ContractFailure && refused.stage === 'submission', String(refused))
  const failure = await failureOf(() => other.transactions.finish(hash))
  assert.ok(failure instanceof ContractFailure, String(failure))
  assert.deepEqual([failure.stage, failure.txResultCode], ['submission', 'txBadSeq'])
})

test('a transaction that was only prepared is not final, and expired after its time bound', async () => {
  const { hash } = await signOnly({ op: 'deposit_cross_margin', amount: String(ONE) })
  const failure = await failureOf(() => other.transactions.finish(hash))
  assert.ok(failure instanceof NotFinal && failure.status === 'PREPARED', String(failure))
  fixture.clock.advance(400_000)
  await fixture.closeLedgers(1)
  const expired = await failureOf(() => other.transactions.finish(hash))
  assert.ok(expired instanceof TransactionExpired && expired.hash === hash, String(expired))
})

test('a pending transaction is not final when the patience ends, and an unknown one is an error', async () => {
  const { hash, signedXdr } = await signOnly({ op: 'deposit_cross_margin', amount: String(ONE) })
  const failure = await whileClockAdvances(async () => {
    await client.submitTransaction({ signedXdr, pollTimeoutMs: 1_000 })
    return other.transactions.finish(hash, { patienceMs: 5_000 }).catch((error: unknown) => error)
  })
  assert.ok(failure instanceof NotFinal && failure.status === 'PENDING', String(failure))
  await during(() => other.transactions.finish(hash))
  const unknown = await failureOf(() => other.transactions.finish('0'.repeat(64)))
  assert.ok(unknown instanceof GatewayError && unknown.code === 'unknown_transaction', String(unknown))
})

/** Advances the clock until the work has settled, without closing ledgers. */
function whileClockAdvances<T>(work: () => Promise<T>): Promise<T> {
  return stepUntilSettled(work(), { idle: fixture.idle, step: () => fixture.clock.advance(500), stepsMax: Infinity })
}

test('a repeated request with the same client id returns the result of the first', async () => {
  const requests = [
    { op: 'open_position', ...TERMS, clientId: 'open-1' }, { ...LIMIT, clientId: 'limit-1' },
  ] as const
  for (const request of requests) {
    const traded = await during(() => client.trade(request))
    const signed: unknown[] = []
    const again = await during(() => client.trade(request, { onSigned: (transaction) => void signed.push(transaction) }))
    assert.deepEqual([again.hash, again.positionId, again.order, signed], [traded.hash, traded.positionId, traded.order, []])
  }
  const { positions, orders } = (await client.getAccountState()).body
  assert.deepEqual([positions?.length, orders?.length], [1, 1])
  const { positionId = 0 } = positions?.[0] ?? {}
  const closed = await during(() => client.close({ positionId, clientId: 'close-1' }))
  assert.equal((await during(() => client.trade({ op: 'close_position', positionId, clientId: 'close-1' }))).hash, closed.hash)
  const { orderId = 0 } = orders?.[0] ?? {}
  await during(() => client.trade({ op: 'cancel_order', orderId, clientId: 'cancel-1' }))
})

const skip = TEST_GENERATION === '2' && 'contracts of generation 2 announce every order with an event'
test('a repeated request returns the order that it placed without an event, at once', { skip }, async () => {
  const request = { ...LIMIT, op: 'place_stop_limit_order', limitPrice: percent(96n), clientId: 'stop-limit-1' } as const
  const unobserved = <T>(work: () => Promise<T>): Promise<T> => whileTimePasses(fixture, work, { observes: false })
  const { hash, order } = await unobserved(() => client.trade(request))
  const { orderId } = await client.transactions.get(hash)
  assert.ok(orderId !== null)
  const again = await unobserved(() => client.trade(request))
  assert.deepEqual([again.hash, again.order?.orderId, again.order?.state, order?.orderId], [hash, orderId, 'resting', orderId])
  await during(() => client.trade({ op: 'cancel_order', orderId }))
})

test('a client id of another request, or of one that cannot be compared, is an error with the hash', async () => {
  const { hash, positionId } = await during(() => client.trade({ op: 'open_position', ...TERMS, clientId: 'a' }))
  const deposit = { op: 'deposit_cross_margin', amount: String(ONE), clientId: 'b' } as const
  const { hash: deposited } = await during(() => client.trade(deposit))
  const cases = [
    [{ op: 'open_position', ...TERMS, direction: 'Short', clientId: 'a' }, hash],
    [{ op: 'open_position', ...TERMS, leverage: 10, collateral: String(50n * ONE), clientId: 'a' }, hash],
    [{ op: 'open_position_cross', ...TERMS, clientId: 'a' }, hash],
    [deposit, deposited],
  ] as const
  for (const [request, holder] of cases) {
    const failure = await failureOf(() => client.trade(request))
    assert.ok(failure instanceof GatewayError && failure.code === 'client_id_in_use', `${request.op}: ${String(failure)}`)
    assert.equal((failure.body as { readonly hash: string }).hash, holder)
  }
  await during(() => client.close({ positionId: positionId ?? 0 }))
})

test('place and close return price, size, fee and PnL of what was executed', async () => {
  const placed = await during(() => client.place({ op: 'open_position', ...TERMS }))
  const { execution } = placed
  assert.deepEqual([execution?.price, execution?.size, execution?.pnl], [String(PRICE), String(500n * ONE), '0'])
  assert.ok(BigInt(execution?.fee ?? 0) > 0n)
  await fixture.control('local_setPrice', { asset: 'BTC', price: percent(101n) })
  await fixture.closeLedgers(2)
  await fixture.catchUp()
  const closed = await during(() => client.close({ positionId: placed.positionId ?? 0 }))
  assert.deepEqual(closed.execution, { price: percent(101n), size: String(500n * ONE), fee: '0', pnl: String(5n * ONE) })
  const resting = await during(() => client.place(LIMIT))
  assert.equal(resting.execution, null)
  await during(() => client.trade({ op: 'cancel_order', orderId: resting.order?.orderId ?? 0 }))
})

test('place waits for the keeper and returns what it executed', async () => {
  const placed = await during(() => client.place({ ...LIMIT, triggerPrice: percent(101n) }, { keeperTimeoutMs: 100_000 }))
  assert.ok(placed.order?.state === 'executed', JSON.stringify(placed.order))
  assert.deepEqual([placed.execution?.price, placed.execution?.size], [String(PRICE), String(500n * ONE)])
  await during(() => client.close({ positionId: placed.order?.state === 'executed' ? (placed.order.execution?.positionId ?? 0) : 0 }))
})

test('onVerified gets preview and warnings of the gateway', async () => {
  const shown: unknown[] = []
  const traded = await during(() => client.trade({ op: 'open_position', ...TERMS }, {
    onVerified: (_transaction, { preview, warnings }) => void shown.push(preview.entryPrice, preview.size, Array.isArray(warnings)),
  }))
  assert.deepEqual(shown, [String(PRICE), String(500n * ONE), true])
  await during(() => client.close({ positionId: traded.positionId ?? 0 }))
})

/** Closes, indexes and publishes ledgers until the work has settled. */
function whilePublishing<T>(work: () => Promise<T>): Promise<T> {
  async function step(): Promise<void> {
    await fixture.publishLedgers(1)
    await fixture.indexer.observe()
  }
  return stepUntilSettled(work(), { idle: fixture.idle, step, stepsMax: Infinity })
}

async function collect(orders: AsyncIterable<Order>): Promise<Order[]> {
  const rows: Order[] = []
  for await (const row of orders) rows.push(row)
  return rows
}

for (const [means, pollMs] of [['the stream', NEVER_MS], ['reading', 1_000]] as const) {
  test(`watch yields an order when it is placed and when it has ended, by ${means}`, async () => {
    const { order } = await during(() => client.trade(LIMIT))
    const orderId = order?.orderId ?? 0
    const watcher = means === 'reading' ? createClient({ url: fixture.url, ...waitsOf(fixture) }) : other
    const streams = (): number => fixture.gateway.stats().stream.connections
    const rows = await whilePublishing(async () => {
      const [collected] = await Promise.all([collect(watcher.orders.watch(orderId, { pollMs })), (async () => {
        if (means === 'the stream') await until(() => streams() === 1, 'the stream')
        await client.trade({ op: 'cancel_order', orderId })
      })()])
      return collected
    })
    assert.deepEqual(rows.map(({ status, ended }) => [status, ended?.reason]), [['pending', undefined], ['cancelled', 'user']])
    await until(() => streams() === 0, 'the end of the stream')
  })
}

test('watch ends with the reason of its signal and closes its stream', async () => {
  const { order } = await during(() => client.trade(LIMIT))
  const stop = new AbortController()
  const reason = new Error('enough')
  const rows: Order[] = []
  const failure = await whilePublishing(async () => {
    try {
      for await (const row of other.orders.watch(order?.orderId ?? 0, { signal: stop.signal })) {
        rows.push(row)
        setImmediate(() => stop.abort(reason))
      }
    } catch (error) {
      return error
    }
    return null
  })
  assert.deepEqual([failure, rows.map(({ status }) => status)], [reason, ['pending']])
  await until(() => fixture.gateway.stats().stream.connections === 0, 'the end of the stream')
  const missing = await failureOf(() => collect(other.orders.watch(999_999)))
  assert.ok(missing instanceof GatewayError && missing.code === 'order_not_found', String(missing))
  await during(() => client.trade({ op: 'cancel_order', orderId: order?.orderId ?? 0 }))
})
