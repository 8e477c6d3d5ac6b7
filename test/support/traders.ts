// Funded accounts that trade: through the gateway with an API key, or directly on the local network.

import assert from 'node:assert/strict'
import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk'
import { createClient } from '../../localnet/actors/client.ts'
import type { Client } from '../../localnet/actors/client.ts'
import { createIdentity } from '../../localnet/actors/identity.ts'
import type { Identity } from '../../localnet/actors/identity.ts'
import { createHoldingsReader } from '../../localnet/actors/stored-entries.ts'
import { address as addressVal, i128, symbol, u32, u64 } from '../../localnet/contracts/shared/host.ts'
import type { Val } from '../../localnet/contracts/shared/host.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import type { SubmitResult } from '../../src/resources/submit-result.ts'
import type { GatewayFixture } from './gateway-fixture.ts'
import { call, obtainKey } from './keys.ts'
import type { ApiResponse } from './keys.ts'
import { stepUntilSettled } from './until.ts'

/** 1 USDC, and 1.0 of everything else. */
export const ONE = 10_000_000n
const START_USDC = 50_000
/** Longer than any request takes. */
const RESPONSE_LEDGERS_MAX = 120

function identityOf({ network }: GatewayFixture, name: string): Identity {
  return createIdentity(network.networkPassphrase, `test ${name}`)
}

function fund(fixture: GatewayFixture, address: string, usdc: number): Promise<unknown> {
  return fixture.control('local_fund', { address, usdc: String(BigInt(usdc) * ONE) })
}

/** Trades through the gateway. Ledgers close while a request is open. */
export interface Trader {
  readonly address: string
  readonly wallet: Keypair
  readonly key: IssuedKey
  /** POST /v1/orders/prepare with any body. */
  prepare(body: unknown): Promise<ApiResponse>
  /** POST /v1/tx/submit. */
  submit(signedXdr: string, pollTimeoutMs?: number): Promise<ApiResponse>
  /** Prepares and signs; fails unless the preparation succeeds. */
  signed(request: OperationRequest): Promise<string>
  /** Prepares, signs and submits; fails unless the transaction succeeds. */
  trade(request: OperationRequest): Promise<SubmitResult>
}

