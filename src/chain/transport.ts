// Posts JSON-RPC bodies over HTTP. Tests replace it.

/** An HTTP response. */
export interface TransportResponse {
  readonly status: number
  readonly body: string
  /** From a Retry-After header in seconds; absent when there is none. */
  readonly retryAfterMs?: number
}

/** Posts one JSON body. Rejects when there is no response: connection refused or reset, or `signal` aborted. */
export type Transport = (url: string, body: string, signal: AbortSignal) => Promise<TransportResponse>

/** Raised when a response exceeds RPC_BODY_MAX_BYTES. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong'
}

/** The maximum size of a response. A full page of events is about two megabytes. */
export const RPC_BODY_MAX_BYTES = 32 * 1024 * 1024

/** Node's fetch, which reuses connections. Redirects are rejected: an RPC endpoint has no reason to send them. */
export const fetchTransport: Transport = async (url, body, signal) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
    signal,
    redirect: 'error',
  })
  const text = await readBounded(response, RPC_BODY_MAX_BYTES)
  const retryAfterSec = Number(response.headers.get('retry-after') ?? Number.NaN)
  if (!Number.isFinite(retryAfterSec) || retryAfterSec < 0) return { status: response.status, body: text }
  return { status: response.status, body: text, retryAfterMs: retryAfterSec * 1000 }
}

/** Reads the whole body, so that the connection can be reused. Throws when it exceeds `maxBytes`. */
async function readBounded(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body) {
    const bytes: Uint8Array = chunk
    length += bytes.length
    // Leaving the loop cancels the stream and closes the connection.
    if (length > maxBytes) throw new BodyTooLong(`the response is longer than ${maxBytes} bytes`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}
