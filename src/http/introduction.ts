// The description of the OpenAPI document: conventions, and every error with its resolution. Error tables are generated from the tables that the code uses.

import { STATUS_CODES } from 'node:http'
import { CONTRACT_ERROR_TABLES } from '../resources/contract-error-tables.ts'
import { BodyTooLarge, HeadersTooLarge, ServerError, UnsupportedMediaType } from '../resources/error.ts'
import { ADDRESS_CEILING_PER_WINDOW, RATE_LIMIT_PER_WINDOW } from '../limits.ts'
import { ERROR_SCHEMAS, statusOf } from './operation.ts'
import type { ErrorName } from './operation.ts'

/** The resolution of each error. The type requires an entry for every error name. */
const RESOLUTIONS: Readonly<Record<Exclude<ErrorName, 401>, string>> = {
  400: 'Fix the request. The message names the invalid parameter.',
  '400 unsupported_asset': 'Use a symbol from /v1/markets, in upper case.',
  '400 unsupported_by_deployment': 'Omit the field, or send its default.',
  '400 simulation_failed': 'See `contractError.code` below and the message. Change the operation, or retry later.',
  '400 submission_rejected': 'Prepare a new transaction, unless the message says otherwise.',
  '400 ledger_not_indexed': 'Use a ledger from `first` to `last`. Ledgers of earlier epochs cannot be requested.',
  '400 invalid_channels': 'Name public channels, with symbols from /v1/markets in upper case. Account channels are on the WebSocket only.',
  '400 not_a_subset': 'Ask for less in the `member` that the response names.',
  '401 invalid_signature': 'Request a new challenge and sign it.',
  '401 unauthorized': 'Send the secret of this gateway.',
  403: 'Request early access. Existing keys remain valid.',
  '403 scope_missing': 'Use a key with the scope. `GET /v1/keys/current` returns what a key may do.',
  '403 address_not_allowed': 'Send the request from one of the networks of the key, or use another key.',
  '403 cap_exceeded': 'Stay within `limit`. The caps of a day are full again at midnight UTC.',
  404: 'Use a symbol from /v1/markets.',
  '404 not_in_log': 'Check the path, the size or the event id. What is indexed now is in the log at once.',
  '404 key_not_found': 'Check the key id. GET /v1/keys lists your keys.',
  '404 order_not_found': 'Check the order id. Order ids begin at 1 in each deployment: see `deployment`.',
  '404 vault_not_found': 'Use an id from /v1/vaults.',
  '404 unknown_code': 'Check the spelling. Codes are case-sensitive.',
  '404 no_code': 'Use an address that has registered a code.',
  '409 client_id_in_use': 'Use a new `clientId`. `GET /v1/tx/{hash}` with the `hash` of the response returns the transaction that has it.',
  '404 unknown_transaction': 'Check the hash. A transaction that was never submitted may be unknown, so do not conclude that it failed.',
  '404 export_not_available': 'Use a day that /v1/export lists.',
  '409 key_limit_reached': 'Revoke a key, then request a new challenge and sign it.',
  '409 already_rotated': 'Use the new secret of the key.',
  '409 not_yet': 'Retry with the same X-Min-Ledger.',
  413: 'Send a smaller body.',
  415: 'Send the body as application/json, not compressed.',
  429: 'Wait for the number of seconds in Retry-After.',
  431: 'Send fewer or shorter headers.',
  451: 'Do not retry. All endpoints that do not trade remain available.',
  500: 'Report the error with its x-request-id.',
  502: 'Retry with exponential backoff. If the body has a `hash`, the outcome of that transaction is unknown: submit the same signedXdr again.',
  503: 'Wait for the number of seconds in Retry-After, then retry.',
  '503 try_again_later': 'Wait for the number of seconds in Retry-After, then submit the same signedXdr again. Do not prepare a new transaction.',
  '503 unsupported_by_deployment': 'Do not retry until the gateway has been updated. GET /v1/health reports the generation of each contract.',
  '503 not_ready': 'Send requests to another instance.',
  '503 export_in_progress': 'Wait for the number of seconds in Retry-After, then retry.',
  '503 signing_disabled': 'Do not retry. The tiles and records of the log are served all the same, unsigned.',
  '503 stream_unavailable': 'Close connections that you do not need, wait for the number of seconds in Retry-After, then retry.',
  '503 oracle_unhealthy': 'Look at `onchain` and `keeper`. Without `strict` the status is 200.',
  '503 heartbeat_disabled': 'Ask the operator to set a secret.',
}

