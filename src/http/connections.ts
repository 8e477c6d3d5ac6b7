// Limits the number of open connections, and of responses due on each.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createClientAddress, networkOf } from './client-address.ts'

/** Above this share of the limit, idle connections are closed, and an address with more than its share gets no further ones. */
const CROWDED_SHARE = 0.9
/** A connection with this many responses due is not read further. Clients that pipeline requests have few of them under way. */
export const RESPONSES_DUE_MAX = 32

/**
 * Limits `server` to `max` connections. It closes new connections above the limit at once. Near the limit it closes idle keep-alive connections, so that a
 * flood of idle clients cannot lock out others, and with `fairly` it closes new connections of addresses with more than their share
 * (docs/decisions/fair-shares.md). Behind a proxy all connections have its address. What one connection may have under way is RESPONSES_DUE_MAX and the
 * requests that arrive with the last of them, 64 KiB at most.
 *
 * NOTE: `server.closeIdleConnections()` does not work here. From Node 26 on it also closes connections that have not sent their first request.
 */
export function limitConnections(server: Server, max: number, { fairly }: { readonly fairly: boolean }): void {
  server.maxConnections = max
  const crowded = Math.ceil(max * CROWDED_SHARE)
  let open = 0
  const openByAddress = new Map<string, number>()
  /** Several per connection, if a client does not wait for a response before it sends the next request. */
  const responsesDue = new Map<Socket, number>()
  /** Connections without a response due, with the bytes read until the last one ended: more bytes are the next request. */
  const idle = new Map<Socket, number>()

  server.on('connection', (socket) => {
    open += 1
    const address = networkOf(peerAddress(socket.remoteAddress, undefined)).bucket
    const ofAddress = (openByAddress.get(address) ?? 0) + 1
    openByAddress.set(address, ofAddress)
    responsesDue.set(socket, 0)
    socket.on('resume', onResume)
    socket.once('close', () => {
      open -= 1
      responsesDue.delete(socket)
      idle.delete(socket)
      const remaining = (openByAddress.get(address) ?? 1) - 1
      if (remaining === 0) openByAddress.delete(address)
      else openByAddress.set(address, remaining)
    })
    if (open < crowded) return
    for (const [candidate, bytesRead] of idle) if (candidate.bytesRead === bytesRead) candidate.destroy()
    // One more address may come at any time.
    if (fairly && open >= crowded && ofAddress > max / (openByAddress.size + 1)) socket.destroy()
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket)
    const due = responsesDue.get(socket)
    if (due !== undefined) {
      responsesDue.set(socket, due + 1)
      if (due + 1 === RESPONSES_DUE_MAX) socket.pause()
    }
    response.on('close', onResponseClose)
  })

  /** Node.js resumes a connection after each request. */
  function onResume(this: Socket): void {
    if ((responsesDue.get(this) ?? 0) >= RESPONSES_DUE_MAX) this.pause()
  }

  /** One function for all responses, because this runs for every request. */
  function onResponseClose(this: ServerResponse): void {
    const { socket } = this.req
    const due = responsesDue.get(socket)
    if (due === undefined) return
    responsesDue.set(socket, due - 1)
    if (due === RESPONSES_DUE_MAX) socket.resume()
    if (due === 1) idle.set(socket, socket.bytesRead)
  }
}

const peerAddress = createClientAddress(false)
