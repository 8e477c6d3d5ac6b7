// The cost of the log of pages: a catch-up and small pages with it, relative to the same program without it, and its size.

import { EVENTS_PER_LEDGER } from '../support/history.ts'
import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import type { Engine } from '../support/databases.ts'
import type { Figure, ReportProgress } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const EVENTS = 10_000
const SMALL_PAGES = 400
const QUICK_SHARE = 0.1
const ROUNDS = 12
const BUDGET_MS = 60_000
/** A catch-up may lose this share of its speed. */
const CATCH_UP = { min: 0.97 }
/** A page of one ledger may take this much longer. */
const SMALL_PAGE_MS = 0.3
/** The log may grow by this for each page. */
const PAGE_BYTES = 400

export async function measurePageLog(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const engine of availableEngines()) figures.push(...await measureOn(engine, reportProgress, quick))
  return figures
}

async function measureOn(engine: Engine, reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  await using logging = startChild(new URL('../children/archive.ts', import.meta.url))
  await using without = startChild(new URL('../children/archive-without-log.ts', import.meta.url))
  const share = quick ? QUICK_SHARE : 1
  const sizes: number[] = []
  const measure = async (name: string, ours: (child: Child) => Promise<number>) => {
    const rounds = quick ? 1 : ROUNDS
    return await interleave(() => ours(logging), () => ours(without), {
      rounds, budgetMs: BUDGET_MS, onRound: (done) => reportProgress(`${name} (${engine}): round ${done} of ${rounds}`),
    })
  }
  const catchUps = await measure('catch-up', async (child) => {
    await using database = await createDatabase(engine)
    return await child.call<number>('catchUp', { location: database.location, events: EVENTS * share })
  })
  const smallPages = await measure('small pages', async (child) => {
    await using database = await createDatabase(engine)
    const { ms, bytes } = await child.call<{ ms: number; bytes: number }>('smallPages', { location: database.location, pages: SMALL_PAGES * share })
    if (child === logging) sizes.push(bytes)
    return ms
  })
  return [
    { name: `catch-up with the log (${engine})`, rounds: catchUps, unit: 'events/s', target: CATCH_UP },
    {
      name: `page of ${EVENTS_PER_LEDGER} events with the log, against ${SMALL_PAGE_MS} ms more without (${engine})`, unit: 'ms', target: { max: 1 },
      rounds: smallPages.map(({ ours, baseline }) => ({ ours, baseline: baseline + SMALL_PAGE_MS })),
    },
    {
      name: `size of the log per page, against ${PAGE_BYTES} (${engine})`, unit: 'bytes', target: { max: 1 },
      rounds: sizes.map((bytes) => ({ ours: bytes, baseline: PAGE_BYTES })),
    },
  ]
}
