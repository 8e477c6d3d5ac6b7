// A store whose statements use another schema for the index: a second, complete index in the same database.

import { withSchemas } from './sql.ts'
import type { SchemaMapping, Statement } from './sql.ts'
import type { Queryable, Store, Transaction, Writable, Writer } from './store.ts'

const mappings = new Map<string, SchemaMapping>()

/** Maps the schemas of an index, the tables and the copy that a rebuild builds, to those of the index in `schema`. The same one for the same schema. */
function mappingTo(schema: string): SchemaMapping {
  const known = mappings.get(schema) ?? ((name: string): string => (name === 'idx' ? schema : name === 'shadow' ? `${schema}_shadow` : name))
  mappings.set(schema, known)
  return known
}

/** Runs the statements on the tables that `mapping` gives. A plain text names no table that it could map. */
function mappedQueryable(db: Queryable, mapping: SchemaMapping): Queryable {
  return { query: (statement, params, caller) => db.query(map(statement, mapping), params, caller) }
}

export function mappedWritable(db: Writable, mapping: SchemaMapping): Writable {
  return { ...mappedQueryable(db, mapping), run: (statement, params) => db.run(map(statement, mapping), params) }
}

function map<Row extends object>(statement: Statement<Row> | string, mapping: SchemaMapping): Statement<Row> | string {
  return typeof statement === 'string' ? statement : withSchemas(statement, mapping)
}

/** Runs the statements on the index in `schema`. */
export function scopedQueryable(db: Queryable, schema: string): Queryable {
  return mappedQueryable(db, mappingTo(schema))
}

export function scopedWritable(db: Writable, schema: string): Writable {
  return mappedWritable(db, mappingTo(schema))
}

function scopedTransaction(tx: Transaction, schema: string): Transaction {
  return { ...scopedWritable(tx, schema), notify: (channel, statement, params) => tx.notify(channel, map(statement, mappingTo(schema)), params) }
}

/** The store of the index in `schema`. It does not own the connection: disposing it does nothing. */
export function scopedStore(store: Store, schema: string): Store {
  const writer = (db: Writer): Writer => ({
    ...scopedWritable(db, schema),
    transaction: (work) => db.transaction((tx) => work(scopedTransaction(tx, schema))),
  })
  return {
    engine: store.engine,
    readsLag: store.readsLag,
    read: scopedQueryable(store.read, schema),
    lookups: scopedQueryable(store.lookups, schema),
    write: writer(store.write),
    writeProblem: () => store.writeProblem(),
    waiting: () => store.waiting(),
    listen: (channel, callback, options) => store.listen(channel, callback, options),
    isLocked: (name) => store.isLocked(`${name} ${schema}`),
    async tryLock(name) {
      const lock = await store.tryLock(`${name} ${schema}`)
      return lock === undefined ? undefined : { db: writer(lock.db), lost: lock.lost, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() }
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
