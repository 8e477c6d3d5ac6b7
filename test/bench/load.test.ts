// The load counts whole answers and nothing else.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { load } from '../../bench/support/load.ts'
import type { LoadResult } from '../../bench/support/load.ts'

function afterTurns(turns: number, work: () => void): void {
  if (turns === 0) work()
  else setImmediate(() => afterTurns(turns - 1, work))
}

/** Loads a server that answers like this, for a moment. */
async function loadOf(answer: RequestListener): Promise<LoadResult> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  try {
    return await load({ port: (server.address() as AddressInfo).port, path: '/', connections: 3, durationMs: 50 })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

test('each request waits for the whole answer to the one before it and is counted once, whatever lengths and pieces answers come in', async () => {
  let answered = 0
  let early = 0
  const underWay = new Set<object>()
  const result = await loadOf((request, response) => {
    answered++
    if (underWay.has(request.socket)) early++
    underWay.add(request.socket)
    const body = 'x'.repeat(10 ** (1 + (answered % 4)))
    response.writeHead(200, { 'content-length': body.length })
    response.write(body.slice(0, 3))
    // A few turns of the loop: enough for a client that takes the first piece for the whole to be noticed.
    afterTurns(5, () => {
      underWay.delete(request.socket)
      response.end(body.slice(3))
    })
  })
  assert.ok(answered >= 3)
  assert.deepEqual([result.requests, early], [answered, 0])
})

test('an error is no answer to be counted', async () => {
  const loading = loadOf((_request, response) => response.writeHead(503, { 'content-length': 0 }).end())
  await assert.rejects(loading, /answered HTTP\/1\.1 503/)
})

test('a server that hangs up ends the measurement', async () => {
  await assert.rejects(loadOf((request) => request.socket.destroy()), /closed the connection|ECONNRESET/)
})
