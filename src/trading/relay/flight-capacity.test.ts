import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SUBMISSION_WAITERS_MAX, SUBMISSIONS_MAX } from '../../limits.ts'
import { createFlightCapacity } from './flight-capacity.ts'
import type { FlightCapacity } from './flight-capacity.ts'
import type { SubmitOutcome } from './outcomes.ts'
import type { SendResult } from './send-envelope.ts'

interface Held {
  readonly requester: { readonly address: string; readonly key: string }
  readonly sendResult: SendResult | null
}

const ACCEPTED: SendResult = { kind: 'accepted' }

function holder(address: string, sendResult: SendResult | null = ACCEPTED): Held {
  return { requester: { address, key: address }, sendResult }
}

/** A capacity with these submissions, and with as many callers that wait for the first of them. */
function admit(held: readonly Held[], callers: readonly Held[] = []): { capacity: FlightCapacity; ended: [address: string, kind: string][] } {
  const ended: [string, string][] = []
  const end = (address: string) => ({ kind }: SubmitOutcome): void => void ended.push([address, kind])
  const waits = new Set(callers.map((flight) => ({ flight, requester: flight.requester, settle: end(flight.requester.address) })))
  const capacity = createFlightCapacity({
    flights: new Map(held.map((flight, index) => [String(index), flight])), waits,
    finish: (flight, outcome) => end(flight.requester.address)(outcome),
  })
  return { capacity, ended }
}

function times(count: number, one: Held): Held[] {
  return Array.from({ length: count }, () => one)
}

const B = { address: 'b', key: 'b' }

test('a full gateway ends a submission of the address with the most, and reports what is known of it', () => {
  const { capacity, ended } = admit(times(SUBMISSIONS_MAX, holder('a')))
  assert.equal(capacity.maySend(B), true)
  assert.deepEqual(ended, [['a', 'pending']])
  const room = admit(times(SUBMISSIONS_MAX - 1, holder('a')))
  assert.equal(room.capacity.maySend(B), true)
  assert.deepEqual(room.ended, [], 'nothing ends while there is room')
  const own = admit(times(SUBMISSIONS_MAX, holder('b')))
  assert.deepEqual([own.capacity.maySend(B), own.ended], [false, []])
})

test('a send in flight is not ended', () => {
  const { capacity, ended } = admit(times(SUBMISSIONS_MAX, holder('a', null)))
  assert.deepEqual([capacity.maySend(B), ended], [false, []])
  const one = admit([...times(SUBMISSIONS_MAX - 1, holder('a', null)), holder('a', { kind: 'unconfirmed' })])
  assert.deepEqual([one.capacity.maySend(B), one.ended], [true, [['a', 'unknown']]])
})

test('an address has no more sends in flight than it leaves to others', () => {
  const half = SUBMISSIONS_MAX / 2
  assert.equal(admit(times(half - 1, holder('b', null))).capacity.maySend(B), true)
  assert.equal(admit(times(half, holder('b', null))).capacity.maySend(B), false)
  assert.equal(admit([...times(half, holder('a', null)), ...times(half / 2 - 1, holder('b', null))]).capacity.maySend(B), true)
  assert.equal(admit([...times(half, holder('a', null)), ...times(half / 2, holder('b', null))]).capacity.maySend(B), false)
  assert.equal(admit(times(SUBMISSIONS_MAX - 1, holder('a', null))).capacity.maySend(B), true, 'the first send of an address')
})

test('callers share their permits the same way', () => {
  const full = admit([], times(SUBMISSION_WAITERS_MAX, holder('a')))
  assert.deepEqual([full.capacity.mayWait(B), full.ended], [true, [['a', 'pending']]])
  const room = admit([], times(SUBMISSION_WAITERS_MAX - 1, holder('a')))
  assert.deepEqual([room.capacity.mayWait(B), room.ended], [true, []])
  const sending = admit([], times(SUBMISSION_WAITERS_MAX, holder('a', null)))
  assert.deepEqual([sending.capacity.mayWait(B), sending.ended], [false, []])
})

test('a refusal says whether the requester has its share', () => {
  const { capacity } = admit([], [holder('a')])
  assert.deepEqual(capacity.refusal({ address: 'a', key: 'other' }), { kind: 'tryAgainLater', fullQueue: 'share' })
  assert.deepEqual(capacity.refusal(B), { kind: 'tryAgainLater', fullQueue: 'gateway' })
})
