// The package's public API.

export { createClient } from './client.ts'
export type { Client, ClientOptions } from './client.ts'
export { secretSigner } from './signer.ts'
export type { HashSigner, Signer, WalletSigner } from './signer.ts'
export { TESTNET_PASSPHRASE } from './envelope.ts'
export type { CallTransaction } from './envelope.ts'
export type { Authorization, ContractCall, ContractValue } from './xdr.ts'
export type { ContractAddresses, TradeRequest } from './calls.ts'
export type { Endpoints, EndpointName, ListName, Lists } from './rest.ts'
export type { Allowance, Answer, CallKind, CallOptions, Key } from './http.ts'
export type { FinishOptions, Traded, TradeOptions, Trading } from './trade.ts'
export type { Finished, OrderOutcome } from './orders.ts'
export { SlowReader } from './frame-queue.ts'
export type { Beginning, FramesOptions, Stream } from './stream.ts'
export type * from './stream-frames.ts'
export type { Clock } from './clock.ts'
export type { FetchLike, WebSocketConstructor, WebSocketLike } from './platform.ts'
export {
  ContractFailure, ExchangeError, GatewayError, RateLimited, RefusedToSign, Unauthorized, UnexpectedAnswer, UnknownOutcome, Unreachable,
} from './errors.ts'
export type { ContractError, Difference, SignedTransaction } from './errors.ts'
export type * from './generated/resources.ts'
