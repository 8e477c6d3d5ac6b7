// The rehearsal of an upgrade that docs/operating.md describes, by its own command: to protocol 30, over a kill -9, and to a protocol that does not exist.

import { strict as assert } from 'node:assert'
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import { KNOWN_PROTOCOL } from '../../src/base/protocol.ts'
import type { Health } from '../../src/resources/health.ts'
import { blocksOf, readPage } from '../docs/markdown.ts'
import { startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const UNRELEASED = KNOWN_PROTOCOL + 1

async function health(main: MainProcess): Promise<Health> {
  return await main.get<Health>('/v1/health')
}

/** The command of the page, sent to this process. */
async function rehearse(main: MainProcess): Promise<void> {
  const section = readPage('docs/operating.md').split('\n## ').find((part) => part.startsWith('Protocol upgrades')) ?? ''
  const command = blocksOf(section).map(({ text }) => text).find((text) => text.includes('local_upgradeProtocol')) ?? assert.fail('the page has the command')
  const printed = execFileSync('sh', ['-c', command.replace('http://127.0.0.1:8000/rpc', await main.rpcUrl())], { encoding: 'utf8' })
  assert.match(printed, /"protocol":30/)
}

/** Waits until the index has this protocol, and some ledgers after the one that upgraded the network. */
async function untilIndexed(main: MainProcess, protocol: number): Promise<Health> {
  await until(async () => (await health(main)).protocol.network === protocol, `protocol ${protocol} in the index`)
  const { indexer: { lastLedger } } = await health(main)
  await until(async () => ((await health(main)).indexer.lastLedger ?? 0) >= (lastLedger ?? 0) + 2, `ledgers of protocol ${protocol} in the index`)
  return await health(main)
}

test('the documented rehearsal upgrades the network, and the gateway continues, also with a protocol that it does not know', async () => {
  await using folder = await temporaryFolder()
  const environment = { DATA_DIR: folder.path, LOCAL_SEED: 'upgrade', LOCAL_TRADERS: '2', LOCAL_PROTOCOL: '29', LOCAL_LEDGER_MS: '1000', LOG_FORMAT: 'json' }
  await using first = startMain(environment)
  await first.waitForLine(/^Indexer in sync/)
  assert.deepEqual((await health(first)).protocol, { network: 29, known: KNOWN_PROTOCOL, unknown: [] })
  await rehearse(first)
  assert.deepEqual((await untilIndexed(first, 30)).protocol.unknown, [])
  assert.equal(await first.stop('SIGKILL'), 'SIGKILL')

  await using second = startMain(environment)
  await second.waitForLine(/^Indexer in sync/)
  assert.equal((await untilIndexed(second, 30)).indexer.gaps, 0)
  assert.deepEqual(await second.get('/readyz'), { status: 'ready' })
  await second.control('local_upgradeProtocol', { protocol: UNRELEASED, unreleased: true })
  const { protocol, indexer: { gaps } } = await untilIndexed(second, UNRELEASED)
  assert.deepEqual([protocol.unknown.includes('ledger value type 5'), gaps], [true, 0])
  assert.deepEqual(await second.get('/readyz'), { status: 'ready', warnings: ['protocol_newer'] })
  assert.equal(await second.stop('SIGTERM'), 0)
  const reports = second.errors().split('\n').filter((line) => line.includes('the network is newer than this gateway') && line.includes('ledger value type 5'))
  assert.equal(reports.length, 1, 'the log names it once')
  assert.doesNotMatch(second.errors(), /impossible data|no valid page/)
})
