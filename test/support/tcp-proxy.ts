// A wire to a server that can be cut or blocked.

import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

const USUAL_PORTS: Readonly<Record<string, number>> = { 'redis:': 6379, 'postgres:': 5432, 'postgresql:': 5432 }

/** A proxy before a server, whose connections a test can drop, refuse or leave unanswered. */
export interface TcpProxy extends AsyncDisposable {
  readonly url: string
  /** Drops every connection and refuses new ones until `mend`. */
  cut(): void
  /** Takes what is sent and hands nothing on, until `mend`. */
  block(): void
  restore(): void
}

/** Puts a proxy before the server at `url`; without a port that is Redis's or PostgreSQL's own. */
export async function createTcpProxy(url: string): Promise<TcpProxy> {
  const target = new URL(url)
  const port = Number(target.port === '' ? USUAL_PORTS[target.protocol] : target.port)
  const pairs = new Set<readonly [Socket, Socket]>()
  let state: 'open' | 'cut' | 'blocked' = 'open'
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy()
      return
    }
    const far = connect(port, target.hostname)
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (data) => {
        if (state !== 'blocked') to.write(data)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const dropAll = (): void => pairs.forEach(([near]) => near.destroy())
  const wired = new URL(url)
  wired.hostname = '127.0.0.1'
  wired.port = String((server.address() as AddressInfo).port)
  return {
    url: wired.href,
    cut() {
      state = 'cut'
      dropAll()
    },
    block() {
      state = 'blocked'
    },
    restore() {
      // What was swallowed would leave a connection out of step.
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
