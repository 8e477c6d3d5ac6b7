// CCXT's error classes and hierarchy, so that programs written for CCXT catch these errors unchanged.

import {
  ContractFailure, ExchangeError as ClientError, GatewayError, RateLimited, Unauthorized, UnexpectedAnswer, UnknownOutcome, Unreachable,
} from '../errors.ts'

/** The base class. `cause` is the client's own error, with all its details. */
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
export class DuplicateOrderId extends InvalidOrder { override readonly name: string = 'DuplicateOrderId' }
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

/** CCXT classes of contract errors. All others are an ExchangeError. */
const CONTRACT_ERRORS: readonly (readonly [ErrorClass, ReadonlySet<string>])[] = [
  [InsufficientFunds, new Set([
    'InsufficientBalance', 'InsufficientMargin', 'InsufficientShares', 'CrossMarginInsufficientBalance', 'CrossMarginInsufficientFreeMargin',
  ])],
  [OrderNotFound, new Set(['OrderNotFound', 'OrderNotPending'])],
  [OrderNotFillable, new Set(['SlippageExceeded', 'PostOnlyViolation', 'AcceptablePriceExceeded'])],
  [InvalidOrder, new Set([
    'InvalidParameter', 'InvalidAmount', 'PositionNotFound', 'InvalidLeverage', 'InsufficientCollateral', 'PositionTooLarge', 'InvalidTriggerPrice',
    'InvalidSlippageTolerance', 'InvalidLimitPrice', 'InvalidTrailingPercent', 'OrderAlreadyExists', 'CrossMarginOrderNotSupported', 'PositionTooSmall',
    'NetsToZero',
  ])],
  [OperationRejected, new Set([
    'Paused', 'Frozen', 'AssetHalted', 'AssetRiskNotConfigured', 'InsufficientLiquidity', 'OpenInterestCapExceeded', 'SkewCapExceeded',
    'PriceDeviationTooHigh',
  ])],
  [PermissionDenied, new Set(['Unauthorized', 'NotPositionOwner', 'NotOrderOwner'])],
  [OperationFailed, new Set(['PriceStale', 'OracleUnavailable', 'InvalidPrice'])],
]

/** The token contract's error code for an insufficient balance. Token contracts are built in, and the gateway does not name their errors. */
const TOKEN_BALANCE_ERROR = 10
const UNKNOWN = 'UnknownContractError'
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504])

function classOf(error: GatewayError): ErrorClass {
  if (error instanceof RateLimited) return RateLimitExceeded
  if (error instanceof Unauthorized) return AuthenticationError
  if (error instanceof ContractFailure) {
    const { name, code } = error.contractError ?? { name: '', code: 0 }
    if (name === UNKNOWN && code === TOKEN_BALANCE_ERROR) return InsufficientFunds
    return CONTRACT_ERRORS.find(([, names]) => names.has(name))?.[0] ?? ExchangeError
  }
  if (error.code === 'order_not_found' || error.code === 'unknown_transaction') return OrderNotFound
  if (error.code === 'client_id_in_use') return DuplicateOrderId
  if (error.code === 'unsupported_by_deployment') return NotSupported
  if (error.code === 'region_restricted' || error.status === 451) return RestrictedLocation
  if (error.status === 403) return PermissionDenied
  if (UNAVAILABLE.has(error.status)) return ExchangeNotAvailable
  return error.status < 500 ? BadRequest : ExchangeError
}

/** The CCXT error for an error of the client. Returns other errors unchanged. */
export function toCcxtError(error: unknown): unknown {
  if (error instanceof BaseError) return error
  // The client throws TypeError for an invalid request.
  if (error instanceof TypeError) return new InvalidOrder(error.message, { cause: error })
  if (!(error instanceof ClientError)) return error
  if (error instanceof GatewayError) {
    const contractError = error instanceof ContractFailure && error.contractError !== null ? ` ${error.contractError.name} (${error.contractError.code})` : ''
    return new (classOf(error))(`${error.message}${contractError}`, { cause: error })
  }
  // As with other exchanges, an order that ends in RequestTimeout may have been placed. Pass `cause.transaction` to the client's `finish`.
  if (error instanceof UnknownOutcome) return new RequestTimeout(error.message, { cause: error })
  if (error instanceof Unreachable) return new (/no response within/.test(error.message) ? RequestTimeout : NetworkError)(error.message, { cause: error })
  return new (error instanceof UnexpectedAnswer ? BadResponse : ExchangeError)(error.message, { cause: error })
}
