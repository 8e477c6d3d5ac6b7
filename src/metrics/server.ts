// GET /metrics, on a listener of its own: it is for the operator, and the gateway's address is public.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '../base/log.ts'
import type { Metrics } from './metrics.ts'

/** Whoever collects metrics is one or two. */
const MAX_CONNECTIONS = 32
const REQUEST_TIMEOUT_MS = 5_000

export interface MetricsServer extends AsyncDisposable {
  /** With the port that was taken. */
  readonly url: string
}

export interface MetricsServerOptions {
  readonly metrics: Metrics
  readonly host: string
  readonly port: number
  readonly log: Log
}

/** Listens; rejects when the port is taken. */
export async function serveMetrics({ metrics, host, port, log }: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    // What a body holds is not read.
    request.resume()
    const [path] = (request.url ?? '').split('?')
    if (path !== '/metrics') return void response.writeHead(404).end()
    if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text),
      (error: unknown) => {
        log.error({ err: error }, 'the metrics cannot be told')
        response.writeHead(500).end()
      },
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { address, family, port: taken } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/metrics`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
