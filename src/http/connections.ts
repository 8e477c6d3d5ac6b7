// Limits how many connections are open, and which of them make room for new ones.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** From this share of the maximum on, idle connections are closed. */
const CROWDED_SHARE = 0.9

/**
 * Bounds the open connections of `server`. A connection above the maximum is closed at once. When few places are left, connections that are kept alive without
 * a request under way are closed first, so that idle clients cannot lock others out.
 *
 * NOTE: `server.closeIdleConnections()` is no replacement: from Node 26 on it also closes connections whose first request has not arrived yet.
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
