// The peer of fan-out and of what connections cost: the same library with nothing around it, which calls `send` once per frame and client.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { serveParent } from '../support/in-child.ts'

const things = new AsyncDisposableStack()
let sockets: WebSocketServer | undefined
let text = ''
let count = 0
let answers = 0

serveParent(
  {
    async serve(frame: string): Promise<number> {
      text = frame
      const server = createServer()
      sockets = new WebSocketServer({ server, perMessageDeflate: false })
      sockets.on('connection', (client) => client.on('message', () => {
        for (let frame = 0; frame < answers; frame++) client.send(text)
      }))
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
      things.defer(() => {
        for (const client of sockets?.clients ?? []) client.terminate()
        server.close()
      })
      return (server.address() as AddressInfo).port
    },
    prepare(frames: number) {
      count = frames
    },
    /** From now on each message is answered with so many frames. */
    answer(frames: number) {
      answers = frames
    },
    send() {
      for (let frame = 0; frame < count; frame++) for (const client of sockets?.clients ?? []) client.send(text)
    },
  },
  () => things.disposeAsync(),
)
