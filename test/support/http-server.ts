// An HTTP server whose responses a test writes.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HttpServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The path and query of each request so far. */
  readonly requests: string[]
  /** Answers the following requests. */
  respond: RequestListener
}

/** Serves on a free port of this machine. Disposing closes all connections. */
export async function serveHttp(respond: RequestListener): Promise<HttpServer> {
  const server = createServer((request, response) => {
    served.requests.push(request.url ?? '')
    served.respond(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const served: HttpServer = {
    url: `http://127.0.0.1:${port}`, port, requests: [], respond,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return served
}
