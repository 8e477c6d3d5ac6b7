// The delay of requests by the event loop while the index catches up in the same process, relative to a fixed bound.

import { startChild } from '../support/child.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import type { Engine } from '../support/databases.ts'
import type { Figure, ReportProgress } from '../support/report.ts'

const EVENTS = 40_000
const QUICK_EVENTS = 2_000
const ROUNDS = 3
/** The bound for the 99th percentile of the delay. */
const BOUND_MS = 50

export async function measureLoopDelay(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const engine of availableEngines()) figures.push(await measureOn(engine, reportProgress, quick))
  return figures
}

async function measureOn(engine: Engine, reportProgress: ReportProgress, quick: boolean): Promise<Figure> {
  const events = quick ? QUICK_EVENTS : EVENTS
  const roundCount = quick ? 1 : ROUNDS
  const rounds: { ours: number; baseline: number }[] = []
  for (let round = 1; round <= roundCount; round++) {
    await using archive = startChild(new URL('../children/archive.ts', import.meta.url))
    await using database = await createDatabase(engine)
    rounds.push({ ours: await archive.call<number>('loopDelay', { location: database.location, events }), baseline: BOUND_MS })
    reportProgress(`${events} events (${engine}): round ${round} of ${roundCount}`)
  }
  return { name: `event loop delay while catching up, p99 (${engine})`, rounds, unit: 'ms', target: { max: 1 } }
}
