// The latency of a page with one or ten million archived events, relative to ten thousand, one request at a time. It detects a list that scans its history.

import { encodeCursor } from '../../src/projections/log/page.ts'
import { startChild } from '../support/child.ts'
import { closeSecOf, EVENTS_PER_LEDGER, FIRST_LEDGER, someTrader } from '../support/history.ts'
import { load } from '../support/load.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import type { Engine } from '../support/databases.ts'
import type { Figure, ReportProgress } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const SMALL_EVENTS = 10_000
/** Each factor multiplies the small archive once more. */
const COPIES = [10, 10]
const QUICK_COPIES = [2]
const ROUNDS = 10
const ROUND_MS = 150
const BUDGET_MS = 8_000
const TARGET = { max: 1.5 }

/** A served archive, with positions in the middle of it. */
interface Archive {
  readonly port: number
  readonly middleSeq: number
  readonly middleLedger: number
}

/** The kinds of pages, each with its request path. */
const PAGES: Readonly<Record<string, (archive: Archive) => string>> = {
  'events': () => '/v1/events',
  'events of a topic': () => '/v1/events?topic=position_closed',
  'events before a time': ({ middleLedger }) => `/v1/events?before_ts=${closeSecOf(middleLedger)}`,
  'events of a ledger range': ({ middleLedger }) => `/v1/events?topic=pnl_settled&from_ledger=${middleLedger - 200}&to_ledger=${middleLedger}`,
  'events after a cursor': ({ middleSeq }) => `/v1/events?cursor=${encodeCursor('events', [middleSeq])}`,
  'trades': () => '/v1/trades',
  // A limit that the small archive reaches for each trader, too.
  'trades of a trader': () => `/v1/trades?trader=${someTrader()}&limit=20`,
  'trades of an asset before a time': ({ middleLedger }) => `/v1/trades?asset=BTC&before_ts=${closeSecOf(middleLedger)}`,
}

export async function measureArchiveSize(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  return await measureOn(preferredEngine(), quick ? QUICK_COPIES : COPIES, reportProgress, quick)
}

/** The same with ten million events. */
export async function measureLargeArchive(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  return await measureOn(preferredEngine(), quick ? QUICK_COPIES : [...COPIES, 10], reportProgress, quick)
}

/** Only one engine, because creating a million rows takes a minute: the server if there is one, else the embedded engine. */
function preferredEngine(): Engine {
  return availableEngines().at(-1) ?? 'embedded'
}

async function measureOn(
  engine: Engine, copies: readonly number[], reportProgress: ReportProgress, quick: boolean,
): Promise<readonly Figure[]> {
  const roundCount = quick ? 1 : ROUNDS
  const times = copies.reduce((product, factor) => product * factor, 1)
  await using disposables = new AsyncDisposableStack()
  const small = await serveArchive(engine, [], disposables, reportProgress)
  const large = await serveArchive(engine, copies, disposables, reportProgress)
  const figures: Figure[] = []
  for (const [kind, pathOf] of Object.entries(PAGES)) {
    const rounds = await interleave(() => latencyMs(large, pathOf), () => latencyMs(small, pathOf), {
      rounds: roundCount,
      budgetMs: BUDGET_MS,
      onRound: (done) => reportProgress(`${kind} (${engine}): round ${done} of ${roundCount}`),
    })
    figures.push({ name: `${times} times as many events: ${kind} (${engine})`, rounds, unit: 'ms', target: TARGET })
  }
  return figures
}

async function serveArchive(engine: Engine, copies: readonly number[], disposables: AsyncDisposableStack, reportProgress: ReportProgress): Promise<Archive> {
  const { location } = disposables.use(await createDatabase(engine))
  let events = SMALL_EVENTS
  {
    await using archive = startChild(new URL('../children/archive.ts', import.meta.url))
    reportProgress(`filling an archive with ${events} events (${engine})`)
    await archive.call('catchUp', { location, events })
    for (const times of copies) {
      events *= times
      reportProgress(`copying the archive to ${events} events (${engine})`)
      await archive.call('multiply', { location, times })
    }
  }
  const gateway = disposables.use(startChild(new URL('../children/gateway.ts', import.meta.url)))
  const port = await gateway.call<number>('serve', location)
  return { port, middleSeq: events / 2, middleLedger: FIRST_LEDGER + Math.floor(events / EVENTS_PER_LEDGER / 2) }
}

async function latencyMs(archive: Archive, pathOf: (archive: Archive) => string): Promise<number> {
  const { latencyMs: { p50 } } = await load({ port: archive.port, path: pathOf(archive), connections: 1, durationMs: ROUND_MS })
  return p50
}
