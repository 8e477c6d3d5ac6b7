// Who is calling and which allowance the call draws on (specification, "Rate limits"). Decided once per request, before anything is counted.

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
  /** What is counted: the client's address for the public tier, else the key's id. */
  readonly bucket: string
  /** Null when the request carries no valid key. */
  readonly key: KeyIdentity | null
  /** What a route that requires a key answers; null when the request carries a valid one. */
  readonly refusal: ErrorResponse | null
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** The key of a request to a route that requires one. */
export function callerKey(request: FastifyRequest): KeyIdentity {
  return defined(request.caller.key, 'the key of a route that requires one')
}

/** Names the caller of a request: at once, unless its key has to be looked up. `asks` false looks at no credentials. Never rejects. */
export type ResolveCaller = (request: FastifyRequest, asks: boolean) => Caller | Promise<Caller>

/** Specification, "Authentication failures". */
const REFUSALS: Readonly<Record<AuthenticationFailure, ErrorResponse>> = {
  missing_bearer: unauthorized({ error: 'missing_bearer' }),
  malformed_bearer: unauthorized({ error: 'malformed_bearer', hint: 'Authorization: Bearer <keyId>:<secret>' }),
  stale_timestamp: unauthorized({ error: 'stale_timestamp' }),
  invalid_credentials: unauthorized({ error: 'invalid_credentials' }),
}

function unauthorized(body: Readonly<Record<string, string>>): ErrorResponse {
  return { status: 401, body, headers: { 'www-authenticate': 'Bearer' } }
}

/** A valid key is counted as itself, on every endpoint; whoever has none is counted by address, whatever is wrong with what was presented. */
export function createCallerResolver(clientAddress: ClientAddress, authenticate: Authenticate): ResolveCaller {
  function callerOf(request: FastifyRequest, authentication: Authentication): Caller {
    if (typeof authentication === 'object') {
      return { tier: authentication.tier, bucket: authentication.keyId, key: authentication, refusal: null }
    }
    const forwardedFor = request.raw.headers['x-forwarded-for']
    const address = clientAddress(request.raw.socket.remoteAddress, typeof forwardedFor === 'string' ? forwardedFor : undefined)
    // Whether the key is valid is unknown: saying that it is not would be a guess.
    const refusal = authentication === 'unknown' ? UNAVAILABLE : REFUSALS[authentication]
    return { tier: 'public', bucket: addressBucket(address), key: null, refusal }
  }

  // Whoever says nothing of itself is the same caller in every request of its connection: its address is read and cut into shape once.
  const silentCallers = new WeakMap<Socket, Caller>()

  function silentCallerOf(request: FastifyRequest): Caller {
    const { socket } = request.raw
    const known = silentCallers.get(socket)
    if (known !== undefined) return known
    const caller = callerOf(request, 'missing_bearer')
    silentCallers.set(socket, caller)
    return caller
  }

  return (request, asks) => {
    const { authorization, 'x-timestamp': timestamp, 'x-forwarded-for': forwardedFor } = request.raw.headers
    if (authorization === undefined && forwardedFor === undefined) return silentCallerOf(request)
    if (authorization === undefined || !asks) return callerOf(request, 'missing_bearer')
    const authentication = authenticate(authorization, typeof timestamp === 'string' ? timestamp : undefined)
    return authentication instanceof Promise ? authentication.then((known) => callerOf(request, known)) : callerOf(request, authentication)
  }
}
