// Finds the test files, the slow ones among them, and their imports.

import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { findImports, isTypeOnly } from '../tidy/imports.ts'

const PATTERNS = ['src/**/*.test.ts', 'localnet/**/*.test.ts', 'test/**/*.test.ts']
/**
 * Left to `npm run test:all`: these start whole processes, browsers, other runtimes or servers, or install packages, and take most of the time. What they
 * find in `src`, a faster test finds as well; those of `localnet` find nothing there.
 */
const SLOW = [
  'localnet/activity.test.ts', 'localnet/long-run.test.ts', 'localnet/generation-2.test.ts', 'localnet/control/control.test.ts',
  'localnet/actors/keeper-orders.test.ts', 'localnet/contracts/generation-1/exchange.property.test.ts', 'localnet/contracts/generation-1/market.model.test.ts',
  'localnet/contracts/generation-2/exchange.property.test.ts', 'localnet/contracts/generation-2/market/market.model.test.ts',
  'test/support/store-pool.test.ts', 'test/docs/document-lint.test.ts', 'test/sim/crashes.test.ts', 'test/attack/crowd.test.ts',
  'test/client/ccxt.test.ts', 'test/client/cli.test.ts', 'test/client/completion.test.ts', 'test/client/package.test.ts',
  'test/client/readme.test.ts', 'test/client/runtimes.test.ts',
  'test/client/stream.test.ts', 'test/console/frame.test.ts', 'test/console/generation-2.test.ts', 'test/console/pages.test.ts', 'test/console/parts.test.ts',
  'test/console/quiet.test.ts',
  'test/console/screenshot.test.ts', 'test/console/steady.test.ts', 'test/console/trading.test.ts',
  'test/api/vault-histories.test.ts', 'test/crash/',
  'test/docs/first-five-minutes.test.ts', 'test/docs/guides.test.ts', 'test/examples/',
  'test/process/', 'test/index/hostile-pairs.test.ts', 'test/index/transaction-effects.test.ts', 'test/index/contradicted-archive.test.ts',
  'test/contract/funding-prediction.test.ts', 'test/api/settings.test.ts',
  'test/attack/bodies.test.ts', 'test/attack/capacity.test.ts', 'test/attack/connections.test.ts',
  'test/attack/keys.test.ts', 'test/attack/kills.test.ts', 'test/keys/durability.test.ts', 'localnet/ledger/kill.test.ts',
  'src/store/embedded/kills.test.ts', 'src/store/embedded/durability.test.ts', 'src/store/server/read-only.test.ts',
  'test/api/reconcile-generation-2.test.ts', 'test/api/order-history.test.ts', 'test/api/paging.test.ts',
  'test/api/warnings.test.ts', 'test/api/candle-volume.test.ts', 'localnet/rpc/klines.test.ts',
  'test/submissions/crashes.test.ts', 'test/submissions/evidence.test.ts', 'test/api/verify-submissions.test.ts', 'test/api/lying-figures.test.ts',
  'test/attack/submission-writes.test.ts', 'test/attack/table-growth.test.ts',
  'test/api/refused-orders.test.ts', 'test/stream/hour.test.ts', 'test/client/stream-gaps.test.ts',
  'test/relay/footprints-builds.test.ts', 'test/api/slow-clients.test.ts', 'src/store/embedded/engine-failures.test.ts',
  'src/store/embedded/time-limit.test.ts', 'test/index/hostile-node.test.ts', 'test/client/transactions.test.ts',
  'test/stream/channel-positions.property.test.ts', 'localnet/start.test.ts', 'test/sim/simulation.test.ts', 'test/client/generation-2.test.ts',
  'test/api/account-ledger.test.ts', 'test/stream/reset.test.ts', 'test/docs/deployment.test.ts', 'test/client/trade.test.ts',
  'test/contract/cash-ledger.test.ts', 'test/submissions/driver.test.ts', 'test/index/indexing.property.test.ts', 'src/indexer/repair/verify.test.ts',
  'src/indexer/repair/gap-filler.test.ts', 'src/indexer/repair/rebuild.test.ts', 'test/stream/stream.model.test.ts', 'test/api/orders-matrix.test.ts',
  'test/index/node-faults.test.ts', 'test/relay/footprints.test.ts', 'test/api/reconcile.test.ts',
]

/** Start first and in this order, so that at the end of a run no core waits for one of them. */
const LONGEST = [
  'test/sim/', 'test/process/verify.test.ts', 'test/docs/guides.test.ts', 'test/stream/hour.test.ts', 'test/client/cli.test.ts', 'test/console/', 'test/crash/',
  'test/index/hostile-pairs.test.ts', 'test/relay/footprints-builds.test.ts', 'localnet/ledger/kill.test.ts', 'test/examples/', 'test/process/',
]

