// What is moved to another database is read from the catalogue: every table with its key and its columns, after those that it refers to.

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { openTestStore } from '../../../test/support/database.ts'
import { readTables } from './tables.ts'

test('reads the key of each table in its order, the columns that can be written, and referenced tables first', async () => {
  await using store = await openTestStore({ newEngine: true })
  await store.write.query(`create table moved_parent (id int, "Name" text, kind text, primary key ("Name", id))`)
  await store.write.query(`create table moved_child (
    name text, number int, note text, length int generated always as (number * 2) stored, primary key (number),
    foreign key (name, number) references moved_parent ("Name", id))`)
  // A name that sorts before that of the table it refers to.
  await store.write.query('create table moved_before (number int references moved_child, text text)')
  const tables = (await readTables(store.read)).filter(({ name }) => name.includes('moved_'))
  assert.deepEqual(tables, [
    { name: '"public"."moved_parent"', key: ['"Name"', '"id"'], columns: ['"id"', '"Name"', '"kind"'] },
    { name: '"public"."moved_child"', key: ['"number"'], columns: ['"name"', '"number"', '"note"'] },
    { name: '"public"."moved_before"', key: [], columns: ['"number"', '"text"'] },
  ])
})
