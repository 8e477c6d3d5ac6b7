// Rejects requests whose Host header names another host. A page that rebinds its own name to this machine would otherwise count as a page of this gateway.

import type { IncomingHttpHeaders } from 'node:http'
import { isOwnHost } from '../base/hosts.ts'
import type { ErrorResponse } from './errors.ts'

const FOREIGN_HOST: ErrorResponse = {
  status: 403,
  body: { statusCode: 403, error: 'Forbidden', message: 'The Host header names a host that is not allowed. The operator can add it to ALLOWED_HOSTS.' },
}

/** Checks a request by its headers: the response that rejects it, or undefined. */
export type HostCheck = (headers: IncomingHttpHeaders) => ErrorResponse | undefined

/** Null as `allowed` accepts any host. */
export function createHostCheck(allowed: readonly string[] | null): HostCheck {
  if (allowed === null) return () => undefined
  return ({ host }) => (isOwnHost(host, allowed) ? undefined : FOREIGN_HOST)
}
