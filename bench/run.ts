// Runs the measurements: `npm run bench` all of them, `npm run bench -- cached` the named ones. Each is a ratio to a baseline in the same run, because
// absolute figures say more about the machine than about the program. `--quick` only checks within seconds that the measurements run. Ignore its figures.

import { measureAsOf } from './figures/as-of.ts'
import { measureAuthenticated } from './figures/authenticated.ts'
import { measureArchiveSize, measureLargeArchive } from './figures/archive-size.ts'
import { measureCached } from './figures/cached.ts'
import { measureCatchUp } from './figures/catch-up.ts'
import { measureConsole } from './figures/console.ts'
import { measureCrowd } from './figures/crowd.ts'
import { measureFanOut } from './figures/fan-out.ts'
import { measureHostileNode } from './figures/hostile-node.ts'
import { measureLoopDelay } from './figures/loop-delay.ts'
import { measureMassResume } from './figures/mass-resume.ts'
import { measureOrders } from './figures/orders.ts'
import { measurePageLog } from './figures/page-log.ts'
import { measurePages } from './figures/pages.ts'
import { measurePricePush } from './figures/price-push.ts'
import { measureSoak } from './figures/soak.ts'
import { measureStreamCosts } from './figures/stream-costs.ts'
import { formatTable } from './support/report.ts'
import type { Figure, ReportProgress } from './support/report.ts'

/** Reports its progress. `quick` measures as little as possible. */
type Measurement = (reportProgress: ReportProgress, quick: boolean) => Promise<readonly Figure[]>

const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  cached: measureCached,
  authenticated: measureAuthenticated,
  crowd: measureCrowd,
  orders: measureOrders,
  pages: measurePages,
  'price-push': measurePricePush,
  'fan-out': measureFanOut,
  soak: measureSoak,
  'mass-resume': measureMassResume,
  'stream-costs': measureStreamCosts,
  'catch-up': measureCatchUp,
  'page-log': measurePageLog,
  'loop-delay': measureLoopDelay,
  'hostile-node': measureHostileNode,
  'archive-size': measureArchiveSize,
  'archive-size-large': measureLargeArchive,
  'as-of': measureAsOf,
  console: measureConsole,
}

/** Filling the archive with ten million rows takes a quarter of an hour. */
const ONLY_IF_NAMED: ReadonlySet<string> = new Set(['archive-size-large'])

async function main(args: readonly string[]): Promise<void> {
  const quick = args.includes(QUICK)
  const named = args.filter((arg) => arg !== QUICK)
  const unknown = named.filter((name) => !Object.hasOwn(MEASUREMENTS, name))
  if (unknown.length > 0) {
    console.error(`Unknown arguments: ${unknown.join(', ')}. Use: ${Object.keys(MEASUREMENTS).join(', ')}, or ${QUICK}.`)
    process.exitCode = 1
    return
  }
  const figures: Figure[] = []
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (named.length > 0 ? !named.includes(name) : ONLY_IF_NAMED.has(name)) continue
    try {
      figures.push(...(await measure((text) => console.log(`${name}: ${text}`), quick)))
    } catch (error) {
      // The figures of the others are still worth their minutes.
      console.error(`${name}: failed`, error)
      process.exitCode = 1
    }
  }
  console.log(`\n${formatTable(figures)}`)
}

const QUICK = '--quick'

await main(process.argv.slice(2))
