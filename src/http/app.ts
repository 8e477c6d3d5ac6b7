// The HTTP server and its request pipeline: request id, host, CORS, caller, rate limit, region guard, API key. The pipeline awaits only key lookups and shared
// rate limit counts. No policy matches on URL text: routes declare exceptions in their config.

import Fastify from 'fastify'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { TaskContext } from '../base/task-context.ts'
import type { TurnCaller } from '../base/turns.ts'
import type { Authenticate } from '../keys/authentication.ts'
import { BODY_LIMIT_BYTES, HTTP_CONNECTIONS_MAX } from '../limits.ts'
import { CACHE_NEVER, JSON_TYPE, rateLimitHeaders, SECURITY_HEADERS } from './response.ts'
import { createAdmissions } from './rate-admission.ts'
import { createCallerResolver } from './caller.ts'
import type { Caller } from './caller.ts'
import { createClientAddress } from './client-address.ts'
import type { TrustProxy } from './client-address.ts'
import { limitConnections } from './connections.ts'
import { createCors } from './cors.ts'
import type { WebOrigins } from './cors.ts'
import { createDirectAnswers } from './direct-answers.ts'
import type { DirectAnswers, ReadPrepared } from './direct-answers.ts'
import { excuse, isKeptOpen, isTooLarge, keepConnectionOpen, rateLimited, toErrorResponse } from './errors.ts'
import type { ErrorResponse, ErrorRule } from './errors.ts'
import { createRequestFailures } from './request-failures.ts'
import { FORMATS } from './formats.ts'
import { rejectCall, rejectEndpoint } from './key-rules.ts'
import type { RequestedCall } from './key-rules.ts'
import { createHostCheck } from './host-check.ts'
import { reportIgnoredParameters } from './ignored-parameters.ts'
import { observeResponses, observeUnrouted } from './observe.ts'
import type { HttpObserver } from './observe.ts'
import type { Outcome } from './rate-limit.ts'
import type { RequestKind, RequestLimits } from './request-limits.ts'
import { attributeReads } from './read-turns.ts'
import { createRegionGuard } from './region-guard.ts'
import type { RegionHeaders } from './region-guard.ts'
import { createRequestIds } from './request-id.ts'
import { createSchemaCompilers } from './schema-compilers.ts'
import type { SchemaCompilers } from './schema-compilers.ts'
import { describeSchemaError } from './schema-error.ts'
import type { SigningKey } from '../base/proofs/signing.ts'
import { signAnswers } from './signed-answers.ts'
import { rejectRepeatedHeaders } from './single-headers.ts'
import { rejectEncodedBodies, rejectUnknownFields } from './strict-body.ts'
import { parseQueriesStrictly } from './strict-query.ts'
import { traceRequests } from './trace.ts'
import type { HttpTracer } from './trace.ts'

/** Time for a client to send its headers and body. A shorter limit would also disconnect healthy clients when the process pauses. */
const REQUEST_TIMEOUT_MS = 10_000
/** Interval of the check for slow clients. */
const SLOW_CLIENTS_INTERVAL_MS = 1_000
/** Closes silent connections. Longer than the slowest response, so that it affects only clients that do not read. */
const SILENCE_TIMEOUT_MS = 90_000
/** Longer than common proxies keep idle connections, so that no proxy reuses a connection that is closing. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** Request line and headers together. */
const MAX_HEADER_BYTES = 16 * 1024

export type App = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False exempts the route from the rate limit. With `requiresKey`, only requests with a valid key are exempt. */
    rateLimited?: boolean
    /** Kind that the route's requests count as, `read` by default. Routes that count by `address` ignore credentials. */
    countedAs?: RequestKind
    /** True for responses that last as long as their client: their duration is not measured. */
    endless?: boolean
    /** True accepts any Host header, as load balancers send them. */
    anyHost?: boolean
    /** True rejects callers without a valid key (401). */
    requiresKey?: boolean
    /**
     * The call of the exchange that the request prepares or submits, which the key must allow. Null: it is none that can be prepared. Undefined: it cannot be
     * decoded, so the handler rejects it.
     */
    requestedCall?: (body: unknown) => RequestedCall | null | undefined
    /** True rejects callers from restricted regions (451) if the operator enabled the region guard. */
    regionGuarded?: boolean
    /** The complete response, where it is in memory. Then the request is answered without the framework. Routes with parameters or policies cannot have it. */
    prepared?: ReadPrepared
  }
}

/** The policies of routes that trade. */
export const TRADING_POLICIES = { requiresKey: true, regionGuarded: true, countedAs: 'trading' } as const

