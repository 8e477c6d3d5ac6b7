// Accepts clients, as WebSockets and as server-sent events, until the shutdown, which it announces to them.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import type { Clock } from '../base/clock.ts'
import { createFailureLog } from '../base/failure-log.ts'
import type { Log } from '../base/log.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { StreamLimits } from '../limits.ts'
import type { Client, ClientOrigin, Clients, Rejection } from './clients.ts'
import { CLOSE, closeWithGrace, createConnection } from './connection.ts'
import type { Connection, ConnectionParts } from './connection.ts'
import { createEventConnection } from './event-connection.ts'
import type { SubscribeRequest } from './requests.ts'
import { sortChannels } from './session.ts'
import type { Session } from './session.ts'
import type { Tail } from './tail.ts'

/** Failed requests with a line of their own, per kind of error and minute. */
const INDIVIDUAL_LINES = 5

/** The HTTP request behind a connection. */
interface RequestContext {
  readonly requestId: string
  readonly origin: ClientOrigin
}

/** The channels that a client of server-sent events asks for, and where to resume. */
export type EventsRequest = Pick<SubscribeRequest, 'channels' | 'since' | 'epoch'>

export interface Admission extends Disposable {
  /** Accepts an upgrade that has passed the checks of every other request. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): void
  /** Resolves when the position in the log is known, or cannot be read. */
  ready(): Promise<void>
  /** The reason why a client of server-sent events is rejected, such as the channels that are not public; undefined when it is accepted. */
  eventsRejection(channels: readonly string[], origin: ClientOrigin): { readonly notPublic: readonly string[] } | Rejection['reason'] | undefined
  /** Sends these channels as server-sent events on a response with a written head, once `eventsRejection` has returned undefined. */
  sendEvents(response: ServerResponse, request: EventsRequest, context: RequestContext): void
  /** Announces the shutdown to all clients, later ones included. */
  announceDrain(): void
  /** Aborts when the last client disconnects after the announcement. */
  readonly emptied: AbortSignal
  /** Closes every connection, and rejects new ones. */
  close(): void
}

export interface AdmissionParts {
  readonly clients: Clients
  readonly tail: Tail
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly log: Log
  readonly limits: StreamLimits
  startSession(connection: Connection, origin: ClientOrigin): Session
}

export function createAdmission({ clients, tail, deployment, clock, log, limits, startSession }: AdmissionParts): Admission {
  const failures = createFailureLog({
    clock, log, level: 'warn', message: 'a stream request failed: closing the connection', individually: INDIVIDUAL_LINES,
  })
  const clientFailures = createFailureLog({ clock, log, level: 'info', message: 'stream connections failed because of their clients' })
  const requestIds = new WeakMap<IncomingMessage, string>()
  const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: limits.frameBytes })
  const emptied = new AbortController()
  let state: 'open' | 'draining' | 'closed' = 'open'
  server.on('headers', (headers, request) => headers.push(`x-request-id: ${requestIds.get(request) ?? ''}`))

  function rejection(origin: ClientOrigin): Rejection | undefined {
    return state === 'closed' ? { code: CLOSE.restart, reason: 'restart' } : clients.rejection(origin)
  }

  /** Adds a client and greets it. When there are too many, another one gives way: it reconnects and resumes, as after a restart. */
  function addClient<Own extends Connection>(
    origin: ClientOrigin, connect: (handlers: Pick<ConnectionParts, 'handle' | 'onClose'>) => Own,
  ): Own {
    clients.surplus(origin)?.connection.close(CLOSE.tryAgain, 'evicted')
    const connection = connect({
      handle: (request) => session.handle(request),
      onClose() {
        session.close()
        clients.remove(client)
        if (state === 'draining' && clients.count() === 0) emptied.abort()
      },
    })
    const session = startSession(connection, origin)
    const client: Client = { connection, session, origin }
    clients.add(client)
    connection.reply({ type: 'hello', ts: clock.nowMs(), ...logPosition(tail) })
    if (state === 'draining') announceTo(client)
    return connection
  }

  function open(webSocket: WebSocket, socket: Socket, { requestId, origin }: RequestContext): void {
    const rejected = rejection(origin)
    if (rejected === undefined) {
      addClient(origin, (handlers) => createConnection({ ...handlers, webSocket, socket, limits, clock, failures, clientFailures, requestId }))
      return
    }
    webSocket.on('error', () => {})
    closeWithGrace(webSocket, clock, rejected)
  }

  function announceTo({ connection }: Client): void {
    connection.reply({ type: 'draining', graceMs: limits.drainMs })
  }

  /** Right after the start, reads the log first: hello reports the position. An unavailable database only delays the client. */
  async function ready(): Promise<void> {
    if (!tail.ready()) await tail.catchUp().catch(() => {})
  }

  return {
    accept(request, socket, head, context) {
      requestIds.set(request, context.requestId)
      const upgrade = (): void => {
        // The response and the hello leave in the same packet.
        socket.cork()
        server.handleUpgrade(request, socket, head, (webSocket) => open(webSocket, request.socket, context))
        socket.uncork()
      }
      if (tail.ready()) upgrade()
      else void ready().finally(upgrade)
    },
    ready,
    eventsRejection(channels, origin) {
      const { rejected } = sortChannels(channels, null, deployment.current.assets)
      return rejected.length > 0 ? { notPublic: rejected } : rejection(origin)?.reason
    },
    sendEvents(response, request, { requestId, origin }) {
      // The client may have disconnected while the log was read.
      if (response.destroyed) return
      const connection = addClient(origin, (handlers) =>
        createEventConnection({ ...handlers, response, limits, clock, failures, clientFailures, requestId }))
      connection.start({ ...request, op: 'subscribe', id: undefined, snapshot: false })
    },
    announceDrain() {
      state = 'draining'
      for (const client of clients) announceTo(client)
    },
    emptied: emptied.signal,
    close() {
      for (const { connection } of clients) connection.close(CLOSE.restart, 'restart')
      state = 'closed'
    },
    [Symbol.dispose]() {
      failures[Symbol.dispose]()
      clientFailures[Symbol.dispose]()
    },
  }
}

/** Empty while the position is unknown. */
function logPosition(tail: Tail): object {
  const epoch = tail.epoch()
  return epoch === undefined ? {} : { epoch, head: tail.position(), ledger: tail.head()?.ledger ?? null }
}
