// POST /v1/tx/submit: sends a signed transaction and waits for its outcome. Callers with the same envelope share one send and one poll per second. The
// reasons behind each outcome: docs/decisions/submitting.md.

import type { Clock, Timer } from '../base/clock.ts'
import type { Requester } from '../base/fair-share.ts'
import type { Log } from '../base/log.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { SignedTransaction } from '../chain/transaction.ts'
import { SUBMIT_POLL_INTERVAL_MS } from '../limits.ts'
import { createAdmission } from './admission.ts'
import { provisionalOutcome } from './outcomes.ts'
import type { OutcomeReader, SubmitOutcome } from './outcomes.ts'
import { send } from './send.ts'
import type { SendResult } from './send.ts'

export interface Submissions {
  /** Sends the transaction unless it is already sent, and waits up to `pollTimeoutMs` after the response to the send. `signal` ends the wait. */
  submit(signed: SignedTransaction, options: SubmitOptions): Promise<SubmitOutcome>
  /** Reports the known state to all callers and sends nothing more. Callers of a send in flight get their outcome when it responds. */
  stop(): void
  /** The number of transactions in flight, and of callers waiting for them. */
  stats(): { readonly inFlight: number; readonly waiters: number }
}

export interface SubmitOptions {
  readonly pollTimeoutMs: number
  /** Requesters share the capacity (docs/decisions/fair-shares.md). */
  readonly requester: Requester
  readonly signal?: AbortSignal
}

export interface SubmissionParts {
  readonly rpc: Rpc
  readonly clock: Clock
  readonly log: Log
  readonly outcomes: OutcomeReader
}

/** A send with no usable response is repeated with the same bytes, about once per ledger. */
const RESEND_AFTER_MS = 5_000
/** An accepted transaction that no node knows after this time may have been dropped, for example by a reset of the network: it is sent again. */
const RESEND_ACCEPTED_AFTER_MS = 15_000
export const RESENDS_MAX = 3

interface Waiter {
  readonly requester: Requester
  readonly submission: Submission
  readonly pollTimeoutMs: number
  readonly settle: (outcome: SubmitOutcome) => void
  timer: Timer | undefined
}

/** Infinite after a response that ends the submission. */
function resendAfterMs(sent: SendResult | null): number {
  if (sent?.kind === 'unconfirmed') return RESEND_AFTER_MS
  return sent?.kind === 'accepted' ? RESEND_ACCEPTED_AFTER_MS : Infinity
}

/** One envelope in flight. */
interface Submission {
  /** The first caller's. */
  readonly requester: Requester
  readonly signed: SignedTransaction
  readonly waiters: Set<Waiter>
  /** Aborts when there is an outcome or no caller waits any more. */
  readonly done: AbortController
  /** Null while the send is in flight. */
  sendResult: SendResult | null
}

