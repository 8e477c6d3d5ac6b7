// Limits the number of open connections.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Above this share of the limit, idle connections are closed. */
const CROWDED_SHARE = 0.9

/**
 * Limits `server` to `max` connections. It closes new connections above the limit at once. Near the limit it closes idle keep-alive connections, so that a
 * flood of idle clients cannot lock out others.
 *
 * NOTE: `server.closeIdleConnections()` does not work here. From Node 26 on it also closes connections that have not sent their first request.
 */
export function limitConnections(server: Server, max: number): void {
  server.maxConnections = max
  const crowded = Math.ceil(max * CROWDED_SHARE)
  let open = 0
  /** Connections whose last response has ended, with the bytes read until then: more bytes are the next request. */
  const idle = new Map<Socket, number>()

  server.on('connection', (socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
      idle.delete(socket)
    })
    if (open < crowded) return
    for (const [candidate, bytesRead] of idle) if (candidate.bytesRead === bytesRead) candidate.destroy()
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket)
    response.once('close', () => {
      if (!socket.destroyed) idle.set(socket, socket.bytesRead)
    })
  })
}
