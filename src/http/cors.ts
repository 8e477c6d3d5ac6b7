// CORS: browsers may call only from the origins of the operator's web apps (specification, "Global conventions"). Pages of other origins cannot read responses,
// unless the operator opens public reads to every page.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'

/** Response headers that scripts may read. */
const EXPOSED_HEADERS = [
  'Content-Digest', 'ETag', 'Link', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After', 'Signature', 'Signature-Input',
  'X-Epoch', 'X-Ignored-Parameters', 'X-Ledger', 'X-RateLimit-Remaining', 'X-RateLimit-Tier', 'X-Request-Id', 'X-Seq', 'X-Stale',
].join(', ')

/** Origins whose pages may call the API, or `*`: then pages of every origin may read without credentials. */
export type WebOrigins = '*' | readonly string[]

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
  'access-control-allow-headers': 'Accept-Signature, Authorization, Content-Type, If-None-Match, Last-Event-ID, X-Min-Ledger, X-Request-Id, X-Timestamp',
  'access-control-max-age': '600',
} as const

/** Browsers then send neither API keys nor bodies from pages of other origins. */
const PUBLIC_PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'Accept-Signature, If-None-Match, Last-Event-ID, X-Min-Ledger, X-Request-Id',
  'access-control-max-age': '600',
} as const

export interface Cors {
  /** The headers of a response to this request, preflights aside. */
  headersFor(request: IncomingMessage): Headers
  /** Applies the policy. Returns true if the request was a preflight and the response has been sent. */
  apply(request: FastifyRequest, reply: FastifyReply): boolean
}

type Headers = Readonly<Record<string, string>>

const NO_HEADERS: Headers = {}

export function createCors(webOrigins: WebOrigins): Cors {
  const isPublic = webOrigins === '*'
  const preflightHeaders = isPublic ? PUBLIC_PREFLIGHT_HEADERS : PREFLIGHT_HEADERS
  // Caches must not share responses between origins.
  const unreadable: Headers = isPublic || webOrigins.length === 0 ? NO_HEADERS : { vary: 'Origin' }
  const readableBy = (origin: string): Headers => ({ ...unreadable, 'access-control-allow-origin': origin })
  const readable = new Map((isPublic ? ['*'] : webOrigins).map((origin) => [origin, readableBy(origin)]))
  const exposed = new Map(Array.from(readable, ([origin, headers]) => [origin, { ...headers, 'access-control-expose-headers': EXPOSED_HEADERS }]))

  /** The origin that may read the response, or undefined. */
  function readerOf({ headers: { origin }, method }: IncomingMessage): string | undefined {
    if (isPublic) return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? '*' : undefined
    return origin
  }

  function headersFor(request: IncomingMessage): Headers {
    return exposed.get(readerOf(request) ?? '') ?? unreadable
  }

  return {
    headersFor,
    apply(request, reply) {
      const { headers, method } = request.raw
      if (method !== 'OPTIONS' || headers.origin === undefined || headers['access-control-request-method'] === undefined) {
        reply.headers(headersFor(request.raw))
        return false
      }
      const found = readable.get(readerOf(request.raw) ?? '')
      reply.code(204).headers(found === undefined ? unreadable : { ...found, ...preflightHeaders }).send()
      return true
    },
  }
}

/** Browsers do not apply CORS to WebSockets, so the origin is checked here. Clients outside a browser send no origin. */
export function mayConnect(webOrigins: WebOrigins, { origin, host }: { readonly origin?: string | undefined; readonly host?: string | undefined }): boolean {
  if (origin === undefined || webOrigins === '*' || webOrigins.includes(origin)) return true
  return URL.canParse(origin) && new URL(origin).host === host
}
