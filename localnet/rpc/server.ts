// The door's sockets: a node:http server for JSON-RPC (`/rpc`, `/` and any other path) and friendbot (`/friendbot`).

import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSystemClock } from '../../src/base/clock.ts'
import type { Clock } from '../../src/base/clock.ts'
import { bodyTooLarge } from './handler.ts'
import type { RpcHandler } from './handler.ts'
import { ConnectionCut, CORS_HEADERS, emptyResponse, textResponse } from './http-response.ts'
import type { HttpResponse } from './http-response.ts'
import {
  CONNECTIONS_MAX, DRAIN_MS, HEADER_MAX_BYTES, HEADERS_TIMEOUT_MS, KEEP_ALIVE_TIMEOUT_MS, REQUEST_BODY_DISCARD_MAX_BYTES,
  REQUEST_BODY_MAX_BYTES, REQUEST_TIMEOUT_MS,
} from './limits.ts'

export interface ServeOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal
  /** The clock of the sockets' deadlines; the machine's by default, because sockets live in its time. */
  readonly clock?: Clock
}

export interface ServedRpc extends AsyncDisposable {
  /** `http://host:port/rpc`. */
  readonly url: string
  readonly friendbotUrl: string | null
  /** Stops accepting, lets answers in progress end for a bounded time, cuts what remains. */
  close(): Promise<void>
}

/** Requests that are being answered; aborting one ends only its waiting. */
interface OpenRequests {
  readonly requests: Set<AbortController>
  closing: boolean
}

const FRIENDBOT_PATH = '/friendbot'
const PREFLIGHT_MAX_AGE_SEC = 600

/** Serves a door. Rejects when the address cannot be taken. */
export async function serveRpc(door: RpcHandler, options: ServeOptions): Promise<ServedRpc> {
  const { host, port, signal, clock = createSystemClock({ keepAlive: false }) } = options
  const underway: OpenRequests = { requests: new Set(), closing: false }
  const bounds = {
    maxHeaderSize: HEADER_MAX_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  }
  const server = createServer(bounds, (request, response) => void handleRequest(door, request, response, underway))
  server.maxConnections = CONNECTIONS_MAX
  await listen(server, host, port)

  const origin = `http://${reachableHost(host)}:${(server.address() as AddressInfo).port}`
  const friendbotUrl = door.friendbot === null ? null : `${origin}${FRIENDBOT_PATH}`
  door.setFriendbotUrl(friendbotUrl)

  let closed: Promise<void> | null = null
  function close(): Promise<void> {
    if (closed === null) {
      underway.closing = true
      for (const request of underway.requests) request.abort()
      door.setFriendbotUrl(null)
      closed = drain(server, clock)
    }
    return closed
  }
  if (signal?.aborted === true) await close()
  else signal?.addEventListener('abort', () => void close(), { once: true })
  return { url: `${origin}/rpc`, friendbotUrl, close, [Symbol.asyncDispose]: close }
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

/** An address that listens everywhere is reached at the loopback. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

async function handleRequest(door: RpcHandler, request: IncomingMessage, response: ServerResponse, underway: OpenRequests): Promise<void> {
  const patience = new AbortController()
  underway.requests.add(patience)
  response.once('close', () => {
    underway.requests.delete(patience)
    patience.abort()
  })
  try {
    send(response, await route(door, request, patience.signal), underway.closing)
  } catch (error) {
    // Both ends of a cut connection learn it at once; any other failure here is a connection that has gone already.
    if (error instanceof ConnectionCut) request.socket.resetAndDestroy()
    else request.socket.destroy()
  }
}

async function route(door: RpcHandler, request: IncomingMessage, signal: AbortSignal): Promise<HttpResponse> {
  if (request.method === 'OPTIONS') return preflight(request)
  const target = URL.parse(request.url ?? '/', 'http://localnet')
  if (target === null) return textResponse(400, 'malformed request target\n')
  if (target.pathname.replace(/\/$/, '') === FRIENDBOT_PATH) return callFriendbot(door, request, target.searchParams.get('addr') ?? '')
  if (request.method !== 'POST') return notAllowed('POST, OPTIONS')
  const refusal = contentTypeProblem(request.headers['content-type'])
  if (refusal !== null) return textResponse(415, `${refusal}\n`)
  const body = await readBody(request)
  return body === null ? { ...bodyTooLarge(), headers: { ...bodyTooLarge().headers, connection: 'close' } } : door.handle(body, signal)
}

async function callFriendbot(door: RpcHandler, request: IncomingMessage, address: string): Promise<HttpResponse> {
  if (door.friendbot === null) return emptyResponse(404)
  if (request.method !== 'GET' && request.method !== 'POST') return notAllowed('GET, POST, OPTIONS')
  return door.friendbot(address)
}

/** application/json, and no other charset than UTF-8 (soroban-rpc, "Transport"). */
export function contentTypeProblem(header: string | undefined): string | null {
  const [type, ...parameters] = (header ?? '').toLowerCase().split(';').map((part) => part.trim())
  if (type !== 'application/json') return 'content-type must be application/json'
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length).replaceAll('"', '')
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' ? null : 'invalid content-type charset'
}

function notAllowed(allow: string): HttpResponse {
  const answer = emptyResponse(405)
  return { ...answer, headers: { ...answer.headers, allow } }
}

/** Allows whatever the browser asks for: every client sends headers of its own. */
function preflight(request: IncomingMessage): HttpResponse {
  const asked = request.headers['access-control-request-headers']
  const headers = {
    ...CORS_HEADERS,
    'access-control-allow-methods': 'GET, POST, OPTIONS',
    'access-control-allow-headers': asked ?? '*',
    'access-control-max-age': String(PREFLIGHT_MAX_AGE_SEC),
    vary: 'access-control-request-headers',
  }
  return { status: 204, headers, body: null }
}

/** The body as text, or null when it is too large. */
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

function send(response: ServerResponse, answer: HttpResponse, closing: boolean): void {
  const length = answer.body === null ? {} : { 'content-length': String(Buffer.byteLength(answer.body)) }
  const connection = closing ? { connection: 'close' } : {}
  response.writeHead(answer.status, { ...answer.headers, ...length, ...connection })
  response.end(answer.body ?? undefined)
}
