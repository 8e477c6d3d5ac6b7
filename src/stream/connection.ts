// One client's socket: incoming requests and their rate limit, outgoing frames and their buffer limit, pings and closing. The session handles the requests.

import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import type { Clock } from '../base/clock.ts'
import type { FailureLog } from '../base/failure-log.ts'
import type { StreamLimits } from '../limits.ts'
import { parseRequest } from './requests.ts'
import type { ClientRequest, RequestId } from './requests.ts'
import { createTokenBucket } from './token-bucket.ts'
import { textFrame } from './wire.ts'

/** Close codes: RFC 6455, section 7.4, and 4401 for revoked keys. */
export const CLOSE = { restart: 1012, tryAgain: 1013, unexpected: 1011, policyViolation: 1008, keyRevoked: 4401 } as const

/** A client that does not complete the close handshake within this time is disconnected. */
const CLOSE_GRACE_MS = 2_000
/** Queued requests per connection. Only a stalled database fills the queue: the rate limit is lower. */
const QUEUED_REQUESTS_MAX = 100

export interface Connection {
  /** Aborts when the connection has closed or starts closing. */
  readonly closed: AbortSignal
  /** Sends whole frames. Closes the connection when its buffer exceeds the limit. */
  write(bytes: Buffer): void
  /** Sends a message to this client only. */
  reply(message: Readonly<Record<string, unknown>>, id?: RequestId): void
  /** Resolves when the socket accepts more data, or the connection closes. */
  drained(): Promise<void>
  /** Reports to the client that it has asked for too much, and closes the connection. */
  limitExceeded(): void
  close(code: number, reason: string): void
  /** Bytes written and not yet passed to the operating system. */
  bufferedBytes(): number
  /** Sends a ping, or closes the connection when the client has not responded to the previous one, or has not read anything since then. */
  ping(): void
}

export interface ConnectionParts {
  readonly webSocket: WebSocket
  /** The underlying socket, for frames that are already encoded. */
  readonly socket: Duplex
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
  const { webSocket, socket, limits, clock, failures, clientFailures, requestId } = parts
  const closing = new AbortController()
  const queue: ClientRequest[] = []
  const messages = createTokenBucket({ perSecond: limits.messagesPerSecond, burst: limits.messagesPerSecond, clock })
  let handling = false
  let pongReceived = true
  /** Bytes written, and how many of them the operating system had taken at the last ping. */
  let writtenBytes = 0
  let takenAtPing = -1

  function markClosed(): void {
    if (closing.signal.aborted) return
    closing.abort()
    queue.length = 0
    parts.onClose()
  }

  function close(code: number, reason: string): void {
    if (closing.signal.aborted) return
    markClosed()
    closeWithGrace(webSocket, clock, { code, reason })
  }

  function write(bytes: Buffer): void {
    if (closing.signal.aborted) return
    if (socket.writableLength + bytes.length > limits.waitingBytes) close(CLOSE.tryAgain, 'backpressure')
    else {
      writtenBytes += bytes.length
      socket.write(bytes)
    }
  }

  function reply(message: Readonly<Record<string, unknown>>, id?: RequestId): void {
    write(textFrame(JSON.stringify(id === undefined ? message : { ...message, id })))
  }

  function limitExceeded(): void {
    reply({ type: 'error', error: 'rate_limited' })
    close(CLOSE.tryAgain, 'rate limit exceeded')
  }

  /** Handles requests one at a time, in the order of arrival. */
  async function handleQueue(): Promise<void> {
    handling = true
    for (let request = queue.shift(); request !== undefined; request = queue.shift()) {
      try {
        const handled = parts.handle(request)
        if (handled !== undefined) await handled
      } catch (error) {
        // The client reconnects and resumes: better than a wrong reply or none.
        failures.record(nameOf(error), () => ({ err: error, requestId, op: request.op }))
        close(CLOSE.unexpected, 'unavailable')
      }
    }
    handling = false
  }

  webSocket.on('message', (data, isBinary) => {
    if (closing.signal.aborted) return
    if (!messages.take() || queue.length >= QUEUED_REQUESTS_MAX) {
      limitExceeded()
      return
    }
    queue.push(isBinary ? { op: 'invalid', id: undefined, error: 'invalid_json' } : parseRequest(textOf(data)))
    if (!handling) void handleQueue()
  })
  webSocket.on('pong', () => {
    pongReceived = true
  })
  // The library closes a connection with an invalid frame with the right code.
  webSocket.on('error', (error: NodeJS.ErrnoException) => clientFailures.record(error.code ?? nameOf(error), () => ({ requestId })))
  webSocket.on('close', markClosed)

  return {
    closed: closing.signal,
    write,
    reply,
    limitExceeded,
    close,
    async drained() {
      if (!socket.writableNeedDrain || closing.signal.aborted) return
      await new Promise<void>((resolve) => {
        const done = (): void => {
          socket.removeListener('drain', done)
          closing.signal.removeEventListener('abort', done)
          resolve()
        }
        socket.on('drain', done)
        closing.signal.addEventListener('abort', done)
      })
    },
    bufferedBytes: () => socket.writableLength,
    ping() {
      if (!pongReceived) {
        markClosed()
        webSocket.terminate()
        return
      }
      // A client can respond to pings without reading: it would hold its replay forever.
      const taken = writtenBytes - socket.writableLength
      if (socket.writableNeedDrain && taken <= takenAtPing) {
        close(CLOSE.tryAgain, 'backpressure')
        return
      }
      takenAtPing = taken
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

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}

/** The library delivers a whole message as one buffer. */
function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString('utf8') : ''
}
