// One step of an envelope that may be on its way: looks it up, decides on its outcome, or sends it again. Callers that wait take a step every second; the
// driver of what is stored takes them at growing intervals. The reasons: docs/decisions/submitting.md.

import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'
import { QUICK_SENDS } from './absence.ts'
import type { Judge, JudgeOptions, Subject } from './absence.ts'
import { provedOutcome } from './outcomes.ts'
import type { OutcomeReader, SubmitOutcome } from './outcomes.ts'
import { send } from './send-envelope.ts'
import type { SendResult } from './send-envelope.ts'

/** A send with no usable response is repeated with the same bytes, about once per ledger. */
const RESEND_AFTER_MS = 5_000
/** An accepted transaction that no node knows after this time may have been dropped, for example by a reset of the network: it is sent again. */
const RESEND_ACCEPTED_AFTER_MS = 15_000
/** After QUICK_SENDS sends. */
const SLOW_RESEND_AFTER_MS = 60_000

/** A transaction to drive. Without an envelope it is looked up and judged, and never sent. */
type Driven = Subject & Partial<Pick<SignedTransaction, 'envelopeXdr'>>

interface DriveOptions extends JudgeOptions {
  /** The result of the only send, or of those before. `unconfirmed` when it is not known: then no refusal of a further copy is conclusive. */
  readonly sent: SendResult
  readonly sends: number
  /** The last send, on the clock's monotonic time. */
  readonly sentAtMs: number
  /** No copy is sent after this number of sends. */
  readonly sendsMax?: number
}

interface Step {
  /** The outcome that no further step changes; `unknown`: no step will find one. Undefined while it is open. */
  readonly outcome?: SubmitOutcome
  /** The further copy that was sent. */
  readonly resent?: { readonly atMs: number; readonly isAccepted: boolean }
}

/** Takes one step. Without effect when `signal` has aborted. */
export type DriveEnvelope = (driven: Driven, options: DriveOptions) => Promise<Step>

export function createDriveEnvelope(
  parts: { readonly rpc: Rpc; readonly clock: Clock; readonly log: Log; readonly outcomes: OutcomeReader; readonly judge: Judge['judge'] },
): DriveEnvelope {
  const { clock, outcomes, judge } = parts
  return async (driven, options) => {
    const { requester, signal, sent } = options
    const found = await outcomes.lookUp(driven, requester, { signal })
    if (found === null) return {}
    const outcome = found.isContested ? undefined : found.outcome ?? outcomes.unacceptedOutcome(sent, found.latestLedger, driven)
    if (outcome !== undefined) return { outcome }
    const verdict = await judge(driven, found, options)
    if (verdict !== 'open') return { outcome: outcomeOf(verdict) }
    const { envelopeXdr, hash, expiresAt } = driven
    const hasExpired = expiresAt !== null && (found.latestLedgerCloseSec ?? 0) > expiresAt
    // One of the nodes that contradict each other says that it was applied.
    if (envelopeXdr === undefined || found.isContested || hasExpired || signal.aborted || !isResendDue(options, clock.elapsedMs())) return {}
    const atMs = clock.elapsedMs()
    // Only an acceptance is conclusive: after a rejection of this copy, the first one may still be queued at another node.
    return { resent: { atMs, isAccepted: (await send(parts, { hash, envelopeXdr }, requester)).kind === 'accepted' } }
  }
}

function outcomeOf(verdict: Exclude<Awaited<ReturnType<Judge['judge']>>, 'open'>): SubmitOutcome {
  if (typeof verdict === 'object') return verdict
  return verdict === 'unknown' ? { kind: 'unknown' } : provedOutcome(verdict)
}

/** False after a response that ends the submission. */
function isResendDue({ sent, sends, sentAtMs, sendsMax = Infinity }: DriveOptions, nowMs: number): boolean {
  if ((sent.kind !== 'accepted' && sent.kind !== 'unconfirmed') || sends >= sendsMax) return false
  const quickMs = sent.kind === 'accepted' ? RESEND_ACCEPTED_AFTER_MS : RESEND_AFTER_MS
  return nowMs - sentAtMs >= (sends > QUICK_SENDS ? SLOW_RESEND_AFTER_MS : quickMs)
}
