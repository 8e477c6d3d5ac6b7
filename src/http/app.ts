// The HTTP server and what every request meets, in this order: its id, the browser policy, its caller, its allowance, the region guard, the need of a key.
// It waits for nothing but a key that is not known yet and counts that are shared, and nothing of it matches on URL text: a route that differs declares
// so in its config.

import Fastify from 'fastify'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { Authenticate } from '../keys/authentication.ts'
import { BODY_LIMIT_BYTES, HTTP_CONNECTIONS_MAX } from '../limits.ts'
import { CACHE_NEVER, JSON_TYPE } from './response.ts'
import { createCallerResolver } from './caller.ts'
import type { Caller } from './caller.ts'
import { createClientAddress } from './client-address.ts'
import type { TrustProxy } from './client-address.ts'
import { limitConnections } from './connections.ts'
import { createCors } from './cors.ts'
import { toErrorResponse, isTooLarge, keepConnectionOpen } from './errors.ts'
import type { ErrorResponse, ErrorRule } from './errors.ts'
import { FORMATS } from './formats.ts'
import { observeResponses, observeUnrouted } from './observe.ts'
import type { HttpObserver } from './observe.ts'
import { createRateLimiter } from './rate-limit.ts'
import type { RateLimits, SharedCounts } from './rate-limit.ts'
import { createRegionGuard } from './region-guard.ts'
import type { RegionHeaders } from './region-guard.ts'
import { createRequestIds } from './request-id.ts'
import { buildSerializer } from './serializers.ts'
import { rejectEncodedBodies, rejectUnknownFields } from './strict-body.ts'
import { parseQueriesStrictly } from './strict-query.ts'
import { traceRequests } from './trace.ts'
import type { HttpTracer } from './trace.ts'

/** A client has this long to send its headers and body; slower ones are cut off. Shorter, a process that stands still for a moment would cut off others. */
const REQUEST_TIMEOUT_MS = 10_000
/** How often slow clients are looked for. */
const SLOW_CLIENTS_INTERVAL_MS = 1_000
/** A connection on which nothing moves either way is cut after this long: above the longest wait for an answer, so that it meets only who does not read. */
const SILENCE_TIMEOUT_MS = 90_000
/** An idle connection is kept this long: longer than common proxies keep theirs, so that none reuses one that is being closed. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** Request line and headers together. */
const MAX_HEADER_BYTES = 16 * 1024

export type App = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False exempts the route from the rate limit; every other answer is counted. */
    rateLimited?: boolean
    /** True refuses callers without a valid key (401). */
    requiresKey?: boolean
    /** True refuses callers from restricted regions (451) when the operator has switched the guard on. */
    regionGuarded?: boolean
  }
}

export interface AppOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly webOrigin: string | null
  readonly trustProxy: TrustProxy
  readonly rateLimits: RateLimits
  /** Judges the credentials that a request carries; without it nobody has any. */
  readonly authenticate?: Authenticate
  /** Counts that all instances share; without it this process counts alone. */
  readonly sharedCounts?: SharedCounts | null
  /** Where the proxy tells a client's region; null or absent: nobody is refused for it. */
  readonly regionGuard?: RegionHeaders | null
  /** Connections at the same time, the stream's included. */
  readonly maxConnections?: number
  /** Who is told of requests; null or absent: nobody. */
  readonly observer?: HttpObserver | null
  /** True from when the end of the process was announced: every answer then tells its connection to end, too, so that the next request goes elsewhere. */
  readonly isDraining?: () => boolean
  /** Who traces requests; null or absent: nobody. */
  readonly tracer?: HttpTracer | null
  /** What lower layers throw and how it is answered. */
  readonly errorRules: readonly ErrorRule[]
}

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const