export function createSubmissions(parts: SubmissionParts): Submissions {
  const { clock, log, outcomes } = parts
  // By envelope, not by hash: the hash does not cover the signatures, and one caller's bad signature must not reject another caller's good one.
  const submissions = new Map<string, Submission>()
  const waiters = new Set<Waiter>()
  const admission = createAdmission({ submissions, waits: waiters, finish })
  let stopped = false

  function remove(submission: Submission): void {
    submission.done.abort()
    const { envelopeXdr } = submission.signed
    if (submissions.get(envelopeXdr) === submission) submissions.delete(envelopeXdr)
  }

  function finish(submission: Submission, outcome: SubmitOutcome): void {
    for (const waiter of submission.waiters) waiter.settle(outcome)
    remove(submission)
  }

  function startTimer(submission: Submission, waiter: Waiter): void {
    waiter.timer = clock.setTimer(waiter.pollTimeoutMs, () => waiter.settle(provisionalOutcome(submission.sendResult)))
  }

  /** Adds a caller to a submission. */
  function wait(submission: Submission, { requester, pollTimeoutMs, signal }: SubmitOptions): Promise<SubmitOutcome> {
    return new Promise((resolve) => {
      const onAbort = (): void => waiter.settle(provisionalOutcome(submission.sendResult))
      const waiter: Waiter = {
        requester,
        submission,
        pollTimeoutMs,
        timer: undefined,
        settle(outcome) {
          if (!submission.waiters.delete(waiter)) return
          waiters.delete(waiter)
          waiter.timer?.cancel()
          signal?.removeEventListener('abort', onAbort)
          resolve(outcome)
          // A send in flight is not cancelled when its last caller stops waiting.
          if (submission.waiters.size === 0 && submission.sendResult !== null) remove(submission)
        },
      }
      submission.waiters.add(waiter)
      waiters.add(waiter)
      signal?.addEventListener('abort', onAbort, { once: true })
      if (submission.sendResult !== null) startTimer(submission, waiter)
    })
  }

  async function run(submission: Submission): Promise<void> {
    const sent = await send(parts, submission.signed, submission.requester)
    submission.sendResult = sent
    if (sent.kind === 'notSent') return finish(submission, { kind: 'notSent' })
    if (sent.kind === 'undecodable') return finish(submission, { kind: 'rejected', result: null, contractError: null, hostError: null, hostText: null })
    if (submission.waiters.size === 0) return remove(submission)
    for (const waiter of submission.waiters) startTimer(submission, waiter)
    await poll(submission, sent)
  }

  /** Looks the transaction up until there is an outcome or no caller waits. */
  async function poll(submission: Submission, sent: SendResult): Promise<void> {
    const { signed, requester, done: { signal } } = submission
    let resends = 0
    let sentAtMs = clock.elapsedMs()
    while (!signal.aborted) {
      const startedAtMs = clock.elapsedMs()
      const found = await outcomes.lookUp(signed, requester, { signal })
      if (signal.aborted) return
      const isKnown = found !== null && !found.isContested
      const outcome = isKnown ? (found.outcome ?? outcomes.unacceptedOutcome(sent, found.latestLedger, signed)) : undefined
      if (outcome !== undefined) return finish(submission, outcome)
      if (stopped) return finish(submission, provisionalOutcome(submission.sendResult))
      if (isKnown && resends < RESENDS_MAX && clock.elapsedMs() - sentAtMs >= resendAfterMs(submission.sendResult)) {
        resends += 1
        sentAtMs = clock.elapsedMs()
        // Only an acceptance is conclusive: after a rejection of this copy, the first one may still be queued at another node.
        if ((await send(parts, signed, requester)).kind === 'accepted') submission.sendResult = { kind: 'accepted' }
      }
      await clock.sleep(Math.max(0, startedAtMs + SUBMIT_POLL_INTERVAL_MS - clock.elapsedMs()), signal)
    }
  }

  return {
    stats: () => ({ inFlight: submissions.size, waiters: waiters.size }),
    submit(signed, options) {
      const { requester, signal } = options
      // Sends nothing for a caller that has already disconnected.
      if (signal?.aborted === true) return Promise.resolve({ kind: 'unknown' })
      const existing = submissions.get(signed.envelopeXdr)
      if (stopped) return Promise.resolve({ kind: 'tryAgainLater', fullQueue: 'gateway' })
      const hasRoom = (existing !== undefined || admission.maySend(requester)) && admission.mayWait(requester)
      if (!hasRoom) return Promise.resolve(admission.refusal(requester))
      if (existing !== undefined) return wait(existing, options)
      const submission: Submission = { requester, signed, waiters: new Set(), done: new AbortController(), sendResult: null }
      submissions.set(signed.envelopeXdr, submission)
      const outcome = wait(submission, options)
      run(submission).catch((error: unknown) => {
        log.error({ err: error, hash: signed.hash }, 'a submission failed unexpectedly')
        finish(submission, { kind: 'unknown' })
      })
      return outcome
    },
    stop() {
      stopped = true
      for (const submission of submissions.values()) {
        if (submission.sendResult !== null) finish(submission, provisionalOutcome(submission.sendResult))
      }
    },
  }
}
