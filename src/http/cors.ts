// CORS: browsers may call only from the origin of the operator's web app (specification, "Global conventions"). Pages of other origins cannot read responses.

import type { FastifyReply, FastifyRequest } from 'fastify'

/** Response headers that scripts may read. */
const EXPOSED_HEADERS = [
  'ETag', 'Link', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After',
  'X-Ledger', 'X-RateLimit-Remaining', 'X-RateLimit-Tier', 'X-Request-Id', 'X-Seq', 'X-Stale',
].join(', ')

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match, X-Min-Ledger, X-Request-Id, X-Timestamp',
  'access-control-max-age': '600',
} as const

/** Applies the policy. Returns true if the request was a preflight and the response has been sent. */
export type Cors = (request: FastifyRequest, reply: FastifyReply) => boolean

export function createCors(webOrigin: string | null): Cors {
  return (request, reply) => {
    const { headers, method } = request.raw
    const allowed = webOrigin !== null && headers.origin === webOrigin
    // Caches must not share responses between origins.
    if (webOrigin !== null) reply.header('vary', 'Origin')
    if (allowed) reply.header('access-control-allow-origin', webOrigin)
    if (method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined) {
      if (allowed) reply.headers(PREFLIGHT_HEADERS)
      reply.code(204).send()
      return true
    }
    if (allowed) reply.header('access-control-expose-headers', EXPOSED_HEADERS)
    return false
  }
}
