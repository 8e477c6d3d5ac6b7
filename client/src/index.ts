// The package's public API.

export { createClient } from './client.ts'
export type { Client, ClientOptions } from './client.ts'
export type { KeyRestrictions } from './key-restrictions.ts'
export { secretSigner } from './signer.ts'
export type { HashSigner, Signer, WalletSigner } from './signer.ts'
export { bytesOfName, displayText } from './display.ts'
export { isAddress } from './strkey.ts'
export { TESTNET_PASSPHRASE } from './envelope.ts'
export type { CallTransaction } from './envelope.ts'
export type { Authorization, ContractCall, ContractValue } from './xdr.ts'
export type { ContractAddresses, TradeRequest } from './calls.ts'
export type { Endpoints, EndpointName, ListName, Lists } from './rest.ts'
export type { Allowance, Answer, CallKind, CallOptions, Key } from './http.ts'
export type { FinishOptions } from './submit.ts'
export type { GatewayAdvice, Traded, TradeOptions, Trading } from './trade.ts'
export type { CloseRequest, Executed, Executing, Execution, PlaceRequest } from './execution.ts'
export type { Finished, OrderOutcome } from './orders.ts'
export type { Orders, WatchOptions } from './order-life.ts'
export type { FinishByHashOptions, FinishedTransaction, Transactions } from './transactions.ts'
export { SlowReader } from './frame-queue.ts'
export type { Beginning, FramesOptions, Stream } from './stream.ts'
export type * from './stream-frames.ts'
export { ACCEPT_SIGNATURE } from './verification.ts'
export type {
  Checkpoint, CheckpointStore, EventProof, Inclusion, LedgerHash, LogKey, LogRecord, LogTrust, NodeEvent, ProvenEvent, SignedAnswer, SignedAnswerOptions,
  SignedResponse, Verify,
} from './verify-types.ts'
export type { Clock } from './clock.ts'
export type { FetchLike, WebSocketConstructor, WebSocketLike } from './platform.ts'
export {
  ContractFailure, ExchangeError, GatewayError, NotFinal, ProofFailure, RateLimited, RefusedToSign, TransactionExpired, Unauthorized, UnexpectedAnswer,
  UnknownOutcome, Unreachable,
} from './errors.ts'
export type { ContractError, Difference, HostError, ProofFault, SignedTransaction } from './errors.ts'
export type * from './generated/resources.ts'
