// Runs random operations on the contracts of both generations, through the router too, and checks the account ledger of each to the stroop: operation by
// operation, and as the sums of an index with gaps that are filled later, repeated pages and resets of the chain.
//   npm run test:ledger -- [operations] [first seed]

import { E7 } from '../localnet/test/contracts/generation-1/test-exchange.ts'
import { checkExchange, createTotals } from './contract/cash-check.ts'

const PROGRESS_MS = 10_000
const STEPS_PER_EXCHANGE = 300
const LIQUIDITIES = [50_000n * E7, 5_000n * E7, 1_000n * E7]

const [wanted = 1_000_000, firstSeed = 1] = process.argv.slice(2).map(Number)
const totals = { '1': createTotals(), '2.3': createTotals() }
const started = performance.now()
let operations = 0
let reported = started

for (let seed = firstSeed; operations < wanted; seed++) {
  const generation = seed % 2 === 0 ? '1' : '2.3'
  operations += checkExchange(generation, { steps: STEPS_PER_EXCHANGE, seed, liquidity: LIQUIDITIES[seed % LIQUIDITIES.length] ?? 0n }, totals[generation])
  if (performance.now() - reported < PROGRESS_MS) continue
  reported = performance.now()
  console.log(`${operations} of ${wanted} operations, ${Math.round((reported - started) / 1_000)} s`)
}

for (const [generation, { calls, rows, moved, kinds, index }] of Object.entries(totals)) {
  console.log(`generation ${generation}: ${calls} successful operations, ${rows} rows, ${moved / E7} USDC moved; every sum equals its balance`)
  console.log(`  ${index.pages} pages, of which ${index.gaps} were missing and filled later and ${index.repeated} were repeated; ${index.resets} chains`)
  console.log([...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `  ${name}: ${count}`).join('\n'))
}
console.log(`${operations} operations in ${Math.round((performance.now() - started) / 1_000)} s`)
