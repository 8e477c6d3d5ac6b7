// Ctrl-C or kill -9, then npm start: chain and history continue.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Snapshot {
  /** The hash of an old ledger. */
  readonly ledgerHash: string
  readonly latestLedger: number
  readonly contracts: unknown
  readonly events: readonly unknown[]
  readonly trades: readonly { readonly eventId: string }[]
}

const OLD_LEDGER = 5

/** Reads chain and history once the index is in sync. */
async function readSnapshot(main: MainProcess): Promise<Snapshot> {
  await main.waitForLine(/^Indexer in sync/)
  const { ledgers } = await main.control<{ ledgers: { hash: string }[] }>('getLedgers', { startLedger: OLD_LEDGER, pagination: { limit: 1 } })
  const { sequence } = await main.control<{ sequence: number }>('getLatestLedger')
  const { contracts } = await main.get<{ contracts: unknown }>('/v1/health')
  const { events } = await main.get<{ events: unknown[] }>('/v1/events?limit=200')
  const { trades } = await main.get<{ trades: { eventId: string }[] }>('/v1/trades?limit=200')
  return { ledgerHash: ledgers[0]?.hash ?? '', latestLedger: sequence, contracts, events, trades }
}

function assertContinues(before: Snapshot, after: Snapshot): void {
  assert.equal(after.ledgerHash, before.ledgerHash, 'the chain changed')
  assert.ok(after.latestLedger >= before.latestLedger, `${after.latestLedger} after ${before.latestLedger}`)
  assert.deepEqual(after.contracts, before.contracts)
  const servedEvents = new Set(after.events.map((event) => JSON.stringify(event)))
  for (const event of before.events) assert.ok(servedEvents.has(JSON.stringify(event)), `missing: ${JSON.stringify(event)}`)
  const servedTrades = after.trades.map((trade) => JSON.stringify(trade))
  for (const trade of before.trades) assert.equal(servedTrades.filter((served) => served === JSON.stringify(trade)).length, 1, JSON.stringify(trade))
}

test('continues the same chain and history after Ctrl-C and after kill -9', async () => {
  await using folder = await temporaryFolder()
  const environment = { DATA_DIR: folder.path, LOCAL_SEED: 'restart', LOCAL_TRADERS: '4' }
  await using first = startMain(environment)
  const initial = await readSnapshot(first)
  assert.ok(initial.trades.length > 0, 'a new network has trades once its index is in sync')
  assert.equal(await first.stop('SIGINT'), 0, first.errors())
  assert.equal(await first.waitForLine(/^Stopping/), 'Stopping. Press Ctrl-C again to quit immediately.')

  await using second = startMain(environment)
  const afterCtrlC = await readSnapshot(second)
  assertContinues(initial, afterCtrlC)
  assert.equal(await second.stop('SIGKILL'), 'SIGKILL')

  await using third = startMain(environment)
  assertContinues(afterCtrlC, await readSnapshot(third))
  assert.equal(await third.stop('SIGTERM'), 0, third.errors())
  for (const { errors } of [first, second, third]) assert.doesNotMatch(errors(), /"level":(50|60)/)
})
