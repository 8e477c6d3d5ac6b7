// GET /v1/account/me/ledger, /v1/traders/{address} and the PnL curves, against the balances of a real local network, on both generations.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CashMovement } from '../../src/resources/cash-movement.ts'
import type { PnlPoint, TraderProfile } from '../../src/resources/trader-profile.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { call } from '../support/keys.ts'
import { nextPage } from '../support/pagination.ts'
import { createTrader, lastOrderId, lastPositionId, ONE } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const

async function read(fixture: GatewayFixture, trader: Trader, url: string): Promise<{ body: unknown; next: string | undefined }> {
  const { status, body, headers, text } = await call(fixture.gateway.app, url, { key: trader.key })
  assert.equal(status, 200, text)
  return { body, next: nextPage(headers['link']) }
}

interface LedgerPage {
  readonly ledger: readonly CashMovement[]
  readonly next: string | undefined
}

async function readLedger(fixture: GatewayFixture, trader: Trader, url = '/v1/account/me/ledger'): Promise<LedgerPage> {
  const { body, next } = await read(fixture, trader, url)
  return { ledger: (body as { ledger: CashMovement[] }).ledger, next }
}

interface Balances {
  readonly balances: { readonly usdc: string | null }
  readonly cross: { readonly pool: string | null }
}

async function balancesOf(fixture: GatewayFixture, trader: Trader): Promise<{ wallet: bigint; cross: bigint }> {
  const { balances, cross } = (await read(fixture, trader, '/v1/account/me/state')).body as Balances
  return { wallet: BigInt(balances.usdc ?? 0), cross: BigInt(cross.pool ?? 0) }
}

const sumOf = (rows: readonly CashMovement[], balanceOf: string): bigint =>
  rows.filter((row) => row.balanceOf === balanceOf).reduce((sum, { amount }) => sum + BigInt(amount ?? 0), 0n)

for (const generation of ['1', '2'] as const) {
  test(`generation ${generation}: the ledger adds up to the wallet and the cross balance`, async () => {
    await using fixture = await createGatewayFixture({ traders: 2, seed: `ledger ${generation}`, generation })
    await fixture.closeLedgers(4)
    const trader = await createTrader(fixture, 'ledger')
    const before = await balancesOf(fixture, trader)
    await trader.trade({ op: 'open_position', ...TERMS })
    await trader.trade({ op: 'close_position', positionId: await lastPositionId(fixture, trader.address) })
    await trader.trade({ op: 'open_position_cross', ...TERMS })
    await trader.trade({ op: 'close_position_cross', positionId: await lastPositionId(fixture, trader.address) })
    await trader.trade({ op: 'place_limit_order', ...TERMS, triggerCondition: 'Below', slippageToleranceBps: 500, triggerPrice: '1' })
    await trader.trade({ op: 'cancel_order', orderId: await lastOrderId(fixture, trader.address) })
    await fixture.catchUp()
    const gained = await balancesOf(fixture, trader)
    const wallet = gained.wallet - before.wallet
    assert.equal(sumOf((await readLedger(fixture, trader)).ledger, 'wallet'), wallet, 'exact at once')

    while ((await fixture.indexer.observe()) > 0) await fixture.idle()
    const { ledger } = await readLedger(fixture, trader)
    assert.deepEqual([sumOf(ledger, 'wallet'), sumOf(ledger, 'cross')], [wallet, gained.cross - before.cross])
    assert.deepEqual(ledger.map(({ kind, balanceOf }) => `${kind} ${balanceOf}`), [
      'order_refund wallet', 'order_escrow wallet', 'close cross', 'open cross', 'cross_deposit cross', 'cross_deposit wallet', 'close wallet', 'open wallet',
    ])
    assert.ok(ledger.every(({ amount }) => amount !== null))
    const [refund, escrow] = ledger
    assert.ok(refund?.orderId !== null && refund?.orderId === escrow?.orderId)

    const paged: CashMovement[] = []
    for (let url: string | undefined = '/v1/account/me/ledger?limit=1'; url !== undefined;) {
      const page: LedgerPage = await readLedger(fixture, trader, url)
      paged.push(...page.ledger)
      url = page.next
    }
    assert.deepEqual(paged, ledger)
    const opens = await readLedger(fixture, trader, `/v1/traders/${trader.address}/ledger?kind=open`)
    assert.deepEqual(opens.ledger, ledger.filter(({ kind }) => kind === 'open'))
    const past = await readLedger(fixture, trader, `/v1/account/me/ledger?at_ledger=${ledger.at(-2)?.ledger ?? 0}`)
    assert.deepEqual(past.ledger, ledger.slice(-2))

    const profile = (await read(fixture, trader, `/v1/traders/${trader.address}`)).body as TraderProfile
    assert.deepEqual([profile.trades, profile.openPositions, profile.volume], [4, 0, String(2_000n * ONE)])
    const { points } = (await read(fixture, trader, '/v1/account/me/pnl?interval=1h')).body as { points: PnlPoint[] }
    const total = points.at(-1)
    assert.equal(points.length, 100)
    assert.equal(points.reduce((sum, { realizedPnl }) => sum + BigInt(realizedPnl ?? 0), 0n), BigInt(profile.realizedPnl))
    const head = Math.max(...ledger.map((row) => row.ledger))
    const minutes = `/v1/account/me/pnl?interval=1m&to=${(ledger[0]?.ts ?? 0) + 1}`
    const atHead = await read(fixture, trader, `${minutes}&at_ledger=${head}`)
    assert.deepEqual(atHead.body, (await read(fixture, trader, minutes)).body, 'the fold of the last minute equals its stored sum')
    const firstOpen = ledger.at(-1)
    const afterOpen = (await read(fixture, trader, `/v1/traders/${trader.address}/pnl?at_ledger=${firstOpen?.ledger ?? 0}`)).body as { points: PnlPoint[] }
    assert.equal(afterOpen.points.at(-1)?.cumulative, String(-BigInt(firstOpen?.fee ?? 0)), 'only the open has cost something')
    // Everything is closed, so what was made is what the balances gained.
    assert.equal(BigInt(total?.cumulative ?? 0), wallet + gained.cross - before.cross, JSON.stringify(total))
    for (const url of ['/v1/account/me/ledger?kind=x', '/v1/account/me/ledger?cursor=x', '/v1/account/me/pnl?interval=1m&from=0', '/v1/traders/x']) {
      assert.equal((await call(fixture.gateway.app, url, { key: trader.key })).status, 400, url)
    }
    for (const url of ['/v1/account/me/ledger', '/v1/account/me/pnl']) assert.equal((await call(fixture.gateway.app, url)).status, 401, url)
  })
}
