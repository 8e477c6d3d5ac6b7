// A small HTTP/1.1 load: keep-alive connections that each send a request, wait for its whole answer and send the next. It counts, it does not judge.
// Raw sockets, because a full HTTP client would cost more than the servers that are measured.

import { connect, type Socket } from 'node:net'

export interface LoadOptions {
  readonly port: number
  readonly path: string
  /** Beside `host`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly connections: number
  /** How long new requests are sent; those under way are still waited for. */
  readonly durationMs: number
}

export interface LoadResult {
  readonly requests: number
  readonly requestsPerSec: number
  readonly bytesPerResponse: number
  readonly latencyMs: { readonly p50: number; readonly p99: number }
}

/** A server that goes silent ends the measurement. */
const ANSWER_TIMEOUT_MS = 20_000

/** Sends requests for as long as it is told and resolves when each has its whole answer. Any status but 200 is an error: it would measure something else. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const headers = Object.entries({ host: `127.0.0.1:${options.port}`, ...options.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = Buffer.from(`GET ${options.path} HTTP/1.1\r\n${headers.join('')}\r\n`)
  const latencies: number[] = []
  let bytes = 0
  const started = performance.now()
  const until = started + options.durationMs
  await Promise.all(
    Array.from({ length: options.connections }, () =>
      client(options.port, request, until, (latencyMs, size) => {
        latencies.push(latencyMs)
        bytes += size
      }),
    ),
  )
  const seconds = (performance.now() - started) / 1000
  latencies.sort((a, b) => a - b)
  return {
    requests: latencies.length,
    requestsPerSec: latencies.length / seconds,
    bytesPerResponse: bytes / latencies.length,
    latencyMs: { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) },
  }
}

/** The value below which `share` of the sorted values lie. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function client(port: number, request: Buffer, until: number, done: (latencyMs: number, bytes: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let sentAt = 0
    let received: Buffer = Buffer.alloc(0)
    let lastSize = 0
    const send = (now: number): void => {
      sentAt = now
      socket.write(request)
    }
    const next = (now: number): void => {
      if (now < until) return send(now)
      socket.destroy()
      resolve()
    }
    // However late the connection is there, one request is sent: a measurement of nothing would be none.
    socket.on('connect', () => send(performance.now()))
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => {
      reject(new Error(`no whole answer within ${ANSWER_TIMEOUT_MS} ms; ${received.length} bytes of it came`))
      socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection')))
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      // One answer is as long as the one before it, nearly always: then its head need not be read.
      const size = received.length === lastSize ? lastSize : answerSize(received)
      if (size === null || received.length < size) return
      if (received.toString('latin1', 9, 12) !== '200') {
        reject(new Error(`answered ${received.subarray(0, 200).toString('latin1')}`))
        socket.destroy()
        return
      }
      const now = performance.now()
      done(now - sentAt, size)
      lastSize = size
      received = received.subarray(size)
      next(now)
    })
  })
}

function answerSize(received: Buffer): number | null {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const length = /content-length: (\d+)/i.exec(received.subarray(0, headEnd).toString('latin1'))
  if (length === null) throw new Error('an answer without content-length')
  return headEnd + 4 + Number(length[1])
}
