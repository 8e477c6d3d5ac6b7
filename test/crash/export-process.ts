// Generates an export until its second chunk is stored, prints a line, and waits to be killed. Arguments: the data folder, the kind and the day.

import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createExports } from '../../src/projections/exports/exports.ts'
import type { ExportKind } from '../../src/resources/export.ts'
import { openStore } from '../../src/store/open.ts'
import { textOf } from '../../src/store/sql.ts'
import type { Store, Writer } from '../../src/store/store.ts'

const [dataDir = '', kind = 'events', day = '0'] = process.argv.slice(2)
const clock = createSystemClock()
const store = await openStore({ databaseUrl: null, dataDir, clock, log: silentLog })
let chunks = 0

/** Blocks after the second chunk. */
function pausing(db: Writer): Writer {
  return {
    ...db,
    async run(statement, params) {
      await db.run(statement, params)
      if (textOf(statement).startsWith('insert into idx.export_chunks') && ++chunks === 2) {
        process.stdout.write('stored\n')
        await new Promise(() => void setInterval(() => {}, 60_000))
      }
    },
  }
}

const paused: Store = {
  ...store,
  async tryLock(name) {
    const lock = await store.tryLock(name)
    return lock === undefined ? undefined : { ...lock, db: pausing(lock.db), [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() }
  },
}
await createExports({ store: paused, clock, log: silentLog }).open(kind as ExportKind, Number(day), 'a caller')
