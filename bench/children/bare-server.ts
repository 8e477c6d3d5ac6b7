// The baseline for the cached endpoints: only node:http, which writes the same bytes as the gateway's response.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../support/in-child.ts'

/** A response captured from the gateway. */
export interface CapturedResponse {
  readonly path: string
  /** Alternating names and values, the form that node:http takes. */
  readonly headers: readonly string[]
  readonly body: string
}

const closers: (() => void)[] = []

serveParent(
  {
    async serve({ headers, body }: CapturedResponse): Promise<number> {
      const server = createServer((_request, response) => {
        response.writeHead(200, headers as string[])
        response.end(body)
      })
      closers.push(() => {
        server.close()
        server.closeAllConnections()
      })
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
      return (server.address() as AddressInfo).port
    },
  },
  async () => {
    for (const close of closers) close()
  },
)