/** Creates an account of this name with an API key and so many USDC; null leaves it without a trustline. */
export async function createTrader(fixture: GatewayFixture, name: string, usdc: number | null = START_USDC): Promise<Trader> {
  const { network } = fixture
  const wallet = Keypair.fromSecret(identityOf(fixture, name).secret)
  const address = wallet.publicKey()
  if (usdc === null) network.chain.grant(address, 'native', 1_000n * ONE)
  else await fund(fixture, address, usdc)
  const key = await obtainKey(fixture.gateway.app, wallet)

  async function post(url: string, body: unknown): Promise<ApiResponse> {
    // Caches the key first: its lookup takes real time, in which no ledger may close.
    assert.equal((await call(fixture.gateway.app, '/v1/account/me', { key })).status, 200)
    return whileLedgersClose(fixture, () => call(fixture.gateway.app, url, { method: 'POST', body, key }))
  }

  const trader: Trader = {
    address, wallet, key,
    prepare: (body) => post('/v1/orders/prepare', body),
    submit: (signedXdr, pollTimeoutMs) => post('/v1/tx/submit', { signedXdr, ...(pollTimeoutMs === undefined ? {} : { pollTimeoutMs }) }),
    async signed(request) {
      const response = await trader.prepare(request)
      assert.equal(response.status, 200, `${JSON.stringify(request)}: ${response.text}`)
      return sign(response.body as unknown as PreparedTransaction, wallet, network.networkPassphrase)
    },
    async trade(request) {
      const response = await trader.submit(await trader.signed(request))
      const result = response.body as unknown as SubmitResult
      assert.deepEqual([response.status, result.status], [200, 'SUCCESS'], response.text)
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

/** Closes ledgers, one per second, until the request has its response. */
export async function whileLedgersClose<T>(fixture: GatewayFixture, request: () => Promise<T>): Promise<T> {
  return await stepUntilSettled(request(), { idle: fixture.idle, step: () => fixture.closeLedgers(1), stepsMax: RESPONSE_LEDGERS_MAX })
}

/** The trader's newest position. */
export function lastPositionId(fixture: GatewayFixture, trader: string): Promise<number> {
  return lastId(fixture, 'position_opened', trader)
}

/** The trader's newest order of a type that emits an event: not stop-limit and trailing orders. */
export function lastOrderId(fixture: GatewayFixture, trader: string): Promise<number> {
  return lastId(fixture, 'order_placed', trader)
}

interface Ids {
  readonly positionId?: number
  readonly orderId?: number
}

async function lastId(fixture: GatewayFixture, topic: string, trader: string): Promise<number> {
  await fixture.catchUp()
  const { body } = await fixture.get<{ events: { payload: Ids & { trader?: string } }[] }>(`/v1/events?topic=${topic}&limit=500`)
  const payload = body.events.find((event) => event.payload.trader === trader)?.payload
  const id = payload?.positionId ?? payload?.orderId
  assert.ok(id !== undefined, `${trader} has no ${topic}`)
  return id
}

/** Calls contracts without the gateway. */
export interface ChainTrader {
  readonly address: string
  readonly client: Client
}

export interface ContractCall {
  readonly trader: ChainTrader
  /** By default the market. */
  readonly contract?: string
  readonly functionName: string
  readonly args: readonly Val[]
}

/** Creates an account of this name with 50,000 USDC. */
export async function createChainTrader(fixture: GatewayFixture, name: string): Promise<ChainTrader> {
  const trader = chainTraderOf(fixture, name)
  await fund(fixture, trader.address, START_USDC)
  return trader
}

/** The account of this name, without funding it. Its sequence number is read once: use a new one after transactions from elsewhere. */
export function chainTraderOf(fixture: GatewayFixture, name: string): ChainTrader {
  const { networkPassphrase, rpc, exchange } = fixture.network
  const identity = identityOf(fixture, name)
  return { address: identity.address, client: createClient({ identity, networkPassphrase, exchange, transport: (method, params) => rpc.call(method, params) }) }
}

/** Applies all calls in one ledger; fails unless each succeeds. At most one call per trader. */
export async function applyInOneLedger(fixture: GatewayFixture, calls: readonly ContractCall[]): Promise<void> {
  const { chain, contracts } = fixture.network
  const latestLedger = () => {
    const { sequence, closeTimeSec } = chain.history.latest()
    return { sequence, closeTimeSec }
  }
  for (const { trader, contract = contracts.market, functionName, args } of calls) {
    assert.deepEqual(await trader.client.invoke({ contract, functionName, args }, latestLedger()), { kind: 'sent' }, functionName)
  }
  await fixture.closeLedgers(1)
  for (const { trader, functionName } of calls) {
    const settlement = await trader.client.settle(latestLedger())
    assert.equal(settlement.kind, 'applied', `${functionName}: ${JSON.stringify(settlement)}`)
  }
}

/** Opens an isolated position; collateral in whole USDC. */
export function openPosition(trader: ChainTrader, terms: { asset: string; direction: 0 | 1; collateral: number; leverage: number }): ContractCall {
  const { asset, direction, collateral, leverage } = terms
  const args = [addressVal(trader.address), symbol(asset), i128(BigInt(collateral) * ONE), u32(leverage), u32(direction)]
  return { trader, functionName: 'open_position', args }
}

export function closePosition(trader: ChainTrader, positionId: number): ContractCall {
  return { trader, functionName: 'close_position', args: [addressVal(trader.address), u64(BigInt(positionId))] }
}

/** The trader's open positions on the ledger, newest first. */
export async function readOpenPositionIds(fixture: GatewayFixture, trader: ChainTrader): Promise<readonly number[]> {
  const { positions } = await createHoldingsReader(trader.client, fixture.network.contracts.market, trader.address).read()
  return positions.map(({ id }) => Number(id)).sort((a, b) => b - a)
}

/** Changes an asset's price to this percentage and holds it there. */
export async function movePrice(fixture: GatewayFixture, asset: string, toPercent: number): Promise<void> {
  const { price } = (await fixture.get<{ price: string }>(`/v1/markets/${asset}/price`)).body
  await fixture.control('local_setPrice', { asset, price: String((BigInt(price) * BigInt(toPercent)) / 100n) })
}
