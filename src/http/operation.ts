// An operation as the OpenAPI document shows it and as Fastify validates it: written once per route.

import type { FastifySchema } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { ref } from '../resources/fields.ts'
import {
  InvalidSignature, KeyNotFound, NoCode, NotInBeta, RateLimited, RegionRestricted, RpcError, ServerError, SimulationFailure, SubmissionRejected,
  TryAgainLater, Unauthorized, UnknownAsset, UnknownCode, UnsupportedAsset, ValidationError, VaultNotFound,
} from '../resources/error.ts'
import { NotYet } from '../resources/not-yet.ts'
import { NotReady } from '../resources/probe.ts'
import { MIN_LEDGER_HEADERS } from './min-ledger.ts'

/** By status; where a status has several bodies, also by status and body. */
export const ERROR_SCHEMAS = {
  400: ValidationError,
  '400 unsupported_asset': UnsupportedAsset,
  '400 simulation_failed': SimulationFailure,
  '400 submission_rejected': SubmissionRejected,
  401: Unauthorized,
  '401 invalid_signature': InvalidSignature,
  403: NotInBeta,
  404: UnknownAsset,
  '404 key_not_found': KeyNotFound,
  '404 vault_not_found': VaultNotFound,
  '404 unknown_code': UnknownCode,
  '404 no_code': NoCode,
  '409 not_yet': NotYet,
  429: RateLimited,
  451: RegionRestricted,
  500: ServerError,
  502: RpcError,
  503: ServerError,
  '503 try_again_later': TryAgainLater,
  '503 not_ready': NotReady,
} as const

export type ErrorName = keyof typeof ERROR_SCHEMAS

const REQUEST_ID = { type: 'string', description: 'The request\'s id: the client\'s own when it sent one, else a new one' } as const

const COUNTED_HEADERS = {
  'x-ratelimit-tier': { type: 'string', description: 'The allowance that the call was counted against' },
  'x-ratelimit-remaining': { type: 'integer', description: 'Calls left until the minute ends' },
} as const

const OPTIONAL_HEADERS = {
  index: {
    'x-ledger': { type: 'integer', description: 'The last indexed ledger; 0 while nothing is indexed' },
    'x-seq': { type: 'integer', description: 'Position of the index in the log of events' },
  },
  next: { link: { type: 'string', description: 'rel="next": where the list goes on, when it does' } },
  stale: { 'x-stale': { type: 'string', description: '1 when a price could not be read and the last known one is served' } },
} as const

/** The security scheme's name in the document. */
export const KEY_SCHEME = 'bearer'

interface OperationBase {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly ok: TSchema
  readonly example: unknown
  readonly errors: readonly ErrorName[]
  /** The status of a successful answer; 200 by default. */
  readonly status?: 200 | 201
  /** False for answers that nobody may keep, and that carry no etag for this reason. */
  readonly cacheable?: boolean
  /** True for operations that need a key: they name the scheme, 401, and 503 for a key that cannot be looked up. */
  readonly requiresKey?: boolean
  /** True for operations that restricted regions are refused: they name 451. */
  readonly regionGuarded?: boolean
  /** What a successful answer carries beside the common headers. */
  readonly headers?: readonly (keyof typeof OPTIONAL_HEADERS)[]
  /** False for operations exempt from the rate limit. */
  readonly rateLimited?: boolean
}

interface OperationParts {
  readonly querystring?: TObject
  readonly params?: TObject
  readonly body?: TSchema
}

const ETAG = { etag: { type: 'string', description: 'Weak; send it back as If-None-Match' } } as const

/** A route's schema: validation from `querystring`, `params` and `body`, documentation from all of it. */
export function operation<const Parts extends OperationParts>(base: OperationBase, parts: Parts): FastifySchema & Parts {
  const counted = base.rateLimited === false ? {} : COUNTED_HEADERS
  const extra = Object.assign({}, ...(base.headers ?? []).map((name) => OPTIONAL_HEADERS[name])) as Record<string, unknown>
  const response: Record<string, unknown> = {
    [base.status ?? 200]: {
      description: base.summary,
      headers: { 'x-request-id': REQUEST_ID, ...counted, ...(base.cacheable === false ? {} : ETAG), ...extra },
      content: { 'application/json': { schema: base.ok, example: base.example } },
    },
  }
  for (const [status, schemas] of errorSchemas(base)) {
    response[status] = {
      description: schemas.map(describe).join('; or: '),
      headers: {
        'x-request-id': REQUEST_ID,
        ...counted,
        ...(status === 429 || status === 503 ? { 'retry-after': { type: 'integer', description: 'Seconds to wait' } } : {}),
      },
      content: { 'application/json': { schema: oneOf(schemas) } },
    }
  }
  const headers = waitsForIndex(base) ? { headers: MIN_LEDGER_HEADERS } : {}
  const security = base.requiresKey === true ? { security: [{ [KEY_SCHEME]: [] }] } : {}
  return { operationId: base.id, tags: [base.tag], summary: base.summary, description: base.description, ...security, ...headers, ...parts, response }
}

/** What the operation names itself, and what every operation of its kind may answer: the bodies of each status, in the order of their statuses. */
function errorSchemas(base: OperationBase): Map<number, readonly TSchema[]> {
  const common: readonly ErrorName[] = [
    ...(base.rateLimited === false ? [] : [429 as const]),
    ...(base.requiresKey === true ? [401 as const, 503 as const] : []),
    ...(waitsForIndex(base) ? [400 as const, '409 not_yet' as const, 503 as const] : []),
    ...(base.regionGuarded === true ? [451 as const] : []),
    500,
  ]
  const names = [...new Set([...base.errors, ...common])].sort((a, b) => statusOf(a) - statusOf(b))
  return new Map(names.map((name) => [statusOf(name), names.filter((other) => statusOf(other) === statusOf(name)).map((other) => ERROR_SCHEMAS[other])]))
}

/** What is read from the index can be waited for. Whoever is not counted may not wait, or waiting would cost nothing. */
function waitsForIndex(base: OperationBase): boolean {
  return base.headers?.includes('index') === true && base.rateLimited !== false
}

/** A reference to the one body that there is, or to each of several. */
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
