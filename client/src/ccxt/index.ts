// The package's second door, `perpetual-exchange-client/ccxt`: the exchange for programs that are written for CCXT.

export { PerpetualExchange } from './exchange.ts'
export type { ExchangeConfig } from './connection.ts'
export type { OrderParams } from './order-requests.ts'
export {
  ArgumentsRequired, AuthenticationError, BadRequest, BadResponse, BadSymbol, BaseError, ExchangeClosedByUser, ExchangeError, ExchangeNotAvailable,
  InsufficientFunds, InvalidOrder, NetworkError, NotSupported, OperationFailed, OperationRejected, OrderNotFillable, OrderNotFound, PermissionDenied,
  RateLimitExceeded, RequestTimeout, RestrictedLocation,
} from './errors.ts'
export type * from './types.ts'
