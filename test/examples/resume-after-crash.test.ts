// The plan that survives: killed with SIGKILL at each kind of step, it is made whole, and nothing of it twice.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startExchange } from '../support/exchange-process.ts'

const SLICES = 5

/** What stands between the plan and the gateway: submissions may be kept from the gateway, or their answers from the plan. */
interface Door extends AsyncDisposable {
  readonly url: string
  mode: 'open' | 'nothing leaves' | 'no answer comes'
  /** Resolves when the next submission has met the door: has been kept, or has been answered by the gateway. */
  submission(): Promise<void>
}

async function openDoor(gateway: string): Promise<Door> {
  let met = (): void => {}
  const server = createServer((request, response) => void hand(request, response).catch(() => response.destroy()))
  async function hand(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isSubmission = request.url === '/v1/tx/submit'
    if (isSubmission && door.mode === 'nothing leaves') return met()
    const headers = request.headers as Record<string, string>
    const given = request.method === 'POST' ? { body: await text(request) } : {}
    const answer = await fetch(gateway + request.url, { method: request.method ?? '', headers, ...given })
    const body = await answer.text()
    if (isSubmission && door.mode === 'no answer comes') return met()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const door: Door = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: 'open',
    submission: () => new Promise((resolve) => {
      met = resolve
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return door
}

test('a plan that is killed again and again buys each slice once', async () => {
  await using exchange = await startExchange()
  await using door = await openDoor(exchange.url)
  const environment = { SECRET: await exchange.secretOf('alice'), GATEWAY_URL: door.url }
  const journal = join(exchange.folder, 'plan.journal')
  const plan = [journal, 'BTC', String(SLICES)]
  /** Kills it when that has happened, and answers what it had said by then. */
  const live = async (mode: Door['mode'], death: RegExp | null): Promise<string> => {
    door.mode = mode
    const submitted = door.submission()
    await using buyer = exchange.example('resume-after-crash', plan, environment)
    await (death === null ? submitted : buyer.said(death))
    assert.equal(await buyer.end('SIGKILL'), 'SIGKILL')
    return buyer.output()
  }
  await live('open', /^slice 1 wanted/)
  // Signed and on the disk, and nobody else has seen it.
  assert.match(await live('nothing leaves', null), /slice 1 signed/)
  assert.match(await live('open', /^slice 1 bought/), /^slice 1 bought in ledger \d+, by what was signed before$/m)
  // Bought, and nobody told it so.
  assert.match(await live('no answer comes', null), /slice 2 signed/)
  assert.match(await live('open', /^slice 3 bought/), /^slice 2 bought in ledger \d+, by what was signed before$/m)
  await live('open', /^slice 4 signed/)
  door.mode = 'open'
  // The machine went down in the middle of a line.
  appendFileSync(journal, '{"step":"signed","sli')
  await using last = exchange.example('resume-after-crash', plan, environment)
  assert.equal(await last.ended, 0, last.errors())
  assert.match(last.output(), /all 5 slices are bought\n$/)

  const alice = await exchange.clientOf('alice')
  const { body: state } = await alice.getAccountState()
  assert.equal(state.positions?.length, SLICES)
  const opened = new Set<unknown>()
  for await (const event of alice.rows('listAccountEvents', { topic: 'position_opened' })) opened.add(event.txHash)
  const entries = readFileSync(journal, 'utf8').split('\n').filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Record<string, unknown>)
  const bought = entries.filter(({ step }) => step === 'bought')
  assert.deepEqual(bought.map(({ slice }) => slice), [1, 2, 3, 4, 5])
  assert.deepEqual(new Set(bought.map(({ hash }) => hash)), opened)

  // Once more: there is nothing left to do.
  await using idle = exchange.example('resume-after-crash', plan, environment)
  assert.equal(await idle.ended, 0, idle.errors())
  assert.equal((await alice.getAccountState()).body.positions?.length, SLICES)

  // A journal belongs to one plan.
  await using another = exchange.example('resume-after-crash', [journal, 'ETH', '1'], environment)
  assert.equal(await another.ended, 1)
  assert.match(another.errors(), /the journal of another plan/)
})
