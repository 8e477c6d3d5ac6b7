// POST /v1/tx/submit: sends a signed transaction and waits for its outcome. Callers with the same envelope share one send and one poll per second. The
// reasons behind each outcome: docs/decisions/submitting.md.

import type { Clock, Timer } from '../base/clock.ts'
import type { Requester } from '../base/fair-share.ts'
import type { Log } from '../base/log.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { SignedTransaction } from '../chain/codec/transaction.ts'
import { SUBMIT_POLL_INTERVAL_MS } from '../limits.ts'
import { createAdmission } from './admission.ts'
import { provisionalOutcome } from './outcomes.ts'
import type { OutcomeReader, SubmitOutcome } from './outcomes.ts'
import { send } from './send.ts'
import type { SendResult } from './send.ts'

export interface Submissions {
  /**
   * Sends the transaction unless it is already sent, and waits up to `pollTimeoutMs` after the response to the send. `signal` ends the wait once the network
   * may have the transaction; before that the outcome is still found out. Rejects with the error of `beforeSend`.
   */
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
  /** Runs once the caller has its share of the capacity, before anything is sent for it. With an outcome nothing is sent. */
  readonly beforeSend?: () => Promise<SubmitOutcome | undefined>
  /** Called once, when a node has accepted the transaction, or may have. */
  readonly onSent?: (sent: SendResult & { readonly kind: 'accepted' | 'unconfirmed' }) => void
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
  readonly outcome: Promise<SubmitOutcome>
  readonly settle: (outcome: SubmitOutcome) => void
  /** Called when the submission was sent. */
  readonly onSent: () => void
  /** False while its `beforeSend` runs. */
  isReady: boolean
}

const STOPPED: SubmitOutcome = { kind: 'tryAgainLater', fullQueue: 'gateway' }

function mayBeOnItsWay(sent: SendResult | null): boolean {
  return sent?.kind === 'accepted' || sent?.kind === 'unconfirmed' || sent?.kind === 'coreError'
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
  isStarted: boolean
  /** Null until the send is answered. */
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

  /** Sends a submission unless that was done. */
  function start(waiter: Waiter): void {
    const { submission } = waiter
    waiter.isReady = true
    if (!submission.waiters.has(waiter)) return
    if (submission.isStarted) {
      if (submission.sendResult !== null) waiter.onSent()
      return
    }
    if (stopped) return waiter.settle(STOPPED)
    submission.isStarted = true
    run(submission).catch((error: unknown) => {
      log.error({ err: error, hash: submission.signed.hash }, 'a submission failed unexpectedly')
      finish(submission, { kind: 'unknown' })
    })
  }

  async function run(submission: Submission): Promise<void> {
    const sent = await send(parts, submission.signed, submission.requester)
    submission.sendResult = sent
    if (sent.kind === 'notSent') return finish(submission, { kind: 'notSent' })
    if (sent.kind === 'undecodable') return finish(submission, { kind: 'rejected', result: null, contractError: null, hostError: null, hostText: null })
    if (submission.waiters.size === 0) return remove(submission)
    for (const waiter of submission.waiters) if (waiter.isReady) waiter.onSent()
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
      if (stopped) return Promise.resolve(STOPPED)
      const hasRoom = (existing !== undefined || admission.maySend(requester)) && admission.mayWait(requester)
      if (!hasRoom) return Promise.resolve(admission.refusal(requester))
      const submission: Submission = existing
        ?? { requester, signed, waiters: new Set(), done: new AbortController(), isStarted: false, sendResult: null }
      submissions.set(signed.envelopeXdr, submission)
      const waiter = createWaiter({ clock, waiters, remove }, submission, options)
      if (options.beforeSend !== undefined) return waitFor(waiter, options.beforeSend)
      start(waiter)
      return waiter.outcome
    },
    stop() {
      stopped = true
      for (const submission of submissions.values()) {
        if (submission.sendResult !== null) finish(submission, provisionalOutcome(submission.sendResult))
      }
    },
  }
}

/** Adds a caller to a submission and to the `waiters` of all. `remove` is called for a submission that no caller needs any more. */
function createWaiter(
  { clock, waiters, remove }: { readonly clock: Clock; readonly waiters: Set<Waiter>; readonly remove: (submission: Submission) => void },
  submission: Submission, { requester, pollTimeoutMs, signal, onSent }: SubmitOptions,
): Waiter {
  const { promise, resolve } = Promise.withResolvers<SubmitOutcome>()
  let timer: Timer | undefined
  const settleProvisionally = (): void => waiter.settle(provisionalOutcome(submission.sendResult))
  // A caller that disconnects must not leave a refused transaction as one that may be on its way.
  const onAbort = (): void => void (mayBeOnItsWay(submission.sendResult) && settleProvisionally())
  const waiter: Waiter = {
    requester,
    submission,
    outcome: promise,
    isReady: false,
    settle(outcome) {
      if (!submission.waiters.delete(waiter)) return
      waiters.delete(waiter)
      timer?.cancel()
      signal?.removeEventListener('abort', onAbort)
      resolve(outcome)
      // A send in flight is not cancelled when its last caller stops waiting.
      if (submission.waiters.size === 0 && (submission.sendResult !== null || !submission.isStarted)) remove(submission)
    },
    onSent() {
      const { sendResult } = submission
      if (sendResult?.kind === 'accepted' || sendResult?.kind === 'unconfirmed') onSent?.(sendResult)
      timer = clock.setTimer(pollTimeoutMs, settleProvisionally)
      if (signal?.aborted === true) onAbort()
    },
  }
  submission.waiters.add(waiter)
  waiters.add(waiter)
  signal?.addEventListener('abort', onAbort, { once: true })
  return waiter
}
