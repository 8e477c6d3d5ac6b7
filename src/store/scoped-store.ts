// A store whose statements use another schema for the index: a second, complete index in the same database.

import type { Queryable, Store, Transaction, Writer } from './store.ts'

/** The schemas of an index: the tables, and the copy that a rebuild builds. */
const INDEX_SCHEMAS = /\b(idx|shadow)\b/g

/** Renaming takes about 10 µs per statement, which is little beside running it. */
function inSchema(sql: string, schema: string): string {
  return sql.replaceAll(INDEX_SCHEMAS, (name) => (name === 'idx' ? schema : `${schema}_${name}`))
}

/** Runs the statements on the index in `schema`. */
export function scopedQueryable(db: Queryable, schema: string): Queryable {
  return { query: (sql, params, caller) => db.query(inSchema(sql, schema), params, caller) }
}

function scopedTransaction(tx: Transaction, schema: string): Transaction {
  return { ...scopedQueryable(tx, schema), notify: (channel, sql, params) => tx.notify(channel, inSchema(sql, schema), params) }
}

/** The store of the index in `schema`. It does not own the connection: disposing it does nothing. */
export function scopedStore(store: Store, schema: string): Store {
  const writer = (db: Writer): Writer => ({
    ...scopedQueryable(db, schema),
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
