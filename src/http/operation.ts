// Builds the Fastify schema of a route, used for both validation and the OpenAPI document.

import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import type { TObject, TSchema } from 'typebox'
import { ref } from '../resources/fields.ts'
import {
  AddressNotAllowed, AlreadyRotated, BodyTooLarge, CapExceeded, ClientIdInUse, ExportInProgress, ExportNotAvailable, HeadersTooLarge, HeartbeatDisabled,
  InvalidChannels, InvalidSignature, KeeperUnauthorized, KeyLimitReached, KeyNotFound, LedgerNotIndexed, NoCode, NotASubset, NotInBeta, OrderNotFound,
  RateLimited, RegionRestricted, RpcError, ScopeMissing, ServerError, SimulationFailure,
  StreamUnavailable, SubmissionRejected, TryAgainLater, Unauthorized, UnknownAsset, UnknownCode, UnknownTransaction, UnsupportedAsset, UnsupportedField,
  UnsupportedMediaType, UnsupportedOperation, ValidationError, VaultNotFound,
} from '../resources/error.ts'
import { NotInLog, SigningDisabled } from '../resources/page-log.ts'
import { NotYet } from '../resources/not-yet.ts'
import { OracleUnhealthy } from '../resources/oracle-health.ts'
import { PAGE_MEMBERS, pageMembers } from '../resources/page-members.ts'
import { NotReady } from '../resources/probe.ts'
import { IGNORED_PARAMETERS } from './ignored-parameters.ts'
import { scopesOfEndpoint } from './key-rules.ts'
import { MIN_LEDGER_HEADERS } from './min-ledger.ts'

/** Error bodies by status, or by status and code if a status has several bodies. */
export const ERROR_SCHEMAS = {
  400: ValidationError,
  '400 unsupported_asset': UnsupportedAsset,
  '400 unsupported_by_deployment': UnsupportedField,
  '400 simulation_failed': SimulationFailure,
  '400 submission_rejected': SubmissionRejected,
  '400 ledger_not_indexed': LedgerNotIndexed,
  '400 invalid_channels': InvalidChannels,
  '400 not_a_subset': NotASubset,
  401: Unauthorized,
  '401 invalid_signature': InvalidSignature,
  '401 unauthorized': KeeperUnauthorized,
  403: NotInBeta,
  '403 scope_missing': ScopeMissing,
  '403 address_not_allowed': AddressNotAllowed,
  '403 cap_exceeded': CapExceeded,
  404: UnknownAsset,
  '404 key_not_found': KeyNotFound,
  '404 order_not_found': OrderNotFound,
  '404 vault_not_found': VaultNotFound,
  '404 unknown_code': UnknownCode,
  '404 no_code': NoCode,
  '404 export_not_available': ExportNotAvailable,
  '409 key_limit_reached': KeyLimitReached,
  '409 already_rotated': AlreadyRotated,
  '404 not_in_log': NotInLog,
  '404 unknown_transaction': UnknownTransaction,
  '409 client_id_in_use': ClientIdInUse,
  '409 not_yet': NotYet,
  413: BodyTooLarge,
  415: UnsupportedMediaType,
  429: RateLimited,
  431: HeadersTooLarge,
  451: RegionRestricted,
  500: ServerError,
  502: RpcError,
  503: ServerError,
  '503 try_again_later': TryAgainLater,
  '503 unsupported_by_deployment': UnsupportedOperation,
  '503 not_ready': NotReady,
  '503 export_in_progress': ExportInProgress,
  '503 signing_disabled': SigningDisabled,
  '503 stream_unavailable': StreamUnavailable,
  '503 heartbeat_disabled': HeartbeatDisabled,
  '503 oracle_unhealthy': OracleUnhealthy,
} as const

export type ErrorName = keyof typeof ERROR_SCHEMAS

const REQUEST_ID = { type: 'string', description: 'Request id: the value sent by the client, otherwise a new one.' } as const

