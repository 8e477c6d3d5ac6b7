// The beginning of the log of pages: an archive that is older than its log.

import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { testContracts } from '../../../test/index/history.ts'
import { createIndexFixture, PASSPHRASE } from '../../../test/index/fixture.ts'
import type { IndexFixture } from '../../../test/index/fixture.ts'
import { emptyIndex } from '../../../test/index/tables.ts'
import { checkPageLog } from '../../../test/sim/checkers/page-log.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { currentDeploymentOf } from '../../../test/support/deployments.ts'
import { beginPageLog } from './begin-log.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))

const EVENTS_PER_LEDGER = 5

function play({ exchange, queue, closeLedger }: IndexFixture, ledgers: number): void {
  for (let ledger = 0; ledger < ledgers; ledger++) {
    for (let pick = 0; pick < EVENTS_PER_LEDGER; pick++) queue(exchange.open(pick + ledger, ledger))
    closeLedger()
  }
}

/** Leaves an archive as a version without the log has written it. */
async function removeLog(): Promise<void> {
  for (const table of ['log_records', 'log_nodes', 'log_head']) await store.write.query(`delete from idx.${table}`)
}

/** The kinds and ledgers of the records, with their numbers of events. */
async function recordsOfLog(): Promise<readonly string[]> {
  const { records } = await checkPageLog(store.read)
  return records.map(({ kind, fromLedger, toLedger, events }) => `${kind} ${fromLedger} to ${toLedger}: ${events}`)
}

test('an archive that is older than its log becomes one large page, which a repair corrects as a whole', async () => {
  await using fixture = createIndexFixture(store)
  fixture.node.pageCap = 7
  play(fixture, 6)
  await fixture.catchUp()
  const last = fixture.node.latest().sequence
  await removeLog()
  await store.write.query('delete from idx.events where ledger = $1', [last - 3])
  await fixture.restart()
  play(fixture, 1)
  await fixture.catchUp()
  const before = await recordsOfLog()
  const [epoch = '', page = '', ...later] = before
  assert.ok(epoch.startsWith('epoch'), epoch)
  assert.ok(page.startsWith('page') && page.endsWith(`to ${last}: ${5 * EVENTS_PER_LEDGER}`), page)
  assert.ok(later.every((record) => record.startsWith(`page ${last + 1} to ${last + 1}:`)), later.join())

  await fixture.verify()
  const corrections = (await recordsOfLog()).slice(before.length)
  assert.deepEqual(corrections, [page.replace(/^page (.*): 25$/, 'correction $1: 30')])
})

test('a large page is cut at ends of ledgers, so that a repair hashes few events again', async () => {
  await using fixture = createIndexFixture(store)
  play(fixture, 6)
  await fixture.catchUp()
  const last = fixture.node.latest().sequence
  await removeLog()
  const eventsMax = 2 * EVENTS_PER_LEDGER + 1
  await beginPageLog(store.write, currentDeploymentOf(testContracts(1), { passphrase: PASSPHRASE }), eventsMax)
  const pages = (await recordsOfLog()).slice(1)
  assert.deepEqual(pages.map((record) => record.replace(/^page \d+ /, '')), [`to ${last - 4}: 10`, `to ${last - 2}: 10`, `to ${last}: 10`])

  await removeLog()
  // One ledger that has more is one page.
  await beginPageLog(store.write, currentDeploymentOf(testContracts(1), { passphrase: PASSPHRASE }), EVENTS_PER_LEDGER - 1)
  assert.equal((await recordsOfLog()).filter((record) => record.endsWith(': 5')).length, 6)
})
