// GET /metrics on a separate listener: metrics are for the operator, and the gateway's address is public.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '../base/log.ts'
import type { Metrics } from './metrics.ts'

const MAX_CONNECTIONS = 32
const REQUEST_TIMEOUT_MS = 5_000

export interface MetricsServer extends AsyncDisposable {
  /** Includes the actual port. */
  readonly url: string
}

export interface MetricsServerOptions {
  readonly metrics: Metrics
  readonly host: string
  readonly port: number
  readonly log: Log
}

/** Rejects when the port is in use. */
export async function serveMetrics({ metrics, host, port, log }: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    // Discards a request body.
    request.resume()
    const [path] = (request.url ?? '').split('?')
    if (path !== '/metrics') return void response.writeHead(404).end()
    if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text),
      (error: unknown) => {
        log.error({ err: error }, 'rendering the metrics failed')
        response.writeHead(500).end()
      },
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { address, family, port: actualPort } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}/metrics`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
