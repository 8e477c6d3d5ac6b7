// Bodies of error responses (specification, "Gateway HTTP errors").

import { Type } from 'typebox'
import type { TString } from 'typebox'
import { KEY_SCOPES } from '../limits.ts'
import { EXAMPLE_TRADER, integerOrNull, textOrNull, txHash } from './fields.ts'
import type { CapName } from './key-restrictions.ts'
import { contractErrorOrNull, HOST_ERROR, hostErrorOrNull, TX_RESULT_CODE } from './submit-result.ts'

const UNKNOWN_ASSET = 'The exchange has no market of this asset. GET /v1/markets lists the symbols, in upper case.'

/** 400. */
export const ValidationError = Type.Object(
  {
    statusCode: Type.Literal(400),
    code: Type.String({ description: 'Error code.', examples: ['FST_ERR_VALIDATION'] }),
    error: Type.Literal('Bad Request', { description: 'HTTP status text.' }),
    message: Type.String({ description: 'Names the part of the request and the parameter.', examples: ['querystring/limit must be integer'] }),
    reason: Type.Literal('invalid_parameter', { description: 'Always the same.' }),
    parameter: Type.String({
      description: 'The parameter; in a body its dotted path. The part of the request (body, url) if that is wrong as a whole.', examples: ['limit'],
    }),
  },
  { $id: 'ValidationError', description: 'A parameter is missing or invalid.' },
)

/** 400 of reads as of a ledger. */
export const LedgerNotIndexed = Type.Object(
  {
    error: Type.Literal('ledger_not_indexed'),
    message: message('The ledger is not indexed. Use one from 1200000 to 1234567.'),
    first: integerOrNull({ description: 'First ledger of the current epoch. Null while nothing is indexed.', examples: [1_200_000] }),
    last: integerOrNull({ description: 'Last indexed ledger. Null while nothing is indexed.', examples: [1_234_567] }),
  },
  { $id: 'LedgerNotIndexed', description: 'The ledger of at_ledger is not indexed.' },
)

/** 401 of endpoints that require a key. */
export const Unauthorized = Type.Object(
  {
    error: Type.Unsafe<string>({
      type: 'string',
      enum: ['missing_bearer', 'malformed_bearer', 'missing_timestamp', 'stale_timestamp', 'invalid_credentials', 'key_expired'],
      description:
        'missing_bearer: no bearer token. malformed_bearer: the token has no colon. missing_timestamp: this gateway requires X-Timestamp. ' +
        'stale_timestamp: X-Timestamp is more than 30 seconds off. ' +
        'invalid_credentials: the key is unknown or revoked, or the secret is wrong. key_expired: the key has expired.',
      examples: ['invalid_credentials'],
    }),
    message: message('The API key is unknown or revoked, or its secret is wrong. Check it, or create another key.'),
    hint: Type.Optional(Type.String({ description: 'Expected header format. Only with malformed_bearer.' })),
  },
  { $id: 'Unauthorized', description: 'The request has no valid API key.' },
)

/** 401 of POST /v1/keys. */
export const InvalidSignature = Type.Object(
  { error: Type.Literal('invalid_signature'), message: message('The challenge is wrong, expired or already used. Request a new challenge and sign it.') },
  {
    $id: 'InvalidSignature',
    description: 'The challenge is wrong, expired or already used, or the signed transaction does not prove ownership of the address.',
  },
)

/** 401 of POST /v1/oracle/heartbeat. */
export const KeeperUnauthorized = Type.Object(
  { error: Type.Literal('unauthorized'), message: message('The header x-keeper-secret is missing or wrong. Send the secret of this gateway.') },
  { $id: 'KeeperUnauthorized', description: 'The header x-keeper-secret is missing or wrong.' },
)

/** 503 of POST /v1/oracle/heartbeat. */
export const HeartbeatDisabled = Type.Object(
  { error: Type.Literal('heartbeat_disabled'), message: message('This gateway takes no heartbeats. Its operator must configure a secret.') },
  { $id: 'HeartbeatDisabled', description: 'This gateway has no secret for heartbeats.' },
)

/** 403 of POST /v1/keys. */
export const NotInBeta = Type.Object(
  {
    error: Type.Literal('not_in_beta'),
    message: message('This address is not on the early access list.'),
  },
  { $id: 'NotInBeta', description: 'Key creation is limited to allow-listed addresses.' },
)

/** 409 of POST /v1/keys. */
export const KeyLimitReached = Type.Object(
  {
    error: Type.Literal('key_limit_reached'),
    message: message('This account already has the maximum of 20 active keys. Revoke one, then request a new challenge.'),
  },
  { $id: 'KeyLimitReached', description: 'The account has the maximum number of active keys.' },
)

