// Writes that are sent ahead must behave as writes that are waited for: in order, and all or nothing.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { StatementFailed } from './store.ts'
import type { Queryable } from './store.ts'
import { withWriteBehind } from './write-behind.ts'

test('sends writes without waiting, and waits for reads and for at most sixteen writes', async () => {
  const sent: string[] = []
  let release: () => void = () => {}
  const tx: Queryable = {
    query: (sql) => {
      sent.push(sql)
      return new Promise((resolve) => void (release = () => resolve([])))
    },
  }
  const work = withWriteBehind(tx, async (behind) => {
    for (let id = 1; id <= 20; id++) await behind.query('insert into note values ($1)', [id])
  })
  const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
  while (sent.length < 17) await nextTurn()
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  assert.equal(sent.length, 17)
  work.catch(() => {})
  release()
})

test('reads see the writes before them, on a database', async () => {
  await using store = await openTestStore({ newEngine: true })
  await store.write.query('create table note (id int primary key)')
  const counts = await store.write.transaction((tx) => withWriteBehind(tx, async (behind) => {
    const found: number[] = []
    for (let id = 1; id <= 40; id++) {
      await behind.query('insert into note values ($1)', [id])
      if (id % 10 === 0) found.push((await behind.query<{ count: number }>('select count(*) as count from note', []))[0]?.count ?? 0)
    }
    assert.deepEqual(await behind.query('update note set id = id + 100 where id = $1 returning id', [1]), [{ id: 101 }])
    return found
  }))
  assert.deepEqual(counts, [10, 20, 30, 40])
})

test('a failed write rolls everything back and is the failure that is raised, whatever came after it', async () => {
  await using store = await openTestStore({ newEngine: true })
  await store.write.query('create table note (id int primary key)')
  const isDuplicate = (error: unknown): boolean => error instanceof StatementFailed && error.code === '23505'
  const endings: readonly ((tx: Queryable) => Promise<unknown>)[] = [
    async () => {},
    (tx) => tx.query('select 1', []),
    (tx) => tx.query('insert into note values ($1)', [3]),
    () => Promise.reject(new Error('the page is refused')),
  ]
  for (const end of endings) {
    const transaction = store.write.transaction((tx) => withWriteBehind(tx, async (behind) => {
      await behind.query('insert into note values ($1)', [1])
      await behind.query('insert into note values ($1)', [1])
      await behind.query('insert into note values ($1)', [2])
      await end(behind)
    }))
    await assert.rejects(transaction, isDuplicate)
    assert.deepEqual(await store.write.query('select id from note'), [])
  }
})
