// The plan is killed with SIGKILL at every kind of step; in the end each slice is bought once.

import assert from 'node:assert/strict'
import { appendFileSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startExchange } from './exchange-process.ts'
import { serveHttp } from '../support/http-server.ts'

const SLICES = 5

/** A proxy between the plan and the gateway that can drop submissions or their responses. */
interface Proxy extends AsyncDisposable {
  readonly url: string
  mode: 'forward' | 'drop requests' | 'drop responses'
  /** Resolves when the next submission has been dropped or its response has been received. */
  submission(): Promise<void>
}

async function startProxy(gateway: string): Promise<Proxy> {
  let onSubmission = (): void => {}
  const server = await serveHttp((request, response) => void forward(request, response).catch(() => response.destroy()))
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isSubmission = request.url === '/v1/tx/submit'
    if (isSubmission && proxy.mode === 'drop requests') return onSubmission()
    const headers = request.headers as Record<string, string>
    const content = request.method === 'POST' ? { body: await text(request) } : {}
    const upstream = await fetch(gateway + request.url, { method: request.method ?? '', headers, ...content })
    const body = await upstream.text()
    if (isSubmission && proxy.mode === 'drop responses') return onSubmission()
    response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(body)
  }
  const proxy: Proxy = {
    url: server.url,
    mode: 'forward',
    submission: () => new Promise((resolve) => {
      onSubmission = resolve
    }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return proxy
}

test('a plan that is killed repeatedly buys each slice once', async () => {
  await using exchange = await startExchange()
  await using proxy = await startProxy(exchange.url)
  const environment = { SECRET: await exchange.secretOf('alice'), GATEWAY_URL: proxy.url }
  const journal = join(exchange.folder, 'plan.journal')
  const plan = [journal, 'BTC', String(SLICES)]
  /** Runs the plan until it prints the line, or until a submission, and kills it. Resolves with its output. */
  const runUntil = async (mode: Proxy['mode'], line: RegExp | null): Promise<string> => {
    proxy.mode = mode
    const submitted = proxy.submission()
    await using buyer = exchange.example('resume-after-crash', plan, environment)
    await (line === null ? submitted : buyer.waitForLine(line))
    assert.equal(await buyer.stop('SIGKILL'), 'SIGKILL')
    return buyer.output()
  }
  await runUntil('forward', /^slice 1 preparing/)
  // Signed and recorded, but never received by the gateway.
  assert.match(await runUntil('drop requests', null), /slice 1 signed/)
  assert.match(await runUntil('forward', /^slice 1 bought/), /^slice 1 bought in ledger \d+, with the transaction signed before$/m)
  // Bought, but the response is lost.
  assert.match(await runUntil('drop responses', null), /slice 2 signed/)
  assert.match(await runUntil('forward', /^slice 3 bought/), /^slice 2 bought in ledger \d+, with the transaction signed before$/m)
  await runUntil('forward', /^slice 4 signed/)
  proxy.mode = 'forward'
  // A crash in the middle of writing a line.
  appendFileSync(journal, '{"step":"signed","sli')
  await using last = exchange.example('resume-after-crash', plan, environment)
  assert.equal(await last.exited, 0, last.errors())
  assert.match(last.output(), /all 5 slices bought\n$/)

  const alice = await exchange.clientOf('alice')
  const { body: state } = await alice.getAccountState()
  assert.equal(state.positions?.length, SLICES)
  const opened = new Set<unknown>()
  for await (const event of alice.rows('listAccountEvents', { topic: 'position_opened' })) opened.add(event.txHash)
  const entries = readFileSync(journal, 'utf8').split('\n').filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Record<string, unknown>)
  const bought = entries.filter(({ step }) => step === 'bought')
  assert.deepEqual(bought.map(({ slice }) => slice), [1, 2, 3, 4, 5])
  assert.deepEqual(new Set(bought.map(({ hash }) => hash)), opened)

  // Another run has nothing left to do.
  await using idle = exchange.example('resume-after-crash', plan, environment)
  assert.equal(await idle.exited, 0, idle.errors())
  assert.equal((await alice.getAccountState()).body.positions?.length, SLICES)

  // A journal cannot be used for another plan.
  await using another = exchange.example('resume-after-crash', [journal, 'ETH', '1'], environment)
  assert.equal(await another.exited, 1)
  assert.match(another.errors(), /the journal of another plan/)
})
