// A server's databases that are used again. Copying the template and dropping the copy costs a server half a second of processor time, emptying the tables a
// tenth of it. A batch of test files therefore keeps the databases of disposed stores, and hands them out again as new ones.

import type { Store } from '../../src/store/store.ts'
import { readBaseline, restoreBaseline } from './baseline.ts'
import type { Baseline } from './baseline.ts'

export interface DatabaseServer {
  create(): Promise<string>
  drop(name: string): Promise<void>
  /** Connects without migrating. */
  connect(name: string): Store
}

export interface DatabasePool extends AsyncDisposable {
  /** The name of an unused database. */
  take(): Promise<string>
  /** Empties the database for its next user, or drops it when a test has changed its schema. Ends all connections to it. */
  giveBack(name: string): Promise<void>
}

export function createDatabasePool(server: DatabaseServer): DatabasePool {
  const idle: string[] = []
  let baseline: Baseline | undefined

  async function create(): Promise<string> {
    const name = await server.create()
    if (baseline === undefined) {
      await using store = server.connect(name)
      baseline = await readBaseline(store.write)
    }
    return name
  }

  return {
    async take() {
      return idle.pop() ?? (await create())
    },
    async giveBack(name) {
      if (await isRestored(server, name, baseline)) idle.push(name)
      else await server.drop(name)
    },
    async [Symbol.asyncDispose]() {
      for (const name of idle.splice(0)) await server.drop(name)
    },
  }
}

/** Maximum time that a connection takes to end. */
const CONNECTION_ENDS_MS = 10_000

async function isRestored(server: DatabaseServer, name: string, baseline: Baseline | undefined): Promise<boolean> {
  await using store = server.connect(name)
  const others = await store.write.query<{ ended: boolean }>(
    `select pg_terminate_backend(pid, ${CONNECTION_ENDS_MS}) as ended from pg_stat_activity
     where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
  )
  return baseline !== undefined && others.every(({ ended }) => ended) && (await restoreBaseline(store.write, baseline))
}
