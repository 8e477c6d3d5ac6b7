// Identifies the caller of a request and its rate limit bucket (specification, "Rate limits"). Runs once per request, before rate limiting.

import type { FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'
import { defined } from '../base/assert.ts'
import type { Authenticate, Authentication, AuthenticationFailure } from '../keys/authentication.ts'
import type { KeyIdentity } from '../keys/key-cache.ts'
import type { RATE_LIMIT_PER_WINDOW } from '../limits.ts'
import { addressBucket } from './client-address.ts'
import type { ClientAddress } from './client-address.ts'
import { UNAVAILABLE } from './errors.ts'
import type { ErrorResponse } from './errors.ts'

export type Tier = keyof typeof RATE_LIMIT_PER_WINDOW

export interface Caller {
  readonly tier: Tier
  /** The client address for the public tier, otherwise the key id. */
  readonly bucket: string
  /** Null if the request has no valid key. */
  readonly key: KeyIdentity | null
  /** The response of a route that requires a key. Null if the request has a valid key. */
  readonly rejection: ErrorResponse | null
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** Returns the key of a request. Call it only on routes that require a key. */
export function callerKey(request: FastifyRequest): KeyIdentity {
  return defined(request.caller.key, 'the key of a route that requires one')
}

/** Asynchronous only if the key must be looked up. Ignores credentials if `authenticated` is false. Never rejects. */
export type ResolveCaller = (request: FastifyRequest, authenticated: boolean) => Caller | Promise<Caller>

/** Specification, "Authentication failures". */
const RESPONSES: Readonly<Record<AuthenticationFailure, ErrorResponse>> = {
  missing_bearer: unauthorized({ error: 'missing_bearer' }),
  malformed_bearer: unauthorized({ error: 'malformed_bearer', hint: 'Authorization: Bearer <keyId>:<secret>' }),
  stale_timestamp: unauthorized({ error: 'stale_timestamp' }),
  invalid_credentials: unauthorized({ error: 'invalid_credentials' }),
}

function unauthorized(body: Readonly<Record<string, string>>): ErrorResponse {
  return { status: 401, body, headers: { 'www-authenticate': 'Bearer' } }
}

/** Requests with a valid key are counted by key, on every endpoint. All others are counted by address, whatever is wrong with their credentials. */
export function createCallerResolver(clientAddress: ClientAddress, authenticate: Authenticate): ResolveCaller {
  function toCaller(request: FastifyRequest, authentication: Authentication): Caller {
    if (typeof authentication === 'object') {
      return { tier: authentication.tier, bucket: authentication.keyId, key: authentication, rejection: null }
    }
    const forwardedFor = request.raw.headers['x-forwarded-for']
    const address = clientAddress(request.raw.socket.remoteAddress, typeof forwardedFor === 'string' ? forwardedFor : undefined)
    // If the key lookup failed, the key may still be valid, so the response is 503 and not 401.
    const rejection = authentication === 'unknown' ? UNAVAILABLE : RESPONSES[authentication]
    return { tier: 'public', bucket: addressBucket(address), key: null, rejection }
  }

  // Without credentials and X-Forwarded-For every request of a connection has the same caller, so it is resolved once per socket.
  const anonymousCallers = new WeakMap<Socket, Caller>()

  function anonymousCaller(request: FastifyRequest): Caller {
    const { socket } = request.raw
    const known = anonymousCallers.get(socket)
    if (known !== undefined) return known
    const caller = toCaller(request, 'missing_bearer')
    anonymousCallers.set(socket, caller)
    return caller
  }

  return (request, authenticated) => {
    const { authorization, 'x-timestamp': timestamp, 'x-forwarded-for': forwardedFor } = request.raw.headers
    if (authorization === undefined && forwardedFor === undefined) return anonymousCaller(request)
    if (authorization === undefined || !authenticated) return toCaller(request, 'missing_bearer')
    const authentication = authenticate(authorization, typeof timestamp === 'string' ? timestamp : undefined)
    return authentication instanceof Promise ? authentication.then((known) => toCaller(request, known)) : toCaller(request, authentication)
  }
}
