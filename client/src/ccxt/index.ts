// The entry point `perpetual-exchange-client/ccxt`: the exchange with CCXT's interface.

export { PerpetualExchange } from './exchange.ts'
export type { ExchangeConfig } from './connection.ts'
export type { OrderParams } from './order-requests.ts'
export {
  ArgumentsRequired, AuthenticationError, BadRequest, BadResponse, BadSymbol, BaseError, DuplicateOrderId, ExchangeClosedByUser, ExchangeError,
  ExchangeNotAvailable, InsufficientFunds, InvalidOrder, NetworkError, NotSupported, OperationFailed, OperationRejected, OrderNotFillable,
  OrderNotFound, PermissionDenied, RateLimitExceeded, RequestTimeout, RestrictedLocation,
} from './errors.ts'
export type * from './types.ts'
