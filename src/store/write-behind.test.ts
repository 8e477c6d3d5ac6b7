// Writes that are sent ahead must behave as writes that are waited for: in order, and all or nothing.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { sql, textOf } from './sql.ts'
import type { Table } from './sql.ts'
import { StatementFailed } from './store.ts'
import type { Writable } from './store.ts'
import { withWriteBehind } from './write-behind.ts'

const tables = new Map<string, Table>()

/** The table of this name, the same one each time. */
function table(name: string): Table {
  const known = tables.get(name) ?? { schema: 'idx', name, columns: {} }
  tables.set(name, known)
  return known
}

test('sends three writes at a time, holds a bounded number, and lets statements that concern other tables overtake them', async () => {
  const sent: string[] = []
  const release: (() => void)[] = []
  const tx: Writable = {
    query: (statement) => {
      sent.push(textOf(statement))
      return Promise.resolve([])
    },
    run: (statement) => {
      sent.push(textOf(statement))
      return new Promise((resolve) => void release.push(resolve))
    },
  }
  let written = 0
  const work = withWriteBehind(tx, async (behind) => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']) await behind.run(sql`${sql.insertInto(table(name))} values ($1)`, [1])
    await behind.query(sql`select x from ${table('other')}`, [])
    await behind.query(sql`select x from ${table('h')}`, [])
    await behind.run(sql`${sql.insertInto(table('j'))} select 1`, [])
    await behind.query(sql`${sql.insertInto(table('counted'))} values ($1) returning x`, [1])
    await behind.query(sql`${sql.update(table('k'))} set x = 1 returning x`, [])
    await behind.query(sql`with changed as (${sql.update(table('l'))} set x = 1 returning x) select count(*) from changed`, [])
    await behind.query('select 1 from idx.unknown')
    for (; written < 80; written++) await behind.run(sql`${sql.insertInto(table('note'))} values ($1)`, [written])
  })
  const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
  while (!sent.some((text) => text.includes('unknown'))) await nextTurn()
  const order = sent.map((text) => /idx\.(\w+)/.exec(text)?.[1])
  assert.deepEqual(order, ['a', 'b', 'c', 'other', 'd', 'e', 'f', 'g', 'h', 'h', 'counted', 'i', 'j', 'k', 'k', 'l', 'j', 'unknown'])
  for (let turn = 0; turn < 100; turn++) await nextTurn()
  assert.deepEqual([sent.length, written], [18, 48])
  const releasing = setInterval(() => release.splice(0).forEach((resolve) => resolve()), 0)
  await work
  clearInterval(releasing)
  assert.equal(sent.length, 98)
})

test('reads see the writes before them, on a database', async () => {
  await using store = await openTestStore({ newEngine: true })
  await store.write.query('create table note (id int primary key)')
  const counts = await store.write.transaction((tx) => withWriteBehind(tx, async (behind) => {
    const found: number[] = []
    for (let id = 1; id <= 40; id++) {
      await behind.run('insert into note values ($1)', [id])
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
  const endings: readonly ((tx: Writable) => Promise<unknown>)[] = [
    async () => {},
    (tx) => tx.query('select 1', []),
    (tx) => tx.run('insert into note values ($1)', [3]),
    () => Promise.reject(new Error('the page is refused')),
  ]
  for (const end of endings) {
    const transaction = store.write.transaction((tx) => withWriteBehind(tx, async (behind) => {
      await behind.run('insert into note values ($1)', [1])
      await behind.run('insert into note values ($1)', [1])
      await behind.run('insert into note values ($1)', [2])
      await end(behind)
    }))
    await assert.rejects(transaction, isDuplicate)
    assert.deepEqual(await store.write.query('select id from note'), [])
  }
})
