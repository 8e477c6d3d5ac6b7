// Identifies the caller of a request and its rate limit bucket (specification, "Rate limits"). Runs once per request, before rate limiting.

import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { defined } from '../base/assert.ts'
import type { Authenticate, Authentication, AuthenticationFailure } from '../keys/authentication.ts'
import type { KeyIdentity } from '../keys/key-cache.ts'
import type { RATE_LIMIT_PER_WINDOW } from '../limits.ts'
import { networkOf } from './client-address.ts'
import type { ClientAddress, ClientNetwork } from './client-address.ts'
import { UNAVAILABLE } from './errors.ts'
import type { ErrorBody, ErrorResponse } from './errors.ts'

export type Tier = keyof typeof RATE_LIMIT_PER_WINDOW

export interface Caller {
  readonly tier: Tier
  /** The client address for the public tier, otherwise the key id. */
  readonly bucket: string
  readonly network: ClientNetwork
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
export type ResolveCaller = (request: IncomingMessage, authenticated: boolean) => Caller | Promise<Caller>

/** Specification, "Authentication failures". */
const RESPONSES: Readonly<Record<AuthenticationFailure, ErrorResponse>> = {
  missing_bearer: unauthorized({ error: 'missing_bearer', message: 'This endpoint needs an API key. Send it as Authorization: Bearer <keyId>:<secret>.' }),
  malformed_bearer: unauthorized({
    error: 'malformed_bearer', message: 'The Authorization header is malformed. Send Authorization: Bearer <keyId>:<secret>.',
    hint: 'Authorization: Bearer <keyId>:<secret>',
  }),
  missing_timestamp: unauthorized({ error: 'missing_timestamp', message: 'This gateway requires the header X-Timestamp. Send the time in Unix seconds.' }),
  stale_timestamp: unauthorized({
    error: 'stale_timestamp', message: 'X-Timestamp is not within 30 seconds of the gateway\'s time. Synchronize your clock and send the time in Unix seconds.',
  }),
  invalid_credentials: unauthorized({
    error: 'invalid_credentials', message: 'The API key is unknown or revoked, or its secret is wrong. Check it, or create another key.',
  }),
  key_expired: unauthorized({ error: 'key_expired', message: 'This key has expired. Use another key, or create a new one.' }),
  address_not_allowed: {
    status: 403,
    body: { error: 'address_not_allowed', message: 'This key may not be used from your network address. Use one of its networks, or another key.' },
  },
}

function unauthorized(body: ErrorBody): ErrorResponse {
  return { status: 401, body, headers: { 'www-authenticate': 'Bearer' } }
}

/** Requests with a valid key are counted by key, on every endpoint. All others are counted by address, whatever is wrong with their credentials. */
export function createCallerResolver(clientAddress: ClientAddress, authenticate: Authenticate): ResolveCaller {
  // Without X-Forwarded-For every request of a connection comes from the same client, so its network is determined once per socket.
  const peerNetworks = new WeakMap<Socket, ClientNetwork>()
  // The same holds for the caller if there are no credentials.
  const anonymousCallers = new WeakMap<Socket, Caller>()

  function clientNetwork({ socket, headers }: IncomingMessage): ClientNetwork {
    const forwardedFor = headers['x-forwarded-for']
    if (forwardedFor !== undefined) return networkOf(clientAddress(socket.remoteAddress, typeof forwardedFor === 'string' ? forwardedFor : undefined))
    const known = peerNetworks.get(socket)
    if (known !== undefined) return known
    const network = networkOf(clientAddress(socket.remoteAddress, undefined))
    peerNetworks.set(socket, network)
    return network
  }

  function toCaller(request: IncomingMessage, authentication: Authentication): Caller {
    const network = clientNetwork(request)
    if (typeof authentication === 'object') return { tier: authentication.tier, bucket: authentication.keyId, network, key: authentication, rejection: null }
    // If the key lookup failed, the key may still be valid, so the response is 503 and not 401.
    const rejection = authentication === 'unknown' ? UNAVAILABLE : RESPONSES[authentication]
    return { tier: 'public', bucket: network.bucket, network, key: null, rejection }
  }

  function anonymousCaller(request: IncomingMessage): Caller {
    const { socket } = request
    const known = anonymousCallers.get(socket)
    if (known !== undefined) return known
    const caller = toCaller(request, 'missing_bearer')
    anonymousCallers.set(socket, caller)
    return caller
  }

  return (request, authenticated) => {
    const { authorization, 'x-timestamp': timestamp, 'x-forwarded-for': forwardedFor } = request.headers
    if (authorization === undefined && forwardedFor === undefined) return anonymousCaller(request)
    if (authorization === undefined || !authenticated) return toCaller(request, 'missing_bearer')
    const authentication = authenticate(authorization, typeof timestamp === 'string' ? timestamp : undefined, clientNetwork(request))
    return authentication instanceof Promise ? authentication.then((known) => toCaller(request, known)) : toCaller(request, authentication)
  }
}
