// What a reader of the document has to know before the first call, and every error that there is. What the code has a table of is written from that table.

import { STATUS_CODES } from 'node:http'
import { CONTRACT_ERROR_TABLES } from '../resources/contract-error-tables.ts'
import { ServerError } from '../resources/error.ts'
import { RATE_LIMIT_PER_WINDOW } from '../limits.ts'
import { ERROR_SCHEMAS, statusOf } from './operation.ts'
import type { ErrorName } from './operation.ts'

/** What to do about each refusal; complete by its type. */
const WHAT_TO_DO: Readonly<Record<Exclude<ErrorName, 401>, string>> = {
  400: 'Mend the request: the message names the part and the parameter',
  '400 unsupported_asset': 'Use a symbol of /v1/markets, in upper case',
  '400 simulation_failed': 'Look at `contractError.code` below and at the message, and change the operation or wait',
  '400 submission_rejected': 'Prepare anew, unless the message says otherwise',
  '401 invalid_signature': 'Ask for a new challenge and sign that one',
  403: 'Ask for early access; keys that exist go on working',
  404: 'Use a symbol of /v1/markets',
  '404 key_not_found': 'Nothing: there is no such active key of yours',
  '404 vault_not_found': 'Use an id of /v1/vaults',
  '404 unknown_code': 'Look at its spelling; upper and lower case differ',
  '404 no_code': 'Nothing: it has none',
  '409 not_yet': 'Ask again with the same X-Min-Ledger',
  429: 'Wait for the seconds of Retry-After',
  451: 'Nothing: trading is not offered there. Reading goes on',
  500: 'Report it with its x-request-id',
  502: 'Try again with growing pauses. A `hash` in it means that a submitted transaction\'s outcome is unknown: submit the same signedXdr again',
  503: 'Try again after Retry-After',
  '503 try_again_later': 'Submit the same signedXdr again after Retry-After; prepare nothing new',
  '503 not_ready': 'Send requests to another instance for now',
}