export interface AppOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Host names that requests may name, against DNS rebinding. Null or absent allows any. */
  readonly allowedHosts?: readonly string[] | null
  readonly webOrigins: WebOrigins
  readonly trustProxy: TrustProxy
  readonly requestLimits: RequestLimits
  /** Validates credentials. Without it all callers are anonymous. */
  readonly authenticate?: Authenticate
  /** Headers with the client's region. Null or absent disables the region guard. */
  readonly regionGuard?: RegionHeaders | null
  /** Maximum number of open connections, WebSockets included. */
  readonly maxConnections?: number
  readonly observer?: HttpObserver | null
  /** True during shutdown. Every response then closes its connection, so that the next request goes to another instance. */
  readonly isDraining?: () => boolean
  readonly tracer?: HttpTracer | null
  /** Keys that sign the answers to requests that ask for it, the new one first. */
  readonly signingKeys?: readonly SigningKey[]
  /** Shared by the servers of one process, so that each schema is compiled once. By default the server has its own. */
  readonly schemaCompilers?: SchemaCompilers
  /** Receives the caller of each request while its handler runs. */
  readonly reading?: TaskContext<TurnCaller>
  /** Maps errors of lower layers to responses. */
  readonly errorRules: readonly ErrorRule[]
}

/** Long path parameters get the route's own 404 instead of a router error. */
const ROUTER_OPTIONS = { maxParamLength: MAX_HEADER_BYTES }

/** Creates the server with its policies but no routes. */
export function createApp(options: AppOptions): App {
  const { requestLimits, clock, random, observer = null, isDraining = () => false } = options
  const newId = createRequestIds(random)
  const failures = createRequestFailures(options)
  const hostCheck = createHostCheck(options.allowedHosts ?? null)
  const cors = createCors(options.webOrigins)
  const resolveCaller = createCallerResolver(createClientAddress(options.trustProxy), options.authenticate ?? (() => 'missing_bearer'))
  const admissions = createAdmissions({ resolveCaller, requestLimits, observer, clock })
  const direct = createDirectAnswers({ admissions, newId, cors, hostCheck, isDraining, observer, clock })
  const app = Fastify({
    logger: false,
    genReqId: (raw) => direct.admissionOf(raw)?.requestId ?? newId(raw.headers),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory: (framework) => createHttpServer((request, response) => direct.handle(request, response, framework)),
    forceCloseConnections: 'idle',
    // Serve requests that arrive on open connections during shutdown.
    return503OnClosing: false,
    routerOptions: ROUTER_OPTIONS,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, discriminator: true, allowUnionTypes: true, formats: FORMATS } },
    schemaErrorFormatter: describeSchemaError,
    schemaController: { compilersFactory: options.schemaCompilers ?? createSchemaCompilers() },
    frameworkErrors: (error, request, reply) => rejectUnroutable(error, request, reply),
    clientErrorHandler: (error, socket) => {
      const requestId = newId({})
      failures.recordMalformed(error, requestId)
      rejectMalformed(error, socket, requestId)
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  limitConnections(app.server, options.maxConnections ?? HTTP_CONNECTIONS_MAX, { fairly: options.trustProxy === false })
  const regionGuard = createRegionGuard(options.regionGuard ?? null)

  /** Sets `request.caller`, then calls `next`. */
  function identify(request: FastifyRequest, authenticated: boolean, next: () => void): void {
    const onCaller = (caller: Caller): void => {
      request.caller = caller
      next()
    }
    const admission = direct.admissionOf(request.raw)
    if (admission === undefined) admissions.identify(request.raw, authenticated, onCaller)
    else onCaller(admission.caller)
  }

  /** Counts the request against the rate limit, then calls `next` with a 429 response if the limit is exceeded. */
  function count(request: FastifyRequest, reply: FastifyReply, next: (rejection: ErrorResponse | undefined) => void): void {
    const { caller, raw, routeOptions } = request
    const onCount = (outcome: Outcome): void => {
      reply.headers(rateLimitHeaders(caller.tier, outcome))
      next(outcome.allowed ? undefined : rateLimited(outcome.resetSec))
    }
    const admission = direct.admissionOf(raw)
    if (admission === undefined) admissions.count(caller, routeOptions.config.countedAs ?? 'read', onCount)
    else onCount(admission.outcome)
  }

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (isTooLarge(error)) keepConnectionOpen(reply)
    const response = toErrorResponse(error, options.errorRules)
    if (response.isCallersDoing === true) excuse(reply)
    failures.record(request, reply, response, error)
    sendErrorResponse(reply, response)
  }

  function reject(request: FastifyRequest, reply: FastifyReply, response: ErrorResponse): void {
    failures.record(request, reply, response)
    sendErrorResponse(reply, response)
  }

  /** Malformed URLs bypass the hooks. They are identified and rate limited here. */
  function rejectUnroutable(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS)
    identify(request, true, () =>
      count(request, reply, (rejection) => {
        if (rejection === undefined) sendError(error, request, reply)
        else reject(request, reply, rejection)
        if (observer !== null) observeUnrouted(observer, request, reply)
      }))
  }

  app.decorateRequest('caller')
  if (options.tracer) traceRequests(app, options.tracer)
  if (observer !== null) observeResponses(app, observer)
  reportIgnoredParameters(app)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS)
    const foreign = request.routeOptions.config.anyHost === true ? undefined : hostCheck(request.raw.headers)
    if (foreign !== undefined) return reject(request, reply, foreign)
    if (cors.apply(request, reply)) return
    const { rateLimited: counted, countedAs, regionGuarded, requiresKey } = request.routeOptions.config
    const admit = (tooMany: ErrorResponse | undefined): void => {
      const region = regionGuarded === true ? regionGuard(request.raw.headers) : undefined
      const rejection = tooMany ?? region ?? (requiresKey === true ? request.caller.rejection ?? rejectKey(request) : null)
      if (rejection === null) done()
      else reject(request, reply, rejection)
    }
    // Health and documentation are exempt from the rate limit and need no key, so they skip the key lookup, as do routes that count by address.
    identify(request, requiresKey === true || (counted !== false && countedAs !== 'address'), () => {
      if (counted === false && (requiresKey !== true || request.caller.key !== null)) admit(undefined)
      else count(request, reply, admit)
    })
  })
  requireAllowedCalls(app, reject)
  if (!options.tracer) answerDirectly(app, direct)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => reject(request, reply, routeNotFound(request)))
  // When it is sent: a closing server waits for each connection that a response leaves open.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining() && !isKeptOpen(reply)) reply.header('connection', 'close')
    done(null, payload)
  })
  signAnswers(app, options.signingKeys ?? [], () => Math.floor(clock.nowMs() / 1000))
  app.addHook('onClose', async () => failures[Symbol.dispose]())
  rejectRepeatedHeaders(app)
  parseQueriesStrictly(app)
  rejectEncodedBodies(app)
  rejectUnknownFields(app)
  if (options.reading !== undefined) attributeReads(app, options.reading)
  return app
}

