// A TCP proxy whose connections a test can drop, refuse or block.

import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { serveHttp } from './http-server.ts'

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'redis:': 6379, 'postgres:': 5432, 'postgresql:': 5432 }

/** A port that is free now. */
export async function freePort(): Promise<number> {
  await using server = await serveHttp(() => {})
  return server.port
}

export interface TcpProxy extends AsyncDisposable {
  readonly url: string
  /** Drops all connections and refuses new ones until `restore`. */
  cut(): void
  /** Accepts data and forwards none until `restore`. */
  block(): void
  restore(): void
}

/** Starts a proxy for the server at `url`. */
export async function createTcpProxy(url: string): Promise<TcpProxy> {
  const target = new URL(url)
  const port = Number(target.port === '' ? DEFAULT_PORTS[target.protocol] : target.port)
  const clients = new Set<Socket>()
  let state: 'open' | 'cut' | 'blocked' = 'open'
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy()
      return
    }
    const upstream = connect(port, target.hostname)
    clients.add(client)
    for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
      from.on('data', (data) => {
        if (state !== 'blocked') to.write(data)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        to.destroy()
        clients.delete(client)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const dropAll = (): void => clients.forEach((client) => client.destroy())
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String((server.address() as AddressInfo).port) }).href,
    cut() {
      state = 'cut'
      dropAll()
    },
    block() {
      state = 'blocked'
    },
    restore() {
      // Blocked data is lost, so a blocked connection is out of step.
      if (state === 'blocked') dropAll()
      state = 'open'
    },
    async [Symbol.asyncDispose]() {
      dropAll()
      server.close()
      await once(server, 'close')
    },
  }
}