/** 403 of endpoints that require a key. */
export const ScopeMissing = Type.Object(
  {
    error: Type.Literal('scope_missing'),
    scope: Type.Unsafe<string>({ type: 'string', enum: [...KEY_SCOPES], description: 'A scope that allows the request.', examples: ['trade'] }),
    message: message('This key lacks the scope trade. Use a key that has it.'),
  },
  { $id: 'ScopeMissing', description: 'The key lacks the scope of the request.' },
)

/** 403 of endpoints that require a key. */
export const AddressNotAllowed = Type.Object(
  { error: Type.Literal('address_not_allowed'),
    message: message('This key may not be used from your network address. Use one of its networks, or another key.') },
  { $id: 'AddressNotAllowed', description: 'The key is limited to other networks.' },
)

/** 403 of preparing and submitting transactions. */
export const CapExceeded = Type.Object(
  {
    error: Type.Literal('cap_exceeded'),
    cap: Type.Unsafe<CapName>({ type: 'string', enum: ['assets', 'maxLeverage', 'maxNotionalPerDay', 'maxOrdersPerDay'], description: 'The cap.' }),
    limit: Type.Unsafe({
      description: 'Its value: the assets, the leverage, the notional as digits, or the number of orders.', examples: ['100000000000'],
      oneOf: [{ type: 'array', items: { type: 'string' } }, { type: 'integer' }, { type: 'string' }],
    }),
    used: Type.Unsafe<string | number | null>({
      description: 'What has been used today without this request. Null for assets and maxLeverage.', examples: ['99000000000'],
      oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }],
    }),
    message: message('The notional is more than what is left of the limit of this key for this UTC day. Use less, or wait for the next day.'),
  },
  { $id: 'CapExceeded', description: 'The request exceeds a cap of the key, or of a key above it.' },
)

/** 400 of POST /v1/keys/{keyId}/children. */
export const NotASubset = Type.Object(
  {
    error: Type.Literal('not_a_subset'),
    member: Type.String({ description: 'The first member in which the new key would be more than the key that lends it.', examples: ['caps.maxLeverage'] }),
    message: message('A key lends at most what it has. Ask for less in caps.maxLeverage.'),
  },
  { $id: 'NotASubset', description: 'The new key would be more than the key that lends it.' },
)

/** 409 of what a secret that was replaced may not do. */
export const AlreadyRotated = Type.Object(
  { error: Type.Literal('already_rotated'), message: message('This secret was replaced, and only its successor can do this. Use the new secret.') },
  { $id: 'AlreadyRotated', description: 'The secret of the request was replaced. What it created would outlive it.' },
)

/** 409 of preparing and submitting transactions. */
export const ClientIdInUse = Type.Object(
  {
    error: Type.Literal('client_id_in_use'),
    message: message('Another transaction has this clientId. Use a new one. GET /v1/tx/{hash} returns the transaction that has it.'),
    hash: txHash('Submitted transaction that has the id.'),
  },
  { $id: 'ClientIdInUse', description: 'Another submitted transaction of the last 24 hours has this client id.' },
)

/** 404 of GET /v1/tx. */
export const UnknownTransaction = Type.Object(
  { error: Type.Literal('unknown_transaction'),
    message: message('Neither the gateway nor the network has this transaction. Check the hash or the client id.') },
  { $id: 'UnknownTransaction', description: 'Neither the gateway nor the network has this transaction.' },
)

/** 404 of the endpoints of one key. */
export const KeyNotFound = Type.Object(
  { error: Type.Literal('key_not_found'), message: message('No active key that this key may change has the id. GET /v1/keys lists your keys.') },
  { $id: 'KeyNotFound', description: 'The key does not exist, belongs to another account, is already revoked, or is not one that the calling key may change.' },
)

/** 400 of POST /v1/orders/prepare. */
export const UnsupportedAsset = Type.Object(
  {
    error: Type.Literal('unsupported_asset'),
    message: message(UNKNOWN_ASSET),
    asset: Type.String({ description: 'Asset from the request.', examples: ['SHIB'] }),
  },
  { $id: 'UnsupportedAsset', description: 'The exchange does not support this asset.' },
)

/** 400 of the prepare endpoints. */
export const UnsupportedField = Type.Object(
  {
    error: Type.Literal('unsupported_by_deployment'),
    message: message('The contracts of this deployment do not take acceptablePrice. Leave it out.'),
    field: Type.String({ description: 'Field of the request. Only its default is accepted.', examples: ['acceptablePrice'] }),
  },
  { $id: 'UnsupportedField', description: 'The contracts of this deployment lack the feature that the field requests.' },
)

