// An RPC node that sends what is expensive to read: large, nested, numerous, compressed and endless responses, in turn, and large valid ones in between.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { serveParent } from '../support/in-child.ts'

const MIB = 1024 * 1024
const BLOCK = Buffer.alloc(MIB, ' ')

type Respond = (response: ServerResponse, id: number) => void

/** Sends one body. Its length is announced. */
function sends(result: string): Respond {
  const rest = Buffer.from(`,"jsonrpc":"2.0","result":${result}}`)
  return (response, id) => {
    const start = Buffer.from(`{"id":${id}`)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': start.length + rest.length })
    response.write(start)
    response.end(rest)
  }
}

const EVENT = JSON.stringify({
  type: 'contract', ledger: 7, ledgerClosedAt: '2026-07-06T12:00:01Z', contractId: 'C1', id: '0000000030064775169-0000000001', txHash: 'ab'.repeat(32),
  topic: ['AAAA'], value: 'AAAA'.repeat(1_500),
})

/** 64 MiB of `[`. */
const BOMB = gzipSync(Buffer.alloc(64 * MIB, '['))

const ATTACKS: readonly Respond[] = [
  sends(`"${'x'.repeat(28 * MIB)}"`),
  sends(`{"padding":[${'[],'.repeat(MIB / 3)}0],"latestLedger":9,"status":"NOT_FOUND"}`),
  (response) => {
    response.writeHead(200)
    const write = (): void => {
      if (!response.destroyed) response.write(BLOCK, write)
    }
    write()
  },
  sends('['.repeat(400_000) + ']'.repeat(400_000)),
  (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
  sends('['.repeat(16_000) + ']'.repeat(16_000)),
]

/** Valid for every method that the client calls, and as large as getEvents and getTransaction may be. */
const VALID = sends(
  `{"status":"NOT_FOUND","latestLedger":9,"oldestLedger":2,"cursor":"c","events":[${Array.from({ length: 280 }, () => EVENT).join(',')}],"entries":[]}`,
)

let server: Server | undefined

serveParent(
  {
    serve: async () => {
      let turn = 0
      server = createServer((request, response) => {
        response.on('error', () => {})
        request.setEncoding('utf8').once('data', (text: string) => {
          const { id } = JSON.parse(text) as { id: number }
          turn++
          const respond = turn % 2 === 0 ? VALID : ATTACKS[((turn - 1) / 2) % ATTACKS.length] ?? VALID
          respond(response, id)
        })
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      if (typeof address !== 'object' || address === null) throw new Error('The server has no address')
      return address.port
    },
  },
  async () => {
    server?.closeAllConnections()
    server?.close()
  },
)