const RATE_LIMIT_HEADERS = {
  'x-ratelimit-tier': { type: 'string', description: 'Rate limit tier of the caller.' },
  'x-ratelimit-remaining': { type: 'integer', description: 'Requests left in the current minute.' },
} as const

/** Not repeated for every error, because they would make up a quarter of the document. */
const RATE_LIMIT_STATE_HEADERS = {
  'ratelimit-limit': { type: 'integer', description: 'Requests per minute of the bucket with the fewest requests left.' },
  'ratelimit-remaining': { type: 'integer', description: 'Same as x-ratelimit-remaining.' },
  'ratelimit-reset': { type: 'integer', description: 'Seconds until the limit resets.' },
} as const

const OPTIONAL_HEADERS = {
  index: {
    'x-ledger': { type: 'integer', description: 'Last indexed ledger. 0 if nothing is indexed.' },
    'x-seq': { type: 'integer', description: 'Last sequence number of the event log.' },
    'x-epoch': { type: 'string', description: 'Epoch of the event log. Absent if nothing is indexed.' },
  },
  next: { link: { type: 'string', description: 'URL of the next page with rel="next". Absent on the last page.' } },
  stale: { 'x-stale': { type: 'string', description: '1 if a price could not be refreshed and the last known price is served.' } },
} as const

/** Name of the security scheme in the OpenAPI document. */
export const KEY_SCHEME = 'bearer'

interface OperationBase {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly ok: TSchema
  readonly example: unknown
  /** Of the 200 response; JSON by default. */
  readonly contentType?: string
  readonly errors: readonly ErrorName[]
  /** Examples by status, for error bodies whose schema gives none. */
  readonly errorExamples?: Readonly<Record<number, unknown>>
  /** Status of a successful response, 200 by default. */
  readonly status?: 200 | 201 | 204
  /** False for responses that must not be cached. They have no etag. */
  readonly cacheable?: boolean
  /** True documents the security scheme, the scopes, 401, 403, and 503 for failed key lookups. */
  readonly requiresKey?: boolean
  /** True documents 451. */
  readonly regionGuarded?: boolean
  /** Additional headers of a successful response. With `next`, the body also has PAGE_MEMBERS, which `pageResponse` adds. */
  readonly headers?: readonly (keyof typeof OPTIONAL_HEADERS)[]
  /** False if the operation is exempt from the rate limit. */
  readonly rateLimited?: boolean
}

interface OperationParts {
  readonly querystring?: TObject
  readonly params?: TObject
  readonly body?: TSchema
  /** The JSON schema of request headers. */
  readonly headers?: object
}

const IGNORED_HEADER = {
  [IGNORED_PARAMETERS]: {
    type: 'string', description: 'Unknown query parameters, which are ignored, each with the nearest known name: limt (limit?). Absent if there are none.',
  },
} as const

const ETAG = { etag: { type: 'string', description: 'Weak entity tag. Send it back as If-None-Match.' } } as const

/** Validation uses `querystring`, `params` and `body`. The OpenAPI document uses everything. */
export function operation<const Parts extends OperationParts>(base: OperationBase, parts: Parts): FastifySchema & Parts {
  const counted = base.rateLimited === false ? {} : RATE_LIMIT_HEADERS
  const countState = base.rateLimited === false ? {} : RATE_LIMIT_STATE_HEADERS
  const extra = Object.assign({}, ...(base.headers ?? []).map((name) => OPTIONAL_HEADERS[name])) as Record<string, unknown>
  const response: Record<string, unknown> = {
    [base.status ?? 200]: {
      description: base.summary,
      headers: { 'x-request-id': REQUEST_ID, ...counted, ...countState, ...IGNORED_HEADER, ...(base.cacheable === false ? {} : ETAG), ...extra },
      // The generator documents a body for every other type.
      ...(base.status === 204 ? { type: 'null' } : { content: { [base.contentType ?? 'application/json']: bodyOf(base) } }),
    },
  }
  for (const [status, schemas] of errorSchemas(base, parts)) {
    response[status] = {
      description: schemas.map(describe).join(' Or: '),
      headers: {
        'x-request-id': REQUEST_ID,
        ...counted,
        ...(status === 429 ? countState : {}),
        ...(status === 429 || status === 503 ? { 'retry-after': { type: 'integer', description: 'Seconds to wait before retrying.' } } : {}),
      },
      content: { 'application/json': { schema: oneOf(schemas), ...errorExample(base, status) } },
    }
  }
  const headers = waitsForIndex(base) ? { headers: MIN_LEDGER_HEADERS } : {}
  const security = base.requiresKey === true ? [{ [KEY_SCHEME]: [] }] : []
  return { operationId: base.id, tags: [base.tag], summary: base.summary, description: describeScopes(base), security, ...headers, ...parts, response }
}