/** 503 of the prepare endpoints. */
export const UnsupportedOperation = Type.Object(
  {
    error: Type.Literal('unsupported_by_deployment'),
    message: message('The contracts of this deployment cannot do this operation. GET /v1/health shows what is deployed.'),
    op: Type.String({ description: 'Requested operation.', examples: ['close_position_partial'] }),
    expected: Type.String({ description: 'The contract function that the operation calls.', examples: ['close_position_partial(address, u64, i128)'] }),
    found: textOrNull({ description: 'The function that the contract has. Null if it has none of this name.', examples: [null] }),
  },
  { $id: 'UnsupportedOperation', description: 'The contracts of this deployment lack the function that the operation calls, or its arguments have changed.' },
)

/** 400 of POST /v1/orders/prepare. */
export const SimulationFailure = Type.Object(
  {
    error: Type.Literal('simulation_failed'),
    message: Type.String({
      description: 'Starts with `Simulation failed`, followed by the cause, how to resolve it, and the error as the host prints it.',
      examples: [
        'Simulation failed: no open position has this id. List your open positions. This one may have been closed or liquidated. [Error(Contract, #20)]',
      ],
    }),
    contractError: contractErrorOrNull('Error raised by a contract. Null if no contract raised one.'),
  },
  { $id: 'SimulationFailure', description: 'The transaction failed in simulation. Nothing was submitted.' },
)

/** 400 of POST /v1/tx/submit. */
export const SubmissionRejected = Type.Object(
  {
    error: Type.Literal('submission_rejected'),
    message: message('The transaction has expired. Prepare a new one.'),
    contractError: contractErrorOrNull('Error raised by a contract. Null if no contract raised one.'),
    hostError: hostErrorOrNull(HOST_ERROR),
    txResultCode: textOrNull({ description: TX_RESULT_CODE, examples: ['txTooLate'] }),
  },
  { $id: 'SubmissionRejected', description: 'The transaction is malformed, or the network rejected it before including it in a ledger. No fee was charged.' },
)

/** 413. */
export const BodyTooLarge = Type.Object(
  { ...statusBody(413, 'Payload Too Large', 'Request body is too large'), code: Type.String({ description: 'Error code.',
    examples: ['FST_ERR_CTP_BODY_TOO_LARGE'] }) },
  { $id: 'BodyTooLarge', description: 'The request body is too large.' },
)

/** 415. */
export const UnsupportedMediaType = Type.Object(
  {
    ...statusBody(415, 'Unsupported Media Type', 'Unsupported Media Type'),
    code: Type.Optional(Type.String({ description: 'Error code. Absent if the body is compressed.', examples: ['FST_ERR_CTP_INVALID_MEDIA_TYPE'] })),
  },
  { $id: 'UnsupportedMediaType', description: 'The body is not JSON, or it is compressed. Send it as application/json.' },
)

/** 431. */
export const HeadersTooLarge = Type.Object(
  statusBody(431, 'Request Header Fields Too Large', 'Malformed HTTP request.'),
  { $id: 'HeadersTooLarge', description: 'The request headers exceed 16 KiB.' },
)

/** 451 of trading endpoints. */
export const RegionRestricted = Type.Object(
  {
    error: Type.Literal('region_restricted'),
    message: message('Trading is not available in your region. Market data, history and keys remain available.'),
  },
  { $id: 'RegionRestricted', description: 'Trading is not available in the region of the caller.' },
)

/** 503 of POST /v1/tx/submit. */
export const TryAgainLater = Type.Object(
  {
    error: Type.Literal('try_again_later'),
    retryable: Type.Literal(true, { description: 'Always true.' }),
    hash: txHash('Transaction hash.'),
    message: message('The network queue is full. Submit the same signedXdr again.'),
  },
  { $id: 'TryAgainLater', description: 'The queue of the network or the gateway is full.' },
)

/** 404 of the market endpoints. */
export const UnknownAsset = Type.Object(
  {
    error: Type.Literal('Unknown asset'),
    message: message(UNKNOWN_ASSET),
    asset: Type.String({ description: 'Requested symbol, in upper case.', examples: ['SHIB'] }),
  },
  { $id: 'UnknownAsset', description: 'The exchange does not support this asset.' },
)

/** 404 of GET /v1/orders/{orderId}. */
export const OrderNotFound = Type.Object(
  {
    error: Type.Literal('order_not_found'),
    message: message('No order has this id, or its ledger is not indexed yet. Send that ledger as X-Min-Ledger.'),
    orderId: Type.Integer({ description: 'Requested order id.', examples: [7] }),
  },
  { $id: 'OrderNotFound', description: 'No order of the deployment has this id, or it is not indexed yet.' },
)

