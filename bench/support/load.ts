// A small HTTP/1.1 load generator: each keep-alive connection sends a request, waits for its complete response and sends the next.
// It uses raw sockets, because a full HTTP client would cost more than the measured servers.

import { connect, type Socket } from 'node:net'

export interface LoadOptions {
  readonly port: number
  readonly path: string
  /** In addition to `host`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly connections: number
  /** Time for which new requests are sent. Responses still outstanding then are awaited. */
  readonly durationMs: number
  /**
   * Never waits for events, at the cost of one processor. A server's write pays for waking a waiting client, so without this a server that answers slowly
   * enough for the client to wait would also pay for more wake-ups than its baseline.
   */
  readonly neverWaits?: boolean
}

export interface LoadResult {
  readonly requests: number
  readonly requestsPerSec: number
  readonly bytesPerResponse: number
  readonly latencyMs: { readonly p50: number; readonly p99: number }
}

/** A server that sends nothing for this long fails the measurement. */
const RESPONSE_TIMEOUT_MS = 20_000

/** Sends requests for `durationMs` and resolves when every response is complete. Rejects on any status but 200, since that would measure something else. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const headers = Object.entries({ host: `127.0.0.1:${options.port}`, ...options.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = Buffer.from(`GET ${options.path} HTTP/1.1\r\n${headers.join('')}\r\n`)
  const latencies: number[] = []
  let bytes = 0
  const started = performance.now()
  const until = started + options.durationMs
  let isRunning = true
  const keepAwake = (): void => void (isRunning && setImmediate(keepAwake))
  if (options.neverWaits === true) keepAwake()
  await Promise.all(
    Array.from({ length: options.connections }, () =>
      runConnection(options.port, request, until, (latencyMs, size) => {
        latencies.push(latencyMs)
        bytes += size
      }),
    ),
  )
  isRunning = false
  const seconds = (performance.now() - started) / 1000
  latencies.sort((a, b) => a - b)
  return {
    requests: latencies.length,
    requestsPerSec: latencies.length / seconds,
    bytesPerResponse: bytes / latencies.length,
    latencyMs: { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) },
  }
}

/** The value below which this share (0 to 1) of the sorted values lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function runConnection(port: number, request: Buffer, until: number, onResponse: (latencyMs: number, bytes: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let sentAt = 0
    let received: Buffer = Buffer.alloc(0)
    let lastSize = 0
    const send = (now: number): void => {
      sentAt = now
      socket.write(request)
    }
    const sendNext = (now: number): void => {
      if (now < until) return send(now)
      socket.destroy()
      resolve()
    }
    // Send at least one request, however late the connection opens: an empty measurement has no latency.
    socket.on('connect', () => send(performance.now()))
    socket.setTimeout(RESPONSE_TIMEOUT_MS, () => {
      reject(new Error(`No complete response within ${RESPONSE_TIMEOUT_MS} ms, only ${received.length} bytes`))
      socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server closed the connection')))
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      // Nearly every response is as long as the previous one. Then there is no need to parse its headers.
      const size = received.length === lastSize ? lastSize : responseSize(received)
      if (size === null || received.length < size) return
      if (received.toString('latin1', 9, 12) !== '200') {
        reject(new Error(`Server returned ${received.subarray(0, 200).toString('latin1')}`))
        socket.destroy()
        return
      }
      const now = performance.now()
      onResponse(now - sentAt, size)
      lastSize = size
      received = received.subarray(size)
      sendNext(now)
    })
  })
}

function responseSize(received: Buffer): number | null {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const length = /content-length: (\d+)/i.exec(received.subarray(0, headEnd).toString('latin1'))
  if (length === null) throw new Error('Response has no content-length')
  return headEnd + 4 + Number(length[1])
}
