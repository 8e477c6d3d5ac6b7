// A client of the stream, as a test looks at one: every frame that came, in order, and waiting for the one that matters.

import assert from 'node:assert/strict'
import { WebSocket } from 'ws'

/** A frame as it came; which fields it has depends on its kind. */
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
  /** Headers of the 101. */
  readonly headers: Readonly<Record<string, unknown>>
  /** Everything that came so far. */
  readonly frames: readonly StreamFrame[]
  /** Resolves with the close's code and reason. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  send(message: unknown): void
  /** The first frame, from the `from`th on, that fits; waits for it. Rejects when the connection ends without it. */
  frame(fits: (frame: StreamFrame) => boolean, from?: number): Promise<StreamFrame>
  /** Sends a ping and waits for its answer: everything that was asked before has been answered then. */
  settle(): Promise<void>
  /** Frames of one channel. */
  of(channel: string): readonly StreamFrame[]
  close(): Promise<void>
}

/** Connects to a gateway that listens at `url` (http://…); rejects when the upgrade is refused. */
export async function connectStream(url: string, headers: Readonly<Record<string, string>> = {}): Promise<StreamClient> {
  const webSocket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/ws`, { headers })
  const frames: StreamFrame[] = []
  const waiting = new Set<() => void>()
  let ended = ''
  let pings = 0
  webSocket.on('message', (data) => {
    frames.push(JSON.parse((data as Buffer).toString('utf8')) as StreamFrame)
    for (const look of waiting) look()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    webSocket.on('close', (code, reason) => {
      ended = `${code} ${String(reason)}`
      resolve({ code, reason: String(reason) })
      for (const look of waiting) look()
    })
  })
  const answer = await new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
    webSocket.once('upgrade', (response) => resolve(response.headers))
    webSocket.once('error', reject)
  })
  webSocket.on('error', () => {})

  function frame(fits: (frame: StreamFrame) => boolean, from = 0): Promise<StreamFrame> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = frames.slice(from).find(fits)
        if (found === undefined && ended === '') return
        waiting.delete(look)
        if (found === undefined) reject(new Error(`the connection ended (${ended}) without the frame; it had ${JSON.stringify(frames.slice(-5))}`))
        else resolve(found)
      }
      waiting.add(look)
      look()
    })
  }

  return {
    webSocket, headers: answer, frames, closed, frame,
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

/** Fails unless the frames follow one another without a hole: each names the one before it. */
export function assertUnbroken(frames: readonly StreamFrame[], after: number): void {
  let last = after
  for (const { seq, prev } of frames) {
    assert.equal(prev, last, `the frame ${seq} follows ${prev}, and ${last} was the last`)
    assert.ok(seq !== undefined && seq > last)
    last = seq
  }
}
