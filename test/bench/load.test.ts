// The load generator counts complete responses and nothing else.

import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { test } from 'node:test'
import { load } from '../../bench/support/load.ts'
import type { LoadResult } from '../../bench/support/load.ts'
import { serveHttp } from '../support/http-server.ts'

function afterLoopTurns(turns: number, work: () => void): void {
  if (turns === 0) work()
  else setImmediate(() => afterLoopTurns(turns - 1, work))
}

/** Loads a server with this handler for 50 ms. */
async function loadOf(onRequest: RequestListener): Promise<LoadResult> {
  await using server = await serveHttp(onRequest)
  return await load({ port: server.port, path: '/', connections: 3, durationMs: 50 })
}

test('counts each request once and sends it only after the previous response is complete, for every response size and chunking', async () => {
  let handled = 0
  let early = 0
  const pending = new Set<object>()
  const result = await loadOf((request, response) => {
    handled++
    if (pending.has(request.socket)) early++
    pending.add(request.socket)
    const body = 'x'.repeat(10 ** (1 + (handled % 4)))
    response.writeHead(200, { 'content-length': body.length })
    response.write(body.slice(0, 3))
    // Wait a few turns of the event loop, so that a client that mistakes the first chunk for the whole response sends its next request early.
    afterLoopTurns(5, () => {
      pending.delete(request.socket)
      response.end(body.slice(3))
    })
  })
  assert.ok(handled >= 3)
  assert.deepEqual([result.requests, early], [handled, 0])
})

test('rejects when the server returns an error status', async () => {
  const loading = loadOf((_request, response) => response.writeHead(503, { 'content-length': 0 }).end())
  await assert.rejects(loading, /Server returned HTTP\/1\.1 503/)
})

test('rejects when the server closes the connection', async () => {
  await assert.rejects(loadOf((request) => request.socket.destroy()), /closed the connection|ECONNRESET/)
})
