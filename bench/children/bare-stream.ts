// The baseline for fan-out and the cost of connections: a bare `ws` server that calls `send` once per frame and client.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { serveParent } from '../support/in-child.ts'

const disposables = new AsyncDisposableStack()
let sockets: WebSocketServer | undefined
let text = ''
let framesPerSend = 0
let response = { frames: 0, isCorked: false }

serveParent(
  {
    async serve(frame: string): Promise<number> {
      text = frame
      const server = createServer()
      sockets = new WebSocketServer({ server, perMessageDeflate: false })
      sockets.on('connection', (client, { socket }) => client.on('message', () => {
        if (response.isCorked) socket.cork()
        for (let sent = 0; sent < response.frames; sent++) client.send(text)
        if (response.isCorked) process.nextTick(() => socket.uncork())
      }))
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
      disposables.defer(() => {
        for (const client of sockets?.clients ?? []) client.terminate()
        server.close()
      })
      return (server.address() as AddressInfo).port
    },
    prepare(frames: number) {
      framesPerSend = frames
    },
    /** From now on, responds to each message with this many frames; corked, they leave in one write. */
    respond(options: { readonly frames: number; readonly isCorked: boolean }) {
      response = options
    },
    send() {
      for (let sent = 0; sent < framesPerSend; sent++) for (const client of sockets?.clients ?? []) client.send(text)
    },
  },
  () => disposables.disposeAsync(),
)
