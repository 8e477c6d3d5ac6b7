// The stream's WebSocket: connects, detects silence, and reconnects with growing delays.

import { backoffMs } from './clock.ts'
import type { Clock } from './clock.ts'
import type { WebSocketConstructor, WebSocketLike } from './platform.ts'
import type { Message } from './stream-frames.ts'

export interface ConnectionOptions {
  /** The gateway's address, `http…`. */
  readonly url: string
  readonly WebSocket: WebSocketConstructor
  readonly clock: Clock
  /** The connection counts as lost after this long without a message; the gateway sends one every second. */
  readonly silenceMs: number
  onMessage(message: Message): void
  onLost(reason: string): void
}

export interface StreamConnection {
  /** Connects, unless a connection exists or a reconnect is scheduled. */
  start(): void
  /** Marks the connection as ready after the gateway's hello. The next reconnect delay starts from the shortest again. */
  confirm(): void
  /** True if the gateway has said hello on this connection. */
  isReady(): boolean
  /** Sends nothing while the connection closes: what is subscribed then is sent again on the next connection. */
  send(message: object): void
  /** Abandons the current connection and reconnects. */
  drop(reason: string): void
  close(): void
}

/** `WebSocket.OPEN`. */
const OPEN = 1
const BACKOFF = { firstMs: 500, maxMs: 5_000 }

export function createConnection({ url, WebSocket, clock, silenceMs, onMessage, onLost }: ConnectionOptions): StreamConnection {
  const address = `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/v1/ws`
  let socket: WebSocketLike | null = null
  let isReady = false
  let isClosed = false
  let failures = 0
  let cancelSilence = (): void => {}
  let cancelRetry = (): void => {}

  function connect(): void {
    cancelRetry()
    isReady = false
    const opened = new WebSocket(address)
    socket = opened
    restartSilenceTimer()
    opened.addEventListener('message', (event: { readonly data: unknown }) => {
      if (socket === opened) receive(String(event.data))
    })
    opened.addEventListener('close', (event: { readonly code?: number; readonly reason?: string }) => {
      if (socket === opened) handleLoss(`${event.code ?? ''} ${event.reason ?? ''}`.trim())
    })
    // The close event that follows carries the reason.
    opened.addEventListener('error', () => {})
  }

  function restartSilenceTimer(): void {
    cancelSilence()
    cancelSilence = clock.later(silenceMs, () => drop('silence'))
  }

  function receive(text: string): void {
    restartSilenceTimer()
    const message = parse(text)
    if (message === undefined) drop('invalid JSON')
    else onMessage(message)
  }

  function drop(reason: string): void {
    const dropped = socket
    handleLoss(reason)
    try {
      dropped?.close()
    } catch {
      // It was never open, so there is nothing to close.
    }
  }

  function handleLoss(reason: string): void {
    socket = null
    isReady = false
    cancelSilence()
    if (isClosed) return
    failures += 1
    onLost(reason)
    cancelRetry = clock.later(backoffMs(failures, BACKOFF), connect)
  }

  return {
    drop,
    start() {
      if (socket === null && failures === 0) connect()
    },
    confirm() {
      isReady = true
      failures = 0
    },
    isReady: () => isReady,
    send(message) {
      if (socket !== null && (socket.readyState ?? OPEN) === OPEN) socket.send(JSON.stringify(message))
    },
    close() {
      isClosed = true
      cancelRetry()
      drop('closed')
    },
  }
}

function parse(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message
  } catch {
    return undefined
  }
}
