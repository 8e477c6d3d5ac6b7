// The positions of submissions' changes in the log.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { readIndexCursor, readIndexState } from '../../projections/state/index-state.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { ConnectionBroken, createIndexFixture } from '../../../test/index/fixture.ts'
import type { IndexFixture } from '../../../test/index/fixture.ts'
import { emptyIndex } from '../../../test/index/tables.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(async () => {
  await emptyIndex(store.write)
  await store.write.query('truncate tx.submission_changes restart identity')
})

/** Appends changes, as the driver of submissions does. */
async function submit(count: number): Promise<void> {
  await store.write.query(
    `insert into tx.submission_changes (owner, hash, row, changed_at) select 'G', 'h' || n, '{}', 0 from generate_series(1, $1::int) n`, [count],
  )
}

async function seqs(): Promise<readonly (number | null)[]> {
  return (await store.read.query<{ seq: number | null }>('select seq from tx.submission_changes order by id')).map(({ seq }) => seq)
}

async function trade(fixture: IndexFixture, pick: number): Promise<void> {
  fixture.queue(fixture.exchange.open(pick, 1))
  fixture.closeLedger()
  await fixture.catchUp()
}

async function eventSeqs(): Promise<readonly number[]> {
  return (await store.read.query<{ seq: number }>('select seq from idx.events order by seq')).map(({ seq }) => seq)
}

test('changes get seqs between pages, in their order, and each seq once', async () => {
  await using fixture = createIndexFixture(store)
  await submit(1)
  assert.equal(await fixture.indexer.numberSubmissions(), 0, 'there is no log before the first epoch')
  await trade(fixture, 1)
  await submit(2)
  assert.equal(await fixture.indexer.numberSubmissions(), 3)
  await trade(fixture, 2)
  await submit(1)
  assert.equal(await fixture.indexer.numberSubmissions(), 1)
  assert.equal(await fixture.indexer.numberSubmissions(), 0)
  await trade(fixture, 3)
  assert.deepEqual([await eventSeqs(), await seqs()], [[1, 5, 7], [2, 3, 4, 6]])
  assert.equal((await readIndexCursor(store.read))?.lastSeq, 7)
})

test('numbering does not make the index look newer than it is', async () => {
  await using fixture = createIndexFixture(store)
  await trade(fixture, 1)
  const before = await readIndexState(store.read)
  fixture.clock.advance(60_000)
  await submit(1)
  await fixture.indexer.numberSubmissions()
  const now = await readIndexState(store.read)
  assert.deepEqual({ ...now, seq: 0 }, { ...before, seq: 0 })
  assert.equal(now?.seq, (before?.seq ?? 0) + 1)
})

test('a kill while changes are numbered leaves the log before or after the batch', async () => {
  for (const fault of [{ beforeStatement: 0 }, { beforeStatement: 1 }, { beforeStatement: 2 }, 'after commit'] as const) {
    await emptyIndex(store.write)
    await store.write.query('truncate tx.submission_changes restart identity')
    await using fixture = createIndexFixture(store)
    await trade(fixture, 1)
    await submit(2)
    fixture.nextFault = fault
    await fixture.indexer.numberSubmissions().catch((error: unknown) => assert.ok(error instanceof ConnectionBroken))
    await fixture.restart()
    await fixture.indexer.numberSubmissions()
    await trade(fixture, 2)
    assert.deepEqual([await seqs(), await eventSeqs()], [[2, 3], [1, 4]], JSON.stringify(fault))
  }
})

test('a verification that adds an event moves the later changes with the later events', async () => {
  await using fixture = createIndexFixture(store)
  await trade(fixture, 1)
  await submit(1)
  await fixture.indexer.numberSubmissions()
  await trade(fixture, 2)
  await submit(1)
  await fixture.indexer.numberSubmissions()
  await store.write.query('delete from idx.events where seq = 1; update idx.event_counts set events = events - 1')
  const { added } = await fixture.verify()
  assert.equal(added, 1)
  const [first = 0, second = 0] = await eventSeqs()
  const [change, lastChange] = await seqs()
  assert.deepEqual([change, first, second, lastChange].toSorted((a, b) => Number(a) - Number(b)), [change, first, second, lastChange])
  // Only what the verification reports follows.
  const corrections = await store.read.query('select seq from idx.corrections where seq > $1', [lastChange ?? 0])
  assert.equal(Number(lastChange) + corrections.length, (await readIndexCursor(store.read))?.lastSeq)
})
