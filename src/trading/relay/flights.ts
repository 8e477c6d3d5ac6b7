// The envelopes in flight: sends each one once, and takes steps until it has an outcome or no caller waits. Callers with the same envelope share one send and
// one step per second.

import type { Clock, Timer } from '../../base/clock.ts'
import type { Requester } from '../../base/fair-share.ts'
import type { Log } from '../../base/log.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'
import { SUBMIT_POLL_INTERVAL_MS } from '../../limits.ts'
import type { Judge } from './absence.ts'
import { createDriveEnvelope } from './drive-envelope.ts'
import type { DriveEnvelope } from './drive-envelope.ts'
import { createFlightCapacity } from './flight-capacity.ts'
import { provisionalOutcome, REJECTED } from './outcomes.ts'
import type { OutcomeReader, SubmitOutcome } from './outcomes.ts'
import { send } from './send-envelope.ts'
import type { SendResult } from './send-envelope.ts'

export interface Flights {
  /**
   * Sends the transaction unless it is already sent, and waits up to `pollTimeoutMs` after the response to the send. `signal` ends the wait once the network
   * may have the transaction; before that the outcome is still found out. Rejects with the error of `beforeSend`.
   */
  submit(signed: SignedTransaction, options: SubmitOptions): Promise<SubmitOutcome>
  /** One step of an envelope that no caller waits for. None while callers do, because they share its steps. */
  readonly drive: DriveEnvelope
  /** Reports the known state to all callers and sends nothing more. Callers of a send in flight get their outcome when it responds. */
  stop(): void
  /** The number of envelopes in flight, and of callers waiting for them. */
  stats(): { readonly inFlight: number; readonly waiters: number }
}

export interface SubmitOptions {
  readonly pollTimeoutMs: number
  /** Requesters share the capacity (docs/decisions/fair-shares.md). */
  readonly requester: Requester
  readonly signal?: AbortSignal
  /** Runs once the caller has its share of the capacity, before anything is sent for it. With an outcome nothing is sent. */
  readonly beforeSend?: () => Promise<SubmitOutcome | undefined>
  /** Called once, when a node has accepted the transaction, or may have. */
  readonly onSent?: (sent: SendResult & { readonly kind: 'accepted' | 'unconfirmed' }) => void
}

/** For the callers of one envelope. */
export const RESENDS_MAX = 3

interface Waiter {
  readonly requester: Requester
  readonly flight: Flight
  readonly outcome: Promise<SubmitOutcome>
  readonly settle: (outcome: SubmitOutcome) => void
  /** Called when the envelope was sent. */
  readonly onSent: () => void
  /** False while its `beforeSend` runs. */
  isReady: boolean
}

const STOPPED: SubmitOutcome = { kind: 'tryAgainLater', fullQueue: 'gateway' }

function mayBeOnItsWay(sent: SendResult | null): boolean {
  return sent?.kind === 'accepted' || sent?.kind === 'unconfirmed' || sent?.kind === 'coreError'
}

/** One envelope in flight. */
interface Flight {
  /** The first caller's. */
  readonly requester: Requester
  readonly signed: SignedTransaction
  readonly waiters: Set<Waiter>
  /** Aborts when there is an outcome or no caller waits any more. */
  readonly done: AbortController
  isStarted: boolean
  /** Null until the send is answered. */
  sendResult: SendResult | null
}

