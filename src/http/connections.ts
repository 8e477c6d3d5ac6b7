// How many connections there may be, and how long each may be silent.

import type { Server } from 'node:http'

/** From this share of all places on, whoever holds one without asking for anything loses it. */
const CROWDED_SHARE = 0.9

/**
 * Lets `server` hold so many connections at most. A connection above that is closed at once; when places run short, those go first that are kept alive and ask
 * for nothing, so that a flood of idle clients cannot keep others out.
 */
export function limitConnections(server: Server, max: number): void {
  server.maxConnections = max
  const crowded = Math.ceil(max * CROWDED_SHARE)
  let open = 0
  server.on('connection', (socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
    if (open >= crowded) server.closeIdleConnections()
  })
}