/** What an answer's body calls itself: the values of its `error`, or what the framework calls those that it makes. */
function codesOf(name: ErrorName): readonly string[] {
  if (name === 400) return ['FST_ERR_VALIDATION']
  const schema = ERROR_SCHEMAS[name]
  if (schema === ServerError) return [STATUS_CODES[statusOf(name)] ?? '']
  const { properties } = schema as unknown as { readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
  const { const: only, enum: values = [only] } = properties['error'] ?? properties['status'] ?? {}
  return values as readonly string[]
}

/** The four ways in which a key is refused. */
const KEY_REFUSALS = {
  missing_bearer: ['There is no Authorization header, or none of a bearer', 'Send `Authorization: Bearer <keyId>:<secret>`'],
  malformed_bearer: ['The bearer has no colon', 'Send `<keyId>:<secret>`, the two parts that POST /v1/keys answered'],
  stale_timestamp: ['X-Timestamp is more than 30 seconds off', 'Set the clock, or leave the header out'],
  invalid_credentials: ['The key is unknown or revoked, or the secret is wrong', 'Get a new key; another gateway\'s keys are unknown here'],
} as const

function errorRows(): readonly string[] {
  const names = Object.keys(ERROR_SCHEMAS).map((name) => (/^\d+$/.test(name) ? Number(name) : name) as ErrorName)
  return names.toSorted((a, b) => statusOf(a) - statusOf(b)).flatMap((name) => {
    const { description = '' } = ERROR_SCHEMAS[name] as { readonly description?: string }
    return codesOf(name).map((code) => {
      const [meaning, whatToDo] = name === 401 ? KEY_REFUSALS[code as keyof typeof KEY_REFUSALS] : [description, WHAT_TO_DO[name]]
      return `| ${statusOf(name)} | \`${code}\` | ${meaning} | ${whatToDo} |`
    })
  })
}

const SECTIONS: readonly (readonly [heading: string, text: string])[] = [
  ['Amounts, times, directions', [
    'Amounts, prices and sizes are strings that hold integers in 7-decimal fixed point: `"10000000"` is 1.0, `"1000000000"` is 100 USDC.',
    'Calculate with big integers.',
    'Only `priceFloat` and candles are numbers, for showing. A field that ends in `Bps` is in basis points, 10000 being the whole.',
    'Times are unix seconds unless a field says milliseconds. In answers `0` is long and `1` short; requests say `Long` and `Short`.',
  ].join(' ')],
  ['Authentication', [
    'Reading the exchange needs no key.',
    'Your own account and trading need one: ask for a challenge, sign it with the wallet, send it to `POST /v1/keys`.',
    'The secret is answered that once. Then send `Authorization: Bearer <keyId>:<secret>`.',
    'A key can read and submit; only the account\'s own signature can move anything, and the wallet\'s secret never leaves its owner.',
  ].join(' ')],
  ['Trading', [
    '`POST /v1/orders/prepare` builds and simulates an unsigned transaction, you sign it, `POST /v1/tx/submit` relays it and waits.',
    'One signed transaction is applied once, however often it is submitted:',
    'after `PENDING`, 502 or 503, or no answer, submit the same bytes again, and prepare nothing new.',
  ].join(' ')],
  ['Limits', [
    `Calls are counted by the minute of the clock: ${RATE_LIMIT_PER_WINDOW.public} for an address without a key,`,
    `${RATE_LIMIT_PER_WINDOW.standard} for a standard key.`,
    'Every answer says what is left (`x-ratelimit-remaining`); a 429 says how many seconds to wait (`retry-after`).',
    '`/v1/health` and these pages are not counted.',
    'Answers carry an `etag`: send it back as `If-None-Match`, and what has not changed is a 304.',
    'What changes often is pushed by the stream at `/v1/ws` (its document: `/docs/stream.json`).',
  ].join(' ')],
  ['Pages', [
    'Lists are newest first (candles oldest first). `limit` says how many rows; the header `link` with `rel="next"` says where the list goes on.',
    'Its cursor stands exactly behind the last row, so that nothing is lost or repeated while new rows arrive. `before_ts` begins strictly before a second.',
    'A list of which there is nothing yet is empty, and no error.',
  ].join(' ')],
  ['Which state an answer is of', [
    'Answers from the index carry `x-ledger` and `x-seq`: the last ledger and the place in the log that they know of.',
    'The index lags the chain by a second or two; `/v1/health` says how much.',
    'Send the `ledger` of your transaction as `X-Min-Ledger`, and the answer waits until what it did can be read; 409 `not_yet` when that takes too long.',
    'Prices are never refused for their age: `timestamp` says when a price was attested, `x-stale: 1` that it could not be read anew.',
  ].join(' ')],
  ['Requests', 'Every answer carries `x-request-id`, your own when you sent one. Name it when you report something.'],
]

const REFUSALS = [
  'Match on the status and on the code, `error` in the body (`code` where the framework refuses). Messages are for people and may change.',
  ['| Status | Code | What it means | What to do |', '|---|---|---|---|', ...errorRows()].join('\n'),
  'An address that there is not is a 404 `Not Found`; a body that is too large a 413, another type of body than JSON a 415.',
].join('\n\n')

const CONTRACT_ERRORS = [
  'When a contract refuses, `contractError` holds its `code` and `name`; null when something else did.',
  'Match on the code, together with the contract that you called: each has codes of its own.',
  'A code without a name is `UnknownContractError`.',
].join(' ')

/** The introduction, in Markdown. */
export const INTRODUCTION = [
  'Public gateway of a perpetual-futures exchange that runs as smart contracts on a test network (test funds only). It serves prices, markets and the whole ' +
    'history of the exchange, and prepares and relays transactions that you sign. It holds no keys and moves no funds.',
  ...SECTIONS.map(([heading, text]) => `## ${heading}\n\n${text}`),
  `## Errors\n\n${REFUSALS}`,
  `## Errors of the contracts\n\n${CONTRACT_ERRORS}`,
  ...CONTRACT_ERROR_TABLES.map(([of, markdown]) => `### ${of}\n\n${markdown}`),
].join('\n\n')
