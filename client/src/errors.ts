// Everything that can go wrong, as classes. What a program may match on stands in fields, what a person should know in `message`.

/** The root of all errors of this client. */
export class ExchangeError extends Error {
  override readonly name: string = 'ExchangeError'
}

/** What an answer that refuses says. */
export interface ErrorResponse {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly requestId: string | null
  readonly body: unknown
  readonly retryAfterSec?: number | undefined
}

/** The gateway answered, and refused. */
export class GatewayError extends ExchangeError {
  override readonly name: string = 'GatewayError'
  /** The HTTP status. */
  readonly status: number
  /** The error's name, like `unknown_code` or `FST_ERR_VALIDATION`: match on this. */
  readonly code: string
  /** What to do about it, when the gateway says so. */
  readonly hint: string | null
  /** By this the operator finds the request in the log. */
  readonly requestId: string | null
  /** The whole body, as it came. */
  readonly body: unknown
  /** After how many seconds the gateway asks to be tried again; null when it does not say. */
  readonly retryAfterSec: number | null
  constructor(refusal: ErrorResponse) {
    super(`${refusal.status} ${refusal.code}: ${refusal.message}${refusal.requestId === null ? '' : ` (request ${refusal.requestId})`}`)
    this.status = refusal.status
    this.code = refusal.code
    this.hint = refusal.hint ?? null
    this.requestId = refusal.requestId
    this.body = refusal.body
    this.retryAfterSec = refusal.retryAfterSec ?? null
  }
}

/** The allowance of this minute is used up, and waiting for the next was not allowed. Nothing was done. */
export class RateLimited extends GatewayError {
  override readonly name = 'RateLimited'
}

/** The call needs a key, or the one that was given is not accepted. */
export class Unauthorized extends GatewayError {
  override readonly name = 'Unauthorized'
}

/** A contract's error. Codes are each contract's own. */
export interface ContractError {
  readonly code: number
  readonly name: string
}

/**
 * The network would not run a transaction, or ran it in vain. `stage` says when: at its simulation and at its submission nothing was charged; `ledger`
 * means that it failed in a ledger, and cost its fee.
 */
export class ContractFailure extends GatewayError {
  override readonly name = 'ContractFailure'
  readonly stage: 'simulation' | 'submission' | 'ledger'
  /** Null when no contract raised it: the account lacks something, a limit of the network was hit. */
  readonly contractError: ContractError | null
  /** Of the transaction, once there is one. */
  readonly hash: string | null
  constructor(
    response: ErrorResponse,
    failure: { readonly stage: ContractFailure['stage']; readonly contractError: ContractError | null; readonly hash?: string },
  ) {
    super(response)
    this.stage = failure.stage
    this.contractError = failure.contractError
    this.hash = failure.hash ?? null
  }
}

/** No answer came: the connection failed, or time ran out. Of a read this means nothing more; what was sent to be done may have been done. */
export class Unreachable extends ExchangeError {
  override readonly name = 'Unreachable'
  /** The id that the request was sent with. */
  readonly requestId: string
  constructor(message: string, requestId: string, cause?: unknown) {
    super(`${message} (request ${requestId})`, { cause })
    this.requestId = requestId
  }
}

/** Something answered that is not such a gateway, or one that this client does not understand. */
export class UnexpectedAnswer extends ExchangeError {
  override readonly name = 'UnexpectedAnswer'
}

/** A transaction that was signed, and where it can be gone on with. */
export interface SignedTransaction {
  /** Hex. */
  readonly hash: string
  /** Base64. */
  readonly signedXdr: string
  /** From then on no ledger takes it any more; unix seconds. */
  readonly expiresAt: number
}

/**
 * A transaction was signed and handed over, and what became of it could not be learnt in time. It may still be applied. Call `finish` with `transaction`
 * to learn it: that can never trade twice. A second `trade` can.
 */
export class UnknownOutcome extends ExchangeError {
  override readonly name = 'UnknownOutcome'
  readonly transaction: SignedTransaction
  constructor(transaction: SignedTransaction, cause?: unknown) {
    super(`What became of transaction ${transaction.hash} is not known yet: go on with finish(error.transaction), do not trade again.`, { cause })
    this.transaction = transaction
  }
}

/** One thing in which a transaction is not what was asked for. */
export interface Difference {
  readonly what: string
  readonly expected: string
  readonly found: string
}

/** What was to be signed is not what was asked for. Nothing was signed. */
export class RefusedToSign extends ExchangeError {
  override readonly name = 'RefusedToSign'
  readonly differences: readonly Difference[]
  constructor(differences: readonly Difference[]) {
    super(`Not signed: ${differences.map(({ what, expected, found }) => `${what} is ${found} instead of ${expected}`).join('; ')}`)
    this.differences = differences
  }
}
