// Error messages for the user of the page: the sentence of the API, and the code beside it.

import {
  ContractFailure, ExchangeError, GatewayError, RateLimited, RefusedToSign, Unauthorized, UnknownOutcome, Unreachable,
} from '../client/src/index.ts'

export interface Problem {
  /** One or more sentences. */
  readonly text: string
  /** The code that programs match on, for support and search; null without one. */
  readonly code: string | null
}

/** The user chose not to sign. */
export class Declined extends Error {
  override readonly name = 'Declined'
  constructor() {
    super('You did not sign. Nothing was sent.')
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof RateLimited) return { text: `The rate limit is reached.${retryText(error)}`, code: '429' }
  if (error instanceof Unreachable) return { text: 'The gateway does not respond.', code: null }
  if (error instanceof Unauthorized) return { text: 'The API key was not accepted. It may have been revoked.', code: `401 ${error.code}` }
  if (error instanceof RefusedToSign) return { text: 'The prepared transaction differs from your order. Nothing was signed.', code: null }
  if (error instanceof UnknownOutcome) return { text: 'The outcome is not known yet.', code: null }
  if (error instanceof GatewayError) return { text: sentenceOf(error), code: codeOf(error) }
  return { text: sentence(error instanceof Error ? error.message : String(error)), code: null }
}

/** The reason for an error as a clause without a full stop, with its code. */
export function reasonOf(error: unknown): string {
  if (error instanceof RateLimited) return 'rate limit reached (429)'
  if (error instanceof Unreachable) return 'the gateway does not respond'
  if (error instanceof Unauthorized) return 'the API key was not accepted (401); it may have been revoked'
  if (!(error instanceof ExchangeError)) return error instanceof Error ? error.message : String(error)
  const { text, code } = problemOf(error)
  return `${text.replace(/\.$/, '')}${code === null ? '' : ` (${code})`}`
}

/** Seconds after which the gateway allows another request; null if it named no time. */
export function retryAfterSec(error: unknown): number | null {
  return error instanceof GatewayError ? error.retryAfterSec : null
}

function retryText(error: GatewayError): string {
  return error.retryAfterSec === null ? '' : ` Try again in ${error.retryAfterSec} s.`
}

function codeOf(error: GatewayError): string {
  if (!(error instanceof ContractFailure)) return error.code
  const { contractError, hostError, txResultCode } = error
  if (contractError !== null) return `${contractError.name} ${contractError.code}`
  return hostError === null ? txResultCode ?? error.code : `${hostError.type} ${hostError.code}`
}

/** Returns the sentence of the API, without the parts for programs that search its messages. */
function sentenceOf(error: GatewayError): string {
  const { message, op } = (error.body ?? {}) as { readonly message?: unknown; readonly op?: unknown }
  if (error instanceof ContractFailure && error.contractError?.name === 'AcceptablePriceExceeded') {
    return 'The price moved beyond your worst price. Try again, or allow more: “Slippage tolerance” of a market order in the order ticket.'
  }
  // The API's own sentence names an endpoint.
  if (error.code === 'unsupported_by_deployment') {
    return typeof op === 'string' ? `The contracts of this exchange have no ${op.replaceAll('_', ' ')}.` : 'The contracts of this exchange do not support this.'
  }
  const said = typeof message === 'string' ? message : error.hint
  if (said !== null) return sentence(said.replace(/^Simulation failed: /, '').replace(/ \[Error\([^\]]*\)\]$/, ''))
  if (error instanceof ContractFailure && error.stage === 'ledger') return 'The state of the exchange changed after the transaction was prepared. Try again.'
  return `The gateway refused the request with status ${error.status}.`
}

function sentence(text: string): string {
  const start = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
  return /[.!?]$/.test(start) ? start : `${start}.`
}
