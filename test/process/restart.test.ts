// Ctrl-C, kill -9, and npm start again: the same chain and the same history go on.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { temporaryFolder } from '../support/store-child.ts'

interface Past {
  /** Of a ledger that lies well behind. */
  readonly ledgerHash: string
  readonly latestLedger: number
  readonly contracts: unknown
  readonly events: readonly unknown[]
  readonly trades: readonly { readonly eventId: string }[]
}

const OLD_LEDGER = 5

async function rpc<Result>(main: { rpcUrl: string }, method: string, params: object): Promise<Result> {
  const answer = await fetch(main.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await answer.json()) as { result: Result }).result
}

/** What can be read of the past, once the index follows the chain. */
async function readPast(main: MainProcess): Promise<Past> {
  const rpcUrl = /http:\S+/.exec(await main.waitForLine(/^ *Network +local/))?.[0] ?? ''
  await main.waitForLine(/^Indexer in sync/)
  const { ledgers } = await rpc<{ ledgers: { sequence: number; hash: string }[] }>({ rpcUrl }, 'getLedgers', {
    startLedger: OLD_LEDGER, pagination: { limit: 1 },
  })
  const { sequence } = await rpc<{ sequence: number }>({ rpcUrl }, 'getLatestLedger', {})
  const { contracts } = await main.get<{ contracts: unknown }>('/v1/health')
  const { events } = await main.get<{ events: unknown[] }>('/v1/events?limit=200')
  const { trades } = await main.get<{ trades: { eventId: string }[] }>('/v1/trades?limit=200')
  return { ledgerHash: ledgers[0]?.hash ?? '', latestLedger: sequence, contracts, events, trades }
}

function assertGoesOn(before: Past, after: Past): void {
  assert.equal(after.ledgerHash, before.ledgerHash, 'another chain')
  assert.ok(after.latestLedger >= before.latestLedger, `${after.latestLedger} after ${before.latestLedger}`)
  assert.deepEqual(after.contracts, before.contracts)
  const known = new Set(after.events.map((event) => JSON.stringify(event)))
  for (const event of before.events) assert.ok(known.has(JSON.stringify(event)), `lost: ${JSON.stringify(event)}`)
  const found = after.trades.map((trade) => JSON.stringify(trade))
  for (const trade of before.trades) assert.equal(found.filter((one) => one === JSON.stringify(trade)).length, 1, JSON.stringify(trade))
}

test('after Ctrl-C and after kill -9 the same chain and the same history go on', async () => {
  await using folder = await temporaryFolder()
  const environment = { DATA_DIR: folder.path, LOCAL_SEED: 'restart', LOCAL_TRADERS: '4' }
  await using first = startMain(environment)
  const atFirst = await readPast(first)
  assert.ok(atFirst.trades.length > 0, 'a new network has trades as soon as its index follows')
  assert.equal(await first.stop('SIGINT'), 0, first.errors())
  assert.equal(await first.waitForLine(/^Stopping/), 'Stopping. Press Ctrl-C again to quit immediately.')

  await using second = startMain(environment)
  const afterCtrlC = await readPast(second)
  assertGoesOn(atFirst, afterCtrlC)
  assert.equal(await second.stop('SIGKILL'), 'SIGKILL')

  await using third = startMain(environment)
  assertGoesOn(afterCtrlC, await readPast(third))
  assert.equal(await third.stop('SIGTERM'), 0, third.errors())
  for (const { errors } of [first, second, third]) assert.doesNotMatch(errors(), /"level":(50|60)/)
})
