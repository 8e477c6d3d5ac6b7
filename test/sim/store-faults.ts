// The store's door in a simulation, one per process: a transaction may fail before its commit, or be committed while its caller hears that it failed; a read
// may fail; a notification may be lost, come twice or late; and before and after any of these the process may die, after which its lock is free and its
// open transaction rolled back, as a server does it for a connection that is gone.

import type { Clock } from '../../src/base/clock.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import type { Queryable, Store, Writer, WriterLock } from '../../src/store/store.ts'
import type { Decisions, Option } from './decisions.ts'
import type { Killable } from './killable.ts'
import type { Profile } from './profile.ts'

export interface FaultyStoreParts {
  /** By which its decisions are known. */
  readonly name: string
  readonly real: Store
  readonly mortal: Killable
  readonly decisions: Decisions
  readonly profile: Profile
  readonly clock: Clock
}

export function createFaultyStore(parts: FaultyStoreParts): Store {
  const { name, real, mortal, decisions, profile, clock } = parts
  const locks = new Set<WriterLock>()
  mortal.onKilled(() => {
    const held = [...locks]
    locks.clear()
    for (const lock of held) void mortal.track(() => Promise.resolve(lock[Symbol.asyncDispose]()))
  })

  function query(db: Queryable): Queryable['query'] {
    return (sql, params) => mortal.run(() => db.query(sql, params), true)
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
      transaction: (work) => {
        const choice = decisions.decide(`${name} transaction`, transactionOptions(profile))?.name ?? ''
        return mortal.run(async () => {
          const result = await db.transaction(async (tx) => {
            const value = await mortal.whileAlive(() => work({ query: query(tx) }))
            if (choice === 'fail before commit') throw new StoreUnavailable('the simulated connection broke before the commit')
            if (choice === 'die before commit') mortal.kill()
            // The last moment before the commit.
            mortal.checkpoint()
            return mortal.whileAlive(async () => value)
          })
          if (choice === 'die after commit') mortal.kill()
          if (choice === 'fail after commit') throw new StoreUnavailable('the simulated connection broke after the commit')
          return result
        }, true)
      },
    }
  }

  /** A short write of its own, which is a transaction too: it may be committed although its caller hears that it failed. */
  function short(db: Writer): Writer {
    return {
      ...writable(db, 'read'),
      async query(sql, params) {
        const choice = decisions.decide(`${name} write`, writeOptions(profile))?.name
        if (choice === 'fail before commit') throw new StoreUnavailable('the simulated connection broke before the commit')
        const rows = await query(db)<never>(sql, params)
        if (choice === 'fail after commit') throw new StoreUnavailable('the simulated connection broke after the commit')
        return rows
      },
    }
  }

  return {
    engine: real.engine,
    read: readable(real.read, 'read'),
    write: short(real.write),
    waiting: () => real.waiting(),
    async listen(channel, callback, onHeard) {
      const hear = (payload: string): void => {
        const choice = decisions.decide(`${name} notify`, notifyOptions(profile))
        const ring = (): void => (mortal.isDead() ? undefined : callback(payload))
        if (choice?.name === 'late') clock.setTimer(Number(choice['ms']), ring)
        else if (choice?.name !== 'lost') ring()
        if (choice?.name === 'twice') ring()
      }
      // Like every word with the database, the end of listening takes real time: virtual time waits for it.
      let stop = async (): Promise<void> => {}
      const stopAndWait = (): Promise<void> => mortal.track(() => stop())
      mortal.onKilled(() => void stopAndWait())
      await mortal.run(async () => {
        stop = await real.listen(channel, hear, (heard) => (mortal.isDead() ? undefined : onHeard?.(heard)))
        if (mortal.isDead()) await stop()
      }, true)
      return stopAndWait
    },
    async tryLock(lockName) {
      const lock = await mortal.run(async () => {
        const taken = await real.tryLock(lockName)
        // Who dies while it gets the lock does not keep it, whoever hears of it.
        if (taken !== undefined && mortal.isDead()) await taken[Symbol.asyncDispose]()
        else if (taken !== undefined) locks.add(taken)
        return taken
      }, true)
      if (lock === undefined) return undefined
      return {
        db: writable(lock.db, 'read'),
        lost: lock.lost,
        async [Symbol.asyncDispose]() {
          if (!locks.delete(lock)) return
          // A server takes a moment to let go of a session: virtual time waits for that too.
          await mortal.track(() => Promise.resolve(lock[Symbol.asyncDispose]()))
        },
      }
    },
    async [Symbol.asyncDispose]() {
      // The database outlives the processes.
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
