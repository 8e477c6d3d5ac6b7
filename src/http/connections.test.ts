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

async function ask(agent: Agent | false): Promise<number | undefined> {
  const [answer] = await once(get({ port, host: '127.0.0.1', agent }), 'response') as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer.statusCode
}

test('clients that hold connections without asking for anything make room for those that ask', async () => {
  const idle = Array.from({ length: MAX * 3 }, () => new Agent({ keepAlive: true, keepAliveMsecs: 60_000 }))
  for (const agent of idle) assert.equal(await ask(agent), 200)
  assert.equal(await ask(false), 200)
  for (const agent of idle) agent.destroy()
})

test('when every place is taken by somebody who is in the middle of asking, the next connection is closed at once', async () => {
  const asking: Socket[] = []
  for (let place = 0; place < MAX; place++) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n')
    asking.push(socket)
  }
  const refused = connect(port, '127.0.0.1')
  refused.resume()
  await once(refused, 'close')
  for (const socket of asking) socket.destroy()
  await Promise.all(asking.map((socket) => once(socket, 'close')))
})
