// Wraps a store so that each statement and each transaction is a span of a trace.

import type { Tracer } from '../base/tracer.ts'
import type { Queryable, Store, Transaction, Writer } from './store.ts'

/** This much of a statement identifies it. It never contains parameter values. */
const SPAN_STATEMENT_LENGTH = 500

/** The spans include the wait for a connection. */
export function tracedStore(store: Store, tracer: Tracer): Store {
  function traced<T>(sql: string, run: () => Promise<T>): Promise<T> {
    return tracer.span('sql', { 'db.system.name': 'postgresql', 'db.query.text': sql.slice(0, SPAN_STATEMENT_LENGTH) }, run)
  }
  function queryable(db: Queryable): Queryable {
    return { query: (sql, params, caller) => traced(sql, () => db.query(sql, params, caller)) }
  }
  function transaction(tx: Transaction): Transaction {
    return { ...queryable(tx), notify: (channel, sql, params) => traced(sql, () => tx.notify(channel, sql, params)) }
  }
  function writer(db: Writer): Writer {
    return {
      ...queryable(db),
      transaction: (work) => tracer.span('transaction', { 'db.system.name': 'postgresql' }, () => db.transaction((tx) => work(transaction(tx)))),
    }
  }
  return {
    engine: store.engine,
    readsLag: store.readsLag,
    read: queryable(store.read),
    lookups: queryable(store.lookups),
    write: writer(store.write),
    writeProblem: () => store.writeProblem(),
    waiting: () => store.waiting(),
    listen: (channel, callback, options) => store.listen(channel, callback, options),
    isLocked: (name) => store.isLocked(name),
    async tryLock(name) {
      const lock = await store.tryLock(name)
      return lock === undefined ? undefined : { db: writer(lock.db), lost: lock.lost, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() }
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
