// Errors under the names that CCXT gives them, in its hierarchy, so that a program for other exchanges catches them as it is written.

import {
  ContractFailure, ExchangeError as ClientError, GatewayError, RateLimited, Unauthorized, UnexpectedAnswer, UnknownOutcome, Unreachable,
} from '../errors.ts'

/** The root of all of them. `cause` is the client's own error, with everything that it says. */
export class BaseError extends Error {
  override readonly name: string = 'BaseError'
}
export class ExchangeError extends BaseError { override readonly name: string = 'ExchangeError' }
export class AuthenticationError extends ExchangeError { override readonly name: string = 'AuthenticationError' }
export class PermissionDenied extends AuthenticationError { override readonly name: string = 'PermissionDenied' }
export class ArgumentsRequired extends ExchangeError { override readonly name: string = 'ArgumentsRequired' }
export class BadRequest extends ExchangeError { override readonly name: string = 'BadRequest' }
export class BadSymbol extends BadRequest { override readonly name: string = 'BadSymbol' }
export class OperationRejected extends ExchangeError { override readonly name: string = 'OperationRejected' }
export class RestrictedLocation extends OperationRejected { override readonly name: string = 'RestrictedLocation' }
export class InsufficientFunds extends ExchangeError { override readonly name: string = 'InsufficientFunds' }
export class InvalidOrder extends ExchangeError { override readonly name: string = 'InvalidOrder' }
export class OrderNotFound extends InvalidOrder { override readonly name: string = 'OrderNotFound' }
export class OrderNotFillable extends InvalidOrder { override readonly name: string = 'OrderNotFillable' }
export class NotSupported extends ExchangeError { override readonly name: string = 'NotSupported' }
export class ExchangeClosedByUser extends ExchangeError { override readonly name: string = 'ExchangeClosedByUser' }
export class OperationFailed extends BaseError { override readonly name: string = 'OperationFailed' }
export class NetworkError extends OperationFailed { override readonly name: string = 'NetworkError' }
export class RateLimitExceeded extends NetworkError { override readonly name: string = 'RateLimitExceeded' }
export class ExchangeNotAvailable extends NetworkError { override readonly name: string = 'ExchangeNotAvailable' }
export class RequestTimeout extends NetworkError { override readonly name: string = 'RequestTimeout' }
export class BadResponse extends OperationFailed { override readonly name: string = 'BadResponse' }

type ErrorClass = new (message: string, options?: { readonly cause?: unknown }) => BaseError

/** What the contracts' errors are called; those that stand in no row are an ExchangeError. */
const OF_CONTRACT: readonly (readonly [ErrorClass, ReadonlySet<string>])[] = [
  [InsufficientFunds, new Set([
    'InsufficientBalance', 'InsufficientMargin', 'InsufficientShares', 'CrossMarginInsufficientBalance', 'CrossMarginInsufficientFreeMargin',
  ])],
  [OrderNotFound, new Set(['OrderNotFound', 'OrderNotPending'])],
  [OrderNotFillable, new Set(['SlippageExceeded', 'PostOnlyViolation'])],
  [InvalidOrder, new Set([
    'InvalidParameter', 'InvalidAmount', 'PositionNotFound', 'InvalidLeverage', 'InsufficientCollateral', 'PositionTooLarge', 'InvalidTriggerPrice',
    'InvalidSlippageTolerance', 'InvalidLimitPrice', 'InvalidTrailingPercent', 'OrderAlreadyExists', 'CrossMarginOrderNotSupported',
  ])],
  [OperationRejected, new Set(['Paused', 'InsufficientLiquidity', 'OpenInterestCapExceeded', 'PriceDeviationTooHigh'])],
  [PermissionDenied, new Set(['Unauthorized', 'NotPositionOwner', 'NotOrderOwner'])],
  [OperationFailed, new Set(['PriceStale', 'OracleUnavailable', 'InvalidPrice'])],
]

/** The tokens are built-in contracts, whose errors have no names here: of them, the one that says that there is too little. */
const TOKEN_BALANCE = 10
const UNKNOWN = 'UnknownContractError'
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504])

function classOf(error: GatewayError): ErrorClass {
  if (error instanceof RateLimited) return RateLimitExceeded
  if (error instanceof Unauthorized) return AuthenticationError
  if (error instanceof ContractFailure) {
    const { name, code } = error.contractError ?? { name: '', code: 0 }
    if (name === UNKNOWN && code === TOKEN_BALANCE) return InsufficientFunds
    return OF_CONTRACT.find(([, names]) => names.has(name))?.[0] ?? ExchangeError
  }
  if (error.code === 'region_restricted' || error.status === 451) return RestrictedLocation
  if (error.status === 403) return PermissionDenied
  if (UNAVAILABLE.has(error.status)) return ExchangeNotAvailable
  return error.status < 500 ? BadRequest : ExchangeError
}

/** An error of the client under its CCXT name; what is no error of the client's comes back as it is. */
export function toCcxtError(error: unknown): unknown {
  if (error instanceof BaseError) return error
  // A TypeError is how the client tells a request that is none.
  if (error instanceof TypeError) return new InvalidOrder(error.message, { cause: error })
  if (!(error instanceof ClientError)) return error
  if (error instanceof GatewayError) {
    const contractError = error instanceof ContractFailure && error.contractError !== null ? ` ${error.contractError.name} (${error.contractError.code})` : ''
    return new (classOf(error))(`${error.message}${contractError}`, { cause: error })
  }
  // As elsewhere: an order that ends in RequestTimeout may have been placed. `cause.transaction` is what to finish it with.
  if (error instanceof UnknownOutcome) return new RequestTimeout(error.message, { cause: error })
  if (error instanceof Unreachable) return new (/no answer within/.test(error.message) ? RequestTimeout : NetworkError)(error.message, { cause: error })
  return new (error instanceof UnexpectedAnswer ? BadResponse : ExchangeError)(error.message, { cause: error })
}
