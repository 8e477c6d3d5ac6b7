// A trader as anybody might be one: a wallet, a key of the gateway, and the plain SDK to sign what the gateway prepares.

import assert from 'node:assert/strict'
import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk'
import { createIdentity } from '../../localnet/actors/identity.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import type { SubmitResult } from '../../src/resources/submit-result.ts'
import { call, obtainKey } from './keys.ts'
import type { ApiResponse } from './keys.ts'
import type { GatewayFixture } from './gateway-fixture.ts'

/** 1 USDC, and 1.0 of everything else. */
export const ONE = 10_000_000n

export interface Trader {
  readonly address: string
  readonly wallet: Keypair
  readonly key: IssuedKey
  /** POST /v1/orders/prepare, with whatever body. Here and below, time passes only while the answer needs it. */
  prepare(body: unknown): Promise<ApiResponse>
  /** POST /v1/tx/submit. */
  submit(signedXdr: string, pollTimeoutMs?: number): Promise<ApiResponse>
  /** Prepares and signs; fails when the network would refuse. */
  signed(request: OperationRequest): Promise<string>
  /** Prepares, signs, submits; fails unless it succeeds. */
  trade(request: OperationRequest): Promise<SubmitResult>
}

/** Creates an account of this name with USDC (in whole ones; null: without a trustline), and a key for it. */
export async function createTrader(fixture: GatewayFixture, name: string, usdc: number | null = 50_000): Promise<Trader> {
  const { network } = fixture
  const wallet = Keypair.fromSecret(createIdentity(network.networkPassphrase, `test ${name}`).secret)
  const address = wallet.publicKey()
  if (usdc === null) network.chain.grant(address, 'native', 1_000n * ONE)
  else await fixture.control('local_fund', { address, usdc: String(BigInt(usdc) * ONE) })
  const key = await obtainKey(fixture.gateway.app, wallet)

  async function post(url: string, body: unknown): Promise<ApiResponse> {
    // The key is looked up in the database, in real time: once it is known, the clock may run.
    assert.equal((await call(fixture.gateway.app, '/v1/account/me', { key })).status, 200)
    return whileLedgersClose(fixture, () => call(fixture.gateway.app, url, { method: 'POST', body, key }))
  }

  const trader: Trader = {
    address, wallet, key,
    prepare: (body) => post('/v1/orders/prepare', body),
    submit: (signedXdr, pollTimeoutMs) => post('/v1/tx/submit', { signedXdr, ...(pollTimeoutMs === undefined ? {} : { pollTimeoutMs }) }),
    async signed(request) {
      const answer = await trader.prepare(request)
      assert.equal(answer.status, 200, `${JSON.stringify(request)}: ${answer.text}`)
      return sign(answer.body as unknown as PreparedTransaction, wallet, network.networkPassphrase)
    },
    async trade(request) {
      const answer = await trader.submit(await trader.signed(request))
      const result = answer.body as unknown as SubmitResult
      assert.deepEqual([answer.status, result.status], [200, 'SUCCESS'], answer.text)
      return result
    },
  }
  return trader
}

/** Signs as the SDK does. */
export function sign(prepared: PreparedTransaction, wallet: Keypair, networkPassphrase: string): string {
  const transaction = TransactionBuilder.fromXdr(prepared.xdr, networkPassphrase)
  transaction.sign(wallet)
  return transaction.toXdr()
}

/** Longer than any caller is kept waiting. */
const SECONDS_MAX = 120

/** Closes ledgers, a second each, until the answer is there. */
export async function whileLedgersClose<T>(fixture: GatewayFixture, ask: () => Promise<T>): Promise<T> {
  let settled = false
  const answer = ask().finally(() => {
    settled = true
  })
  // Failing is for whoever awaits it below.
  answer.catch(() => {})
  for (let second = 0; second < SECONDS_MAX && !settled; second++) {
    await Promise.race([answer.catch(() => {}), fixture.idle()])
    if (!settled) await fixture.closeLedgers(1)
  }
  return answer
}

/** The position that the trader opened last, as the market's own view tells. */
export async function lastPositionId(fixture: GatewayFixture, trader: string): Promise<number> {
  return lastId(fixture, 'position_opened', trader)
}

/** The order that the trader placed last; stop-limit and trailing orders tell no event, so ask right after another one or count. */
export async function lastOrderId(fixture: GatewayFixture, trader: string): Promise<number> {
  return lastId(fixture, 'order_placed', trader)
}

interface Ids {
  readonly positionId?: number
  readonly orderId?: number
}

async function lastId(fixture: GatewayFixture, topic: string, trader: string): Promise<number> {
  await fixture.catchUp()
  const { body } = await fixture.get<{ events: { payload: Ids & { trader?: string } }[] }>(`/v1/events?topic=${topic}&limit=500`)
  const found = body.events.find(({ payload }) => payload.trader === trader)
  const id = found?.payload.positionId ?? found?.payload.orderId
  assert.ok(id !== undefined, `${trader} has no ${topic}`)
  return id
}
