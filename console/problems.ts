// What went wrong, in words, for whoever looks at the page.

import { ContractFailure, GatewayError, RateLimited, RefusedToSign, Unauthorized, UnknownOutcome, Unreachable } from '../client/src/index.ts'

/** One sentence without its full stop. */
export function reasonOf(error: unknown): string {
  if (error instanceof RateLimited) return 'the minute\'s calls are used up (429)'
  if (error instanceof Unreachable) return 'the gateway does not answer'
  if (error instanceof Unauthorized) return 'the key is not accepted (401): it may have been revoked'
  if (error instanceof RefusedToSign) return 'what was prepared is not what was asked for; nothing was signed'
  if (error instanceof UnknownOutcome) return 'it is not known yet what became of it'
  if (error instanceof ContractFailure) return contractReason(error)
  if (error instanceof GatewayError) return error.hint ?? `${error.code} (${error.status})`
  return error instanceof Error ? error.message : String(error)
}

function contractReason({ contractError, hint, message, stage }: ContractFailure): string {
  const when = { simulation: 'the network would refuse it', submission: 'the network refused it', ledger: 'it failed in a ledger, and cost its fee' }[stage]
  if (contractError === null && stage === 'ledger') return `${when}: no contract says why, something may have changed since it was prepared`
  return `${when}: ${contractError === null ? (hint ?? message) : `${contractError.name} (${contractError.code})`}`
}

/** When the gateway asked to come again, seconds; null when it did not. */
export function retryAfterSec(error: unknown): number | null {
  return error instanceof GatewayError ? error.retryAfterSec : null
}
