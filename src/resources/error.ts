// Bodies of error answers (specification, "Gateway HTTP errors").

import { Type } from 'typebox'
import { EXAMPLE_TRADER, txHash } from './fields.ts'
import { contractErrorOrNull } from './submit-result.ts'

/** 400: a parameter is missing or out of its range. */
export const ValidationError = Type.Object(
  {
    statusCode: Type.Literal(400),
    code: Type.String({ examples: ['FST_ERR_VALIDATION'] }),
    error: Type.String({ examples: ['Bad Request'] }),
    message: Type.String({ description: 'Names the part of the request and the parameter', examples: ['querystring/limit must be integer'] }),
  },
  { $id: 'ValidationError', description: 'A parameter is missing or out of its range' },
)

/** 401 of every endpoint that requires a key. */
export const Unauthorized = Type.Object(
  {
    error: Type.Unsafe<string>({
      type: 'string',
      enum: ['missing_bearer', 'malformed_bearer', 'stale_timestamp', 'invalid_credentials'],
      description: 'No bearer, a bearer without a colon, an X-Timestamp more than 30 s off, or a key that is unknown, revoked or given with a wrong secret',
      examples: ['invalid_credentials'],
    }),
    hint: Type.Optional(Type.String({ description: 'With malformed_bearer: the form that is expected' })),
  },
  { $id: 'Unauthorized', description: 'The request carries no valid key' },
)

/** 401 of POST /v1/keys. */
export const InvalidSignature = Type.Object(
  { error: Type.Literal('invalid_signature') },
  { $id: 'InvalidSignature', description: 'The challenge is wrong, expired or used up, or the envelope does not prove the address; ask for a new challenge' },
)

/** 403 of POST /v1/keys. */
export const NotInBeta = Type.Object(
  {
    error: Type.Literal('not_in_beta'),
    message: Type.String({ examples: ['Keys are issued to addresses in early access only; this one is not on the list yet.'] }),
  },
  { $id: 'NotInBeta', description: 'Issuance is limited to listed addresses' },
)

/** 404 of DELETE /v1/keys/{keyId}. */
export const KeyNotFound = Type.Object(
  { error: Type.Literal('key_not_found') },
  { $id: 'KeyNotFound', description: 'The key does not exist, is somebody else\'s, or is revoked already' },
)

/** 400 of POST /v1/orders/prepare. */
export const UnsupportedAsset = Type.Object(
  {
    error: Type.Literal('unsupported_asset'),
    asset: Type.String({ description: 'As it was sent; symbols are upper case', examples: ['SHIB'] }),
  },
  { $id: 'UnsupportedAsset', description: 'The exchange does not know this asset' },
)

/** 400 of POST /v1/orders/prepare. */
export const SimulationFailure = Type.Object(
  {
    error: Type.Literal('simulation_failed'),
    message: Type.String({
      description: 'Begins with `Simulation failed`; says what to do', examples: ['Simulation failed: no position with this id is open.'],
    }),
    contractError: contractErrorOrNull('The error that a contract raised; null when none did'),
  },
  { $id: 'SimulationFailure', description: 'The network would refuse this operation now; nothing was sent' },
)

/** 400 of POST /v1/tx/submit. */
export const SubmissionRejected = Type.Object(
  {
    error: Type.Literal('submission_rejected'),
    message: Type.String({ examples: ['The transaction has expired. Prepare a new one.'] }),
    contractError: contractErrorOrNull('The error that a contract raised; null when none did'),
  },
  { $id: 'SubmissionRejected', description: 'The transaction cannot be read, or the network refused it before any ledger: nothing was charged' },
)

/** 451 of what trades. */
export const RegionRestricted = Type.Object(
  {
    error: Type.Literal('region_restricted'),
    message: Type.String({ examples: ['Trading is not offered in your region. Market data, history and keys stay available.'] }),
  },
  { $id: 'RegionRestricted', description: 'Trading is not offered where the caller is; trying again does not help' },
)

/** 503 of POST /v1/tx/submit. */
export const TryAgainLater = Type.Object(
  {
    error: Type.Literal('try_again_later'),
    retryable: Type.Literal(true),
    hash: txHash('The transaction\'s hash'),
    message: Type.String({ examples: ['The network has no room for the transaction now. Submit the same signedXdr again.'] }),
  },
  { $id: 'TryAgainLater', description: 'There is no room for the transaction now; submit the same signedXdr again after the pause' },
)

/** 404 of the market endpoints. */
export const UnknownAsset = Type.Object(
  {
    error: Type.Literal('Unknown asset'),
    asset: Type.String({ description: 'The symbol asked for, in upper case', examples: ['SHIB'] }),
  },
  { $id: 'UnknownAsset', description: 'The exchange does not know this asset' },
)

/** 404 of GET /v1/vaults/{id}. */
export const VaultNotFound = Type.Object(
  { error: Type.Literal('vault_not_found'), id: Type.Integer({ description: 'The id asked for', examples: [7] }) },
  { $id: 'VaultNotFound', description: 'No vault has this id' },
)

/** 404 of GET /v1/referral/lookup. */
export const UnknownCode = Type.Object(
  { error: Type.Literal('unknown_code'), code: Type.String({ description: 'The code asked for; case matters', examples: ['STAR'] }) },
  { $id: 'UnknownCode', description: 'Nobody owns this referral code' },
)

/** 404 of GET /v1/referral/info. */
export const NoCode = Type.Object(
  { error: Type.Literal('no_code'), address: Type.String({ description: 'The address asked for', examples: [EXAMPLE_TRADER] }) },
  { $id: 'NoCode', description: 'The address has never registered a referral code' },
)

/** 429. */
export const RateLimited = Type.Object(
  {
    error: Type.Literal('rate_limited'),
    retry_after_sec: Type.Integer({ description: 'Seconds until the window ends, as in the Retry-After header', examples: [17] }),
  },
  { $id: 'RateLimited', description: 'The caller has used up its allowance of this minute' },
)

/** 502: the chain could not be read. */
export const RpcError = Type.Object(
  {
    error: Type.Literal('rpc_error'),
    message: Type.String({ examples: ['The price of BTC cannot be read from the chain right now.'] }),
    hash: Type.Optional(txHash('Of a submitted transaction whose outcome is unknown: submit the same signedXdr again to learn it')),
  },
  { $id: 'RpcError', description: 'The network\'s RPC cannot be reached; try again with growing pauses' },
)

/** 500 and 503: Fastify's default shape; nothing about the inside. */
export const ServerError = Type.Object(
  {
    statusCode: Type.Integer({ examples: [503] }),
    error: Type.String({ examples: ['Service Unavailable'] }),
    message: Type.String({ examples: ['The data cannot be read right now; try again shortly.'] }),
  },
  { $id: 'ServerError', description: 'The gateway could not answer; the x-request-id finds the cause in its log' },
)
