// Routes upgrade requests like any other request, so that they get an id and a caller, are rate limited, and can be rejected.

import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './app.ts'

/** A connection that switches to another protocol. */
interface Upgrade {
  readonly socket: Duplex
  /** Bytes that the client sent after its request. */
  readonly head: Buffer
}

/** Takes over the connection of an upgrade request. The request then gets no HTTP response. Returns undefined for other requests. */
export type TakeUpgrade = (request: FastifyRequest, reply: FastifyReply) => Upgrade | undefined

interface Pending extends Upgrade {
  readonly response: ServerResponse
}

/** Routes upgrade requests like GET requests. If the route does not take the upgrade, the client gets a plain HTTP response and the connection closes. */
export function routeUpgrades(app: App): TakeUpgrade {
  const pending = new WeakMap<IncomingMessage, Pending>()
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    pending.set(request, { socket, head, response })
    // Without a listener, a client that breaks the connection here would crash the process.
    socket.on('error', () => socket.destroy())
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0])
    response.on('finish', () => socket.end())
    app.routing(request, response)
  })
  return (request, reply) => {
    const upgrade = pending.get(request.raw)
    if (upgrade === undefined) return undefined
    pending.delete(request.raw)
    reply.hijack()
    upgrade.response.detachSocket(upgrade.socket as Parameters<ServerResponse['detachSocket']>[0])
    return upgrade
  }
}
