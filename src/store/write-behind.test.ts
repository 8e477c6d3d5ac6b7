// Writes that are sent ahead must behave as writes that are waited for: in order, and all or nothing.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { StatementFailed } from './store.ts'
import type { Queryable } from './store.ts'
import { withWriteBehind } from './write-behind.ts'

test('sends three writes at a time, holds a bounded number, and lets statements that concern other tables overtake them', async () => {
  const sent: string[] = []
  const release: (() => void)[] = []
  const tx: Queryable = {
    query: (sql) => {
      sent.push(sql)
      return !sql.startsWith('insert') || sql.includes('returning') ? Promise.resolve([]) : new Promise((resolve) => void release.push(() => resolve([])))
    },
  }
  let written = 0
  const work = withWriteBehind(tx, async (behind) => {
    for (const table of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']) await behind.query(`insert into idx.${table} values ($1)`, [1])
    await behind.query('select x from idx.other', [])
    await behind.query('select x from idx.h', [])
    await behind.query('insert into idx.j select 1', [])
    await behind.query('insert into idx.counted values ($1) returning x', [1])
    await behind.query('update idx.k set x = 1 returning x', [])
    await behind.query('with changed as (update idx.l set x = 1 returning x) select count(*) from changed', [])
    for (; written < 80; written++) await behind.query('insert into idx.note values ($1)', [written])
  })
  const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
  while (!sent.some((sql) => sql.startsWith('with'))) await nextTurn()
  const tables = sent.map((sql) => /idx\.(\w+)/.exec(sql)?.[1])
  assert.deepEqual(tables, ['a', 'b', 'c', 'other', 'd', 'e', 'f', 'g', 'h', 'h', 'counted', 'i', 'j', 'k', 'k', 'j', 'l'])
  for (let turn = 0; turn < 100; turn++) await nextTurn()
  assert.deepEqual([sent.length, written], [17, 48])
  const releasing = setInterval(() => release.splice(0).forEach((resolve) => resolve()), 0)
  await work
  clearInterval(releasing)
  assert.equal(sent.length, 97)
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
