// One client: its socket, what it may send, what waits for it, and the end of it. What it asks for is done by the session.

import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { StreamLimits } from '../limits.ts'
import { parseRequest } from './requests.ts'
import type { ClientRequest, RequestId } from './requests.ts'
import { textFrame } from './wire.ts'

/** Close codes (RFC 6455, section 7.4, and the one for revoked keys). */
export const CLOSE = { restart: 1012, tryAgain: 1013, unexpected: 1011, keyRevoked: 4401 } as const

/** A client that does not answer a close is cut off after this long. */
const CLOSE_GRACE_MS = 2_000
/** Requests that wait for an earlier one of the same connection; the rate bounds them already, unless the database stalls. */
const PENDING_REQUESTS_MAX = 100

export interface Connection {
  /** Aborts when the connection has ended, or is about to. */
  readonly closed: AbortSignal
  /** Takes whole frames. Cuts the client off when too much waits for it. */
  write(bytes: Buffer): void
  /** Sends one message to this client alone. */
  reply(message: Readonly<Record<string, unknown>>, id?: RequestId): void
  /** Resolves when what was written is on its way. */
  drained(): Promise<void>
  close(code: number, reason: string): void
  /** Bytes that were written and that the system has not taken yet. */
  bufferedBytes(): number
  /** Sends a ping, or ends the connection when the last one was not answered. */
  ping(): void
}

export interface ConnectionParts {
  readonly webSocket: WebSocket
  /** The socket underneath, for frames that are ready made. */
  readonly socket: Duplex
  readonly limits: StreamLimits
  readonly clock: Clock
  readonly log: Log
  readonly requestId: string
  /** Handles one request; the next one waits for it. */
  handle(request: ClientRequest): void | Promise<void>
  onClose(): void
}

/** Takes over an open WebSocket. */
export function createConnection(parts: ConnectionParts): Connection {
  const { webSocket, socket, limits, clock, log } = parts
  const ending = new AbortController()
  const waiting: ClientRequest[] = []
  let handling = false
  let answersPings = true
  let tokens: number = limits.messagesPerSecond
  let filledAtMs = clock.elapsedMs()

  function end(): void {
    if (ending.signal.aborted) return
    ending.abort()
    waiting.length = 0
    parts.onClose()
  }

  function close(code: number, reason: string): void {
    if (ending.signal.aborted) return
    end()
    closeWithGrace(webSocket, clock, { code, reason })
  }

  function write(bytes: Buffer): void {
    if (ending.signal.aborted) return
    if (socket.writableLength + bytes.length > limits.waitingBytes) close(CLOSE.tryAgain, 'backpressure')
    else socket.write(bytes)
  }

  function reply(message: Readonly<Record<string, unknown>>, id?: RequestId): void {
    write(textFrame(JSON.stringify(id === undefined ? message : { ...message, id })))
  }

  /** A bucket that holds a second's worth of messages. */
  function mayTake(): boolean {
    const nowMs = clock.elapsedMs()
    tokens = Math.min(limits.messagesPerSecond, tokens + (Math.max(0, nowMs - filledAtMs) * limits.messagesPerSecond) / 1000)
    filledAtMs = nowMs
    if (tokens < 1) return false
    tokens -= 1
    return true
  }

  /** Requests are handled in the order in which they came, each after the one before it is done. */
  async function handleWaiting(): Promise<void> {
    handling = true
    for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
      try {
        const handled = parts.handle(request)
        if (handled !== undefined) await handled
      } catch (error) {
        // Not answered wrongly, not left unanswered: the client comes back and resumes.
        log.warn({ err: error, requestId: parts.requestId, op: request.op }, 'a request of the stream cannot be answered')
        close(CLOSE.unexpected, 'unavailable')
      }
    }
    handling = false
  }

  webSocket.on('message', (data, isBinary) => {
    if (ending.signal.aborted) return
    if (!mayTake() || waiting.length >= PENDING_REQUESTS_MAX) {
      reply({ type: 'error', error: 'rate_limited' })
      close(CLOSE.tryAgain, 'rate limit exceeded')
      return
    }
    waiting.push(isBinary ? { op: 'refused', id: undefined, error: 'invalid_json' } : parseRequest(textOf(data)))
    if (!handling) void handleWaiting()
  })
  webSocket.on('pong', () => {
    answersPings = true
  })
  // Frames that break the protocol are answered by the library with their close code; what kind they were is the client's affair.
  webSocket.on('error', (error) => log.debug({ err: error, requestId: parts.requestId }, 'a stream connection failed'))
  webSocket.on('close', end)

  return {
    closed: ending.signal,
    write,
    reply,
    close,
    async drained() {
      if (!socket.writableNeedDrain || ending.signal.aborted) return
      await new Promise<void>((resolve) => {
        const done = (): void => {
          socket.removeListener('drain', done)
          ending.signal.removeEventListener('abort', done)
          resolve()
        }
        socket.on('drain', done)
        ending.signal.addEventListener('abort', done)
      })
    },
    bufferedBytes: () => socket.writableLength,
    ping() {
      if (answersPings) {
        answersPings = false
        webSocket.ping()
        return
      }
      end()
      webSocket.terminate()
    },
  }
}

/** Closes a WebSocket, and cuts it off when its client does not answer that. */
export function closeWithGrace(webSocket: WebSocket, clock: Clock, { code, reason }: { readonly code: number; readonly reason: string }): void {
  webSocket.close(code, reason)
  const cut = clock.setTimer(CLOSE_GRACE_MS, () => webSocket.terminate())
  webSocket.once('close', () => cut.cancel())
}

/** A whole message is one buffer, as the library hands messages over. */
function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString('utf8') : ''
}
