// Posts JSON-RPC bodies over HTTP. Tests replace it.

/** An HTTP response. */
export interface TransportResponse {
  readonly status: number
  readonly body: string | Uint8Array
  /** From a Retry-After header in seconds; absent when there is none. */
  readonly retryAfterMs?: number
}

/**
 * Posts one JSON body. Rejects with BodyTooLong as soon as the response of status 200 is known to exceed `maxBytes`, and when there is no response:
 * connection refused or reset, or `signal` aborted.
 */
export type Transport = (url: string, body: string, signal: AbortSignal, maxBytes: number) => Promise<TransportResponse>

/** Raised when a response is longer than its method can need. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong'
}

/** How much of an error page is read; the rest closes the connection. */
export const ERROR_BODY_MAX_BYTES = 8 * 1024
const FIRST_BUFFER_BYTES = 16 * 1024

/** Node's fetch, which reuses connections and decompresses. Redirects are rejected: an RPC endpoint has no reason to send them. */
export const fetchTransport: Transport = async (url, body, signal, maxBytes) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
    signal,
    redirect: 'error',
  })
  const { status, headers } = response
  const bytes = status === 200 ? await readBody(response, maxBytes) : (await readUpTo(response, ERROR_BODY_MAX_BYTES)).bytes
  const retryAfterSec = Number(headers.get('retry-after') ?? Number.NaN)
  if (!Number.isFinite(retryAfterSec) || retryAfterSec < 0) return { status, body: bytes }
  return { status, body: bytes, retryAfterMs: retryAfterSec * 1000 }
}

/** Reads the whole body, so that the connection can be reused. */
async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel()
    throw new BodyTooLong(`the response is longer than ${maxBytes} bytes`)
  }
  const { bytes, isWhole } = await readUpTo(response, maxBytes)
  if (!isWhole) throw new BodyTooLong(`the response is longer than ${maxBytes} bytes`)
  return bytes
}

/** Reads at most `maxBytes`, counted after decompression. Leaving the loop early cancels the body and closes the connection. */
async function readUpTo(response: Response, maxBytes: number): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  let bytes = new Uint8Array(Math.min(maxBytes, FIRST_BUFFER_BYTES))
  let length = 0
  for await (const chunk of response.body ?? []) {
    const piece: Uint8Array = chunk
    if (length + piece.length > maxBytes) return { bytes: bytes.subarray(0, length), isWhole: false }
    if (length + piece.length > bytes.length) {
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(length + piece.length, bytes.length * 2)))
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    bytes.set(piece, length)
    length += piece.length
  }
  return { bytes: bytes.subarray(0, length), isWhole: true }
}
