// How long a page takes with a million archived events, or ten, against ten thousand, one request at a time. A list that scans its history shows here.

import { encodeCursor } from '../../src/projections/page.ts'
import { startChild } from '../support/child.ts'
import { closeSecOf, EVENTS_PER_LEDGER, FIRST_LEDGER, someTrader } from '../support/history.ts'
import { load } from '../support/load.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import type { Engine } from '../support/databases.ts'
import type { Figure } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const SMALL_EVENTS = 10_000
/** The large one is this many times as long, by copying it ever again. */
const COPIES = [10, 10]
const QUICK_COPIES = [2]
const ROUNDS = 10
const ROUND_MS = 150
const BUDGET_MS = 8_000
const AIM = { atMost: 1.5 }

/** What is known of an archive without asking it. */
interface Archive {
  readonly port: number
  readonly middleSeq: number
  readonly middleLedger: number
}

/** The kinds of pages, each as the path that asks an archive for it. */
const PAGES: Readonly<Record<string, (archive: Archive) => string>> = {
  'events': () => '/v1/events',
  'events of a topic': () => '/v1/events?topic=position_closed',
  'events before a time': ({ middleLedger }) => `/v1/events?before_ts=${closeSecOf(middleLedger)}`,
  'events of some ledgers': ({ middleLedger }) => `/v1/events?topic=pnl_settled&from_ledger=${middleLedger - 200}&to_ledger=${middleLedger}`,
  'events behind a cursor': ({ middleSeq }) => `/v1/events?cursor=${encodeCursor('events', [middleSeq])}`,
  'trades': () => '/v1/trades',
  // As many as the small archive has of each trader, too.
  'trades of a trader': () => `/v1/trades?trader=${someTrader()}&limit=20`,
  'trades of an asset before a time': ({ middleLedger }) => `/v1/trades?asset=BTC&before_ts=${closeSecOf(middleLedger)}`,
}

export async function measureArchiveSize(progress: (text: string) => void, quick: boolean): Promise<readonly Figure[]> {
  return await measureOn(largestEngine(), quick ? QUICK_COPIES : COPIES, progress, quick)
}

/** The same with ten million. */
export async function measureLargeArchive(progress: (text: string) => void, quick: boolean): Promise<readonly Figure[]> {
  return await measureOn(largestEngine(), quick ? QUICK_COPIES : [...COPIES, 10], progress, quick)
}

/** A million rows take a minute to make: the server where there is one, else the embedded engine. */
function largestEngine(): Engine {
  return availableEngines().at(-1) ?? 'embedded'
}

async function measureOn(
  engine: Engine, copies: readonly number[], progress: (text: string) => void, quick: boolean,
): Promise<readonly Figure[]> {
  const roundCount = quick ? 1 : ROUNDS
  const times = copies.reduce((product, each) => product * each, 1)
  await using things = new AsyncDisposableStack()
  const small = await serveArchive(engine, [], things, progress)
  const large = await serveArchive(engine, copies, things, progress)
  const figures: Figure[] = []
  for (const [kind, pathTo] of Object.entries(PAGES)) {
    const rounds = await interleave(() => latencyMs(large, pathTo), () => latencyMs(small, pathTo), {
      rounds: roundCount,
      budgetMs: BUDGET_MS,
      onRound: (done) => progress(`${kind} (${engine}): round ${done} of ${roundCount}`),
    })
    figures.push({ name: `${times} times as many events: ${kind} (${engine})`, rounds, unit: 'ms', target: AIM })
  }
  return figures
}

async function serveArchive(engine: Engine, copies: readonly number[], things: AsyncDisposableStack, progress: (text: string) => void): Promise<Archive> {
  const { location: where } = things.use(await createDatabase(engine))
  let events = SMALL_EVENTS
  {
    await using filler = startChild(new URL('../children/archive.ts', import.meta.url))
    progress(`filling an archive with ${events} events (${engine})`)
    await filler.call('catchUp', { where, events })
    for (const times of copies) {
      events *= times
      progress(`copying them until they are ${events} (${engine})`)
      await filler.call('multiply', { where, times })
    }
  }
  const gateway = things.use(startChild(new URL('../children/gateway.ts', import.meta.url)))
  const port = await gateway.call<number>('serve', where)
  return { port, middleSeq: events / 2, middleLedger: FIRST_LEDGER + Math.floor(events / EVENTS_PER_LEDGER / 2) }
}

async function latencyMs(archive: Archive, pathTo: (archive: Archive) => string): Promise<number> {
  const { latencyMs: { p50 } } = await load({ port: archive.port, path: pathTo(archive), connections: 1, durationMs: ROUND_MS })
  return p50
}
