// The database drivers without the store around them.

import { fsyncSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { READ_POOL_SIZE } from '../../src/store/bounds.ts'
import { DurableFS } from '../../src/store/embedded/durable-filesystem.ts'
import { startParams } from '../../src/store/embedded/engine.ts'
import type { DatabaseLocation } from './databases.ts'

/** A parameter type that both drivers accept. */
export type BareParam = string | number | boolean | null | readonly (string | number | boolean | null)[]

export interface BareDriver {
  query(sql: string, params: readonly BareParam[]): Promise<void>
  /** Sends the statements between BEGIN and COMMIT on one connection. */
  transaction(statements: readonly { readonly sql: string; readonly params: readonly BareParam[] }[]): Promise<void>
  close(): Promise<void>
}

/** Opens the embedded engine in this thread, or a connection pool as large as the store's. */
export function openBareDriver({ databaseUrl, dataDir }: DatabaseLocation): Promise<BareDriver> {
  return databaseUrl === null ? openEmbedded(join(dataDir ?? '', 'database')) : openServer(databaseUrl)
}

/** As durable as the store's engine: PGlite alone acknowledges commits that are not on the disk. */
async function openEmbedded(directory: string): Promise<BareDriver> {
  const disk = {
    fsync: fsyncSync,
    onWrite() {},
    onFailure(error: Error): never {
      throw error
    },
  }
  const engine = await PGlite.create({ fs: new DurableFS(directory, disk), startParams: startParams(true) })
  return {
    async query(sql, params) {
      await engine.query(sql, [...params])
    },
    async transaction(statements) {
      await engine.transaction(async (tx) => {
        for (const { sql, params } of statements) await tx.query(sql, [...params])
      })
    },
    close: () => engine.close(),
  }
}

async function openServer(databaseUrl: string): Promise<BareDriver> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: READ_POOL_SIZE })
  return {
    async query(sql, params) {
      await pool.query(sql, [...params])
    },
    async transaction(statements) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        for (const { sql, params } of statements) await client.query(sql, [...params])
        await client.query('commit')
      } finally {
        client.release()
      }
    },
    close: () => pool.end(),
  }
}
