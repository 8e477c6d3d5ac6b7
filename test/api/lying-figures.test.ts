// One of three nodes lies about prices, accounts or fees: what the others report is served, and the liar is avoided. With one node, a fee that is out of line
// is warned of.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { ACCOUNT_CACHE_MS, ORACLE_CACHE_MS } from '../../src/limits.ts'
import type { AccountHoldings } from '../../src/resources/account-holdings.ts'
import type { Health } from '../../src/resources/health.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import type { Price } from '../../src/resources/price.ts'
import type { Lie } from '../support/controlled-transport.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { bearer } from '../support/keys.ts'
import { createTrader, whileLedgersClose } from '../support/traders.ts'

const NODES = ['http://node-0', 'http://node-1', 'http://node-2'] as const
const OPEN: OperationRequest = { op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' }
/** 400 XLM. */
const ABSURD_FEE = 4_000_000_000n

async function openFixture(seed: string, rpcUrls: readonly string[] = NODES): Promise<GatewayFixture> {
  const fixture = await createGatewayFixture({ traders: 0, seed, rpcUrls })
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  return fixture
}

/** Doubles every 128-bit amount in the data of entries. */
const doubledAmounts: Lie = (method, result) => {
  if (method !== 'getLedgerEntries' || !Array.isArray(result['entries'])) return result
  return { ...result, entries: (result['entries'] as readonly { readonly xdr: string }[]).map((entry) => ({ ...entry, xdr: doubled(entry.xdr) })) }
}

function doubled(dataXdr: string): string {
  const data = xdr.LedgerEntryData.fromXdr(dataXdr, 'base64')
  if (data.type !== 'contractData') return dataXdr
  const { val } = data.contractData
  if (val.type !== 'scvMap' || val.map === null) return dataXdr
  for (const item of val.map) {
    if (item.val.type !== 'scvI128') continue
    const { hi, lo } = item.val.i128
    Object.assign(item, { val: xdr.ScVal.scvI128(new xdr.Int128Parts({ hi, lo: lo * 2n })) })
  }
  return data.toXdr('base64')
}

const absurdFee: Lie = (method, result) => {
  if (method !== 'simulateTransaction' || typeof result['transactionData'] !== 'string') return result
  const data = xdr.SorobanTransactionData.fromXdr(result['transactionData'], 'base64')
  Object.assign(data, { resourceFee: ABSURD_FEE })
  return { ...result, transactionData: data.toXdr('base64'), minResourceFee: String(ABSURD_FEE) }
}

async function believed(fixture: GatewayFixture): Promise<Health['nodes']> {
  return (await fixture.get<Health>('/v1/health')).body.nodes
}

test('prices: a node that doubles them is outvoted', async () => {
  await using fixture = await openFixture('lying prices')
  const read = async (): Promise<readonly (readonly [string, string])[]> => {
    await fixture.gateway.oracle.step()
    return (await fixture.get<{ readonly prices: readonly Price[] }>('/v1/oracle/prices')).body.prices.map(({ asset, price }) => [asset, price])
  }
  await read()
  const truth = await read()
  fixture.rpc.lies.set(NODES[0], doubledAmounts)
  fixture.clock.advance(ORACLE_CACHE_MS)
  assert.deepEqual(await read(), truth)
  const { configured, believed: { prices } } = await believed(fixture)
  assert.deepEqual([configured, prices?.agreeing, prices?.asked], [3, 2, 3])
})

test('accounts: a node that doubles balances is outvoted', async () => {
  await using fixture = await openFixture('lying balances')
  const trader = await createTrader(fixture, 'lying balances')
  await trader.trade(OPEN)
  const read = async (): Promise<unknown> => {
    fixture.clock.advance(ACCOUNT_CACHE_MS)
    const headers = { authorization: bearer(trader.key) }
    assert.equal((await fixture.get('/v1/account/me', headers)).status, 200)
    const { body } = await whileLedgersClose(fixture, () => fixture.get<AccountHoldings & { readonly positions: unknown }>('/v1/account/me/state', headers))
    return body.positions
  }
  const truth = JSON.stringify(await read())
  fixture.rpc.lies.set(NODES[0], doubledAmounts)
  const served = JSON.parse(JSON.stringify(await read())) as readonly { readonly collateral: string }[]
  assert.deepEqual(served.map(({ collateral }) => collateral), (JSON.parse(truth) as typeof served).map(({ collateral }) => collateral))
  const { believed: { accounts } } = await believed(fixture)
  assert.ok((accounts?.agreeing ?? 0) >= 2, JSON.stringify(accounts))
})

test('fees: a node that simulates 400 XLM is outvoted', async () => {
  await using fixture = await openFixture('lying fees')
  const trader = await createTrader(fixture, 'lying fees')
  const honest = (await trader.prepare(OPEN)).body as unknown as PreparedTransaction
  assert.deepEqual([honest.feeConfirmedBy, honest.nodes], [2, 3])
  fixture.rpc.lies.set(NODES[0], absurdFee)
  const prepared = (await trader.prepare(OPEN)).body as unknown as PreparedTransaction
  assert.ok(BigInt(prepared.minResourceFee ?? 0) < ABSURD_FEE / 100n, prepared.minResourceFee)
  assert.deepEqual([prepared.feeConfirmedBy, prepared.warnings.map(({ code }) => code)], [2, []])
  const { believed: { fees } } = await believed(fixture)
  assert.deepEqual([fees?.agreeing, fees?.asked], [2, 3])
})

for (const samples of [0, 6]) {
  test(`fees: with one node, 400 XLM get the warning fee_unusual after ${samples} ordinary preparations`, async () => {
    await using fixture = await openFixture('unusual fee', [NODES[0]])
    const trader = await createTrader(fixture, 'unusual fee')
    for (let sample = 0; sample < samples; sample++) assert.deepEqual((await trader.prepare(OPEN)).body['warnings'], [])
    fixture.rpc.lies.set(NODES[0], absurdFee)
    const { status, body, text } = await trader.prepare(OPEN)
    const { warnings, feeConfirmedBy } = body as unknown as PreparedTransaction
    assert.deepEqual([status, feeConfirmedBy, warnings.map(({ code }) => code)], [200, 1, ['fee_unusual']], text)
    assert.match(warnings[0]?.message ?? '', /^The fee is 4\d\d\.\d+ XLM\. The usual fee of open_position is (at most 1|0\.\d+) XLM\. Do not sign it/)
    assert.equal(BigInt(warnings[0]?.usualFee ?? 0) <= 10_000_000n, true)
  })
}