/** Builds the server with its policies and without routes. */
export function createApp(options: AppOptions): App {
  const newId = createRequestIds(options.random)
  const observer = options.observer ?? null
  const app = Fastify({
    logger: false,
    genReqId: (raw) => newId(raw.headers),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: SILENCE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    // What still comes over a connection that was open is served like everything before it.
    return503OnClosing: false,
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: SLOW_CLIENTS_INTERVAL_MS },
    // No name is too long to be answered as unknown.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, discriminator: true, allowUnionTypes: true, formats: FORMATS } },
    schemaController: { compilersFactory: { buildSerializer } },
    frameworkErrors: (error, request, reply) => refuseUnroutable(error, request, reply),
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, newId({})),
  }).withTypeProvider<TypeBoxTypeProvider>()

  limitConnections(app.server, options.maxConnections ?? HTTP_CONNECTIONS_MAX)
  const cors = createCors(options.webOrigin)
  const callerOf = createCallerResolver(createClientAddress(options.trustProxy), options.authenticate ?? (() => 'missing_bearer'))
  const limiter = createRateLimiter({ clock: options.clock, limits: options.rateLimits, shared: options.sharedCounts ?? null })
  const regionGuard = createRegionGuard(options.regionGuard ?? null)

  /** Names the request's caller, and goes on. Waits only where a key has to be looked up. */
  function identify(request: FastifyRequest, asks: boolean, next: () => void): void {
    const named = (caller: Caller): void => {
      request.caller = caller
      next()
    }
    const caller = callerOf(request, asks)
    if (caller instanceof Promise) void caller.then(named)
    else named(caller)
  }

  /** Counts the request, and goes on with the answer that refuses it when the allowance is used up. Waits only where counts are shared. */
  function count(request: FastifyRequest, reply: FastifyReply, next: (refusal: ErrorResponse | undefined) => void): void {
    const { tier, bucket } = request.caller
    const told = (remaining: number): void => {
      observer?.onRateLimitDecision(tier, remaining >= 0)
      reply.header('x-ratelimit-tier', tier)
      reply.header('x-ratelimit-remaining', remaining < 0 ? '0' : String(remaining))
      next(remaining < 0 ? tooMany(limiter.retryAfterSec()) : undefined)
    }
    const taken = limiter.take(tier, bucket)
    if (typeof taken === 'number') told(taken)
    else void taken.then(told)
  }

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (isTooLarge(error)) keepConnectionOpen(reply)
    const response = toErrorResponse(error, options.errorRules)
    if (response.status >= 500) {
      const fields = { requestId: request.id, method: request.raw.method, url: request.raw.url, status: response.status, err: error }
      options.log.error(fields, 'request failed')
    }
    sendErrorResponse(reply, response)
  }

  /** URLs that no route can be looked up for skip the hooks; they are answered and counted all the same. */
  function refuseUnroutable(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS)
    identify(request, true, () =>
      count(request, reply, (refusal) => {
        if (refusal === undefined) sendError(error, request, reply)
        else sendErrorResponse(reply, refusal)
        if (observer !== null) observeUnrouted(observer, request, reply)
      }))
  }

  app.decorateRequest('caller')
  if (options.tracer) traceRequests(app, options.tracer)
  if (observer !== null) observeResponses(app, observer)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS)
    if (options.isDraining?.() === true) reply.header('connection', 'close')
    if (cors(request, reply)) return
    const { rateLimited, regionGuarded, requiresKey } = request.routeOptions.config
    const admit = (tooMany: ErrorResponse | undefined): void => {
      const refusal = tooMany
        ?? (regionGuarded === true ? regionGuard(request.raw.headers) : undefined)
        ?? (requiresKey === true ? request.caller.refusal : null)
      if (refusal === null) done()
      else sendErrorResponse(reply, refusal)
    }
    // Health and the documentation are not counted and ask for no key: they do not wait for a look at the keys.
    identify(request, rateLimited !== false || requiresKey === true, () => {
      if (rateLimited === false) admit(undefined)
      else count(request, reply, admit)
    })
  })
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const { method, url } = request.raw
    sendErrorResponse(reply, { status: 404, body: { message: `Route ${method}:${url} not found`, error: 'Not Found', statusCode: 404 } })
  })
  parseQueriesStrictly(app)
  rejectEncodedBodies(app)
  rejectUnknownFields(app)
  return app
}

/** Specification, "Rate limits". */
function tooMany(retryAfterSec: number): ErrorResponse {
  return { status: 429, body: { error: 'rate_limited', retry_after_sec: retryAfterSec }, headers: { 'retry-after': String(retryAfterSec) } }
}

/** Writes an error's answer past the route's response schemas: its shape is fixed where it is made. */
function sendErrorResponse(reply: FastifyReply, response: ErrorResponse): void {
  reply
    .code(response.status)
    .headers({ ...response.headers, 'cache-control': CACHE_NEVER, 'content-type': JSON_TYPE })
    .send(JSON.stringify(response.body))
}

/** Bytes that are not HTTP, or too much of it, never become a request; the socket is answered and closed. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const reason = STATUS_CODES[status] ?? ''
  const body = JSON.stringify({ statusCode: status, error: reason, message: 'The request could not be read.' })
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      `content-type: ${JSON_TYPE}`,
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      `cache-control: ${CACHE_NEVER}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
