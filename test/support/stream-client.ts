// A stream client for tests: records every frame in order and waits for specific ones.

import assert from 'node:assert/strict'
import { WebSocket } from 'ws'
import { createArrivals } from './until.ts'

/** A received frame; its fields depend on its type. */
export interface StreamFrame {
  readonly type?: string
  readonly channel?: string
  readonly seq?: number
  readonly prev?: number
  readonly data?: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

export interface StreamClient {
  readonly webSocket: WebSocket
  /** The headers of the upgrade response. */
  readonly headers: Readonly<Record<string, unknown>>
  /** All frames so far. */
  readonly frames: readonly StreamFrame[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  send(message: unknown): void
  /** Waits for the first matching frame from index `from` on. Rejects when the connection closes without it. */
  frame(matches: (frame: StreamFrame) => boolean, from?: number): Promise<StreamFrame>
  /** Sends a ping and waits for the pong: earlier requests have their responses by then. */
  settle(): Promise<void>
  /** The frames of one channel. */
  of(channel: string): readonly StreamFrame[]
  close(): Promise<void>
}

/** Connects to the gateway at `url` (http://…); rejects when the upgrade is rejected. */
export async function connectStream(url: string, headers: Readonly<Record<string, string>> = {}): Promise<StreamClient> {
  const webSocket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/ws`, { headers })
  const frames: StreamFrame[] = []
  let ended = ''
  let pings = 0
  const arrivals = createArrivals(() => `${ended}; last frames: ${JSON.stringify(frames.slice(-5))}`)
  webSocket.on('message', (data) => {
    frames.push(JSON.parse((data as Buffer).toString('utf8')) as StreamFrame)
    arrivals.changed()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    webSocket.on('close', (code, reason) => {
      ended = `closed with ${code} ${String(reason)}`
      resolve({ code, reason: String(reason) })
      arrivals.end()
    })
  })
  const headersReceived = await new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
    webSocket.once('upgrade', (response) => resolve(response.headers))
    webSocket.once('error', reject)
  })
  webSocket.on('error', () => {})

  async function frame(matches: (frame: StreamFrame) => boolean, from = 0): Promise<StreamFrame> {
    let next = from
    return await arrivals.wait(() => {
      let found: StreamFrame | undefined
      for (; found === undefined && next < frames.length; next++) if (matches(frames[next] ?? {})) found = frames[next]
      return found
    }, `a frame for which ${String(matches)}`)
  }

  return {
    webSocket, headers: headersReceived, frames, closed, frame,
    send: (message) => webSocket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async settle() {
      const id = `settle ${++pings}`
      webSocket.send(JSON.stringify({ op: 'ping', id }))
      await frame(({ type, id: of }) => type === 'pong' && of === id)
    },
    of: (channel) => frames.filter((frame_) => frame_.channel === channel),
    async close() {
      webSocket.close()
      await closed
    },
  }
}

/** Fails unless each frame names the one before it. */
export function assertUnbroken(frames: readonly StreamFrame[], after: number): void {
  let last = after
  for (const { seq, prev } of frames) {
    assert.equal(prev, last, `frame ${seq} names ${prev} as the one before, but that was ${last}`)
    assert.ok(seq !== undefined && seq > last)
    last = seq
  }
}
