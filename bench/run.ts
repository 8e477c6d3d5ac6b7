// Runs the measurements: `npm run bench` all of them, `npm run bench -- cached` those that are named. Each is a ratio inside one run, because absolute
// figures say more about the machine than about the program. `--quick` shows within seconds that they run, and measures nothing worth telling.

import { measureAuthenticated } from './figures/authenticated.ts'
import { measureArchiveSize, measureLargeArchive } from './figures/archive-size.ts'
import { measureCached } from './figures/cached.ts'
import { measureCatchUp } from './figures/catch-up.ts'
import { measureFanOut } from './figures/fan-out.ts'
import { measureLoopDelay } from './figures/loop-delay.ts'
import { measureOrders } from './figures/orders.ts'
import { measurePages } from './figures/pages.ts'
import { measureSoak } from './figures/soak.ts'
import { measureStreamCosts } from './figures/stream-costs.ts'
import { formatTable } from './support/report.ts'
import type { Figure } from './support/report.ts'

/** Tells how it gets on, and is done soon when it is `quick`. */
type Measurement = (progress: (text: string) => void, quick: boolean) => Promise<readonly Figure[]>

const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  cached: measureCached,
  authenticated: measureAuthenticated,
  orders: measureOrders,
  pages: measurePages,
  'fan-out': measureFanOut,
  soak: measureSoak,
  'stream-costs': measureStreamCosts,
  'catch-up': measureCatchUp,
  'loop-delay': measureLoopDelay,
  'archive-size': measureArchiveSize,
  'archive-size-large': measureLargeArchive,
}

/** Ten million rows take a quarter of an hour to make. */
const ONLY_WHEN_NAMED: ReadonlySet<string> = new Set(['archive-size-large'])

async function main(args: readonly string[]): Promise<void> {
  const quick = args.includes(QUICK)
  const named = args.filter((arg) => arg !== QUICK)
  const unknown = named.filter((name) => !Object.hasOwn(MEASUREMENTS, name))
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(', ')}. There are: ${Object.keys(MEASUREMENTS).join(', ')}; and ${QUICK}.`)
    process.exitCode = 1
    return
  }
  const figures: Figure[] = []
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (named.length > 0 ? !named.includes(name) : ONLY_WHEN_NAMED.has(name)) continue
    figures.push(...(await measure((text) => console.log(`${name}: ${text}`), quick)))
  }
  console.log(`\n${formatTable(figures)}`)
}

const QUICK = '--quick'

await main(process.argv.slice(2))
