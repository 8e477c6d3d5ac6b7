// The embedded engine in memory and in this thread: fast and deterministic, for thousands of calls per second. Threads, time limits and maintenance have tests
// of their own.

import { readFile } from 'node:fs/promises'
import { assert } from '../../src/base/assert.ts'
import { createSystemClock } from '../../src/base/clock.ts'
import { openEngine } from '../../src/store/embedded/engine.ts'
import { createListeners } from '../../src/store/embedded/listeners.ts'
import type { StatementResult } from '../../src/store/embedded/messages.ts'
import { toStoreError, readFailure } from '../../src/store/failures.ts'
import { createMutex } from '../../src/store/mutex.ts'
import { textOf } from '../../src/store/sql.ts'
import type { Statement } from '../../src/store/sql.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import type { Param, Queryable, Store, Writer } from '../../src/store/store.ts'
import { runTransaction } from '../../src/store/transaction.ts'
import { encodeParams } from '../../src/store/values.ts'
import { readBaseline, restoreBaseline } from '../support/baseline.ts'
import { ensureEmbeddedTemplate } from '../support/database.ts'

interface InProcessStore extends Store {
  /** Restores the state after the migrations. No lock or transaction may be open. */
  clear(): Promise<void>
}

/** Opens a migrated store. This takes a second, so clear one instead of opening many. */
export async function openInProcessStore(): Promise<InProcessStore> {
  const template = new Uint8Array(await readFile(await ensureEmbeddedTemplate()))
  const disk = { fsync() {}, onWrite() {}, onFailure(error: Error): never { throw error } }
  const engine = await openEngine({ directory: null, template, disk })
  const clock = createSystemClock({ keepAlive: false })
  const runExclusive = createMutex()
  const locks = new Map<string, AbortController>()
  const listeners = createListeners((sql) => runExclusive(() => run('write', sql)))
  engine.onNotification((channel, payload) => listeners.notify(channel, payload))

  async function run(access: 'read' | 'write', sql: string, params?: readonly Param[]): Promise<StatementResult> {
    try {
      return await engine.run({ access, sql, params: params === undefined ? null : encodeParams(params) })
    } catch (cause) {
      throw toStoreError(readFailure(cause), { mayWrite: access === 'write' })
    }
  }

  function queryable(access: 'read' | 'write'): Queryable {
    return {
      query: <Row extends object>(statement: Statement<Row> | string, params?: readonly Param[]) =>
        runExclusive(async () => (await run(access, textOf(statement), params)).rows as Row[]),
    }
  }

  const write: Writer = {
    ...queryable('write'),
    run: (statement, params) => runExclusive(async () => void (await run('write', textOf(statement), params))),
    transaction: (work) => runExclusive(() => runTransaction((statement, params) => run('write', textOf(statement), params), clock, work, listeners)),
  }
  const baseline = await readBaseline(queryable('read'))
  return {
    engine: 'embedded',
    readsLag: false,
    read: queryable('read'),
    lookups: queryable('read'),
    write,
    writeProblem: async () => null,
    waiting: () => ({ reads: 0, writes: 0 }),
    isLocked: async (name) => locks.has(name),
    async tryLock(name) {
      if (locks.has(name)) return undefined
      const lost = new AbortController()
      locks.set(name, lost)
      const check = (): void => {
        if (locks.get(name) !== lost) throw new StoreUnavailable('the writer lock was released')
      }
      const db: Writer = {
        query: async (statement, params) => (check(), await write.query(statement, params)),
        run: async (statement, params) => (check(), await write.run(statement, params)),
        transaction: async (work) => (check(), await write.transaction(work)),
      }
      return { db, lost: lost.signal, [Symbol.asyncDispose]: async () => void (locks.get(name) === lost && locks.delete(name)) }
    },
    listen: listeners.listen,
    async clear() {
      assert(await restoreBaseline(write, baseline), 'nothing but rows changed')
    },
    [Symbol.asyncDispose]: () => runExclusive(() => engine.close()),
  }
}
