// The door through which JSON-RPC bodies leave and come back. Tests hand in another one.

/** What came back over HTTP. */
export interface TransportResponse {
  readonly status: number
  readonly body: string
  /** From a Retry-After header in seconds; absent when there was none. */
  readonly retryAfterMs?: number
}

/** Posts one JSON body. Rejects when no answer came: refused, reset, aborted by `signal`. */
export type Transport = (url: string, body: string, signal: AbortSignal) => Promise<TransportResponse>

/** Raised when an answer is longer than this program is willing to hold. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong'
}

/** Largest answer that is read; a full page of events is about two megabytes. */
export const RPC_BODY_MAX_BYTES = 32 * 1024 * 1024

/** Node's fetch: it keeps connections alive between calls by itself. Redirects are refused, an RPC endpoint has no reason for them. */
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

/** The whole body, so that the connection can be used again, unless it is longer than `maxBytes`. */
async function readBounded(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body) {
    const bytes: Uint8Array = chunk
    length += bytes.length
    // Leaving the loop cancels the stream and gives the connection up.
    if (length > maxBytes) throw new BodyTooLong(`answer is longer than ${maxBytes} bytes`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}
