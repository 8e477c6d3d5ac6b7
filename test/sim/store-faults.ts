// A faulty store for a simulated process. A transaction may fail before its commit, or be committed and report an error; a read may fail; a notification may be
// lost, late or sent twice. Killing the process releases its lock and rolls back its open transaction, as a server does for a lost connection.

import type { Clock } from '../../src/base/clock.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import type { Queryable, Store, Transaction, Writable, Writer, WriterLock } from '../../src/store/store.ts'
import type { Decisions, Option } from './decisions.ts'
import type { Killable } from './killable.ts'
import type { Profile } from './profile.ts'

interface FaultyStoreParts {
  /** The prefix of its decisions. */
  readonly name: string
  readonly real: Store
  readonly killable: Killable
  readonly decisions: Decisions
  readonly profile: Profile
  readonly clock: Clock
}

/** A write that may fail before or after its commit. */
async function mayFail<T>(choice: string | undefined, send: () => Promise<T>): Promise<T> {
  if (choice === 'fail before commit') throw new StoreUnavailable('the simulated connection broke before the commit')
  const result = await send()
  if (choice === 'fail after commit') throw new StoreUnavailable('the simulated connection broke after the commit')
  return result
}

export function createFaultyStore(parts: FaultyStoreParts): Store {
  const { name, real, killable, decisions, profile, clock } = parts
  const locks = new Set<WriterLock>()
  killable.onKilled(() => {
    const held = [...locks]
    locks.clear()
    for (const lock of held) void killable.track(() => Promise.resolve(lock[Symbol.asyncDispose]()))
  })

  function query(db: Queryable): Queryable['query'] {
    return (sql, params) => killable.run(() => db.query(sql, params), true)
  }

  function run(db: Writable): Writable['run'] {
    return (statement, params) => killable.run(() => db.run(statement, params), true)
  }

  function transaction(tx: Transaction): Transaction {
    return { query: query(tx), run: run(tx), notify: (channel, sql, params) => killable.run(() => tx.notify(channel, sql, params), true) }
  }

  function readable(db: Queryable, door: string): Queryable {
    return {
      query: (sql, params) => {
        const choice = decisions.decide(`${name} ${door}`, [{ chance: profile.store.failRead, choice: () => ({ name: 'fail' }) }])
        if (choice !== undefined) return Promise.reject(new StoreUnavailable('the simulated connection broke'))
        return query(db)(sql, params)
      },
    }
  }

  function writable(db: Writer, door: string): Writer {
    return {
      ...readable(db, door),
      run: run(db),
      transaction: (work) => {
        const choice = decisions.decide(`${name} transaction`, transactionOptions(profile))?.name ?? ''
        return killable.run(async () => {
          const result = await db.transaction(async (tx) => {
            const value = await killable.whileAlive(() => work(transaction(tx)))
            if (choice === 'fail before commit') throw new StoreUnavailable('the simulated connection broke before the commit')
            if (choice === 'die before commit') killable.kill()
            // The last checkpoint before the commit.
            killable.checkpoint()
            return killable.whileAlive(async () => value)
          })
          if (choice === 'die after commit') killable.kill()
          if (choice === 'fail after commit') throw new StoreUnavailable('the simulated connection broke after the commit')
          return result
        }, true)
      },
    }
  }

  /** A single statement is a transaction too: it may be committed and report an error. */
  function singleStatements(db: Writer): Writer {
    const decide = (): string | undefined => decisions.decide(`${name} write`, writeOptions(profile))?.name
    return {
      ...writable(db, 'read'),
      query: (statement, params) => mayFail(decide(), () => query(db)(statement, params)),
      run: (statement, params) => mayFail(decide(), () => run(db)(statement, params)),
    }
  }

  return {
    engine: real.engine,
    readsLag: real.readsLag,
    read: readable(real.read, 'read'),
    lookups: readable(real.lookups, 'read'),
    write: singleStatements(real.write),
    writeProblem: () => real.writeProblem(),
    waiting: () => real.waiting(),
    async listen(channel, callback, { onConnected, prepare } = {}) {
      const onNotification = (payload: string): void => {
        const choice = decisions.decide(`${name} notify`, notifyOptions(profile))
        const deliver = (): void => (killable.isDead() ? undefined : callback(payload))
        if (choice?.name === 'late') clock.setTimer(Number(choice['ms']), deliver)
        else if (choice?.name !== 'lost') deliver()
        if (choice?.name === 'twice') deliver()
      }
      // Ending a subscription takes real time, like every database call: virtual time waits for it.
      let stop = async (): Promise<void> => {}
      const stopAndWait = (): Promise<void> => killable.track(() => stop())
      killable.onKilled(() => void stopAndWait())
      await killable.run(async () => {
        stop = await real.listen(channel, onNotification, {
          onConnected: (isConnected) => (killable.isDead() ? undefined : onConnected?.(isConnected)),
          prepare: (payload) => (killable.isDead() ? undefined : prepare?.(payload)),
        })
        if (killable.isDead()) await stop()
      }, true)
      return stopAndWait
    },
    isLocked: (lockName) => killable.run(() => real.isLocked(lockName), true),
    async tryLock(lockName) {
      const lock = await killable.run(async () => {
        const taken = await real.tryLock(lockName)
        // A process that is killed while it takes the lock does not keep it.
        if (taken !== undefined && killable.isDead()) await taken[Symbol.asyncDispose]()
        else if (taken !== undefined) locks.add(taken)
        return taken
      }, true)
      if (lock === undefined) return undefined
      return {
        db: writable(lock.db, 'read'),
        lost: lock.lost,
        async [Symbol.asyncDispose]() {
          if (!locks.delete(lock)) return
          // A server takes a moment to release a session: virtual time waits for it.
          await killable.track(() => Promise.resolve(lock[Symbol.asyncDispose]()))
        },
      }
    },
    async [Symbol.asyncDispose]() {
      // The database outlives the process.
    },
  }
}

function writeOptions({ store }: Profile): readonly Option[] {
  return [
    { chance: store.failBeforeCommit, choice: () => ({ name: 'fail before commit' }) },
    { chance: store.failAfterCommit, choice: () => ({ name: 'fail after commit' }) },
  ]
}

function transactionOptions(profile: Profile): readonly Option[] {
  return [
    ...writeOptions(profile),
    { chance: profile.restart / 4, choice: () => ({ name: 'die before commit' }) },
    { chance: profile.restart / 4, choice: () => ({ name: 'die after commit' }) },
  ]
}

function notifyOptions({ notify }: Profile): readonly Option[] {
  return [
    { chance: notify?.lost ?? 0, choice: () => ({ name: 'lost' }) },
    { chance: notify?.twice ?? 0, choice: () => ({ name: 'twice' }) },
    { chance: notify?.late ?? 0, choice: (roll) => ({ name: 'late', ms: roll.integer(1, 5_000) }) },
  ]
}