export function createFlights(parts: {
  readonly rpc: Rpc
  readonly clock: Clock
  readonly log: Log
  readonly outcomes: OutcomeReader
  readonly judge: Judge['judge']
}): Flights {
  const { clock, log } = parts
  const drive = createDriveEnvelope(parts)
  // By envelope, not by hash: the hash does not cover the signatures, and one caller's bad signature must not reject another caller's good one.
  const flights = new Map<string, Flight>()
  const waiters = new Set<Waiter>()
  const capacity = createFlightCapacity({ flights, waits: waiters, finish })
  let stopped = false

  function remove(flight: Flight): void {
    flight.done.abort()
    const { envelopeXdr } = flight.signed
    if (flights.get(envelopeXdr) === flight) flights.delete(envelopeXdr)
  }

  function finish(flight: Flight, outcome: SubmitOutcome): void {
    for (const waiter of flight.waiters) waiter.settle(outcome)
    remove(flight)
  }

  /** Runs what comes before the send, and waits for the outcome. Another caller's send of the same envelope may end first. */
  async function waitFor(waiter: Waiter, beforeSend: NonNullable<SubmitOptions['beforeSend']>): Promise<SubmitOutcome> {
    try {
      const outcome = await beforeSend()
      if (outcome !== undefined) return outcome
      start(waiter)
      return await waiter.outcome
    } finally {
      waiter.settle({ kind: 'unknown' })
    }
  }

  /** Sends an envelope unless that was done. */
  function start(waiter: Waiter): void {
    const { flight } = waiter
    waiter.isReady = true
    if (!flight.waiters.has(waiter)) return
    if (flight.isStarted) {
      if (flight.sendResult !== null) waiter.onSent()
      return
    }
    if (stopped) return waiter.settle(STOPPED)
    flight.isStarted = true
    run(flight).catch((error: unknown) => {
      log.error({ err: error, hash: flight.signed.hash }, 'a submission failed unexpectedly')
      finish(flight, { kind: 'unknown' })
    })
  }

  async function run(flight: Flight): Promise<void> {
    const sent = await send(parts, flight.signed, flight.requester)
    flight.sendResult = sent
    if (sent.kind === 'notSent') return finish(flight, { kind: 'notSent' })
    if (sent.kind === 'undecodable') return finish(flight, REJECTED)
    if (flight.waiters.size === 0) return remove(flight)
    for (const waiter of flight.waiters) if (waiter.isReady) waiter.onSent()
    await poll(flight, sent)
  }

  /** Takes steps until there is an outcome or no caller waits. */
  async function poll(flight: Flight, first: SendResult): Promise<void> {
    const { signed, requester, done: { signal } } = flight
    const last = { sent: first, sends: 1, sentAtMs: clock.elapsedMs() }
    while (!signal.aborted) {
      const startedAtMs = clock.elapsedMs()
      const { outcome, resent } = await drive(signed, { ...last, sendsMax: 1 + RESENDS_MAX, requester, signal })
      if (signal.aborted) return
      if (outcome !== undefined) return finish(flight, outcome)
      if (stopped) return finish(flight, provisionalOutcome(flight.sendResult))
      if (resent !== undefined) {
        last.sends += 1
        last.sentAtMs = resent.atMs
        if (resent.isAccepted) flight.sendResult = last.sent = { kind: 'accepted' }
      }
      await clock.sleep(Math.max(0, startedAtMs + SUBMIT_POLL_INTERVAL_MS - clock.elapsedMs()), signal)
    }
  }

  return {
    drive: async (driven, options) => (flights.has(driven.envelopeXdr ?? '') ? {} : await drive(driven, options)),
    stats: () => ({ inFlight: flights.size, waiters: waiters.size }),
    submit(signed, options) {
      const { requester, signal } = options
      // Sends nothing for a caller that has already disconnected.
      if (signal?.aborted === true) return Promise.resolve({ kind: 'unknown' })
      const existing = flights.get(signed.envelopeXdr)
      if (stopped) return Promise.resolve(STOPPED)
      const hasRoom = (existing !== undefined || capacity.maySend(requester)) && capacity.mayWait(requester)
      if (!hasRoom) return Promise.resolve(capacity.refusal(requester))
      const flight: Flight = existing
        ?? { requester, signed, waiters: new Set(), done: new AbortController(), isStarted: false, sendResult: null }
      flights.set(signed.envelopeXdr, flight)
      const waiter = createWaiter({ clock, waiters, remove }, flight, options)
      if (options.beforeSend !== undefined) return waitFor(waiter, options.beforeSend)
      start(waiter)
      return waiter.outcome
    },
    stop() {
      stopped = true
      for (const flight of flights.values()) {
        if (flight.sendResult !== null) finish(flight, provisionalOutcome(flight.sendResult))
      }
    },
  }
}

/** Adds a caller to a flight and to the `waiters` of all. `remove` is called for a flight that no caller needs any more. */
function createWaiter(
  { clock, waiters, remove }: { readonly clock: Clock; readonly waiters: Set<Waiter>; readonly remove: (flight: Flight) => void },
  flight: Flight, { requester, pollTimeoutMs, signal, onSent }: SubmitOptions,
): Waiter {
  const { promise, resolve } = Promise.withResolvers<SubmitOutcome>()
  let timer: Timer | undefined
  const settleProvisionally = (): void => waiter.settle(provisionalOutcome(flight.sendResult))
  // A caller that disconnects must not leave a refused transaction as one that may be on its way.
  const onAbort = (): void => void (mayBeOnItsWay(flight.sendResult) && settleProvisionally())
  const waiter: Waiter = {
    requester,
    flight,
    outcome: promise,
    isReady: false,
    settle(outcome) {
      if (!flight.waiters.delete(waiter)) return
      waiters.delete(waiter)
      timer?.cancel()
      signal?.removeEventListener('abort', onAbort)
      resolve(outcome)
      // A send in flight is not cancelled when its last caller stops waiting.
      if (flight.waiters.size === 0 && (flight.sendResult !== null || !flight.isStarted)) remove(flight)
    },
    onSent() {
      const { sendResult } = flight
      if (sendResult?.kind === 'accepted' || sendResult?.kind === 'unconfirmed') onSent?.(sendResult)
      timer = clock.setTimer(pollTimeoutMs, settleProvisionally)
      if (signal?.aborted === true) onAbort()
    },
  }
  flight.waiters.add(waiter)
  waiters.add(waiter)
  signal?.addEventListener('abort', onAbort, { once: true })
  return waiter
}
