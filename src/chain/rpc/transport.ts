// Posts JSON-RPC bodies over HTTP. Tests replace it.

import { createSemaphore } from '../../base/semaphore.ts'
import type { Semaphore } from '../../base/semaphore.ts'

/** An HTTP response. */
export interface TransportResponse {
  readonly status: number
  readonly body: string | Uint8Array
  /** From a Retry-After header in seconds; absent when there is none. */
  readonly retryAfterMs?: number
}

/**
 * Posts one JSON body. Rejects with UnusableBody as soon as the response of status 200 is known to exceed `maxBytes`, and when there is no response:
 * connection refused or reset, or `signal` aborted.
 */
export type Transport = (url: string, body: string, signal: AbortSignal, maxBytes: number) => Promise<TransportResponse>

/** Raised when a response is longer than its method can need, or encoded in a way that was not accepted. */
export class UnusableBody extends Error {
  override readonly name = 'UnusableBody'
  readonly kind: 'oversized' | 'malformed'

  constructor(kind: 'oversized' | 'malformed', message: string) {
    super(message)
    this.kind = kind
  }
}

/** Size up to which an error page is read; the rest closes the connection. */
const ERROR_BODY_MAX_BYTES = 8 * 1024
/** Bodies that are larger are read two at a time per node, so that buffers and their collection do not add up. */
const SMALL_BODY_BYTES = 64 * 1024
const FIRST_BUFFER_BYTES = 16 * 1024
const MAX_LARGE_BODIES = 2

/**
 * Creates the transport of one node: Node's fetch, which reuses connections. Redirects are rejected: an RPC endpoint has no reason to send them. So are
 * compressed responses, which were not accepted: a few kilobytes of them keep the main thread busy with megabytes.
 */
export function createFetchTransport(): Transport {
  const largeBodies = createSemaphore(MAX_LARGE_BODIES)
  return (url, body, signal, maxBytes) => post({ url, body, signal, maxBytes, largeBodies })
}

interface Post {
  readonly url: string
  readonly body: string
  readonly signal: AbortSignal
  readonly maxBytes: number
  readonly largeBodies: Semaphore
}

async function post(request: Post): Promise<TransportResponse> {
  const { url, body, signal } = request
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'accept-encoding': 'identity' },
    body,
    signal,
    redirect: 'error',
  })
  const { status, headers } = response
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') {
    await response.body?.cancel()
    throw new UnusableBody('malformed', 'the response is compressed, which was not accepted')
  }
  const bytes = status === 200 ? await readBody(response, request) : (await readUpTo(response, { ...request, maxBytes: ERROR_BODY_MAX_BYTES })).bytes
  const retryAfterSec = Number(headers.get('retry-after') ?? Number.NaN)
  if (!Number.isFinite(retryAfterSec) || retryAfterSec < 0) return { status, body: bytes }
  return { status, body: bytes, retryAfterMs: retryAfterSec * 1000 }
}

/** Reads the whole body, so that the connection can be reused. */
async function readBody(response: Response, request: Post): Promise<Uint8Array> {
  const { maxBytes } = request
  const announced = Number(response.headers.get('content-length') ?? Number.NaN)
  const isTooLong = announced > maxBytes
  if (isTooLong) await response.body?.cancel()
  const { bytes, isWhole } = isTooLong ? TOO_LONG : await readUpTo(response, request, announced)
  if (!isWhole) throw new UnusableBody('oversized', `the response is longer than ${maxBytes} bytes`)
  return bytes
}

interface ReadBody {
  readonly bytes: Uint8Array
  readonly isWhole: boolean
}

const TOO_LONG: ReadBody = { bytes: new Uint8Array(), isWhole: false }

/** Reads at most `maxBytes`. Leaving the loop early cancels the body and closes the connection. */
async function readUpTo(response: Response, { maxBytes, signal, largeBodies }: Omit<Post, 'url' | 'body'>, announced = Number.NaN): Promise<ReadBody> {
  let bytes = new Uint8Array(Math.min(maxBytes, announced <= SMALL_BODY_BYTES ? announced : FIRST_BUFFER_BYTES))
  let length = 0
  let release: (() => void) | undefined
  try {
    for await (const chunk of response.body ?? []) {
      const piece: Uint8Array = chunk
      if (length + piece.length > maxBytes) return { bytes: bytes.subarray(0, length), isWhole: false }
      if (length + piece.length > SMALL_BODY_BYTES) release ??= await largeBodies.acquire(signal)
      if (length + piece.length > bytes.length) {
        const larger = new Uint8Array(Math.min(maxBytes, Math.max(length + piece.length, announced > 0 ? announced : bytes.length * 2)))
        larger.set(bytes.subarray(0, length))
        bytes = larger
      }
      bytes.set(piece, length)
      length += piece.length
    }
    return { bytes: bytes.subarray(0, length), isWhole: true }
  } finally {
    release?.()
  }
}
