// The peer of whatever asks the database: the driver alone, in a process of its own.

import { loadDeployment } from '../support/deployment.ts'
import { openBareDriver } from '../support/bare-driver.ts'
import type { BareDriver } from '../support/bare-driver.ts'
import { archiveStatements } from '../support/archive-rows.ts'
import { serveParent } from '../support/in-child.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import type { CapturedStatement } from '../support/statements.ts'

/** The same statement again and again. */
export interface Repeat extends CapturedStatement {
  readonly inFlight: number
  readonly durationMs: number
}

let driver: BareDriver | undefined

async function repeat({ sql, params, inFlight, durationMs }: Repeat): Promise<number> {
  if (driver === undefined) throw new Error('nothing is open')
  const bare = driver
  const started = performance.now()
  const until = started + durationMs
  let done = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      await bare.query(sql, params)
      done++
      // The embedded engine answers within microtasks; without a turn of the loop nobody else would ever run.
      await new Promise((resolve) => void setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return done / ((performance.now() - started) / 1000)
}

serveParent(
  {
    async open(where: DatabaseLocation): Promise<void> {
      await driver?.close()
      driver = await openBareDriver(where)
    },
    repeat,
    /** Rows per second of the archive's rows, a page of events to a transaction as the indexer has it. The database must hold the first epoch. */
    async insertArchive({ where, events }: { where: DatabaseLocation; events: number }): Promise<number> {
      const pages = await archiveStatements(loadDeployment(), events)
      const bare = await openBareDriver(where)
      try {
        const started = performance.now()
        for (const statement of pages) await bare.transaction([statement])
        return events / ((performance.now() - started) / 1000)
      } finally {
        await bare.close()
      }
    },
  },
  async () => driver?.close(),
)
