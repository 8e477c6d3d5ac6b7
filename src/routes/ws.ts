// GET /v1/ws: upgrades to the WebSocket stream (docs/websocket.md).

import type { FastifyRequest } from 'fastify'
import type { App } from '../http/app.ts'
import { mayConnect } from '../http/cors.ts'
import type { WebOrigins } from '../http/cors.ts'
import { HttpFailure } from '../http/errors.ts'
import { routeUpgrades } from '../http/upgrade.ts'
import type { ClientOrigin } from '../stream/clients.ts'
import type { Stream } from '../stream/stream.ts'

export interface WsParts {
  readonly stream: Stream
  readonly webOrigins: WebOrigins
}

export function wsRoutes(app: App, { stream, webOrigins }: WsParts): void {
  const takeUpgrade = routeUpgrades(app)

  app.get('/v1/ws', { schema: { hide: true } }, (request, reply) => {
    if (!mayConnect(webOrigins, request.raw.headers)) throw new HttpFailure(FOREIGN_ORIGIN)
    const upgrade = takeUpgrade(request, reply)
    if (upgrade === undefined) throw new HttpFailure(UPGRADE_REQUIRED)
    stream.accept(request.raw, upgrade.socket, upgrade.head, { requestId: request.id, origin: streamOriginOf(request) })
  })
}

/** Returns the identities by which connections of the stream are counted. */
export function streamOriginOf({ caller }: FastifyRequest): ClientOrigin {
  const { address: clientAddress, bucket: address, wide: network, isWideOneSubscriber: isNetworkLimited } = caller.network
  return { address, clientAddress, network, isNetworkLimited, owner: caller.key?.owner ?? null }
}

const UPGRADE_REQUIRED = {
  status: 426,
  body: { statusCode: 426, error: 'Upgrade Required', message: 'This endpoint requires a WebSocket connection.' },
  headers: { upgrade: 'websocket', connection: 'Upgrade' },
} as const

const FOREIGN_ORIGIN = {
  status: 403,
  body: { statusCode: 403, error: 'Forbidden', message: 'Web pages of this origin are not allowed to connect.' },
} as const
