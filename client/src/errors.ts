// The client's errors. Programs match on classes and fields; `message` is for people.

/** The base class of all errors of this client. */
export class ExchangeError extends Error {
  override readonly name: string = 'ExchangeError'
}

/** The contents of an error response. */
export interface ErrorResponse {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly hint?: string | null | undefined
  readonly requestId: string | null
  readonly body: unknown
  readonly retryAfterSec?: number | null | undefined
  readonly reason?: string | null | undefined
  readonly parameter?: string | null | undefined
}

/** The gateway returned an error. */
export class GatewayError extends ExchangeError {
  override readonly name: string = 'GatewayError'
  /** The HTTP status. */
  readonly status: number
  /** The error code, like `unknown_code` or `FST_ERR_VALIDATION`. Match on this. */
  readonly code: string
  /** Advice of the gateway, if it gives any. */
  readonly hint: string | null
  /** The cause behind a general code, like `invalid_parameter` or `unknown_route`; null if the code says it all. */
  readonly reason: string | null
  /** The invalid parameter, in a body its dotted path; null unless `reason` is `invalid_parameter`. */
  readonly parameter: string | null
  /** The operator finds the request in the gateway's log by this id. */
  readonly requestId: string | null
  /** The response body. */
  readonly body: unknown
  /** The seconds of the Retry-After header; null without one. */
  readonly retryAfterSec: number | null
  constructor({ status, code, message, hint = null, requestId, body, retryAfterSec = null, reason = null, parameter = null }: ErrorResponse) {
    super(`${status} ${code}: ${message}${requestId === null ? '' : ` (request ${requestId})`}`)
    this.status = status
    this.code = code
    this.hint = hint
    this.requestId = requestId
    this.body = body
    this.retryAfterSec = retryAfterSec
    this.reason = reason
    this.parameter = parameter
  }
}

/** The rate limit of this minute is used up, and `maxWaitMs` did not allow waiting for the next. The call was not executed. */
export class RateLimited extends GatewayError {
  override readonly name = 'RateLimited'
}

/** The call needs an API key, or the gateway does not accept this one. */
export class Unauthorized extends GatewayError {
  override readonly name = 'Unauthorized'
}

/** An error of a contract. Each contract has its own codes. */
export interface ContractError {
  readonly code: number
  readonly name: string
}

/** An error of the network's contract host, such as `storage`, `exceeded_limit`. */
export interface HostError {
  readonly type: string
  readonly code: string
}

/**
 * A transaction failed. `stage` says when: a failed simulation or submission costs nothing; with `ledger` the transaction failed in a ledger and its fee was
 * charged.
 */
export class ContractFailure extends GatewayError {
  override readonly name = 'ContractFailure'
  readonly stage: 'simulation' | 'submission' | 'ledger'
  /** Null when the error comes from the network, not from a contract: a missing balance or a network limit, for example. */
  readonly contractError: ContractError | null
  /**
   * Null unless the host failed rather than a contract. `storage` or `budget` with `exceeded_limit`: the state changed after the transaction was prepared, so
   * trade again.
   */
  readonly hostError: HostError | null
  /** The network's result, such as `txFailed` or `txTooLate`; null if unknown. */
  readonly txResultCode: string | null
  /** The transaction's hash, once it has one. */
  readonly hash: string | null
  constructor(
    response: ErrorResponse,
    failure: {
      readonly stage: ContractFailure['stage']
      readonly contractError: ContractError | null
      readonly hostError?: HostError | null
      readonly txResultCode?: string | null
      readonly hash?: string
    },
  ) {
    super(response)
    this.stage = failure.stage
    this.contractError = failure.contractError
    this.hostError = failure.hostError ?? null
    this.txResultCode = failure.txResultCode ?? null
    this.hash = failure.hash ?? null
  }
}

/** No response arrived: the connection failed or timed out. A call that changes something may still have been executed. */
export class Unreachable extends ExchangeError {
  override readonly name = 'Unreachable'
  /** The id of the request. */
  readonly requestId: string
  constructor(message: string, requestId: string, cause?: unknown) {
    super(`${message} (request ${requestId})`, { cause })
    this.requestId = requestId
  }
}

/** The response does not come from such a gateway, or this client does not understand it. */
export class UnexpectedAnswer extends ExchangeError {
  override readonly name = 'UnexpectedAnswer'
}

/** What a proof fails by. `smaller` and `inconsistent`: the notes in `evidence` contradict each other, and show that the gateway has changed its log. */
export type ProofFault = 'malformed' | 'signature' | 'unsigned' | 'smaller' | 'inconsistent' | 'not_included' | 'header' | 'expired' | 'missing' | 'different'

/** Something that the gateway served is not proven. Keep `evidence`. */
export class ProofFailure extends ExchangeError {
  override readonly name = 'ProofFailure'
  readonly fault: ProofFault
  /** The signed notes, or the answer, that show it. */
  readonly evidence: readonly string[]
  constructor(fault: ProofFault, message: string, evidence: readonly string[] = []) {
    super(message)
    this.fault = fault
    this.evidence = evidence
  }
}

/** A signed transaction, which `finish` can submit again. */
export interface SignedTransaction {
  /** Hex. */
  readonly hash: string
  /** Base64. */
  readonly signedXdr: string
  /** No ledger accepts the transaction after this time, unix seconds. */
  readonly expiresAt: number
  /** Your own id of the transaction, if the request had one. */
  readonly clientId?: string
}

/**
 * A transaction was signed and submitted, and its outcome is unknown. The network may still apply it. Call `finish` with `transaction` to learn the outcome;
 * that never trades twice. A second `trade` can.
 */
export class UnknownOutcome extends ExchangeError {
  override readonly name = 'UnknownOutcome'
  readonly transaction: SignedTransaction
  constructor(transaction: SignedTransaction, cause?: unknown) {
    super(`The outcome of transaction ${transaction.hash} is unknown. Call finish(error.transaction) to learn it. Do not trade again before.`, { cause })
    this.transaction = transaction
  }
}

/** The time bound of a transaction has passed, and the network does not have it: it is safe to sign another one. */
export class TransactionExpired extends ExchangeError {
  override readonly name = 'TransactionExpired'
  readonly hash: string
  constructor(hash: string) {
    super(`Transaction ${hash} has expired without being applied. It is safe to trade again.`)
    this.hash = hash
  }
}

/** The transaction has no final state yet, or its state cannot be determined. The network may still apply it. */
export class NotFinal extends ExchangeError {
  override readonly name = 'NotFinal'
  readonly hash: string
  /** PENDING: submitted. PREPARED: not submitted. UNKNOWN: this can no longer be determined. SUCCESS: in a ledger, but its effects are not indexed yet. */
  readonly status: string
  constructor(hash: string, status: string) {
    super(`Transaction ${hash} is ${status}. ${status === 'PREPARED' ? 'Submit it.' : 'Call finish again later, and do not trade again before.'}`)
    this.hash = hash
    this.status = status
  }
}

/** One difference between a prepared transaction and the request. */
export interface Difference {
  readonly what: string
  readonly expected: string
  readonly found: string
}

/** The difference of a transaction whose fee is far above the usual one. */
export const UNUSUAL_FEE = 'the fee'

/** The prepared transaction does not match the request, or its fee is out of line. Nothing was signed. */
export class RefusedToSign extends ExchangeError {
  override readonly name = 'RefusedToSign'
  readonly differences: readonly Difference[]
  constructor(differences: readonly Difference[]) {
    super(`Refused to sign: ${differences.map(({ what, expected, found }) => `${what} is ${found}, expected ${expected}`).join('; ')}`)
    this.differences = differences
  }
}
