// The store's door in a simulation, one per indexer: a transaction may fail before its commit, or be committed while its caller hears that it failed; a read
// may fail; and at any of these moments the indexer may die, after which the door stays shut for it and its lock is free, as if its process were gone.

import { StoreUnavailable } from '../../src/store/store.ts'
import type { Queryable, Store, Writer, WriterLock } from '../../src/store/store.ts'
import type { Decisions, Option } from './decisions.ts'
import type { Profile } from './profile.ts'

export interface StoreDoor {
  readonly store: Store
  /** How many calls are under way: while there are some, virtual time stands still. */
  busy(): number
  /** True when the indexer behind this door is dead. */
  dead(): boolean
  /** Shuts the door, and gives its lock back as a lost connection does. */
  kill(): Promise<void>
}

export function openStoreDoor(name: string, real: Store, decisions: Decisions, profile: Profile): StoreDoor {
  let underWay = 0
  let isDead = false
  const locks = new Set<WriterLock>()

  async function counted<T>(work: () => Promise<T>): Promise<T> {
    if (isDead) throw new StoreUnavailable('this indexer is dead')
    underWay += 1
    try {
      return await work()
    } finally {
      underWay -= 1
    }
  }

  async function kill(): Promise<void> {
    isDead = true
    const held = [...locks]
    locks.clear()
    for (const lock of held) await lock[Symbol.asyncDispose]()
  }

  function readable(db: Queryable): Queryable {
    return {
      query: (sql, params) =>
        counted(async () => {
          const choice = decisions.decide(`${name} read`, [{ chance: profile.store.failRead, choice: () => ({ name: 'fail' }) }])
          if (choice !== undefined) throw new StoreUnavailable('the simulated connection broke')
          return db.query(sql, params)
        }),
    }
  }

  function writable(db: Writer): Writer {
    return {
      ...readable(db),
      transaction: (work) =>
        counted(async () => {
          const choice = decisions.decide(`${name} transaction`, optionsOf(profile))?.name ?? ''
          try {
            const result = await db.transaction(async (tx) => {
              const value = await work(tx)
              if (choice.endsWith('before commit')) throw new StoreUnavailable('the simulated connection broke before the commit')
              return value
            })
            if (choice.endsWith('after commit')) throw new StoreUnavailable('the simulated connection broke after the commit')
            return result
          } finally {
            if (choice.startsWith('die')) await kill()
          }
        }),
    }
  }

  const store: Store = {
    engine: real.engine,
    read: readable(real.read),
    write: writable(real.write),
    waiting: () => real.waiting(),
    listen: (channel, callback) => real.listen(channel, callback),
    async tryLock(lockName) {
      const lock = await counted(() => real.tryLock(lockName))
      if (lock === undefined) return undefined
      locks.add(lock)
      return {
        db: writable(lock.db),
        lost: lock.lost,
        async [Symbol.asyncDispose]() {
          if (!locks.delete(lock)) return
          // A server takes a moment to let go of a session: virtual time waits for that too.
          underWay += 1
          try {
            await lock[Symbol.asyncDispose]()
          } finally {
            underWay -= 1
          }
        },
      }
    },
    async [Symbol.asyncDispose]() {
      // The database outlives the indexers.
    },
  }
  return { store, busy: () => underWay, dead: () => isDead, kill }
}

function optionsOf({ store, restart }: Profile): readonly Option[] {
  return [
    { chance: store.failBeforeCommit, choice: () => ({ name: 'fail before commit' }) },
    { chance: store.failAfterCommit, choice: () => ({ name: 'fail after commit' }) },
    { chance: restart / 4, choice: () => ({ name: 'die before commit' }) },
    { chance: restart / 4, choice: () => ({ name: 'die after commit' }) },
  ]
}
