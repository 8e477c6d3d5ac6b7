// Requests per second for pages of /v1/trades and /v1/events, relative to the same statements through the bare driver with the same concurrency.

import { defined } from '../../src/base/assert.ts'
import { PAGE_LIMITS } from '../../src/limits.ts'
import { listEvents } from '../../src/projections/log/events.ts'
import { listTrades } from '../../src/projections/trades/trades.ts'
import type { Queryable } from '../../src/store/store.ts'
import type { Repeat } from '../children/bare-driver.ts'
import { startChild } from '../support/child.ts'
import { load } from '../support/load.ts'
import { availableEngines, copyDatabase, createDatabase } from '../support/databases.ts'
import type { Engine } from '../support/databases.ts'
import type { Figure, ReportProgress } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'
import { captureStatements } from '../support/statements.ts'

const EVENTS = 20_000
const QUICK_EVENTS = 2_000
const ROUNDS = 15
const ROUND_MS = 400
const CONCURRENCY = 16

const PAGES: Readonly<Record<string, (db: Queryable) => Promise<unknown>>> = {
  '/v1/trades': (db) => listTrades(db, { limit: PAGE_LIMITS.trades.default }),
  '/v1/events': (db) => listEvents(db, { limit: PAGE_LIMITS.events.default }),
}

export async function measurePages(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const engine of availableEngines()) figures.push(...(await measureOn(engine, reportProgress, quick)))
  return figures
}

async function measureOn(engine: Engine, reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const events = quick ? QUICK_EVENTS : EVENTS
  const roundCount = quick ? 1 : ROUNDS
  reportProgress(`filling an archive with ${events} events (${engine})`)
  await using database = await createDatabase(engine)
  {
    await using archive = startChild(new URL('../children/archive.ts', import.meta.url))
    await archive.call('catchUp', { location: database.location, events })
  }
  await using copy = await copyDatabase(database)
  await using gateway = startChild(new URL('../children/gateway.ts', import.meta.url))
  await using bare = startChild(new URL('../children/bare-driver.ts', import.meta.url))
  const port = await gateway.call<number>('serve', database.location)
  await bare.call('open', copy.location)
  const figures: Figure[] = []
  for (const [path, read] of Object.entries(PAGES)) {
    const statements = await captureStatements(read)
    if (statements.length !== 1) throw new Error(`${path} sends ${statements.length} statements instead of one`)
    const repeat: Repeat = { ...defined(statements[0], 'the statement'), inFlight: CONCURRENCY, durationMs: ROUND_MS }
    const rounds = await interleave(
      async () => (await load({ port, path, connections: CONCURRENCY, durationMs: ROUND_MS })).requestsPerSec,
      () => bare.call<number>('repeat', repeat),
      { rounds: roundCount, onRound: (done) => reportProgress(`${path} (${engine}): round ${done} of ${roundCount}`) },
    )
    figures.push({ name: `page ${path} (${engine})`, rounds, unit: 'pages/s', target: null })
  }
  return figures
}
