// The baseline for measurements of database access: the driver alone, in a child process.

import { loadDeployment } from '../support/deployment.ts'
import { openBareDriver } from '../support/bare-driver.ts'
import type { BareDriver } from '../support/bare-driver.ts'
import { archiveStatements } from '../support/archive-rows.ts'
import { serveParent } from '../support/in-child.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import type { CapturedStatement } from '../support/statements.ts'

/** A statement to run repeatedly, with `inFlight` at a time. */
export interface Repeat extends CapturedStatement {
  readonly inFlight: number
  readonly durationMs: number
}

let driver: BareDriver | undefined

async function repeat({ sql, params, inFlight, durationMs }: Repeat): Promise<number> {
  if (driver === undefined) throw new Error('No database is open')
  const bare = driver
  const started = performance.now()
  const until = started + durationMs
  let completed = 0
  const runRepeatedly = async (): Promise<void> => {
    while (performance.now() < until) {
      await bare.query(sql, params)
      completed++
      // The embedded engine completes within microtasks. Yield to the event loop, so that timers and messages are handled.
      await new Promise((resolve) => void setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: inFlight }, runRepeatedly))
  return completed / ((performance.now() - started) / 1000)
}

serveParent(
  {
    async open(location: DatabaseLocation): Promise<void> {
      await driver?.close()
      driver = await openBareDriver(location)
    },
    repeat,
    /** Inserts archive rows, one page of events per transaction like the indexer. Returns rows per second. The database must hold the first epoch. */
    async insertArchive({ location, events }: { location: DatabaseLocation; events: number }): Promise<number> {
      const pages = await archiveStatements(loadDeployment(), events)
      const bare = await openBareDriver(location)
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
