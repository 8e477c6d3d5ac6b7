// Rejects requests whose Host header names another host. A page that rebinds its own name to this machine would otherwise count as a page of this gateway.

import type { FastifyRequest } from 'fastify'
import { isOwnHost } from '../base/hosts.ts'
import type { ErrorResponse } from './errors.ts'

const FOREIGN_HOST: ErrorResponse = {
  status: 403,
  body: { statusCode: 403, error: 'Forbidden', message: 'The Host header names a host that is not allowed. The operator can add it to ALLOWED_HOSTS.' },
}

/** Checks requests: the response that rejects one, or undefined. Null as `allowed` accepts any host. */
export function createHostCheck(allowed: readonly string[] | null): (request: FastifyRequest) => ErrorResponse | undefined {
  if (allowed === null) return () => undefined
  return ({ raw: { headers }, routeOptions }) => (routeOptions.config.anyHost === true || isOwnHost(headers.host, allowed) ? undefined : FOREIGN_HOST)
}
