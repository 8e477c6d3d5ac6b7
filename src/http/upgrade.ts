// Upgrades of HTTP connections take the way of every request: they get an id and a caller, are counted, and may be refused like any other.

import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './app.ts'

/** A connection that is to speak another protocol from here on. */
export interface Upgrade {
  readonly socket: Duplex
  /** What the client has sent behind its request already. */
  readonly head: Buffer
}

/** Takes the connection of a request that asked for an upgrade; undefined when it did not ask. After it the request is not answered any more. */
export type TakeUpgrade = (request: FastifyRequest, reply: FastifyReply) => Upgrade | undefined

interface Pending extends Upgrade {
  readonly response: ServerResponse
}

/** Routes upgrade requests like GET requests. A route that does not take the upgrade answers in plain HTTP, and the connection ends. */
export function routeUpgrades(app: App): TakeUpgrade {
  const pending = new WeakMap<IncomingMessage, Pending>()
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    pending.set(request, { socket, head, response })
    // Whoever breaks the connection before it is taken over gets no answer, and harms nobody.
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
