// Embedded engines that are used again. Starting one costs half a second of processor time, emptying its tables a few milliseconds. A batch of test files
// therefore keeps the engines whose stores were disposed, and hands them out again as fresh databases.

import { StoreUnavailable } from '../../src/store/store.ts'
import type { Param, Queryable, Writer, WriterLock } from '../../src/store/store.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'

/** What a migrated database holds before a test writes to it. */
interface Baseline {
  readonly tables: readonly string[]
  readonly sequences: readonly string[]
  /** The rows that migrations inserted, as JSON, by table. */
  readonly rows: readonly (readonly [table: string, json: string])[]
  /** Changes when a test creates or drops anything. */
  readonly catalog: string
}

interface PooledEngine {
  readonly store: EmbeddedStore
  readonly baseline: Baseline
}

export interface StorePool extends AsyncDisposable {
  /** A store on an idle engine of this kind, or on the one that `open` starts. */
  take(kind: string, open: () => Promise<EmbeddedStore>): Promise<EmbeddedStore>
}

export function createStorePool(): StorePool {
  const idle = new Map<string, PooledEngine[]>()

  async function giveBack(kind: string, engine: PooledEngine): Promise<void> {
    if (await reset(engine)) idle.set(kind, [...(idle.get(kind) ?? []), engine])
    else await engine.store[Symbol.asyncDispose]()
  }

  return {
    async take(kind, open) {
      const engine = idle.get(kind)?.pop() ?? (await startEngine(open))
      return lend(engine.store, () => giveBack(kind, engine))
    },
    async [Symbol.asyncDispose]() {
      const engines = [...idle.values()].flat()
      idle.clear()
      await Promise.all(engines.map(({ store }) => store[Symbol.asyncDispose]()))
    },
  }
}

async function startEngine(open: () => Promise<EmbeddedStore>): Promise<PooledEngine> {
  const store = await open()
  return { store, baseline: await readBaseline(store.write) }
}

async function readBaseline(db: Queryable): Promise<Baseline> {
  const tables = await names(
    db, `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname !~ '^(pg_|information_schema)' order by 1`,
  )
  const sequences = await names(db, `select format('%I.%I', schemaname, sequencename) as name from pg_sequences order by 1`)
  const rows: [string, string][] = []
  for (const table of tables) {
    const [row] = await db.query<{ json: string | null }>(`select json_agg(t)::text as json from ${table} t`)
    if (typeof row?.json === 'string') rows.push([table, row.json])
  }
  return { tables, sequences, rows, catalog: await readCatalog(db) }
}

async function names(db: Queryable, sql: string): Promise<string[]> {
  return (await db.query<{ name: string }>(sql)).map(({ name }) => name)
}

async function readCatalog(db: Queryable): Promise<string> {
  const [row] = await db.query<{ catalog: string }>(
    `select concat_ws(' ', (select count(*) from pg_class), (select max(oid) from pg_class), (select count(*) from pg_proc),
       (select count(*) from pg_namespace), (select count(*) from pg_constraint), (select count(*) from pg_type)) as catalog`,
  )
  return row?.catalog ?? ''
}

/** Empties the database to its baseline; false when that is not possible, because a test changed more than rows or the engine is gone. */
async function reset({ store, baseline }: PooledEngine): Promise<boolean> {
  try {
    if ((await readCatalog(store.write)) !== baseline.catalog) return false
    const statements = [
      ...baseline.tables.map((table) => `delete from ${table}`),
      ...baseline.sequences.map((sequence) => `alter sequence ${sequence} restart`),
    ]
    await store.write.transaction(async (tx) => {
      await tx.query(statements.join(';\n'))
      for (const [table, json] of baseline.rows) {
        await tx.query(`insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1::json)`, [json])
      }
    })
    return true
  } catch {
    return false
  }
}

/** The store for one user: disposing it releases its locks and listeners, rejects later statements, and gives the engine back. */
function lend(store: EmbeddedStore, giveBack: () => Promise<void>): EmbeddedStore {
  const closing = new AbortController()
  const held = new Set<() => Promise<void>>()
  const check = (): void => {
    if (closing.signal.aborted) throw new StoreUnavailable('the store is closed')
  }
  const reader = (db: Queryable): Queryable => ({
    async query<Row extends object>(sql: string, params?: readonly Param[]): Promise<Row[]> {
      check()
      return await db.query<Row>(sql, params)
    },
  })
  const writer = (db: Writer): Writer => ({
    ...reader(db),
    async transaction(work) {
      check()
      return await db.transaction(work)
    },
  })
  async function holdLock(name: string): Promise<WriterLock | undefined> {
    check()
    const lock = await store.tryLock(name)
    if (lock === undefined) return undefined
    const release = async (): Promise<void> => {
      held.delete(release)
      await lock[Symbol.asyncDispose]()
    }
    held.add(release)
    return { lost: lock.lost, db: lock.db, [Symbol.asyncDispose]: release }
  }
  let returned: Promise<void> | undefined
  return {
    engine: 'embedded',
    read: reader(store.read),
    write: writer(store.write),
    bulkWriter: writer(store.bulkWriter),
    waiting: () => store.waiting(),
    tryLock: holdLock,
    async listen(channel, callback, onConnected) {
      check()
      const stop = await store.listen(channel, callback, onConnected)
      const release = async (): Promise<void> => {
        if (held.delete(release)) await stop()
      }
      held.add(release)
      return release
    },
    async dump() {
      check()
      return await store.dump()
    },
    [Symbol.asyncDispose]: () => (returned ??= (async () => {
      closing.abort()
      for (const release of held) await release().catch(() => {})
      await giveBack()
    })()),
  }
}
