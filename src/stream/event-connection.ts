// A client of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): one HTTP response without an end. The client sends nothing:
// its only request is made from the URL.

import type { ServerResponse } from 'node:http'
import { CLOSE, CLOSE_GRACE_MS, encodeReply } from './connection.ts'
import type { Connection, ConnectionParts, ReplyContext } from './connection.ts'
import { SERVER_SENT_EVENTS } from './encoding.ts'
import { createOutput, drained, isStuck, writeTo } from './output.ts'
import { createRequestQueue, nameOf } from './request-queue.ts'
import type { SubscribeRequest } from './requests.ts'

/** Time for which clients wait before they reconnect, unless they choose another time. */
const RETRY_MS = 1_000
const RETRY = Buffer.from(`retry: ${RETRY_MS}\n\n`)
/** A comment, so that proxies and clients see that the connection is alive. */
const HEARTBEAT = Buffer.from(': heartbeat\n\n')

/** Those of a WebSocket's connection, with a response in place of its sockets. */
export interface EventConnectionParts extends Omit<ConnectionParts, 'webSocket' | 'socket'> {
  /** Its head is written. */
  readonly response: ServerResponse
}

export interface EventConnection extends Connection {
  /** Handles the client's request. Called once. */
  start(request: SubscribeRequest): void
}

/** Takes ownership of a response. */
export function createEventConnection(parts: EventConnectionParts): EventConnection {
  const { response, limits, clock, clientFailures, requestId } = parts
  const closing = new AbortController()
  const output = createOutput({
    // `response.socket` is null while an earlier response on the connection is unfinished.
    stream: response, socket: response.req.socket, encoding: SERVER_SENT_EVENTS, waitingBytes: limits.waitingBytes,
    overflow: () => close(CLOSE.tryAgain, 'backpressure'),
  })
  const queue = createRequestQueue({ ...parts, onFailure: () => close(CLOSE.unexpected, 'unavailable') })

  function markClosed(): void {
    if (output.isClosed) return
    output.isClosed = true
    closing.abort()
    queue.clear()
    parts.onClose()
  }

  /** Ends the response. The client reconnects and resumes after the last event that it received. */
  function close(_code: number, reason: string): void {
    if (output.isClosed) return
    markClosed()
    response.end(`: ${reason}\n\n`)
    const timer = clock.setTimer(CLOSE_GRACE_MS, () => response.destroy())
    response.once('close', () => timer.cancel())
  }

  function reply(message: Readonly<Record<string, unknown>>, context?: ReplyContext): void {
    writeTo(output, encodeReply(SERVER_SENT_EVENTS, message, context))
  }

  response.on('error', (error: NodeJS.ErrnoException) => clientFailures.record(error.code ?? nameOf(error), () => ({ requestId })))
  response.on('close', markClosed)
  writeTo(output, RETRY)

  return {
    output,
    closed: closing.signal,
    write: (bytes) => writeTo(output, bytes),
    reply,
    limitExceeded() {
      reply({ type: 'error', error: 'rate_limited' })
      close(CLOSE.tryAgain, 'rate limit exceeded')
    },
    close,
    drained: () => drained(output, closing.signal),
    bufferedBytes: () => response.writableLength,
    ping() {
      if (isStuck(output)) close(CLOSE.tryAgain, 'backpressure')
      else writeTo(output, HEARTBEAT)
    },
    start: queue.push,
  }
}
