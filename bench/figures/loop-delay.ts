// How long the event loop keeps requests waiting while the index catches up in the same process, against the bound that is wanted.

import { startChild } from '../support/child.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import type { Engine } from '../support/databases.ts'
import type { Figure } from '../support/report.ts'

const EVENTS = 40_000
const QUICK_EVENTS = 2_000
const ROUNDS = 3
/** The 99th percentile of the delay may be this long, milliseconds. */
const BOUND_MS = 50

export async function measureLoopDelay(progress: (text: string) => void, quick: boolean): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const engine of availableEngines()) figures.push(await measureOn(engine, progress, quick))
  return figures
}

async function measureOn(engine: Engine, progress: (text: string) => void, quick: boolean): Promise<Figure> {
  const events = quick ? QUICK_EVENTS : EVENTS
  const roundCount = quick ? 1 : ROUNDS
  const rounds: { ours: number; peer: number }[] = []
  for (let round = 1; round <= roundCount; round++) {
    await using archive = startChild(new URL('../children/archive.ts', import.meta.url))
    await using place = await createDatabase(engine)
    rounds.push({ ours: await archive.call<number>('loopDelay', { where: place.location, events }), peer: BOUND_MS })
    progress(`${events} events (${engine}): round ${round} of ${roundCount}`)
  }
  return { name: `delay of the event loop in a catch-up, p99 (${engine})`, rounds, unit: 'ms', target: { atMost: 1 } }
}
