// A store whose statements use another schema for the index: a second, complete index in the same database.

import type { Queryable, Store, Writer } from './store.ts'

/** The schemas of an index: the tables, and the copy that a rebuild builds. */
const INDEX_SCHEMAS = /\b(idx|shadow)\b/g
/** There are about a hundred statements, some in several forms. */
const STATEMENTS_MAX = 1_000

/** Runs the statements on the index in `schema`. */
export function scopedQueryable(db: Queryable, schema: string): Queryable {
  const statements = new Map<string, string>()
  return {
    query(sql, params) {
      let scoped = statements.get(sql)
      if (scoped === undefined) {
        scoped = sql.replaceAll(INDEX_SCHEMAS, (name) => (name === 'idx' ? schema : `${schema}_${name}`))
        if (statements.size >= STATEMENTS_MAX) statements.clear()
        statements.set(sql, scoped)
      }
      return db.query(scoped, params)
    },
  }
}

/** The store of the index in `schema`. It does not own the connection: disposing it does nothing. */
export function scopedStore(store: Store, schema: string): Store {
  const writer = (db: Writer): Writer => ({
    ...scopedQueryable(db, schema),
    transaction: (work) => db.transaction((tx) => work(scopedQueryable(tx, schema))),
  })
  return {
    engine: store.engine,
    readsLag: store.readsLag,
    read: scopedQueryable(store.read, schema),
    write: writer(store.write),
    waiting: () => store.waiting(),
    listen: (channel, callback, onConnected) => store.listen(channel, callback, onConnected),
    async tryLock(name) {
      const lock = await store.tryLock(`${name} ${schema}`)
      return lock === undefined ? undefined : { db: writer(lock.db), lost: lock.lost, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() }
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
