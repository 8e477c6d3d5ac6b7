// The HTTP server for JSON-RPC (`/rpc`, `/` and any other path), friendbot (`/friendbot`) and the outside market's candles (`/api/v3/klines`).

import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSystemClock } from '../../src/base/clock.ts'
import type { Clock } from '../../src/base/clock.ts'
import { isOwnHost } from '../../src/base/hosts.ts'
import { bodyTooLarge, foreignPage } from './handler.ts'
import type { RpcHandler } from './handler.ts'
import { ConnectionCut, CORS_HEADERS, emptyResponse, textResponse } from './http-response.ts'
import type { HttpResponse } from './http-response.ts'
import { KLINES_PATH } from './klines.ts'
import {
  CONNECTIONS_MAX, DRAIN_MS, HEADER_MAX_BYTES, HEADERS_TIMEOUT_MS, KEEP_ALIVE_TIMEOUT_MS, REQUEST_BODY_DISCARD_MAX_BYTES,
  REQUEST_BODY_MAX_BYTES, REQUEST_TIMEOUT_MS,
} from './limits.ts'
import { mayControl } from './request-origin.ts'
import type { TrustedGateway } from './request-origin.ts'

export interface ServeOptions {
  readonly host: string
  /** Further names by which clients reach this server; null: any. */
  readonly allowedHosts?: readonly string[] | null
  /** 0 takes any free port. */
  readonly port: number
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal
  /** The clock for closing connections. Default: the machine's. */
  readonly clock?: Clock
}

export interface ServedRpc extends AsyncDisposable {
  /** `http://host:port/rpc`. */
  readonly url: string
  readonly friendbotUrl: string | null
  /** The base URL of the klines API. */
  readonly klinesUrl: string
  /** Lets pages of the gateway at this port call the local_ methods and friendbot. */
  trustGateway(port: number): void
  /** Stops accepting connections, waits a bounded time for open requests, then cuts the remaining connections. */
  close(): Promise<void>
}

/** The hosts and pages that may use the server. */
interface Access {
  readonly allowedHosts: readonly string[] | null
  readonly gateway: TrustedGateway
}

/** Requests in progress. Aborting one only ends delays of faults. */
interface OpenRequests {
  readonly requests: Set<AbortController>
  closing: boolean
}

const FRIENDBOT_PATH = '/friendbot'
/** Without CORS headers: a page that rebinds its name must not read it. */
const FOREIGN_HOST: HttpResponse = {
  status: 403, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'The Host header names a host that is not allowed. Add it to ALLOWED_HOSTS.\n',
}
const PREFLIGHT_MAX_AGE_SEC = 600

/** Serves an RPC handler. Rejects when the address is not available. */
export async function serveRpc(handler: RpcHandler, options: ServeOptions): Promise<ServedRpc> {
  const { host, port, signal, clock = createSystemClock({ keepAlive: false }), allowedHosts = [] } = options
  const ownHosts = [host, ...(allowedHosts ?? [])]
  const access: Access = { allowedHosts: allowedHosts === null ? null : ownHosts, gateway: { port: null, hosts: ownHosts } }
  const openRequests: OpenRequests = { requests: new Set(), closing: false }
  const bounds = {
    maxHeaderSize: HEADER_MAX_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  }
  const server = createServer(bounds, (request, response) => void handleRequest(handler, request, response, { openRequests, access }))
  server.maxConnections = CONNECTIONS_MAX
  await listen(server, host, port)

  const origin = `http://${reachableHost(host)}:${(server.address() as AddressInfo).port}`
  const friendbotUrl = handler.friendbot === null ? null : `${origin}${FRIENDBOT_PATH}`
  handler.setFriendbotUrl(friendbotUrl)

  let closed: Promise<void> | null = null
  function close(): Promise<void> {
    if (closed === null) {
      openRequests.closing = true
      for (const request of openRequests.requests) request.abort()
      handler.setFriendbotUrl(null)
      closed = drain(server, clock)
    }
    return closed
  }
  if (signal?.aborted === true) await close()
  else signal?.addEventListener('abort', () => void close(), { once: true })
  return {
    url: `${origin}/rpc`, friendbotUrl, klinesUrl: origin, trustGateway: (gatewayPort) => void (access.gateway.port = gatewayPort), close,
    [Symbol.asyncDispose]: close,
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function drain(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const deadline = clock.setTimer(DRAIN_MS, () => server.closeAllConnections())
    server.close(() => {
      deadline.cancel()
      resolve()
    })
    server.closeIdleConnections()
  })
}

