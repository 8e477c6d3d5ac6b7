// Wraps a store so that each statement and each transaction is a span of a trace.

import type { Tracer } from '../base/tracer.ts'
import { textOf } from './sql.ts'
import type { Statement } from './sql.ts'
import type { Queryable, Store, Transaction, Writable, Writer } from './store.ts'

/** This much of a statement identifies it. It never contains parameter values. */
const SPAN_STATEMENT_LENGTH = 500

/** The spans include the wait for a connection. */
export function tracedStore(store: Store, tracer: Tracer): Store {
  function traced<T>(statement: Statement | string, run: () => Promise<T>): Promise<T> {
    return tracer.span('sql', { 'db.system.name': 'postgresql', 'db.query.text': textOf(statement).slice(0, SPAN_STATEMENT_LENGTH) }, run)
  }
  function queryable(db: Queryable): Queryable {
    return { query: (statement, params, caller) => traced(statement, () => db.query(statement, params, caller)) }
  }
  function writable(db: Writable): Writable {
    return { ...queryable(db), run: (statement, params) => traced(statement, () => db.run(statement, params)) }
  }
  function transaction(tx: Transaction): Transaction {
    return { ...writable(tx), notify: (channel, statement, params) => traced(statement, () => tx.notify(channel, statement, params)) }
  }
  function writer(db: Writer): Writer {
    return {
      ...writable(db),
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
