// Events per second indexed in a catch-up (RPC responses read, validated, decoded, archived and projected), relative to a bulk insert of the same rows.

import { startChild } from '../support/child.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import type { Engine } from '../support/databases.ts'
import type { Figure, ReportProgress } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const EVENTS = 20_000
const QUICK_EVENTS = 2_000
const ROUNDS = 8
/** Of the ratio: half of the time is for the archive rows, the other half for all that is computed from them. */
const TARGET = { min: 0.5 }
/** A round creates two databases and writes for seconds. */
const BUDGET_MS = 90_000

export async function measureCatchUp(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const engine of availableEngines()) figures.push(await measureOn(engine, reportProgress, quick))
  return figures
}

async function measureOn(engine: Engine, reportProgress: ReportProgress, quick: boolean): Promise<Figure> {
  const events = quick ? QUICK_EVENTS : EVENTS
  const roundCount = quick ? 1 : ROUNDS
  await using archive = startChild(new URL('../children/archive.ts', import.meta.url))
  await using bare = startChild(new URL('../children/bare-driver.ts', import.meta.url))
  const rounds = await interleave(
    async () => {
      await using database = await createDatabase(engine)
      return await archive.call<number>('catchUp', { location: database.location, events })
    },
    async () => {
      await using database = await createDatabase(engine)
      await archive.call('begin', database.location)
      return await bare.call<number>('insertArchive', { location: database.location, events })
    },
    { rounds: roundCount, budgetMs: BUDGET_MS, onRound: (done) => reportProgress(`${events} events (${engine}): round ${done} of ${roundCount}`) },
  )
  return { name: `catch-up (${engine})`, rounds, unit: 'events/s', target: TARGET }
}
