// GET /v1/account/me/fills: what each change of a position moved, on both generations.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fill } from '../../src/resources/fill.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { call } from '../support/keys.ts'
import { nextPage } from '../support/pagination.ts'
import { createTrader, lastPositionId, ONE } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const

async function fillsOf(fixture: GatewayFixture, { key }: Trader, url = '/v1/account/me/fills'): Promise<{ fills: Fill[]; next: string | undefined }> {
  const { status, body, headers, text } = await call(fixture.gateway.app, url, { key })
  assert.equal(status, 200, text)
  return { fills: (body as unknown as { fills: Fill[] }).fills, next: nextPage(headers['link']) }
}

/** The trader's USDC in the wallet. */
async function walletOf(fixture: GatewayFixture, { key }: Trader): Promise<bigint> {
  const { body, text } = await call(fixture.gateway.app, '/v1/account/me/state', { key })
  const { balances } = body as { balances: { usdc?: string | null } }
  assert.ok(typeof balances.usdc === 'string', text)
  return BigInt(balances.usdc)
}

for (const generation of ['1', '2'] as const) {
  test(`generation ${generation}: fills say what the wallet paid and received`, async () => {
    await using fixture = await createGatewayFixture({ traders: 4, seed: `fills ${generation}`, generation })
    await fixture.closeLedgers(4)
    const trader = await createTrader(fixture, 'fills')
    const before = await walletOf(fixture, trader)
    await trader.trade({ op: 'open_position', ...TERMS })
    const positionId = await lastPositionId(fixture, trader.address)
    await trader.trade({ op: 'close_position', positionId })
    await fixture.catchUp()

    const unread = await fillsOf(fixture, trader)
    assert.deepEqual(unread.fills.map(({ kind, positionId: id }) => [kind, id]), [['close', positionId], ['open', positionId]])
    assert.deepEqual(unread.fills.map(({ payout }) => payout === null), [false, false], 'transfers show what was paid to a wallet')
    while ((await fixture.indexer.observe()) > 0) await fixture.idle()

    const { fills } = await fillsOf(fixture, trader)
    const [close, open] = fills
    assert.ok(close !== undefined && open !== undefined)
    assert.deepEqual([open.pnl, open.funding, open.payout, open.size], ['0', '0', '0', String(500n * ONE)])
    assert.ok(BigInt(open.fee ?? 0) > 0n && close.fee === '0' && close.funding !== null)
    assert.equal(await walletOf(fixture, trader) - before, BigInt(close.payout ?? 0) - 100n * ONE, JSON.stringify(fills))
    assert.equal(BigInt(close.payout ?? 0), 100n * ONE - BigInt(open.fee ?? 0) + BigInt(close.pnl ?? 0) - BigInt(close.funding), JSON.stringify(fills))

    const first = await fillsOf(fixture, trader, '/v1/account/me/fills?limit=1')
    assert.deepEqual(first.fills, [close])
    const second = await fillsOf(fixture, trader, first.next)
    assert.deepEqual([second.fills, second.next], [[open], undefined])
    assert.deepEqual((await fillsOf(fixture, trader, `/v1/account/me/fills?at_ledger=${open.ledger}`)).fills, [open])
    assert.equal((await call(fixture.gateway.app, '/v1/account/me/fills?cursor=x', { key: trader.key })).status, 400)
    assert.equal((await call(fixture.gateway.app, '/v1/account/me/fills')).status, 401)
  })
}
