// Error messages for the user of the page.

import { ContractFailure, GatewayError, RateLimited, RefusedToSign, Unauthorized, UnknownOutcome, Unreachable } from '../client/src/index.ts'

/** The reason for an error, as a clause without a full stop. */
export function reasonOf(error: unknown): string {
  if (error instanceof RateLimited) return 'rate limit reached (429)'
  if (error instanceof Unreachable) return 'the gateway does not respond'
  if (error instanceof Unauthorized) return 'the API key was not accepted (401); it may have been revoked'
  if (error instanceof RefusedToSign) return 'the prepared transaction differs from your order; nothing was signed'
  if (error instanceof UnknownOutcome) return 'the outcome is not known yet'
  if (error instanceof ContractFailure) return contractReason(error)
  if (error instanceof GatewayError && error.code === 'key_limit_reached') return 'this account has the maximum number of active keys; revoke one first'
  if (error instanceof GatewayError) return error.hint ?? `${error.code} (${error.status})`
  return error instanceof Error ? error.message : String(error)
}

function contractReason({ contractError, hint, message, stage }: ContractFailure): string {
  const event = { simulation: 'the simulation failed', submission: 'the network rejected it', ledger: 'it failed in a ledger, and its fee was charged' }[stage]
  if (contractError === null && stage === 'ledger') return `${event}: no contract error was recorded; the state may have changed since it was prepared`
  return `${event}: ${contractError === null ? (hint ?? message) : `${contractError.name} (${contractError.code})`}`
}

/** Seconds after which the gateway allows another request; null if it named no time. */
export function retryAfterSec(error: unknown): number | null {
  return error instanceof GatewayError ? error.retryAfterSec : null
}