function createHttpServer(onRequest: RequestListener): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: SLOW_CLIENTS_INTERVAL_MS,
  }, onRequest)
  return server.setTimeout(SILENCE_TIMEOUT_MS)
}

/** Spans of requests begin in the framework, so nothing is answered directly while requests are traced. */
function answerDirectly(app: App, direct: DirectAnswers): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.prepared !== undefined && method === 'GET') direct.add(url, config.prepared)
  })
}

/** The rejection of a valid key by what it is limited to. */
function rejectKey({ caller: { key }, routeOptions: { schema }, params }: FastifyRequest): ErrorResponse | null {
  return key === null ? null : rejectEndpoint(key, schema?.operationId, params)
}

/** Rejects requests whose body asks for a call that their key does not allow: the body is parsed and valid, and no handler has run. */
function requireAllowedCalls(app: App, reject: (request: FastifyRequest, reply: FastifyReply, response: ErrorResponse) => void): void {
  app.addHook('preHandler', (request, reply, done) => {
    const rejection = rejectRequestedCall(request)
    if (rejection === null) done()
    else reject(request, reply, rejection)
  })
}

/** The rejection of a valid key that does not allow the call that the body asks for. */
function rejectRequestedCall({ caller: { key }, body, routeOptions: { config } }: FastifyRequest): ErrorResponse | null {
  const call = key === null ? undefined : config.requestedCall?.(body)
  return key === null || call === undefined ? null : rejectCall(key, call)
}

function routeNotFound({ raw: { method, url } }: FastifyRequest): ErrorResponse {
  return { status: 404, body: { message: `Route ${method}:${url} not found`, error: 'Not Found', statusCode: 404, reason: 'unknown_route' } }
}

/** Sends an error as a string, which bypasses the response schemas of the route. */
function sendErrorResponse(reply: FastifyReply, response: ErrorResponse): void {
  reply
    .code(response.status)
    .headers({ ...response.headers, 'cache-control': CACHE_NEVER, 'content-type': JSON_TYPE })
    .send(JSON.stringify(response.body))
}

/** Responds on the socket to input that Node cannot parse as a request, then closes it. */
function rejectMalformed(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const reason = STATUS_CODES[status] ?? ''
  const body = JSON.stringify({ statusCode: status, error: reason, message: 'Malformed HTTP request.' })
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
