// Previews of simulations that a node has altered or cut short: what is left is right, and the rest is null.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Address, nativeToScVal, StrKey, xdr } from '@stellar/stellar-sdk'
import { parseSimulation } from '../../src/chain/rpc/responses.ts'
import { previewSimulation } from '../../src/trading/relay/preview.ts'
import type { TradePreview } from '../../src/resources/trade-preview.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { createTrader, lastPositionId } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

const OPEN = { op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' } as const

let fixture: GatewayFixture
let trader: Trader
let open: Record<string, unknown>
let close: Record<string, unknown>

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'altered previews' })
  await fixture.closeLedgers(3)
  trader = await createTrader(fixture, 'altered previews')
  await trader.trade(OPEN)
  open = await simulate(OPEN)
  close = await simulate({ op: 'close_position', positionId: await lastPositionId(fixture, trader.address) })
})
after(() => fixture[Symbol.asyncDispose]())

async function simulate(body: object): Promise<Record<string, unknown>> {
  const { body: { xdr: transaction }, text } = await trader.prepare(body)
  assert.equal(typeof transaction, 'string', text)
  return (await fixture.network.rpc.call('simulateTransaction', { transaction })) as Record<string, unknown>
}

function preview(response: Record<string, unknown>): TradePreview {
  const exchange = fixture.deployment.current
  return previewSimulation(parseSimulation(response), {
    trader: trader.address, contract: exchange.contracts.market, exchange,
  }).preview
}

const ENTRIES_UNKNOWN = { collateral: null, fee: null, liquidationPrice: null }

test('without usable state changes, the events still say what is opened', () => {
  const whole = preview(open)
  assert.ok(whole.fee !== null && whole.positionId !== null)
  const changes = open['stateChanges'] as { after: string }[]
  const long = Array.from({ length: 2_000 }, () => changes[0])
  const bad: readonly unknown[] = [
    undefined, null, 'none', [], [null], [7], [{}], [{ before: 7, after: null }], [{ before: null, after: 'AAAA' }],
    [{ before: 'not base64', after: null }], long,
  ]
  for (const stateChanges of bad) {
    assert.deepEqual(preview({ ...open, stateChanges }), { ...whole, ...ENTRIES_UNKNOWN }, JSON.stringify(stateChanges)?.slice(0, 80))
  }
})

test('without usable state changes, the events still say what is closed', () => {
  const whole = preview(close)
  const { positionId, pnl, size, entryPrice, price } = whole
  assert.ok(pnl !== null && price !== null)
  assert.deepEqual(preview({ ...close, stateChanges: [] }), { ...whole, ...ENTRIES_UNKNOWN, positionId, pnl, size, entryPrice, price })
})

test('without events, the changed entries still say what is opened, and nothing is said about payments', () => {
  const [opened, closed] = [preview(open), preview(close)]
  for (const events of [[], ['AAAA'], ['not base64'], Array.from({ length: 3_000 }, () => 'AAAA')]) {
    const changed = preview({ ...open, events })
    assert.deepEqual({ ...changed, priceTimestamp: opened.priceTimestamp }, opened, JSON.stringify(events).slice(0, 40))
    assert.equal(changed.priceTimestamp, null)
  }
  for (const events of [[], ['AAAA'], ['not base64']]) {
    const { pnl, payout, price } = preview({ ...close, events })
    assert.deepEqual([pnl, payout, price], [null, null, null])
    assert.equal(preview({ ...close, events }).size, closed.size)
  }
})

test('a node that sends no diagnostics leaves only the timestamp of the price open', () => {
  const emitted = (open['events'] as string[]).filter((event) => xdr.DiagnosticEvent.fromXdr(event, 'base64').event.type.name === 'contract')
  assert.deepEqual(preview({ ...open, events: emitted }), { ...preview(open), priceTimestamp: null })
})

test('events and transfers of other contracts count for nothing', () => {
  const whole = preview(close)
  const stranger = fixture.network.contracts.lpToken
  const forged = [
    diagnostic(stranger, ['position_closed'], [nativeToScVal(1n, { type: 'u64' })]),
    diagnostic(stranger, ['transfer', fixture.network.contracts.market, trader.address], nativeToScVal(10n ** 15n, { type: 'i128' })),
    diagnostic(fixture.network.contracts.usdcToken, ['transfer', stranger, trader.address], nativeToScVal(10n ** 15n, { type: 'i128' })),
  ]
  assert.deepEqual(preview({ ...close, events: [...close['events'] as string[], ...forged] }), whole)
})

/** An event of a successful call. Topics that are addresses become addresses. */
function diagnostic(contract: string, topics: readonly string[], data: xdr.ScVal | xdr.ScVal[]): string {
  const event = new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: new xdr.ContractId(StrKey.decodeContract(contract)),
    type: xdr.ContractEventType.contract,
    body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({
      topics: topics.map((topic) => (topic.length === 56 ? new Address(topic).toScVal() : xdr.ScVal.scvSymbol(topic))),
      data: Array.isArray(data) ? xdr.ScVal.scvVec(data) : data,
    })),
  })
  return new xdr.DiagnosticEvent({ inSuccessfulContractCall: true, event }).toXdr('base64')
}
