// Opens a data folder for tests of several processes. Arguments: the folder, the task and the folder of migrations. Task `open` prints `open` and keeps the
// store open; task `write` then commits one key after the other, each with its rows, and prints each key after its commit.

import { createSystemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { openStore } from '../open.ts'

/** Rows per key, in the same transaction. */
const ROWS_PER_KEY = 20

const [dataDir = '', task = 'open', migrationsDirectory = ''] = process.argv.slice(2)
const clock = createSystemClock()
const store = await openStore({ databaseUrl: null, dataDir, clock, log: silentLog, migrationsDirectory, prepared: '/nothing/is/prepared' })
process.stdout.write('open\n')

if (task === 'write') {
  const [last] = await store.read.query<{ key: number | null }>('select max(key) as key from written_key')
  for (let key = (last?.key ?? 0) + 1; ; key++) {
    await store.write.transaction(async (tx) => {
      await tx.query('insert into written_key values ($1)', [key])
      await tx.query('insert into written_row select $1, n from generate_series(1, $2::int) n', [key, ROWS_PER_KEY])
      await tx.query('update written_cursor set key = $1', [key])
    })
    process.stdout.write(`${key}\n`)
  }
}
