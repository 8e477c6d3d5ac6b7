// Clients that send slowly or nothing. Each is disconnected in bounded time, without affecting other clients.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { createBareGateway } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'

let bare: BareGateway
let port: number

before(async () => {
  // Health responds without a database.
  const query = (): Promise<never> => Promise.reject(new Error('no database'))
  bare = await createBareGateway({ store: { engine: 'embedded', read: { query }, write: { query, run: query }, writeProblem: async () => null } as never })
  port = Number(new URL(await bare.gateway.listen({ host: '127.0.0.1', port: 0 })).port)
})
after(() => bare[Symbol.asyncDispose]())

/** `received` resolves with everything received until the connection closed. */
function openConnection(sent: string): { readonly socket: Socket; readonly received: Promise<string> } {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  socket.write(sent)
  return { socket, received: new Promise((resolve) => socket.once('close', () => resolve(text))) }
}

test('disconnects slow and silent clients within seconds without delaying others', async () => {
  const post = 'POST /v1/keys/challenge HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  const slow = [
    { what: 'sends nothing', sent: '' },
    { what: 'stops inside its headers', sent: 'GET /v1/health HTTP/1.1\r\nHost: a\r\nX-Slow: ' },
    { what: 'announces a body and sends none', sent: `${post}Content-Length: 90\r\n\r\n` },
    { what: 'stops inside a chunked body', sent: `${post}Transfer-Encoding: chunked\r\n\r\n5\r\n{"add\r\n` },
  ].map(({ what, sent }) => ({ what, ...openConnection(sent) }))
  const dripping = openConnection('GET /v1/health HTTP/1.1\r\nHost: a\r\n')
  const drip = setInterval(() => dripping.socket.write('X-Drip: 1\r\n'), 200)
  assert.equal((await fetch(`http://127.0.0.1:${port}/v1/health`)).status, 200, 'another client is served')
  try {
    for (const { what, received } of [...slow, { what: 'sends headers slowly', received: dripping.received }]) {
      const text = await received
      assert.ok(text === '' || text.startsWith('HTTP/1.1 408 '), `${what}: ${text.slice(0, 200)}`)
    }
  } finally {
    clearInterval(drip)
  }
})