/** 404 of GET /v1/vaults/{id}. */
export const VaultNotFound = Type.Object(
  {
    error: Type.Literal('vault_not_found'),
    message: message('No vault has this id. GET /v1/vaults lists them.'),
    id: Type.Integer({ description: 'Requested vault id.', examples: [7] }),
  },
  { $id: 'VaultNotFound', description: 'No vault has this id.' },
)

/** 404 of GET /v1/referral/lookup. */
export const UnknownCode = Type.Object(
  {
    error: Type.Literal('unknown_code'),
    message: message('Nobody has registered this code. Check the spelling: upper and lower case differ.'),
    code: Type.String({ description: 'Requested code. Codes are case-sensitive.', examples: ['STAR'] }),
  },
  { $id: 'UnknownCode', description: 'The referral code is not registered.' },
)

/** 404 of GET /v1/referral/info. */
export const NoCode = Type.Object(
  {
    error: Type.Literal('no_code'),
    message: message('This address has no referral code. Its account can register one with POST /v1/actions/prepare.'),
    address: Type.String({ description: 'Requested address.', examples: [EXAMPLE_TRADER] }),
  },
  { $id: 'NoCode', description: 'The address has not registered a referral code.' },
)

/** 404 of GET /v1/export/{kind}/{file}. */
export const ExportNotAvailable = Type.Object(
  {
    error: Type.Literal('export_not_available'),
    message: message('This day is not over, not indexed, or incomplete. GET /v1/export lists the days that can be downloaded.'),
  },
  { $id: 'ExportNotAvailable', description: 'The day cannot be downloaded.' },
)

/** 503 of GET /v1/export/{kind}/{file}. */
export const ExportInProgress = Type.Object(
  {
    error: Type.Literal('export_in_progress'),
    retryable: Type.Literal(true, { description: 'Always true.' }),
    message: message('The file is being generated. Retry after two seconds.'),
  },
  { $id: 'ExportInProgress', description: 'The file of the day is being generated.' },
)

/** 400 of GET /v1/stream. */
export const InvalidChannels = Type.Object(
  {
    error: Type.Literal('invalid_channels'),
    message: message('Not a public channel: "trades.btc". Name channels as in trades.BTC,ticker.BTC, with symbols of GET /v1/markets.'),
  },
  { $id: 'InvalidChannels', description: 'No channels were given, or one of them is not a public channel.' },
)

/** 503 of GET /v1/stream. */
export const StreamUnavailable = Type.Object(
  {
    error: Type.Unsafe<string>({
      type: 'string', enum: ['server_full', 'too_many_connections', 'restart'],
      description: 'server_full: this instance has as many connections as it can have. too_many_connections: your address has. restart: it is shutting down.',
    }),
    message: message('This instance has as many connections as it can have. Retry after 5 s.'),
    retryable: Type.Literal(true, { description: 'Always true.' }),
  },
  { $id: 'StreamUnavailable', description: 'The instance accepts no further connection now.' },
)

/** 429. */
export const RateLimited = Type.Object(
  {
    error: Type.Literal('rate_limited'),
    message: message('The rate limit of this minute is used up. Retry after 17 s.'),
    retry_after_sec: Type.Integer({ description: 'Seconds until the rate limit resets. Same as the Retry-After header.', examples: [17] }),
  },
  { $id: 'RateLimited', description: 'The caller exceeded its rate limit for the current minute.' },
)

/** 502. */
export const RpcError = Type.Object(
  {
    error: Type.Literal('rpc_error'),
    message: message('The oracle price of BTC is unavailable.'),
    hash: Type.Optional(txHash('Hash of a submitted transaction whose outcome is unknown. Submit the same signedXdr again to get it.')),
  },
  { $id: 'RpcError', description: 'The Stellar RPC server is unreachable or overloaded.' },
)

/** 500 and 503, in Fastify's default shape. Reveals no internals. */
export const ServerError = Type.Object(
  statusBody(503, 'Service Unavailable', 'The data is temporarily unavailable. Retry after one second.'),
  { $id: 'ServerError', description: 'The gateway could not process the request. Its log has the cause under the x-request-id.' },
)

/** Fastify's default error format. */
function statusBody(status: number, error: string, text: string) {
  return {
    statusCode: Type.Integer({ description: 'HTTP status code.', examples: [status] }),
    error: Type.String({ description: 'HTTP status text.', examples: [error] }),
    message: message(text),
  }
}

function message(example: string): TString {
  return Type.String({ description: 'Human-readable message.', examples: [example] })
}
