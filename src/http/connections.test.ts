import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, get } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { limitConnections, RESPONSES_DUE_MAX } from './connections.ts'

const MAX = 10
const server = createServer((_request, response) => response.end('ok'))
const fairServer = createServer((_request, response) => response.end('ok'))
let port: number

before(async () => {
  limitConnections(server, MAX, { fairly: false })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
after(() => server.close())

async function request(agent: Agent | false, toPort = port): Promise<number | undefined> {
  const [response] = await once(get({ port: toPort, host: '127.0.0.1', agent }), 'response') as [IncomingMessage]
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

test('keeps a connection whose next request came before the last response ended', async (t) => {
  const held = Promise.withResolvers<ServerResponse>()
  const idle = Array.from({ length: MAX * 2 }, () => new Agent({ keepAlive: true, keepAliveMsecs: 60_000 }))
  const pipelined = createServer((incoming, response) => {
    if (incoming.url === '/held') held.resolve(response)
    else response.end('ok')
  })
  t.after(() => {
    for (const agent of idle) agent.destroy()
    pipelined.close()
    pipelined.closeAllConnections()
  })
  limitConnections(pipelined, MAX, { fairly: false })
  pipelined.listen(0, '127.0.0.1')
  await once(pipelined, 'listening')
  const toPort = (pipelined.address() as AddressInfo).port
  const socket = connect(toPort, '127.0.0.1').setEncoding('latin1')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\nGET /held HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  await once(socket, 'data')
  const answer = Promise.race([once(socket, 'data').then(String), once(socket, 'close').then(() => 'closed')])
  for (const agent of idle) assert.equal(await request(agent, toPort), 200)
  const response = await held.promise
  response.end('held')
  assert.match(await answer, /held$/)
})

test('an address that holds most connections gets no further ones while the server is crowded, and others do', async (t) => {
  limitConnections(fairServer, MAX, { fairly: true })
  fairServer.listen(0, '0.0.0.0')
  await once(fairServer, 'listening')
  const fairPort = (fairServer.address() as AddressInfo).port
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    fairServer.close()
  })
  async function connectFrom(localAddress: string): Promise<boolean> {
    const socket = connect({ port: fairPort, host: '127.0.0.1', localAddress })
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n')
    const closed = once(socket, 'close').then(() => false)
    const [accepted] = await Promise.race([once(fairServer, 'connection') as Promise<[Socket]>, closed.then(() => [undefined])])
    // The server closes a refused connection in its own handler.
    return accepted !== undefined && !accepted.destroyed
  }
  let held = 0
  for (let attempt = 0; attempt < MAX * 2; attempt++) if (await connectFrom('127.0.0.2')) held += 1
  assert.equal(held, MAX * 0.9 - 1)
  assert.equal(await connectFrom('127.0.0.3'), true, 'another address')
})

const PIPELINED = 5_000
const PIPELINED_REQUEST = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nok'

test('does not read on while a connection has many responses due, and answers all of its requests in the end', async (t) => {
  const held: ServerResponse[] = []
  let isHolding = true
  let received = 0
  const holding = createServer((incoming, response) => {
    received += 1
    incoming.resume()
    if (isHolding) held.push(response)
    else response.end('ok')
  })
  t.after(() => holding.close())
  limitConnections(holding, MAX, { fairly: false })
  holding.listen(0, '127.0.0.1')
  await once(holding, 'listening')
  const socket = connect((holding.address() as AddressInfo).port, '127.0.0.1')
  let text = ''
  socket.on('data', (data: Buffer) => (text += data.toString('latin1')))
  socket.write(PIPELINED_REQUEST.repeat(PIPELINED))
  const other = connect((holding.address() as AddressInfo).port, '127.0.0.1')
  // Both were read when the other connection's request has arrived and its socket has nothing more to read.
  other.write('GET /other HTTP/1.1\r\nhost: a\r\n\r\n')
  while (!held.some(({ req }) => req.url === '/other')) await setImmediate()
  for (let turn = 0; turn < 100; turn++) await setImmediate()
  assert.ok(received >= RESPONSES_DUE_MAX && received <= RESPONSES_DUE_MAX + 2 + 65_536 / PIPELINED_REQUEST.length, `${received} requests were read`)
  isHolding = false
  for (const response of held) response.end('ok')
  while (text.split('HTTP/1.1 200').length - 1 < PIPELINED) await once(socket, 'data')
  socket.destroy()
  other.destroy()
})