/** The description, which ends with the scopes that a key needs. */
function describeScopes({ id, description, requiresKey }: OperationBase): string {
  if (requiresKey !== true) return description
  const [own, other] = [scopesOfEndpoint(id, true), scopesOfEndpoint(id, false)]
  const needed = (other ?? own)?.join(', ')
  if (needed === undefined) return `${description} Needs no scope.`
  return `${description} Needs ${own === null ? 'no scope for the presented key, and otherwise ' : ''}the scope ${needed.replaceAll(', ', ' or ')}.`
}

/** Lists end with the members that continue them. A body that is a resource declares them itself. */
function bodyOf({ ok, example, headers }: OperationBase): { readonly schema: TSchema; readonly example: unknown } {
  if (headers?.includes('next') !== true) return { schema: ok, example }
  const schema = isObject(ok) ? Type.Object({ ...ok.properties, ...PAGE_MEMBERS }) : ok
  return { schema, example: { ...Object(example), ...pageMembers(null) } }
}

function isObject(schema: TSchema): schema is TObject {
  return 'properties' in schema
}

function errorExample({ errorExamples = {} }: OperationBase, status: number): { readonly example?: unknown } {
  return Object.hasOwn(errorExamples, status) ? { example: errorExamples[status] } : {}
}

/** Error bodies by status, ascending: those listed by the operation, and those common to its kind. */
function errorSchemas(base: OperationBase, { body }: OperationParts): Map<number, readonly TSchema[]> {
  const common: readonly ErrorName[] = [
    // Any operation can return 431. It is documented where no other 4xx is possible.
    base.rateLimited === false ? 431 : 429,
    ...(base.requiresKey === true ? [401 as const, '403 address_not_allowed' as const, 503 as const] : []),
    ...(base.requiresKey === true && scopesOfEndpoint(base.id, true) !== null ? ['403 scope_missing' as const] : []),
    ...(waitsForIndex(base) ? [400 as const, '409 not_yet' as const, 503 as const] : []),
    ...(body === undefined ? [] : [413 as const, 415 as const]),
    ...(base.regionGuarded === true ? [451 as const] : []),
    500,
  ]
  const names = [...new Set([...base.errors, ...common])].sort((a, b) => statusOf(a) - statusOf(b))
  return new Map(names.map((name) => [statusOf(name), names.filter((other) => statusOf(other) === statusOf(name)).map((other) => ERROR_SCHEMAS[other])]))
}

/** Reads from the index can wait for a ledger. Unmetered routes must not wait for the index. */
function waitsForIndex(base: OperationBase): boolean {
  return base.headers?.includes('index') === true && base.rateLimited !== false
}

function oneOf(schemas: readonly TSchema[]): unknown {
  const references = schemas.map((schema) => ref(schema))
  return references.length === 1 ? references[0] : { oneOf: references }
}

export function statusOf(name: ErrorName): number {
  return Number.parseInt(String(name), 10)
}

function describe(schema: TSchema & { readonly description?: string }): string {
  return schema.description ?? ''
}