/** Errors in Fastify's default format. */
const STATUS_TEXTS: ReadonlySet<object> = new Set([ServerError, BodyTooLarge, UnsupportedMediaType, HeadersTooLarge])

/** The `error` values of an error body, or the status text for errors in Fastify's default format. */
function codesOf(name: ErrorName): readonly string[] {
  if (name === 400) return ['FST_ERR_VALIDATION']
  const schema = ERROR_SCHEMAS[name]
  if (STATUS_TEXTS.has(schema)) return [STATUS_CODES[statusOf(name)] ?? '']
  const { properties } = schema as unknown as { readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
  const { const: only, enum: values = [only] } = properties['error'] ?? {}
  return values as readonly string[]
}

/** Meaning and resolution of each 401 error. */
const AUTHENTICATION_ERRORS = {
  missing_bearer: ['The request has no bearer token.', 'Send `Authorization: Bearer <keyId>:<secret>`.'],
  malformed_bearer: ['The bearer token has no colon.', 'Send `<keyId>:<secret>`, as returned by POST /v1/keys.'],
  missing_timestamp: ['This gateway requires X-Timestamp.', 'Send the current time in Unix seconds with every request.'],
  stale_timestamp: ['X-Timestamp is more than 30 seconds off.', 'Synchronise your clock, or omit the header.'],
  invalid_credentials: ['The key is unknown or revoked, or the secret is wrong.', 'Create a new key. Keys of other gateways are not valid here.'],
  key_expired: ['The key has expired.', 'Use another key, or create a new one.'],
} as const

function errorRows(): readonly string[] {
  const names = Object.keys(ERROR_SCHEMAS).map((name) => (/^\d+$/.test(name) ? Number(name) : name) as ErrorName)
  return names.toSorted((a, b) => statusOf(a) - statusOf(b)).flatMap((name) => {
    const { description = '' } = ERROR_SCHEMAS[name] as { readonly description?: string }
    return codesOf(name).map((code) => {
      const [meaning, resolution] = name === 401
        ? AUTHENTICATION_ERRORS[code as keyof typeof AUTHENTICATION_ERRORS]
        : [description, RESOLUTIONS[name]]
      return `| ${statusOf(name)} | \`${code}\` | ${meaning} | ${resolution} |`
    })
  })
}

const SECTIONS: readonly (readonly [heading: string, text: string])[] = [
  ['Guides', [
    'New here? Start with [a first order](/docs/guides/first-order) or [how the exchange works](/docs/guides/how-the-exchange-works).',
    '[All guides](/docs/guides): for bot authors, front-end developers and operators.',
  ].join(' ')],
  ['Amounts, times, directions', [
    'Amounts, prices and sizes are digit strings in 7-decimal fixed point: `"10000000"` is 1.0 and `"1000000000"` is 100 USDC.',
    'Use big integers for calculations.',
    'Only `priceFloat` and candle prices are JSON numbers, for display. Fields that end in `Bps` are in basis points: 10000 is 100 %.',
    'Times are in Unix seconds unless the field description says milliseconds.',
    'In responses, direction `0` is long and `1` is short. Requests use `Long` and `Short`.',
  ].join(' ')],
  ['Authentication', [
    'Market data is public. Trading and account endpoints require an API key.',
    'To create a key, request a challenge, sign it with your wallet, and send it to `POST /v1/keys`.',
    'The response contains the secret, which is returned only once. Then send `Authorization: Bearer <keyId>:<secret>` with each request.',
    'A key can read account data and submit transactions that you signed. It cannot move funds: only the signature of the account can,',
    'and the gateway never sees the secret key of the account.',
  ].join(' ')],
  ['Addresses', [
    'Accounts (`G…`) and contracts (`C…`) own positions, vaults and balances. Parameters take nothing else. A muxed address (`M…`, `W…`) is an account or a',
    'contract with the id of a user behind it: use the address inside it. Events show every address as their contract emitted it.',
  ].join(' ')],
  ['Trading', [
    '`POST /v1/orders/prepare` builds and simulates an unsigned transaction. Sign it, then send it to `POST /v1/tx/submit`, which submits it and waits for',
    'the result. A signed transaction is applied at most once, no matter how often you submit it. After `PENDING`, 502, 503 or a timeout, submit the same',
    'signed transaction again. Do not prepare a new one.',
  ].join(' ')],
  ['Limits', [
    `Rate limits apply per clock minute: ${RATE_LIMIT_PER_WINDOW.public} requests per address without a key,`,
    `${RATE_LIMIT_PER_WINDOW.standard} reads and as many requests for trading per standard key, ${ADDRESS_CEILING_PER_WINDOW} for all keys of an address.`,
    'Creating keys counts by address. IPv6 addresses count per /64 network, and per /48 network at ten times the limit.',
    'Each response reports the remaining requests in `ratelimit-remaining`, of `ratelimit-limit` until `ratelimit-reset` seconds from now.',
    'A 429 response reports the seconds to wait in `retry-after`. `GET /v1/account/me/limits` lists every limit of your key and is free.',
    '`/v1/health` is exempt. The documentation has a separate limit by size.',
    'Responses carry an `etag`. Send it back as `If-None-Match` to get a 304 if nothing has changed.',
    'For live data, use the WebSocket stream at `/v1/ws` (documented in `/docs/stream.json`).',
  ].join(' ')],
  ['Pages', [
    'Lists are sorted newest first, candles oldest first. `limit` sets the page size. The `link` header with `rel="next"` is the URL of the next page.',
    'Its cursor continues exactly after the last row, so that new rows cause neither duplicates nor gaps. `before_ts` returns only rows older than a time.',
    'A list without rows is empty, not an error.',
  ].join(' ')],
  ['Consistency', [
    'Responses from the index carry `x-ledger`, `x-seq` and `x-epoch`: the last indexed ledger, the last sequence number of the event log, and its epoch.',
    'The index lags the chain by one or two seconds. `/v1/health` reports the lag.',
    'To read your own writes, send the `ledger` of your transaction as `X-Min-Ledger`. The response then waits until that ledger is indexed, or returns',
    '409 `not_yet` after 5 seconds.',
    'Old prices are served, not rejected: `timestamp` is the attestation time of a price, and `x-stale: 1` means that it could not be refreshed.',
  ].join(' ')],
  ['Signatures', [
    'A response is signed if the request asks for it with `Accept-Signature: pxg=("@status" "content-digest" "content-type" "x-epoch" "x-ledger" ' +
      '"x-seq" "@method";req "@target-uri";req);alg="ed25519"` (RFC 9421), optionally with a `nonce`.',
    'It then has `Content-Digest`, `Signature-Input` and `Signature`, and is not compressed. Components that it lacks are left out. Responses that are sent in',
    'parts, such as exports, are not signed. The public keys are at `/.well-known/http-message-signatures-directory`; without a key nothing is signed.',
  ].join(' ')],
  ['Requests', 'Every response carries `x-request-id`: yours if you sent one, otherwise a new one. Include it when you report a problem.'],
]

const ERRORS = [
  'Every error body has `error`, a stable code, and `message`, a sentence that says what to do. Match on the status and the code: `error`, or `code` for ' +
    'validation errors. Messages are for humans and may change.',
  'Validation errors also have `reason` (`invalid_parameter`) and `parameter`; for a body it is the dotted path. An unknown query parameter is ignored; the ' +
    'header `x-ignored-parameters` names it with the nearest known name.',
  ['| Status | Code | Meaning | Resolution |', '|---|---|---|---|', ...errorRows()].join('\n'),
  '`GET /v1/oracle/health` with `strict` returns 503 with the members of its 200 response.',
  'Unknown paths return 404 `Not Found` with the `reason` `unknown_route`.',
].join('\n\n')

const CONTRACT_ERRORS = [
  'If a contract rejects a transaction, `contractError` holds the `code` and `name` of its error. It is null if the transaction failed for another reason.',
  'Match on the code and the contract that you called, because each contract defines its own codes.',
  'A code without a name is served as `UnknownContractError`.',
].join(' ')

/** Markdown. */
export const INTRODUCTION = [
  'Public API of a perpetual-futures exchange that runs as Soroban smart contracts on a Stellar test network, with test funds only. It serves prices, ' +
    'markets and the full history of the exchange, and it prepares and submits transactions that you sign. It holds no private keys and cannot move funds.',
  ...SECTIONS.map(([heading, text]) => `## ${heading}\n\n${text}`),
  `## Errors\n\n${ERRORS}`,
  `## Contract errors\n\n${CONTRACT_ERRORS}`,
  ...CONTRACT_ERROR_TABLES.map(([heading, markdown]) => `### ${heading}\n\n${markdown}`),
].join('\n\n')
