// A statement has the text that the code wrote, the tables that it names, and the schemas that it is given.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { columns, expression, type } from './columns.ts'
import type { RowOf } from './columns.ts'
import { insertReturning, insertRows } from './insert-rows.ts'
import type { InsertedColumns } from './insert-rows.ts'
import { scopedQueryable } from './scoped-store.ts'
import { sql, tableIn, textOf, withSchemas } from './sql.ts'
import type { Statement } from './sql.ts'
import { idx } from './tables.ts'

const names = (statement: Statement): string[] => [...statement.tables].map(({ schema, name }) => `${schema}.${name}`)

test('a statement knows the tables that it names and those that it changes, also those of its parts', () => {
  const newest = sql`(select max(seq) from ${idx.events})`
  const statement = sql`with gone as (${sql.deleteFrom(idx.ledgers)} where last_seq > $1 returning *)
    ${sql.update(idx.cursor)} set last_seq = ${newest} from gone limit ${5}`
  assert.equal(textOf(statement), `with gone as (delete from idx.ledgers where last_seq > $1 returning *)
    update idx.cursor set last_seq = (select max(seq) from idx.events) from gone limit 5`)
  assert.deepEqual(names(statement), ['idx.ledgers', 'idx.cursor', 'idx.events'])
  assert.deepEqual([...statement.changes], [idx.ledgers, idx.cursor])
  assert.equal(textOf(sql.join([sql`a`, 'b', newest], ', ')), 'a, b, (select max(seq) from idx.events)')
})

test('only an insert that names no other table is plain', () => {
  assert.equal(sql`${sql.insertInto(idx.ledgers)} (epoch) values ($1)`.isPlainInsert, true)
  assert.equal(sql`${sql.insertInto(idx.ledgers)} (epoch) select number from ${idx.epochs}`.isPlainInsert, false)
  assert.equal(sql`${sql.update(idx.ledgers)} set epoch = 1`.isPlainInsert, false)
})

test('a text with the same parts is built once, and with other parts again', () => {
  const build = (limit: number): Statement => sql`select 1 from ${idx.events} limit ${limit}`
  assert.equal(build(1), build(1))
  assert.deepEqual([build(1), build(2), build(1)].map(textOf), [1, 2, 1].map((limit) => `select 1 from idx.events limit ${limit}`))
})

test('schemas are mapped by table, one mapping after another, and each result is built once', () => {
  const statement = sql`${sql.insertInto(idx.opens)} select e.seq from ${idx.events} e, ${sql.schemaText('idx')} s`
  const toCopy = (schema: string, table: string | null): string => (table === 'opens' ? 'shadow' : schema)
  const toSide = (schema: string): string => `side_${schema}`
  const copied = withSchemas(statement, toCopy)
  assert.equal(textOf(copied), "insert into shadow.opens select e.seq from idx.events e, 'idx' s")
  assert.equal(textOf(withSchemas(copied, toSide)), "insert into side_shadow.opens select e.seq from side_idx.events e, 'side_idx' s")
  assert.deepEqual([...copied.changes], [tableIn(idx.opens, 'shadow')])
  assert.equal(withSchemas(statement, toCopy), copied)
})

test('a plain text is the same in every schema', async () => {
  const sent: string[] = []
  const db = scopedQueryable({ query: async (statement) => (sent.push(textOf(statement)), []) }, 'side')
  await db.query('select 1 from keys.api_keys')
  await db.query(sql`select 1 from ${idx.events}`)
  assert.deepEqual(sent, ['select 1 from keys.api_keys', 'select 1 from side.events'])
})

test('rows are inserted with the types of their columns, and read with the types of a select list', async () => {
  await using store = await openTestStore()
  const anchors = Array.from({ length: 100 }, (_, ledger) => ({ ledger, hash: `h${ledger}` }))
  const before = ({ hash }: { readonly hash: string }): string => `before ${hash}`
  const inserted = { chain: { all: 7 }, ledger: 'ledger', hash: 'hash', previous_hash: before, close_ts: sql`$1 + 1` } as const
  await insertRows(store.write, idx.anchors, anchors, inserted)
  await insertRows(store.write, idx.anchors, anchors, inserted, sql`on conflict do nothing`)
  await insertRows(store.write, idx.anchors, anchors.slice(0, 0), inserted)
  const ROW = columns(idx.anchors, 'a', {
    ledger: 'ledger', previousHash: 'previous_hash', closeTs: 'close_ts', even: expression<boolean>(sql`a.ledger % 2 = 0`),
  })
  const rows = await store.read.query(sql`select ${ROW} from ${idx.anchors} a where a.chain = 7 order by a.ledger desc limit 1`)
  const checked: readonly { readonly ledger: number; readonly previousHash: string; readonly closeTs: number | null; readonly even: boolean }[] = rows
  assert.deepEqual(checked, [{ ledger: 99, previousHash: 'before h99', closeTs: 8, even: false }])
  const returned = await insertReturning(
    store.write, idx.contract_code, [{ hash: 'w', spec: '{"events":[]}' }], { wasm_hash: 'hash', spec: 'spec', read_at: { all: 1 } },
    columns(idx.contract_code, 'contract_code', { spec: ['spec', type<{ readonly events: readonly string[] }>], problem: 'problem' }),
  )
  assert.deepEqual(returned, [{ spec: { events: [] }, problem: null }])
})

type Fits<Value, Of> = Value extends Of ? true : false

test('the compiler refuses unknown columns and values of another type', () => {
  type Inserted = InsertedColumns<typeof idx.ledgers, { readonly epoch: number; readonly text: string }>
  const fitting: Fits<{ epoch: 'epoch'; ledger: () => number }, Inserted> = true
  const otherType: Fits<{ ledger: 'text' }, Inserted> = false
  const otherKey: Fits<{ ledger: 'missing' }, Inserted> = false
  const otherColumn: Fits<'sequence', keyof typeof idx.events.columns> = false
  const otherRow: Fits<RowOf<ReturnType<typeof columns<typeof idx.events, { seq: 'seq' }>>>, { readonly seq: string }> = false
  assert.deepEqual([fitting, otherType, otherKey, otherColumn, otherRow], [true, false, false, false, false])
})
