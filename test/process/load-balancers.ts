// Load balancers for several instances: a small one for tests, and Caddy with the project's own configuration where it is installed.

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as sendRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createSystemClock } from '../../src/base/clock.ts'
import { startServer } from '../support/program.ts'
import { freePort } from '../support/tcp-proxy.ts'

/** Probes `/readyz` of its instances. */
interface LoadBalancer extends AsyncDisposable {
  readonly url: string
}

const PROBE_EVERY_MS = 250
const CADDYFILE = fileURLToPath(new URL('../../deploy/Caddyfile', import.meta.url))

/** The reason to skip a test with Caddy, or false. */
export const WITHOUT_CADDY = spawnSync('caddy', ['version']).error === undefined ? false : 'needs Caddy, which is not installed'

/**
 * Sends each request to the next ready instance, or to any if none is ready, over a new connection. Tries the next instance after a refused connection. A
 * connection that breaks later is an error, so that the test notices an instance that drops connections.
 */
export async function startLoadBalancer(ports: readonly number[]): Promise<LoadBalancer> {
  const clock = createSystemClock()
  const stop = new AbortController()
  const sockets = new Set<Duplex>()
  let ready: readonly number[] = ports
  let next = 0

  async function isReady(port: number): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
    } catch {
      return false
    }
  }

  async function probe(): Promise<void> {
    while (!stop.signal.aborted) {
      const results = await Promise.all(ports.map(isReady))
      ready = ports.filter((_, index) => results[index])
      await clock.sleep(PROBE_EVERY_MS, stop.signal)
    }
  }

  /** The instances to try, in order. */
  function candidates(): number[] {
    next += 1
    const usable = ready.length > 0 ? ready : ports
    return usable.map((_, index) => usable[(next + index) % usable.length] ?? 0)
  }

  function forward(request: IncomingMessage, response: ServerResponse, body: Buffer, [port, ...others]: readonly number[]): void {
    if (port === undefined) {
      response.writeHead(502).end()
      return
    }
    const { method, url: path, headers } = request
    const upstream = sendRequest({ host: '127.0.0.1', port, method, path, headers: { ...headers, connection: 'close' } }, (received) => {
      const { connection: _, ...forwarded } = received.headers
      response.writeHead(received.statusCode ?? 502, forwarded)
      received.pipe(response)
    })
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') forward(request, response, body, others)
      else if (response.headersSent) response.destroy()
      else response.writeHead(502).end(String(error.code))
    })
    upstream.end(body)
  }

  function upgrade(request: IncomingMessage, client: Duplex, [port, ...others]: readonly number[]): void {
    if (port === undefined) {
      client.destroy()
      return
    }
    const upstream: Socket = connect(port, '127.0.0.1')
    const lines = [`${request.method} ${request.url} HTTP/1.1`]
    for (let index = 0; index < request.rawHeaders.length; index += 2) lines.push(`${request.rawHeaders[index]}: ${request.rawHeaders[index + 1]}`)
    let connected = false
    upstream.once('connect', () => {
      connected = true
      for (const socket of [client, upstream]) sockets.add(socket)
      upstream.write(`${lines.join('\r\n')}\r\n\r\n`)
      client.pipe(upstream).pipe(client)
    })
    upstream.on('error', () => (connected ? client.destroy() : upgrade(request, client, others)))
    client.on('error', () => upstream.destroy())
    client.on('close', () => upstream.destroy())
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => forward(request, response, Buffer.concat(parts), candidates()))
  })
  server.on('upgrade', (request, socket) => upgrade(request, socket, candidates()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const probing = probe()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await probing
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Starts Caddy with the project's own configuration. `settings` are further environment variables. */
export async function startCaddy(ports: readonly number[], settings: Readonly<Record<string, string>> = {}): Promise<LoadBalancer> {
  const port = await freePort()
  const environment = { ...settings, HOME: '/nonexistent', SITE: `:${port}`, INSTANCES: ports.map((each) => `127.0.0.1:${each}`).join(' ') }
  const caddy = await startServer(['caddy', 'run', '--config', CADDYFILE, '--adapter', 'caddyfile'], /serving initial configuration/, environment)
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => caddy[Symbol.asyncDispose]() }
}
