// Shares the permits for envelopes in flight and for the callers that wait for them between requesters (docs/decisions/fair-shares.md).

import { findSurplusHolder } from '../../base/fair-share.ts'
import type { Holder, Requester } from '../../base/fair-share.ts'
import { SUBMISSION_WAITERS_MAX, SUBMISSIONS_MAX } from '../../limits.ts'
import { provisionalOutcome } from './outcomes.ts'
import type { SubmitOutcome } from './outcomes.ts'
import type { SendResult } from './send-envelope.ts'

interface HeldFlight extends Holder {
  /** Null while the send is in flight. */
  readonly sendResult: SendResult | null
}

interface HeldWait<Flight extends HeldFlight> extends Holder {
  readonly flight: Flight
  readonly settle: (outcome: SubmitOutcome) => void
}

export interface FlightCapacity {
  /** True if one more transaction may be sent. Makes room at the cost of a requester with more. */
  maySend(requester: Requester): boolean
  /** True if one more caller may wait. */
  mayWait(requester: Requester): boolean
  /** The outcome when there was no room. */
  refusal(requester: Requester): SubmitOutcome
}

/**
 * A flight or a wait that gives way gets the outcome known by now. Submitting again continues the wait. `flights` and `waits` are live views, in the
 * order of arrival.
 */
export function createFlightCapacity<Flight extends HeldFlight>(parts: {
  readonly flights: ReadonlyMap<string, Flight>
  readonly waits: ReadonlySet<HeldWait<Flight>>
  finish(flight: Flight, outcome: SubmitOutcome): void
}): FlightCapacity {
  const { flights, waits, finish } = parts
  return {
    maySend(requester) {
      const sending = [...flights.values()].filter(({ sendResult }) => sendResult === null)
      const own = sending.filter((flight) => flight.requester.address === requester.address).length
      // Sends cannot be interrupted. While a node is slow, one address must not use up what is left for others.
      if (own > 0 && own >= SUBMISSIONS_MAX - sending.length) return false
      if (flights.size < SUBMISSIONS_MAX) return true
      const surplus = findSurplusHolder(flights.values(), requester, ({ sendResult }) => sendResult !== null)
      if (surplus !== undefined) finish(surplus, provisionalOutcome(surplus.sendResult))
      return surplus !== undefined
    },
    mayWait(requester) {
      if (waits.size < SUBMISSION_WAITERS_MAX) return true
      const surplus = findSurplusHolder(waits, requester, ({ flight }) => flight.sendResult !== null)
      surplus?.settle(provisionalOutcome(surplus.flight.sendResult))
      return surplus !== undefined
    },
    refusal({ address }) {
      const hasShare = waits.values().some((wait) => wait.requester.address === address)
      return { kind: 'tryAgainLater', fullQueue: hasShare ? 'share' : 'gateway' }
    },
  }
}
