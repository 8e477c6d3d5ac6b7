// POST /v1/tx/submit: sends a signed transaction and waits for what becomes of it. The same envelope is sent once and asked after once a second, however
// many callers wait for it. Why an outcome is told as it is: docs/decisions/submitting.md.

import type { Clock, Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { RpcFailure } from '../chain/failure.ts'
import { findContractError, readTransactionResult } from '../chain/outcome.ts'
import type { TransactionResult } from '../chain/outcome.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { SignedTransaction } from '../chain/transaction.ts'
import { SUBMISSION_WAITERS_MAX, SUBMISSIONS_MAX, SUBMIT_POLL_INTERVAL_MS } from '../limits.ts'
import type { ContractError } from '../resources/submit-result.ts'
import type { ContractErrors } from './contract-errors.ts'
import type { LedgerWatermarks } from '../chain/ledger-watermarks.ts'
import { send } from './send.ts'
import type { SendResult } from './send.ts'

/** How a submission ends for a caller. */
export type SubmitOutcome =
  | { readonly kind: 'success'; readonly ledger: number }
  | { readonly kind: 'failed'; readonly contractError: ContractError | null; readonly resultXdr: string }
  /** The network has it; it is not final. */
  | { readonly kind: 'pending' }
  /** `result` is null where the network gave none that can be read. */
  | { readonly kind: 'rejected'; readonly result: TransactionResult | null; readonly contractError: ContractError | null }
  /** To be sent again later: the network's queue has no room for it, or this gateway has not. */
  | { readonly kind: 'later'; readonly full: 'network' | 'gateway' }
  /** Nobody took it. */
  | { readonly kind: 'unsent' }
  /** Nobody can tell whether the network has it. */
  | { readonly kind: 'unknown' }

export interface Submissions {
  /** Sends, unless that is being done, and waits up to `pollTimeoutMs` from when the send was answered. `signal` ends this caller's waiting. */
  submit(signed: SignedTransaction, options: { readonly pollTimeoutMs: number; readonly signal?: AbortSignal }): Promise<SubmitOutcome>
  /** Answers all who wait with what is known, and sends nothing more. What is being sent is answered as soon as that is. */
  stop(): void
  /** How many transactions are on their way, and how many callers wait for them. */
  stats(): { readonly flights: number; readonly waiters: number }
}

export interface SubmissionParts {
  readonly rpc: Rpc
  readonly clock: Clock
  readonly log: Log
  readonly contractErrors: ContractErrors
  readonly ledgerWatermarks: LedgerWatermarks
}

/** A send whose answer was lost is repeated, with the very same bytes, at about the pace of ledgers. */
export const RESEND_AFTER_MS = 5_000
export const RESENDS_MAX = 3

interface Waiter {
  readonly pollTimeoutMs: number
  readonly settle: (outcome: SubmitOutcome) => void
  timer: Timer | undefined
}

/** One envelope on its way. */
interface Submission {
  readonly signed: SignedTransaction
  readonly waiters: Set<Waiter>
  /** Aborted when it is over: an outcome, or nobody waits any more. */
  readonly done: AbortController
  /** What is known of the send; null while it is being answered. */
  sendResult: SendResult | null
}

export function createSubmissions(parts: SubmissionParts): Submissions {
  const { rpc, clock, log, contractErrors, ledgerWatermarks } = parts
  /** By envelope: the hash would not do, because it does not cover the signatures, and one caller's bad ones must not refuse another's good ones. */
  const flights = new Map<string, Submission>()
  let waiting = 0
  let stopped = false

  function end(flight: Submission): void {
    flight.done.abort()
    if (flights.get(flight.signed.envelopeXdr) === flight) flights.delete(flight.signed.envelopeXdr)
  }

  function finish(flight: Submission, outcome: SubmitOutcome): void {
    for (const waiter of flight.waiters) waiter.settle(outcome)
    end(flight)
  }

  /** Gives a caller what is known and lets it go. */
  function timeUp(flight: Submission, waiter: Waiter): void {
    waiter.settle(provisionalOutcome(flight.sendResult))
  }

  function startTimer(flight: Submission, waiter: Waiter): void {
    waiter.timer = clock.setTimer(waiter.pollTimeoutMs, () => timeUp(flight, waiter))
  }

  function join(flight: Submission, pollTimeoutMs: number, signal: AbortSignal | undefined): Promise<SubmitOutcome> {
    return new Promise((resolve) => {
      const leave = (): void => timeUp(flight, waiter)
      const waiter: Waiter = {
        pollTimeoutMs,
        timer: undefined,
        settle(outcome) {
          if (!flight.waiters.delete(waiter)) return
          waiting -= 1
          waiter.timer?.cancel()
          signal?.removeEventListener('abort', leave)
          resolve(outcome)
          // A send under way is let to its end; its answer is not waited for.
          if (flight.waiters.size === 0 && flight.sendResult !== null) end(flight)
        },
      }
      flight.waiters.add(waiter)
      waiting += 1
      signal?.addEventListener('abort', leave, { once: true })
      if (flight.sendResult !== null) startTimer(flight, waiter)
    })
  }

  async function fly(flight: Submission): Promise<void> {
    const sent = await send(parts, flight.signed)
    flight.sendResult = sent
    if (sent.kind === 'unsent') return finish(flight, { kind: 'unsent' })
    if (sent.kind === 'undecodable') return finish(flight, { kind: 'rejected', result: null, contractError: null })
    if (flight.waiters.size === 0) return end(flight)
    for (const waiter of flight.waiters) startTimer(flight, waiter)
    await follow(flight, sent)
  }

  /** Asks for the transaction by its hash until there is an outcome or nobody waits. */
  async function follow(flight: Submission, first: SendResult): Promise<void> {
    let resends = 0
    let sentMs = clock.elapsedMs()
    while (!flight.done.signal.aborted) {
      const askedMs = clock.elapsedMs()
      const seen = await lookUp(flight)
      if (flight.done.signal.aborted) return
      const outcome = seen === null ? undefined : (seen.outcome ?? verdictOf(first, seen.latestLedger, flight))
      if (outcome !== undefined) return finish(flight, outcome)
      if (stopped) return finish(flight, provisionalOutcome(flight.sendResult))
      if (flight.sendResult?.kind === 'lost' && resends < RESENDS_MAX && clock.elapsedMs() - sentMs >= RESEND_AFTER_MS) {
        resends += 1
        sentMs = clock.elapsedMs()
        // Only a yes counts. A no is about this copy of the envelope; the first may be waiting elsewhere.
        if ((await send(parts, flight.signed)).kind === 'accepted') flight.sendResult = { kind: 'accepted' }
      }
      await clock.sleep(Math.max(0, askedMs + SUBMIT_POLL_INTERVAL_MS - clock.elapsedMs()), flight.done.signal)
    }
  }

  /** What the network says of the hash; null when it says nothing. */
  async function lookUp({ signed, done: over }: Submission): Promise<{ readonly outcome?: SubmitOutcome; readonly latestLedger: number } | null> {
    try {
      const answer = await rpc.getTransaction(signed.hash, { signal: over.signal })
      const { latestLedger } = answer
      if (answer.status === 'NOT_FOUND') return { latestLedger }
      ledgerWatermarks.record(signed.source, answer.ledger)
      if (answer.status === 'SUCCESS') return { outcome: { kind: 'success', ledger: answer.ledger }, latestLedger }
      const contractError = contractErrors.describe(findContractError(answer.diagnosticEventsXdr), signed.contract)
      return { outcome: { kind: 'failed', contractError, resultXdr: answer.resultXdr }, latestLedger }
    } catch (error) {
      if (over.signal.aborted || error instanceof RpcFailure) return null
      throw error
    }
  }

  /** What a send that was not accepted means, now that the network does not know the hash; undefined when that is not certain yet. */
  function verdictOf(sent: SendResult, latestLedger: number, flight: Submission): SubmitOutcome | undefined {
    if (sent.kind === 'later') return { kind: 'later', full: 'network' }
    if (sent.kind === 'turnedAway') return { kind: 'unknown' }
    // A node that is behind the one that judged may not know yet what made it refuse: the transaction's own success.
    if (sent.kind !== 'refused' || latestLedger < sent.latestLedger) return undefined
    const contractError = contractErrors.describe(findContractError(sent.diagnosticEventsXdr), flight.signed.contract)
    return { kind: 'rejected', result: sent.resultXdr === null ? null : readTransactionResult(sent.resultXdr), contractError }
  }

  return {
    stats: () => ({ flights: flights.size, waiters: waiting }),
    submit(signed, { pollTimeoutMs, signal }) {
      // Who left before anything was sent has nothing sent.
      if (signal?.aborted === true) return Promise.resolve({ kind: 'unknown' })
      const known = flights.get(signed.envelopeXdr)
      const isFull = waiting >= SUBMISSION_WAITERS_MAX || (known === undefined && flights.size >= SUBMISSIONS_MAX)
      if (stopped || isFull) return Promise.resolve({ kind: 'later', full: 'gateway' })
      if (known !== undefined) return join(known, pollTimeoutMs, signal)
      const flight: Submission = { signed, waiters: new Set(), done: new AbortController(), sendResult: null }
      flights.set(signed.envelopeXdr, flight)
      const joined = join(flight, pollTimeoutMs, signal)
      fly(flight).catch((error: unknown) => {
        log.error({ err: error, hash: signed.hash }, 'a submission broke off')
        finish(flight, { kind: 'unknown' })
      })
      return joined
    },
    stop() {
      stopped = true
      for (const flight of flights.values()) {
        if (flight.sendResult !== null) finish(flight, provisionalOutcome(flight.sendResult))
      }
    },
  }
}

/** What can be told of a transaction that is not final. */
function provisionalOutcome(sent: SendResult | null): SubmitOutcome {
  if (sent?.kind === 'accepted') return { kind: 'pending' }
  return sent?.kind === 'later' ? { kind: 'later', full: 'network' } : { kind: 'unknown' }
}
