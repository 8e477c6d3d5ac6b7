// The sentences that report what happened to an account.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { components } from '../../client/src/generated/openapi.ts'
import { describeChange, identityOf, orderState, timeOf } from '../../console/activity-text.ts'

type Row<Name extends 'Order' | 'Fill' | 'Transaction'> = components['schemas'][Name]

const PLACE = { ledger: 5, ts: 100, txHash: 'ab', seq: 1 }
const ORDER = { orderId: 12, orderType: 'limit', asset: 'BTC', status: 'pending', ended: null, execution: null } as unknown as Row<'Order'>
const FILL = { kind: 'close', asset: 'BTC', direction: 0, price: '900000000000', size: '5000000000', pnl: '250000000' } as unknown as Row<'Fill'>
const SUBMISSION = { hash: '0123456789abcdef', status: 'SUCCESS', op: 'open_position', contractError: null } as unknown as Row<'Transaction'>

const order = (change: Partial<Row<'Order'>>) => describeChange({ kind: 'order', row: { ...ORDER, ...change } })
const fill = (change: Partial<Row<'Fill'>>) => describeChange({ kind: 'fill', row: { ...FILL, ...change } })
const submission = (change: Partial<Row<'Transaction'>>) => describeChange({ kind: 'submission', row: { ...SUBMISSION, ...change } })

test('reports what became of an order, with the reason', () => {
  const ended = { ...PLACE, reason: 'slippage' }
  assert.deepEqual(order({}), { tone: 'neutral', text: 'Limit order 12 in BTC was placed.' })
  assert.deepEqual(order({ status: 'cancelled', ended }), {
    tone: 'bad', text: 'Limit order 12 in BTC was cancelled: the price moved further than its slippage tolerance.',
  })
  assert.deepEqual(order({ status: 'cancelled', ended: { ...ended, reason: 'user' } })?.tone, 'neutral')
  const execution = { price: '900000000000', size: '1', fee: null, keeperReward: null, positionId: 4, pnl: null }
  assert.deepEqual(order({ status: 'executed', ended, execution }), { tone: 'good', text: 'Limit order 12 in BTC was executed at 90,000.00.' })
  // What the gateway does not know yet is left out.
  assert.equal(order({ orderType: null, asset: null, status: 'executed', ended })?.text, 'Order 12 was executed.')
})

test('reports a liquidation as urgent, with its loss', () => {
  assert.deepEqual(fill({}), { tone: 'good', text: 'Your long BTC position was closed at 90,000.00, 500.00 USDC. PnL: +25.00 USDC.' })
  assert.deepEqual(fill({ kind: 'liquidation', pnl: '-1000000000' }), {
    tone: 'urgent', text: 'Your long BTC position was liquidated at 90,000.00, 500.00 USDC. Loss: 100.00 USDC.',
  })
  assert.equal(fill({ kind: 'open', direction: 1, pnl: '0' })?.text, 'Your short BTC position was opened at 90,000.00, 500.00 USDC.')
  assert.equal(fill({ kind: 'liquidation', asset: null, direction: null, price: null, size: null, pnl: null })?.text, 'Your position was liquidated.')
})

test('says what became of an order in the message that placed it', () => {
  const state = (change: Partial<Row<'Order'>>) => orderState({ ...ORDER, ...change })
  const execution = { price: '900000000000', size: '1', fee: null, keeperReward: null, positionId: 4, pnl: null }
  assert.equal(state({}), 'pending')
  assert.equal(state({ status: 'executed', execution }), 'executed at 90,000.00')
  assert.equal(state({ status: 'cancelled', ended: { ...PLACE, reason: 'pos_closed' } }), 'cancelled: its position was closed')
})

test('the stream and the lists identify the same change alike, with the time of its ledger', () => {
  const ended = { ...PLACE, ts: 120, reason: 'user' }
  const changes = [
    { kind: 'order', row: { ...ORDER, placed: PLACE } }, { kind: 'order', row: { ...ORDER, status: 'cancelled', placed: PLACE, ended } },
    { kind: 'fill', row: { ...FILL, seq: 9, positionId: 4, ts: 130 } }, { kind: 'submission', row: { ...SUBMISSION, status: 'EXPIRED', ts: null } },
  ] as const
  assert.deepEqual(changes.map((change) => [identityOf(change), timeOf(change)]), [
    ['order 12 pending', 100], ['order 12 cancelled', 120], ['fill 9 4 close', 130], ['submission 0123456789abcdef EXPIRED', null],
  ])
})

test('reports a submission that did not succeed, and leaves successes to their orders and fills', () => {
  assert.equal(submission({}), null)
  assert.equal(submission({ status: 'PENDING' }), null)
  assert.deepEqual(['set_stop_loss', 'cancel_order', 'place_limit_order'].map((op) => submission({ op })), [null, null, null])
  // Nothing else reports these.
  const deposited = submission({ op: 'deposit_cross_margin', ledger: 7 })
  assert.deepEqual(deposited, { tone: 'good', text: 'Transaction 01234567 (deposit cross margin) is final in ledger 7.' })
  assert.equal(submission({ status: 'FAILED', contractError: { code: 22, name: 'InsufficientCollateral' } })?.text,
    'Transaction 01234567 (open position) failed in a ledger: InsufficientCollateral (22). Its fee was charged.')
  assert.match(submission({ status: 'EXPIRED' })?.text ?? '', /safe to send it again/)
  assert.match(submission({ status: 'UNKNOWN' })?.text ?? '', /^Transaction 01234567 \(open position\) has no known outcome yet\./)
})
