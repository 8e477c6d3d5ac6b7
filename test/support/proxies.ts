// Proxies before several instances: one of the test's own, and the one that the project is delivered with, where its program is installed.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as sendRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, createServer as createSocketServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createSystemClock } from '../../src/base/clock.ts'

/** A proxy that looks at `/readyz` of its instances. */
export interface Proxy extends AsyncDisposable {
  readonly url: string
}

const PROBE_EVERY_MS = 250
const CADDYFILE = fileURLToPath(new URL('../../deploy/Caddyfile', import.meta.url))

/** Why the delivered proxy cannot be run here, or false. */
export const WITHOUT_CADDY = spawnSync('caddy', ['version']).error === undefined ? false : 'needs Caddy, which is not installed'

/** A port of this machine that is free now. */
export async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Hands each request to the next instance that is ready, to any while none is, over a connection of its own. It tries another where nobody listens any more;
 * a connection that is cut once it was made is an error, so that no instance can cut one unseen.
 */
export async function startProxy(ports: readonly number[]): Promise<Proxy> {
  const clock = createSystemClock()
  const ending = new AbortController()
  const sockets = new Set<Duplex>()
  let ready: readonly number[] = ports
  let turn = 0

  async function isReady(port: number): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
    } catch {
      return false
    }
  }

  async function probe(): Promise<void> {
    while (!ending.signal.aborted) {
      const answers = await Promise.all(ports.map(isReady))
      ready = ports.filter((_, index) => answers[index])
      await clock.sleep(PROBE_EVERY_MS, ending.signal)
    }
  }

  /** Those to be tried, the next one first. */
  function candidates(): number[] {
    turn += 1
    const able = ready.length > 0 ? ready : ports
    return able.map((_, index) => able[(turn + index) % able.length] ?? 0)
  }

  function hand(request: IncomingMessage, response: ServerResponse, body: Buffer, [port, ...others]: readonly number[]): void {
    if (port === undefined) {
      response.writeHead(502).end()
      return
    }
    const { method, url: path, headers } = request
    const forward = sendRequest({ host: '127.0.0.1', port, method, path, headers: { ...headers, connection: 'close' } }, (answer) => {
      const { connection: _, ...kept } = answer.headers
      response.writeHead(answer.statusCode ?? 502, kept)
      answer.pipe(response)
    })
    forward.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') hand(request, response, body, others)
      else if (response.headersSent) response.destroy()
      else response.writeHead(502).end(String(error.code))
    })
    forward.end(body)
  }

  function upgrade(request: IncomingMessage, near: Duplex, [port, ...others]: readonly number[]): void {
    if (port === undefined) {
      near.destroy()
      return
    }
    const far: Socket = connect(port, '127.0.0.1')
    const lines = [`${request.method} ${request.url} HTTP/1.1`]
    for (let index = 0; index < request.rawHeaders.length; index += 2) lines.push(`${request.rawHeaders[index]}: ${request.rawHeaders[index + 1]}`)
    let connected = false
    far.once('connect', () => {
      connected = true
      for (const socket of [near, far]) sockets.add(socket)
      far.write(`${lines.join('\r\n')}\r\n\r\n`)
      near.pipe(far).pipe(near)
    })
    far.on('error', () => (connected ? near.destroy() : upgrade(request, near, others)))
    near.on('error', () => far.destroy())
    near.on('close', () => far.destroy())
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => hand(request, response, Buffer.concat(parts), candidates()))
  })
  server.on('upgrade', (request, socket) => upgrade(request, socket, candidates()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const probing = probe()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      ending.abort()
      await probing
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Caddy with the project's own configuration. */
export async function startCaddy(ports: readonly number[]): Promise<Proxy> {
  const port = await freePort()
  const child = spawn('caddy', ['run', '--config', CADDYFILE, '--adapter', 'caddyfile'], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', SITE: `:${port}`, INSTANCES: ports.map((each) => `127.0.0.1:${each}`).join(' ') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'close')
  let told = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      told += chunk.toString()
      if (told.includes('serving initial configuration')) resolve()
    })
    void exited.then(() => reject(new Error(`caddy ended:\n${told}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
