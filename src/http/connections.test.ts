import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { limitConnections } from './connections.ts'

const MAX = 10
const server = createServer((_request, response) => response.end('ok'))
let port: number

before(async () => {
  limitConnections(server, MAX)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
after(() => server.close())

async function request(agent: Agent | false): Promise<number | undefined> {
  const [response] = await once(get({ port, host: '127.0.0.1', agent }), 'response') as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

test('closes idle connections to make room for new requests', async () => {
  const idle = Array.from({ length: MAX * 3 }, () => new Agent({ keepAlive: true, keepAliveMsecs: 60_000 }))
  for (const agent of idle) assert.equal(await request(agent), 200)
  assert.equal(await request(false), 200)
  for (const agent of idle) agent.destroy()
})

test('closes a new connection at once if all connections have a request in progress', async () => {
  const busy: Socket[] = []
  for (let count = 0; count < MAX; count++) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n')
    busy.push(socket)
  }
  const rejected = connect(port, '127.0.0.1')
  rejected.resume()
  await once(rejected, 'close')
  for (const socket of busy) socket.destroy()
  await Promise.all(busy.map((socket) => once(socket, 'close')))
})