/** Folders whose tests run in the test's own process. */
const IN_PROCESS = ['src/', 'localnet/', 'test/api/', 'test/contract/', 'test/index/', 'test/relay/', 'test/stream/', 'test/submissions/']

/**
 * Tests that `npm run test:all` runs again on contracts of generation 2 and a local network of another protocol: the parts of the names of tests, from each
 * harness those that differ most. Less than a minute; `npm run test:all -- --generation=2` and `-- --protocol=30` run all of HARNESSES.
 */
export const RUN_AGAIN: Readonly<Record<string, readonly string[]>> = {
  'test/client/cli.test.ts': ['prices prints', 'status shows', 'trades and orders'],
  'test/client/ccxt.test.ts': ['markets are swaps', 'orders and positions'],
  'test/console/trading.test.ts': ['a burner wallet gets'],
  'test/process/restart.test.ts': ['continues the same chain'],
  'test/attack/capacity.test.ts': ['one wallet gets', 'all keys used'],
}

/** Tests that start the whole program or network, and so have to pass on either generation and protocol. Other tests choose a generation where it matters. */
export const HARNESSES: readonly string[] = [
  'test/api/fuzz.test.ts', 'test/api/reconcile', 'test/attack/', 'test/client/', 'test/console/', 'test/crash/', 'test/docs/', 'test/examples/',
  'test/process/', 'test/sim/',
]

/** Tests that also read chains, and so have to pass on every protocol. */
export const CHAIN_READERS: readonly string[] = ['src/chain/', 'src/indexer/', 'test/index/', 'test/relay/', 'test/stream/', 'test/submissions/']

export function isSlow(file: string): boolean {
  return SLOW.some((slow) => file.startsWith(slow))
}

/** Position of one of the longest files in the order in which they start. */
export function rankByLength(file: string): number {
  return LONGEST.findIndex((long) => file.startsWith(long))
}

/** True if the file starts first, in a process of its own. */
export function isLongest(file: string): boolean {
  return isSlow(file) && rankByLength(file) >= 0
}

/** True if the file can share a process with others although it is slow: it starts no processes, browsers or servers. */
export function runsInProcess(file: string): boolean {
  return IN_PROCESS.some((start) => file.startsWith(start)) && !file.startsWith('src/store/')
}

/** True if `npm run test:all` runs more of this file than `npm test`: more seeds or cases. */
export function runsMoreInAll(root: string, file: string): boolean {
  return /TEST_ALL|fuzzRuns\([^()]+,/.test(readFileSync(join(root, file), 'utf8'))
}

/** All test files, or those that `named` selects: files, folders or patterns. Relative to `root`, sorted. */
export function findTestFiles(root: string, named: readonly string[] = []): string[] {
  const patterns = named.length === 0 ? PATTERNS : named.flatMap((name) => [name, `${name.replace(/\/$/, '')}/**/*.test.ts`])
  const files = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).filter((file) => file.endsWith('.test.ts'))
  return [...new Set(files)].sort()
}

export interface ImportGraph {
  /** True when `file` is one of `modules` or imports one, directly or not. */
  reaches(file: string, modules: readonly string[]): boolean
  /** Returns the least number of imports that lead from `file` to `module`; null when none do. */
  distance(file: string, module: string): number | null
}

/** The imports between the project's own modules that remain at run time, read on demand. Paths are relative to `root`. */
export function createImportGraph(root: string): ImportGraph {
  const known = new Map<string, readonly string[]>()

  function importsOf(file: string): readonly string[] {
    const found = known.get(file) ?? readImports(root, file)
    known.set(file, found)
    return found
  }

  function distance(file: string, isTarget: (module: string) => boolean): number | null {
    const distances = new Map([[file, 0]])
    for (const [module, steps] of distances) {
      if (isTarget(module)) return steps
      for (const next of importsOf(module)) if (!distances.has(next)) distances.set(next, steps + 1)
    }
    return null
  }

  return {
    reaches: (file, modules) => distance(file, (module) => modules.includes(module)) !== null,
    distance: (file, module) => distance(file, (each) => each === module),
  }
}

function readImports(root: string, file: string): string[] {
  let source: string
  try {
    source = readFileSync(join(root, file), 'utf8')
  } catch (cause) {
    // A missing file is reported by the test that imports it.
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return []
    throw cause
  }
  const specifiers = findImports(source).filter((reference) => !isTypeOnly(reference)).map(({ specifier }) => specifier ?? '')
  return specifiers.filter((specifier) => specifier.startsWith('.')).map((specifier) => normalize(join(dirname(file), specifier)))
}
