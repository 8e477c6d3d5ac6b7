// The writes of a large page are sent ahead of their results. What they leave must be what small pages leave, or nothing.

import { strict as assert } from 'node:assert'
import test, { after, beforeEach } from 'node:test'
import { INTEREST_VERSIONS } from '../../projections/state/version-blocks.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { ConnectionBroken, createIndexFixture } from '../../../test/index/fixture.ts'
import type { IndexFixture } from '../../../test/index/fixture.ts'
import { dumpArchive, dumpProjections, emptyIndex } from '../../../test/index/tables.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(beginLog)

const LEDGERS = 12
const EVENTS_PER_LEDGER = 40
/** Of a log in which a page begins, continues and ends blocks of all versions. */
const SEQS_BEFORE = INTEREST_VERSIONS.width - 100

async function beginLog(): Promise<void> {
  await emptyIndex(store.write)
  await store.write.query('update idx.cursor set reserved_seq = $1', [SEQS_BEFORE])
}

function closeLedgers({ exchange, queue, closeLedger }: IndexFixture): void {
  const kinds = [exchange.open, exchange.close, exchange.placeOrder, exchange.endOrder, exchange.liquidate, exchange.open, exchange.close]
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    for (let pick = 0; pick < EVENTS_PER_LEDGER; pick++) queue(kinds[(pick + ledger) % kinds.length]?.(pick * 7 + ledger, pick + ledger))
    queue(exchange.crossLiquidate(ledger))
    closeLedger()
  }
}

async function wholeIndex() {
  const ledgers = await store.read.query('select ledger, close_ts, first_seq, last_seq from idx.ledgers order by ledger')
  return { ledgers, archive: await dumpArchive(store.read), projections: await dumpProjections(store.read) }
}

test('a large page leaves the rows of small ones, and a failure within it leaves nothing', async () => {
  const expected = await (async () => {
    await using small = createIndexFixture(store)
    small.node.pageCap = 50
    closeLedgers(small)
    await small.catchUp()
    return await wholeIndex()
  })()
  await beginLog()
  await using large = createIndexFixture(store)
  closeLedgers(large)
  await large.untilEpoch()
  const before = await wholeIndex()
  for (const beforeStatement of [2, 9, 20, 30]) {
    large.nextFault = { beforeStatement }
    await assert.rejects(large.indexer.step(), ConnectionBroken)
    assert.deepEqual(await wholeIndex(), before, `a page that failed before statement ${beforeStatement} left rows behind`)
  }
  const pages = (await large.catchUp()).flatMap((result) => (result.kind === 'indexed' ? [result.events] : []))
  assert.ok(Math.max(...pages) > 300, `pages of ${pages.join(', ')} events`)
  assert.deepEqual(await wholeIndex(), expected)
})
