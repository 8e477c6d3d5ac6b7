// Referral with the market's discounts enabled: the referee's discount, the referrer's earnings, and how the API reports both.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ActionRequest } from '../../src/exchange/actions.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { bearer, call } from '../support/keys.ts'
import { createTrader, ONE, sign, whileLedgersClose } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const FEE = 500n * ONE * 5n / 10_000n

let fixture: GatewayFixture
let referrer: Trader
let referee: Trader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'referral economics' })
  await fixture.closeLedgers(3)
  referrer = await createTrader(fixture, 'referrer')
  referee = await createTrader(fixture, 'referee')
  await submitAction(referrer, { op: 'create_referral_code', code: 'STAR' })
  await submitAction(referee, { op: 'set_referrer', code: 'STAR' })
  const { referral } = fixture.network.contracts
  await fixture.control('local_admin', { contract: 'market', function: 'set_referral', args: [{ type: 'address', value: referral }] })
})
after(() => fixture[Symbol.asyncDispose]())

async function submitAction({ key, wallet, submit }: Trader, body: ActionRequest): Promise<void> {
  assert.equal((await call(fixture.gateway.app, '/v1/account/me', { key })).status, 200)
  const prepared = await whileLedgersClose(fixture, () => call(fixture.gateway.app, '/v1/actions/prepare', { method: 'POST', body, key }))
  assert.equal(prepared.status, 200, prepared.text)
  const submitted = await submit(sign(prepared.body as unknown as PreparedTransaction, wallet, fixture.network.networkPassphrase))
  assert.equal(submitted.body['status'], 'SUCCESS', submitted.text)
}

async function own(trader: Trader, path: string): Promise<Record<string, unknown>> {
  await fixture.catchUp()
  const { status, body } = await fixture.get(path, { authorization: bearer(trader.key) })
  assert.equal(status, 200)
  return body
}

const open = (trader: Trader) =>
  trader.trade({ op: 'open_position', asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' })

test('lists the referee\'s trades with discount and payout, and no other account\'s', async () => {
  await open(referee)
  await open(referrer)
  await open(referee)
  const { trades } = await own(referrer, '/v1/referral/me/trades') as { trades: readonly Record<string, unknown>[] }
  const [newest] = trades
  assert.equal(trades.length, 2)
  assert.deepEqual([newest?.['referee'], newest?.['referrer']], [referee.address, referrer.address])
  assert.deepEqual([newest?.['originalFee'], newest?.['discount'], newest?.['payout']], [String(FEE), String(FEE / 25n), String(FEE / 10n)])
  const { self } = await own(referrer, '/v1/referral/me') as { self: Record<string, unknown> }
  assert.deepEqual([self['referredCount'], self['totalVolumeGenerated'], self['totalEarned'], self['claimable']], [
    1, String(2n * FEE), String((2n * FEE) / 10n), String((2n * FEE) / 10n),
  ])
})

test('the discount increases the referee\'s remaining collateral', async () => {
  const { positions } = await own(referee, '/v1/account/me/state') as { positions: readonly Record<string, unknown>[] }
  assert.equal(positions[0]?.['collateral'], String(100n * ONE - FEE + FEE / 25n))
})

test('a claim empties claimable and nothing else', async () => {
  await submitAction(referrer, { op: 'claim_referral' })
  const { self } = await own(referrer, '/v1/referral/me') as { self: Record<string, unknown> }
  assert.deepEqual([self['claimable'], self['totalEarned']], ['0', String((2n * FEE) / 10n)])
  const { claims } = await own(referrer, '/v1/referral/me/claims') as { claims: readonly Record<string, unknown>[] }
  assert.deepEqual(claims.map((claim) => [claim['referrer'], claim['amount']]), [[referrer.address, String((2n * FEE) / 10n)]])
})
