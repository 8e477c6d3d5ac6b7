// A trader who compares the previews of prepared transactions with what their application does to the account.

import assert from 'node:assert/strict'
import { createDeployment } from '../../localnet/genesis.ts'
import { createIdentities } from '../../localnet/identities.ts'
import type { ActionRequest } from '../../src/exchange/actions.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { OPERATION_NAMES } from '../../src/exchange/operations.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import type { TradePreview } from '../../src/resources/trade-preview.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { call } from '../support/keys.ts'
import { createTrader, ONE, sign, whileLedgersClose } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

/** In USDC, 7-decimal. */
interface Balances {
  readonly usdc: bigint
  /** Of the cross margin pool. */
  readonly pool: bigint
}

interface Position {
  readonly positionId: number
  readonly entryPrice: string
  readonly size: string
  readonly collateral: string
  readonly liquidationPrice: string | null
}

export interface PreviewedTrader {
  readonly generation: '1' | '2'
  readonly fixture: GatewayFixture
  readonly trader: Trader
  /** Prepares an operation or action; fails unless that succeeds. */
  prepare(body: OperationRequest | ActionRequest): Promise<PreparedTransaction>
  /** Prepares and applies; returns the preview, and what the balances gained. */
  apply(body: OperationRequest | ActionRequest): Promise<{ readonly preview: TradePreview; readonly gained: Balances }>
  price(asset?: string): Promise<{ readonly price: bigint; readonly timestamp: number }>
  position(id: number | null): Promise<Position>
}

/** Longer than prices and accounts are cached. */
const CACHED_MS = 3_000

/** Creates a network with one trader, who has LP tokens. */
export async function createPreviewedTrader(generation: '1' | '2'): Promise<PreviewedTrader> {
  const fixture = await createGatewayFixture({ traders: 0, seed: `previews ${generation}`, generation, listen: true })
  await fixture.closeLedgers(3)
  const trader = await createTrader(fixture, 'previews')
  const { networkPassphrase, chain } = fixture.network
  chain.grant(trader.address, createDeployment(networkPassphrase, createIdentities(networkPassphrase, 0)).lpAsset, 0n)

  async function state(): Promise<{ balances: { usdc: string }; cross: { pool: string }; positions: Position[] }> {
    fixture.clock.advance(CACHED_MS)
    const { status, body, text } = await call(fixture.gateway.app, '/v1/account/me/state', { key: trader.key })
    assert.equal(status, 200, text)
    return body as unknown as Awaited<ReturnType<typeof state>>
  }

  async function balances(): Promise<Balances> {
    const { balances: { usdc }, cross: { pool } } = await state()
    return { usdc: BigInt(usdc), pool: BigInt(pool) }
  }

  const previewed: PreviewedTrader = {
    generation, fixture, trader,
    async prepare(body) {
      const path = OPERATION_NAMES.some((op) => op === body.op) ? '/v1/orders/prepare' : '/v1/actions/prepare'
      assert.equal((await call(fixture.gateway.app, '/v1/account/me', { key: trader.key })).status, 200)
      const { status, body: prepared, text } = await whileLedgersClose(fixture, () =>
        call(fixture.gateway.app, path, { method: 'POST', body, key: trader.key }))
      assert.equal(status, 200, `${body.op}: ${text}`)
      return prepared as unknown as PreparedTransaction
    },
    async apply(body) {
      const earlier = await balances()
      const prepared = await previewed.prepare(body)
      const submitted = await trader.submit(sign(prepared, trader.wallet, networkPassphrase))
      assert.deepEqual([submitted.status, submitted.body['status']], [200, 'SUCCESS'], `${body.op}: ${submitted.text}`)
      const later = await balances()
      return { preview: prepared.preview, gained: { usdc: later.usdc - earlier.usdc, pool: later.pool - earlier.pool } }
    },
    async price(asset = 'BTC') {
      fixture.clock.advance(CACHED_MS)
      const { body } = await fixture.get<{ price: string; timestamp: number }>(`/v1/markets/${asset}/price`)
      return { price: BigInt(body.price), timestamp: body.timestamp }
    },
    async position(id) {
      return (await state()).positions.find(({ positionId }) => positionId === id) ?? assert.fail(`no position ${id}`)
    },
  }
  await previewed.apply({ op: 'deposit_liquidity', amount: String(20_000n * ONE) })
  return previewed
}
