// The console's words about a sequence of transactions: before each signature, and when one of them fails.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContractFailure, GatewayError, RateLimited, UnknownOutcome, Unreachable } from '../../client/src/index.ts'
import { Declined, problemOf, reasonOf } from '../../console/problems.ts'
import { failureOf, notesOf } from '../../console/trade/sequence.ts'
import type { TicketStep } from '../../console/trade/ticket.ts'

const step = (title: string, more: Partial<TicketStep> = {}): TicketStep => ({ title, request: () => ({ op: 'cancel_order', orderId: '1' }), ...more })
const SEQUENCE = [step('Cancel order 1', { note: 'Keep this in mind.' }), step('Place it again', { ifNotSent: (opened) => `Not placed for ${opened}.` })]

const simulated = (body: object, contractError: { code: number; name: string } | null) => new ContractFailure(
  { status: 400, code: 'simulation_failed', message: '', requestId: 'r', body }, { stage: 'simulation', contractError },
)

test('shows the API\'s sentence, and its code apart from it', () => {
  const message = 'Simulation failed: no open position has this id. List your open positions. [Error(Contract, #20)]'
  const failure = simulated({ error: 'simulation_failed', message }, { code: 20, name: 'PositionNotFound' })
  assert.deepEqual(problemOf(failure), { text: 'No open position has this id. List your open positions.', code: 'PositionNotFound 20' })
  assert.equal(reasonOf(failure), 'No open position has this id. List your open positions (PositionNotFound 20)')
  assert.deepEqual(problemOf(simulated({ message: 'The price is worse.' }, { code: 87, name: 'AcceptablePriceExceeded' })), {
    text: 'The price moved beyond your worst price. Try again, or allow more: “Slippage tolerance” of a market order in the order ticket.',
    code: 'AcceptablePriceExceeded 87',
  })
  const gateway = (status: number, body: { error: string; message?: string; op?: string }) =>
    problemOf(new GatewayError({ status, code: body.error, message: '', requestId: null, body }))
  assert.deepEqual(gateway(409, { error: 'client_id_in_use', message: 'Another transaction has this clientId.' }), {
    text: 'Another transaction has this clientId.', code: 'client_id_in_use',
  })
  assert.deepEqual(gateway(503, { error: 'unsupported_by_deployment', op: 'close_position_partial' }), {
    text: 'The contracts of this exchange have no close position partial.', code: 'unsupported_by_deployment',
  })
  assert.deepEqual(gateway(404, { error: 'order_not_found' }), { text: 'The gateway refused the request with status 404.', code: 'order_not_found' })
  assert.deepEqual(problemOf(new Unreachable('GET /', 'r')), { text: 'The gateway does not respond.', code: null })
  const limited = new RateLimited({ status: 429, code: 'rate_limited', message: '', requestId: null, body: {}, retryAfterSec: 17 })
  assert.deepEqual(problemOf(limited), { text: 'The rate limit is reached. Try again in 17 s.', code: '429' })
})

test('the review of a sequence names what follows', () => {
  assert.deepEqual(notesOf([step('Close')], 0), [])
  assert.deepEqual(notesOf(SEQUENCE, 0), ['Then: Place it again. This review covers both transactions.', 'Keep this in mind.'])
  assert.deepEqual(notesOf(SEQUENCE, 1), [])
  assert.deepEqual(notesOf([...SEQUENCE, step('Set it')], 0)[0], 'Then: Place it again, then set it. This review covers all 3 transactions.')
})

test('a sequence that stops says what was applied and what is missing, and can be continued', () => {
  const failure = simulated({ message: 'Simulation failed: trading is paused.' }, { code: 4, name: 'Paused' })
  assert.deepEqual(failureOf(failure, { steps: SEQUENCE, next: 0, opened: null }), {
    kind: 'stopped', problem: { text: 'Trading is paused.', code: 'Paused 4' }, canResume: false,
    effect: 'Cancel order 1: Nothing was traded and nothing was charged.',
  })
  assert.deepEqual(failureOf(failure, { steps: SEQUENCE, next: 1, opened: 7 }), {
    kind: 'stopped', problem: { text: 'Trading is paused.', code: 'Paused 4' }, canResume: true,
    effect: 'Place it again: Nothing was traded and nothing was charged. Not placed for 7.',
  })
  assert.deepEqual(failureOf(new Declined(), { steps: SEQUENCE, next: 1, opened: 7 }), {
    kind: 'stopped', problem: { text: 'You did not sign.', code: null }, canResume: true, effect: 'Not placed for 7.',
  })
  const unknown = new UnknownOutcome({ hash: 'ab', signedXdr: '', expiresAt: 0 })
  assert.deepEqual(failureOf(unknown, { steps: SEQUENCE, next: 0, opened: null }), {
    kind: 'unknown', error: unknown, effect: 'The rest of the sequence was not sent.',
  })
})