/** The loopback address for a host that listens on all interfaces. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

async function handleRequest(
  handler: RpcHandler,
  request: IncomingMessage,
  response: ServerResponse,
  { openRequests, access }: { readonly openRequests: OpenRequests; readonly access: Access },
): Promise<void> {
  const disconnected = new AbortController()
  openRequests.requests.add(disconnected)
  response.once('close', () => {
    openRequests.requests.delete(disconnected)
    disconnected.abort()
  })
  try {
    send(response, await route(handler, request, access, disconnected.signal), openRequests.closing)
  } catch (error) {
    // A reset informs the client at once. Any other failure means that the connection is closed already.
    if (error instanceof ConnectionCut) request.socket.resetAndDestroy()
    else request.socket.destroy()
  }
}

async function route(handler: RpcHandler, request: IncomingMessage, access: Access, signal: AbortSignal): Promise<HttpResponse> {
  if (access.allowedHosts !== null && !isOwnHost(request.headers.host, access.allowedHosts)) return FOREIGN_HOST
  if (request.method === 'OPTIONS') return preflight(request)
  const target = URL.parse(request.url ?? '/', 'http://localnet')
  if (target === null) return textResponse(400, 'malformed request target\n')
  if (target.pathname.replace(/\/$/, '') === FRIENDBOT_PATH) {
    return callFriendbot(handler, request, target.searchParams.get('addr') ?? '', access)
  }
  if (target.pathname === KLINES_PATH && handler.klines !== null) {
    return request.method === 'GET' ? handler.klines(target.searchParams) : notAllowed('GET, OPTIONS')
  }
  if (request.method !== 'POST') return notAllowed('POST, OPTIONS')
  const refusal = contentTypeProblem(request.headers['content-type'])
  if (refusal !== null) return textResponse(415, `${refusal}\n`)
  const body = await readBody(request)
  if (body === null) return { ...bodyTooLarge(), headers: { ...bodyTooLarge().headers, connection: 'close' } }
  return handler.handle(body, signal, mayControl(request, access.gateway))
}

async function callFriendbot(handler: RpcHandler, request: IncomingMessage, address: string, access: Access): Promise<HttpResponse> {
  if (handler.friendbot === null) return emptyResponse(404)
  if (request.method !== 'GET' && request.method !== 'POST') return notAllowed('GET, POST, OPTIONS')
  if (!mayControl(request, access.gateway)) return foreignPage()
  return handler.friendbot(address)
}

/** Accepts application/json, in UTF-8 only (soroban-rpc, "Transport"). */
export function contentTypeProblem(header: string | undefined): string | null {
  const [type, ...parameters] = (header ?? '').toLowerCase().split(';').map((part) => part.trim())
  if (type !== 'application/json') return 'content-type must be application/json'
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length).replaceAll('"', '')
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' ? null : 'invalid content-type charset'
}

function notAllowed(allow: string): HttpResponse {
  const response = emptyResponse(405)
  return { ...response, headers: { ...response.headers, allow } }
}

/** Allows all requested headers, because clients send various ones. */
function preflight(request: IncomingMessage): HttpResponse {
  const requestedHeaders = request.headers['access-control-request-headers']
  const headers = {
    ...CORS_HEADERS,
    'access-control-allow-methods': 'GET, POST, OPTIONS',
    'access-control-allow-headers': requestedHeaders ?? '*',
    'access-control-max-age': String(PREFLIGHT_MAX_AGE_SEC),
    vary: 'access-control-request-headers',
  }
  return { status: 204, headers, body: null }
}

/** The body; null when it is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > REQUEST_BODY_DISCARD_MAX_BYTES) break
    if (length <= REQUEST_BODY_MAX_BYTES) chunks.push(chunk)
  }
  return length > REQUEST_BODY_MAX_BYTES ? null : Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, httpResponse: HttpResponse, closing: boolean): void {
  const length = httpResponse.body === null ? {} : { 'content-length': String(Buffer.byteLength(httpResponse.body)) }
  const connection = closing ? { connection: 'close' } : {}
  response.writeHead(httpResponse.status, { ...httpResponse.headers, ...length, ...connection })
  response.end(httpResponse.body ?? undefined)
}
