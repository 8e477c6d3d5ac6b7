// One client's connection: outgoing frames and their buffer limit, pings and closing. Here for a WebSocket, which also receives requests. The session handles
// the requests.

import type { Socket } from 'node:net'
import type { RawData, WebSocket } from 'ws'
import type { Clock } from '../base/clock.ts'
import type { FailureLog } from '../base/failure-log.ts'
import type { StreamLimits } from '../limits.ts'
import { WEB_SOCKET_FRAMES } from './encoding.ts'
import type { Encoding, Position } from './encoding.ts'
import type { Frame } from './frames.ts'
import { createOutput, drained, isStuck, writeTo } from './output.ts'
import type { Output } from './output.ts'
import { createRequestQueue, nameOf } from './request-queue.ts'
import { parseRequest } from './requests.ts'
import type { ClientRequest, RequestId } from './requests.ts'
import { createTokenBucket } from './token-bucket.ts'

/** Close codes: RFC 6455, section 7.4, and 4401 for revoked keys. */
export const CLOSE = { restart: 1012, tryAgain: 1013, unexpected: 1011, policyViolation: 1008, keyRevoked: 4401 } as const

const CLOSED = 'closed'

/** A client that does not complete the close handshake within this time is disconnected. */
export const CLOSE_GRACE_MS = 2_000

/** The request and the log position that a message belongs to. */
export interface ReplyContext {
  /** The request's own id. */
  readonly id?: RequestId
  /** Position at which delivery of the log continues after the message. */
  readonly position?: Position | undefined
}

export interface Connection {
  /** The output for frames that are encoded for many clients. */
  readonly output: Output
  /** Aborts when the connection has closed or starts closing. */
  readonly closed: AbortSignal
  /** Sends whole frames in this connection's encoding. Closes the connection when its buffer exceeds the limit. */
  write(bytes: Buffer): void
  /** Sends a message to this client only. */
  reply(message: Readonly<Record<string, unknown>>, context?: ReplyContext): void
  /** Resolves when the client accepts more data, or the connection closes. */
  drained(): Promise<void>
  /** Reports to the client that it has asked for too much, and closes the connection. */
  limitExceeded(): void
  close(code: number, reason: string): void
  /** Bytes written and not yet passed to the operating system. */
  bufferedBytes(): number
  /** Sends a ping, or closes the connection when the client has not responded to the previous one, or has not read anything since then. */
  ping(): void
}

/** Encodes a message of the gateway. */
export function encodeReply(encoding: Encoding, message: Readonly<Record<string, unknown>>, { id, position }: ReplyContext = {}): Buffer {
  return encoding.message(JSON.stringify(id === undefined ? message : { ...message, id }), position)
}

/** Encodes frames for a client. */
export function sendFrames({ output }: Connection, frames: readonly Frame[]): void {
  if (frames.length > 0) writeTo(output, output.encoding.frames(frames))
}

export interface ConnectionParts {
  readonly webSocket: WebSocket
  /** The underlying socket, for frames that are already encoded. */
  readonly socket: Socket
  readonly limits: StreamLimits
  readonly clock: Clock
  /** Counts requests that the gateway could not handle. */
  readonly failures: FailureLog
  /** Counts connections that their clients broke. */
  readonly clientFailures: FailureLog
  readonly requestId: string
  /** Handles one request; the next request waits until it resolves. */
  handle(request: ClientRequest): void | Promise<void>
  onClose(): void
}

/** Takes ownership of an open WebSocket. */
export function createConnection(parts: ConnectionParts): Connection {
  const { webSocket, socket, limits, clock, clientFailures, requestId } = parts
  const closing = new AbortController()
  const messages = createTokenBucket({ perSecond: limits.messagesPerSecond, burst: limits.messagesPerSecond, clock })
  const output = createOutput({
    stream: socket, socket, encoding: WEB_SOCKET_FRAMES, waitingBytes: limits.waitingBytes, overflow: () => close(CLOSE.tryAgain, 'backpressure'),
  })
  // After a failure the client reconnects and resumes: better than a wrong reply or none.
  const queue = createRequestQueue({ ...parts, onFailure: () => close(CLOSE.unexpected, 'unavailable') })
  let pongReceived = true

  function markClosed(): void {
    if (output.isClosed) return
    output.isClosed = true
    // Without a reason, each abort would create an error with a stack.
    closing.abort(CLOSED)
    queue.clear()
    parts.onClose()
  }

  function close(code: number, reason: string): void {
    if (output.isClosed) return
    markClosed()
    closeWithGrace(webSocket, clock, { code, reason })
  }

  function reply(message: Readonly<Record<string, unknown>>, context?: ReplyContext): void {
    // What follows in the same turn, such as the first frames of a replay, leaves in the same packet.
    socket.cork()
    writeTo(output, encodeReply(WEB_SOCKET_FRAMES, message, context))
    process.nextTick(uncork, socket)
  }

  function limitExceeded(): void {
    reply({ type: 'error', error: 'rate_limited' })
    close(CLOSE.tryAgain, 'rate limit exceeded')
  }

  webSocket.on('message', (data, isBinary) => {
    if (closing.signal.aborted) return
    const request: ClientRequest = isBinary ? { op: 'invalid', id: undefined, error: 'invalid_json' } : parseRequest(textOf(data))
    if (!messages.take() || !queue.push(request)) limitExceeded()
  })
  webSocket.on('pong', () => {
    pongReceived = true
  })
  // The library closes a connection with an invalid frame with the right code.
  webSocket.on('error', (error: NodeJS.ErrnoException) => clientFailures.record(error.code ?? nameOf(error), () => ({ requestId })))
  webSocket.on('close', markClosed)

  return {
    output,
    closed: closing.signal,
    write: (bytes) => writeTo(output, bytes),
    reply,
    limitExceeded,
    close,
    drained: () => drained(output, closing.signal),
    bufferedBytes: () => socket.writableLength,
    ping() {
      if (!pongReceived) {
        markClosed()
        webSocket.terminate()
        return
      }
      // A client can respond to pings without reading: it would hold its replay forever.
      if (isStuck(output)) {
        close(CLOSE.tryAgain, 'backpressure')
        return
      }
      pongReceived = false
      webSocket.ping()
    },
  }
}

/** Closes a WebSocket, and terminates it when the client does not complete the close handshake. */
export function closeWithGrace(webSocket: WebSocket, clock: Clock, { code, reason }: { readonly code: number; readonly reason: string }): void {
  webSocket.close(code, reason)
  const timer = clock.setTimer(CLOSE_GRACE_MS, () => webSocket.terminate())
  webSocket.once('close', () => timer.cancel())
}

function uncork(socket: Socket): void {
  socket.uncork()
}

/** The library delivers a whole message as one buffer. */
function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString('utf8') : ''
}
