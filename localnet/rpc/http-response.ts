// HTTP responses as values, so that the RPC handler works without sockets.

/** Status, headers (lower-case names) and body; null for no body. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** The connection was cut before a response. */
export class ConnectionCut extends Error {
  override readonly name = 'ConnectionCut'
  constructor() {
    super('socket hang up')
  }
}

/** Browsers may read all responses (soroban-rpc, "Transport": CORS allow all). */
export const CORS_HEADERS = { 'access-control-allow-origin': '*' } as const

export function jsonResponse(status: number, value: unknown, contentType = 'application/json'): HttpResponse {
  return { status, headers: { ...CORS_HEADERS, 'content-type': contentType }, body: JSON.stringify(value) }
}

export function textResponse(status: number, text: string): HttpResponse {
  return { status, headers: { ...CORS_HEADERS, 'content-type': 'text/plain; charset=utf-8' }, body: text }
}

export function emptyResponse(status: number): HttpResponse {
  return { status, headers: { ...CORS_HEADERS }, body: null }
}
