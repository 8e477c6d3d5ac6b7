// The time of a read as of a past ledger, relative to the same read of the present state, with a history in which a scan would show.

import type { ReadRounds } from '../children/as-of.ts'
import { startChild } from '../support/child.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import { EVENTS_PER_LEDGER, FIRST_LEDGER } from '../support/history.ts'
import type { Figure, ReportProgress } from '../support/report.ts'

const EVENTS = 200_000
const QUICK_EVENTS = 2_000
const TARGET = { max: 3 }

export async function measureAsOf(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const engine = availableEngines().at(-1) ?? 'embedded'
  const events = quick ? QUICK_EVENTS : EVENTS
  await using database = await createDatabase(engine)
  {
    await using archive = startChild(new URL('../children/archive.ts', import.meta.url))
    reportProgress(`filling an archive with ${events} events (${engine})`)
    const perSec = await archive.call<number>('catchUp', { location: database.location, events })
    reportProgress(`indexed ${perSec.toFixed(0)} events per second`)
  }
  await using reader = startChild(new URL('../children/as-of.ts', import.meta.url))
  const found = await reader.call<ReadRounds>('measure', {
    location: database.location, firstLedger: FIRST_LEDGER, lastLedger: FIRST_LEDGER + Math.ceil(events / EVENTS_PER_LEDGER) - 1,
    rounds: quick ? 1 : 15, readsPerRound: quick ? 2 : 20,
  })
  return Object.entries(found).map(([name, rounds]) => ({ name: `as of a ledger: ${name} (${engine})`, rounds, unit: 'ms', target: TARGET }))
}
